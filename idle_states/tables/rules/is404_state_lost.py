"""IS404 state-lost: firmware exports a state and the kernel does not register it.

What it does
    Follows the exported states into each kernel and reports those that cpuidle does not get,
    with the kernel's reason. Silent where the spec says `cpuidle: no`; a note where C and device
    trees cannot say it (latency above the limit, winkle) and where the kernel does not read the
    tree. A node given up as a whole is IS406, a processor the kernel does not know IS408.

Why is this bad
    The state is never entered, the log mostly does not mention it, and tuning the row changes
    nothing. What the state was to save is not saved.

Example
    extends: power9
    drop: [stop8, stop11]
    override:
      stop2: {psscr: {rl: 2, mtl: 3, tr: 3, esl: 1}}

Use instead
    -   stop2: {psscr: {rl: 2, mtl: 3, tr: 3, esl: 1}}
    +   stop2: {psscr: {rl: 2, mtl: 3, tr: 3, esl: 1, ec: 1}}

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states() and
    arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init(), as far as the release has them.
"""

from ...base.model.stages import Lost
from ...base.model.table import Flag
from .is4_kernels import gave_up, knows_processor, place, row_of
from .rule import KernelView, Rule, Severity, Subject, Verdict, Verdicts

RULE = Rule("IS404", "state-lost", Severity.WARNING)


@RULE.of_each_driver
def check(view: KernelView) -> Verdicts:
    if gave_up(view.driver) or not knows_processor(view):
        return
    for lost in view.driver.lost:
        severity = _severity(view.subject, lost)
        if severity is not None:
            where = place(view.subject, lost.index)
            yield Verdict(where, f"{lost.state} is lost: {lost.reason}", severity)


def _severity(subject: Subject, lost: Lost) -> Severity | None:
    row = row_of(subject, lost.index)
    state = None if row is None else subject.table.states[row]
    if state is not None and not state.cpuidle:
        return None
    if lost.cause == "static":
        return Severity.NOTE
    winkle = state is not None and state.has(Flag.WINKLE_ENABLED)
    if subject.form != "spec" and (winkle or lost.cause == "over-threshold"):
        return Severity.NOTE
    return Severity.WARNING
