"""Speed of the governors, with the kernel's own C beside them.

The kernel's C is Debian's linux-source-6.1 (or the tree LINUX names), compiled with gcc -O2 in one
unit with a shim it can inline. All decide the same fixed rows on one thread, and the run fails
unless all decide them alike. A governor's own file (--governor linux:menu) is timed as a user runs
it: compiled anew, compiled before, and deciding in its confined program.
"""

import os
import struct
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from random import Random
from shutil import rmtree

from idle_states.tables.linux.governors import Governor, core
from idle_states.tables.linux.governors.interface import Outcome, Situation, State, tick_ns
from idle_states.tables.linux.governors.source import build
from idle_states.tables.linux.governors.source.interface import interface_of
from idle_states.tables.linux.governors.source.model import CompiledSource
from idle_states.tables.linux.governors.source.named import find
from idle_states.tables.linux.releases import Release, release
from tests.oracle import OracleError, Unavailable
from tests.oracle.linux import governors as oracle
from tests.support.swept import sweep
from tests.support.vectors import table

from .measuring import ROOT, Missing, Times, Work, timed

HZ = 250
TABLES = 32
ROWS, REFERENCE_ROWS = 200_000, 5_000
KERNEL = "6.12"
"""The kernel that is taken where there is no source of a kernel to tell."""
NO_LIMIT_US = 2_000_000_000
NATIVE = ("-O3", "-march=native")
"""Flags that no kernel is compiled with, but that this machine's compiler can do."""
CALLS = {
    "menu": ("menu_select", "menu_reflect"),
    "teo": ("teo_select", "teo_reflect"),
    "ladder": ("ladder_select_state", "ladder_reflect"),
}
Row = tuple[Situation, Outcome]


