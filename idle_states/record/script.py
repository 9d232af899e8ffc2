"""The shell script that records what a kernel's governor is given, decides and experiences.

Kprobe events read arguments and results of the functions a governor's select() calls. Two outputs
stay in stack frames (delta_next and stop_tick): the script first measures where, then records. It
works in a tracing instance of its own and leaves nothing behind.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..findings import UsageError
from ..resources import template


@dataclass(frozen=True, slots=True)
class Arch:
    """machine: what uname -m says; then the kernel's names of the registers that hold the first
    three arguments and the stack pointer. All are little-endian: struct cpuidle_device's bits are
    counted from the lowest."""

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
    """A governor's functions.

    timers  it asks for the next timer, for tasks in iowait and whether the tick woke the CPU
    oldest  Linux release from which it can be recorded, for the reason given
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

SECONDS_MAX = 86_400
BUFFER_KB_MAX = 4 << 20


def archs(name: str | None) -> list[Arch]:
    """The one of that name; of None, all. Raises UsageError."""
    found = [arch for arch in ARCHS if name in (None, arch.name)]
    if not found:
        known = ", ".join(arch.name for arch in ARCHS)
        raise UsageError(f"expected an architecture ({known}), found {name!r}")
    return found


def script(
    governor: str,
    archs: Sequence[Arch] = ARCHS,
    seconds: int = 10,
    buffer_kb: int = 4096,
    restart: bool = False,
) -> str:
    """A POSIX shell script; busybox suffices to run it.

    governor   a name in GOVERNORS
    archs      those it is to run on; it refuses elsewhere
    buffer_kb  per CPU; a decision takes about half a KiB. When it is full, recording ends there
    restart    the governor is switched away and back as recording begins, so that its memory is
               known: empty
    Raises UsageError for what the script cannot do.
    """
    if governor not in GOVERNORS:
        raise UsageError(f"expected a governor ({', '.join(GOVERNORS)}), found {governor!r}")
    if not 1 <= seconds <= SECONDS_MAX:
        raise UsageError(f"expected 1 to {SECONDS_MAX} seconds, found {seconds}")
    if not 64 <= buffer_kb <= BUFFER_KB_MAX:
        raise UsageError(f"expected 64 to {BUFFER_KB_MAX} KiB of buffer, found {buffer_kb}")
    probed = GOVERNORS[governor]
    return template("record.sh.j2").render(
        governor=governor,
        archs=archs,
        seconds=seconds,
        buffer_kb=buffer_kb,
        restart=restart,
        select=probed.select,
        reflect=probed.reflect,
        enable=probed.enable,
        timers=probed.timers,
        oldest=probed.oldest,
    )
