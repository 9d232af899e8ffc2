"""The cpuidle governors of a kernel tree: unmodified, each compiled into a program of its own.

A row says everything about one idle period beforehand: what the governor is asked with, and what
becomes of its decision. The rows of a CPU are decided one after the other; each CPU starts as it
booted. The recorded decisions in tests/data/vectors have the same columns.
"""

import os
import re
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from idle_states.tables.linux.governors.interface import NO_STATE
from idle_states.tables.linux.releases import Release, UnknownRelease
from idle_states.tables.linux.releases import release as known_release

from ..compiling import digest, gcc, made, write_all
from .source import OracleError, constants, includes, read, release
from .trees import kernel_tree

__all__ = [
    "COMPILER_FLAGS",
    "GOVERNORS",
    "GOVERNOR_FILES",
    "STATE_MAX",
    "Cpu",
    "GovernorOracle",
    "Row",
    "State",
    "build_program",
    "compile_program",
    "extract",
    "governor_tree",
    "taken_as",
]

GOVERNORS = ("menu", "teo", "ladder", "haltpoll")
STATE_MAX = 10

#: What this oracle reads of it.
GOVERNOR_FILES = ("Makefile", "drivers/cpuidle/governors", "include/linux/cpuidle.h")

_SHIM = Path(__file__).parent / "shim"
_UNITS = (_SHIM / "governor_unit.c", _SHIM / "governor_loop.c")
_NO_MACROS: Mapping[str, str] = {}
_DIRECTORY = "drivers/cpuidle/governors"
_CPUIDLE = "include/linux/cpuidle.h"
_CONSTANTS = r"CPUIDLE_(?:STATE_MAX|NAME_LEN|DESC_LEN|FLAG_\w+)"
_STRUCTURES = "cpuidle_state_usage cpuidle_state cpuidle_device cpuidle_driver cpuidle_governor"
# Macro of the shim -> what in cpuidle's header says that this kernel is so.
_MACRO2SIGN = {
    "ORACLE_IN_NS": r"\bexit_latency_ns\b",
    "ORACLE_STOP_TICK": r"\bbool\s*\*\s*stop_tick\b",
    "ORACLE_POLL_TIME_LIMIT": r"\bpoll_time_limit\b",
}
COMPILER_FLAGS = (
    "-O2",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fno-delete-null-pointer-checks",
    "-Werror=implicit-function-declaration",
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
)
_HEADER = struct.Struct("<III")
_STATE = struct.Struct("<qqQ")
_ROW = struct.Struct("<qqQQQQiIHBBBBH")
_ROWS_PER_RUN = 500_000
_SECONDS_PER_RUN = 120
_NONE = 255


class State(NamedTuple):
    """A state as the driver registered it; kernels before 5.5 see whole microseconds."""

    exit_ns: int
    residency_ns: int
    polling: bool = False


class Row(NamedTuple):
    """One idle period of a CPU.

    latency_req_us .. disabled: what the governor can ask for, as the vectors' README names it;
        disabled: numbers of states switched off meanwhile.
    load: the run queue's, until 4.19.
    rejected: the driver refuses the state: last residency 0, reflect() is not called, and what
        follows is of no effect.
    residency_ns: measured, exit latency included.
    got_tick: the tick woke the CPU, for a governor that asks at reflect().
    poll_time_limit: polling ends by its time limit. Of no effect unless the governor selects a
        polling state: no other writes it down.
    reflect_clock_ns: local_clock() at reflect(), as clock_ns is at select().
    cpu_util: sched_cpu_util(), which teo asks for from 6.3 to 6.10.
    """

    latency_req_us: int
    sleep_length_ns: int
    delta_next_ns: int
    tick_stopped: bool = False
    nr_iowaiters: int = 0
    load: int = 0
    clock_ns: int = 0
    disabled: frozenset[int] = frozenset()
    rejected: bool = False
    residency_ns: int = 0
    got_tick: bool = False
    poll_time_limit: bool = False
    reflect_clock_ns: int = 0
    cpu_util: int = 0


class Cpu(NamedTuple):
    """A CPU: its states table, 1 to STATE_MAX of them, its idle periods, and what
    arch_scale_cpu_capacity() says of it."""

    states: Sequence[State]
    rows: Sequence[Row]
    capacity: int = 1024


def governor_tree() -> Path:
    """The kernel tree that LINUX names in the environment; else that of Debian's 6.1.

    Raises as kernel_tree() does.
    """
    return kernel_tree(GOVERNOR_FILES)


def taken_as(tree: Path) -> Release:
    """What the models know the tree as: KERNEL in the environment, or by its Makefile.

    Raises OracleError if the models know no such kernel.
    """
    name = os.environ.get("KERNEL") or release(tree)
    try:
        return known_release(name)
    except UnknownRelease as error:
        raise OracleError(f"{error}; KERNEL=NAME says which it is") from None


