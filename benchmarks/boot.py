"""The time that `idle-states boot` takes beyond QEMU's own, with a table put into an image."""

import tempfile
import time
from functools import partial
from pathlib import Path

from idle_states.change.boot.debian import Unavailable
from idle_states.change.boot.powernv.predict import MACHINE_TABLE
from idle_states.change.boot.request import BootRequest
from idle_states.change.boot.run import Surroundings, run_boot
from idle_states.change.boot.workload import workload

from .measuring import Missing, Times, Work


def boot(machine: str, table: str, load: str | None) -> Times:
    request = BootRequest(machine, table, workload=workload(load) if load else None)
    cpu, start = time.process_time(), time.perf_counter()
    with tempfile.TemporaryDirectory() as logs:
        try:
            result = run_boot(request, Surroundings(Path(logs)))
        except Unavailable as reason:
            raise Missing(str(reason)) from reason
    return Times(time.perf_counter() - start - result.qemu_s, time.process_time() - cpu)


def works(folder: Path, scale: float) -> list[Work]:
    return [
        Work(
            f"boot beyond QEMU, {machine}, {load or 'no workload'}",
            partial(boot, machine, table, load),
            rounds=1,
        )
        for machine, table in MACHINE_TABLE.items()
        for load in (None, "mixed")
    ]
