"""Release dates: every modelled release has one, and a day's kernels follow from them."""

from datetime import date, timedelta
from itertools import pairwise

import pytest

from idle_states.tables.linux.release_dates import current_at, released
from idle_states.tables.linux.releases import CANDIDATES_MAX, MAINLINE


def test_every_modelled_release_has_a_date_and_no_other() -> None:
    from idle_states.tables.linux.release_dates import _name2date

    assert list(_name2date()) == MAINLINE


def test_releases_are_weeks_apart() -> None:
    days = [released(name) for name in MAINLINE]
    gaps = [(b - a).days for a, b in pairwise(days)]
    assert all(56 <= gap <= 91 for gap in gaps), gaps


def test_as_many_candidates_are_taken_as_the_longest_time_to_a_release_has_room_for() -> None:
    """In whole weeks: 4.19 came out a day late."""
    weeks = max(round((released(b) - released(a)).days / 7) for a, b in pairwise(MAINLINE))
    assert weeks - 1 == CANDIDATES_MAX


def test_releases_come_on_sundays_but_for_two() -> None:
    assert [name for name in MAINLINE if released(name).weekday() != 6] == ["4.19", "6.14"]


@pytest.mark.parametrize(
    ("day", "kernels"),
    [
        ("2017-08-23", ("4.9", "4.12", "4.13")),  # stop0_lite is corrected
        ("2017-04-19", ("4.9", "4.10", "4.11")),  # and was when the correction was mailed
        ("2017-09-03", ("4.9", "4.13", "4.14")),
        ("2017-09-02", ("4.9", "4.12", "4.13")),
        ("2016-01-10", ("4.4", "4.5")),
        ("2014-09-01", ("3.16", "3.17")),
        ("2013-01-01", ("3.14",)),
    ],
)
def test_the_kernels_of_a_day(day: str, kernels: tuple[str, ...]) -> None:
    assert current_at(date.fromisoformat(day)) == kernels


def test_nothing_follows_the_newest() -> None:
    assert current_at(released(MAINLINE[-1]) + timedelta(days=400)) == ("6.18", MAINLINE[-1])
