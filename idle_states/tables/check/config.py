"""The project's own configuration: section [idle-states] of setup.cfg, or [tool.idle-states] of
pyproject.toml with the same keys.

    [idle-states]
    tables = specs, hw/slw.c
    kernels = 4.11, 6.1
    platform = op920
    select = IS2, IS4
    ignore = IS212
    fail-on = warning
    format = github
    IS209.percent = 5
    suppress =
        IS203 power9:states[4].residency until 2027-03-31 level on purpose until stop5 is measured
        IS201,IS420 power9_dd1_cpu_idle_states[0].* the table of a chip that is gone

`kernels` to `format` are what the options of those names are where they are not given; `tables` is
what `check` takes without TABLE, within the file's own directory. A key with a dot is a threshold
of a rule, which `explain RULE` names. One suppression a line: rules, a logical path (* stands for
anything; FILE:PATH for trees), the day until which it holds, if it ends, and the reason. For C and
device trees, where no comment can stand beside the value; a spec has `# idle-states: ignore[...]`.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from os.path import dirname, relpath
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from ...base.dataclass import dataclass, field
from ...base.model.findings import Finding, Location, Severity, Unreadable, next_step
from ...base.patterns import pattern
from ...base.reading import limits, opening, owners
from ...base.reading.budget import within_budget

if TYPE_CHECKING:
    from datetime import date

FILES = ("setup.cfg", "pyproject.toml")
_SECTION = "idle-states"
_KEYS = ("tables", "kernels", "platform", "select", "ignore", "fail-on", "format", "suppress")
LISTS = ("tables", "kernels", "select", "ignore")
_CHOICES = {
    "fail-on": ("error", "warning", "note"),
    "format": ("text", "json", "sarif", "github", "junit"),
}
_LINE = pattern(
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
    until: "date | None"
    where: Location

    def covers(self, rule: str, where: Location) -> bool:
        """Tells whether the suppression is for a finding. A file may be named as messages show it,
        or as it is seen from the configuration's directory."""
        if rule not in self.rules:
            return False
        names = {where.path, f"{where.file}:{where.path}"}
        if where.file and self.where.file:
            names.add(f"{relpath(where.file, dirname(self.where.file) or '.')}:{where.path}")
        return any(_is_like(name, self.path) for name in names)

    def holds(self, today: "date") -> bool:
        return bool(self.reason) and (self.until is None or today <= self.until)


@dataclass(frozen=True, slots=True)
class Configuration:
    """A project's configuration.

    file      where it stands, as messages show it
    tables    files and directories below the file's directory
    settings  option -> what it is where it is not given: "kernel", "platform", "select", "ignore",
              "fail_on", "format"
    thresholds  (name, value) of rules' thresholds: ("IS209.percent", 5)
    accepted  suppressions in the order they stand
    text      what the file holds
    """

    file: str
    tables: tuple[str, ...]
    settings: dict[str, tuple[str, ...] | str]
    thresholds: tuple[tuple[str, int], ...]
    accepted: tuple[Accepted, ...]
    text: str = field(default="", repr=False)


def find(start: Path) -> tuple[Path, str] | None:
    """Returns the nearest file with the section, and its text: here or, within a repository, above.
    Files and a .git of other users do not count. Raises Unreadable if one directory has two."""
    for directory in _searched(start, ours=True):
        found = [
            (file, text)
            for file in (directory / name for name in FILES)
            if opening.is_file(file) and not owners.stranger_at(file)
            for text, owner in [_text(file)]
            if not owner and configures(file.name, text)
        ]
        if len(found) > 1:
            message = f"expected one configuration, found another in {found[0][0].name}"
            raise _bad(found[1][0].as_posix(), None, message)
        if found:
            return found[0]
    return None


def passed_over(start: Path) -> str:
    """Returns a note about the file that `find` would take if all were the user's own; "" if that
    is the one it takes, or there is none."""
    own, found = find(start), find_any(start)
    if found is None or (own and own[0] == found[0]):
        return ""
    file = relpath(found[0])
    git = [*_searched(start, ours=False)][-1] / ".git"
    for whose, path in (("it", found[0]), (str(git), git)):
        if owner := owners.stranger_at(path):
            use = f"--config {file} uses it"
            return f"{file} is not used: {whose} belongs to {owner}, not to you or root; {use}"
    return ""


