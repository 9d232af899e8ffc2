"""Tests of what docs/compared.tsv says of RHEL's builds, and the page's table of it."""

from pathlib import Path

import pytest

from idle_states.tables.linux.grounds import ground
from idle_states.tables.linux.releases import release
from tools.compared import COMPARISONS, END, FILE, PAGE, START, Row, rows, table


def test_the_page_has_the_table_of_the_rows() -> None:
    shown = PAGE.read_text("utf-8").split(START)[1].split(END)[0]
    assert shown == table(rows())
    assert FILE.read_text("utf-8") == "".join(f"{row}\n" for row in rows())


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.build} {row.subsystem}")
def test_no_row_differs_and_each_is_of_a_build_that_is_known_so(row: Row) -> None:
    subsystem = row.subsystem.removesuffix(" x86").removesuffix(" arm64")
    assert row.subsystem in COMPARISONS
    assert not row.differing
    assert ground(release(row.build), subsystem).kind == "compiled"


def test_trees_whose_files_are_equal_are_compared_once(tmp_path: Path) -> None:
    from tools.compared import to_compare

    for build, text in (("5.14.0-70.13.1", "a"), ("5.14.0-70.17.1", "a"), ("5.14.0-162.6.1", "b")):
        file = tmp_path / build / "drivers/idle/intel_idle.c"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    found = [tree.name for tree in to_compare(tmp_path, "intel_idle")]
    assert found == ["5.14.0-70.13.1", "5.14.0-162.6.1"]
