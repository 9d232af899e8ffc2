"""The pages of the documentation site in one Chromium: what is wide, cut or faint."""

from pathlib import Path

from tests.support.chromium import Browser, browser
from tests.support.html_measured import CONTRAST

WIDTHS = (1400, 800, 360)
_WITHOUT_CUTS = "800", "360"
"""The widths at which code scrolls sideways."""
_STILL = """document.head.insertAdjacentHTML("beforeend",
  "<style>* { transition: none !important; animation: none !important }</style>")"""
_OVERFLOW = """new Promise(done => requestAnimationFrame(() => {
  const within = new Map([[null, false]]);
  const scrolled = e => {
    if (!within.has(e))
      within.set(e, e != document.body && (/auto|scroll/.test(getComputedStyle(e).overflowX)
        || scrolled(e.parentElement)));
    return within.get(e);
  };
  const width = document.documentElement.clientWidth, wide = [], cut = [];
  for (const e of document.querySelectorAll("body *:not(pre *), pre > code")) {
    if (!e.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    const box = e.getBoundingClientRect();
    if (box.width > 1 && box.left < width && box.right > width + 1 && !scrolled(e.parentElement))
      wide.push(e.outerHTML.slice(0, 80));
    if (e.matches("pre, pre > code") && e.scrollWidth > e.clientWidth + 1)
      cut.push(e.textContent.slice(0, 60));
  }
  done({wide, cut});
}))"""
_DARK = """document.body.hasAttribute("data-md-color-scheme") &&
  (document.body.setAttribute("data-md-color-scheme", "slate"), true)"""
"""Switches to the dark scheme, and tells whether the page has one."""


def measured(program: str, site: Path, profile: Path) -> dict[str, list[str]]:
    """Returns each page's faults. profile: an empty directory for the browser."""
    pages = sorted(file.relative_to(site).as_posix() for file in site.rglob("*.html"))
    with browser(program, site, profile) as opened:
        return {page: list(dict.fromkeys(_faults(opened, page))) for page in pages}


def _faults(opened: Browser, page: str) -> list[str]:
    opened.open(page, WIDTHS[0])
    opened.told(_STILL)
    found = {}
    for width in WIDTHS:
        opened.resize(width)
        found[str(width)] = opened.told(_OVERFLOW) | opened.told(CONTRAST)
    if opened.told(_DARK):
        found["dark"] = opened.told(CONTRAST)
    return [
        f"{view}: {kind}: {fault}"
        for view, kinds in found.items()
        for kind in ("wide", "cut", "faint")
        for fault in kinds.get(kind, [])
        if kind != "cut" or view not in _WITHOUT_CUTS
    ]
