"""Utilisation of tasks and CPUs as the kernel's per-entity load tracking has it.

It is an average (util_avg of kernel/sched/pelt.c) over periods of 1024 us, each us of 1024 ns. A
period weighs 2^(-1/32) of the one after it: what is 32 periods old counts half. A CPU's average
consists of what its tasks ran there; a task that goes to another CPU takes its own along.

The integers are the kernel's. Assumed is that every CPU has a capacity of 1024 and runs at its
greatest frequency; that interrupts and other classes of tasks take no time; that tasks begin with
an average of 0. Both averages are brought up to date when a task begins to run, stops or migrates,
the CPU's also whenever its governor is asked. (Of a CPU that stays idle the kernel does that with
its periodic balancing, some ticks later.)
"""

from ...base.dataclass import dataclass
from ...tables.linux.governors.interface import CPU_CAPACITY

PERIOD = 1024
"""Microseconds of 1024 ns in a period."""
HALF_LIFE = 32
"""Periods after which a contribution counts half."""
SUM_MAX = 47742
"""LOAD_AVG_MAX: what a sum of periods, each of PERIOD, converges to."""
_SHIFT = 10
_U32_MAX = (1 << 32) - 1


def _root(power: int) -> int:
    """Returns the whole part of the HALF_LIFEth root of a number below 2^1024."""
    found = 0
    for bit in reversed(range(32)):
        if (found | 1 << bit) ** HALF_LIFE <= power:
            found |= 1 << bit
    return found


DECAYS = tuple(_root(_U32_MAX**HALF_LIFE >> periods) for periods in range(HALF_LIFE))
"""runnable_avg_yN_inv: the weight of what was so many periods ago, of 2^32 - 1."""


@dataclass(slots=True)
class Average:
    """The utilisation of a task or a CPU (struct sched_avg). Periods begin at multiples of PERIOD.

    last_us  time up to which it counts, in us of 1024 ns
    sum      util_sum: decayed us of running, times 1024
    util     util_avg, of 1024; brought up to date at the beginning of a period
    """

    last_us: int = 0
    sum: int = 0
    util: int = 0

    def update(self, now_ns: int, *, running: bool) -> None:
        """Counts the time up to now, through all of which it was running, or was not."""
        now_us, before = now_ns >> _SHIFT, self.last_us % PERIOD
        passed = now_us - self.last_us
        self.last_us = now_us
        periods, rest = divmod(before + passed, PERIOD)
        ran = passed
        if periods:
            self.sum = decayed(self.sum, periods)
            full = SUM_MAX - decayed(SUM_MAX, periods) - PERIOD
            ran = decayed(PERIOD - before, periods) + full + rest
        if running:
            self.sum += ran << _SHIFT
        if periods:
            self.util = self.sum // self._divider

    def attach(self, task: "Average") -> None:
        """A task comes; both are up to date."""
        task.sum = task.util * self._divider
        self.util += task.util
        self.sum += task.sum

    def detach(self, task: "Average") -> None:
        """A task goes; both are up to date."""
        self.util = max(self.util - task.util, 0)
        left = max(self.sum - task.util * self._divider, 0)
        self.sum = max(left, self.util * (SUM_MAX - PERIOD))

    @property
    def capped(self) -> int:
        """The value of sched_cpu_util(): at most the capacity."""
        return min(self.util, CPU_CAPACITY)

    @property
    def _divider(self) -> int:
        return SUM_MAX - PERIOD + self.last_us % PERIOD


def decayed(value: int, periods: int) -> int:
    """Returns what remains of a value after so many periods."""
    if periods > HALF_LIFE * 63:
        return 0
    return (value >> periods // HALF_LIFE) * DECAYS[periods % HALF_LIFE] >> 32
