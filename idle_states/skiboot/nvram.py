"""How skiboot reads a number from NVRAM: its own strtol, which is not the C library's."""

from ..table import U32_MAX


def strtol_u32(text: str) -> int:
    """u32 of skiboot's strtol(text, NULL, 0).

    No "+", no octal ("010" is ten), no "0X"; stops at the first character that is no digit of
    the base, so an empty or senseless text is 0; wraps without a check.
    Source: skiboot libc/stdlib/strtol.c.
    """
    text = text.lstrip(" \t\n\r")
    negative = text.startswith("-")
    text = text.removeprefix("-")
    base = 16 if text.startswith("0x") else 10
    value = 0
    for char in text[2:] if base == 16 else text:
        if not char.isascii() or not char.isalnum():
            break
        digit = int(char, 36)
        if digit >= base:
            break
        value = value * base + digit
    return (-value if negative else value) & U32_MAX
