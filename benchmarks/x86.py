"""tune --to cmdline of an x86 machine, end to end: from idles in a file to the kernel's parameter.

    python benchmarks/x86.py [--idles 10000000] [--platform skx] [--kernel 7.0]
                             [--governor none --governor menu] [--form trace|gaps]

No recording of an x86 machine of this length is to be had: the idles are those of a simulated
server on the machine's own table, on one CPU, one after the other and again from the first until
there are enough. Seconds are from the start of a command to its end, on the wall and of CPU time;
making the file does not count. Without a governor the file is read and little else is done; with
one, every table tried is replayed over all idles. Beside them, of a trace: replay as entered,
`grep -c cpu_idle`, sha256sum (tune and replay give the file's, too), and the awk program of
replays.py.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from replays import AWK, STATES

from idle_states.linux.platforms import parse
from idle_states.linux.releases import release
from idle_states.simulation.actors import SimulatedCpu
from idle_states.simulation.given import WorkloadRequest
from idle_states.simulation.idle_periods import IdlePeriods
from idle_states.simulation.request import SimulateRequest, prepare
from idle_states.simulation.simulate import simulate

WORKLOAD, DURATION = "server", "1s"
BETWEEN_NS = 20_000


def simulated(platform: str, kernel: str) -> list[tuple[int, int]]:
    """(state, length in ns) of the idle periods of the CPU that has most."""
    found: dict[int, list[tuple[int, int]]] = {}
    end: Any = IdlePeriods.end

    def kept(self: IdlePeriods, cpu: SimulatedCpu, *, time_limit: bool) -> None:
        length = self._schedule.now_ns - cpu.since_ns
        found.setdefault(cpu.number, []).append((cpu.state, length))
        end(self, cpu, time_limit=time_limit)

    asked = SimulateRequest(
        WorkloadRequest(WORKLOAD, duration=DURATION),
        release(kernel),
        (f"intel:{platform.partition(',')[0]}",),
        platform=parse(platform),
    )
    IdlePeriods.end = kept  # type: ignore[method-assign]
    try:
        simulate(prepare(asked).setups[0], 1)
    finally:
        IdlePeriods.end = end  # type: ignore[method-assign]
    return max(found.values(), key=len)


def write(file: Path, idles: list[tuple[int, int]], count: int, form: str) -> None:
    repeated = -(-count // len(idles))
    if form == "gaps":
        lengths = Counter(length for _, length in idles)
        lines = (f"{length},{number * repeated}\n" for length, number in sorted(lengths.items()))
        file.write_text("".join(lines))
        return
    clock = 1_000_000_000
    head = "          <idle>-0     [000] d..1."
    with file.open("w") as out:
        for at in range(count):
            state, length = idles[at % len(idles)]
            done = clock + length
            out.write(
                f"{head} {clock // 10**9}.{clock % 10**9:09}: cpu_idle: state={state} cpu_id=0\n"
                f"{head} {done // 10**9}.{done % 10**9:09}: cpu_idle: state=4294967295 cpu_id=0\n"
            )
            clock = done + BETWEEN_NS


def timed(command: Sequence[str]) -> tuple[float, float, str]:
    """Seconds on the wall and of CPU time, and the last line printed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return wall, cpu, (done.stdout.strip() or "nothing to change").splitlines()[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--idles", type=int, default=10_000_000)
    parser.add_argument("--platform", default="skx")
    parser.add_argument("--kernel", default="7.0")
    parser.add_argument("--governor", action="append")
    parser.add_argument("--form", choices=("trace", "gaps"), default="trace")
    given = parser.parse_args()
    os.environ["LC_ALL"] = "C"
    idles = simulated(given.platform, given.kernel)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "idles"
        write(file, idles, given.idles, given.form)
        size = file.stat().st_size / 1e6
        print(f"{given.idles} idles, {len(idles)} of them simulated, {size:.0f} MB of {given.form}")
        tool = [sys.executable, "-m", "idle_states"]
        tune = [*tool, "tune", "--to", "cmdline", "--platform", given.platform]
        tune += ["--kernel", given.kernel, "--power", "implied", f"--{given.form}", str(file)]
        commands = {
            f"tune, governor {governor}": [*tune, "--governor", governor]
            for governor in given.governor or ("none", "menu")
        }
        if given.form == "trace":
            commands |= {
                "replay as entered": [*tool, "replay", str(file), "--states", STATES],
                "grep -c cpu_idle": ["grep", "-c", "cpu_idle", str(file)],
                "sha256sum": ["sha256sum", str(file)],
            }
            if shutil.which("mawk"):
                commands["mawk, time by state"] = ["mawk", AWK, str(file)]
        print(f"{'':24} {'wall s':>8} {'CPU s':>8}")
        for what, command in commands.items():
            wall, cpu, last = timed(command)
            print(f"{what:24} {wall:8.1f} {cpu:8.1f}  {last if 'tune' in what else ''}".rstrip())


if __name__ == "__main__":
    main()
