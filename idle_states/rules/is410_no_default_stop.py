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
    extends: power9
    drop: [stop0, stop1, stop2]
    override:
      stop0_lite: {psscr: {rl: 0, mtl: 3, tr: 3}}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init() since f3b3f28493d9 (4.12);
    4.11 falls back to a built-in value.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject
from ..table import Flag
from .is4_kernels import exported_rows, gave_up, knows_processor
from .rule import Judged, Rule, per_kernel

RULE = Rule(
    "IS410",
    "no-default-stop",
    Severity.ERROR,
    aliases=("linux:No suitable default stop state found. Disabling platform idle.",),
)


def check(subject: Subject) -> Iterator[Finding]:
    states = subject.table.states
    exported = list(exported_rows(subject))
    if not subject.is_stop or not exported:
        return
    if not any(state.has(Flag.STOP_INST_FAST) for state in states):
        return

    def judge(driver: DriverTable, release: Release) -> Iterator[Judged]:
        if gave_up(driver) or not knows_processor(subject, release):
            return
        if driver.default_stop is None:
            fast = [state.name for _, state in exported if state.has(Flag.STOP_INST_FAST)]
            found = f"{', '.join(fast)} not valid" if fast else "no STOP_INST_FAST state exported"
            yield subject.at(None, "states"), f"there is no default stop state: {found}"

    for where, message, kernels in per_kernel(subject, judge):
        yield RULE.finding(subject, message, where, kernels=kernels)
