"""The measures that a browser takes of pages: for all pages in one Chromium, and kept as JSON."""

import importlib.util
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.chromium import Browser, browser

VIEWS = {"360": (360, False), "360-dark": (360, True), "800": (800, False), "1400": (1400, True)}
"""Name -> width in pixels, whether dark."""
PAPER = 680
"""Pixels of A4 between the margins."""
_TAB, _RIGHT = ("Tab", 9), ("ArrowRight", 39)
_STOPS = 2000
"""More stops of the Tab key than a page has."""

LAYOUT = """(() => {
  const root = document.documentElement;
  const shown = e => e.getClientRects().length > 0;
  const wide = [...document.querySelectorAll("body *")].filter(
    e => !e.closest(".scroll *") && !e.closest("svg *") && shown(e)
      && e.getBoundingClientRect().right > root.clientWidth + 1).map(e => e.outerHTML.slice(0, 80));
  const outside = [], touching = [], cut = [], hatched = [];
  let labels = 0;
  for (const picture of document.querySelectorAll("svg.picture")) {
    const frame = picture.getBoundingClientRect();
    const texts = [...picture.querySelectorAll("text")].filter(shown)
      .map(e => [e, e.getBoundingClientRect()]);
    labels += texts.length;
    for (const [e, box] of texts)
      if (box.left < frame.left - 1 || box.right > frame.right + 1 ||
          box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        outside.push(e.textContent);
    texts.forEach(([e, a], i) => texts.slice(i + 1).forEach(([f, b]) => {
      const beside = a.left >= b.right - 1 || b.left >= a.right - 1;
      if (!beside && a.top < b.bottom - 4 && b.top < a.bottom - 4)
        touching.push(e.textContent + " | " + f.textContent);
    }));
    for (const rect of picture.querySelectorAll("rect")) {
      if (!getComputedStyle(rect).fill.startsWith("url")) continue;
      const box = rect.getBoundingClientRect();
      for (const [e, b] of texts)
        if (box.left < b.right - 1 && b.left < box.right - 1 && box.top < b.bottom - 4 &&
            b.top + 4 < box.bottom)
          hatched.push(e.textContent);
    }
    for (const mark of picture.querySelectorAll(".mark")) {
      const box = mark.getBoundingClientRect();
      if (box.left < frame.left || box.right > frame.right || box.top < frame.top)
        cut.push(mark.outerHTML);
      for (const [e, b] of texts)
        if (e.classList.contains("tick") && box.left < b.right && b.left < box.right &&
            box.top < b.bottom - 3 && b.top + 3 < box.bottom)
          cut.push(mark.outerHTML + " on " + e.textContent);
    }
  }
  const tables = [...document.querySelectorAll("table")].map(
    e => e.getBoundingClientRect().right - root.clientWidth);
  return {width: root.clientWidth, scroll: root.scrollWidth, labels, wide, outside, touching, cut,
    hatched, tables: Math.max(0, ...tables)};
})()"""

