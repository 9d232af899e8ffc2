"""The parts that the IS3xx rules share: rows whose PSSCR says something, flag words as text, and
the processor and skiboot table behind a subject.
"""

from collections.abc import Iterator

from ...base.model.table import (
    KNOWN_FLAGS,
    STOP_CLASSES,
    U32_MAX,
    Cpu,
    Firmware,
    Flag,
    IdleState,
    Psscr,
    flag_names,
)
from ..linux.stop_choice import HV_DEFAULT_VAL, OLD_FORMAT_MASK
from ..pipeline import Subject
from ..spec.library import find
from ..spec.packaged import resolve_name
from .rows import StateRow, psscr_rows

SLEEP_CLASSES = int(Flag.SLEEP_ENABLED | Flag.SLEEP_ENABLED_ER1)
POWER8_CLASSES = int(Flag.NAP_ENABLED | Flag.WINKLE_ENABLED) | SLEEP_CLASSES

FLAGS_OF_2014 = 0x700
"""Context-loss bits before 7f73dfca2 moved them to 0x7000; a word with one is IS310's."""


def stop_rows(subject: Subject) -> Iterator[StateRow]:
    """Rows with a full PSSCR value; none in tables of other registers.

    A mask of 0xf is 2016's format, of which the kernel uses RL alone (IS309).
    """
    for row in psscr_rows(subject):
        if row.state.mask != OLD_FORMAT_MASK:
            yield row


def effective_psscr(state: IdleState) -> Psscr:
    """The fields Linux enters the state with: it completes values of the old format itself."""
    old = state.mask == OLD_FORMAT_MASK
    return Psscr.from_int(state.control | HV_DEFAULT_VAL) if old else state.psscr


def classes(subject: Subject) -> int:
    """Flag bits that name a class of state on the table's processor."""
    return STOP_CLASSES if subject.is_stop else POWER8_CLASSES


def claimed_cpu(subject: Subject) -> Cpu | None:
    """The processor the source or its packaged reference names; never a guess."""
    if subject.table.cpu or not subject.reference:
        return subject.table.cpu
    return subject.reference.cpu


def implemented_levels(subject: Subject) -> tuple[int, ...]:
    """Stop levels of the processor, from its packaged table if the source has none; () unknown."""
    cpu = claimed_cpu(subject)
    if cpu is None or cpu.levels:
        return cpu.levels if cpu else ()
    if resolve_name(cpu.generation) is None:
        return ()
    packaged = find(cpu.generation).cpu
    return packaged.levels if packaged else ()


def home(subject: Subject) -> Firmware:
    """The table's place in skiboot; a C array is known by its packaged reference."""
    own = subject.table.firmware
    if own != Firmware() or not subject.reference:
        return own
    return subject.reference.firmware


def swapped_flags(subject: Subject, state: IdleState) -> int | None:
    """The flag word with its bytes in order, if it makes sense only with them reversed."""
    flags = state.flags & U32_MAX
    wanted = classes(subject)
    if flags & wanted and not flags & ~KNOWN_FLAGS:
        return None
    swapped = int.from_bytes(flags.to_bytes(4, "little"), "big")
    if swapped & ~KNOWN_FLAGS or not swapped & wanted:
        return None
    if subject.is_stop and state.mask != OLD_FORMAT_MASK:
        # 0x1000 is also what is left of 0x101000 when a class flag is forgotten
        loses = bool(swapped & Flag.LOSE_USER_CONTEXT)
        return swapped if loses == bool(state.psscr.esl) else None
    return swapped


def flags_text(flags: int) -> str:
    """0x00101000 (LOSE_USER_CONTEXT, STOP_INST_FAST)"""
    return f"{flags:#010x} ({', '.join(flag_names(flags)) or 'none'})"
