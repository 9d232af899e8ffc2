"""IS501 drift-from-reference: a table differs from the packaged one it claims to be.

What it does
    Compares a spec named like a packaged revision, and a C table named like a revision's array,
    with that revision: one finding for each value, row and position that differs. A spec that
    extends another declares what it changes, and is not compared. A tree is compared with what
    today's skiboot would export from the nearest revision of its processor, under the tree's own
    ibm,enabled-stop-levels. Silent in `review`, where a change is judged by what was there
    before it.

Why is this bad
    It need not be bad, but somebody should have meant it: most mistakes in these tables were
    plausible numbers, which no other check can find. Where the change is meant, the packaged
    spec should change with it. An old firmware's tree differs where its table did.

Example
    name: power8-nap-only
    cpu: {generation: power8}
    firmware: {array: nap_only_cpu_idle_states}
    register: pmicr
    states:
      - {name: nap, latency: 5us, residency: 100us, pmicr: none,
         flags: [LOSE_USER_CONTEXT, NAP_ENABLED]}

Use instead
    -   - {name: nap, latency: 5us, residency: 100us, pmicr: none,
    +   - {name: nap, latency: 4us, residency: 100us, pmicr: none,

Ground
    The packaged specs are skiboot's tables value by value, each with its commit. In a tree a row
    may be missing because of NVRAM's opal-stop-state-disable-mask.
"""

from ...base.model.findings import Location
from ..identify import Claim, RowDifference, claim, drift
from .rule import Confidence, Rule, Severity, Subject, Verdict, Verdicts

RULE = Rule("IS501", "drift-from-reference", Severity.WARNING)


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    if subject.by_change:
        return
    claimed = claim(subject)
    declared = subject.form == "spec" and "extends" in subject.table.where
    if claimed is None or declared:
        return
    for difference in drift(subject):
        absent = difference.index is None
        yield Verdict(
            subject.at(difference.index, difference.field if not absent else "states"),
            _message(subject, claimed, difference),
            confidence=Confidence.MEDIUM if absent and subject.form == "dt" else None,
            related=_related(claimed, difference),
        )


def _message(subject: Subject, claimed: Claim, difference: RowDifference) -> str:
    if difference.index is None:
        name = difference.wanted.name if difference.wanted else "?"
    else:
        name = subject.table.states[difference.index].name
    if difference.field == "state":
        return f"{name} {difference.text}"
    return f"{name} differs from {claimed.table.name}: {difference.text}"


def _related(claimed: Claim, difference: RowDifference) -> tuple[tuple[Location, str], ...]:
    if difference.wanted is None:
        return ()
    where = difference.wanted.where
    place = where.get(difference.field) or where.get(difference.field.partition(".")[0])
    place = place or where.get("state")
    return ((place, f"{claimed.table.name} has it here"),) if place else ()
