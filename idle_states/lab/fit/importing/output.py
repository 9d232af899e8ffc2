"""The output of a tool: its lines, their places, and the numbers in them.

A number is finite and 0 or more, or it is refused with its place. Its unit is what a column's name,
a header or the format's documentation says; no reader looks at how large it is.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Literal

from ....base.dataclass import dataclass, field
from ....base.model.findings import Location, Unreadable, UsageError, unreadable
from ....base.model.measured import Claimed, Energy, Latency, Measured, WokenBy
from ....base.reading import limits, opening
from ....base.reading.compressed import DamagedArchive, TooLarge, whole
from ....base.reading.mail.mail import has_headers, parse
from ....base.reading.problems import quoted

Unit = Literal["ns", "us", "ms", "s"]
_PLACES: dict[str, int] = {"ns": 0, "us": 3, "ms": 6, "s": 9}
_NUMBER = re.compile(r"[0-9]{1,24}(?:\.[0-9]{0,24})?(?:[eE][+-]?[0-9]{1,2})?", re.ASCII)
_COUNT = re.compile(r"[0-9]{1,20}", re.ASCII)
MOST = 1e18
"""The greatest number: as ns, 31 years."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The caller's facts on a file that lacks them; None or False: the file alone counts.

    state      which idle state was entered
    busy       measured with the CPU kept awake
    period_ns  time between wake-ups
    woken_by   what ended the idle periods
    """

    state: str | None = None
    busy: bool = False
    period_ns: float | None = None
    woken_by: WokenBy | None = None

    def forced(self, file: str, tool: str) -> tuple[str, float]:
        """State and period, without which no energy of a state follows from the tool's output.
        Raises UsageError if one of them is not known."""
        if self.state is None or self.period_ns is None:
            raise UsageError(
                f"{file}: expected the forced state and the wake-up period to be named, because "
                f"{tool} does not record them; found "
                f"{('one of them' if self.state or self.period_ns else 'neither')}"
            )
        return self.state, self.period_ns


@dataclass(frozen=True)
class ToolOutput:
    """One file. shown: what messages call it; sha256: of the file as it lies there; data: its
    content, unpacked, as it was before it was mailed; remarks: what was done for that; left_out:
    reason -> number of values left out, as its reader counts them."""

    shown: str
    sha256: str
    data: bytes
    remarks: tuple[str, ...] = ()
    left_out: dict[str, int] = field(default_factory=dict, compare=False)

    @cached_property
    def head(self) -> str:
        """The beginning, by which a format is told."""
        return opening.decoded(self.data[: limits.MEASURED_HEAD_BYTES])

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """For formats whose files are small."""
        return tuple(line for _, line in self.numbered())

    def numbered(self) -> Iterator[tuple[int, str]]:
        """Lines without their ends, from 1. Raises Unreadable for one that is too long."""
        data, start, number = self.data.removeprefix(b"\xef\xbb\xbf"), 0, 0
        while start < len(data):
            end = data.find(b"\n", start)
            end = len(data) if end < 0 else end
            number += 1
            if end - start > limits.LINE_BYTES:
                raise self.refused(f"expected lines of at most {limits.LINE_BYTES} bytes", number)
            yield number, data[start:end].decode("utf-8", "replace").rstrip("\r")
            start = end + 1

    @cached_property
    def cut_line(self) -> int | None:
        """The number of a last line that lacks its end; None where it has it."""
        return None if self.data.endswith(b"\n") else self.data.count(b"\n") + 1

    def leave_out(self, reason: str, count: int = 1) -> None:
        """Counts what is left out for a reason."""
        if count:
            self.left_out[reason] = self.left_out.get(reason, 0) + count

    def expect_columns(self, cells: Sequence[str], count: int, line: int) -> None:
        """Raises Unreadable for another number of cells."""
        if len(cells) != count:
            raise self.refused(f"expected {count} columns, found {len(cells)}", line)

    def place(self, line: int) -> Location:
        return Location(file=self.shown, line=line, column=1)

    def measured(
        self,
        tool: str,
        *notes: str,
        machine: str | None = None,
        kernel: str | None = None,
        latencies: Iterable[Latency] = (),
        energies: Iterable[Energy] = (),
        claims: Iterable[Claimed] = (),
    ) -> Measured:
        """Returns the file's measurements, fields as in Measured. notes: besides the remarks."""
        return Measured(
            self.shown,
            self.sha256,
            tool,
            machine,
            kernel,
            tuple(latencies),
            tuple(energies),
            tuple(claims),
            self.left_out,
            (*self.remarks, *notes),
        )

    def refused(self, message: str, line: int | None = None) -> Unreadable:
        return unreadable(self.shown, message, line)

    def number(self, text: str, line: int, what: str) -> float:
        """A number of 0 or more. Raises Unreadable for anything else."""
        return self._value(text, line, what, 0)

    def time_ns(self, text: str, line: int, what: str, unit: Unit) -> float:
        """A time that the tool gives in `unit`, in ns, exact but for the last rounding."""
        return self._value(text, line, f"{what} in {unit}", _PLACES[unit])

    def count(self, text: str, line: int, what: str) -> int:
        """A whole number of 0 or more. Raises Unreadable for anything else."""
        if not _COUNT.fullmatch(text) or int(text) > MOST:
            raise self.unexpected(f"{what}, a whole number of 0 or more", text, line)
        return int(text)

    def unexpected(self, expected: str, found: str, line: int) -> Unreadable:
        return self.refused(f"expected {expected}, found {shown(found)}", line)

    def _value(self, text: str, line: int, what: str, places: int) -> float:
        if not _NUMBER.fullmatch(text):
            raise self.unexpected(f"{what}, a number of 0 or more", text, line)
        value = float(Decimal(text).scaleb(places))
        if value > MOST:
            raise self.unexpected(f"{what} of at most {MOST:g}", text, line)
        return value


def output_of(shown: str, data: bytes) -> ToolOutput:
    """A file's bytes, unpacked and as they were before they were mailed."""
    try:
        plain = whole(data, limits.MEASURED_BYTES)
    except TooLarge:
        message = f"expected at most {limits.MEASURED_BYTES} bytes unpacked"
        raise unreadable(shown, message) from None
    except DamagedArchive as error:
        raise unreadable(shown, f"expected a whole archive, found: {error}") from None
    digest = hashlib.sha256(data).hexdigest()
    if not has_headers(plain):
        return ToolOutput(shown, digest, plain)
    mail = parse(plain, shown, shown)
    # lines keep their numbers, where the text stands in the mail as it is
    text = "\n" * max(mail.first - 1, 0) + mail.text
    remarks = mail.remarks
    if not mail.first:
        remarks = (*remarks, "lines are numbered in the text of the mail")
    return ToolOutput(shown, digest, text.encode("utf-8", "replace"), remarks)


def shown(text: str) -> str:
    """Text of unknown origin as a message quotes it."""
    return quoted(text.encode("utf-8", "replace"))
