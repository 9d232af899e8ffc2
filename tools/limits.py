"""Writes the table of limits into docs/security.md.

python -m tools.limits          # or make limits
"""

import re
from pathlib import Path

from idle_states.base.files import write_file
from idle_states.base.reading.limits import TABLE
from tools.command_line import parsed

PAGE = Path(__file__).parent.parent / "docs" / "security.md"
_HEAD = "| reader | at most |\n|---|---|\n"
_ROWS = re.compile(re.escape(_HEAD) + r"(?:\|.*\n)*")


def with_limits(page: str) -> str:
    """The text of the page with today's limits, a line for each reader. Nothing else changes."""
    reader2limits: dict[str, list[str]] = {}
    for limit in TABLE:
        reader2limits.setdefault(limit.reader, []).append(f"{limit.what} {limit.shown}")
    rows = [f"| {reader} | {'; '.join(limits)} |\n" for reader, limits in reader2limits.items()]
    page, count = _ROWS.subn(lambda _: _HEAD + "".join(rows), page)
    if count != 1:
        raise ValueError(f"expected one table of limits, found {count}")
    return page


if __name__ == "__main__":
    parsed(__doc__)
    write_file(PAGE, with_limits(PAGE.read_text("utf-8")))
