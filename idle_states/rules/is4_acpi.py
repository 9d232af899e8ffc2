"""What the rules on processors that crash a kernel share."""

from collections.abc import Iterator

from ..findings import Location
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject
from .rule import Judged, per_kernel


def crashes(subject: Subject, function: str) -> Iterator[tuple[Location, str, tuple[str, ...]]]:
    """(place, message, kernels) where kernels crash in a function over the _CST of the table's own
    processors."""
    acpi = subject.table.acpi

    def judge(driver: DriverTable, release: Release) -> Iterator[Judged]:
        if driver.fatal is None or acpi is None or not driver.fatal.startswith(f"{function}()"):
            return
        if acpi.processors[0].path in driver.crashing:
            yield subject.at(None), f"the kernel crashes: {driver.fatal}"

    yield from per_kernel(subject, judge)
