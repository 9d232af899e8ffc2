"""Runs the commands that docs/claims.md shows, and writes it: published claims, what idle-states
prints of each, and whether that is what was published. Exits 1 if a claim fails."""

import contextlib
import io
import json
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from idle_states.base.files import write_file
from idle_states.cli import main as idle_states
from tools import claims_rates
from tools.command_line import parsed

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(__file__).with_name("claims.yaml")
PAGE = ROOT / "docs" / "claims.md"
REPRODUCED, BOUNDED, FAILS = "reproduced", "bounded", "fails"
NOT, SEE = "not to be had", "see published.md"
_TAKES = ("value", "change", "ratio", "share", "part", "per", "times", "line")
_KEYS = {
    *("claim", "published", "of", "command", "unit", "digits", "is", "within", "bounded"),
    *("why", "decides", "see", *_TAKES),
}
SECTIONS = {"rates": claims_rates.sections}
_HEAD = """\
# Published claims

Made by `make seeds`, which runs every command below and fails if one prints something else; not
edited by hand. The rows are `tools/claims.yaml`, with what is taken of each command's output; the
inputs of `stats` and `tune` are figures that were published (`tests/data/claims`), and
`figures.yaml` there lists every figure of the five documents: a test finds a row for each.

- **reproduced**: to the last digit that is shown.
- **bounded**: within the range that stands beside it: which way and roughly how far, as simulated
  rows rest on `simulate`'s parameters ([simulation.md](simulation.md)), or what a histogram allows.
- **not to be had**: no model has it; the reason, and the measurement that would decide.

Measurements over periods are compared with simulations row by row in [published.md](published.md).
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """A row of the data file.

    of         keys in tests/data/claims/figures.yaml that the row answers: DOCUMENT/PLACE
    takes      (how the figure is taken, its arguments); None without a command
    bounds     what is printed bounds the figure, though it must be exactly that
    why        why no model reproduces the claim, or, elsewhere, what docs/published.md has of it
    decides    what measurement would decide
    """

    claim: str
    published: str
    of: tuple[str, ...]
    command: tuple[str, ...]
    takes: tuple[str, Any] | None
    unit: str
    digits: int | None
    expected: str | None
    within: tuple[float | None, float | None] | None
    bounds: bool
    why: str
    decides: str
    elsewhere: bool

    @property
    def words(self) -> str:
        return shlex.join(("idle-states", *self.command)) if self.command else ""

    @property
    def range(self) -> str:
        """The range that the figure must lie in, in words."""
        low, high = self.within or (None, None)
        if low is None or high is None:
            return f"at most {high}" if low is None else f"at least {low}"
        return f"{low} to {high}" if low != high else str(low)

    @property
    def reason(self) -> str:
        return f"{self.why}. To decide: {self.decides}" if self.decides else self.why


@dataclass(frozen=True, slots=True)
class Document:
    """A published document with its claims. section: key in SECTIONS of what follows them."""

    title: str
    source: str
    claims: tuple[Claim, ...]
    section: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a claim. printed: the figure with its unit, or the error."""

    claim: Claim
    printed: str
    verdict: str


class BadClaim(ValueError):
    """A row of the data file that says too little or too much; the message names it."""


def documents(text: str) -> tuple[Document, ...]:
    """Reads the data file. Raises BadClaim."""
    return tuple(
        Document(
            one["title"], one["source"], tuple(map(_claim, one["rows"])), one.get("section", "")
        )
        for one in yaml.safe_load(text)
    )


def _claim(row: Mapping[str, Any]) -> Claim:
    name = row.get("claim", "a row without a claim")
    takes = [key for key in _TAKES if key in row]
    checks = [key for key in ("is", "within") if key in row]
    reasons = tuple(key for key in ("why", "decides", "see") if key in row)
    wanted = (1, 1) if "command" in row else (0, 0)
    allowed = ((), ("why", "decides")) if "command" in row else (("why", "decides"), ("see",))
    complete = (len(takes), len(checks)) == wanted and reasons in allowed
    if not complete or not row.keys() <= _KEYS:
        raise BadClaim(
            "expected a command, one figure and one expectation, or why and decides, or see: "
            f"{name}"
        )
    low, high = row.get("within", (None, None))
    of = row.get("of", ())
    return Claim(
        name,
        row.get("published", ""),
        (of,) if isinstance(of, str) else tuple(of),
        tuple(shlex.split(row.get("command", ""))),
        (takes[0], row[takes[0]]) if takes else None,
        row.get("unit", ""),
        row.get("digits"),
        row.get("is"),
        (low, high) if "within" in row else None,
        row.get("bounded", False),
        row[reasons[0]] if reasons else "",
        row.get("decides", ""),
        "see" in row,
    )


