"""The machines that --platform may name: those of firmware that exports tables, and those with an
x86 processor, whose driver has tables of its own."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ForwardRef, TypeAlias

from ...base.dataclass import replace
from ...base.model.findings import UsageError
from ...base.model.table import IdleTable, Register
from ...base.wording import joined, suggestion
from ..skiboot.platform import ALL_LEVELS, PRESETS, BadPlatform, Platform, parse_platform
from ..spec import registry
from .grounds import INTEL_IDLE, driver_of

if TYPE_CHECKING:
    from .intel_idle.platform import X86Platform

    AnyPlatform: TypeAlias = Platform | X86Platform
else:

    def __getattr__(name: str) -> ForwardRef:
        """Makes AnyPlatform where somebody asks for it, because Python compiles its text."""
        if name != "AnyPlatform":
            raise AttributeError(name)
        return ForwardRef("Platform | X86Platform", module=__name__)


_OPAL = "a machine with OPAL such as op920"
_PSCI = "psci-mode=pc"
_X86 = "an x86 machine such as skx"
_SHOWN = 3
"""Most tables that are named."""


def parse(text: str) -> "AnyPlatform":
    """Returns the machine that a text describes. Raises BadPlatform."""
    first = text.partition(",")[0].strip()
    if "=" in first or first in PRESETS:
        return parse_platform(text)
    from .intel_idle.platform import OF_OTHERS, names
    from .intel_idle.platform_text import is_x86, parse_machine

    if is_x86(text):
        return parse_machine(text)
    raise BadPlatform(
        f"expected a platform ({', '.join(PRESETS)}), an x86 processor such as skx or "
        f"key=value, found {first!r}{suggestion(first, (*PRESETS, *names()))}{OF_OTHERS}"
    )


def firmware_of(platform: "AnyPlatform") -> Platform:
    """Returns the platform that firmware exports for; x86 machines have no such firmware."""
    return platform if isinstance(platform, Platform) else ALL_LEVELS


def knowing(platform: "AnyPlatform", tables: Iterable[IdleTable | None]) -> "AnyPlatform":
    """The platform with the specs among the tables of a run that say a processor no packaged spec
    has: they then say the processors of device trees, too."""
    if not isinstance(platform, Platform):
        return platform
    specs = (
        t for t in tables if t is not None and t.read_from.kind == "spec" and t.cpu is not None
    )
    own = [t for t in specs if t.cpu is not None and registry.find(t.cpu.generation) is None]
    return replace(platform, specs=(*platform.specs, *own)) if own else platform


def x86_of(platform: "AnyPlatform", table: IdleTable) -> "X86Platform | None":
    """The x86 machine that a table is followed on: the one named, else the one that a packaged
    table of intel_idle is for, else None.

    Raises UsageError for a table that no x86 machine has.
    """
    found = table.origin if table.origin.form == "driver" else None
    if not isinstance(platform, Platform):
        if table.origin.form != "acpi" and (found is None or not found.is_intel_idle):
            raise UsageError(
                f"expected a table of intel_idle or of ACPI for platform {platform.name}, found "
                f"{table.name}"
            )
        if found and "," in found.machine and found.machine != platform.name:
            raise UsageError(
                f"expected one machine, found {found.machine} as TABLE and {platform.name} as "
                "--platform"
            )
        return platform
    if found is None or not found.machine:
        return None
    from .intel_idle.platform_text import parse_machine

    return parse_machine(found.machine)


def subsystem_of(table: IdleTable, platform: "AnyPlatform") -> str:
    """The subsystem, one of grounds.subsystems(), that registers a table's states on a machine.
    Raises UsageError."""
    return INTEL_IDLE if x86_of(platform, table) is not None else driver_of(table)


def without_effect(platform: "AnyPlatform", tables: Sequence[IdleTable]) -> str:
    """Says that a platform changes nothing for any of the tables, which are of other machines, and
    what would fit; "" where it may change something. x86_of() judges x86 machines."""
    if not isinstance(platform, Platform) or not tables:
        return ""
    usual = replace(ALL_LEVELS, name=platform.name)
    of_psci = replace(usual, psci_mode=platform.psci_mode)
    of_opal = replace(platform, psci_mode=usual.psci_mode)
    kinds = [kind for kind, one in ((_OPAL, of_opal), (_PSCI, of_psci)) if one != usual]
    fitting = [_fitting(table) for table in tables]
    if not kinds or any(kind in fitting for kind in kinds):
        return ""
    names = [table.name for table in tables]
    shown = joined(names) if len(names) <= _SHOWN else f"{len(names)} tables"
    wanted = joined(list(dict.fromkeys(kind for kind in fitting if kind)), "or")
    return (
        f"--platform {platform.name} changes nothing for {shown}: expected "
        f"{wanted or 'none: no platform does'}"
    )


def _fitting(table: IdleTable) -> str:
    """The platforms that change something for a table; "" if none does."""
    if table.register is not Register.NONE:
        return _OPAL
    origin = table.origin
    if origin.form == "acpi":
        return {"arm64": _PSCI, "riscv64": ""}.get(origin.arch, _X86)
    if origin.form == "driver":
        return _X86 if origin.is_intel_idle else ""
    return _PSCI if origin.form == "nodes" and not origin.riscv else ""