class GovernorOracle:
    """A governor of a kernel tree at one HZ, compiled into `workdir` unless it is there already.

    Raises OracleError if the tree has no such governor or it does not compile, Unavailable
    without a compiler.
    """

    def __init__(self, tree: Path, workdir: Path, governor: str, hz: int = 250) -> None:
        unit = f"{governor}.c"
        sources = dict(_sources(tree, unit))
        cut = extract(read(tree, _CPUIDLE))
        key = digest([*sources.values(), cut, *_own_files(), *COMPILER_FLAGS])
        self.governor = governor
        self.hz = hz
        program = workdir.resolve() / f"{governor}-{hz}-{key}"
        self._program = made(program, lambda at: compile_program(at, sources, unit, cut, hz))

    def run(self, cpus: Sequence[Cpu]) -> list[list[tuple[int, bool]]]:
        """Per CPU and row: the state selected or NO_STATE, and whether the tick is to be stopped.

        A state just beyond a table is reported as any other: ladder selects state 1 where there
        is nothing but a polling state. It is entered as a state of exit latency 0.
        Raises OracleError if the governor crashes, hangs, or selects a state beyond STATE_MAX.
        """
        decisions: list[list[tuple[int, bool]]] = []
        for batch in _batches(cpus):
            answer = self._answer(_pack(batch))
            position = 0
            for cpu in batch:
                end = position + 2 * len(cpu.rows)
                stops = map(bool, answer[position + 1 : end : 2])
                states = (NO_STATE if n == _NONE else n for n in answer[position:end:2])
                decisions.append(list(zip(states, stops, strict=True)))
                position = end
            if position != len(answer):
                raise OracleError(f"expected {position} bytes of decisions, found {len(answer)}")
        return decisions

    def _answer(self, question: bytes) -> bytes:
        try:
            done = subprocess.run(
                [str(self._program)],
                input=question,
                capture_output=True,
                check=False,
                timeout=_SECONDS_PER_RUN,
            )
        except subprocess.TimeoutExpired as error:
            raise OracleError(f"{self.governor} does not end") from error
        if done.returncode:
            last = done.stderr.decode(errors="replace").strip() or f"status {done.returncode}"
            raise OracleError(f"{self.governor} at HZ={self.hz}: {last}")
        return done.stdout


def _sources(tree: Path, unit: str) -> Iterator[tuple[str, str]]:
    """The governor's file and the neighbours it includes, directly or not: name, text."""
    wanted = [unit]
    seen = set()
    while wanted:
        name = wanted.pop()
        text = read(tree, f"{_DIRECTORY}/{name}")
        seen.add(name)
        yield name, text
        neighbours = re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"/]+)"', text, re.MULTILINE)
        wanted += [
            name for name in neighbours if name not in seen and (tree / _DIRECTORY / name).is_file()
        ]


def extract(header: str) -> str:
    """cpuidle's constants and structures, and what they say about the kernel's age."""
    cut = constants(header, _CONSTANTS)
    for name in _STRUCTURES.split():
        cut += f"struct {name};\n"
    for name in _STRUCTURES.split():
        found = re.search(rf"^struct {name}\s*\{{.*?^\}};", header, re.MULTILINE | re.DOTALL)
        if found is None:
            raise OracleError(f"{_CPUIDLE}: expected struct {name}, found none")
        cut += found[0] + "\n"
    signs = (macro for macro, sign in _MACRO2SIGN.items() if re.search(sign, cut))
    return cut + "".join(f"#define {macro}\n" for macro in signs)


def _own_files() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(_SHIM.glob("governor*"))]


def build_program(
    directory: Path,
    tree: Path,
    governor: str,
    hz: int,
    units: Sequence[Path],
    macros: Mapping[str, str],
) -> Path:
    """A program of another kind than GovernorOracle's, with the same shim and compiler flags.

    directory  a new one, to build in
    units      what to compile; it includes GOVERNOR_SOURCE
    Raises OracleError, Unavailable.
    """
    unit = f"{governor}.c"
    directory.mkdir(parents=True)
    sources = dict(_sources(tree, unit))
    return compile_program(
        directory, sources, unit, extract(read(tree, _CPUIDLE)), hz, units=units, macros=macros
    )


def compile_program(
    scratch: Path,
    sources: dict[str, str],
    unit: str,
    cut: str,
    hz: int,
    *,
    units: Sequence[Path] = _UNITS,
    macros: Mapping[str, str] = _NO_MACROS,
) -> Path:
    """The program, built in `scratch` with a way to the shim for every header named."""
    include = scratch / "include"
    named = {name for text in sources.values() for name in includes(text)} - sources.keys()
    write_all(scratch, sources)
    write_all(include, dict.fromkeys(named, '#include "governor.h"\n'))
    write_all(include, {"cpuidle_extract.h": cut})
    program = scratch / "program"
    words = [*COMPILER_FLAGS, f"-DHZ={hz}", f'-DGOVERNOR_SOURCE="{scratch / unit}"']
    words += [f"-D{name}={value}" for name, value in macros.items()]
    gcc(*words, f"-I{include}", f"-I{_SHIM}", "-o", program, *units)
    return program


def _batches(cpus: Sequence[Cpu]) -> Iterator[Sequence[Cpu]]:
    """Runs of whole CPUs, so that neither pipe nor memory holds everything at once."""
    start = rows = 0
    for end, cpu in enumerate(cpus):
        rows += len(cpu.rows)
        if rows >= _ROWS_PER_RUN:
            yield cpus[start : end + 1]
            start, rows = end + 1, 0
    if start < len(cpus):
        yield cpus[start:]


def _pack(cpus: Sequence[Cpu]) -> bytes:
    pieces: list[bytes] = []
    for states, rows, capacity in cpus:
        pieces.append(_HEADER.pack(len(states), len(rows), capacity))
        pieces += [_STATE.pack(*state) for state in states]
        pieces += [
            _ROW.pack(
                row.sleep_length_ns,
                row.delta_next_ns,
                row.clock_ns,
                row.reflect_clock_ns,
                row.residency_ns,
                row.load,
                row.latency_req_us,
                row.nr_iowaiters,
                _mask(row.disabled),
                row.tick_stopped,
                row.rejected,
                row.got_tick,
                row.poll_time_limit,
                row.cpu_util,
            )
            for row in rows
        ]
    return b"".join(pieces)


@lru_cache
def _mask(numbers: frozenset[int]) -> int:
    return sum(1 << number for number in numbers)
