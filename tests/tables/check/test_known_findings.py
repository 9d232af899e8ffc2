"""docs/known-findings.md is what check really says of the packaged current tables."""

from idle_states.tables.check.check import check
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.releases import DEFAULT, release
from idle_states.tables.sources import read_source
from idle_states.tables.spec.packaged import current
from tests.support.known_findings import documented


def test_the_page_and_the_tool_agree() -> None:
    sources = [read_source(name) for name in current()]
    found = check(sources, Criteria(tuple(map(release, DEFAULT)), own_time=True))
    actual = {
        (f.rule, f.location.path, "suppressed" if f.suppressed else str(f.severity)) for f in found
    }
    assert actual == documented()
    assert all(f.location.path.partition(":")[0] == f.table for f in found)
