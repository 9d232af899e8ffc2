"""Runs QEMU with a time limit and its output in a file; QEMU never outlives the call."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ..findings import Unreadable, UsageError
from ..reading import launching, limits
from . import console
from .parts import Parts

MACHINES = ("powernv8", "powernv9", "powernv10")
"""QEMU's machines that skiboot boots; powernv9 is a Nimbus DD2.0."""
CPUS_MAX = {"powernv8": 12, "powernv9": 16, "powernv10": 16}
"""Machine -> greatest number of CPUs to boot it with. QEMU's POWER8 chip has 12 cores."""

TIME_LIMIT_S = 240.0
"""A boot takes 8 to 20 s on an idle machine of two cores."""

GUEST = "panic=-1 cryptomgr.notests"
"""What every guest's kernel is told. panic=-1: a guest that panics ends, and QEMU with it.
cryptomgr.notests: to try its ciphers takes a fifth of an emulated boot."""
_ARGUMENTS = f"console=hvc0 quiet {GUEST}"
_MEMORY = "2G"
_BARE = (
    "-nodefaults", "-device", "ipmi-bmc-sim,id=bmc", "-device", "isa-ipmi-bt,bmc=bmc,irq=10"
)  # fmt: skip
"""No PCI host bridges: firmware waits 6 s for what might be in their slots, and nothing is. But the
controller by which the machine is switched off."""


def check_guest(machine: str, cpus_max: int, smp: int, time_limit_s: float) -> None:
    """Raises UsageError for a number of CPUs that the machine cannot have, or no time at all."""
    if not 1 <= smp <= cpus_max:
        raise UsageError(f"expected 1 to {cpus_max} CPUs with {machine}, found {smp}")
    if not time_limit_s > 0:
        raise UsageError(f"expected a time limit above 0 s, found {time_limit_s:g}")


class GuestFailure(Exception):
    """QEMU ended badly or ran out of time; the message says how, and where its log is."""


def command(
    parts: Parts,
    machine: str,
    initrd: Path,
    *,
    smp: int = 1,
    governor: str = "",
    stub: Path | None = None,
) -> list[str]:
    """QEMU's command line.

    governor  cpuidle governor of the guest; "": the kernel's own choice
    stub      socket of a GDB stub; the machine then waits for it before its first instruction
    """
    arguments = _ARGUMENTS + (f" cpuidle.governor={governor}" if governor else "")
    return [
        *(str(parts.qemu), "-M", machine, "-m", _MEMORY, "-smp", str(smp)),
        *("-display", "none", "-serial", "stdio", "-no-reboot", *_BARE),
        *("-bios", str(parts.lid.absolute()), "-kernel", str(parts.kernel.absolute())),
        *("-initrd", str(initrd)),
        *("-append", arguments),
        *(("-S", "-gdb", f"unix:{stub},server=on,wait=off") if stub else ()),
    ]


def version(program: Path) -> str:
    """First line that `program --version` prints; "" if it prints nothing."""
    bounds = launching.Bounds(time_s=limits.VERSION_S, output_bytes=limits.VERSION_BYTES)
    try:
        asked = launching.run(str(program), ["--version"], bounds, str(program))
    except Unreadable:
        return ""
    return asked.output.decode("utf-8", "replace").partition("\n")[0].strip()


def run(
    words: Sequence[str],
    log: Path,
    time_limit_s: float,
    *,
    begun: Callable[[], None] = lambda: None,
    watch: Callable[[float], None] = lambda elapsed_s: None,
) -> None:
    """Runs QEMU until it ends.

    words              command line, as `command` returns it; its paths are absolute, because QEMU
                       would look for its own firmware in the working directory first
    log, begun, watch  as for `launching.run_logged`
    Raises GuestFailure unless QEMU ends with status 0 within the time limit, and the guest has
    printed at most CONSOLE_BYTES.
    """

    def watched(elapsed_s: float) -> None:
        expect_little()
        watch(elapsed_s)

    def expect_little() -> None:
        if console.is_too_large(log):
            most = f"{limits.CONSOLE_BYTES} bytes from the guest"
            raise GuestFailure(f"expected at most {most}, found more; see {log}")

    program, *others = words
    status = launching.run_logged(program, others, time_limit_s, log, begun=begun, watch=watched)
    expect_little()
    if status is None:
        raise GuestFailure(
            f"expected the guest to end within {time_limit_s:g} s, found it running; see {log}"
        )
    if status:
        raise GuestFailure(f"expected QEMU to end with status 0, found {status}; see {log}")
