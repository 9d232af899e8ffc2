"""A sheet as text and as a page: what each shows, and that no name of an input gets out of it."""

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.report.escapes.text import printable
from idle_states.base.report.html import axes, page, svg
from idle_states.base.report.sheet import (
    NO_NUMBERS,
    Drawing,
    Lines,
    Marked,
    Part,
    Picture,
    Rows,
    Section,
    Sheet,
    Worded,
    bullets,
)
from idle_states.base.report.sheet_text import block, text
from idle_states.base.report.style import Style
from tests.support.html_pages import Node, parse

PLAIN = Style(False)


def _sheet(*sections: Section) -> Sheet:
    return Sheet("title", (), sections, Section("About", (Lines(("looked at",)),)))


def _page(sheet: Sheet) -> Node:
    return parse(page.render("show", sheet, []))


def _picture(name: str) -> Drawing:
    times = svg.times([1000], "time")
    return Drawing(axes.plot(name, name, times, svg.shares("share")))


def _headings(sheet: Sheet) -> list[str]:
    return [heading.text for heading in _page(sheet).all("h2")]


def test_the_text_begins_with_what_the_page_ends_with() -> None:
    sheet = _sheet(
        Section("One", (Lines(("a", "b"), first="  "),)), Section("Two", (Lines(("c",)),))
    )
    assert text(sheet, PLAIN) == "looked at\n\nOne\n  a\n  b\n\nTwo\nc\n"
    assert _headings(sheet) == ["One", "Two", "About", "Made from"]


def test_a_title_stands_for_something() -> None:
    """Unless it is all there is to say; a section without one goes on with the one before."""
    none = Lines(())
    sheet = _sheet(
        Section("Nothing", (none,)),
        Section("Alone", ()),
        Section("", (Lines(("more",)),)),
        Section(Worded("", "Page"), (Lines((Worded("text", ""), "both")),)),
    )
    assert text(sheet, PLAIN) == "looked at\n\nAlone\n\nmore\n\ntext\nboth\n"
    assert _headings(sheet) == ["Alone", "Page", "About", "Made from"]
    assert [item.text for item in _page(sheet).all("section")[1].all("li")] == ["both"]


def test_a_picture_is_a_table_in_words() -> None:
    table = Rows(("STATE", "TIME"), (("stop0", "1 us"), ("stop1", "20 us")))
    told = Rows(("STATE", "TIME"), (("stop0", "1 us"),))
    drawn = partial(_picture, "drawn")
    silent, spoken = Picture(drawn, table), Picture(drawn, table, told)
    assert text(_sheet(Section("Times", (silent,))), PLAIN) == "looked at\n"
    sheet = _sheet(Section("Times", (spoken,)))
    assert text(sheet, PLAIN) == "looked at\n\nTimes\n  STATE  TIME\n  stop0  1 us\n"
    (figure,) = _page(sheet).all("figure")
    assert figure.all("table")[0].rows() == [
        ["STATE", "TIME"],
        ["stop0", "1 us"],
        ["stop1", "20 us"],
    ]


def test_columns_without_numbers_are_folded_and_lines_where_they_say_so() -> None:
    long = " ".join(["word"] * 30)
    table = Rows(("AT", "WHAT"), (("here", long),), numbers=NO_NUMBERS)
    sheet = _sheet(Section("", (table, Lines((long,), "- ", "  "), bullets([long]))))
    lines = text(sheet, PLAIN).splitlines()
    assert [line[:8] for line in lines[2:]] == [
        *("AT    WH", "here  wo", "      wo"),
        *("- word w", "  word w", "  - word"),
    ]
    assert max(map(len, lines[:-1])) <= 100 < len(lines[-1])


def test_marks_colour_words_and_not_the_page() -> None:
    parts: tuple[Part, ...] = (
        Lines(((Marked("warning", "bistable"), ": twice"),)),
        Rows(("STATE", "VERDICT"), (("a", Marked("good", "consistent")),)),
    )
    sheet = _sheet(Section("Verdicts", parts))
    coloured = text(sheet, Style(True))
    assert "\x1b[1mVerdicts\x1b[0m\n\x1b[1;33mbistable\x1b[0m: twice\n" in coloured
    assert coloured.endswith("  a      \x1b[32mconsistent\x1b[0m\n")
    assert _page(sheet).all("li")[0].text == "bistable: twice"


@given(st.text(min_size=1, max_size=20))
def test_writers_escape_what_a_sheet_holds(name: str) -> None:
    row = Rows((name, "B"), ((name, name),), caption=name)
    sheet = _sheet(
        Section(name, (row, Lines((f"<{name}",)), Picture(partial(_picture, name), row)))
    )
    shown = printable(name)
    assert f"<{shown}\n" in text(sheet, PLAIN)
    top = _page(sheet)
    assert len(top.all("script")) == 1
    assert [cell.text for cell in top.all("table")[0].all("th")][::2] == [shown, shown]
    assert top.all("h2")[0].text == shown


def test_a_title_of_an_input_controls_no_terminal() -> None:
    """audit has the name of a running kernel in one."""
    shown = block(Section("The running kernel: 6.1\x1b[2J\nx", (Lines(("a",)),)), Style(True))
    assert shown == "\x1b[1mThe running kernel: 6.1\\x1b[2J\\nx\x1b[0m\na\n"
