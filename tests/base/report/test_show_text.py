"""Kernels that agree are shown once, and nothing of what one of them does is lost by it."""

import pytest

from idle_states.base.report.sheet import Lines, Section, Worded
from idle_states.tables.linux.releases import all_releases
from idle_states.tables.pipeline import journey
from idle_states.tables.show.kernels import agreeing
from idle_states.tables.show.sheet import journey_stages, sheet
from idle_states.tables.skiboot.platform import Platform
from idle_states.tables.sources import read_table


@pytest.mark.parametrize("name", ["power9-dd1", "power8", "power10", "pseries-dedicated"])
def test_a_group_says_what_each_of_its_kernels_says(name: str) -> None:
    source, platform = read_table(name), Platform()
    whole = journey(source, platform, all_releases())
    groups = agreeing(whole)
    shown = [arrival.release for group in groups for arrival in group.arrivals]
    assert sorted(release.name for release in shown) == sorted(r.name for r in all_releases())
    assert len(groups) < len(shown) / 4
    columns = [column for column in journey_stages(whole) if isinstance(column.head, Worded)]
    said = {section.title: _lines(section) for section in sheet(whole, provenance=True).sections}
    for group, column in zip(groups, columns, strict=True):
        for arrival in group.arrivals[:2]:
            alone = journey(source, platform, [arrival.release])
            assert journey_stages(alone)[-1].cells == column.cells
            own = f"Linux {arrival.release.name}"
            ground = f"{arrival.subsystem} of "
            for section in sheet(alone, provenance=True).sections:
                title = str(section.title)
                if own not in title:
                    continue
                together = said[title.replace(own, f"Linux {group.kernels}")]
                assert [line for line in _lines(section) if ground not in line] == [
                    line for line in together if ground not in line
                ]


def _lines(section: Section) -> list[str]:
    return [str(line) for part in section.parts if isinstance(part, Lines) for line in part.lines]


def test_kernels_that_differ_in_one_line_stay_apart() -> None:
    """4.12 logs what it idles with by default and 4.11 does not; the columns are the same."""
    kernels = [r for r in all_releases() if r.name in ("4.11", "4.12", "4.13")]
    groups = agreeing(journey(read_table("power9-dd1"), Platform(), kernels))
    assert [group.kernels for group in groups] == ["4.11", "4.12-4.13"]
