"""The kinds of picture: shapes lie where their values are, and their labels where there is room."""

import math
import re
from itertools import pairwise
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.report.html import markers, pictures, shares, svg
from idle_states.base.report.html.markers import Level, Point
from idle_states.base.report.html.pictures import Band, BandRow
from idle_states.base.report.sheet import Picture
from idle_states.lab.replay import fits
from idle_states.lab.replay.fits import Misfits

AXIS = svg.times([1000, 1_000_000], "time")


def _share(value: str | None) -> float:
    assert value is not None
    assert value.endswith("%")
    return float(value[:-1])


@given(st.lists(st.integers(1, 10**10), min_size=1, max_size=8))
def test_times_keep_their_order(values: list[int]) -> None:
    axis = svg.times(values, "time")
    places = [axis.at(value) for value in sorted({0, *values})]
    assert places[0] == 0
    assert all(0 <= place <= 100 for place in places)
    assert all(before < after for before, after in pairwise(places))
    labels = [(axis.at(value), label) for value, label in axis.ticks]
    for (left, one), (right, other) in pairwise(labels):
        # they do not touch on a phone
        assert right - left >= 100 * 2.5 * min(len(one), len(other)) / svg.NARROW


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_linear_is_about_its_values(low: float, spread: float) -> None:
    axis = svg.linear(low, low + spread, "")
    slack = 1e-6 * (axis.last - axis.first)
    assert axis.first - slack <= low <= low + spread <= axis.last + slack
    assert 2 <= len(axis.ticks) <= 12


def test_nothing_is_below_zero_but_what_is_negative() -> None:
    axis = svg.linear(0, 0, "")
    assert (axis.first, axis.ticks[0][1]) == (0, "0")
    assert svg.linear(-1, -1, "").first < -1


@pytest.mark.parametrize(
    "drawing",
    [
        markers.points("t", "d", [Point(0, 0, 0, 0, "a", "")], AXIS, svg.linear(0, 1e-6, "")),
        markers.levels("t", "d", [Level("s", ((0, 0), (1, None)), (0, 0), "")], AXIS),
    ],
    ids=["points", "levels"],
)
def test_shapes_are_whole_at_zero(drawing: Element) -> None:
    """The margin holds half a marker, and labels of the heights, which end before it."""
    found = re.fullmatch(
        r"padding:0 (\d+)px 0 (\d+)px;overflow:visible", drawing.get("style") or ""
    )
    assert found
    right, left = map(int, found.groups())
    assert min(right, left) >= 7
    beside = [text for text in drawing.iter("text") if text.get("text-anchor") == "end"]
    for text in beside:
        if not (text.get("x") or "").endswith("%"):
            assert float(text.get("x", "")) <= -7
            assert left + float(text.get("x", "")) >= 6 * len(text.text or "")


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=10, unique=True))
def test_bands_fill_the_row(starts: list[int]) -> None:
    starts = [0, *sorted(starts)]
    ends = [*(float(start) for start in starts[1:]), float("inf")]
    row = tuple(
        Band(start, end, (number,), str(number), "a name", "tip")
        for number, (start, end) in enumerate(zip(starts, ends, strict=True))
    )
    drawing = pictures.bands("t", "d", [BandRow("row", row)], svg.times(starts, "time"))
    rects = drawing.findall(".//rect[@class='hatched']")
    assert len(rects) == len(starts)
    assert _share(rects[0].get("x")) == 0
    for before, after in pairwise(rects):
        end = _share(before.get("x")) + _share(before.get("width"))
        assert _share(after.get("x")) == pytest.approx(end, abs=0.002)
    last = rects[-1]
    assert _share(last.get("x")) + _share(last.get("width")) == pytest.approx(100, abs=0.002)


