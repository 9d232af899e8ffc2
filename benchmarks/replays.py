"""Reading and replaying, from a file to figures, with plain tools and TRAPpy beside it.

Traces are ftrace text, pure (nothing but idle events) and mixed (80 % of the lines are other
events); the recording is an exact one of four CPUs. Beside the replay: `grep -c cpu_idle`, which
reads every line and does no more; an awk program that pairs entries and exits and sums time by
state, as people write it; TRAPpy, which parses the events into frames; trace-cmd and perf script,
which print a trace.dat and a perf.data. Nobody else replays governors.
"""

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random

from tests.support.perf_data import Op, Writer

from .measuring import ROOT, TOOL, Given, Work
from .table import Aim
from .whole_process import WITHOUT, program

LINES, ROWS, EVENTS = 10_000_000, 500_000, 500_000
STATES = "1000/10000,2000/20000,5000/50000,10000/100000,100000/10000000,200000/20000000"
CPUS = 4
SHARES = {"pure": 1.0, "mixed": 0.2}
AWK = """
/cpu_idle:/ {
    for (i = 1; i <= NF; i++)
        if ($i == "cpu_idle:") { t = $(i - 1); split($(i + 1), s, "="); split($(i + 2), c, "=") }
    if (s[2] == 4294967295) { if (c[2] in since) total[state[c[2]]] += t - since[c[2]] }
    else { state[c[2]] = s[2]; since[c[2]] = t }
}
END { for (n in total) print n, total[n] }
"""


TRAPPY = """
import sys, trappy
trace = trappy.FTrace(sys.argv[1], events=["cpu_idle"], normalize_time=False)
sys.exit(0 if len(trace.cpu_idle.data_frame) else "found no events")
"""
DAT = ROOT / "tests/data/traces/mt8196-teo.trace.dat"


def trace(path: Path, share: float, lines: int) -> None:
    """Text as ftrace prints it."""
    random, ns = Random(f"trace {share}"), 10**9
    idle: dict[int, bool] = {}
    with path.open("w") as file:
        for number in range(lines):
            ns += random.randint(300, 9_000)
            cpu = random.randrange(8)
            where = f"[{cpu:03d}] d..2.  {ns // 10**9}.{ns % 10**9:09d}"
            if random.random() < share:
                state = 4294967295 if idle.get(cpu) else random.randrange(7)
                idle[cpu] = not idle.get(cpu)
                payload = f"cpu_idle:             state={state} cpu_id={cpu}"
                file.write(f"          <idle>-0     {where}: {payload}\n")
            else:
                payload = f"sched_waking:         comm=worker pid={number % 5000} prio=120"
                file.write(f"          worker-1234  {where}: {payload} target_cpu={cpu:03d}\n")


def recording(path: Path, rows: int) -> None:
    """CSV with every input of every decision."""
    random, clock = Random("recording"), 10**9
    with path.open("w") as file:
        file.write(
            "latency_req_us,sleep_length_ns,delta_next_ns,tick_stopped,nr_iowaiters,load,state,"
            "stop_tick,rejected,residency_ns,got_tick,poll_time_limit,clock_at_select_ns,cpu\n"
        )
        for _ in range(rows):
            idle = int(10 ** random.uniform(2.7, 7.5))
            sleep = int(idle * 10 ** random.uniform(0, 2))
            delta = min(sleep, random.randint(1, 4_000_000))
            clock += idle + random.randrange(10**5)
            file.write(
                f"2000000000,{sleep},{delta},0,0,0,{random.randrange(7)},1,0,{idle},0,0,{clock},"
                f"{random.randrange(CPUS)}\n"
            )


def table(directory: str, factor: int) -> str:
    """A spec of its own: POWER9 with another residency."""
    path = Path(directory) / f"table{factor}.yaml"
    path.write_text(
        f"name: table{factor}\nextends: power9\noverride:\n"
        f"  stop2: {{residency: {90 + factor}us}}\n"
    )
    return str(path)


def of_trace(given: Given, kind: str, share: float) -> list[Work]:
    """The share of a trace's lines that is idle events; grep and awk beside the replay."""
    found: list[Work] = []
    plain = {"grep -c cpu_idle": program("grep", given), "mawk": program("mawk", given)}
    for times, lines in zip((1, 10, 100), given.sizes(LINES), strict=True):
        file = given.folder / f"{kind}{times}"
        trace(file, share, lines)
        whole = times == 100
        size = "" if whole else f", {lines} lines"
        words = ("replay", str(file), "--states", STATES)
        beside: dict[str, Aim | None] = {
            f"{name}, {kind}": Aim("rate", 1e7, "wall") if name.startswith("grep") else None
            for name in plain
        }
        series = f"replay, {kind} trace"
        found.append(Work(f"{series}{size}", [*TOOL, *words], lines, beside, series, whole))
        for name, path in plain.items():
            if path is not None:
                what = ["-c", "cpu_idle"] if name.startswith("grep") else [AWK]
                plainly = f"{name}, {kind}"
                command = [path, *what, str(file)]
                found.append(Work(f"{plainly}{size}", command, lines, {}, plainly, False))
        if times == 1:
            command = [*WITHOUT, *words]
            found.append(Work(f"{series}, no core", command, lines, rounds=3))
        if times == 10:
            found += beside_trappy(given, kind, file, lines)
        command = [*TOOL, *words, "--governor", "menu", "--kernel", "6.1"]
        estimated = f"{series}, menu estimated"
        grep: dict[str, Aim | None] = {f"grep -c cpu_idle, {kind}": None}
        found.append(Work(f"{estimated}{size}", command, lines, grep, estimated, whole))
    return found


