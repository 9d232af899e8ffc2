"""Lines of the timerlat tracer, always in ns: as it prints them, and as the event timerlat_sample.

<idle>-0  [002] d.h1.  71.004512: #9  context  irq timer_latency  5120 ns
<idle>-0  [002] d.h1.  71.004512: timerlat_sample: timer_latency=5120 seqnum=9 context=0
"""

import re

from ....base.model.measured import Measured
from .collected import LatencyKind, LatencySamples
from .format_rtla import THREAD, UNSAID
from .output import Facts, ToolOutput

TITLE = "a trace of timerlat"
_CPU = r"\[([0-9]{1,4})\]"
_LINE = re.compile(
    rf".{{0,80}}?{_CPU}.*?:\s+#[0-9]{{1,12}}\s+context\s+(irq|thread|user ret)\s+"
    r"timer_latency\s+(\S{1,40})\s+ns\s*"
)
_EVENT = re.compile(
    rf".{{0,80}}?{_CPU}.*?timerlat_sample:\s+timer_latency=(\S{{1,40}})\s+seqnum=[0-9]{{1,12}}\s+"
    r"context=([0-2])\s*"
)
_OSNOISE = re.compile(r"#?\s*tracer: osnoise\b")


def recognises(output: ToolOutput) -> bool:
    lines = output.head.split("\n")
    return any(
        "timer_latency" in line and (_LINE.fullmatch(line.rstrip()) or _EVENT.fullmatch(line))
        for line in lines
    ) or any(_OSNOISE.match(line) for line in lines)


def read(output: ToolOutput, facts: Facts) -> Measured:
    found = LatencySamples(output)
    for number, line in output.numbered():
        if _OSNOISE.match(line):
            message = "expected wake-up latencies, found osnoise's trace, which is no such thing"
            raise output.refused(message, number)
        if "timer_latency" not in line:
            continue
        if match := _LINE.fullmatch(line):
            cpu, context, value = match[1], match[2], match[3]
        elif match := _EVENT.fullmatch(line):
            cpu, context, value = match[1], ("irq", "thread", "user")[int(match[3])], match[2]
        elif 1 < number == output.cut_line:
            output.leave_out("the last line, which is cut off")
            continue
        else:
            raise output.unexpected("a line of timerlat with its CPU and context", line, number)
        if context != "irq":
            output.leave_out(THREAD)
            continue
        kind = LatencyKind(None, "timer", group=f"CPU {int(cpu)}")
        found.add(kind, output.time_ns(value, number, "timer_latency", "ns"), number)
    latencies = found.latencies()
    if not latencies:
        raise output.refused("expected latencies in the context of interrupts, found none")
    return output.measured("timerlat tracer", UNSAID, latencies=latencies)
