"""The cpuidle governors of a kernel tree: unmodified, each compiled into a program of its own.

A row says everything about one idle period beforehand: what the governor is asked with, and what
becomes of its decision. The rows of a CPU are decided one after the other; each CPU starts as it
booted. The recorded decisions in tests/data/vectors have the same columns.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from idle_states.base.model.findings import Unreadable
from idle_states.tables.linux.governors.core.packing import AS_SELECTED, NONE, ROW
from idle_states.tables.linux.governors.interface import NO_STATE
from idle_states.tables.linux.governors.source.build import ours
from idle_states.tables.linux.governors.source.named import find
from idle_states.tables.linux.governors.source.running import Program
from idle_states.tables.linux.releases import Release, UnknownRelease
from idle_states.tables.linux.releases import release as known_release
from tests.support import vectors

from .. import Unavailable
from ..compiling import gcc, write_all
from .source import KABI, SHADOWS, OracleError, constants, includes, release
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
_CPUIDLE = "include/linux/cpuidle.h"
_CONSTANTS = r"CPUIDLE_(?:STATE_MAX|NAME_LEN|DESC_LEN|FLAG_\w+)"
_STRUCTURES = "cpuidle_state_usage cpuidle_state cpuidle_device cpuidle_driver cpuidle_governor"
# Macro -> what in cpuidle's header says that this kernel is so.
_MACRO2SIGN = {
    "GOV_IN_NS": r"\bexit_latency_ns\b",
    "GOV_STOP_TICK": r"\bbool\s*\*\s*stop_tick\b",
    "GOV_DELTA_NEXT": r"\bbool\s*\*\s*stop_tick\b",
    "ORACLE_POLL_TIME_LIMIT": r"\bpoll_time_limit\b",
    "ORACLE_SHADOWED": r"\brh_cpuidle_dev\b",
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
_ANY = 254
"""The number of a row's recorded state: polling ended by its time limit, whichever state polled."""


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


def recorded(path: Path) -> tuple[Cpu, list[tuple[int, bool]]]:
    """A vector file as the oracle's input, and the answers expected."""
    read = vectors.read(path)
    rows = [
        Row(
            latency_req_us=row.situation.latency_req_us,
            sleep_length_ns=row.situation.sleep_length_ns,
            delta_next_ns=row.situation.delta_next_ns,
            tick_stopped=row.situation.tick_stopped,
            nr_iowaiters=row.situation.nr_iowaiters,
            load=row.situation.load,
            clock_ns=row.situation.clock_ns,
            disabled=row.situation.disabled,
            rejected=row.outcome.rejected,
            residency_ns=row.outcome.residency_ns,
            got_tick=row.outcome.got_tick,
            poll_time_limit=row.outcome.poll_time_limit,
            reflect_clock_ns=row.outcome.clock_ns,
        )
        for row in read.rows
    ]
    table = [State(s.exit_ns, s.residency_ns, s.polling) for s in read.states]
    return Cpu(table, rows), [(row.state, row.stop_tick) for row in read.rows]


def governor_tree() -> Path:
    """The kernel tree that LINUX names in the environment; else that of Debian's 6.1.

    Raises as kernel_tree() does.
    """
    return kernel_tree(GOVERNOR_FILES)


def taken_as(tree: Path) -> Release:
    """Returns what the models know the tree as: KERNEL in the environment, or by its Makefile.

    Raises OracleError if the models know no such kernel.
    """
    name = os.environ.get("KERNEL") or release(tree)
    try:
        return known_release(name)
    except UnknownRelease as error:
        raise OracleError(f"{error}; KERNEL=NAME says which it is") from None


