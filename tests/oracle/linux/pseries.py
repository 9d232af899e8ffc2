"""The driver of a logical partition: cpuidle-pseries.c."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .harness import DriverState, Harness, Message, Report
from .source import read

__all__ = ["PseriesCase", "PseriesOracle", "PseriesResult"]

_DRIVER = "drivers/cpuidle/cpuidle-pseries.c"


@dataclass(frozen=True)
class PseriesCase:
    """The properties that the kernel finds at boot.

    shared: the partition's processors are shared, not dedicated.
    splpar: the hypervisor offers shared processors; without that there is no driver.
    pvr: version half of the processor version register.
    arch_31: the CPU implements Power ISA 3.1 (POWER10 and later).
    rtas_status: what ibm,get-system-parameter returns; 0 for success.
    rtas_buffer: what it writes for token 45: a 2-byte length, the size of a record less one, the
        records of 10 bytes, a NUL.
    powersave_off: the kernel was booted with powersave=off.
    """

    shared: bool = False
    splpar: bool = True
    pvr: int = 0x80
    arch_31: bool = True
    rtas_status: int = 0
    rtas_buffer: bytes = b""
    timebase_hz: int = 512_000_000
    powersave_off: bool = False

    def line(self) -> str:
        """The case as the harness reads it."""
        words = (
            f"shared={self.shared:d}",
            f"splpar={self.splpar:d}",
            f"pvr={self.pvr}",
            f"arch_31={self.arch_31:d}",
            f"rtas_status={self.rtas_status}",
            f"rtas_buffer={self.rtas_buffer.hex()}",
            f"timebase_hz={self.timebase_hz}",
            f"powersave_off={self.powersave_off:d}",
        )
        return " ".join(words)


@dataclass(frozen=True)
class PseriesResult:
    """The outcome of a case in the kernel.

    outcome: as for powernv, or `overrun`: more records than the kernel's buffer holds, so that it
        would go on in foreign memory; the case ends there and only `records` counts.
    warn_ons: how many WARN_ON fired.
    status: 0 or -errno of the initcall.
    states: the registered driver's, snooze first; none if no driver was registered.
    records: how many latency records the kernel took the answer to have.
    snooze_timeout_enabled: snooze ends at its timeout.
    snooze_timeout_us: that timeout, whichever states are disabled; None without a driver.
    """

    outcome: str
    messages: tuple[Message, ...]
    warn_ons: int
    status: int
    states: tuple[DriverState, ...]
    records: int
    snooze_timeout_enabled: bool
    snooze_timeout_us: int | None


class PseriesOracle:
    """The pseries idle driver of a kernel tree, compiled into `workdir`."""

    def __init__(self, tree: Path, workdir: Path) -> None:
        sources = {"DRIVER_SOURCE": read(tree, _DRIVER)}
        self._harness = Harness(tree, workdir, ("pseries_driver.c",), sources)

    def run(self, cases: Iterable[PseriesCase]) -> list[PseriesResult]:
        """The results of cases, in order."""
        listed = list(cases)
        reports = self._harness.run([case.line() for case in listed])
        return [
            _result(report, case.timebase_hz // 1_000_000)
            for case, report in zip(listed, reports, strict=True)
        ]

    def run_one(self, case: PseriesCase) -> PseriesResult:
        """The result of one case."""
        return self.run([case])[0]


def _result(report: Report, ticks_per_us: int) -> PseriesResult:
    enabled, timeout = report.numbers("snooze") or (0, 0)
    states = report.states()
    return PseriesResult(
        outcome=report.outcome,
        messages=report.messages(),
        warn_ons=len(report.lines("warn_on")),
        status=sum(report.numbers("status")),
        states=states,
        records=sum(report.numbers("records")),
        snooze_timeout_enabled=bool(enabled),
        snooze_timeout_us=timeout // ticks_per_us if states else None,
    )
