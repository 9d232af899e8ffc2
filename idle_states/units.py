"""Times and powers as people write them: exact, in the shortest spelling."""

UNITS_NS: dict[str, int] = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def format_time(nanoseconds: int) -> str:
    """The shortest exact spelling: 2050000 -> "2050us", 20000000 -> "20ms"."""
    for unit in ("s", "ms", "us"):
        if nanoseconds and nanoseconds % UNITS_NS[unit] == 0:
            return f"{nanoseconds // UNITS_NS[unit]}{unit}"
    return f"{nanoseconds}ns"


def format_power(value: int, unit: str) -> str:
    """The shortest exact spelling: 850000 of "relative" -> "85%"."""
    scale, sign = (10_000, "%") if unit == "relative" else (1_000_000, "W")
    whole, rest = divmod(value, scale)
    digits = f"{rest:0{len(str(scale)) - 1}}".rstrip("0")
    return f"{whole}{'.' if digits else ''}{digits}{sign}"
