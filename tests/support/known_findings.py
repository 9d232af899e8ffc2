"""The findings that docs/known-findings.md lists of the packaged current tables."""

import re

from tests.support import DOCS


def documented() -> set[tuple[str, str, str]]:
    """Returns (rule, path, severity or "suppressed") of each documented finding. A path begins with
    its table's name."""
    found = set()
    rule = ""
    for line in (DOCS / "known-findings.md").read_text("utf-8").splitlines():
        if heading := re.match(r"## (IS\d{3}): ", line):
            rule = heading[1]
        elif item := re.fullmatch(r"- `(\S+)` (error|warning|note|suppressed)", line):
            found.add((rule, item[1], item[2]))
    return found
