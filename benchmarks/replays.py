"""Speed of reading and replaying, from a file to figures, with plain tools beside it.

    python benchmarks/replays.py [--lines 3000000] [--rows 2000000] [--runs 3]

Traces are ftrace text, dense (39 % of the lines are idle events) and sparse (6 %); the recording is
an exact one of four CPUs. Beside the replay: `grep -c cpu_idle`, which reads every line and does no
more, and an awk program that pairs entries and exits and sums time by state, as people write it;
nobody else replays governors. Times are CPU seconds, the tool's start included, and the median of
several runs in turn (A B C A B C ...).
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
TOOL = (sys.executable, "-m", "idle_states")
WITHOUT = (
    sys.executable,
    "-c",
    "import sys; sys.modules['idle_states.core._core'] = None\n"
    "from idle_states.cli import main\n"
    "sys.exit(main(sys.argv[1:]))",
)
STATES = "1000/10000,2000/20000,5000/50000,10000/100000,100000/10000000,200000/20000000"
CPUS = 4
SHARES = {"dense": 0.39, "sparse": 0.06}
REFERENCE_SHARE = 50
"""The reference is given this part of a recording."""
AWK = """
/cpu_idle:/ {
    for (i = 1; i <= NF; i++)
        if ($i == "cpu_idle:") { t = $(i - 1); split($(i + 1), s, "="); split($(i + 2), c, "=") }
    if (s[2] == 4294967295) { if (c[2] in since) total[state[c[2]]] += t - since[c[2]] }
    else { state[c[2]] = s[2]; since[c[2]] = t }
}
END { for (n in total) print n, total[n] }
"""


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


def seconds(command: Sequence[str]) -> float:
    """CPU time of one run and of what it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # not to /dev/null: grep would stop at the first match
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)[:200]}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=3_000_000)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    os.environ["LC_ALL"] = "C"
    with tempfile.TemporaryDirectory() as name:
        measures: dict[str, tuple[Sequence[str], int, str]] = {}
        for kind, share in SHARES.items():
            file = Path(name) / kind
            trace(file, share, arguments.lines)
            words = ("replay", str(file), "--states", STATES)
            menu = (*words, "--governor", "menu", "--kernel", "6.1")
            of_lines = (arguments.lines, "lines")
            measures |= {
                f"{kind} trace: judged": ((*TOOL, *words), *of_lines),
                f"{kind} trace: judged, no core": ((*WITHOUT, *words), *of_lines),
                f"{kind} trace: menu estimated": ((*TOOL, *menu), *of_lines),
                f"{kind} trace: grep -c cpu_idle": (
                    ("grep", "-c", "cpu_idle", str(file)),
                    *of_lines,
                ),
            }
            for awk in filter(shutil.which, ("mawk", "gawk")):
                measures[f"{kind} trace: {awk}, time by state"] = ((awk, AWK, str(file)), *of_lines)
        file, few = Path(name) / "recording", Path(name) / "few"
        recording(file, arguments.rows)
        fewer = arguments.rows // REFERENCE_SHARE
        recording(few, fewer)
        for governor in ("menu", "teo", "ladder"):
            words = ("--states", STATES, "--governor", governor, "--kernel", "6.12")
            every, some = ("replay", str(file), *words), ("replay", str(few), *words)
            of_rows = "decisions"
            measures[f"recording: {governor}"] = ((*TOOL, *every), arguments.rows, of_rows)
            measures[f"recording: {governor}, no core"] = ((*WITHOUT, *some), fewer, of_rows)
            conform = ("conform", *every[1:])
            measures[f"conform: {governor}"] = ((*TOOL, *conform), arguments.rows, of_rows)
        tables = [word for factor in range(1, 33) for word in ("--table", table(name, factor))]
        sweep = ("replay", str(file), *tables, "--governor", "menu", "--kernel", "6.12")
        count = 32 * arguments.rows
        measures["recording: menu, 32 tables"] = ((*TOOL, *sweep), count, "decisions")
        samples: dict[str, list[float]] = {what: [] for what in measures}
        for _ in range(arguments.runs):
            for what, (command, _, _) in measures.items():
                samples[what].append(seconds(command))
    print(f"{'median of ' + str(arguments.runs):36} {'CPU s':>8} {'M/s':>8}")
    for what, taken in samples.items():
        middle, (_, count, unit) = statistics.median(taken), measures[what]
        print(f"{what:36} {middle:8.2f} {count / middle / 1e6:8.2f} {unit}")


def table(directory: str, factor: int) -> str:
    """A spec of its own: POWER9 with another residency."""
    path = Path(directory) / f"table{factor}.yaml"
    path.write_text(
        f"name: table{factor}\nextends: power9\noverride:\n"
        f"  stop2: {{residency: {90 + factor}us}}\n"
    )
    return str(path)


if __name__ == "__main__":
    main()
