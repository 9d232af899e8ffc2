"""Readings of the kernel module latency_test, as `grep . /sys/kernel/debug/latency_test/*` prints
them, one after the other. Values are ns; the state is the caller's to name.

    /sys/kernel/debug/latency_test/ipi_cpu_src:8
    /sys/kernel/debug/latency_test/ipi_cpu_dest:24
    /sys/kernel/debug/latency_test/ipi_latency_ns:4410
"""

import re

from ....base.model.measured import Measured
from .collected import LatencyKind, LatencySamples
from .format_latency_test import SAME
from .output import Facts, ToolOutput

TITLE = "readings of the module latency_test"
_LINE = re.compile(
    r"(?:/\S{0,200}/)?(?:powerpc/)?latency_test/(ipi_cpu_src|ipi_cpu_dest|ipi_latency_ns|"
    r"timeout_cpu_src|timeout_diff_ns|timeout_expected_ns):(.{1,40})"
)
NEVER = "readings of 0, before any measurement"


def recognises(output: ToolOutput) -> bool:
    return any(_LINE.fullmatch(line.strip()) for line in output.head.split("\n"))


def read(output: ToolOutput, facts: Facts) -> Measured:
    found = LatencySamples(output)
    cpus: dict[str, int] = {}
    ipis: list[tuple[int, float]] = []

    def dump_ends() -> None:
        """The files of a directory come by name, so that CPUs may follow their latency."""
        same = "ipi_cpu_src" in cpus and cpus.get("ipi_cpu_src") == cpus.get("ipi_cpu_dest")
        for line, value in ipis:
            if same:
                output.leave_out(SAME)
            else:
                found.add(LatencyKind(None, "ipi"), value, line)
        cpus.clear()
        ipis.clear()

    seen: set[str] = set()
    for number, text in output.numbered():
        match = _LINE.fullmatch(text.strip())
        if match is None:
            if text.strip():
                raise output.unexpected(
                    "a line such as latency_test/ipi_latency_ns:N", text, number
                )
            continue
        key, value = match[1], match[2]
        if key in seen:
            dump_ends()
            seen.clear()
        seen.add(key)
        if key in ("ipi_latency_ns", "timeout_diff_ns"):
            latency = output.time_ns(value, number, key, "ns")
            if not latency:
                output.leave_out(NEVER)
            elif key == "ipi_latency_ns":
                ipis.append((number, latency))
            else:
                found.add(LatencyKind(None, "timer"), latency, number)
        else:
            cpus[key] = output.count(value, number, key)
    dump_ends()
    latencies = found.latencies()
    if not latencies and not output.left_out:
        raise output.refused("expected ipi_latency_ns or timeout_diff_ns, found neither", 1)
    return output.measured(
        "latency_test module", "an IPI's latency includes its sending", latencies=latencies
    )