def find_any(start: Path) -> tuple[Path, str] | None:
    """Returns the nearest file with the section that can be read, and its text, whosever it and
    the repository are."""
    for directory in _searched(start, ours=False):
        for file in (directory / name for name in FILES):
            with suppress(OSError, Unreadable):
                if opening.is_file(file) and configures(file.name, text := _text(file)[0]):
                    return file, text
    return None


def _searched(start: Path, *, ours: bool) -> Iterator[Path]:
    """Directories that may hold the configuration, the nearest first. ours: a .git of another user
    does not make a repository."""
    above = (start, *start.parents)
    for number, top in enumerate(above):
        git = top / ".git"
        if opening.kind_of(git) and not (ours and owners.stranger_at(git)):
            yield from above[: number + 1]
            return
    yield start


def configures(name: str, text: str) -> bool:
    """Tells whether a file of a name in FILES has our section."""
    if not name.endswith(".toml"):
        return re.search(rf"^\[{_SECTION}\]", text, re.MULTILINE) is not None
    if _SECTION not in text:
        return False
    import tomllib

    try:
        with within_budget(name, len(text)):
            tool = tomllib.loads(text).get("tool")
        return isinstance(tool, dict) and _SECTION in tool
    except (tomllib.TOMLDecodeError, RecursionError):
        # of a damaged file only what is surely ours is a complaint of ours
        return f"[tool.{_SECTION}]" in text


def read(path: Path) -> Configuration:
    """Reads a configuration, of "-" from standard input. Raises Unreadable with the line for what
    is no configuration; OSError."""
    if path.as_posix() == opening.STANDARD_INPUT:
        data = opening.standard_input(limits.CONFIGURATION_BYTES)
        return parse(opening.decoded(data), opening.STANDARD_INPUT)
    return parse(_text(path)[0], path.as_posix())


@next_step("idle-states explain RULE shows a wrong and a right configuration")
def parse(text: str, shown: str) -> Configuration:
    """The configuration in the text of a file. shown: its name in messages; one that ends in .toml
    is read as TOML. Raises Unreadable with the line."""
    values = entries(text, shown)
    dotted = {key: values.pop(key) for key in list(values) if "." in key}
    thresholds = tuple(_threshold(shown, key, *setting) for key, setting in dotted.items())
    for key, (line, _) in values.items():
        if key not in _KEYS:
            message = f"expected {', '.join(_KEYS)} in the section, found {key!r}"
            raise _bad(shown, line, message)
    suppress = values.pop("suppress", (None, []))[1]
    tables = _tables(shown, *values.pop("tables", (None, [])))
    settings = {
        key.replace("-", "_").replace("kernels", "kernel"): _setting(shown, key, line, setting)
        for key, (line, setting) in values.items()
    }
    accepted = tuple(_accepted(shown, number, line) for number, line in suppress)
    return Configuration(shown, tables, settings, thresholds, accepted, text)


Entries = list[tuple[int | None, str]]
"""(line, text) of the lines or items of a value."""


def entries(text: str, shown: str) -> dict[str, tuple[int | None, Entries]]:
    """Key -> (its line, its lines or items) of the section in the text of a file; the rule of a
    threshold in capital letters. Raises Unreadable."""
    with within_budget(shown, len(text)):
        return _toml(text, shown) if shown.endswith(".toml") else _ini(text, shown)


def _ini(text: str, shown: str) -> dict[str, tuple[int | None, Entries]]:
    """Key -> (its line, its lines)."""
    import configparser

    parser = configparser.ConfigParser(interpolation=None, default_section="")
    try:
        parser.read_string(text, shown)
    except configparser.Error as error:
        line = getattr(error, "lineno", None)
        raise _bad(shown, line, f"expected an ini file, found: {error.message}") from None
    if not parser.has_section(_SECTION):
        raise _bad(shown, None, f"expected a section [{_SECTION}], found none")
    found: dict[str, tuple[int | None, Entries]] = {}
    here, key = "", ""
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if stripped[0] == "[" and line[0] == "[":
            here, key = stripped[1:].partition("]")[0], ""
            continue
        if not line[0].isspace():
            key, _, stripped = (part.strip() for part in re.split("([=:])", line, maxsplit=1))
            key = _canonical(key)
            if here == _SECTION:
                found[key] = (number, [])
        if here == _SECTION and key in found and stripped:
            found[key][1].append((number, stripped))
    return found


