"""A skiboot tree's own export of idle states to the device tree, run on the host.

The tree's add_cpu_idle_state_properties(), the functions of its C library that matter to
it (its strtol is not the host's) and its tables are compiled against stubs of the rest of
the firmware. Tables are laid out big-endian, as on the machine. Each case runs in a
process of its own, so that an assertion, a crash or an endless loop ends that case alone.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from ..compiling import digest, gcc, made
from .csource import STUBS, Tree, tree_includes
from .tables import Row

ENTRY = "add_cpu_idle_state_properties"
_LIBC = ("strlen", "strncpy", "strcasecmp", "strtol")
_BEFORE_ENTRY = ("dt_prop_find_string", "find_cpu_idle_state_properties_p8")
_ENGINE_STATES = ("NOT_PRESENT", "PRESENT", "FAILED")

#: Literal compilation: no assumption about overflow, aliasing or the length of strings.
_OPTIONS = (
    *("-O0", "-fno-builtin", "-fno-strict-aliasing", "-fwrapv", "-funsigned-char"),
    *("-DCONFIG_P8=1", "-Wall", "-Wextra", "-Wno-scalar-storage-order"),
)

_PROGRAM = """\
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <bitutils.h>
#include <opal-api.h>

{enums}

#pragma scalar_storage_order big-endian
{type}
#pragma scalar_storage_order default

{enumerators}

#include "firmware.h"

{libc}

{arrays}

#undef ARRAY_SIZE
#define ARRAY_SIZE(array) nr_rows(&table_of_##array)
{tables}

{functions}

bool firmware_run(const struct oracle_case *c)
{{
	if (!set_up(c))
		return false;
{entries}
	return false;
}}
"""

Outcome = Literal["ok", "assert", "crash", "timeout"]


@dataclass(frozen=True)
class ExportCase:
    """One call of the firmware; names are the tree's enumerators without their prefix."""

    proc_gen: str
    """p8, p9, p10 ..."""
    chip: str
    """P8_MURANO, P8_VENICE, P8_NAPLES, P9_NIMBUS, P9_CUMULUS, P9P, P10, UNKNOWN ..."""
    ec_level: int = 0x20
    enabled_stop_levels: int | None = None
    """ibm,enabled-stop-levels; None if the property is absent."""
    wakeup_engine: Literal["not_present", "present", "failed"] = "not_present"
    is_fused_core: bool = False
    quirks: frozenset[str] = frozenset()
    """mambo (for mambo_callouts), awan, qemu ..."""
    nvram: str | None = None
    """opal-stop-state-disable-mask in NVRAM."""
    enabled_idle_states: Sequence[str] | None = None
    """ibm,enabled-idle-states: "fast-sleep" lets POWER8 sleep."""
    table: Sequence[Row] | None = None
    """Rows in place of those of whichever table the firmware picks."""
    entry: str = ENTRY
    """Or slw_init, its caller: there the quirks decide about the wake-up engine and whether
    anything is exported, and a failed engine is one that fails in late initialisation."""


@dataclass(frozen=True)
class ExportResult:
    """The outcome of one call."""

    properties: dict[str, bytes] = field(default_factory=dict)
    """The properties created at ibm,opal/power-mgt, in that order."""
    log: list[tuple[str, str]] = field(default_factory=list)
    """("PR_NOTICE", "SLW: Enabling: ..."), without the newline; bytes as Latin-1."""
    outcome: Outcome = "ok"
    detail: str = ""
    """The assertion, or the signal of a crash."""
    table: str | None = None
    """The name of the table picked."""
    overrun: int = 0
    """The most bytes written beyond the end of a buffer; unknown (0) after a crash."""