def test_marks_underline_their_stretch() -> None:
    band = Band(1000, 1_000_000, (1,), "1", "1 a", "tip", "1 us")
    row = BandRow("r", (band,), ((10_000, float("inf"), "a -> b"),))
    drawing = pictures.bands("t", "d", [row], AXIS)
    (mark,) = drawing.findall(".//line[@class='marked']")
    (plain,) = drawing.findall(".//rect[@class='band s1']")
    assert _share(mark.get("x1")) == pytest.approx(AXIS.at(10_000), abs=0.001)
    assert _share(mark.get("x2")) == pytest.approx(100, abs=0.002)
    assert float(mark.get("y1", "")) > float(plain.get("y", "")) + float(plain.get("height", ""))
    assert drawing.findtext(".//g/line[@class='marked']/../title") == "a -> b"


def test_states_in_turn_share_a_band() -> None:
    band = Band(1000, 10_000, (1, 4), "1+4", "1+4 a and b", "tip")
    drawing = pictures.bands("t", "d", [BandRow("r", (band,))], AXIS)
    one, other = drawing.findall(".//rect[@class='hatched']")
    assert one.get("x") == other.get("x")
    assert float(one.get("y", "")) + float(one.get("height", "")) == float(other.get("y", ""))
    assert (one.get("fill"), other.get("fill")) == ("url(#h1)", "url(#h4)")


def test_labels_only_where_they_fit() -> None:
    wide = Band(1000, 1_000_000, (1,), "1", "1 stop0_lite", "tip")
    narrow = Band(1_000_000, 1_060_000, (2,), "2", "2 stop1_lite", "tip")
    drawing = pictures.bands("t", "d", [BandRow("row", (wide, narrow))], AXIS)
    words = [text.text for text in drawing.iter("text")]
    assert "1 stop0_lite" in words
    assert "2" not in words
    assert "2 stop1_lite" not in words


def _ends(line: Element) -> tuple[float, float, float, float]:
    x1, y1, x2, y2 = (line.get(key, "").rstrip("%") for key in ("x1", "y1", "x2", "y2"))
    return float(x1), float(y1), float(x2), float(y2)


def test_a_long_label_is_cut_once_on_a_phone_and_less_on_a_wide_page() -> None:
    words = f"{'a' * 40} {'b' * 60} {'c' * 40}"
    found = Element("svg")
    svg.label(found, words, "tip")
    (drawn,) = found.iter("text")
    narrow, wide = ("".join(part.itertext()) for part in drawn.iter("tspan"))
    assert (drawn.text, narrow, wide) == (
        "",
        svg.shortened(words, svg.NARROW),
        svg.shortened(words, svg.WIDE),
    )
    assert len(narrow) < len(wide) < len(words)


def test_joined_points_are_lines_with_a_marker_where_a_label_is() -> None:
    some = [
        Point(1000, 2.0, 2.0, 0, "", "tip"),
        Point(10_000, 0.0, 0.0, 0, "best", "tip"),
        Point(5000, 1.0, 1.0, 1, "", "tip"),
        Point(100_000, 3.0, 3.0, 0, "", "tip"),
    ]
    drawing = markers.points("t", "d", some, AXIS, svg.linear(0, 3, ""), joined=True)
    lines = [_ends(e) for e in drawing.findall(".//line") if "curve" in e.get("class", "")]
    assert len(lines) == 2
    assert lines[0][2:] == lines[1][:2]
    assert lines[0][1] < lines[0][3] > lines[1][3]
    assert len(drawing.findall(".//path")) == 1
    assert "best" not in [text.text for text in drawing.iter("text")]


def test_ranges_have_a_row_and_its_figures() -> None:
    picture = shares.ranges("Waited", [("a", 0, (2e3, 1e3, 9e3)), ("b", 1, (5e3, 5e3, 5e3))])
    assert picture.table.rows == (("a", "2 us", "1 us", "9 us"), ("b", "5 us", "5 us", "5 us"))
    drawn = picture.draw().drawn
    words = [text.text for text in drawn.iter("text")]
    assert {"a: 2 us, 1 us to 9 us", "b: 5 us"} <= {*words}
    near = [e for e in drawn.iter("line") if e.get("class") == "near"]
    assert [e.get("x1") == e.get("x2") for e in near] == [False, True]


