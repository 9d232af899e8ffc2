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

from .measuring import ROOT, Given, Times, Work, timed
from .table import Aim

HZ = 250
TABLES = 32
ROWS, REFERENCE_ROWS = 200_000, 5_000
KERNEL = "6.12"
"""The kernel that is taken where there is no source of a kernel to tell."""
NO_LIMIT_US = 2_000_000_000
CALLS = {
    "menu": ("menu_select", "menu_reflect"),
    "teo": ("teo_select", "teo_reflect"),
    "ladder": ("ladder_select_state", "ladder_reflect"),
}
AIMS = {"menu": 0.55, "teo": 0.7, "ladder": 0.6}
"""The most time of one table, as a part of the kernel's C."""
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
    """A governor of the kernel, compiled for timing in `work`."""

    def __init__(self, tree: Path, work: Path, governor: str, packed: core.Buffer) -> None:
        self.work = work / governor
        select, reflect = CALLS[governor]
        self.program = oracle.build_program(
            self.work,
            tree,
            governor,
            HZ,
            [ROOT / "benchmarks" / "governor_time.c"],
            {"GOVERNOR_SELECT": select, "GOVERNOR_REFLECT": reflect},
        )
        (self.work / "rows").write_bytes(packed)

    def run(self, states: Sequence[State], count: int) -> tuple[Times, bytes]:
        """Times of a pass over the first `count` rows after one to warm up, and the decisions."""
        files = [self.work / name for name in ("rows", "decisions", "states")]
        files[2].write_bytes(
            b"".join(struct.pack("<QQQ", s.exit_ns, s.residency_ns, s.polling) for s in states)
        )
        command = [str(self.program), *map(str, files), "2", str(count)]
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


def works(given: Given) -> list[Work]:
    if not core.available():
        given.missing["governors"] = "the core is not compiled"
        return []
    tree: Path | None = None
    try:
        tree = oracle.governor_tree()
    except (OracleError, Unavailable) as error:
        given.missing["the kernel's C"] = str(error)
    kernel = oracle.taken_as(tree) if tree else release(KERNEL)
    given.notes.append(f"governors of {kernel.name}, HZ={HZ}; a sweep is of {TABLES} tables")
    made = rows(given.sizes(ROWS)[-1])
    return [work for governor in CALLS for work in of_governor(governor, kernel, tree, made, given)]


def of_governor(
    governor: str, kernel: Release, tree: Path | None, made: list[Row], given: Given
) -> list[Work]:
    features = import_module(f"idle_states.tables.linux.governors.{governor}_features").features(
        kernel
    )
    states, tables = table("p9", True), sweep_tables()
    packed, few = core.pack(made, as_selected=True), made[:REFERENCE_ROWS]
    native = Kernel(tree, given.folder, governor, packed) if tree else None
    theirs = f"{governor}, the kernel's C"

    @cache
    def expected(number: int) -> bytes:
        """Decisions with a table, or -1 for POWER9's."""
        if native:
            return native.run(states if number < 0 else tables[number], len(made))[1]
        table_of = states if number < 0 else tables[number]
        return bytes(core.run(governor, features, table_of, HZ, packed, any_features=True).packed)

    def decided(what: str, packed: core.Buffer, any_features: bool, count: int) -> Times:
        def run() -> core.Buffer:
            return core.run(
                governor, features, states, HZ, packed, any_features=any_features
            ).packed

        same(what, run(), expected(-1)[: 2 * count])  # and warms up, as the kernel's C does
        return timed(run)

    def ours(what: str, run: Callable[[], Times], count: int, limit: float | None = None) -> Work:
        aim = Aim("ratio", limit) if limit else None
        return Work(f"{governor}, {what}", run, count, peers={theirs: aim})

    def swept(level: int) -> Times:
        def run() -> list[core.Decisions]:
            return sweep(governor, features, tables, HZ, packed, level=level)

        for number, decisions in enumerate(run()):
            same(f"{governor}, sweep", decisions.packed, expected(number))
        return timed(run)

    def referred() -> Times:
        found: list[bytes] = []
        taken = timed(lambda: found.append(reference(governor, kernel, states, few)))
        same(f"{governor}, reference", found[0], expected(-1)[: 2 * len(few)])
        return taken

    found = []
    for times, count in zip((1, 10, 100), given.sizes(ROWS), strict=True):
        some = core.pack(made[:count], as_selected=True)
        name = "core" if times == 100 else f"core, {count} rows"
        run = partial(decided, f"{governor}, core", some, False, count)
        work = ours(name, run, count, AIMS[governor] if times == 100 else None)
        found.append(replace(work, series=f"{governor}, core", ours=times == 100))
        if native:
            kernels = theirs if times == 100 else f"{theirs}, {count} rows"
            passed = partial(lambda native, count: native.run(states, count)[0], native, count)
            found.append(Work(kernels, passed, count, series=theirs, ours=False))
    if core.specialised(governor, features):
        run = partial(decided, f"{governor}, core for any features", packed, True, len(made))
        found.append(ours("core for any features", run, len(made)))
    for level, lanes in ((4, 8), (3, 4)):
        lanes = lanes if governor == "menu" else 2 * lanes
        run, count = partial(swept, level), TABLES * len(made)
        found.append(ours(f"sweep, {lanes} lanes", run, count, 0.25))
    found.append(replace(ours("reference", referred, len(few)), rounds=3))
    if tree:
        source, peers = f"{tree}:{governor}", (f"{governor}, core", f"{governor}, reference")
        own = by_source(source, states, packed, few, peers, given.folder / governor)
        found += [replace(work, name=f"{governor}, {work.name}") for work in own]
    return found


def by_source(
    name: str,
    states: Sequence[State],
    packed: core.Buffer,
    few: Sequence[Row],
    peers: Sequence[str],
    folder: Path,
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
    held: dict[str, Aim | None] = dict.fromkeys(peers)
    return [
        Work("its source, many rows at once", in_rows, len(packed) // core.ROW.size, held),
        replace(Work("its source, asked one by one", one_by_one, len(few), held), rounds=3),
        Work(
            "compiled anew", partial(compiled, cold), before=partial(rmtree, cold, True), rounds=3
        ),
        Work(
            "compiled before",
            partial(compiled, kept),
            peers={f"{peers[0][:-6]}, compiled anew": None},
        ),
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