class ExportOracle:
    """The export of one tree, compiled once: ``ExportOracle(tree, workdir).run(cases)``."""

    def __init__(
        self,
        tree: Path,
        workdir: Path,
        sources: Mapping[str, str] | None = None,
        timeout_ms: int = 200,
    ) -> None:
        """`sources` as of `dump_tables`; `timeout_ms`: processor time of an endless loop."""
        self.tree = Tree(tree)
        self.timeout_ms = timeout_ms
        self.names = _Names(self.tree)
        self.program = _build(self.tree, workdir, {**self.tree.arrays, **(sources or {})})

    def run(self, cases: Iterable[ExportCase]) -> list[ExportResult]:
        lines = "".join(self.names.line(case) for case in cases)
        done = subprocess.run(
            [self.program, str(self.timeout_ms)], input=lines, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return list(_results(done.stdout))


class _Names:
    """Cases as the program's input, in the names of one tree."""

    def __init__(self, tree: Tree) -> None:
        self.proc_gens = _by_short_name(tree, "proc_gen", "proc_gen_")
        self.chips = _by_short_name(tree, "proc_chip_type", "PROC_CHIP_")
        self.quirks = _by_short_name(tree, "proc_chip_quirks", "QUIRK_")
        self.quirks["mambo"] = self.quirks["mambo_callouts"]
        self.entries = {name: name for name, _ in _entries(tree)}

    def line(self, case: ExportCase) -> str:
        quirks = [_named(self.quirks, quirk, "quirk") for quirk in sorted(case.quirks)]
        levels = case.enabled_stop_levels
        idle_states = case.enabled_idle_states
        fields = (
            _named(self.entries, case.entry, "entry"),
            _named(self.proc_gens, case.proc_gen, "processor generation"),
            _named(self.chips, case.chip, "chip"),
            str(case.ec_level),
            "-" if levels is None else str(levels),
            f"WAKEUP_ENGINE_{case.wakeup_engine.upper()}",
            str(int(case.is_fused_core)),
            ",".join(quirks) or "-",
            _hex(case.nvram if case.nvram is None else case.nvram.encode("latin-1")),
            _hex(
                None
                if idle_states is None
                else b"".join(name.encode("latin-1") + b"\0" for name in idle_states)
            ),
            _hex(None if case.table is None else b"".join(map(_packed, case.table))),
        )
        return " ".join(fields) + "\n"


def _by_short_name(tree: Tree, enum: str, prefix: str) -> dict[str, str]:
    """Enumerators by their name without `prefix`, chips in capitals, the others not."""
    short = str if prefix == "PROC_CHIP_" else str.lower
    return {short(name.removeprefix(prefix)): name for name in tree.enumerators(enum)}


def _named(names: Mapping[str, str], name: str, kind: str) -> str:
    if name not in names:
        raise ValueError(f"the tree has no {kind} {name}; it has {', '.join(names)}")
    return names[name]


def _hex(data: bytes | None) -> str:
    return "-" if data is None else f"x{data.hex()}"


def _packed(row: Row) -> bytes:
    name = row["name"].encode("latin-1")
    if len(name) > 16:
        raise ValueError(f"{row['name']!r} does not fit into 16 bytes")
    numbers = (row[key] for key in ("latency_ns", "residency_ns", "control", "mask", "flags"))
    return struct.pack(">16sIIQQI", name, *numbers)


def _results(output: str) -> Iterator[ExportResult]:
    properties: dict[str, bytes] = {}
    log: list[tuple[str, str]] = []
    table: str | None = None
    detail, overrun = "", 0
    for line in output.splitlines():
        event, *words = line.split(" ", 2)
        match event, words:
            case "property", [name, value]:
                properties[name] = bytes.fromhex(value[1:])
            case "log", [level, text]:
                log.append((level, bytes.fromhex(text[1:]).decode("latin-1").removesuffix("\n")))
            case "table", [name]:
                table = name
            case "overrun", [size]:
                overrun = max(overrun, int(size))
            case "assertion", [_, text]:
                detail = bytes.fromhex(text[1:]).decode()
            case "end", [outcome, *signal]:
                detail = detail or " ".join(signal)
                kind = cast(Outcome, outcome)
                yield ExportResult(properties, log, kind, detail, table, overrun)
                properties, log, table, detail, overrun = {}, [], None, "", 0


def _entries(tree: Tree) -> Iterator[tuple[str, str]]:
    """The functions a case may call, with their text."""
    for name in (ENTRY, "slw_init"):
        text = tree.function(name)
        if text and ENTRY in text:
            yield name, text


def _build(tree: Tree, workdir: Path, arrays: Mapping[str, str]) -> Path:
    """The compiled program; made anew only if the text has changed."""
    text = _program_text(tree, arrays)
    stubs = [path.read_text("utf-8") for path in sorted(STUBS.iterdir())]

    def build(scratch: Path) -> Path:
        source, fresh = scratch / "export.c", scratch / "export"
        source.write_text(text)
        words = [*_OPTIONS, f"-I{STUBS}", *tree_includes(tree)]
        gcc(*words, "-o", fresh, STUBS / "harness.c", source)
        return fresh

    return made(workdir / f"export-{digest([str(tree.root), text, *stubs])}", build)


def _program_text(tree: Tree, arrays: Mapping[str, str]) -> str:
    engine_states = [f"WAKEUP_ENGINE_{state}" for state in _ENGINE_STATES]
    enums = [tree.enum(name) for name in ("proc_gen", "proc_chip_type", "proc_chip_quirks")]
    engine = tree.enum("wakeup_engine_states")
    enums.append(engine or f"enum wakeup_engine_states {{ {', '.join(engine_states)} }};")
    lists = {
        "PROC_GENS": tree.enumerators("proc_gen"),
        "CHIP_TYPES": tree.enumerators("proc_chip_type"),
        "CHIP_QUIRKS": tree.enumerators("proc_chip_quirks"),
        "WAKEUP_ENGINE_STATES": engine_states,
    }
    entries = dict(_entries(tree))
    before = [tree.function(name) for name in (*_BEFORE_ENTRY, "slw_p8_init")]
    calls = (f'\tif (!strcmp(c->entry, "{name}"))\n\t\treturn {name}(), true;' for name in entries)
    return _PROGRAM.format(
        enums="\n\n".join(filter(None, enums)),
        type=tree.idle_state_type(),
        enumerators="\n".join(f"#define {name}(X) {_applied(of)}" for name, of in lists.items()),
        libc="\n\n".join(f"#define {name} tree_{name}\n{tree.function(name)}" for name in _LIBC),
        arrays="\n\n".join(arrays.values()),
        tables="\n".join(
            f"static const struct table table_of_{name} = TABLE({name});\n"
            f"#define {name} pick(&table_of_{name})"
            for name in arrays
        ),
        functions="\n\n".join(filter(None, [*before, *entries.values()])),
        entries="\n".join(calls),
    )


def _applied(names: Iterable[str]) -> str:
    return " ".join(f"X({name})" for name in names)
