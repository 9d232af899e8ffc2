"""A compiled governor, running: it is asked over a pipe, for as many CPUs as there are."""

import signal
import struct
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count

from .....base.model.findings import Unreadable, unreadable
from .....base.reading import limits
from .....base.reading.confined import Reach, confined
from .....base.reading.launching import Bounds, Child
from ..core.packing import ROW
from ..interface import State
from . import build
from .interface import Interface, interface_of
from .named import SourceFile

_BOOT, _COPY, _BEFORE, _SELECT, _FINISH, _ROWS, _SETTLE, _MEMORY, _LIMIT = range(1, 10)
_STATE = struct.Struct("<QQQ")
_ANSWER_S, _MEMORY_BYTES = 10, 512 * limits.MIB
OBSERVED = 64
_ROWS_AT_ONCE, _LENGTHS_AT_ONCE = 1 << 16, 256


class Program:
    """A governor's source at one tick rate, compiled and started when it is first asked.

    Each CPU is a number that boot() gives. Raises Unreadable where the file does not compile, where
    the governor crashes, does not answer within 10 s, or selects a state that no table has.
    """

    def __init__(self, source: SourceFile, hz: int, variant: tuple[str, ...] = ()) -> None:
        self.source = source
        self._variant = variant
        self.interface: Interface = interface_of(
            "\n".join([source.text, *source.beside.values()]), source.header
        )
        self.hz = hz
        self._child: Child | None = None
        self._numbers = count()
        self._free: list[int] = []

    def boot(self, states: Sequence[State], capacity: int) -> int:
        """Returns a new CPU as it booted, with these states. Raises Unreadable where the governor
        refuses to be enabled, or there are too few or too many states."""
        cpu = self._new()
        self._ask(
            struct.pack("<BIII", _BOOT, cpu, capacity, len(states))
            + b"".join(_STATE.pack(s.exit_ns, s.residency_ns, s.polling) for s in states)
        )
        self.memory(cpu)
        return cpu

    def copy(self, cpu: int) -> int:
        """Returns another CPU with all that this one remembers."""
        other = self._new()
        self._ask(struct.pack("<BII", _COPY, cpu, other))
        return other

    def forget(self, cpu: int) -> None:
        """Makes a CPU's number free."""
        self._free.append(cpu)

    def before(self, cpu: int, state: int, residency_ns: int) -> None:
        """Says which idle period came before the governor was switched on."""
        self._ask(struct.pack("<BIiQ", _BEFORE, cpu, state, residency_ns))

    def select(self, cpu: int, row: bytes) -> bytes:
        """Returns the decision for a row, two bytes; nothing is entered yet."""
        return self._ask(struct.pack("<BI", _SELECT, cpu) + row, 2)

    def finish(self, cpu: int, row: bytes) -> None:
        """Says what became of the last decision."""
        self._ask(struct.pack("<BI", _FINISH, cpu) + row)

    def rows(self, cpu: int, rows: bytes | bytearray | memoryview) -> bytes:
        """Returns the decisions for rows, two bytes each, all entered as the rows say."""
        view, found = memoryview(rows).cast("B"), []
        step = _ROWS_AT_ONCE * ROW.size
        for at in range(0, len(view), step):
            part = bytes(view[at : at + step])
            number = len(part) // ROW.size
            found.append(self._ask(struct.pack("<BII", _ROWS, cpu, number) + part, 2 * number))
        return b"".join(found)

    def settle(
        self, cpu: int, lengths: "array[int]", fixed: Sequence[int], history: bytes
    ) -> list[bytes]:
        """Returns the states that the last OBSERVED of many equal idle periods select, for each
        length; see core.Stream.settled()."""
        found: list[bytes] = []
        before = len(history) // ROW.size
        for at in range(0, len(lengths), 2 * _LENGTHS_AT_ONCE):
            part = lengths[at : at + 2 * _LENGTHS_AT_ONCE]
            number = len(part) // 2
            head = struct.pack("<BI5QII", _SETTLE, cpu, *fixed, before, number)
            answer = self._ask(head + history + part.tobytes(), OBSERVED * number)
            found += [answer[i : i + OBSERVED] for i in range(0, len(answer), OBSERVED)]
        return found

    def memory(self, cpu: int) -> bytes:
        """Returns all that a CPU's governor remembers."""
        size = self._ask(struct.pack("<BI", _MEMORY, cpu), 4)
        with self._answering():
            return self._read(int.from_bytes(size, "little"))

    def poll_limit_ns(self, cpu: int) -> int:
        """Returns for how long state 0 polls next, where the governor decides that."""
        return int.from_bytes(self._ask(struct.pack("<BI", _LIMIT, cpu), 8), "little")

    def end(self) -> None:
        """Ends the program; the next question starts another."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def _new(self) -> int:
        return self._free.pop() if self._free else next(self._numbers)

    def _ask(self, request: bytes, size: int = 0) -> bytes:
        if self._child is None:
            self._child = self._started()
        with self._answering():
            self._child.write(request)
            return self._read(size)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Ends the program where it fails or is late."""
        assert self._child is not None
        try:
            yield
        except Unreadable as error:
            late = self._child.is_late
            self.end()
            if not late:
                raise
            raise unreadable(
                self.source.file,
                f"expected a decision of the governor within {_ANSWER_S} s, found none; look for "
                "a loop that does not end, or a write to standard output",
            ) from error

    def _read(self, size: int) -> bytes:
        assert self._child is not None
        found = self._child.read(size) if size else b""
        if len(found) < size:
            status = self._child.end()
            complaint = self._child.errors.decode("utf-8", "replace").strip()
            if status < 0:
                complaint = (
                    f"it crashed ({signal.Signals(-status).name}); look for a wrong pointer or "
                    f"index, or more than {_MEMORY_BYTES // limits.MIB} MB of memory"
                )
            complaint = complaint or f"it ends the program itself (exit status {status})"
            raise unreadable(
                self.source.file, f"expected a decision of the governor, found: {complaint}"
            )
        return found

    def _started(self) -> Child:
        program = str(build.program(self.source, self.interface, self.hz, self._variant))
        words = confined([program], Reach(read=(program,))) if self.source.confined else [program]
        bounds = Bounds(stall_s=_ANSWER_S, cpu_s=limits.PROCESSOR_S, memory_bytes=_MEMORY_BYTES)
        return Child(words[0], words[1:], bounds, self.source.file, talks=True)
