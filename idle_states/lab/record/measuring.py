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
from .request import MeasureOptions

SAMPLES = 1000
"""Wake-ups of a kind and state: enough for the 99th percentile, whose interval takes 368."""
SAMPLES_MAX = 1_000_000
_AT_ONCE = 250
"""Wake-ups before the next state has its turn, so that a drift meets all states alike."""


def script(options: MeasureOptions) -> str:
    """A POSIX shell script; busybox suffices to run it. Raises UsageError for options that it does
    not support."""
    samples = SAMPLES if options.samples is None else options.samples
    cpu, waker = options.cpu, options.waker
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
        everywhere=options.all_cpus,
        tool=f"idle-states {__version__}",
        form=FORMAT,
        columns=",".join(COLUMNS),
        end=END,
    )
