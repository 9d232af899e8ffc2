"""The scripts that `collect` prints."""

from ...base.resources import template
from ...tables.sources.format_tar import COLLECTION, CPUIDLE, KERNEL_LOG, UNAME
from . import measuring
from .request import CollectRequest, MeasureOptions, RecordOptions
from .script import archs, script


def script_of(request: CollectRequest) -> str:
    """Returns the script of a request. Raises UsageError for what it does not support."""
    if request.record:
        return _recording(request.recording)
    if request.measure:
        return _measuring(request.measuring)
    names = {"top": COLLECTION, "cpuidle": CPUIDLE, "uname": UNAME, "kernel_log": KERNEL_LOG}
    return template("collect.sh.j2").render(names)


def _recording(asked: RecordOptions) -> str:
    return script(
        "menu" if asked.governor is None else asked.governor,
        archs(asked.arch),
        10 if asked.seconds is None else asked.seconds,
        4096 if asked.buffer is None else asked.buffer,
        asked.restart_governor,
    )


def _measuring(asked: MeasureOptions) -> str:
    samples = measuring.SAMPLES if asked.samples is None else asked.samples
    return measuring.script(samples, asked.cpu, asked.waker, asked.all_cpus)
