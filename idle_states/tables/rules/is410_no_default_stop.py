"""IS410 no-default-stop: a kernel finds no default stop state among what is exported.

What it does
    On POWER9 and later, reports kernels that end without a default stop although the tree has
    states: no exported STOP_INST_FAST state is valid. A table without any is left to IS317, a
    processor the kernel does not know to IS408.

Why is this bad
    Linux logs "No suitable default stop state found. Disabling platform idle." Until cpuidle
    runs, and whenever it is off or unloaded, idle CPUs spin at full power.

Example
    extends: power9
    drop: [stop0, stop1, stop2]
    override:
      stop0_lite: {psscr: {rl: 0, mtl: 3, tr: 3, esl: 1}}

Use instead
    -   stop0_lite: {psscr: {rl: 0, mtl: 3, tr: 3, esl: 1}}
    +   stop0_lite: {psscr: {rl: 0, mtl: 3, tr: 3}}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init() since f3b3f28493d9 (4.12);
    4.11 falls back to a built-in value.
"""

from ...base.model.table import Flag
from .is4_kernels import exported_rows, gave_up, knows_processor
from .rule import KernelView, Rule, Severity, Verdict, Verdicts

RULE = Rule(
    "IS410",
    "no-default-stop",
    Severity.ERROR,
    aliases=("linux:No suitable default stop state found. Disabling platform idle.",),
)


@RULE.of_each_driver
def check(view: KernelView) -> Verdicts:
    subject, driver = view.subject, view.driver
    if driver.default_stop is not None or not subject.is_stop or not subject.exported_indices:
        return
    if gave_up(driver) or not knows_processor(view):
        return
    if any(state.has(Flag.STOP_INST_FAST) for state in subject.table.states):
        rows = exported_rows(subject)
        fast = [row.name for row in rows if row.state.has(Flag.STOP_INST_FAST)]
        found = f"{', '.join(fast)} not valid" if fast else "no STOP_INST_FAST state exported"
        yield Verdict(subject.at(None, "states"), f"there is no default stop state: {found}")