CONTRAST = """(() => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const luminance = colour => {
    const [r, g, b] = parts(colour).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (colour, below) => {
    const [top, under] = [parts(colour), parts(below)], alpha = top[3] ?? 1;
    return `rgb(${[0, 1, 2].map(n => top[n] * alpha + under[n] * (1 - alpha))})`;
  };
  const ratio = (one, other) => {
    const [low, high] = [luminance(over(one, other)), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const grounds = new Map([[null, "rgb(255, 255, 255)"]]);
  const ground = e => {
    if (!grounds.has(e))
      grounds.set(e, over(getComputedStyle(e).backgroundColor, ground(e.parentElement)));
    return grounds.get(e);
  };
  const faint = [];
  let measured = 0;
  const note = (what, found, wanted) => {
    measured++;
    if (found < wanted) faint.push(what.slice(0, 60) + ": " + found.toFixed(2));
  };
  const tokens = new Set();
  for (const e of document.querySelectorAll("body *")) {
    /* the words of highlighted code look alike where they are of one class */
    if (e.matches("pre span") && tokens.size == tokens.add(e.className).size) continue;
    if (e.closest("svg") || !e.checkVisibility({opacityProperty: true, visibilityProperty: true}))
      continue;
    const own = [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim());
    if (own) note(e.textContent, ratio(getComputedStyle(e).color, ground(e)), 4.5);
  }
  for (const picture of document.querySelectorAll("svg.picture")) {
    const paper = ground(picture);
    const rects = [...picture.querySelectorAll("rect")];
    for (const e of picture.querySelectorAll("text")) {
      if (!e.getClientRects().length) continue;
      const box = e.getBoundingClientRect();
      const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
      const below = rects.filter(rect => {
        const b = rect.getBoundingClientRect();
        return b.left <= x && x <= b.right && b.top <= y && y <= b.bottom;
      }).pop();
      const fill = below ? getComputedStyle(below).fill : paper;
      if (!fill.startsWith("url")) note(e.textContent, ratio(getComputedStyle(e).fill, fill), 4.5);
    }
    const strokes = ".curve, .mark, .bar, .band, .hatched, .near";
    for (const e of picture.querySelectorAll(strokes))
      note(e.getAttribute("class"), ratio(getComputedStyle(e).stroke, paper), 3);
  }
  return {faint, measured};
})()"""

FOCUS = """(() => {
  const e = document.activeElement;
  if (!e || e == document.body) return null;
  const style = getComputedStyle(e), box = e.getBoundingClientRect();
  return {
    number: [...document.querySelectorAll("*")].indexOf(e), tag: e.tagName.toLowerCase(),
    name: e.getAttribute("aria-label") || e.textContent.slice(0, 40),
    outline: style.outlineStyle == "none" ? 0 : parseFloat(style.outlineWidth),
    visible: box.bottom > 0 && box.top < innerHeight,
    scrolls: e.scrollWidth > e.clientWidth + 1,
  };
})()"""

MOVED = """new Promise(done => {
  const end = Date.now() + 2000, e = document.activeElement;
  const look = () =>
    e.scrollLeft > 0 || Date.now() > end ? done(e.scrollLeft) : setTimeout(look, 5);
  look();
})"""

OPENED = """document.querySelectorAll("details").forEach(e => { e.open = true; })"""
"""Unfolds the tables, which are measured, too."""

USED = """(async () => {
  const found = {tables: [], pictures: []}, tip = document.querySelector(".tip");
  const soon = () => new Promise(done => setTimeout(done, 0));
  for (const table of document.querySelectorAll("table")) {
    const rows = () => [...table.tBodies[0].rows].filter(e => !e.hidden)
      .map(row => [...row.cells].map(cell => cell.textContent));
    const one = {id: table.id, before: rows(), sorted: []};
    const buttons = [...table.querySelectorAll("button")];
    /* a browser refuses more than 200 changes of the address in a few seconds */
    for (const button of new Set([buttons[0], buttons.at(-1)].filter(Boolean))) {
      const column = button.parentElement.cellIndex, steps = [];
      for (let click = 0; click < 3; click++) {
        button.click();
        steps.push([button.parentElement.getAttribute("aria-sort"), location.hash, rows()]);
      }
      one.sorted.push({column, steps});
    }
    const input = table.closest(".scroll").previousElementSibling?.querySelector("input");
    if (input) {
      const words = one.before.at(-1)[0].split(" ")[0];
      input.value = words;
      input.dispatchEvent(new Event("input"));
      one.filtered = {words, rows: rows(), address: location.hash};
      location.hash = "";
      await soon();
      one.without = rows();
      location.hash = one.filtered.address;
      await soon();
      one.again = rows();
      location.hash = `#${table.id}&${table.id}.sort=99d&${table.id}.find=%zz%3Cscript%3E`;
      await soon();
      one.hostile = input.value;
    }
    found.tables.push(one);
  }
  for (const picture of document.querySelectorAll("svg.picture")) {
    const told = [];
    for (const shape of picture.querySelectorAll("g rect, g path, g line, text")) {
      shape.dispatchEvent(new PointerEvent("pointermove", {bubbles: true}));
      if (tip.textContent) told.push(tip.textContent);
    }
    picture.dispatchEvent(new PointerEvent("pointerleave"));
    found.pictures.push({name: picture.getAttribute("aria-label"), told, left: tip.textContent});
  }
  found.zoomed = [];
  for (const picture of document.querySelectorAll("svg[data-zooms]")) {
    const width = () => picture.getBoundingClientRect().width;
    const one = {width: width(), steps: []};
    const [closer, farther] = picture.closest("figure").querySelectorAll(".filter button");
    for (const button of [closer, closer, farther, farther]) {
      button.click();
      one.steps.push([button.textContent, width(), location.hash]);
    }
    location.hash = `#${picture.closest("figure").id}&${picture.closest("figure").id}.zoom=1e9`;
    await soon();
    one["by address"] = width();
    found.zoomed.push(one);
  }
  return found;
})()"""

