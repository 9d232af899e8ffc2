"""What `idle-states boot` takes beyond QEMU's own time, with a table put into an image.

Run: make bench, or python benchmarks/boot.py from an environment with idle-states in it.
"""

import tempfile
import time
from pathlib import Path

from idle_states.boot.debian import Unavailable
from idle_states.boot.predict import MACHINE_TABLE
from idle_states.boot.request import Request
from idle_states.boot.run import Surroundings, run
from idle_states.boot.workload import workload

ALLOWED_S = 10


def main() -> int:
    print(f"boot with a table in an image: at most {ALLOWED_S} s beyond QEMU's time")
    for machine, table in MACHINE_TABLE.items():
        for load in (None, workload("mixed")):
            request = Request(machine, table, workload=load)
            with tempfile.TemporaryDirectory() as logs:
                start = time.perf_counter()
                try:
                    result = run(request, Surroundings(Path(logs)))
                except Unavailable as reason:
                    print(f"  skipped: {reason}")
                    return 0
                elapsed_s = time.perf_counter() - start
            what = f"{machine}, {load.name if load else 'no workload'}"
            beyond_s = elapsed_s - result.qemu_s
            print(f"  {what:24} QEMU {result.qemu_s:5.1f} s, beyond it {beyond_s:4.1f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
