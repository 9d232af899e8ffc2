"""The states that cpuidle-pseries registers in a partition. There is no device tree behind it.

Model of drivers/cpuidle/cpuidle-pseries.c. The CEDE latency is fixed up from the extended-cede
records that RTAS ibm,get-system-parameter, token 45, returns.
"""

from ...base.model.stages import Changed
from ...base.model.table import U32_MAX, U64_MAX, CedeRecord, IdleTable
from .driver_features import DriverFeatures
from .driver_table import DriverState, DriverTable
from .journal import Journal
from .releases import Release

DRIVER = "drivers/cpuidle/cpuidle-pseries.c"
RECORD_BYTES = 10
CEDE_US = (10, 100)
"""Exit latency and target residency compiled into Linux."""


def register(table: IdleTable, release: Release) -> DriverTable:
    """The driver's table for a partition (`table.partition`)."""
    features = release.features
    partition = table.partition
    assert partition is not None
    journal = Journal()
    snooze = DriverState(0, "snooze", 0, 0, "snooze", polling=features.snooze_polling)
    if partition.shared:
        if not features.shared_snooze:
            states: tuple[DriverState, ...] = (DriverState(0, "Shared Cede", 0, 0, "cede", 0),)
        else:
            states = (snooze, DriverState(1, "Shared Cede", *CEDE_US, "cede", 0))
    else:
        latency_us, residency_us = _cede_times(table, features, journal)
        states = (snooze, DriverState(1, "CEDE", latency_us, residency_us, "cede", 0))
    _note_changes(table, states, journal)
    return DriverTable(
        kernel=release.name,
        states=states,
        changed=tuple(journal.changed),
        messages=tuple(journal.messages),
        offline="cede",
        # fixed at probe, from the second state even if it is disabled later
        snooze_timeout_us=states[1].target_residency_us if len(states) > 1 else None,
    )


def uses_records(table: IdleTable, features: DriverFeatures) -> bool:
    """Tells whether the kernel fixes CEDE up from extended-cede records on the table's
    processor."""
    power10 = table.cpu is not None and table.cpu.processor.isa >= (3, 1)
    return bool(features.cede_fixup) and (power10 or not features.cede_power10)


def _cede_times(table: IdleTable, features: DriverFeatures, journal: Journal) -> tuple[int, int]:
    """fixup_cede0_latency(), if this release has it for this processor."""
    partition = table.partition
    assert partition is not None
    if not uses_records(table, features):
        return CEDE_US
    records = partition.extended_cede
    if not records:
        journal.say("error", "xcede: Error parsing CEDE_LATENCY_TOKEN")
        return CEDE_US
    journal.say("info", f"xcede: xcede_record_size = {RECORD_BYTES}")
    for number, record in enumerate(records):
        journal.say(
            "info",
            f"xcede: Record {number} : hint = {record.hint}, latency = "
            f"{record.latency_ticks:#x} tb ticks, Wake-on-irq = {int(record.wake_on_irq)}",
        )
    journal.say("info", f"cpuidle: Skipping the {len(records)} Extended CEDE idle states")
    latencies = [latency_us(record, partition.timebase_hz) for record in records]
    fixed = (
        _lowered(latencies, journal)
        if features.cede_fixup == "lower"
        else _lowest(records, latencies, journal)
    )
    if fixed is None:
        return CEDE_US
    journal.say("info", f"cpuidle: Fixed up CEDE exit latency to {fixed} us")
    # cpuidle_state holds both as unsigned int
    return fixed & U32_MAX, 10 * fixed & U32_MAX


def latency_us(record: CedeRecord, timebase_hz: int) -> int:
    """Returns a record's latency in us as the kernel computes it: whole ns by tb_to_ns(), then
    rounded up, all in 64 bits."""
    nanoseconds = tb_to_ns(record.latency_ticks, timebase_hz)
    return (nanoseconds + 999 & U64_MAX) // 1000


def tb_to_ns(ticks: int, timebase_hz: int) -> int:
    """Timebase ticks as ns: tb_to_ns() of arch/powerpc/kernel/time.c in all releases.

    It multiplies by a 64-bit fraction below 1 and shifts the result left, so that at 512 MHz every
    result is even: 1 tick is 0 ns, 5121 ticks are 10000 ns instead of 10001.
    """
    scale = (1_000_000_000 << 64) // timebase_hz
    shift = max(scale.bit_length() - 64, 0)
    return (ticks * (scale >> shift) >> 64 << shift) & U64_MAX


def _lowered(latencies: list[int], journal: Journal) -> int | None:
    """To 5.14: the lowest latency less 1 us, at least 1 us, if it is below 10 us; else None."""
    for number, latency in enumerate(latencies):
        if latency == 0:
            journal.say(
                "warning", f"cpuidle: xcede record {number} has an unrealistic latency of 0us."
            )
    lowest = min([CEDE_US[0], *latencies])
    if lowest >= CEDE_US[0]:
        return None
    return lowest - 1 if lowest > 1 else 1


def _lowest(records: tuple[CedeRecord, ...], latencies: list[int], journal: Journal) -> int | None:
    """From 5.15 on: the lowest that is not zero and below UINT_MAX; None if there is none."""
    for number, (record, latency) in enumerate(zip(records, latencies, strict=True)):
        if latency == 0:
            journal.say(
                "warning",
                f"cpuidle: Skipping xcede record {number} [hint={record.hint}]. Exit latency = 0us",
            )
    return min((latency for latency in latencies if 0 < latency < U32_MAX), default=None)


def _note_changes(table: IdleTable, states: tuple[DriverState, ...], journal: Journal) -> None:
    """Records where the kernel's numbers differ from the table's."""
    cede = states[-1]
    if not table.states:
        return
    row = table.states[0]
    for field, before, after in (
        ("latency", row.latency_ns, cede.exit_latency_us),
        ("residency", row.residency_ns or 0, cede.target_residency_us),
    ):
        if before != after * 1000:
            reason, cause = "this kernel has other values built in", "built-in"
            if table.partition and table.partition.extended_cede:
                reason = "the kernel fixes CEDE up from the extended-cede records it finds"
                cause = "cede-records"
            before_ns, after_us = f"{before} ns", f"{after} us"
            journal.changed.append(
                Changed(0, row.name, field, before_ns, after_us, reason, DRIVER, cause)
            )