COUNTED = ("h1", "h2", "figure", "svg", "rect", "line", "text", "li", "th", "td", "script")
STRUCTURE = f"""Object.fromEntries({json.dumps(COUNTED)}.map(
  tag => [tag, document.querySelectorAll(tag).length]))"""


def axe() -> str | None:
    """The script of axe-core, if a package has brought it."""
    found = importlib.util.find_spec("axe_core_python")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).with_name("axe.min.js").read_text()


def measure(program: str, pages: Path, into: Path) -> None:
    """Measures every page of a directory; writes NAME.json and NAME.pdf into another. Of pages
    called bad-NAME one view is enough."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        browser(program, pages, Path(profile)) as opened,
    ):
        script = axe()
        for page in sorted(pages.glob("*.html")):
            views = ["360"] if page.stem.startswith("bad-") else [*VIEWS]
            found = _page(opened, page.name, views, script)
            (into / f"{page.stem}.pdf").write_bytes(opened.pdf())
            (into / f"{page.stem}.json").write_text(json.dumps(found))


def _page(opened: Browser, name: str, views: Sequence[str], script: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {"layout": {}, "contrast": {}, "said": [], "asked": [], "axe": {}}
    for view in views:
        opened.open(name, *VIEWS[view])
        opened.told(OPENED)
        found["layout"][view] = opened.told(LAYOUT)
        found["contrast"][view] = opened.told(CONTRAST)
        found["said"] += opened.said
        found["asked"] += opened.asked
        if view == "360":
            found["structure"] = opened.told(STRUCTURE)
            found["title"] = opened.told("document.title")
            found["stops"] = _stops(opened)
        if script and view in ("360", "360-dark"):
            opened.told(script + "; null")
            found["axe"][view] = opened.told(
                "axe.run().then(r => r.violations.map(v => v.id + ': ' + v.nodes[0].html))"
            )
    if len(views) > 1:
        opened.open(name, *VIEWS["800"])
        found["used"] = opened.told(USED)
        found["said"] += opened.said
        found["title after"] = opened.told("document.title")
    opened.open(name, PAPER)
    opened.told(OPENED)
    opened.medium("print")
    found["layout"]["print"] = opened.told(LAYOUT)
    found["broken"] = opened.told(
        "[...document.querySelectorAll('svg.picture, tr')]"
        ".filter(e => getComputedStyle(e).breakInside != 'avoid').length"
    )
    return found


def _stops(opened: Browser) -> list[dict[str, Any]]:
    """Returns where the Tab key leads; of what scrolls, how far an arrow key takes it."""
    found: list[dict[str, Any]] = []
    for _ in range(_STOPS):
        opened.press(*_TAB)
        stop = opened.told(FOCUS)
        if stop is None or (found and stop["number"] == found[0]["number"]):
            return found
        if stop["scrolls"]:
            opened.press(*_RIGHT)
            stop["moved"] = opened.told(MOVED)
        if stop["tag"] == "svg":
            opened.press(*_RIGHT)
            stop["tip"] = opened.told("document.querySelector('.tip').textContent")
        found.append(stop)
    raise AssertionError("the Tab key leads nowhere")


def sheets(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))
