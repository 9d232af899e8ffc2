"""Tells whether a governor's decisions depend on memory that it never wrote.

It is compiled twice more, local variables beginning as zeros in one and as a pattern in the
other, and both decide the same idle periods. A compiler that cannot do that (gcc before 12) is
passed over.
"""

from collections.abc import Iterator

from .....base.model.findings import Unreadable, unreadable
from .....base.reading import opening
from ..core.packing import AS_SELECTED, ROW
from ..interface import CPU_CAPACITY, KTIME_MAX, State
from . import build
from .named import SourceFile
from .running import Program

_VARIANTS = tuple((f"-ftrivial-auto-var-init={how}",) for how in ("zero", "pattern"))
_HZ, _PERIODS, _TICK_NS = 250, 1000, 4_000_000
_TABLES = (
    (State(0, 0, True), State(1_000, 10_000)),
    (State(0, 0, True), State(2_000, 2_000), State(10_000, 20_000), State(133_000, 600_000)),
    (State(0, 0), State(1_000, 10_000), State(20_000, 200_000), State(200_000, 20_000_000)),
)


def expect_initialised(source: SourceFile) -> None:
    """Raises Unreadable where the source decides by memory that it never wrote."""
    mark = build.place(f"governor-{source.digest[:32]}.initialised")
    if mark is not None and opening.is_file(mark):
        return
    try:
        zeros, patterns = (_decisions(Program(source, _HZ, variant)) for variant in _VARIANTS)
    except Unreadable as error:
        if any("auto-var-init" in finding.message for finding in error.findings):
            return
        raise
    for table, (left, right) in enumerate(zip(zeros, patterns, strict=True)):
        if left != right:
            first = next(i for i in range(0, len(left), 2) if left[i : i + 2] != right[i : i + 2])
            raise unreadable(
                source.file,
                "expected decisions that follow from what the governor was told, found some that "
                f"depend on memory it never wrote (idle period {first // 2} of a test with "
                f"{len(_TABLES[table])} states); look for a local variable that is read before it "
                "is set",
            )
    if mark is not None:
        mark.touch(mode=0o600)


def _decisions(program: Program) -> list[bytes]:
    found = []
    for states in _TABLES:
        cpu = program.boot(states, CPU_CAPACITY)
        found.append(program.rows(cpu, b"".join(_rows(len(states)))))
        program.forget(cpu)
    program.end()
    return found


def _rows(states: int) -> Iterator[bytes]:
    """Yields idle periods of all lengths, by a generator of Knuth's: the same each time."""
    number, clock = 1, 0
    for _ in range(_PERIODS):
        number = (number * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        bits = number >> 20
        sleep_ns = KTIME_MAX if bits % 16 == 0 else (bits & 0xFFFF) << (bits >> 16) % 14
        stopped = (bits >> 5) % 8 == 0
        idle_ns = min(sleep_ns, (bits >> 9 & 0xFFFF) << (bits >> 25) % 12)
        yield ROW.pack(
            sleep_ns,
            sleep_ns if stopped else min(sleep_ns, _TICK_NS),
            clock,
            clock + idle_ns,
            idle_ns,
            0,
            (2_000_000_000, 2_000_000_000, 50, 0)[bits >> 30 & 3],
            (bits >> 33) % 5 == 0,
            1 << (bits >> 36) % states if (bits >> 39) % 7 == 0 else 0,
            stopped,
            (bits >> 7) % 32 == 0,
            (bits >> 8) % 6 == 0,
            (bits >> 11) % 3 == 0,
            AS_SELECTED,
            0,
            bits >> 12 & 0x3FF,
            CPU_CAPACITY,
        )
        clock += idle_ns + 1000