def test_points_that_coincide_share_a_label() -> None:
    some = [
        Point(1000, 1.0, 2.0, 0, "one", "tip"),
        Point(1001, 1.0, 2.0, 1, "two", "tip"),
        Point(500_000, 9.0, 9.0, 2, "three", "tip"),
    ]
    up = svg.linear(1.0, 9.0, "")
    drawing = markers.points("t", "d", some, AXIS, up)
    words = [text.text for text in drawing.iter("text")]
    assert "one, two" in words
    assert "three" in words
    assert len(drawing.findall(".//path")) == 3
    bars = [e for e in drawing.iter("line") if e.get("class") == "bar"]
    assert len(bars) == 2


def _upright(drawing: Element, group: str) -> list[Element]:
    return [
        e for e in drawing.iter("line") if e.get("class") == group and e.get("x1") == e.get("x2")
    ]


def _level() -> Level:
    return Level(
        "stop2: 1, 30, 300 us", ((0, 1000), (1, 30_000), (2, 300_000)), (1000, 2000), "tip"
    )


def _drawings() -> list[Element]:
    up = svg.linear(0, 9, "energy, J")
    band = Band(1000, 10_000, (1,), "1", "1 a", "tip", "1 us")
    return [
        pictures.bands("t", "d", [BandRow("r", (band,))], AXIS),
        markers.points("t", "d", [Point(1000, 1, 2, 0, "a", "")], AXIS, up),
        markers.levels("t", "d", [_level()], AXIS),
    ]


def test_all_ticks_and_axes_are_labelled() -> None:
    for drawing in _drawings():
        labels = {t.get("x"): t.text for t in drawing.iter("text") if t.get("class") == "tick"}
        ticks = _upright(drawing, "grid")
        assert len(ticks) > 2
        assert all(labels.get(line.get("x1")) for line in ticks)
        level = [e for e in drawing.iter("line") if e.get("class") == "grid" and e not in ticks]
        heights = {float(t.get("y", "")) for t in drawing.iter("text")}
        assert all(float(line.get("y1", "")) + 4 in heights for line in level)
        captions = [t for t in drawing.iter("text") if t.get("class") == "tick" and t.text]
        assert any(
            not str(t.get("x")).endswith("%") and t.text in ("time", "share") for t in captions
        )


@given(st.lists(st.integers(1, 10**10), min_size=1, max_size=8))
def test_decades_are_labelled_evenly(values: list[int]) -> None:
    """Every decade, or every second and so on; a wide page has more ticks, between those."""
    axis = svg.times(values, "time")
    for ticks in (axis.ticks, (*axis.ticks, *axis.more)):
        powers = [math.log10(value) for value, label in sorted(ticks) if label != "0"]
        whole = [round(power) for power in powers if abs(power - round(power)) < 1e-9]
        assert len({after - before for before, after in pairwise(whole)}) <= 1 or axis.more
    assert not {value for value, _ in axis.more} & {value for value, _ in axis.ticks}


@given(st.lists(st.from_regex(r"[1-9]\.[1-9][0-9]?(\.[1-9][0-9]?)?", fullmatch=True), min_size=1,
                max_size=80, unique=True))  # fmt: skip
def test_names_do_not_touch(names: list[str]) -> None:
    axis = svg.named(names, "releases")
    assert names[-1] in [label for _, label in axis.ticks]
    for ticks, pixels in ((axis.ticks, svg.PLOT), ((*axis.ticks, *axis.more), svg.WIDE)):
        ends = [svg.reach(label, axis.at(value), pixels) for value, label in sorted(ticks)]
        assert all(before[1] <= after[0] for before, after in pairwise(ends))
        assert all(names[int(value)] == label for value, label in ticks)


@given(st.integers(1, 10**10))
def test_one_value_has_ticks_about_it(value: int) -> None:
    axis = svg.times([value], "time")
    assert len(axis.ticks) >= 2
    assert len(axis.ticks) + len(axis.more) >= 3


