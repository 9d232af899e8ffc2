"""What cpuidle-pseries registers in a partition. There is no device tree behind it.

Model of drivers/cpuidle/cpuidle-pseries.c. The CEDE latency is fixed up from the extended-cede
records that RTAS ibm,get-system-parameter, token 45, returns.
"""

from ..stages import Changed
from ..table import CedeRecord, IdleTable
from .driver_features import DriverFeatures
from .driver_table import DriverState, DriverTable
from .journal import Journal
from .releases import Release

DRIVER = "drivers/cpuidle/cpuidle-pseries.c"
RECORD_BYTES = 10
CEDE_US = (10, 100)
"""Exit latency and target residency compiled into Linux."""


class BadRecords(ValueError):
    """A payload that is not what RTAS should return; says what was expected."""


def parse_records(payload: bytes) -> tuple[CedeRecord, ...]:
    """Records of a token-45 payload: be16 size, u8 record length - 1, records, NUL.

    Raises BadRecords, with the size the kernel would name in its message.
    """
    if len(payload) < 3:
        raise BadRecords(f"expected at least 3 bytes, found {len(payload)}")
    size = int.from_bytes(payload[:2], "big")
    record_bytes = payload[2] + 1 & 0xFF
    if record_bytes != RECORD_BYTES:
        raise BadRecords(f"expected records of {RECORD_BYTES} bytes, found {record_bytes}")
    count = max(size - 2, 0) // RECORD_BYTES
    body = payload[3 : 3 + count * RECORD_BYTES]
    if len(body) < count * RECORD_BYTES:
        raise BadRecords(f"expected {count} records, found {len(body) // RECORD_BYTES}")
    return tuple(
        CedeRecord(body[at], int.from_bytes(body[at + 1 : at + 9], "big"), bool(body[at + 9]))
        for at in range(0, len(body), RECORD_BYTES)
    )


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


def _cede_times(table: IdleTable, features: DriverFeatures, journal: Journal) -> tuple[int, int]:
    """fixup_cede0_latency(), if this release has it for this processor."""
    partition = table.partition
    assert partition is not None
    power10 = table.cpu is not None and table.cpu.processor.isa >= (3, 1)
    if not features.cede_fixup or (features.cede_fixup == "power10" and not power10):
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
    return fixed, 10 * fixed


def latency_us(record: CedeRecord, timebase_hz: int) -> int:
    """Converts timebase ticks to us, rounded up, by way of whole ns as the kernel does."""
    nanoseconds = record.latency_ticks * 1_000_000_000 // timebase_hz
    return -(-nanoseconds // 1000)


def _lowered(latencies: list[int], journal: Journal) -> int | None:
    """5.9 to 5.14: the lowest latency less 1 us, at least 1 us, if it is below 10 us; else None."""
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
    """5.15 on: the lowest that is not zero."""
    for number, (record, latency) in enumerate(zip(records, latencies, strict=True)):
        if latency == 0:
            journal.say(
                "warning",
                f"cpuidle: Skipping xcede record {number} [hint={record.hint}]. Exit latency = 0us",
            )
    return min((latency for latency in latencies if latency), default=None)


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
            journal.changed.append(
                Changed(
                    0,
                    row.name,
                    field,
                    f"{before} ns",
                    f"{after} us",
                    "the kernel fixes CEDE up from the extended-cede records it finds"
                    if table.partition and table.partition.extended_cede
                    else "this kernel has other values built in",
                    DRIVER,
                )
            )
