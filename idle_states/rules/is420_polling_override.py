"""IS420 polling-override: menu prefers a physical state to a polling snooze.

What it does
    Looks for kernels whose snooze is a polling state and whose menu governor, having arrived at a
    polling state, takes the next physical one if it fits before the next timer.

Why is this bad
    There the first state's target residency no longer keeps menu in snooze for short idles: a
    residency of 10 us that was chosen to do just that is undone. From 6.19 on (and in Debian's
    6.12.117) a first residency of 15 us or more is exempt; from 6.2 to 6.18 none is, and nothing
    in the table can help.

Example
    # kernels: 6.6
    extends: power9

Use instead
    # kernels: 6.19
    extends: power9
    override:
      stop0_lite: {residency: 15us}

Ground
    Linux drivers/cpuidle/governors/menu.c menu_select(): 5f26bdceb9c0 (4.20) brought the
    preference, 07d815701274 (6.19) its limit; cpuidle-powernv.c 5ddcc03a07ae (6.2; Debian 6.1 from
    6.1.176) the flag on snooze.
"""

from collections.abc import Iterable, Iterator

from ..findings import Finding, Severity
from ..linux.driver_table import DriverTable
from ..linux.governors.menu_features import features
from ..linux.releases import Release
from ..pipeline import Subject
from .is4_kernels import row_of
from .rule import OPAL_FORMS, Judged, Rule, per_kernel

RULE = Rule(
    "IS420",
    "polling-override",
    Severity.NOTE,
    forms=(*OPAL_FORMS, "sysfs"),
    requires=("IS202", "IS215", "IS401"),
)

SHORT_US = 15
"""RESIDENCY_THRESHOLD_NS of menu."""


def check(subject: Subject) -> Iterator[Finding]:
    def judge(driver: DriverTable, release: Release) -> Iterable[Judged]:
        if len(driver.states) < 2 or not driver.states[0].polling:
            return
        menu = features(release)
        if not menu.polling_override:
            return
        first = driver.states[1]
        row = row_of(subject, first.source)
        if row is None or (menu.override_short and first.target_residency_us >= SHORT_US):
            return
        exempt = f", as it is below {SHORT_US} us" if menu.override_short else ""
        yield (
            subject.at(row, "residency"),
            f"menu takes {first.name} also for idles shorter than its target residency of "
            f"{first.target_residency_us} us, because {driver.states[0].name} is a polling "
            f"state{exempt}",
        )

    for where, message, kernels in per_kernel(subject, judge, governor=True):
        yield RULE.finding(subject, message, where, kernels=kernels)
