"""The words by which pages say what came of a boot's record."""

from collections.abc import Sequence
from typing import Any


def stages_of(record: dict[str, Any], names: Sequence[str]) -> str:
    """Returns how many of the stages with these names agree; which differ, and which were not
    judged."""
    stages = record["stages"]
    differ = [name for name in names if stages[name] is False]
    unjudged = [name for name in names if stages[name] is None]
    counts = f"{len(names) - len(differ) - len(unjudged)} of {len(names)} agree"
    counts += f"; **differ: {', '.join(differ)}**" if differ else ""
    return counts + (f"; not compared: {', '.join(unjudged)}" if unjudged else "")


def not_booted(record: dict[str, Any]) -> str:
    """Returns why there was no boot, or none that ended."""
    why = record.get("refused") or record.get("failed", "")
    return f"not booted: {why.splitlines()[0]}"
