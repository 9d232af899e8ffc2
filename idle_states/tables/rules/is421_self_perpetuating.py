"""IS421 self-perpetuating: waking alone lasts as long as the target residency.

What it does
    Compares the shortest wake-up measured for a state, less the exit latency that the kernel
    deducts, with the target residency the kernel holds; then lets menu and teo of each kernel, at
    250 HZ, select after eight idle periods in the state, for periods of 1 ns and that wake-up. It
    names the governors that go on selecting the state.

Why is this bad
    A governor measures how long the CPU was idle, wake-up included, and deducts the advertised
    exit latency only. What is left of the wake-up counts as idle time. If that alone reaches the
    target residency, then a state that was selected once is selected again, however short the idle
    periods become.

Example
    extends: power9
    override:
      stop0: {latency: 2us, residency: 1us, measured: [{kind: ipi, latency: 4us, source: example}]}

Use instead
    extends: power9

Ground
    Linux drivers/cpuidle/governors/menu.c menu_update(), teo.c teo_update(); the range of idle
    lengths that lock in is T + wake >= residency > T.
"""

from ...base.wording import joined
from .is4_kernels import row_of
from .rows import every_row
from .rule import KernelView, Rule, Severity, Verdicts

RULE = Rule("IS421", "self-perpetuating", Severity.WARNING, forms=("spec",))


@RULE.of_each_kernel
def check(view: KernelView) -> Verdicts:
    for state in view.driver.states[1:]:
        index = row_of(view.subject, state.source)
        measured = view.subject.table.states[index].measured if index is not None else ()
        if index is None or not measured or not state.target_residency_us:
            continue
        wake_ns = min(one.latency_ns for one in measured)
        left_ns = wake_ns - state.exit_latency_us * 1000
        if left_ns < state.target_residency_us * 1000:
            continue
        if by := _kept_by(view, state.index, wake_ns):
            yield every_row(view.subject)[index].verdict(
                "residency",
                f"{state.name} keeps itself selected by {joined(by)}: of a wake-up of {wake_ns} "
                f"ns, {left_ns} ns count as idle time, its target residency is "
                f"{state.target_residency_us} us",
            )


def _kept_by(view: KernelView, number: int, wake_ns: int) -> list[str]:
    """The governors that go on selecting a state for idle periods however short."""
    from functools import partial

    from ..linux.governors import Governor, known_in
    from ..linux.governors.settling import Settling
    from ..linux.governors.steady import keeps_itself

    return [
        name
        for name in ("menu", "teo")
        if known_in(name, view.release)
        and keeps_itself(
            Settling(partial(Governor.for_kernel, name, view.release, view.driver)), number, wake_ns
        )
    ]
