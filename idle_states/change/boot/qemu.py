"""Runs QEMU with a time limit and its output in a file; QEMU never outlives the call."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ...base.model.findings import Unreadable
from ...base.reading import launching, limits
from .parts import Parts
from .request import BootRequest


class GuestFailure(Exception):
    """QEMU ended badly or ran out of time; the message says how, and where its log is."""


def command(
    parts: Parts, request: BootRequest, initrd: Path, given: Sequence[str] = ()
) -> list[str]:
    """Returns QEMU's command line. given: more of its words."""
    machine = request.of_machine
    arguments = [machine.arguments, *request.arguments]
    arguments += [f"cpuidle.governor={request.governor}"] if request.governor else []
    return [
        *(str(parts.qemu), *machine.options, "-smp", str(request.cpus), "-no-reboot", *given),
        *("-kernel", str(parts.kernel.absolute()), "-initrd", str(initrd)),
        *("-append", " ".join(arguments)),
    ]


def version(program: Path) -> str:
    """First line that `program --version` prints; "" if it prints nothing."""
    bounds = launching.Bounds(time_s=limits.VERSION_S, output_bytes=limits.VERSION_BYTES)
    try:
        done = launching.run(str(program), ["--version"], bounds, str(program))
    except Unreadable:
        return ""
    return done.output.decode("utf-8", "replace").partition("\n")[0].strip()


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
        if log.stat().st_size > limits.CONSOLE_BYTES:
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
