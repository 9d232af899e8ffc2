"""The shell script that measures how long a machine takes to wake from its idle states.

All that it needs is in ordinary kernels: tracepoints. A timer's lateness is in the events of
hrtimers, in ns; an interrupt is followed from the CPU that sends it to the first event on the CPU
that it wakes. States are singled out by disabling the others in sysfs.
"""

from math import ceil

from ... import __version__
from ...base.model.findings import UsageError
from ...base.resources import template
from ..fit.measured_form import COLUMNS, END, FORMAT

SAMPLES = 1000
"""Wake-ups of a kind and state: enough for the 99th percentile, whose interval takes 368."""
SAMPLES_MAX = 1_000_000
_AT_ONCE = 250
"""Wake-ups before the next state has its turn, so that a drift meets all states alike."""


def script(
    samples: int = SAMPLES,
    cpu: int | None = None,
    waker: int | None = None,
    everywhere: bool = False,
) -> str:
    """A POSIX shell script; busybox suffices to run it.

    samples     wake-ups to attempt by timer and by interrupt, for each state and the busy CPU
    cpu         the CPU to measure; None: the last that is online
    waker       the CPU that sends interrupts; None: the first of another core
    everywhere  single a state out on all CPUs, for states of a cluster or package, instead of on
                the measured CPU's core
    Raises UsageError for arguments that the script does not support.
    """
    if not 1 <= samples <= SAMPLES_MAX:
        raise UsageError(f"expected 1 to {SAMPLES_MAX} samples, found {samples}")
    for number in (cpu, waker):
        if number is not None and number < 0:
            raise UsageError(f"expected the number of a CPU, found {number}")
    if cpu is not None and cpu == waker:
        raise UsageError(f"expected CPU {cpu} to be woken by another one")
    rounds = ceil(samples / _AT_ONCE)
    return template("measure.sh.j2").render(
        rounds=rounds,
        at_once=ceil(samples / rounds),
        cpu=cpu,
        waker=waker,
        everywhere=everywhere,
        tool=f"idle-states {__version__}",
        form=FORMAT,
        columns=",".join(COLUMNS),
        end=END,
    )
