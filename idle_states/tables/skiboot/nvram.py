"""Numbers in NVRAM, as skiboot reads them: by its own strtol(), not the usual C library's."""

from ...base.model.table import U32_MAX


def strtol_u32(text: str) -> int:
    """Returns what skiboot's strtol(text, NULL, 0) gives, cut to 32 bits.

    text: may begin with blanks and "-"; hexadecimal after "0x", otherwise decimal. skiboot knows
    no "+", no "0X" and no octal numbers ("010" is ten). It reads up to the first character that is
    no digit: a text that begins with none is 0. What is too large wraps; nothing is an error.
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
