"""Tests of what acpi_idle registers, where it is known without a kernel's code: from guests under
QEMU, from logs of machines, from the sources' rules."""

from dataclasses import replace

import pytest

from idle_states.base.model.acpi_objects import (
    FIXED_HARDWARE,
    SYSTEM_IO,
    AcpiObject,
    AcpiProcessor,
    AcpiRegister,
    Fadt,
    LpiLevel,
)
from idle_states.base.model.beyond_opal import AcpiIdle
from idle_states.tables.linux.acpi_idle.features import features
from idle_states.tables.linux.acpi_idle.machine import AMD, AcpiIdleParameters, AcpiMachine
from idle_states.tables.linux.acpi_idle.slots import CstateSlot, heap_sort, insertion_sort
from idle_states.tables.linux.acpi_idle.start import AcpiIdleStart, start
from idle_states.tables.linux.cpuidle_flags import RCU_IDLE, TIMER_STOP, TLB_FLUSHED
from idle_states.tables.linux.releases import release

PROCESSOR = AcpiProcessor("\\_SB.CPUS.C000", 0)
WITH_BLOCK = replace(PROCESSOR, block=0x1810, block_bytes=6)
FADT = Fadt(101, 1000, 0b1001)


def io(port: int) -> bytes:
    return bytes(AcpiRegister(SYSTEM_IO, 8, 0, 0, port))


def mwait(hint: int, offset: int = 2) -> bytes:
    return bytes(AcpiRegister(FIXED_HARDWARE, 1, offset, 3, hint))


def cst(*entries: tuple[bytes, int, int]) -> AcpiObject:
    return (len(entries), *((*entry, 0) for entry in entries))


def started(
    objects: AcpiObject, kernel: str = "6.1", *, max_cstate: int = 8, **facts: object
) -> AcpiIdleStart:
    acpi = AcpiIdle((PROCESSOR,), objects, fadt=FADT, arch="x86")
    machine = replace(AcpiMachine(acpi), **facts)  # type: ignore[arg-type]
    parameters = AcpiIdleParameters(max_cstate)
    return start(machine, parameters, features(release(kernel)))


def times(outcome: AcpiIdleStart) -> list[tuple[str, str, int, int]]:
    return [
        (state.name, state.description, state.exit_latency_us, state.target_residency_us)
        for state in outcome.states[1:]
    ]


GUEST = cst((mwait(0, 0), 1, 1), (io(0x614), 2, 40), (io(0x615), 3, 90))
"""The _CST of a guest on q35: Linux 6.1 and 7.2 of Debian registered it as below."""


@pytest.mark.parametrize("kernel", ["6.1.192", "7.2.13"])
def test_guest_on_q35(kernel: str) -> None:
    outcome = started(GUEST, kernel, substates=0)
    assert outcome.states[0].name == "POLL"
    assert times(outcome) == [
        ("C1", "ACPI HLT", 1, 2),
        ("C2", "ACPI IOPORT 0x614", 40, 80),
        ("C3", "ACPI IOPORT 0x615", 90, 180),
    ]
    said = [message.text for message in outcome.messages]
    assert said == (["ACPI: \\_SB_.CPUS.C000: Found 3 idle states"] if kernel < "7" else [])


def test_mwait_without_substates_is_a_fault_of_firmware() -> None:
    outcome = started(cst((mwait(0x10), 1, 1), (mwait(0x20), 2, 50)), substates=0)
    bug = "[Firmware Bug]: ACPI MWAIT C-state 0x20 not supported by HW (0x0)"
    assert bug in [message.text for message in outcome.messages]
    assert [(skipped.index, skipped.cause) for skipped in outcome.skipped] == [(1, "mwait")]
    assert times(outcome) == [("C1", "ACPI HLT", 1, 2)]


def test_limits_of_latency_are_the_fadts_alone() -> None:
    deep = started(cst((mwait(0, 0), 1, 1), (io(0x614), 3, 5000)))
    assert times(deep)[1] == ("C2", "ACPI IOPORT 0x614", 5000, 10000)
    acpi = AcpiIdle((WITH_BLOCK,), None, fadt=FADT, arch="x86")
    machine = AcpiMachine(acpi, vendor=AMD, family=15)
    fadt = start(machine, AcpiIdleParameters(), features(release("6.1")))
    assert times(fadt) == [
        ("C1", "ACPI HLT", 0, 0),
        ("C3", "ACPI P_LVL3 IOPORT 0x1815", 1000, 2000),
    ]


