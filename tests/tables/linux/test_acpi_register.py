"""Tests of what commands are told of ACPI's tables: rows and states, the driver, reasons."""

from dataclasses import replace

import pytest

from idle_states.base.model.acpi_objects import (
    FIXED_HARDWARE,
    SYSTEM_IO,
    AcpiObject,
    AcpiProcessor,
    AcpiRegister,
    LpiLevel,
)
from idle_states.base.model.beyond_opal import AcpiIdle
from idle_states.base.model.findings import UsageError
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.platforms import parse
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import Subject
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.sources.format_acpi import table_of

CPU = AcpiProcessor("\\_SB.CLU0.CP00", 0)


def mwait(hint: int) -> bytes:
    return bytes(AcpiRegister(FIXED_HARDWARE, 1, 2, 3, hint))


def cst(*entries: tuple[bytes, int, int]) -> AcpiIdle:
    return AcpiIdle((CPU,), (len(entries), *((*entry, 0) for entry in entries)), arch="x86")


WILDCAT = cst((mwait(0), 1, 1), (mwait(0x21), 2, 127), (mwait(0x60), 3, 1048))


def registered(acpi: AcpiIdle, kernel: str = "7.2.13", platform: str = "") -> DriverTable:
    named = parse(platform) if platform else ALL_LEVELS
    subject = Subject(table_of(acpi, {}, "tables"), [release(kernel)], named)
    return subject.linux(release(kernel))


def states(driver: DriverTable) -> list[tuple[str, int, int, int | None]]:
    return [(s.name, s.exit_latency_us, s.target_residency_us, s.source) for s in driver.states]


def test_acpi_idle_where_no_machine_is_named() -> None:
    driver = registered(WILDCAT)
    assert driver.driver == "acpi_idle"
    assert states(driver) == [
        ("POLL", 0, 0, None),
        ("C1", 1, 2, 0),
        ("C2", 127, 254, 1),
        ("C3", 1048, 2096, 2),
    ]
    assert any("intel_idle leaves" in text for text in driver.assumptions)


def test_intel_idle_takes_the_same_objects_where_it_starts() -> None:
    """A Dell XPS 13 showed them under 7.1.6."""
    driver = registered(WILDCAT, platform="wcl")
    assert driver.driver == "intel_idle"
    assert states(driver)[1:] == [
        ("C1_ACPI", 1, 1, 0),
        ("C2_ACPI", 127, 381, 1),
        ("C3_ACPI", 1048, 3144, 2),
    ]


def test_acpi_idle_stands_in_for_intel_idle() -> None:
    port = bytes(AcpiRegister(SYSTEM_IO, 8, 0, 0, 0x614))
    driver = registered(cst((mwait(0), 1, 1), (port, 2, 50)), platform="wcl")
    assert driver.driver.startswith("acpi_idle, because intel_idle does not start: the ")
    assert [state.enter for state in driver.states] == ["", "mwait", "port"]


def test_intel_idles_own_table_is_switched_by_the_entries() -> None:
    driver = registered(WILDCAT, platform="spr")
    assert [(state.name, state.off) for state in driver.states] == [
        ("POLL", False),
        ("C1", False),
        ("C1E", False),
        ("C6", True),
    ]
    assert {lost.cause for lost in driver.lost} == {"native"}
    assert "by these entries it switches C6 off" in driver.lost[0].reason


def test_parameters_of_a_machine_hold_for_the_objects() -> None:
    driver = registered(WILDCAT, platform="wcl,max_cstate=2,table=C2_ACPI:300:400")
    assert states(driver)[1:] == [("C1_ACPI", 1, 1, 0), ("C2_ACPI", 300, 400, 1)]
    assert [(lost.index, lost.cause) for lost in driver.lost] == [(2, "limit")]


def test_missing_sub_state_loses_an_entry() -> None:
    driver = registered(WILDCAT, platform="wcl,cpuid5=0x00001010")
    assert [(lost.index, lost.cause) for lost in driver.lost] == [(2, "mwait")]
    bug = "[Firmware Bug]: ACPI MWAIT C-state 0x60 not supported by HW (0x0)"
    assert bug in [message.text for message in driver.messages]


def test_entry_that_is_malformed_is_no_row_and_shifts_none() -> None:
    spoilt = replace(WILDCAT, cst=(3, (mwait(0), 1, 1, 0), "C2", (mwait(0x60), 3, 1048, 0)))
    driver = registered(spoilt)
    assert states(driver)[1:] == [("C1", 1, 2, 0), ("C2", 1048, 2096, 1)]
    assert driver.lost == ()


def state(residency: int, latency: int, parent: int, entry: bytes | int, name: str) -> AcpiObject:
    return (residency, latency, 1, 0, 0, parent, entry, 0, 0, name)


def psci(value: int) -> bytes:
    return bytes(AcpiRegister(FIXED_HARDWARE, 32, 0, 3, value))


ARM = AcpiIdle(
    (CPU,),
    lpi=(
        LpiLevel(
            CPU.path,
            (0, 0, 2, state(0, 0, 0, psci(0), "WFI"), state(500, 170, 1, psci(1), "C3")),
        ),
        LpiLevel(
            "\\_SB.CLU0",
            (0, 0, 2, state(2500, 393, 0, 0x200, "L2"), state(9000, 600, 0, 0, "auto")),
        ),
    ),
    arch="arm64",
)


def test_combined_states_stand_in_the_container_s_row() -> None:
    driver = registered(ARM)
    assert states(driver) == [
        ("LPI-0", 0, 0, 0),
        ("LPI-1", 170, 500, 1),
        ("LPI-2", 563, 2500, 2),
    ]
    assert [(each.state, each.field, each.after) for each in driver.changed] == [
        ("L2", "times", "LPI-2 563/2500 us"),
        *((name, "name", f"LPI-{number}") for number, name in enumerate(("WFI", "C3"))),
    ]
    assert [(lost.state, lost.cause) for lost in driver.lost] == [("auto", "automatic")]
    assert [each.parameter for each in driver.states] == [0, 1, 0x201]


def test_limits_of_what_is_modelled_are_said() -> None:
    with pytest.raises(UsageError, match=r"expected Linux 4\.4 or later"):
        registered(WILDCAT, "4.1")
    with pytest.raises(UsageError, match=r"expected Linux 4\.4 or later"):
        registered(WILDCAT, "4.1", "wcl")
    with pytest.raises(UsageError, match="expected a table of an x86 machine"):
        registered(ARM, platform="wcl")
    with pytest.raises(UsageError, match="expected no acpi= or lpi="):
        registered(WILDCAT, platform="wcl,acpi=0x00/1")
