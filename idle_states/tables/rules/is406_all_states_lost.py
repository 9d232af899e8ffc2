"""IS406 all-states-lost: the kernel cannot parse the node and drops every state.

What it does
    Reports trees, and tables whose export would be such a tree, that a kernel gives up on: an
    array absent or too short, lengths that differ (4.12 to 4.18), names without an end.

Why is this bad
    Linux parses all or nothing. One bad array leaves "cpuidle-powernv : Only Snooze is
    available", and before it a message that may name the wrong property. With the ladder
    governor that is a crash, up to e5c9ffc6ae1b.

Example
    extends: power9
    override:
      stop2: {residency: none}

Use instead
    -   stop2: {residency: none}
    +   stop2: {residency: 100us}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt() since 9c7b185ab2fe (4.19),
    drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states() before.
"""

from .is4_kernels import PARSE_CAUSES
from .rule import KernelView, Rule, Severity, Verdict, Verdicts

RULE = Rule(
    "IS406",
    "all-states-lost",
    Severity.ERROR,
    aliases=("linux:cpuidle-powernv : Only Snooze is available",),
)


@RULE.of_each_driver
def check(view: KernelView) -> Verdicts:
    causes = [lost for lost in view.driver.lost if lost.cause in PARSE_CAUSES]
    said = [line.text for line in view.driver.messages if line.level in ("warning", "error")]
    log = f'; the log says "{said[0]}"' if said else ""
    for lost in causes[:1]:
        yield Verdict(view.subject.at(None), lost.reason + log)
