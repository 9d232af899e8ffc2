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

from ..linux.governors.menu_features import features
from ..linux.releases import Release
from .is4_kernels import place, row_of
from .rule import OPAL_FORMS, KernelView, Rule, Severity, Verdict, Verdicts

RULE = Rule(
    "IS420",
    "polling-override",
    Severity.NOTE,
    forms=(*OPAL_FORMS, "sysfs"),
    requires=("IS202", "IS215", "IS401"),
)

SHORT_US = 15
"""RESIDENCY_THRESHOLD_NS of menu."""


def _read(release: Release) -> tuple[bool, bool]:
    menu = features(release)
    return menu.polling_override, menu.override_short


@RULE.of_each_governor(_read)
def check(view: KernelView) -> Verdicts:
    states = view.driver.states
    if not view.subject.runs("menu"):
        return
    if len(states) < 2 or not states[0].polling:  # as before menu, whose features are not known
        return
    polling_override, override_short = _read(view.release)
    if not polling_override:
        return
    first = states[1]
    exempt = f", as it is below {SHORT_US} us" if override_short else ""
    if row_of(view.subject, first.source) is None:
        return
    if not override_short or first.target_residency_us < SHORT_US:
        yield Verdict(
            place(view.subject, first.source, "residency"),
            f"menu selects {first.name} even for idle periods shorter than its target residency "
            f"of {first.target_residency_us} us, because {states[0].name} polls{exempt}",
        )
