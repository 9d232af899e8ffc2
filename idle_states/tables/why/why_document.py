"""why."""

from typing import Annotated, Any

from ...base.model.beyond_opal import SysfsState
from ...base.model.forms import Count, Form, derived
from .answer import Explained, Explanation
from .sampled import Sampled, SampledState


class Counted(Form[SysfsState]):
    name: str
    latency_us: Annotated[Count, "Exit latency."]
    residency_us: Annotated[Count, "Target residency."]
    disabled: Annotated[bool, "Off on the first of these CPUs."]
    usage: Annotated[int | None, "Entries of these CPUs together; null: not counted."]
    time_us: Annotated[int | None, "Likewise."]
    above: Annotated[int | None, "Likewise: idle periods too short for it."]
    below: Annotated[int | None, "Likewise: long enough for a deeper one."]
    rejected: Annotated[int | None, "Likewise: refused by the driver."]


class CpuKind(Form[Any]):
    cpus: Annotated[list[Count], "CPUs with equal states."] = derived(lambda kind: kind[0])
    states: Annotated[list[Counted], "By number."] = derived(lambda kind: kind[1])


class Sample(Form[Sampled]):
    seconds: Annotated[str, "For how long."]
    notes: Annotated[list[str], "Assumptions."]
    states: Annotated[list[SampledState], "By CPU and state."]


class Why(Form[Explanation]):
    driver: Annotated[str, "The cpuidle driver; empty: not seen."] = derived("machine.driver")
    governor: Annotated[str, "Likewise."] = derived("machine.dump.governor")
    kernel: Annotated[str, "The kernel's name; empty: not seen."] = derived("machine.kernel")
    hz: Annotated[int, "Assumed where not_seen says so."] = derived("machine.hz")
    states: Annotated[list[CpuKind], "All states, by kinds of CPUs."]
    explained: Annotated[list[Explained], "The state asked for, or each hardly used."]
    not_seen: Annotated[list[str], "Further evidence that was not seen."]
    sample: Annotated[Sample | None, "A sample of its idle periods; null: none."] = derived(
        "machine.sampled"
    )
