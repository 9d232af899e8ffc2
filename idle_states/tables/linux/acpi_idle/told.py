"""The processors and parameters of a running machine, by /proc/cpuinfo and the command line."""

import re
from collections.abc import Iterable

from ....base.dataclass import replace
from ....base.model.table import U32_MAX
from .machine import AMD, HYGON, INTEL, AcpiIdleParameters, AcpiMachine

_VENDORS = {"GenuineIntel": INTEL, "AuthenticAMD": AMD, "HygonGenuine": HYGON}
PARAMETERS = ("max_cstate", "nocst", "bm_check_disable", "latency_factor")
"""The parameters of the module `processor` that decide about states."""
_PARAMETER = re.compile(rf"processor\.({'|'.join(PARAMETERS)})=(\w+)")
_YES = ("1", "y", "Y")
_UINT = re.compile(r"0[xX](?P<hex>[0-9a-fA-F]+)|(?P<octal>0[0-7]*)|[1-9][0-9]*")
"""The numbers that kstrtouint() takes; of others the kernel complains and keeps its default."""
_NUMBERS = ("cpu family", "model", "stepping", "cpuid level")


def on_processors(machine: AcpiMachine, cpuinfo: str) -> AcpiMachine:
    """Returns the machine with what /proc/cpuinfo says of its first processor, and how many there
    are; what it does not say stays."""
    pairs = (line.partition(":") for line in cpuinfo.partition("\n\n")[0].splitlines())
    says = {name.strip(): value.strip() for name, _, value in pairs}
    numbers = {
        name.removeprefix("cpu ").replace(" ", "_"): int(says[name])
        for name in _NUMBERS
        if says.get(name, "").isdigit()
    }
    flags = says.get("flags", "").split()
    return replace(
        machine,
        **numbers,  # type: ignore[arg-type]
        vendor=_VENDORS.get(says.get("vendor_id", ""), machine.vendor),
        cpus=len(re.findall(r"^processor\s*:", cpuinfo, re.MULTILINE)) or machine.cpus,
        monitor_ecx=machine.monitor_ecx if "monitor" in flags else 0,
        arat="arat" in flags,
        nonstop_tsc="nonstop_tsc" in flags,
    )


def parameters_of(arguments: Iterable[str]) -> AcpiIdleParameters:
    """The driver's parameters on a kernel's command line."""
    found = AcpiIdleParameters()
    for word in arguments:
        if word in ("idle=halt", "idle=nomwait", "idle=poll"):
            found = replace(found, idle=word.partition("=")[2])  # type: ignore[arg-type]
        match = _PARAMETER.fullmatch(word)
        if match and match[1] in ("nocst", "bm_check_disable"):
            found = replace(found, **{match[1]: match[2] in _YES})  # type: ignore[arg-type]
        elif match and (number := _UINT.fullmatch(match[2])):
            base = 16 if number["hex"] else 8 if number["octal"] else 10
            value = int(number["hex"] or number[0], base)
            if value <= U32_MAX:
                found = replace(found, **{match[1]: value})  # type: ignore[arg-type]
    return found
