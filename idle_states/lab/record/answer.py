"""The scripts that `collect` prints."""

from ...base.resources import template
from ...tables.sources.format_tar import (
    ACPI_TABLES,
    COLLECTION,
    CPUIDLE,
    KERNEL_LOG,
    MACHINE,
    UNAME,
    WANTED,
)
from . import measuring, script
from .request import CollectRequest


def script_of(request: CollectRequest) -> str:
    """Returns the script of a request. Raises UsageError for what it does not support."""
    if request.record:
        return script.script(request.recording)
    if request.measure:
        return measuring.script(request.measuring)
    names = {"top": COLLECTION, "cpuidle": CPUIDLE, "uname": UNAME, "kernel_log": KERNEL_LOG}
    names |= {"machine": MACHINE, "acpi": ACPI_TABLES}
    return template("collect.sh.j2").render(names, wanted=WANTED)