@cache
def printed(words: tuple[str, ...]) -> str:
    """Returns what a command line of idle-states prints; the command runs in this process, once.
    Raises BadClaim if it cannot do what it is asked for."""
    out, err = io.StringIO(), io.StringIO()
    streams = contextlib.redirect_stdout(out), contextlib.redirect_stderr(err)
    with contextlib.chdir(ROOT), streams[0], streams[1]:
        try:
            status = idle_states(words)
        except SystemExit as exit_:
            status = int(exit_.code or 0)
    # 1: findings
    if status > 1:
        raise BadClaim(err.getvalue().strip())
    return out.getvalue()


def answer(claim: Claim) -> Answer:
    """Runs a claim's command and compares."""
    if claim.takes is None:
        return Answer(claim, claim.reason, SEE if claim.elsewhere else NOT)
    try:
        found = _figure(claim)
    except (BadClaim, LookupError, TypeError) as error:
        return Answer(claim, f"no figure: {error}", FAILS)
    if isinstance(found, str) and claim.within is None and claim.digits is None:
        shown = found
    else:
        # adding 0 turns -0.0 into 0.0
        rounded = found if claim.digits is None else round(float(found), claim.digits) + 0.0
        shown = str(found) if claim.digits is None else f"{rounded:.{claim.digits}f}"
    holds = shown == claim.expected
    if claim.within is not None:
        low, high = claim.within
        value = float(found)
        holds = (low is None or low <= value) and (high is None or value <= high)
    text = f"{shown} {claim.unit}" if claim.unit else shown
    if claim.within is not None:
        text += f" (expected: {claim.range})"
    if not holds:
        return Answer(claim, text, FAILS)
    if claim.why:
        return Answer(claim, f"{text}: {claim.reason}", NOT)
    bounded = claim.bounds or claim.within is not None
    return Answer(claim, text, BOUNDED if bounded else REPRODUCED)


def _figure(claim: Claim) -> Any:
    assert claim.takes is not None
    how, arguments = claim.takes
    if how == "line":
        match = re.search(arguments, printed(claim.command))
        if match is None:
            raise BadClaim(f"no line has {arguments!r}")
        return match[1]
    document = json.loads(printed((*claim.command, "--format", "json")))
    if how == "value":
        return _at(document, arguments)
    if how == "change":
        before, after = (_at(document, path) for path in arguments)
        return 100 * (after / before - 1)
    if how == "ratio":
        first, second = (_at(document, path) for path in arguments)
        return second / first if first else float("inf")
    if how == "part":
        path, whole = arguments
        return 100 * _at(document, path) / whole
    if how == "share":
        most, least, whole = (_at(document, path) for path in arguments)
        return 100 * (most - least) / whole
    number, path = arguments
    value = _at(document, path)
    return number / value if how == "per" else number * value


def _at(document: Any, path: str) -> Any:
    for word in path.split("."):
        document = document[int(word) if isinstance(document, list) else word]
    return document


def page(found: Sequence[tuple[Document, Sequence[Answer]]]) -> str:
    """docs/claims.md."""
    parts = [_HEAD]
    for document, answers in found:
        parts.append(f"\n## {document.title}\n\n{document.source}.\n\n")
        parts.append(
            "| claim | published | command | it prints | verdict |\n|---|---|---|---|---|\n"
        )
        for one in answers:
            command = f"`{one.claim.words}`" if one.claim.command else ""
            cells = (one.claim.claim, one.claim.published, command, one.printed, one.verdict)
            parts.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
        if document.section:
            parts.append(f"\n{SECTIONS[document.section]()}")
    return "".join(parts)


def answers(some: Sequence[Document]) -> Iterator[tuple[Document, list[Answer]]]:
    """Runs everything, document by document."""
    for document in some:
        yield document, [answer(claim) for claim in document.claims]


def main() -> int:
    found = []
    failed = 0
    for document, own in answers(documents(DATA.read_text())):
        found.append((document, own))
        print(document.title)
        for one in own:
            failed += one.verdict == FAILS
            print(f"  {one.verdict}: {one.claim.claim}")
            if one.claim.command:
                print(f"      {one.claim.words}")
            published = f" (published: {one.claim.published})" if one.claim.published else ""
            print(f"      {one.printed}{published}")
    write_file(PAGE, page(found))
    total = sum(len(own) for _, own in found)
    print(f"{total} claims, {failed} of them fail")
    return bool(failed)


if __name__ == "__main__":
    parsed(__doc__)
    sys.exit(main())
