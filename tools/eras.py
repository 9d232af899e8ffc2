"""C headers for the core: python -m tools.eras DIRECTORY

setup.py writes them when the extension is built. structs.h has the structs that Python hands to
the core. GOVERNOR_features.h has the struct of the features
that the governor's C reads, constants for the texts that it names, and the releases' features for
code specialised by them. What the C does not read or name is left out, so that the core can say of
a release that it needs more. Needs the standard library only, for a build has no more.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from idle_states.base.model.history import choices, types_of
from idle_states.tables.linux.governors import governor_names
from idle_states.tables.linux.governors.core.structs import STRUCTS
from idle_states.tables.linux.releases import LONG_TERM, MAINLINE, SERIES, release
from tools.command_line import parsed

CORE = Path(__file__).parent.parent / "idle_states/tables/linux/governors/core"
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
FEATURE = re.compile(r"\bf(?:->|\.)(\w+)")
"""The form in which the core's C reads a feature."""
CONSTANT = re.compile(r"\b[A-Z][A-Z0-9_]+\b")
SPECIALISED = (*MAINLINE, *(last for last in SERIES if last.rpartition(".")[0] in LONG_TERM))
"""Releases whose features get code of their own."""
KEYWORDS = ("signed",)
"""Fields that C would not have by these names: there they end in an underscore."""


@dataclass(frozen=True)
class Feature:
    """A feature that C reads. constants: what it calls the texts that it knows; none: a number."""

    name: str
    constants: dict[str, str]

    @property
    def field(self) -> str:
        return self.name + "_" if self.name in KEYWORDS else self.name

    @property
    def known(self) -> str:
        """Returns an entry of an array of struct feature."""
        texts = ", ".join(f'"{text}"' for text in self.constants)
        values = f"(const char *const[]){{{texts}, NULL}}" if texts else "NULL"
        return f'{{"{self.name}", {values}}}'

    def initialiser(self, value: Any) -> str:
        """Raises KeyError for a text that C does not know."""
        number = self.constants[value] if self.constants else f"{int(value)}u"
        return f".{self.field} = {number}"


def header(governor: str) -> str:
    """The text of GOVERNOR_features.h."""
    source = _source(governor)
    known = [*_known(governor, source)]
    name = governor.upper()
    lines = [f"/* Written by tools/eras.py from {governor}_features.py; changes belong there. */"]
    lines += [
        f"enum {{ {', '.join(each.constants.values())} }};" for each in known if each.constants
    ]
    lines += [f"struct {governor}_features {{", *(f"\tu32 {each.field};" for each in known), "};"]
    lines += [_macro(f"{name}_KNOWN", [f"{each.known}," for each in known])]
    if f"{name}_ERAS" in source:
        lines += [_macro(f"{name}_ERAS(ERA)", [*_eras(governor, known)])]
    return "\n".join(lines) + "\n"


def structs() -> str:
    """The text of structs.h."""
    origin = (
        "/* Written by tools/eras.py from core/structs.py; changes belong there. */\n#pragma once\n"
    )
    return origin + "".join(each.declaration() for each in STRUCTS)


def write(directory: Path) -> list[Path]:
    """The headers, made or brought up to date: a file whose text stays is not touched."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = []
    texts = {f"{governor}_features.h": header(governor) for governor in governor_names()}
    for name, text in {**texts, "structs.h": structs()}.items():
        path = directory / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def constant(name: str, text: str) -> str:
    """stopped_tick, "deep enough" -> STOPPED_TICK_DEEP_ENOUGH."""
    return f"{name}_{text or 'none'}".upper().replace(" ", "_")


def _source(governor: str) -> str:
    files = sorted(CORE.glob(f"{governor}*.[ch]"))
    return COMMENT.sub(" ", "\n".join(file.read_text(encoding="utf-8") for file in files))


def _module(governor: str) -> Any:
    return import_module(f"idle_states.tables.linux.governors.{governor}_features")


def _features(governor: str) -> Any:
    """The dataclass of the governor's features."""
    return type(_module(governor).HISTORY.oldest)


def _known(governor: str, source: str) -> Iterator[Feature]:
    """Yields what the C reads, in the dataclass's order. If it names no text of a feature, the
    texts make no difference to it, and all are known."""
    read = {field.removesuffix("_") for field in FEATURE.findall(source)}
    named = set(CONSTANT.findall(source))
    for name, kind in types_of(_features(governor)).items():
        if name not in read:
            continue
        texts = [text for text in choices(kind) if isinstance(text, str)]
        constants = {text: constant(name, text) for text in texts}
        mentioned = {text: word for text, word in constants.items() if word in named}
        yield Feature(name, mentioned or constants)


def _eras(governor: str, known: list[Feature]) -> Iterator[str]:
    """ERA(name, initialisers) for each set of features that C knows, by its first release; of teo
    the second generation only, the first is not specialised. Of mainline, and the last release of
    each long-term series: other point releases run code for any features, for each era takes as
    long to compile as all the rest."""
    oldest = _module(governor).HISTORY.oldest
    unread = types_of(_features(governor)).keys() - {each.name for each in known}
    seen = set()
    for name in SPECIALISED:
        try:
            chosen = _module(governor).features(release(name))
        except ValueError:
            continue
        if chosen in seen or not getattr(chosen, "bins", True):
            continue
        seen.add(chosen)
        if any(getattr(chosen, name) != getattr(oldest, name) for name in unread):
            continue
        try:
            words = [each.initialiser(getattr(chosen, each.name)) for each in known]
        except KeyError:
            continue
        yield f"ERA(v{re.sub('[.-]', '_', name)}, {', '.join(words)})"


def _macro(name: str, lines: list[str]) -> str:
    return " \\\n\t".join([f"#define {name}", *lines])


def main() -> None:
    for path in write(Path(parsed(__doc__, "DIRECTORY").directory)):
        print(path)


if __name__ == "__main__":
    main()