@pytest.mark.parametrize(("kernel", "names"), [("6.1", ["C1"]), ("6.1.192", [])])
def test_fadt_with_slow_states_only(kernel: str, names: list[str]) -> None:
    acpi = AcpiIdle((WITH_BLOCK,), None, fadt=replace(FADT, c3_latency_us=1001), arch="x86")
    outcome = start(AcpiMachine(acpi), AcpiIdleParameters(), features(release(kernel)))
    assert [name for name, *_ in times(outcome)] == names


def test_no_objects_no_driver() -> None:
    outcome = started(None)
    assert not outcome.registered
    assert outcome.refused[-2:] == ("there is no _CST", "the FADT has no port for C2 or C3")


def test_first_entry_that_is_not_c1_leaves_a_slot_for_it() -> None:
    outcome = started(cst((io(0x614), 2, 40), (io(0x615), 3, 90)))
    assert [(state.name, state.source) for state in outcome.states[1:]] == [
        ("C1", None),
        ("C2", 0),
        ("C3", 1),
    ]


def test_spoilt_first_entry_gives_c1_the_latency_of_c2() -> None:
    outcome = started((2, (0, 1, 1, 0), (io(0x614), 2, 40, 0)))
    assert times(outcome) == [("C1", "ACPI HLT", 40, 80)]


def test_latencies_out_of_order_alone_are_exchanged() -> None:
    found = cst((mwait(0, 0), 1, 1), (io(0x614), 2, 90), (io(0x615), 2, 40))
    assert [row[2] for row in times(started(found, "5.12"))] == [1, 90, 40]
    outcome = started(found, "6.12")
    assert times(outcome) == [
        ("C1", "ACPI HLT", 1, 2),
        ("C2", "ACPI IOPORT 0x614", 40, 80),
        ("C3", "ACPI IOPORT 0x615", 90, 180),
    ]
    assert outcome.out_of_order
    assert [message.level for message in outcome.messages] == ["notice"]


def test_heap_leaves_latencies_out_of_order_around_an_empty_slot() -> None:
    def slots() -> list[CstateSlot]:
        latencies = (4, None, 3, 2, 1, None, None, None)
        return [CstateSlot(1, each is not None, latency_us=each or 0) for each in latencies]

    heap, inserted = slots(), slots()
    heap_sort(heap)
    insertion_sort(inserted)
    assert [slot.latency_us for slot in inserted if slot.valid] == [1, 2, 3, 4]
    assert [slot.latency_us for slot in heap if slot.valid] != [1, 2, 3, 4]


def test_room_for_seven() -> None:
    outcome = started(cst(*((io(number), min(number, 3), number) for number in range(1, 9))))
    assert len(outcome.states) == 8
    assert [(each.index, each.cause) for each in outcome.skipped] == [(7, "no-room")]
    assert "No room for more idle states (limit: 7)" in outcome.messages[0].text


def test_type_4_takes_a_slot_and_no_state() -> None:
    outcome = started(cst((mwait(0, 0), 1, 1), (io(1), 4, 2), (io(2), 3, 3)))
    assert [state.name for state in outcome.states] == ["POLL", "C1", "C3"]


def test_flags_of_c3() -> None:
    found = started(cst((mwait(0, 0), 1, 1), (io(1), 2, 2), (io(2), 3, 3)), arat=False)
    flags = [state.flags for state in found.states[1:]]
    assert flags == [0, TIMER_STOP, TIMER_STOP | TLB_FLUSHED | RCU_IDLE]


def test_limit_of_cstates() -> None:
    outcome = started(GUEST, max_cstate=2)
    assert [state.name for state in outcome.states] == ["POLL", "C1", "C2"]
    assert outcome.messages[0].text == "ACPI: processor limited to max C-state 2"


def state(
    latency: int, residency: int, entry: bytes | int, name: str, parent: int = 0, flags: int = 0
) -> AcpiObject:
    return (residency, latency, 1, flags, 0, parent, entry, 0, 0, name)


def psci(value: int) -> bytes:
    return bytes(AcpiRegister(FIXED_HARDWARE, 32, 0, 3, value))


