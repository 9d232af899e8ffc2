"""tune --to cmdline of an x86 machine, end to end: from idles in a file to the kernel's parameter.

    python benchmarks/x86.py [--idles 10000000] [--platform skx] [--kernel 7.0] [--governor menu]
                             [--form trace|gaps]

No recording of an x86 machine of this length is to be had: the idles are those of a simulated
server on the machine's own table, on one CPU, one after the other and again from the first until
there are enough. Seconds are of the clock on the wall, from the start of the command to its end;
making the file does not count.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--idles", type=int, default=10_000_000)
    parser.add_argument("--platform", default="skx")
    parser.add_argument("--kernel", default="7.0")
    parser.add_argument("--governor", default="menu")
    parser.add_argument("--form", choices=("trace", "gaps"), default="trace")
    given = parser.parse_args()
    idles = simulated(given.platform, given.kernel)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "idles"
        write(file, idles, given.idles, given.form)
        size = file.stat().st_size / 1e6
        print(f"{given.idles} idles, {len(idles)} of them simulated, {size:.0f} MB of {given.form}")
        command = [sys.executable, "-m", "idle_states", "tune", "--to", "cmdline"]
        command += ["--platform", given.platform, "--kernel", given.kernel, "--power", "implied"]
        command += ["--governor", given.governor, f"--{given.form}", str(file)]
        before = time.perf_counter()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        print(f"{time.perf_counter() - before:.1f} s: {done.stdout.strip() or 'nothing to change'}")


if __name__ == "__main__":
    main()
