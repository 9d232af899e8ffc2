"""Speed of the governors, with the kernel's own C beside them in the same run.

    python benchmarks/governors.py [--rows 200000] [--runs 9] [--reference-rows 5000]

The kernel's C is Debian's linux-source-6.1 (or the tree LINUX names), compiled with gcc -O2 in one
unit with a shim it can inline. All decide the same fixed rows, and the run fails unless all decide
them alike. Every figure is the median of several runs taken in turn (A B C A B C ...), because
machines drift; the ratios are what to quote. All run on one thread.
"""

import argparse
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from idle_states import core  # noqa: E402
from idle_states.linux.governors import Governor  # noqa: E402
from idle_states.linux.governors.interface import Outcome, Situation, State, tick_ns  # noqa: E402
from tests.oracle.linux import governors as oracle  # noqa: E402
from tests.support.vectors import table  # noqa: E402

HZ = 250
TABLES = 32
NO_LIMIT_US = 2_000_000_000
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
    """A governor of the kernel, compiled for timing in `work`."""

    def __init__(self, tree: Path, work: Path, governor: str) -> None:
        scratch = work / governor
        select, reflect = CALLS[governor]
        self.program = oracle.build_program(
            scratch,
            tree,
            governor,
            HZ,
            [ROOT / "benchmarks" / "governor_time.c"],
            {"GOVERNOR_SELECT": select, "GOVERNOR_REFLECT": reflect},
        )
        self.work = scratch

    def run(self, packed: core.Buffer, states: Sequence[State]) -> tuple[float, bytes]:
        """ns per decision after a pass to warm up, and the decisions."""
        files = [self.work / name for name in ("rows", "decisions", "states")]
        if not files[0].exists():
            files[0].write_bytes(packed)
        files[2].write_bytes(
            b"".join(struct.pack("<QQQ", s.exit_ns, s.residency_ns, s.polling) for s in states)
        )
        command = [str(self.program), *map(str, files), "2"]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return float(done.stdout.split()[-1]), files[1].read_bytes()


def timed(work: Callable[[], Any], decisions: int, warm: bool = True) -> tuple[float, Any]:
    """ns per decision, after a pass to warm up as the kernel's C has one; and what came of it."""
    if warm:
        work()
    start = time.thread_time_ns()
    result = work()
    return (time.thread_time_ns() - start) / decisions, result


def same(what: str, found: bytes, expected: bytes) -> None:
    if bytes(found) != bytes(expected):
        at = next(i for i in range(0, len(expected), 2) if found[i : i + 2] != expected[i : i + 2])
        sys.exit(
            f"{what}: expected {tuple(expected[at : at + 2])} at row {at // 2}, "
            f"found {tuple(found[at : at + 2])}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--reference-rows", type=int, default=5_000)
    arguments = parser.parse_args()
    if not core.available():
        sys.exit("the core is not compiled: python setup.py build_ext --inplace")
    tree = oracle.governor_tree()
    kernel = oracle.taken_as(tree)
    made = rows(arguments.rows)
    packed = core.pack(made, as_selected=True)
    states, tables = table("p9", True), sweep_tables()
    print(
        f"{kernel.name}, HZ={HZ}, {len(made)} rows, {len(states)} states, {TABLES} tables; "
        f"{core.instruction_set()}; medians of {arguments.runs} runs in turn"
    )
    with tempfile.TemporaryDirectory() as name:
        for governor in CALLS:
            report(
                governor,
                Kernel(tree, Path(name), governor),
                kernel,
                made,
                packed,
                states,
                tables,
                arguments,
            )


def report(
    governor: str,
    native: Kernel,
    kernel: Any,
    made: list[Row],
    packed: core.Buffer,
    states: list[State],
    tables: list[list[State]],
    arguments: argparse.Namespace,
) -> None:
    module = import_module(f"idle_states.linux.governors.{governor}_features")
    features = module.features(kernel)
    samples: dict[str, list[float]] = {}
    few = made[: arguments.reference_rows]

    def reference() -> bytes:
        model = Governor.for_kernel(governor, kernel, states, HZ)
        decisions = bytearray()
        for situation, outcome in few:
            decision = model.select(situation)
            # Rows leave open what is entered; what is selected is.
            model.reflect(
                Outcome(
                    decision.state,
                    outcome.residency_ns,
                    outcome.rejected,
                    outcome.got_tick,
                    False,
                    outcome.clock_ns,
                )
            )
            decisions += bytes((decision.state, decision.stop_tick))
        return bytes(decisions)

    def core_for_any() -> core.Buffer:
        found = core.run(governor, features, states, HZ, packed, any_features=True)
        return found.packed

    def sweep(level: int) -> list[core.Decisions]:
        return core.sweep(governor, features, tables, HZ, packed, level=level)

    for number in range(arguments.runs + 1):
        results: dict[str, float] = {}
        results["kernel's C"], expected = native.run(packed, states)
        results["core"], found = timed(
            lambda: core.run(governor, features, states, HZ, packed).packed, len(made)
        )
        same(f"{governor}, core", found, expected)
        if core.specialised(governor, features):
            results["core, any features"], found = timed(core_for_any, len(made))
            same(f"{governor}, core for any features", found, expected)
        if governor == "menu":
            for level, lanes in ((4, 8), (3, 4)):
                what = f"sweep of {TABLES}, {lanes} lanes"
                results[what], swept = timed(partial(sweep, level), TABLES * len(made))
                if not number:
                    for table_of, decisions in zip(tables, swept, strict=True):
                        same(
                            f"{governor}, {what}", decisions.packed, native.run(packed, table_of)[1]
                        )
        if number < 3:
            results["reference"], found = timed(reference, len(few), warm=False)
            same(f"{governor}, reference", found, expected[: 2 * len(few)])
        for what, taken in results.items():
            if number:
                samples.setdefault(what, []).append(taken)
    base = statistics.median(samples["kernel's C"])
    print(f"\n{governor:32} {'ns/decision':>12} {'ratio':>8}")
    for what, taken_list in samples.items():
        middle = statistics.median(taken_list)
        print(f"{what:32} {middle:12.1f} {middle / base:8.2f}")


if __name__ == "__main__":
    main()
