"""audit of more trees than a disk should hold: each is made just before it is read, and removed.

The trees are POWER9's as QEMU's firmware makes it (tests/data/trees), each with all times of its
states drawn at random and a serial number of its own. Printed are the summary's first line and its
digest, the CPU seconds and the peak of memory of each process. JOBS is a number of processes of
this machine, or dask: a cluster of two workers, one of which is killed on half the way. Further
words are options of audit. The peak is that of the last look at /proc, every thousand trees.
"""

import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from idle_states.base.model.power_mgt import LATENCIES, NODE, RESIDENCIES, cells, u32_array
from idle_states.tables.devicetree import fdt
from tools.command_line import parsed

from .measuring import ROOT, TOOL

WINDOW = 65_536
"""Trees that lie there at one time: more than audit and a pipe have under way."""
LOOK, PAUSE = 1000, 0.2
"""Trees and seconds between two looks."""
CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, *(each.pid for each in cluster.workers.values()))
        sys.stdout.flush()
        sys.stdin.read()
"""


class Trees:
    """The trees, as one blob in which times and the serial number are overwritten."""

    def __init__(self) -> None:
        root = fdt.read((ROOT / "tests/data/trees/powernv9.dtb").read_bytes(), "powernv9.dtb")
        node = root.find(NODE)
        assert node is not None
        self._serial = b"S000000000\0"
        root = root.__class__(
            root.name, {**root.properties, "system-id": self._serial}, root.children
        )
        self._blob = fdt.write(root)
        self._times = [node.properties[name] for name in (LATENCIES, RESIDENCIES)]
        assert all(self._blob.count(each) == 1 for each in (*self._times, self._serial))
        self._places = [self._blob.index(each) for each in (*self._times, self._serial)]
        self._count = len(cells(self._times[0], 4))

    def tree(self, number: int, table: int | None = None) -> bytes:
        """The tree of a machine. Latencies and residencies, drawn by the number of its table, rise
        mostly.

        number  of its serial number, and of its table unless `table` is one
        """
        drawn = random.Random(number if table is None else table)
        latencies = sorted(drawn.randrange(100, 10 ** drawn.randrange(3, 7)) for _ in self._range)
        residencies = [latency * drawn.randrange(2, 30) for latency in latencies]
        values = u32_array(latencies), u32_array(residencies), f"S{number:09}\0".encode()
        made = bytearray(self._blob)
        for at, value in zip(self._places, values, strict=True):
            made[at : at + len(value)] = value
        return bytes(made)

    @property
    def _range(self) -> range:
        return range(self._count)


class Watched:
    """Processor time and peak of memory of processes, as far as they were looked at."""

    def __init__(self) -> None:
        self.seen: dict[int, tuple[float, float]] = {}

    def look_at(self, processes: Sequence[int]) -> None:
        for process in processes:
            self.look(process)

    def look(self, process: int) -> None:
        """Looks at a process and at those below it."""
        with suppress(OSError, IndexError):
            proc = Path(f"/proc/{process}")
            values = (proc / "stat").read_text().rpartition(")")[2].split()
            cpu = (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")
            status = (proc / "status").read_text()
            peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
            self.seen[process] = cpu, peak
            for task in proc.glob("task/*/children"):
                for child in task.read_text().split():
                    self.look(int(child))


def started(words: Sequence[str], out: IO[bytes] | int, folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(words, stdin=-1, stdout=out, cwd=folder, env=environment)


def main() -> int:
    given = parsed(__doc__, "COUNT", "JOBS", "[OPTION...]")
    count, trees, watched = int(given.count), Trees(), Watched()
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryFile() as out:
        folder, cluster = Path(name), None
        how, workers = ["--jobs", given.jobs], list[int]()
        if given.jobs == "dask":
            cluster = started([sys.executable, "-c", CLUSTER], subprocess.PIPE, folder)
            assert cluster.stdout
            address, *pids = cluster.stdout.readline().decode().split()
            how, workers = ["--scheduler", address], list(map(int, pids))
        words = [*TOOL, "audit", "-", "--config", "none", "--summary", *how, *given.option]
        audit = started(words, out, folder)
        assert audit.stdin
        roots = [audit.pid, *([cluster.pid] if cluster else [])]
        for number in range(count):
            file = f"{number:09}.dtb"
            (folder / file).write_bytes(trees.tree(number))
            audit.stdin.write(f"{file}\n".encode())
            if number >= WINDOW:
                (folder / f"{number - WINDOW:09}.dtb").unlink()
            if number % LOOK == 0:
                watched.look_at(roots)
            if workers and number == count // 2:
                os.kill(workers[0], signal.SIGKILL)
        audit.stdin.close()
        while not os.waitid(os.P_PID, audit.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            watched.look_at(roots)
            time.sleep(PAUSE)
        _, status, used = os.wait4(audit.pid, 0)
        if cluster:
            cluster.communicate()
        out.seek(0)
        output = out.read()
    code = os.waitstatus_to_exitcode(status)
    print(output.partition(b"\n")[0].decode(), f"(exit status {code})")
    print("sha256 of the summary", hashlib.sha256(output).hexdigest()[:16])
    cpu = used.ru_utime + used.ru_stime
    print(f"audit and the processes it started: {cpu:.1f} s of CPU, peak {used.ru_maxrss >> 10} MB")
    for process, (cpu, peak) in watched.seen.items():
        what = "audit" if process == audit.pid else "killed" if process in workers[:1] else ""
        what = "scheduler" if cluster and process == cluster.pid else what or "worker"
        print(f"  {what:<9} {cpu:8.1f} s {peak:6.0f} MB")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
