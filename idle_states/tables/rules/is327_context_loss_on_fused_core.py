"""IS327 context-loss-on-fused-core: a fused-core table has a state that loses context.

What it does
    Looks for LOSE_HYP_CONTEXT and LOSE_FULL_CONTEXT in the table for POWER9 with fused cores.

Why is this bad
    A fused core is two small cores that the kernel sees as one. Linux does not know how to
    restore hypervisor state on both halves, so a state that loses it must not be offered.

Example
    extends: power9-fused
    firmware: {fused-core: yes}
    states:
      - name: stop4
        latency: 100us
        residency: 10ms
        flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]
        psscr: {rl: 4, mtl: 7, tr: 3, ec: 1, esl: 1}

Use instead
    extends: power9-fused
    firmware: {fused-core: yes}

Ground
    skiboot 1629c851c: fused cores exported stop4 and stop5 until then.
"""

from ...base.model.table import Flag, flag_names
from ...base.wording import joined
from .is3_control import home
from .rows import StateRow, every_row
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS327", "context-loss-on-fused-core", Severity.ERROR, forms=("spec", "c"))

_LOSSES = Flag.LOSE_HYP_CONTEXT | Flag.LOSE_FULL_CONTEXT


@RULE.of_each(every_row)
def check(row: StateRow) -> Verdicts:
    losses = row.state.flags & _LOSSES
    if losses and home(row.subject).fused_core:
        outcome = "Linux cannot restore both halves of a fused core"
        yield row.verdict("flags", f"{row.name} has {joined(flag_names(losses))}; {outcome}")