def test_beginnings_of_bands_are_labelled_where_there_is_room() -> None:
    starts = [(1000, "1 us"), (1100, "1.1 us"), (1_000_000, "1 ms")]
    row = tuple(Band(at, at * 1.1, (0,), "0", "0 a", "tip", label) for at, label in starts)
    drawing = pictures.bands("t", "d", [BandRow("r", row)], svg.times([1000, 10**7], "time"))
    words = [t.text for t in drawing.iter("text") if t.get("class") == "tick on"]
    assert words == ["1 us", "1 ms"]


def test_labels_stand_on_plain_colour() -> None:
    """Above what is hatched, which lies in the same band."""
    band = Band(1000, 1_000_000, (4,), "4", "4 stop2", "tip")
    drawing = pictures.bands("t", "d", [BandRow("r", (band,))], AXIS)
    (label,) = [t for t in drawing.iter("text") if t.text == "4 stop2"]
    ((plain, hatched),) = [
        (plain, hatched)
        for plain in drawing.iterfind(".//rect[@class='band s4']")
        for hatched in drawing.iterfind(".//rect[@class='hatched']")
    ]
    assert float(plain.get("y", "")) < float(label.get("y", "")) < float(hatched.get("y", ""))
    assert hatched.get("fill") == "url(#h4)"
    assert plain.get("x") == hatched.get("x")


def test_too_deep_and_too_shallow_have_a_bar_each() -> None:
    section = fits.section(
        [Misfits("power9", 100, ((4, "a", 5, 0), (5, "b", 10, 0), (0, "c", 0, 2)))]
    )
    (picture,) = section.parts
    assert isinstance(picture, Picture)
    drawn = picture.draw().drawn
    found = {}
    for group in drawn.iterfind("g"):
        for rect in group.iterfind("rect[@class='hatched']"):
            left = _share(rect.get("x"))
            found[group.findtext("title", "")[0]] = (left, left + _share(rect.get("width")))
    assert found == {"a": (0, 5), "b": (5, 15), "c": (0, 2)}
    assert [t.text for t in drawn.iter("text") if t.get("class") == "on"] == [
        *("power9: too deep 15.00 %", "power9: too shallow 2.00 %"),
    ]


def test_markers_in_one_place_stay_visible() -> None:
    """Each is larger than the one below it."""
    same = [Point(1000, 1.0, 1.0, number, f"table {number}", "tip") for number in range(3)]
    level = Level("s", ((0, 5000), (1, 5000), (2, 5000)), (5000, 5000), "tip")
    for drawing in (
        markers.points("t", "d", same, AXIS, svg.linear(0, 9, "")),
        markers.levels("t", "d", [level], AXIS),
    ):
        drawn = [e for e in drawing.iter("path") if e.get("class") == "mark"]
        assert [e.get("transform") for e in drawn] == [None, "scale(1.7)", "scale(2.4)"]
        assert len({e.get("d") for e in drawn}) == 3


def test_levels_without_a_value_have_no_marker() -> None:
    level = Level("s", ((0, 5000), (1, None), (2, 9000)), (1000, 9000), "tip")
    drawing = markers.levels("t", "d", [level], AXIS)
    assert len(drawing.findall(".//path")) == 2
    (near,) = [e for e in drawing.iter("line") if e.get("class") == "near"]
    assert _share(near.get("x1")) == pytest.approx(AXIS.at(1000), abs=0.001)
    assert _share(near.get("x2")) == pytest.approx(AXIS.at(9000), abs=0.001)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), min_size=1, max_size=4, unique=True)
)
def test_every_point_is_labelled(places: list[tuple[int, int]]) -> None:
    some = [
        Point(10.0**x, float(y), float(y), number, f"t{number}", "tip")
        for number, (x, y) in enumerate(places)
    ]
    axis = svg.times([10.0**x for x, _ in places], "time")
    drawing = markers.points("t", "d", some, axis, svg.linear(0, 9, ""))
    words = ", ".join(t.text or "" for t in drawing.iter("text"))
    assert all(f"t{number}" in words for number in range(len(places)))
