"""--html in a real Chromium: nothing complained of, nothing fetched, room on a phone, on paper."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from idle_states.report.html import page, pictures, svg
from idle_states.report.html.page import Lines, PageTable, Picture, Section
from idle_states.report.html.pictures import PictureSpan, Point
from tests.support.chromium import NAMES, Browser, browser, found
from tests.support.html_pages import COMMANDS, make_all, parse
from tests.support.shared import once

pytestmark = pytest.mark.slow
PAGES = [*COMMANDS, "hostile", "zero"]
PHONE, DESK = 360, 1000


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Serves all pages, and some of a test's own."""
    program = found()
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} (Debian package chromium)")
    directory = tmp_path_factory.mktemp("served")
    shutil.copytree(once(tmp_path_factory, "pages", make_all), directory, dirs_exist_ok=True)
    words = "<script>document.title='x'</script><img src=http://127.0.0.1/x onerror=1>"
    section = Section(words, (Lines((words, "x" * 3000)),))
    (directory / "hostile.html").write_text(page.render("c", words, [section], [(words, "0")]))
    (directory / "zero.html").write_text(page.render("c", "zero", [_zero()], []))
    with browser(program, directory, tmp_path_factory.mktemp("profile")) as opened:
        _add_tests(directory)
        yield opened


def _zero() -> Section:
    """Where shapes could be cut, and lie on labels."""
    axis, up = svg.times([1000, 100_000], "p99 of something"), svg.linear(0, 0.0003, "")
    some = [Point(0, 0, 0, 0, "one", "one"), Point(0, 0.0003, 0.0003, 3, "other", "other")]
    drawings = (
        pictures.points("points", "d", some, axis, up),
        pictures.spans("spans", "d", [PictureSpan("span", 0, 2000, "span")], axis),
    )
    table = PageTable("t", ("a", "b"), (("1", "2"),))
    return Section("zero", tuple(Picture(drawing, table) for drawing in drawings))


def _add_tests(directory: Path) -> None:
    """Pages that measure others in a frame, and pages with something wrong on purpose."""
    for name in PAGES:
        for width in (PHONE, DESK):
            (directory / f"measure-{name}-{width}.html").write_text(
                MEASURE.replace("NAME", name).replace("WIDTH", str(width))
            )
    good = (directory / "select.html").read_text()
    for name, wrong in (
        ("script", "<script>1</script>"),
        ("fetch", '<img src="/other.png">'),
    ):
        (directory / f"bad-{name}.html").write_text(good.replace("</main>", f"{wrong}</main>"))
    allowed = re.sub("<meta http-equiv[^>]*>", "", good)
    bad = (
        '<img src="/other.png"><img src="http://elsewhere.invalid/x.png">'
        '<p style="width:700px">wide</p>'
    )
    (directory / "bad-wide.html").write_text(allowed.replace("</main>", f"{bad}</main>"))
    (directory / f"measure-bad-wide-{PHONE}.html").write_text(
        MEASURE.replace("NAME", "bad-wide").replace("WIDTH", str(PHONE))
    )


MEASURE = """<!DOCTYPE html><body>
<iframe src="NAME.html" width="WIDTH" height="800"></iframe><script>
const frame = document.querySelector("iframe");
onload = () => {
  const page = frame.contentDocument, root = page.documentElement;
  const wide = [...page.querySelectorAll("body *")].filter(
    e => !e.closest(".scroll *") && !e.closest("svg *")
      && e.getBoundingClientRect().right > root.clientWidth + 1).map(e => e.outerHTML.slice(0, 80));
  const outside = [], touching = [];
  for (const picture of page.querySelectorAll("svg.picture")) {
    const frame = picture.getBoundingClientRect();
    const labels = [...picture.querySelectorAll("text")].map(e => [e, e.getBoundingClientRect()]);
    for (const [e, box] of labels)
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1)
        outside.push(e.textContent);
    labels.forEach(([e, a], i) => labels.slice(i + 1).forEach(([f, b]) => {
      const beside = a.left >= b.right - 1 || b.left >= a.right - 1;
      if (!beside && a.top < b.bottom - 4 && b.top < a.bottom - 4)
        touching.push(e.textContent + " | " + f.textContent);
    }));
  }
  const cut = [];
  for (const mark of page.querySelectorAll("svg.picture .mark, svg.picture .ring")) {
    const picture = mark.closest("svg.picture"), frame = picture.getBoundingClientRect();
    const box = mark.getBoundingClientRect();
    if (box.left < frame.left || box.right > frame.right || box.top < frame.top)
      cut.push(mark.outerHTML);
    for (const [tick, b] of [...picture.querySelectorAll(".tick")].map(
        e => [e, e.getBoundingClientRect()]))
      if (box.left < b.right && b.left < box.right && box.top < b.bottom - 3 &&
          b.top + 3 < box.bottom)
        cut.push(mark.outerHTML + " on " + tick.textContent);
  }
  const labels = page.querySelectorAll("svg.picture text").length;
  document.title = "measured";
  document.body.textContent = JSON.stringify(
    {width: root.clientWidth, scroll: root.scrollWidth, labels, wide, outside, touching, cut});
};
</script></body>"""


