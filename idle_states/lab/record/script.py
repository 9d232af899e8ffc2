"""The shell script that records a governor's inputs, its decisions and the resulting idle periods.

Kprobe events read arguments and results of the functions a governor's select() calls. Two outputs
(delta_next and stop_tick) are in stack frames: the script first measures their offsets, then
records. It uses a tracing instance of its own and removes it at the end.
"""

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.resources import template
from .request import RecordOptions


@dataclass(frozen=True, slots=True)
class Arch:
    """An architecture that can be recorded. All are little-endian: bit-fields of struct
    cpuidle_device are counted from the lowest bit.

    machine               output of uname -m
    first, second, third  the kernel's names of the registers of a function's first three arguments
    stack                 its name of the stack pointer
    """

    name: str
    machine: str
    first: str
    second: str
    third: str
    stack: str


ARCHS = (
    Arch("ppc64le", "ppc64le", "gpr3", "gpr4", "gpr5", "gpr1"),
    Arch("x86-64", "x86_64", "di", "si", "dx", "sp"),
    Arch("arm64", "aarch64", "x0", "x1", "x2", "sp"),
)


@dataclass(frozen=True, slots=True)
class Probed:
    """Names of a governor's functions.

    timers  whether it asks for the next timer, for tasks in iowait and whether the tick woke the
            CPU
    oldest  first Linux release on which it can be recorded
    reason  why older ones cannot
    """

    select: str
    reflect: str
    enable: str
    timers: bool
    oldest: tuple[int, int]
    reason: str


_LAYOUT = "before, struct cpuidle_device was laid out differently"

GOVERNORS = {
    "menu": Probed("menu_select", "menu_reflect", "menu_enable_device", True, (5, 6), _LAYOUT),
    "teo": Probed(
        "teo_select",
        "teo_reflect",
        "teo_enable_device",
        True,
        (6, 14),
        "before, teo compared readings of the clock that a recording has no columns for",
    ),
    "ladder": Probed(
        "ladder_select_state", "ladder_reflect", "ladder_enable_device", False, (5, 6), _LAYOUT
    ),
}

INTERRUPT, HRTIMER, TIMER = "irq_handler_entry", "hrtimer_expire_entry", "timer_expire_entry"
WITHOUT, WAKING, TICK_STOP = "sched_wake_idle_without_ipi", "sched_waking", "tick_stop"
A_TIMER = "a timer"
ENDS = {
    f"irq/{INTERRUPT}": "interrupt",
    f"timer/{HRTIMER}": A_TIMER,
    "irq_vectors/local_timer_entry": A_TIMER,
    "powerpc/timer_interrupt_entry": A_TIMER,
    "irq_vectors/reschedule_entry": "another CPU (reschedule)",
    "irq_vectors/call_function_entry": "another CPU (function call)",
    "irq_vectors/call_function_single_entry": "another CPU (function call)",
    "irq_vectors/irq_work_entry": "irq work",
    "ipi/ipi_entry": "another CPU (IPI)",
    "powerpc/doorbell_entry": "another CPU (doorbell)",
    f"sched/{WITHOUT}": "another CPU (without an interrupt)",
}
TRACEPOINTS = (*ENDS, f"timer/{TIMER}", f"timer/{TICK_STOP}", f"sched/{WAKING}")
"""The events that are recorded, as far as a kernel has them."""

SECONDS_MAX = 86_400
BUFFER_KB_MAX = 4 << 20


def _archs(name: str | None) -> list[Arch]:
    """The architecture of a name, or all for None. Raises UsageError for an unknown name."""
    found = [arch for arch in ARCHS if name in (None, arch.name)]
    if not found:
        known = ", ".join(arch.name for arch in ARCHS)
        raise UsageError(f"expected an architecture ({known}), found {name!r}")
    return found


def script(options: RecordOptions) -> str:
    """A POSIX shell script; busybox suffices to run it. It refuses to run on other architectures,
    and recording ends on a CPU whose buffer is full. Raises UsageError for options that the script
    does not support."""
    governor = "menu" if options.governor is None else options.governor
    seconds = 10 if options.seconds is None else options.seconds
    buffer_kb = 4096 if options.buffer is None else options.buffer
    if governor not in GOVERNORS and not options.wake_ups:
        raise UsageError(f"expected a governor ({', '.join(GOVERNORS)}), found {governor!r}")
    if not 1 <= seconds <= SECONDS_MAX:
        raise UsageError(f"expected 1 to {SECONDS_MAX} seconds, found {seconds}")
    if not 64 <= buffer_kb <= BUFFER_KB_MAX:
        raise UsageError(f"expected 64 to {BUFFER_KB_MAX} KiB of buffer, found {buffer_kb}")
    if not governor.isidentifier():
        raise UsageError(f"expected the name of a governor, found {governor!r:.60}")
    probed = GOVERNORS.get(governor)
    return template("record.sh.j2").render(
        governor=governor,
        archs=_archs(options.arch),
        seconds=seconds,
        buffer_kb=buffer_kb,
        restart=options.restart_governor,
        probed=probed,
        wake_ups=TRACEPOINTS if options.wake_ups else (),
    )