def _toml(text: str, shown: str) -> dict[str, tuple[int | None, Entries]]:
    import tomllib

    try:
        section = tomllib.loads(text).get("tool", {}).get(_SECTION)
    except (tomllib.TOMLDecodeError, AttributeError, RecursionError) as error:
        raise _bad(shown, None, f"expected TOML, found: {error}") from None
    if not isinstance(section, dict):
        raise _bad(shown, None, f"expected a section [tool.{_SECTION}], found none")
    found: dict[str, tuple[int | None, Entries]] = {}
    for key, value in _flat(section):
        items = value if isinstance(value, list) else [value]
        if not all(isinstance(item, str) for item in items):
            message = f"expected a text or a list of texts as {key}, found {value!r:.80}"
            raise _bad(shown, _line_of(text, key), message)
        line = _line_of(text, key) or _line_of(text, key.rpartition(".")[2])
        found[key] = (line, [(_line_of(text, item), item) for item in items])
    return found


def _flat(section: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yields (key, value), of thresholds with numbers as texts: `IS209.percent = 5` is a table to
    TOML."""
    for key, value in section.items():
        if isinstance(value, dict):
            yield from _flat({f"{key}.{name}": each for name, each in value.items()})
        elif "." in key and isinstance(value, int):
            yield _canonical(key), str(value)
        else:
            yield _canonical(key) if "." in key else key, value


def _canonical(key: str) -> str:
    """Returns a key in small letters, but for the code of a rule."""
    code, dot, name = key.rpartition(".")
    return f"{code.upper()}{dot}{name.lower()}"


def _line_of(text: str, wanted: str) -> int | None:
    """The first line that has a text; TOML's reader does not tell the lines."""
    at = text.find(wanted)
    return text.count("\n", 0, at) + 1 if at >= 0 else None


def words(lines: Entries) -> tuple[str, ...]:
    return tuple(word for _, entry in lines for word in re.split(r"[\s,]+", entry) if word)


def _setting(shown: str, key: str, line: int | None, lines: Entries) -> tuple[str, ...] | str:
    if key in LISTS:
        return words(lines)
    text = " ".join(entry for _, entry in lines)
    if key == "platform" and "spec=" in text:
        raise _bad(shown, line, "expected no spec= in a configuration: name the spec as a table")
    choices = _CHOICES.get(key)
    if choices and text not in choices:
        raise _bad(shown, line, f"expected {', '.join(choices)} as {key}, found {text!r:.80}")
    return text


def _threshold(shown: str, key: str, line: int | None, lines: Entries) -> tuple[str, int]:
    from .thresholds import value_of

    try:
        return key, value_of(key, " ".join(entry for _, entry in lines))
    except ValueError as error:
        raise _bad(shown, line, f"{error}") from None


def _tables(shown: str, line: int | None, lines: Entries) -> tuple[str, ...]:
    for word in words(lines):
        if word.startswith("/") or ".." in PurePosixPath(word).parts:
            message = f"expected tables below the file's own directory, found {word!r:.80}"
            raise _bad(shown, line, message)
    return words(lines)


def _text(path: Path) -> tuple[str, str]:
    """Returns the text of a file, and the owner of what was read if that is another user."""
    with opening.open_file(path) as file:
        owner = owners.stranger(os.fstat(file.fileno()))
        data = opening.bounded(file, limits.CONFIGURATION_BYTES, path.as_posix())
    if any(_SECTION.encode(order) in data for order in ("utf-16-le", "utf-16-be")):
        opening.expect_utf8(data, path.as_posix())
    return opening.decoded(data), owner


def _accepted(file: str, number: int | None, line: str) -> Accepted:
    match = _LINE.fullmatch(line)
    if match is None:
        message = f"expected 'RULES PATH [until YYYY-MM-DD] REASON', found {line!r:.80}"
        raise _bad(file, number, message)
    until = None
    if match["until"]:
        try:
            from datetime import date

            until = date.fromisoformat(match["until"])
        except ValueError:
            message = f"expected a day as YYYY-MM-DD after 'until', found {match['until']!r}"
            raise _bad(file, number, message) from None
    return Accepted(
        tuple(match["rules"].split(",")),
        match["path"],
        match["reason"],
        until,
        Location(match["path"], file, number, 1 if number else None),
    )


def _is_like(name: str, pattern: str) -> bool:
    """Tells whether a name matches a pattern in which only * is special (brackets occur in paths).
    Each part between two * is matched at its first occurrence, so that no pattern takes long; a
    regular expression would try all occurrences."""
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


def _bad(file: str, line: int | None, message: str) -> Unreadable:
    where = Location(_SECTION, file, line, 1 if line else None)
    return Unreadable([Finding("IS905", "bad-configuration", Severity.ERROR, message, where)])