def beside_trappy(given: Given, kind: str, file: Path, lines: int) -> list[Work]:
    """A replay beside TRAPpy, of lines with the four flags that kernels had when it was written."""
    name = f"TRAPpy, {kind}, {lines} lines"
    older = file.with_suffix(".older")
    older.write_text(file.read_text().replace(" d..2.  ", " d..2  "))
    words = [*TOOL, "replay", str(older), "--states", STATES]
    found = [Work(f"replay, {kind} trace of an older kernel", words, lines, {name: None})]
    if importlib.util.find_spec("trappy") is None:
        given.missing["TRAPpy"] = "not installed: pip install trappy"
        return found
    return [*found, Work(name, [sys.executable, "-c", TRAPPY, str(older)], lines, ours=False)]


def of_recording(given: Given) -> list[Work]:
    found = []
    files: dict[int, Path] = {}
    for rows in given.sizes(ROWS):
        files[rows] = given.folder / f"recording{rows}"
        recording(files[rows], rows)
    least, *_, most = files
    for governor in ("menu", "teo", "ladder"):
        options = ("--states", STATES, "--governor", governor, "--kernel", "6.12")
        series = f"replay, recording, {governor}"
        for rows, file in files.items():
            name = series if rows == most else f"{series}, {rows} rows"
            command = [*TOOL, "replay", str(file), *options]
            found.append(Work(name, command, rows, series=series, ours=rows == most))
        words = ("replay", str(files[least]), *options)
        found.append(Work(f"{series}, no core", [*WITHOUT, *words], least, rounds=3))
    command = [*TOOL, "conform", str(files[most]), *options]
    found.append(Work(f"conform, recording, {governor}", command, most))
    tables = [word for by in range(1, 33) for word in ("--table", table(str(given.folder), by))]
    alone: Mapping[str, Aim | None] = {"replay, recording, menu": None}
    series = "replay, recording, menu, 32 tables"
    for rows, file in files.items():
        name = series if rows == most else f"{series}, {rows} rows"
        sweep = ("replay", str(file), *tables, "--governor", "menu", "--kernel", "6.12")
        found.append(Work(name, [*TOOL, *sweep], 32 * rows, alone, series, rows == most))
    return found


def of_dat(given: Given) -> list[Work]:
    """A trace.dat, 1.2 MB of a phone's CPUs, as they are."""
    words = [*TOOL, "replay", str(DAT), "--states", STATES]
    found = [Work("replay, trace.dat", words, peers={"trace-cmd report": None})]
    if reporter := program("trace-cmd", given):
        found.append(Work("trace-cmd report", [reporter, "report", str(DAT)], ours=False))
    return found


def of_perf_data(given: Given) -> list[Work]:
    """A perf.data of four events to one of cpu_idle, in rounds of 1,000."""
    found: list[Work] = []
    printer, series = program("perf", given), "replay, perf.data"
    peers: dict[str, Aim | None] = {"perf script": None}
    *_, most = sizes = [max(1000, count) for count in given.sizes(EVENTS)]
    for count in sizes:
        ops: list[Op] = []
        for number in range(count):
            cpu, turn = number % 3, number // 15
            state = 0xFFFFFFFF if turn % 2 else turn % 7
            what = "idle" if number // 3 % 5 == 0 else "other"
            ops.append((what, 10**9 + 700 * number, cpu, state))
            if number % 1000 == 999:
                ops.append(("round", 0, 0, 0))
        file = given.folder / f"perf{count}.data"
        file.write_bytes(Writer().file(ops))
        words = [*TOOL, "replay", str(file), "--states", STATES]
        size = "" if count == most else f", {count} events"
        found.append(Work(f"{series}{size}", words, count, peers, series, not size))
        if printer and not size:
            command = [printer, "script", "--force", "--ns", "-i", str(file)]
            found.append(Work("perf script", command, count, ours=False))
    return found


def works(given: Given) -> list[Work]:
    traces = [work for kind, share in SHARES.items() for work in of_trace(given, kind, share)]
    return [*traces, *of_recording(given), *of_dat(given), *of_perf_data(given)]
