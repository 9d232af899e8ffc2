"""Runs QEMU: with a time limit, its output in a file, and never left behind."""

import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from .parts import Parts

MACHINES = ("powernv8", "powernv9", "powernv10")
"""QEMU's machines that skiboot boots; powernv9 is a Nimbus DD2.0."""
CPUS_MAX = {"powernv8": 12, "powernv9": 16, "powernv10": 16}
"""Machine -> the most it is booted with. QEMU's POWER8 chip has 12 cores and no more."""

_ARGUMENTS = "console=hvc0 quiet panic=-1"
"""panic=-1: a guest that panics ends, and QEMU with it."""
_STEP_S = 0.1


class GuestFailure(Exception):
    """QEMU ended badly or ran out of time; the message says how, and where its log is."""


def command(
    parts: Parts,
    machine: str,
    initrd: Path,
    *,
    smp: int = 1,
    memory: str = "2G",
    governor: str = "",
    stub: Path | None = None,
) -> list[str]:
    """QEMU's command line.

    governor  cpuidle governor of the guest; "": the kernel's own choice
    stub      socket of a GDB stub; the machine then waits for it before its first instruction
    Raises ValueError for a machine or a number of CPUs it cannot be.
    """
    if machine not in MACHINES:
        raise ValueError(f"expected a machine of {', '.join(MACHINES)}, found {machine!r}")
    if smp < 1:
        raise ValueError(f"expected at least 1 CPU, found {smp}")
    arguments = _ARGUMENTS + (f" cpuidle.governor={governor}" if governor else "")
    return [
        *(str(parts.qemu), "-M", machine, "-m", memory, "-smp", str(smp)),
        *("-nographic", "-monitor", "none", "-nic", "none", "-no-reboot"),
        *("-bios", str(parts.lid), "-kernel", str(parts.kernel), "-initrd", str(initrd)),
        *("-append", arguments),
        *(("-S", "-gdb", f"unix:{stub},server=on,wait=off") if stub else ()),
    ]


def version(program: Path) -> str:
    """What `--version` says, first line; "" where it says nothing."""
    asked = subprocess.run(
        [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    return asked.stdout.partition("\n")[0].strip()


def run(
    words: Sequence[str],
    log: Path,
    time_limit_s: float,
    *,
    begun: Callable[[], None] = lambda: None,
    watch: Callable[[float], None] = lambda elapsed_s: None,
) -> None:
    """Runs a command until it ends, with what it prints in `log`.

    begun  called once it runs; what it raises ends the run
    watch  called now and then with the seconds so far
    It is killed and waited for whatever happens: after the time limit, when interrupted, and, where
    setpriv is installed, when this process dies.
    Raises GuestFailure unless it ends with status 0 in time.
    """
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [*guard(), *words], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            begun()
            status = _wait(process, time_limit_s, watch)
        finally:
            process.kill()
            process.wait()
    if status is None:
        raise GuestFailure(
            f"expected the guest to end within {time_limit_s:g} s, found it running; see {log}"
        )
    if status:
        raise GuestFailure(f"expected QEMU to end with status 0, found {status}; see {log}")


def guard() -> list[str]:
    """What runs a command so that it ends when this process dies; nothing without setpriv."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []


def _wait(
    process: "subprocess.Popen[bytes]", time_limit_s: float, watch: Callable[[float], None]
) -> int | None:
    """The exit status; None when time is up."""
    start = time.monotonic()
    while (elapsed_s := time.monotonic() - start) < time_limit_s:
        watch(elapsed_s)
        try:
            return process.wait(min(_STEP_S, time_limit_s - elapsed_s))
        except subprocess.TimeoutExpired:
            continue
    return process.poll()
