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

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import PSSCR_FIELD_BITS, Register
from ..units import format_time
from .is2_times import WORDS, all_times
from .rule import Rule

RULE = Rule("IS211", "byte-swapped-value", Severity.WARNING)

PMICR_BITS = 0x30_0030_0000
"""Both of skiboot's OPAL_PM_*_PMICR_MASK."""
SHORTEST_NS, LONGEST_NS = 100, 2_000_000_000


def check(subject: Subject) -> Iterator[Finding]:
    states = subject.table.states
    for index, field, ns in all_times(subject):
        swapped = _reversed(ns, 4)
        if _digits(ns) >= 5 and _digits(swapped) <= 3 and SHORTEST_NS <= swapped <= LONGEST_NS:
            yield RULE.finding(
                subject,
                f"{states[index].name} has {WORDS[field]} of {ns} ns; with its bytes reversed "
                f"it would be {format_time(swapped)}",
                subject.at(index, field),
            )
    if not subject.is_opal:
        return
    bits = PSSCR_FIELD_BITS if subject.table.register is Register.PSSCR else PMICR_BITS
    for index, state in enumerate(states):
        for field, value in (("control", state.control), ("mask", state.mask)):
            better = _register(value, bits)
            if better is not None:
                what = f"a {subject.table.register} {'value' if field == 'control' else 'mask'}"
                yield RULE.finding(
                    subject,
                    f"{state.name} has {what} of {value:#x}; with its bytes or words exchanged "
                    f"it would be {better:#x}",
                    subject.at(index, field),
                )


def _reversed(value: int, size: int) -> int:
    return int.from_bytes((value % (1 << 8 * size)).to_bytes(size, "big"), "little")


def _digits(ns: int) -> int:
    """Decimal digits before the zeros at the end: 2 for 4900."""
    return len(str(ns).rstrip("0"))


def _register(value: int, bits: int) -> int | None:
    """The value with its bytes or its words exchanged, if that and only that is within bits."""
    if not value & ~bits:
        return None
    words = value >> 32 | (value & 0xFFFF_FFFF) << 32
    return next((other for other in (_reversed(value, 8), words) if not other & ~bits), None)
