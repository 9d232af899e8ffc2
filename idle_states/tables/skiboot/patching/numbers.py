"""Numbers of C written anew in the style of the old ones."""

import re

from ....base.patterns import pattern

_LITERAL = pattern(r"(0[xX]|0[bB]|0(?=[0-7]))?([0-9a-fA-F]+?)([uUlL]*)")
_LONG = 0xFFFF_FFFF


def in_style_of(old: str, new: int) -> str:
    """A literal of value `new`: base, case of digits, leading zeros and suffix as in `old`.

    0xf0UL, 0x30f -> 0x30fUL; 200, 1000 -> 1000. A plain 0 says nothing about its base, so that
    what looks like a register value becomes hexadecimal.
    """
    match = _LITERAL.fullmatch(old)
    if match is None:
        return plain(new)
    prefix, digits, suffix = match[1] or "", match[2], match[3]
    if prefix in ("0x", "0X"):
        made = f"{new:X}" if re.search("[A-F]", digits) else f"{new:x}"
        if digits.startswith("0"):
            made = made.rjust(len(digits), "0")
    elif prefix in ("0b", "0B"):
        made = f"{new:b}".rjust(len(digits) if digits.startswith("0") else 0, "0")
    elif prefix:
        made = f"{new:o}"
    else:
        made = str(new)
    if new > _LONG and "l" not in suffix.lower():
        if not prefix and not suffix:
            return plain(new)
        suffix = "UL"
    return prefix + made + suffix


def plain(new: int) -> str:
    """Returns a number as C text: decimal, or hexadecimal with UL where 32 bits do not hold it."""
    return str(new) if new <= _LONG else f"{new:#x}UL"


def register(new: int) -> str:
    """Returns a register value as C text, in the form of generated tables."""
    return f"{new:#x}UL" if new else "0"
