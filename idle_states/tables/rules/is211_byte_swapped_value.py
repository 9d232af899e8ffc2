"""IS211 byte-swapped-value: a value only makes sense with its bytes reversed.

What it does
    Reverses the bytes of each time and of the control register's value and mask (there also the
    two words), where the value as it stands makes no sense: a time with five or more digits
    before the zeros at its end, register bits nobody defined. Reports it if the reversed value
    does make sense. Flags are IS311.

Why is this bad
    The tree is big-endian and so is the firmware; a value that passed through a little-endian
    tool unconverted is a different number: 1000 ns becomes 3.9 s, 100 us becomes 2.7 s.

Example
    extends: power9
    override:
      stop2: {residency: 2693136640ns}
      stop4: {psscr: 0x7403300000000000}

Use instead
    extends: power9
    override:
      stop2: {residency: 100us}
      stop4: {psscr: 0x300374}

Ground
    skiboot 7f73dfca2 is a case of it, with flags. Times in every table skiboot ever had show at
    most three digits before the zeros.
"""

from ...base.model.table import PSSCR_FIELD_BITS, Register
from ...base.model.units import format_time
from .is2_times import Time, all_times
from .rows import StateRow, opal_rows
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS211", "byte-swapped-value", Severity.WARNING)
SHORTEST = RULE.threshold("shortest", 100, "shortest time that makes sense", "ns")
LONGEST = RULE.threshold("longest", 2_000_000_000, "longest time that makes sense", "ns")

PMICR_BITS = 0x30_0030_0000
"""Both of skiboot's OPAL_PM_*_PMICR_MASK."""


@RULE.of_each(all_times)
def check_time(time: Time) -> Verdicts:
    row, swapped = time.row, sum(time.ns // 256**at % 256 * 256 ** (3 - at) for at in range(4))
    if _is_round(time.ns, 4) or not _is_round(swapped, 3):
        return
    if SHORTEST.of(row.subject) <= swapped <= LONGEST.of(row.subject):
        yield row.verdict(
            time.field,
            f"{row.name} has {time.kind} of {time.ns} ns; with its bytes reversed it would be "
            f"{format_time(swapped)}",
        )


@RULE.of_each(opal_rows)
def check_control(row: StateRow) -> Verdicts:
    register = row.subject.table.register
    bits = PSSCR_FIELD_BITS if register is Register.PSSCR else PMICR_BITS
    for field, kind, value in (
        ("control", "value", row.state.control),
        ("mask", "mask", row.state.mask),
    ):
        better = _register(value, bits)
        if better is not None:
            yield row.verdict(
                field,
                f"{row.name} has a {register} {kind} of {value:#x}; with its bytes or words "
                f"exchanged it would be {better:#x}",
            )


def _reversed(value: int) -> int:
    return int.from_bytes((value % (1 << 64)).to_bytes(8, "big"), "little")


def _is_round(ns: int, digits: int) -> bool:
    """Tells whether a number has at most so many decimal digits before the zeros at its end: 4900
    has two."""
    while ns >= 10**digits and ns % 10 == 0:
        ns //= 10
    return bool(ns < 10**digits)


def _register(value: int, bits: int) -> int | None:
    """The value with its bytes or its words exchanged, if that and only that is within bits."""
    if not value & ~bits:
        return None
    words = value >> 32 | (value & 0xFFFF_FFFF) << 32
    return next((other for other in (_reversed(value), words) if not other & ~bits), None)
