"""Tells whether a governor's decisions depend on memory that it never wrote.

It is compiled twice more, local variables beginning as zeros in one and as a pattern in the
other, and both decide the same idle periods. A compiler that cannot do that (gcc before 12) is
passed over.
"""

from .....base.model.findings import Unreadable, unreadable
from .....base.reading import opening
from ..interface import CPU_CAPACITY
from ..trials import TABLES, trial_rows
from . import build
from .named import SourceFile
from .running import Program

_VARIANTS = tuple((f"-ftrivial-auto-var-init={how}",) for how in ("zero", "pattern"))
_HZ = 250


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
                "expected decisions that follow from the governor's inputs, found some that "
                f"depend on memory it never wrote (idle period {first // 2} of a test with "
                f"{len(TABLES[table])} states); look for a local variable that is read before it "
                "is set",
            )
    if mark is not None:
        mark.touch(mode=0o600)


def _decisions(program: Program) -> list[bytes]:
    found = []
    for states in TABLES:
        cpu = program.boot(states, CPU_CAPACITY)
        found.append(program.rows(cpu, b"".join(trial_rows(states, _HZ))))
        program.forget(cpu)
    program.end()
    return found