def lpi(*states: AcpiObject) -> AcpiObject:
    return (0, 0, len(states), *states)


CORE = lpi(
    state(0, 0, psci(0xFFFFFFFF), "WFI"),
    state(170, 500, psci(0x40000004), "C3", 1, 1),
    state(574, 2000, psci(0x40000004), "C4", 2, 1),
)
CLUSTER = lpi(state(393, 2500, 0x200, "L2"), state(400, 3000, 0, "auto"), state(600, 9000, 7, "L3"))


def on_arm(kernel: str, *levels: AcpiObject, psci_suspends: bool = True) -> AcpiIdleStart:
    found = tuple(LpiLevel(f"\\_SB.L{number}", level) for number, level in enumerate(levels))
    acpi = AcpiIdle((PROCESSOR,), None, found, arch="arm64")
    machine = AcpiMachine(acpi, psci_suspends=psci_suspends)
    return start(machine, AcpiIdleParameters(), features(release(kernel)))


@pytest.mark.parametrize(
    ("kernel", "refused"),
    [
        ("rhel-4.18.0-372.32.1", ()),
        ("rhel-4.18.0-425.3.1", ("PSCI has no CPU_SUSPEND",)),
        ("rhel-5.14.0-162.6.1", ()),
    ],
)
def test_rhel_8_7_refuses_lpi_without_cpu_suspend(kernel: str, refused: tuple[str, ...]) -> None:
    outcome = on_arm(kernel, CORE, psci_suspends=False)
    assert (outcome.registered, outcome.refused) == (not refused, refused)
    assert on_arm(kernel, CORE).registered


def test_psci_s_firmware_driver_names_itself_before_5_4() -> None:
    bad = lpi(state(0, 0, psci(0xFFFFFFFF), "WFI"), state(9, 9, psci(0xF0000000), "bad"))
    texts = [on_arm(kernel, bad).messages[-1].text for kernel in ("5.3", "5.4")]
    assert texts == [
        "psci: Invalid PSCI power state 0xf0000000",
        "Invalid PSCI power state 0xf0000000",
    ]


def test_states_of_containers_follow_those_of_the_processor() -> None:
    outcome = on_arm("6.12", CORE, CLUSTER)
    assert [
        (each.name, each.description, each.exit_latency_us, each.target_residency_us, each.address)
        for each in outcome.states
    ] == [
        ("LPI-0", "WFI", 0, 0, 0xFFFFFFFF),
        ("LPI-1", "C3", 170, 500, 0x40000004),
        ("LPI-2", "C4", 574, 2000, 0x40000004),
        ("LPI-3", "C3+L2", 563, 2500, 0x40000204),
        ("LPI-4", "C4+L2", 967, 2500, 0x40000204),
    ]
    assert [each.flags for each in outcome.states] == [0, 68, 68, 64, 64]
    assert outcome.states[3].lpi == ((0, 1), (1, 0))


def test_state_that_psci_cannot_mean_leaves_no_driver_since_7_0() -> None:
    spoilt = lpi(state(0, 0, psci(0), "WFI"), state(1, 2, psci(0x80000000), "X"))
    assert len(on_arm("6.19", spoilt).states) == 2
    refused = on_arm("7.0", spoilt)
    assert not refused.registered
    assert refused.messages[-1].text == "ACPI: CPU0: Invalid FFH LPI data"


def test_too_many_combined_states() -> None:
    many = lpi(*(state(number, number, psci(number), f"S{number}", 3) for number in range(6)))
    over = on_arm("6.19", many, CLUSTER)
    assert over.flattened is not None
    assert (len(over.states), over.flattened.overflow) == (8, 4)
    bounded = on_arm("7.2", many, CLUSTER)
    assert bounded.flattened is not None
    assert (len(bounded.states), bounded.flattened.overflow) == (8, 0)


def test_lpi_on_x86_before_5_18() -> None:
    acpi = AcpiIdle((PROCESSOR,), GUEST, (LpiLevel("\\_SB.CPU0", CORE),), arch="x86")
    machine = AcpiMachine(acpi)
    old = start(machine, AcpiIdleParameters(), features(release("5.12")))
    new = start(machine, AcpiIdleParameters(), features(release("5.19")))
    assert (old.origin, new.origin) == ("lpi", "cst")
