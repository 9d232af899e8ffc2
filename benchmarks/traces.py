"""Reading and replaying, from a file to figures, with plain tools beside it.

A text trace is ftrace's, of whose lines 36 % are idle events, as of an Arm machine. Beside its
replay: `grep -c cpu_idle`, which reads every line and does no more; an awk program that pairs
entries and exits and sums time by state, as people write it. trace-cmd and perf script print a
trace.dat and a perf.data. Nobody else replays governors; a recording is an exact one of four CPUs.
"""

from pathlib import Path
from random import Random

from tests.support import long_traces
from tests.support.perf_data import Op, Writer

from .measuring import ROOT, TOOL, Work, program
from .start import WITHOUT

LINES, ROWS, EVENTS, DAT_BYTES = 2_000_000, 200_000, 100_000, 16 << 20
IDLE = 0.36
"""The share of a text trace's lines."""
STATES = "1000/10000,2000/20000,5000/50000,10000/100000,100000/10000000,200000/20000000"
CPUS = 4
AWK = """
/cpu_idle:/ {
    for (i = 1; i <= NF; i++)
        if ($i == "cpu_idle:") { t = $(i - 1); split($(i + 1), s, "="); split($(i + 2), c, "=") }
    if (s[2] == 4294967295) { if (c[2] in since) total[state[c[2]]] += t - since[c[2]] }
    else { state[c[2]] = s[2]; since[c[2]] = t }
}
END { for (n in total) print n, total[n] }
"""
TRACES = ROOT / "tests/data/traces"
REPLAY = (*TOOL, "replay")


def trace(path: Path, lines: int, states: int = 7, cpus: int = 8) -> Path:
    """Text as ftrace prints it, of so many states."""
    random, ns = Random("trace"), 10**9
    idle = [False] * cpus
    with path.open("w") as file:
        for number in range(lines):
            ns += random.randint(300, 9_000)
            cpu = random.randrange(cpus)
            where = f"[{cpu:03d}] d..2.  {ns // 10**9}.{ns % 10**9:09d}"
            if random.random() < IDLE:
                state = 4294967295 if idle[cpu] else random.randrange(states)
                idle[cpu] = not idle[cpu]
                payload = f"cpu_idle:             state={state} cpu_id={cpu}"
                file.write(f"          <idle>-0     {where}: {payload}\n")
            else:
                payload = f"sched_waking:         comm=worker pid={number % 5000} prio=120"
                file.write(f"          worker-1234  {where}: {payload} target_cpu={cpu:03d}\n")
    return path


def recording(path: Path, rows: int) -> Path:
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
    return path


def perf_data(path: Path, events: int) -> Path:
    """A perf.data of four events to one of cpu_idle, in rounds of 1,000."""
    ops: list[Op] = []
    for number in range(events):
        cpu, turn = number % 3, number // 15
        state = 0xFFFFFFFF if turn % 2 else turn % 7
        what = "idle" if number // 3 % 5 == 0 else "other"
        ops.append((what, 10**9 + 700 * number, cpu, state))
        if number % 1000 == 999:
            ops.append(("round", 0, 0, 0))
    path.write_bytes(Writer().file(ops))
    return path


def of_text(folder: Path, lines: int) -> list[Work]:
    file = str(trace(folder / "trace", lines))
    words = ("replay", file, "--states", STATES)
    few = str(trace(folder / "few", lines // 100))
    return [
        Work("replay, text trace", [*TOOL, *words], lines),
        Work(
            "replay, text trace, menu estimated",
            [*TOOL, *words, "--governor", "menu", "--kernel", "6.1"],
            lines,
        ),
        Work("replay, text trace, no core", [*WITHOUT, "replay", few, *words[2:]], lines // 100),
        Work("grep -c cpu_idle, text trace", program("grep", "-c", "cpu_idle", file), lines),
        Work("mawk, text trace", program("mawk", AWK, file), lines),
    ]


def of_recording(folder: Path, rows: int) -> list[Work]:
    """menu's replay of 32 tables is that of POWER9's with other residencies."""
    file = str(recording(folder / "recording", rows))
    found = []
    for governor in ("menu", "teo", "ladder"):
        options = ("--states", STATES, "--governor", governor, "--kernel", "6.12")
        name = f"replay, recording, {governor}"
        found.append(Work(name, [*REPLAY, file, *options], rows))
    found.append(Work("conform, recording, ladder", [*TOOL, "conform", file, *options], rows))
    tables = []
    for by in range(32):
        spec = folder / f"table{by}.yaml"
        change = f"override:\n  stop2: {{residency: {91 + by}us}}\n"
        spec.write_text(f"name: table{by}\nextends: power9\n{change}")
        tables += ["--table", str(spec)]
    sweep = [*REPLAY, file, *tables, "--governor", "menu", "--kernel", "6.12"]
    return [*found, Work("replay, recording, menu, 32 tables", sweep, 32 * rows)]


def of_binary(folder: Path, scale: float) -> list[Work]:
    """A phone's trace.dat as it is, a long one, and a perf.data."""
    phone, long = TRACES / "mt8196-teo.trace.dat", folder / "long.dat"
    with long.open("wb") as out:
        out.writelines(long_traces.dat(round(DAT_BYTES * scale)))
    events = max(1000, round(EVENTS * scale))
    perf = perf_data(folder / "perf.data", events)
    looks = [str(TRACES / f"mt8196-teo.sysfs-{when}.txt") for when in ("before", "after")]
    teo = ("--governor", "teo", "--kernel", "6.6", "--hz", "1000")
    script = program("perf", "script", "--force", "--ns", "-i", str(perf))
    return [
        Work("replay, trace.dat", [*REPLAY, str(phone), "--states", STATES]),
        Work("replay, trace.dat, teo calibrated", [*REPLAY, str(phone), *looks, *teo]),
        Work("trace-cmd report", program("trace-cmd", "report", str(phone))),
        Work("replay, long trace.dat", [*REPLAY, str(long), "--states", STATES]),
        Work("trace-cmd report, long", program("trace-cmd", "report", str(long))),
        Work("replay, perf.data", [*REPLAY, str(perf), "--states", STATES], events),
        Work("perf script", script, events),
    ]


def works(folder: Path, scale: float) -> list[Work]:
    return [
        *of_text(folder, round(LINES * scale)),
        *of_recording(folder, round(ROWS * scale)),
        *of_binary(folder, scale),
    ]
