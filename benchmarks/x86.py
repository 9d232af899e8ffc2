"""tune --to cmdline of an x86 machine, end to end: from idles in a file to the kernel's parameter.

No recording of an x86 machine of this length is to be had: the idles are those of a simulated
server on the machine's own table, on one CPU, one after the other and again from the first until
there are enough. Making the file, of 1.6 GB, does not count. Without a governor the file is read
and little else is done; with one, some 90 tables are replayed over a sample of the idles, and those
reported over all. Beside it, of a trace: sha256sum, which tune gives the file's of, too.
"""

from collections import Counter
from pathlib import Path
from typing import Any

from idle_states.lab.simulation.actors import SimulatedCpu
from idle_states.lab.simulation.answer import prepare_simulation
from idle_states.lab.simulation.idle_periods import IdlePeriods
from idle_states.lab.simulation.request import SimulateRequest
from idle_states.lab.simulation.simulate import simulate
from idle_states.lab.simulation.workload_request import WorkloadRequest
from idle_states.tables.linux.platforms import parse
from idle_states.tables.linux.releases import release

from .measuring import TOOL, Given, Work
from .table import Aim
from .whole_process import program

PLATFORM, KERNEL, IDLES = "skx", "7.0", 10_000_000
AIM = Aim("seconds", 10, "wall")
"""For 10^7 idles."""
ROUNDS = 3
"""The most rounds of what takes seconds."""
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
        simulate(prepare_simulation(asked).setups[0], 1)
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


def works(given: Given) -> list[Work]:
    idles, found = simulated(PLATFORM, KERNEL), []
    sums = program("sha256sum", given)
    words = ("tune", "--to", "cmdline", "--platform", PLATFORM, "--kernel", KERNEL)
    sizes = given.sizes(IDLES)
    for form in ("trace", "gaps"):
        for count in sizes if form == "trace" else sizes[-1:]:
            file, last = given.folder / f"{form}{count}", count == sizes[-1]
            write(file, idles, count, form)
            size = "" if last else f", {count} idles"
            peers = {"sha256sum, trace" if form == "trace" else "": AIM if last else None}
            command = [*TOOL, *words, "--power", "implied", f"--{form}", str(file)]
            series = f"tune --to cmdline, {form}"
            found.append(
                Work(
                    f"{series}, no governor{size}",
                    [*command, "--governor", "none"],
                    count,
                    peers,
                    series if form == "trace" else "",
                    last,
                    ROUNDS,
                )
            )
            for governor in ("menu", "teo") if form == "trace" else ():
                name, asked = f"{series}, {governor}", [*command, "--governor", governor]
                aims = {"": AIM if last else None}
                found.append(Work(f"{name}{size}", asked, count, aims, name, last, ROUNDS))
            if sums and last and form == "trace":
                found.append(Work("sha256sum, trace", [sums, str(file)], count, ours=False))
    return found
