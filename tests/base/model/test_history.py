"""Rows of a subsystem's history: what they hold is checked before any release is told from them."""

from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import Any, Literal, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.history import (
    U32,
    History,
    Place,
    Since,
    WrongRow,
    choices,
    rows_of,
    types_of,
)
from idle_states.tables.linux.governors.menu_features import HISTORY as MENU
from idle_states.tables.linux.governors.menu_features import MenuFeatures
from idle_states.tables.linux.releases import features_in, folded, release
from idle_states.tables.skiboot.releases import HISTORY as SKIBOOT
from idle_states.tables.skiboot.releases import listed_key

MODULES = (
    "tables.skiboot.releases",
    "tables.linux.driver_features",
    "tables.linux.dt_idle_features",
    "tables.linux.idle_loop",
    *(f"tables.linux.governors.{name}_features" for name in ("haltpoll", "ladder", "menu", "teo")),
)
NEWEST = release("7.2")


def with_row(release_name: str, values: dict[str, Any]) -> History[MenuFeatures]:
    """menu's history and one more row, as it stands in no source that mypy has seen."""
    return History(MENU.oldest, (*MENU.rows, Since((release_name,), "c0ffee", values)))


@pytest.mark.parametrize(
    ("since", "values", "message"),
    [
        (
            "5.13",
            {"stopped_tick": "timr"},
            r"MenuFeatures, since 5\.13: expected stopped_tick to be one of '', 'capped', 'event', "
            r"'timer', 'kept', found 'timr'; did you mean 'timer'\?",
        ),
        (
            "5.13",
            {"stoped_tick": "timer"},
            r"since 5\.13: expected a feature \(nanoseconds, .*\), found 'stoped_tick'; "
            r"did you mean 'stopped_tick'\?",
        ),
        ("6.1", {"iowait": "no"}, r"since 6\.1: expected iowait to be True or False, found 'no'"),
        ("6.1", {"iowait": 1}, r"expected iowait to be True or False, found 1"),
        ("6.1", {"long_bits": 31}, r"expected long_bits to be one of 32, 64, found 31"),
        ("6.1", {"long_bits": 32.0}, r"expected long_bits to be one of 32, 64, found 32\.0"),
        (
            "6.1",
            {"typical_ceiling": 1 << 32},
            r"typical_ceiling to be a whole number from 0 to 4294967295, found 4294967296",
        ),
        ("6.1", {"typical_ceiling": -1}, "typical_ceiling to be a whole number .*, found -1"),
        ("6.1", {"typical_ceiling": True}, "typical_ceiling to be a whole number .*, found True"),
        ("6.99", {"iowait": True}, r"since 6\.99: expected a release .* found '6\.99'"),
        ("six", {"iowait": True}, r"since six: expected a release .* found 'six'"),
        ("6.98-rc1", {"iowait": True}, r"expected a release .* found '6\.98-rc1'"),
        ("dbian-6.1.192", {"iowait": True}, r"expected a release .* found 'dbian-6\.1\.192'"),
        ("debian-6.1.192", {"iowait": "yes"}, r"since debian-6\.1\.192: expected iowait"),
        ("6.1.12", {"iwait": True}, r"found 'iwait'; did you mean 'iowait'\?"),
    ],
)
def test_a_wrong_row_is_named(since: str, values: dict[str, Any], message: str) -> None:
    """For every release, also for those before it."""
    history = with_row(since, values)
    for kernel in (NEWEST, release("4.8")):
        with pytest.raises(WrongRow, match=message):
            folded(history, kernel)


@pytest.mark.parametrize(
    ("since", "values", "message"),
    [
        ("9.0", {"naples": True}, r"since 9\.0: expected skiboot 4\.0 to .*, found '9\.0'"),
        ("6.0-rcx", {"naples": True}, r"expected a skiboot release such as .*, found '6\.0-rcx'"),
        ("6.0", {"dd1": "numbus"}, r"'nimbus', found 'numbus'; did you mean 'nimbus'\?"),
        ("6.0", {"opal_levels": 1 << 32}, r"expected opal_levels to be a whole number .* or None"),
    ],
)
def test_skiboot_rows_are_checked_too(since: str, values: dict[str, Any], message: str) -> None:
    history = History(SKIBOOT.oldest, (*SKIBOOT.rows, Since((since,), "", values)))
    with pytest.raises(WrongRow, match=message):
        history.fold([("", (7, 0, 0, 0))], lambda name: ("", listed_key(name)))


