"""Writes the figures of intel_idle's tables, as the trees that are named have them, into
idle_states/tables/linux/intel_idle/tables.py.

    python -m tools.intel_tables RELEASE=TREE ...

The figures of releases that are not named stay; `RELEASE=` takes them out. Figures alone are kept:
names, times, hints, flags, processors.
"""

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from idle_states.base.model.beyond_opal import BuiltInState, MatchedCpu
from idle_states.base.reading import opening
from idle_states.tables.linux.built_in.headers import Headers
from idle_states.tables.linux.built_in.reader import listed_cpus
from idle_states.tables.linux.intel_idle import tables as packaged
from idle_states.tables.linux.intel_idle.known import (
    LETTERS,
    SETTINGS,
    KnownRow,
    known_cpus,
    known_tables,
    spans,
)
from idle_states.tables.linux.releases import release as known_release
from idle_states.tables.sources import read_sources
from tools.command_line import parsed

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "idle_states/tables/linux/intel_idle/tables.py"
DRIVER = "drivers/idle/intel_idle.c"
_HEAD = '''"""The figures of intel_idle's tables, by release; written by tools/intel_tables.py.

TREES   the releases whose source was read, oldest first; a span A..B is of these
TABLES  array and spans; below it its rows: name, exit latency/target residency in us, MWAIT hint,
        letters of `known.LETTERS` for its flags
CPUS    name, family/model (hexadecimal), array ("-": none, the states are ACPI's), words of
        `known.SETTINGS` with a value if it is not 1, spans
"""

# ruff: noqa: E501

'''


def row(state: BuiltInState) -> str:
    assert state.mwait_hint is not None
    name2letter = {name: letter for letter, name in LETTERS.items()}
    letters = "".join(sorted(name2letter[name] for name in state.flag_names))
    times = state.exit_latency_us, state.target_residency_us
    return written(KnownRow(state.name, *times, state.mwait_hint, letters))


def written(row: KnownRow) -> str:
    latency, residency = row.times
    return f"{row.name} {latency}/{residency} {row.mwait_hint:02x} {row.flags}".rstrip()


Array = tuple[str, tuple[str, ...]]
"""Name and rows."""


def read(tree: Path) -> tuple[list[Array], list[MatchedCpu]]:
    arrays = []
    for source in read_sources(str(tree / DRIVER)):
        assert source.table is not None
        assert source.table.origin.form == "driver"
        arrays.append((source.name, tuple(map(row, source.table.origin.states))))
    return arrays, _listed(tree)


def kept(release: str) -> tuple[list[Array], list[MatchedCpu]]:
    """The packaged figures of a release."""
    arrays = [
        (t.name, tuple(map(written, t.rows))) for t in known_tables() if release in t.releases
    ]
    return arrays, [known.cpu for known in known_cpus() if release in known.releases]


def text(release2tree: dict[str, Path | None]) -> str:
    every = dict.fromkeys(packaged.TREES.split()) | release2tree
    order = sorted(
        (name for name in every if every[name] is not None or name not in release2tree),
        key=lambda name: (name[0].isalpha(), known_release(name).way[-1][1]),
    )
    tables: dict[Array, list[str]] = {}
    cpus: dict[tuple[int, int, str, str], list[str]] = {}
    names: dict[tuple[int, int], str] = {}
    for release in order:
        tree = every[release]
        arrays, listed = kept(release) if tree is None else read(tree)
        for array in arrays:
            tables.setdefault(array, []).append(release)
        for cpu in listed:
            key = cpu.family, cpu.model, cpu.table or "-", _settings(cpu)
            cpus.setdefault(key, []).append(release)
            names[cpu.family, cpu.model] = cpu.name
    lines = [
        'TREES = """',
        textwrap.fill(" ".join(order), 100, break_on_hyphens=False),
        '"""',
        "",
        'TABLES = """',
    ]
    for (name, rows), releases in tables.items():
        lines.append(f"{name} {spans(releases, order)}")
        # a row stays on its line
        glued = "; ".join(row.replace(" ", "\0") for row in rows)
        wrapped = textwrap.wrap(glued, 96, initial_indent="  ", subsequent_indent="  ")
        lines += [line.replace("\0", " ") for line in wrapped]
    lines += ['"""', "", 'CPUS = """']
    lines += _cpu_lines(cpus, names, order)
    return _HEAD + "\n".join([*lines, '"""', ""])


def _listed(tree: Path) -> list[MatchedCpu]:
    source = (tree / DRIVER).read_text("utf-8")
    with opening.Tree(tree) as opened:
        defines = Headers(opened, DRIVER).definitions(source, "x86")
    return listed_cpus(source, DRIVER, defines=defines)


def _settings(cpu: MatchedCpu) -> str:
    name2short = {name: short for short, name in SETTINGS.items()}
    words = [(name2short[name], value) for name, value in cpu.settings]
    return ",".join(word if value == 1 else f"{word}={value:x}" for word, value in words) or "-"


def _cpu_lines(
    cpus: dict[tuple[int, int, str, str], list[str]],
    names: dict[tuple[int, int], str],
    order: Sequence[str],
) -> Iterator[str]:
    for (family, model, table, settings), releases in sorted(cpus.items()):
        name = names[family, model]
        yield f"{name} {family:x}/{model:02x} {table} {settings} {spans(releases, order)}"


if __name__ == "__main__":
    given = (word.partition("=") for word in parsed(__doc__, "TREE...").tree)
    named = {release: Path(tree) if tree else None for release, _, tree in given}
    TARGET.write_text(text(named), "utf-8")
