"""The project's own configuration: section [idle-states] of setup.cfg.

    [idle-states]
    suppress =
        IS203 power9:states[4].residency until 2027-03-31 level on purpose until stop5 is measured
        IS201,IS420 power9_dd1_cpu_idle_states[0].* the table of a chip that is gone

One suppression a line: rules, a logical path (* stands for anything; FILE:PATH for trees), the
day until which it holds, if it ends, and the reason. For C and device trees, where no comment can
stand beside the value; a spec has `# idle-states: ignore[...]`.
"""

import configparser
import datetime
import re
from dataclasses import dataclass
from pathlib import Path

from ..findings import Finding, Location, Severity, Unreadable
from ..reading import limits, opening

FILE = "setup.cfg"
SECTION = "idle-states"
_KEYS = ("suppress",)
_LINE = re.compile(
    r"(?P<rules>IS[0-9]{3}(?:,IS[0-9]{3})*)\s+(?P<path>\S+)(?:\s+until\s+(?P<until>\S+))?\s*(?P<reason>.*)"
)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A suppression in setup.cfg.

    rules   codes of the rules
    path    logical path of the findings; * stands for anything
    reason  the reason given; if "", the suppression has no effect (IS901)
    until   last day on which it holds, None: always
    where   its line
    """

    rules: tuple[str, ...]
    path: str
    reason: str
    until: datetime.date | None
    where: Location

    def covers(self, rule: str, where: Location) -> bool:
        return rule in self.rules and any(
            _is_like(name, self.path) for name in (where.path, f"{where.file}:{where.path}")
        )

    def holds(self, today: datetime.date) -> bool:
        return bool(self.reason) and (self.until is None or today <= self.until)


def find(start: Path) -> Path | None:
    """The nearest setup.cfg with the section: here or, within a repository, above."""
    directories = (start, *start.parents)
    tops = [number for number, path in enumerate(directories) if opening.kind_of(path / ".git")]
    for directory in directories[: tops[0] + 1 if tops else 1]:
        candidate = directory / FILE
        if opening.is_file(candidate) and f"[{SECTION}]" in _text(candidate):
            return candidate
    return None


def read(path: Path) -> tuple[Accepted, ...]:
    """Suppressions in the order they stand. Raises Unreadable with the line."""
    return parse(_text(path), path.as_posix())


def parse(text: str, shown: str) -> tuple[Accepted, ...]:
    """The suppressions in the text of a setup.cfg. shown: its file name in messages."""
    parser = configparser.ConfigParser(interpolation=None, default_section="")
    try:
        parser.read_string(text, shown)
    except configparser.Error as error:
        line = getattr(error, "lineno", None)
        raise _bad(shown, line, f"expected an ini file, found: {error.message}") from None
    if not parser.has_section(SECTION):
        raise _bad(shown, None, f"expected a section [{SECTION}], found none")
    for key in parser[SECTION]:
        if key not in _KEYS:
            message = f"expected {', '.join(_KEYS)} in [{SECTION}], found {key!r}"
            raise _bad(shown, _line_of(text, key), message)
    return tuple(_accepted(shown, number, line) for number, line in _entries(text))


def _text(path: Path) -> str:
    return opening.read_text(path, limits.CONFIGURATION_BYTES)


def _entries(text: str) -> list[tuple[int, str]]:
    """Lines of the value of `suppress` in our section, numbered as in the file."""
    entries = []
    section = key = ""
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if stripped[0] == "[" and line[0] == "[":
            section, key = stripped[1:].partition("]")[0], ""
            continue
        if not line[0].isspace():
            key, _, stripped = (part.strip() for part in re.split("([=:])", line, maxsplit=1))
        if (section, key.lower()) == (SECTION, "suppress") and stripped:
            entries.append((number, stripped))
    return entries


def _accepted(file: str, number: int, line: str) -> Accepted:
    match = _LINE.fullmatch(line)
    if match is None:
        message = f"expected 'RULES PATH [until YYYY-MM-DD] REASON', found {line!r:.80}"
        raise _bad(file, number, message)
    until = None
    if match["until"]:
        try:
            until = datetime.date.fromisoformat(match["until"])
        except ValueError:
            message = f"expected a day as YYYY-MM-DD after 'until', found {match['until']!r}"
            raise _bad(file, number, message) from None
    return Accepted(
        tuple(match["rules"].split(",")),
        match["path"],
        match["reason"],
        until,
        Location(match["path"], file, number, 1),
    )


def _is_like(name: str, pattern: str) -> bool:
    """Whether a name matches a pattern in which only * is special (brackets occur in paths). Each
    part between two * is matched at its first occurrence, so that no pattern takes long; a regular
    expression would try all occurrences."""
    first, *parts = pattern.split("*")
    if not parts:
        return name == first
    last = parts.pop()
    end = len(name) - len(last)
    at = len(first)
    if at > end or not (name.startswith(first) and name.endswith(last)):
        return False
    for part in parts:
        at = name.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True


def _line_of(text: str, key: str) -> int | None:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.lower().startswith(key):
            return number
    return None


def _bad(file: str, line: int | None, message: str) -> Unreadable:
    where = Location(SECTION, file, line, 1 if line else None)
    return Unreadable([Finding("IS905", "bad-configuration", Severity.ERROR, message, where)])