def rows(count: int) -> list[Row]:
    """Idle periods of one CPU: phases of timers, of a device's interrupts, of short and of long
    idles, some cut by the tick; states are entered as selected."""
    random, tick = Random("idle periods"), tick_ns(HZ)
    made: list[Row] = []
    clock = 10**9
    while len(made) < count:
        phase = random.choice(("timers", "device", "short", "mixed", "idle"))
        period = int(10 ** random.uniform(3.5, 7))
        stopped = False
        for _ in range(random.randint(20, 400)):
            if phase == "timers":
                sleep = int(10 ** random.uniform(3.5, 8))
                idle = sleep + random.randint(500, 4_000)
            elif phase == "device":
                idle = period + random.randint(0, period // 8)
                sleep = idle + int(10 ** random.uniform(4, 8))
            elif phase == "short":
                idle = random.randint(500, 15_000)
                sleep = int(10 ** random.uniform(4, 7))
            elif phase == "mixed":
                idle = int(10 ** random.uniform(2.7, 7.5))
                sleep = int(idle * 10 ** random.uniform(0, 2))
            else:
                sleep = int(10 ** random.uniform(7, 9))
                idle = min(sleep, int(10 ** random.uniform(6, 9))) + random.randint(500, 4_000)
            delta = sleep if stopped else min(sleep, random.randint(1, tick))
            got_tick = not stopped and idle > delta and delta < sleep
            idle = delta + random.randint(500, 4_000) if got_tick else idle
            iowaiters = random.randint(1, 3) if random.random() < 0.05 else 0
            situation = Situation(NO_LIMIT_US, sleep, delta, stopped, iowaiters, 0, clock)
            rejected = random.random() < 0.001
            outcome = Outcome(0, 0 if rejected else idle, rejected, got_tick, False, clock + idle)
            made.append((situation, outcome))
            clock += idle + int(10 ** random.uniform(3, 6))
            stopped = random.random() < (0.8 if stopped else 0.3) and phase == "idle"
    return made[:count]


def sweep_tables() -> list[list[State]]:
    """Variants of POWER9's table: each state's latency and residency off by a little."""
    random = Random("tables")
    tables = []
    for _ in range(TABLES):
        factor = random.uniform(0.5, 2)
        tables.append(
            [
                State(
                    int(state.exit_ns * factor) // 1000 * 1000,
                    int(state.residency_ns * factor * random.uniform(0.8, 1.25)) // 1000 * 1000,
                    state.polling,
                )
                for state in table("p9", True)
            ]
        )
    return tables


class Kernel:
    """A governor of the kernel, compiled for timing in `work`, a new folder. flags: of gcc's."""

    def __init__(
        self, tree: Path, work: Path, governor: str, packed: core.Buffer, flags: Sequence[str] = ()
    ) -> None:
        self.work = work
        select, reflect = CALLS[governor]
        self.program = oracle.build_program(
            self.work,
            tree,
            governor,
            HZ,
            [*flags, ROOT / "benchmarks" / "governor_time.c"],
            {"GOVERNOR_SELECT": select, "GOVERNOR_REFLECT": reflect},
        )
        (self.work / "rows").write_bytes(packed)

    def run(self, states: Sequence[State]) -> tuple[Times, bytes]:
        """Times of a pass over the rows after one to warm up, and the decisions."""
        files = [self.work / name for name in ("rows", "decisions", "states")]
        files[2].write_bytes(
            b"".join(struct.pack("<QQQ", s.exit_ns, s.residency_ns, s.polling) for s in states)
        )
        command = [str(self.program), *map(str, files), "2"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        wall, cpu = map(float, done.stdout.splitlines()[-1].split())
        return Times(wall, cpu), files[1].read_bytes()


def same(what: str, found: core.Buffer, expected: bytes) -> None:
    found = bytes(found)
    if found != expected:
        at = next(i for i in range(0, len(expected), 2) if found[i : i + 2] != expected[i : i + 2])
        raise SystemExit(
            f"{what}: expected {tuple(expected[at : at + 2])} at row {at // 2}, "
            f"found {tuple(found[at : at + 2])}"
        )


def reference(governor: str, kernel: Release, states: list[State], few: list[Row]) -> bytes:
    model = Governor.for_kernel(governor, kernel, states, HZ)
    decisions = bytearray()
    for situation, outcome in few:
        decision = model.select(situation)
        # Rows leave open what is entered; what is selected is.
        model.reflect(replace(outcome, state=decision.state))
        decisions += bytes((decision.state, decision.stop_tick))
    return bytes(decisions)


def works(folder: Path, scale: float) -> list[Work]:
    if not core.available():
        return [Work("governors", Missing("the core is not compiled"))]
    tree: Path | Missing
    try:
        tree = oracle.governor_tree()
    except (OracleError, Unavailable) as error:
        tree = Missing(str(error))
    kernel = release(KERNEL) if isinstance(tree, Missing) else oracle.taken_as(tree)
    made = rows(round(ROWS * scale))
    return [
        replace(work, name=f"{governor}, {work.name}")
        for governor in CALLS
        for work in of_governor(governor, kernel, tree, made, folder / governor)
    ]


def of_governor(
    governor: str, kernel: Release, tree: Path | Missing, made: list[Row], folder: Path
) -> list[Work]:
    features = import_module(f"idle_states.tables.linux.governors.{governor}_features").features(
        kernel
    )
    states, tables = table("p9", True), sweep_tables()
    packed, few = core.pack(made, as_selected=True), made[:REFERENCE_ROWS]
    native = None if isinstance(tree, Missing) else Kernel(tree, folder / "C", governor, packed)

    @cache
    def expected(number: int) -> bytes:
        """Decisions with a table, or -1 for POWER9's."""
        table_of = states if number < 0 else tables[number]
        if native:
            return native.run(table_of)[1]
        return bytes(core.run(governor, features, table_of, HZ, packed, any_features=True).packed)

    def decided(any_features: bool) -> Times:
        def run() -> core.Buffer:
            return core.run(
                governor, features, states, HZ, packed, any_features=any_features
            ).packed

        same(f"{governor}, core", run(), expected(-1))  # and warms up, as the kernel's C does
        return timed(run)

    def swept(level: int) -> Times:
        def run() -> list[core.Decisions]:
            return sweep(governor, features, tables, HZ, packed, level=level)

        for number, decisions in enumerate(run()):
            same(f"{governor}, sweep", decisions.packed, expected(number))
        run()  # warms up again: comparing took the rows out of the caches
        return timed(run)

    def referred() -> Times:
        found: list[bytes] = []
        times = timed(lambda: found.append(reference(governor, kernel, states, few)))
        same(f"{governor}, reference", found[0], expected(-1)[: 2 * len(few)])
        return times

    count, lanes = len(made), 4 if governor == "menu" else 8
    found = [
        Work("core", partial(decided, False), count),
        Work(f"sweep, {2 * lanes} lanes", partial(swept, 4), TABLES * count),
        Work(f"sweep, {lanes} lanes", partial(swept, 3), TABLES * count),
        Work("reference", referred, len(few), rounds=3),
    ]
    if core.specialised(governor, features):
        found.append(Work("core for any features", partial(decided, True), count))
    if isinstance(tree, Missing):
        return [*found, Work("the kernel's C", tree)]
    for name, flags in (("", ()), (f", {' '.join(NATIVE)}", NATIVE)):
        by = Kernel(tree, folder / f"C{name}", governor, packed, flags) if flags else native
        run = partial(lambda by: by.run(states)[0], by)
        found.append(Work(f"the kernel's C{name}", run, count, note=f"Linux {kernel.name}"))
    return [*found, *by_source(f"{tree}:{governor}", states, packed, few, folder)]


def by_source(
    name: str, states: Sequence[State], packed: core.Buffer, few: Sequence[Row], folder: Path
) -> list[Work]:
    """Returns works of a governor's source, which decides in a confined program of its own: its
    times are elapsed ones, the pipe's waits included. name: as of --governor."""
    source = find(name)
    interface = interface_of(source.text, source.header)

    def elapsed(work: Callable[[], object]) -> Times:
        wall = timed(work).wall
        return Times(wall, wall)

    def in_rows() -> Times:
        model = CompiledSource(name, states, HZ)
        return elapsed(lambda: model.replay(packed))

    def one_by_one() -> Times:
        model = CompiledSource(name, states, HZ)

        def ask() -> None:
            for situation, outcome in few:
                decision = model.select(situation)
                model.finished(replace(outcome, state=decision.state))

        return elapsed(ask)

    def compiled(cache: Path) -> Times:
        with patched(XDG_CACHE_HOME=str(cache)):
            return elapsed(lambda: build.program(source, interface, HZ))

    cold, kept = folder / "cold", folder / "kept"
    compiled(kept)
    anew = partial(compiled, cold)
    return [
        Work("its source, many rows at once", in_rows, len(packed) // core.ROW.size),
        Work("its source, asked one by one", one_by_one, len(few), rounds=3),
        Work("its source, compiled anew", anew, before=partial(rmtree, cold, True), rounds=3),
        Work("its source, compiled before", partial(compiled, kept)),
    ]


@contextmanager
def patched(**words: str) -> Iterator[None]:
    """Sets words of the environment meanwhile."""
    before = dict(os.environ)
    os.environ.update(words)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
