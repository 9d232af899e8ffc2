"""docs/known-findings.md is what check really says of the packaged current tables."""

import re

from idle_states.check.check import check
from idle_states.linux.releases import DEFAULT, release
from idle_states.sources import read_source
from idle_states.spec.packaged import current
from tests.support import DOCS

PAGE = DOCS / "known-findings.md"
EXPECTED_WARNINGS = {
    ("IS203", "power9"),
    ("IS320", "power9"),
    ("IS320", "power9-mambo"),
    ("IS322", "power9-mambo"),
    ("IS502", "power9-mambo"),
    ("IS503", "power9-fused"),
}


def documented() -> set[tuple[str, str, str]]:
    found = set()
    rule = ""
    for line in PAGE.read_text("utf-8").splitlines():
        if heading := re.match(r"## (IS\d{3}): ", line):
            rule = heading[1]
        elif item := re.fullmatch(r"- `(\S+)` (error|warning|note|suppressed)", line):
            found.add((rule, item[1], item[2]))
    return found


def test_the_page_and_the_tool_agree() -> None:
    sources = [read_source(name) for name in current()]
    found = check(sources, [release(name) for name in DEFAULT])
    actual = {
        (f.rule, f.location.path, "suppressed" if f.suppressed else str(f.severity)) for f in found
    }
    assert actual == documented()
    warnings = {(f.rule, f.table) for f in found if f.counts and str(f.severity) != "note"}
    assert warnings == EXPECTED_WARNINGS
