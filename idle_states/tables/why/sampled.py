"""A sample of a machine's idle periods, as `why` takes it; `lab/replay` makes it of a recording."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, NamedTuple

from ...base.dataclass import dataclass
from ...base.model.forms import Count
from ...base.wording import few

SAMPLE = "the sample"
TICK, REFUSED, UNKNOWN = "the tick", "refused by the driver", "unknown"
POLLED = "the end of polling"
"""Polling may begin again at once, in the same idle period."""
_ENOUGH, _FITTING, _NAMED = 100, 20, 3
_STEPS = {
    "the": "the tick stops only where the governor expects long periods; see nohz= and NO_HZ too",
    "interrupt": "see /proc/irq/*/smp_affinity_list for where it goes, ethtool -C for how often",
    "timer": "see who sets this timer: its period, or a timer slack, may be longer",
    "another": "tasks of other CPUs wake these: taskset and cpusets keep them away",
}


class SampledIdle(NamedTuple):
    """An idle period. ended_by: in words; REFUSED: it was none; end_ns: on the trace's clock."""

    cpu: int
    state: int
    length_ns: int
    ended_by: str
    end_ns: int


@dataclass(frozen=True, slots=True)
class SampledState:
    """A state of a CPU in the sample: the kernel's decisions beside the model's."""

    cpu: Annotated[Count, "The CPU."]
    state: Annotated[str, "Its name."]
    kernel: Annotated[Count, "How often the kernel decided for it."]
    model: Annotated[Count | None, "How often the governor's model did; null without a model."]
    refused: Annotated[Count, "How often the driver refused it."]
    lasted_us: Annotated[int | None, "Median of its idle periods; null: it has none."]
    predicted_us: Annotated[int | None, "Median of what the governor predicted; null: not known."]
    timer_us: Annotated[int | None, "Likewise: the time to the next timer that it knew of."]
    limit_us: Annotated[int | None, "Likewise: the latency limit; 2000000000 is none."]
    ended_by: Annotated[dict[str, Count], "Event that ended idle periods -> how often."]


@dataclass(frozen=True, slots=True)
class Sampled:
    """A sample. notes: what it rests on, in sentences."""

    seconds: str
    notes: tuple[str, ...]
    states: tuple[SampledState, ...]
    idles: tuple[SampledIdle, ...]

    def limit_us(self, cpus: Sequence[int]) -> int | None:
        """Returns the latency limit that most decisions of CPUs were given; None: not known."""
        found = [each.limit_us for each in self.states if each.cpu in cpus]
        return max((limit for limit in found if limit is not None), default=None)

    def cut_short(self, cpus: Sequence[int], residency_us: int) -> tuple[bool, str, str]:
        """Tells whether nearly all idle periods of CPUs were shorter than a time; in words what
        ended these, and the next step, "" where none is known."""
        no_end = REFUSED, POLLED
        periods = [each for each in self.idles if each.cpu in cpus and each.ended_by not in no_end]
        short = Counter(e.ended_by for e in periods if e.length_ns < residency_us * 1000)
        few_long = (len(periods) - short.total()) * _FITTING < len(periods)
        by = [f"{what} {count:,}" for what, count in short.most_common()]
        step = _STEPS.get(by[0].split()[0], "") if by else ""
        words = f"of {len(periods):,} sampled, {short.total():,} were shorter"
        ended = f", ended by {few(by, _NAMED)}" if by else ""
        return few_long and len(periods) >= _ENOUGH, words + ended, step
