"""Dumps of machines, made line by line as `grep -r .` prints them."""

from collections.abc import Iterable, Mapping
from typing import Any

CPUS = "/sys/devices/system/cpu"
POLL: Mapping[str, Any] = {
    "name": "POLL", "desc": "CPUIDLE CORE POLL IDLE", "latency": 0, "residency": 0,
    "disable": 0, "usage": 5_000, "time": 60_000, "above": 0, "below": 2_000, "rejected": 0,
}  # fmt: skip
C1: Mapping[str, Any] = {
    "name": "C1", "desc": "MWAIT 0x00", "latency": 2, "residency": 2,
    "disable": 0, "usage": 100_000, "time": 9_000_000, "above": 100, "below": 100, "rejected": 0,
}  # fmt: skip
C6: Mapping[str, Any] = {
    "name": "C6", "desc": "MWAIT 0x20", "latency": 133, "residency": 600,
    "disable": 0, "usage": 90_000, "time": 900_000_000, "above": 900, "below": 0, "rejected": 0,
}  # fmt: skip
UNUSED: Mapping[str, Any] = {**C6, "usage": 0, "time": 0, "above": 0}


def dump(
    *states: Mapping[str, Any],
    cpus: Iterable[int] = (0, 1),
    governor: str = "menu",
    driver: str = "intel_idle",
    kernel: str = "6.18.3",
    limit: str = "0",
    more: Iterable[str] = (),
) -> str:
    """Returns a dump of CPUs with these states. governor, driver, kernel, limit: "" where it is not
    told; more: further lines."""
    lines = []
    if driver:
        lines.append(f"{CPUS}/cpuidle/current_driver:{driver}")
    if governor:
        lines.append(f"{CPUS}/cpuidle/current_governor:{governor}")
    if kernel:
        lines.append(f"/proc/version:Linux version {kernel} (x@y) (gcc) #1 SMP")
    for cpu in cpus:
        if limit:
            lines.append(f"{CPUS}/cpu{cpu}/power/pm_qos_resume_latency_us:{limit}")
        lines += [
            f"{CPUS}/cpu{cpu}/cpuidle/state{number}/{attribute}:{value}"
            for number, state in enumerate(states)
            for attribute, value in state.items()
        ]
    return "\n".join([*lines, *more]) + "\n"
