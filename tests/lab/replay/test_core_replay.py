"""Replays by the compiled core give what those by the reference give: figures, problems, lines."""

import itertools
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading.inputs import Input
from idle_states.base.reading.problems import InputProblems, Problem
from idle_states.lab.replay import run
from idle_states.lab.replay.core_models import CoreModel, knows
from idle_states.lab.replay.machine import CpuTable, TracedMachine, from_times
from idle_states.lab.replay.replay import ReplayModel, Settings
from idle_states.lab.traces.chunks import chunks
from idle_states.lab.traces.periods import Period
from idle_states.lab.traces.recording import COLUMNS, OPTIONAL, rows
from idle_states.tables.linux.governors import core
from idle_states.tables.linux.governors.interface import State
from idle_states.tables.linux.qos import NO_LIMIT_US
from idle_states.tables.linux.releases import release
from tests.support import ROOT
from tests.support.compiled import needs_core
from tests.support.thorough import few, slow

pytestmark = needs_core
P9 = ((1_000, 10_000), (2_000, 20_000), (5_000, 50_000), (10_000, 100_000), (100_000, 10_000_000))
KERNELS = ("4.11", "5.4", "6.1", "6.6", "6.18", "7.1")


def tables(
    count: int, random: Random, disabled: Sequence[int] = (), limit_us: int = NO_LIMIT_US
) -> list[TracedMachine]:
    """Machines: P9 and variants of it; of the last, CPU 3 has no table and CPU 2 one state."""
    machines = []
    for number in range(count):
        factor = 1 if number == 0 else random.uniform(0.3, 3)
        times = [(int(a * factor) // 1000 * 1000, int(b * factor) // 1000 * 1000) for a, b in P9]
        table = replace(from_times(times, True, disabled), limit_us=limit_us)
        machines.append(TracedMachine(f"table {number}", table, {}))
    if count > 1:
        alone = CpuTable(("snooze",), (State(0, 0),))
        table = machines[-1].everywhere
        assert table is not None
        machines[-1] = TracedMachine("few CPUs", None, {0: table, 1: table, 2: alone})
    return machines


def periods(random: Random, count: int) -> list[Period]:
    """Draws idle periods of four CPUs; some of them over many ticks, a few over thousands."""
    now = [random.randrange(10**10) for _ in range(4)]
    found = []
    for _ in range(count):
        cpu = random.randrange(4)
        start = now[cpu] + random.randrange(500, 10**6)
        length = int(10 ** random.uniform(2.5, 8)) if random.random() > 0.002 else 5 * 10**9
        now[cpu] = start + length
        found.append((cpu, random.randrange(6), start, now[cpu], 0))
    return found


def state_of(model: ReplayModel | CoreModel, problems: InputProblems) -> tuple[Any, ...]:
    return (
        model.figures(),
        model.decisions,
        model.held,
        problems.listing(),
    )


@pytest.mark.slow
@pytest.mark.parametrize("governor", ["menu", "teo", "ladder"])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("next_timer", ["gap", "far"])
def test_estimates(governor: str, kernel: str, next_timer: str) -> None:
    random = Random(f"{governor} {kernel} {next_timer}")
    try:
        for disabled, limit_us in (((), NO_LIMIT_US), ((2,), 5)):
            settings = Settings(governor, release(kernel), random.choice((100, 250)), next_timer)
            for machine in tables(2, random, disabled, limit_us):
                assert knows([machine], settings, estimated=True)
                given = periods(random, 300)
                results = []
                for make in (ReplayModel, CoreModel):
                    problems = InputProblems()
                    model = make(machine, settings, problems)
                    for at in range(0, len(given), 77):
                        model.add(given[at : at + 77])
                    results.append(state_of(model, problems))
                assert results[0] == results[1]
    except ValueError as error:
        pytest.skip(str(error))


def recording(random: Random, count: int, cpus: int, *, odd: bool = False) -> bytes:
    """CSV. odd: with lines that are fine but not plain, and states the table does not have."""
    columns = [*COLUMNS, *OPTIONAL]
    random.shuffle(columns)
    lines = [",".join(columns)]
    clock = 10**9
    seen = set()
    for _ in range(count):
        idle = int(10 ** random.uniform(2.7, 7.5))
        sleep = int(idle * 10 ** random.uniform(-0.2, 2))
        clock += idle + random.randrange(10**6)
        cpu = random.randrange(cpus)
        first, rejected = cpu not in seen, random.random() < 0.02
        seen.add(cpu)
        of = {
            "latency_req_us": random.choice((2_000_000_000, 2_000_000_000, 0, 30)),
            "sleep_length_ns": sleep if random.random() > 0.01 else -sleep,
            "delta_next_ns": min(sleep, random.randint(1, 4_000_000)),
            "tick_stopped": int(random.random() < 0.2),
            "nr_iowaiters": int(random.random() < 0.1),
            "load": random.choice((0, 0, 700, 5000)),
            "state": random.randrange(7 if odd else 6),
            "stop_tick": random.randrange(2),
            "rejected": int(rejected),
            "residency_ns": 0 if rejected else idle,
            "got_tick": int(random.random() < 0.1),
            "poll_time_limit": int(random.random() < 0.1),
            "clock_at_select_ns": clock,
            "cpu": cpu,
            "earlier_state": random.choice((-1, 0, 2, 5)) if first else 0,
            "earlier_residency_ns": random.choice((0, 12_345)) if first else 0,
            "cpu_util": random.choice((0, 6, 7, 16, 17, 1024)),
            "cpu_capacity": random.choice((0, 446, 1024)),
        }
        line = ",".join(str(of[column]) for column in columns)
        if odd and random.random() < 0.05:
            line = random.choice((line + "\r", "\n" + line, line.replace(",", " , "), f"+{line}"))
            line = line.replace("+-", "-")
        lines.append(line)
    return ("\n".join(lines) + ("\n" if not odd else "")).encode()


def replayed(
    path: Path, machines: Sequence[TracedMachine], settings: Settings | None, kernel: str
) -> tuple[Any, ...]:
    source = Input(str(path))
    asked = [settings] if settings else []
    result = run.from_recording(source, machines[0], machines, release(kernel), asked)
    return result.read, result.observed, result.accounts, problems_of(result.problems)


def problems_of(problems: Sequence[Problem]) -> list[tuple[Any, ...]]:
    return [(each.kind, each.count, each.examples) for each in problems]


@pytest.mark.parametrize("governor", ["menu", "teo", "ladder", "haltpoll", None])
@pytest.mark.parametrize("kernel", few(1, KERNELS))
@pytest.mark.parametrize("records", [*slow(1 << 16), 37])
def test_recordings(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    governor: str | None,
    kernel: str,
    records: int,
) -> None:
    """Exact recordings, of four CPUs, on one table and on six, which menu sweeps."""
    random = Random(f"{governor} {kernel}")
    path = tmp_path / "recording"
    path.write_bytes(recording(random, 300, 4, odd=True))
    monkeypatch.setattr("idle_states.lab.traces.chunks.RECORDS", records)
    monkeypatch.setattr("idle_states.lab.replay.core_models._FEW", 20)
    for count, disabled, limit_us in ((1, (), 5), (6, (1, 4), 40)):
        machines = tables(count, random, disabled, limit_us)
        settings = None
        if governor is not None:
            settings = Settings(governor, release(kernel), 250)
            try:
                settings.governor_of(CpuTable(("a", "b"), (State(0, 0), State(1, 1))))
            except ValueError as error:
                pytest.skip(str(error))
            assert knows(machines, settings, estimated=False)
        by_core = replayed(path, machines, settings, kernel)
        with monkeypatch.context() as without:
            without.setattr(core, "available", lambda: False)
            assert replayed(path, machines, settings, kernel) == by_core
        assert by_core[1].total.usage > 210


def test_threads_make_no_difference(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "recording"
    path.write_bytes(recording(Random("threads"), 2_000, 7))
    machines = tables(4, Random("tables of threads"))
    results = []
    for processors in (1, 4):
        monkeypatch.setattr(core, "processors", lambda count=processors: count)
        monkeypatch.setattr("idle_states.lab.replay.core_models._FEW", 0)
        results.append(replayed(path, machines, Settings("teo", release("6.12"), 250), "6.12"))
    assert results[0] == results[1]


# Commands


WITHOUT = (
    "import sys; sys.modules['idle_states.tables.linux.governors.core._core'] = None\n"
    "from idle_states.cli import main\n"
    "sys.exit(main(sys.argv[1:]))"
)
NOTICE = re.compile(
    r"idle-states: the compiled core is missing \([^()\n]+\); the Python reference is used "
    r"instead and takes much longer\. To get the core: apt-get install gcc [^\n]*, then make core\n"
)


def command(*words: str, core_there: bool = True) -> subprocess.CompletedProcess[str]:
    program = ["-m", "idle_states"] if core_there else ["-c", WITHOUT]
    done = subprocess.run(
        [sys.executable, *program, *words], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("replay", "--governor", "teo", "--table", "power9", "--table", "power8"),
        ("replay", "--table", "power9"),
        ("conform", "--governor", "menu", "--states", "1000/10000,2000/20000,9000/90000"),
        ("conform", "--governor", "menu", "--table", "power9", "--skip", "3", "--format", "json"),
    ],
    ids=" ".join,
)
def test_without_the_core_it_says_so_once(tmp_path: Path, words: tuple[str, ...]) -> None:
    """... and prints the same: the first disagreement with its intermediates, too."""
    path = tmp_path / "recording"
    lines = recording(Random("commands"), 300, 2).splitlines(keepends=True)
    # states that every table has
    column = lines[0].decode().split(",").index("state")
    for number, line in enumerate(lines[1:], 1):
        cells = line.decode().split(",")
        cells[column] = str(int(cells[column]) % 2) + ("\n" if cells[column][-1:] == "\n" else "")
        lines[number] = ",".join(cells).encode()
    path.write_bytes(b"".join(lines).replace(b",5", b",1"))
    given = (words[0], str(path), *words[1:], "--kernel", "6.12")
    there, without = command(*given), command(*given, core_there=False)
    assert there.stdout == without.stdout
    assert there.stderr == ""
    assert NOTICE.fullmatch(without.stderr)
    assert words[0] == "replay" or "isagree" in there.stdout


MEASURED = (
    # not getrusage(): its peak is that of whoever started the process, if that was greater
    "import re, sys\n"
    "from idle_states.cli import main\n"
    "main(sys.argv[1:])\n"
    "status = open('/proc/self/status').read()\n"
    "print(re.search(r'VmHWM:\\s*(\\d+) kB', status)[1], file=sys.stderr)"
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["trace", "recording"])
def test_memory_does_not_grow_with_the_input(kind: str) -> None:
    """100 MB are piped through a replay, whose peak stays below 80 MB."""
    words = ["replay", "-", "--table", "power9", "--governor", "menu", "--kernel", "6.1"]
    with subprocess.Popen(
        [sys.executable, "-c", MEASURED, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
        assert process.stdin is not None
        for block in blocks_of(kind):
            process.stdin.write(block)
        out, err = process.communicate()
    assert b"decisions" in out, err
    assert int(err.split()[-1]) < 80 * 1024


def blocks_of(kind: str) -> Iterator[bytes]:
    if kind == "recording":
        head, body = recording(Random("memory"), 10_000, 4).split(b"\n", 1)
        yield head + b"\n"
        yield from itertools.repeat(body, 100_000_000 // len(body))
        return
    line = "          <idle>-0     [{0:03d}] d..1.  {1}.{2:09d}: cpu_idle: state={3} cpu_id={0}\n"
    for second in range(112):
        yield "".join(
            line.format(n // 2 % 8, second, n * 90_000, (0, 4294967295)[n % 2])
            for n in range(10_000)
        ).encode()


# Reading


GOOD = recording(Random("reading"), 3, 2)


def damaged() -> Iterator[bytes]:
    """Recordings with something wrong, or only unusual."""
    head, *lines = GOOD.split(b"\n")
    yield GOOD
    yield GOOD.rstrip(b"\n")
    yield GOOD + b"\n \n"
    yield head
    yield b"\n \n" + GOOD
    yield GOOD.replace(b"\n", b"\r\n")
    yield b"\n".join([head.replace(b"load", b"lead"), *lines])
    yield b"\n".join([head, lines[0], lines[1][:-5]])
    yield GOOD + lines[0] + b"," + lines[0]
    yield GOOD + b"0" * 70_000 + b"\n" + GOOD
    yield GOOD + b"0" * 70_000
    cells = lines[0].split(b",")
    odd = (
        b"",
        b"-",
        b"x",
        b"1.5",
        b" 7 ",
        b"+1",
        b"1_0",
        b"-1",
        b"00",
        b"-0",
        b"9" * 19,
        b"1" * 21,
    )
    for place, value in itertools.product(range(len(cells)), odd):
        other = b",".join([*cells[:place], value, *cells[place + 1 :]])
        yield b"\n".join([head, lines[0], other, lines[1], b""])


DAMAGED = tuple(damaged())


@pytest.mark.parametrize("number", range(len(DAMAGED)))
def test_recordings_are_read_as_without_the_core(tmp_path: Path, number: int) -> None:
    data = DAMAGED[number]
    path = tmp_path / "recording"
    path.write_bytes(data)
    answers: list[Any] = []
    for read in (_by_core, _by_python):
        try:
            answers.append(read(Input(str(path))))
        except Unreadable as error:
            answers.append([str(finding) for finding in error.findings])
    assert answers[0] == answers[1]
    assert answers[0] or data == GOOD.split(b"\n")[0]


def _by_core(source: Input) -> list[Any]:
    found = []
    for parts in chunks(source):
        for part in parts:
            pairs = list(core.unpack(part.as_recorded()))
            states, stops = part.decided[::2], part.decided[1::2]
            for pair, state, stop, line in zip(pairs, states, stops, part.lines, strict=True):
                found.append((line, part.cpu, *pair, state, bool(stop)))
    return sorted(found, key=lambda row: row[0])


def _by_python(source: Input) -> list[Any]:
    return [
        (row.line, row.cpu, row.situation, row.outcome, row.state, row.stop_tick)
        for row in rows(source)
    ]
