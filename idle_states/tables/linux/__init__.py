"""The Linux side: what each release makes of the exported tree."""

from typing import TYPE_CHECKING

from .psci_firmware import USUAL_FIRMWARE, PsciFirmware

if TYPE_CHECKING:
    from ...base.model.power_mgt import PowerMgt
    from ...base.model.table import Cpu, IdleTable
    from .driver_table import DriverTable
    from .intel_idle.platform import X86Platform
    from .releases import Release


def register(
    node: "PowerMgt | None",
    cpu: "Cpu",
    release: "Release",
    table: "IdleTable | None" = None,
    *,
    stop_api: bool = True,
    firmware: PsciFirmware = USUAL_FIRMWARE,
    machine: "X86Platform | None" = None,
) -> "DriverTable":
    """Returns the states that a kernel registers: from the power-mgt node on OPAL, from the
    partition on pseries, from the CPUs' lists on Arm and RISC-V, as read from sysfs, from ACPI's
    objects, or from a driver's source.

    stop_api  whether firmware accepts the SPR values the kernel wants restored after deep states
    firmware  what PSCI's offers
    machine   the x86 machine that intel_idle starts on; None: its tables are taken as they are
    """
    if table is None or table.origin.form in ("spec", "dt"):
        if table is not None and table.partition is not None:
            from . import pseries

            return pseries.register(table, release)
        from . import powernv

        ec = table.firmware.ec if table is not None else None
        dd1 = cpu.pvr == 0x4E and ec is not None and ec[1] < 0x20
        return powernv.register(node, cpu, release, stop_api=stop_api, dd1=dd1)
    if table.origin.form == "nodes":
        from . import dt_idle

        return dt_idle.register(table, release, firmware)
    if table.origin.form == "sysfs":
        from . import held

        return held.register(table, release)
    if table.origin.form == "acpi":
        from .acpi_idle import register as acpi_idle

        return acpi_idle.register(table, release, machine, firmware)
    if machine is not None:
        from .intel_idle import register as intel_idle

        return intel_idle.register(table, release, machine)
    from . import built_in_driver

    return built_in_driver.register(table, release)