def measured(chromium: Browser, name: str, width: int) -> dict[str, object]:
    top = parse(chromium.dom(f"measure-{name}-{width}.html"))
    told: dict[str, object] = json.loads(top.all("body")[0].text)
    assert told["width"] == width
    return told


@pytest.mark.parametrize("name", PAGES)
def test_nothing_to_complain_of(name: str, chromium: Browser) -> None:
    assert chromium.console(f"{name}.html") == []
    assert chromium.requests == [f"/{name}.html"]


def test_complaints_would_be_seen(chromium: Browser) -> None:
    """And the policy forbids what should not be there."""
    (script,) = chromium.console("bad-script.html")
    assert "Content Security Policy" in script
    (fetched,) = chromium.console("bad-fetch.html")
    assert "Content Security Policy" in fetched
    assert chromium.requests == ["/bad-fetch.html"]
    chromium.console("bad-wide.html")
    assert "/other.png" in chromium.requests


@pytest.mark.parametrize("name", PAGES)
def test_no_other_host_is_asked(name: str, chromium: Browser, tmp_path: Path) -> None:
    assert fetched(chromium, f"{name}.html", tmp_path) == set()


def test_another_host_would_be_seen(chromium: Browser, tmp_path: Path) -> None:
    asked = fetched(chromium, "bad-wide.html", tmp_path)
    assert asked == {f"{chromium.address}/other.png", "http://elsewhere.invalid/x.png"}


def fetched(chromium: Browser, name: str, into: Path) -> set[str]:
    """What the page asked for, of whomever; by Chromium's own log of the network."""
    log = into / "net.json"
    chromium.run(name, "--dump-dom", f"--log-net-log={log}")
    events = [event.get("params", {}) for event in json.loads(log.read_text())["events"]]
    assert f"{chromium.address}/{name}" in {event.get("url") for event in events}
    return {
        event["url"]
        for event in events
        if "url" in event and str(event.get("initiator", "")).startswith(chromium.address)
    }


@pytest.mark.parametrize("name", PAGES)
def test_structure_as_written(name: str, chromium: Browser) -> None:
    """The browser makes the same of it as the tests' own parser."""
    written = parse((chromium.directory / f"{name}.html").read_text())
    shown = parse(chromium.dom(f"{name}.html"))
    for tag in ("h1", "h2", "figure", "svg", "rect", "line", "text", "li", "th", "td", "script"):
        assert len(shown.all(tag)) == len(written.all(tag)), tag
    (title,) = shown.all("head")[0].all("title")
    assert title.text == written.all("h1")[0].text


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_sticks_out(name: str, width: int, chromium: Browser) -> None:
    told = measured(chromium, name, width)
    assert told["scroll"] == width
    assert told["wide"] == []
    assert told["outside"] == []
    assert told["touching"] == []
    assert told["cut"] == []
    assert told["labels"] or name == "hostile"


def test_what_sticks_out_would_be_seen(chromium: Browser) -> None:
    told = measured(chromium, "bad-wide", PHONE)
    assert told["scroll"] == 712
    assert told["wide"]


@pytest.mark.parametrize("name", PAGES)
def test_prints(name: str, chromium: Browser, tmp_path: Path) -> None:
    target = tmp_path / "page.pdf"
    chromium.run(f"{name}.html", f"--print-to-pdf={target}", "--no-pdf-header-footer")
    data = target.read_bytes()
    pages = len(re.findall(rb"/Type\s*/Page\b", data))
    assert data.startswith(b"%PDF")
    assert 1 <= pages <= 12
    if name == "replay":
        assert pages > 1
