"""Ranges of idle lengths, in ns, as people and programs read them."""


def first_us(first_ns: int) -> int | float:
    """The first length of a range in us: an int if it is a whole number of us."""
    return first_ns / 1000 if first_ns % 1000 else first_ns // 1000


def last_us(last_ns: int) -> int | float:
    """The last length of a range in us: an int if it is the last nanosecond of a microsecond."""
    return last_ns // 1000 if last_ns % 1000 == 999 else last_ns / 1000


def lengths(first_ns: int, last_ns: int | None) -> str:
    """A range of lengths. In whole us the last one is included to its end: 2 to 9 us ends before
    10 us. Bounds with decimals are exact to the nanosecond."""
    if last_ns == first_ns:
        return f"exactly {_decimals(first_ns)} us"
    if last_ns is None:
        return f"{first_ns // 1000 if first_ns % 1000 == 0 else _decimals(first_ns)} us and more"
    if first_ns % 1000 or last_ns % 1000 != 999:
        return f"{_decimals(first_ns)} to {_decimals(last_ns)} us"
    first, last = first_ns // 1000, last_ns // 1000
    return f"{first} us" if first == last else f"{first} to {last} us"


def _decimals(length_ns: int) -> str:
    return f"{length_ns // 1000}.{length_ns % 1000:03}"