def test_features_have_to_be_named() -> None:
    with pytest.raises(WrongRow, match=r"since 6\.1: expected features by name, found True"):
        rows_of(MenuFeatures)("6.1", "", True)


def test_a_wrong_row_is_no_missing_governor(monkeypatch: pytest.MonkeyPatch) -> None:
    """ValueError says that a release has no such governor, and is passed over."""
    from idle_states.tables.linux import governors
    from idle_states.tables.linux.governors import ladder_features

    wrong = History(ladder_features.HISTORY.oldest, [Since(("4.14",), "", {"skip_polling": True})])
    monkeypatch.setattr(ladder_features, "features", features_in(wrong))
    governors._features.cache_clear()  # another test may have asked before
    with pytest.raises(WrongRow, match="did you mean 'skips_polling'"):
        governors.known_in("ladder", NEWEST)


@pytest.mark.parametrize("module", MODULES)
def test_every_feature_is_of_a_type_that_can_be_checked(module: str) -> None:
    """bool, Literal, U32, alone, with None or in a tuple: a bare str or int would take anything."""
    history = import_module(f"idle_states.{module}").HISTORY

    def checked(kind: Any) -> bool:
        if kind in (bool, type(None), U32) or get_origin(kind) is Literal:
            return True
        return bool(get_args(kind)) and all(
            checked(each) for each in get_args(kind) if each is not Ellipsis
        )

    types = types_of(type(history.oldest))
    assert [name for name, kind in types.items() if not checked(kind)] == []
    assert list(types) == [field.name for field in fields(history.oldest)]


@dataclass(frozen=True)
class Small:
    """The features of a subsystem made up."""

    polls: bool = False
    tick: Literal["", "kept", "stopped"] = ""
    mask: U32 | None = None


since = rows_of(Small)
ROW = st.builds(
    lambda minor, polls, tick, mask: since(f"1.{minor}", "", polls=polls, tick=tick, mask=mask),
    st.integers(0, 9),
    st.booleans(),
    st.sampled_from(choices(types_of(Small)["tick"])),
    st.none() | st.integers(0, (1 << 32) - 1),
)


def place(name: str) -> Place:
    """1.2 is on the trunk, 1.2.3 in the series of 1.2, maker-1.2 in the maker's line."""
    maker, _, version = name.rpartition("-")
    key = tuple(int(part) for part in version.split("."))
    return maker or ("1.2" if len(key) > 2 else ""), key


@given(st.lists(ROW), st.integers(0, 9))
def test_a_release_is_its_last_row(rows: list[Since], minor: int) -> None:
    """In whatever order releases stand; of rows for one release the later one counts."""
    expected = Small()
    for number in range(minor + 1):
        for row in rows:
            if row.releases == (f"1.{number}",):
                expected = replace(expected, **row.values)  # type: ignore[arg-type]
    assert History(Small(), rows).fold([("", (1, minor))], place) == expected


def test_a_change_reaches_each_line_where_it_is_named() -> None:
    """A stable series has it from its own point release on, and no other series before mainline."""
    history = History(Small(), [since("1.4 1.2.3 maker-1.2", "", polls=True)])

    def polls(*way: Place) -> bool:
        return history.fold(way, place).polls

    assert [polls(("", (1, minor))) for minor in (2, 3, 4, 5)] == [False, False, True, True]
    assert [polls(("", (1, 2)), ("1.2", (1, 2, point))) for point in (2, 3, 4)] == [
        False,
        True,
        True,
    ]
    assert not polls(("", (1, 3)), ("1.3", (1, 3, 9)))
    assert polls(("", (1, 2)), ("maker", (1, 2)))
    assert not polls(("", (1, 2)), ("other", (1, 2)))


def test_lines_are_folded_in_the_order_of_the_way() -> None:
    """A series' changes come after the trunk's, a distribution's after the series'."""
    history = History(
        Small(),
        [
            since("maker-1.2", "", tick=""),
            since("1.2.1", "", tick="kept"),
            since("1.2", "", tick="stopped", polls=True),
        ],
    )
    trunk, series, maker = ("", (1, 2)), ("1.2", (1, 2, 1)), ("maker", (1, 2))
    assert history.fold([trunk], place) == Small(polls=True, tick="stopped")
    assert history.fold([trunk, series], place) == Small(polls=True, tick="kept")
    assert history.fold([trunk, series, maker], place) == Small(polls=True)
