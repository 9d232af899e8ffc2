"""IS105 more-than-nine-states: a table has more states than Linux can hold.

What it does
    Counts the rows of a table, or the flags of a tree. Rows are counted whether or not some
    platform masks them: the next platform may not.

Why is this bad
    cpuidle has room for ten states and snooze takes one. Linux keeps the first nine in the order
    of the table, so it is the deepest that goes. Older kernels do worse: 4.12 to 4.18 take no
    state at all on POWER9, and up to 4.7 the eighth is written past the end of the array. fwts
    and op-test fail the tree.

Example
    extends: power9@1953b41e1
    override:
      stop5: {residency: 3ms}

Use instead
    extends: power9@1953b41e1
    drop: [stop1_lite]

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states(), CPUIDLE_STATE_MAX 10, "discovered idle
    states more than allowed"; the POWER9 table had ten rows from skiboot 1953b41e1 to 34e9c3c1e;
    fwts power_mgmt label DTMoreIdleStates; op-test "More idle states found in DT".
"""

from ...base.model.power_mgt import FLAGS
from ..linux.convert import STATE_MAX
from .is1_arrays import state_count
from .rule import Rule, Severity, Subject, Verdict, Verdicts

RULE = Rule(
    "IS105",
    "more-than-nine-states",
    Severity.ERROR,
    aliases=("fwts:DTMoreIdleStates", "op-test:More idle states found in DT than the expected"),
)

ROOM = STATE_MAX - 1
_NAMED = 3


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    states = subject.table.states
    node = subject.node
    found = len(states) if node is None else state_count(node) or 0
    if found <= ROOM:
        return
    cut = [state.name for state in states[ROOM : ROOM + _NAMED]]
    more = found - ROOM - len(cut)
    named = ", ".join(cut) + (f" and {more} more" if cut and more else "")
    outcome = f"; Linux leaves out {named}" if named else ""
    where = node.at(FLAGS, ROOM) if node else subject.at(ROOM, "name")
    yield Verdict(where, f"expected at most {ROOM} states, found {found}{outcome}")