class GovernorOracle:
    """A governor of a kernel tree at one HZ, run as the product runs any governor's source.

    Raises OracleError if the tree has no such governor or it does not compile, Unavailable
    without a compiler.
    """

    def __init__(self, tree: Path, governor: str, hz: int = 250) -> None:
        if shutil.which("gcc") is None:
            raise Unavailable("gcc is not installed")
        self.governor = governor
        self.hz = hz
        with _as_oracle_errors():
            self._program = Program(find(f"{tree}:{governor}"), hz)
            self._program.forget(self._program.boot([State(0, 0, True), State(1000, 1000)], 1024))

    def run(self, cpus: Sequence[Cpu]) -> list[list[tuple[int, bool]]]:
        """Per CPU and row: the state selected or NO_STATE, and whether the tick is to be stopped.

        A state just beyond a table is reported as any other: ladder selects state 1 where there
        is nothing but a polling state. It is entered as a state of exit latency 0.
        Raises OracleError if the governor crashes, hangs, or selects a state beyond STATE_MAX.
        """
        with _as_oracle_errors():
            return [self._decided(cpu) for cpu in cpus]

    def _decided(self, cpu: Cpu) -> list[tuple[int, bool]]:
        states, rows, capacity = cpu
        number = self._program.boot(states, capacity)
        answer = self._program.rows(number, b"".join(_packed(row, capacity) for row in rows))
        self._program.forget(number)
        stops = map(bool, answer[1::2])
        chosen = (NO_STATE if n == NONE else n for n in answer[::2])
        return list(zip(chosen, stops, strict=True))


@contextmanager
def _as_oracle_errors() -> Iterator[None]:
    try:
        yield
    except Unreadable as error:
        raise OracleError(error.findings[0].message) from error


def _packed(row: Row, capacity: int) -> bytes:
    return ROW.pack(
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
        AS_SELECTED,
        _ANY,
        row.cpu_util,
        capacity,
    )


@lru_cache
def _mask(numbers: frozenset[int]) -> int:
    return sum(1 << number for number in numbers)


def extract(header: str) -> str:
    """cpuidle's constants and structures, and what they say about the kernel's age."""
    cut = KABI + constants(header, _CONSTANTS)
    shadows = [name for name in SHADOWS.split() if f"struct {name} {{" in header]
    for name in _STRUCTURES.split():
        cut += f"struct {name};\n"
    for name in (*shadows, *_STRUCTURES.split()):
        found = re.search(rf"^struct {name}\s*\{{.*?^\}};", header, re.MULTILINE | re.DOTALL)
        if found is None:
            raise OracleError(f"{_CPUIDLE}: expected struct {name}, found none")
        cut += found[0] + "\n"
    if "CPUIDLE_FLAG_POLLING" not in cut:  # before 4.14 no governor asks for it
        cut += "#define CPUIDLE_FLAG_POLLING 0x01000000\n"
    signs = (macro for macro, sign in _MACRO2SIGN.items() if re.search(sign, cut))
    return cut + "".join(f"#define {macro}\n" for macro in signs)


def build_program(
    directory: Path,
    tree: Path,
    governor: str,
    hz: int,
    units: Sequence[str | Path],
    macros: Mapping[str, str],
) -> Path:
    """A program that calls a governor otherwise than the product does, to time it.

    directory  a new one, to build in
    units      what to compile, after options of gcc; it includes GOVERNOR_SOURCE
    Raises OracleError, Unavailable.
    """
    with _as_oracle_errors():
        source = find(f"{tree}:{governor}")
    directory.mkdir(parents=True)
    sources = {f"{governor}.c": source.text, **source.beside}
    return compile_program(
        directory, sources, f"{governor}.c", extract(source.header), hz, units=units, macros=macros
    )


def compile_program(
    scratch: Path,
    sources: dict[str, str],
    unit: str,
    cut: str,
    hz: int,
    *,
    units: Sequence[str | Path],
    macros: Mapping[str, str],
) -> Path:
    """The program, built in `scratch`: every header named leads to the product's small kernel, with
    the structures that were cut out of the tree's."""
    include = scratch / "include"
    named = {name for text in sources.values() for name in includes(text)} - sources.keys()
    write_all(scratch, sources)
    write_all(include, dict.fromkeys(named, '#include "gov_kernel.h"\n'))
    write_all(include, {"gov_kernel.h": ours()["gov_kernel.h"], "cpuidle_extract.h": cut})
    program = scratch / "program"
    words = [*COMPILER_FLAGS, f"-DHZ={hz}", f'-DGOVERNOR_SOURCE="{scratch / unit}"']
    words += ["-DGOV_STATE_START=0", '-DGOV_STRUCTURES="cpuidle_extract.h"']
    words += [f"-D{name}={value}" for name, value in macros.items()]
    gcc(*words, f"-I{include}", f"-I{_SHIM}", "-o", program, *units)
    return program
