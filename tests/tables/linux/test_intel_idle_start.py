"""Tests of what intel_idle registers on machines that are known.

Random machines are held to the driver's own code in test_intel_idle_oracle."""

import errno
from dataclasses import replace

import pytest

from idle_states.tables.linux.cpuidle_flags import OFF, TIMER_STOP
from idle_states.tables.linux.intel_idle.features import features
from idle_states.tables.linux.intel_idle.known import driver_data
from idle_states.tables.linux.intel_idle.machine import AcpiState, IntelIdleParameters, X86Machine
from idle_states.tables.linux.intel_idle.start import IntelIdleStart, start
from idle_states.tables.linux.releases import release

SKYLAKE, SKX, GNR, WILDCAT_LAKE, TREMONT = 0x5E, 0x55, 0xAD, 0xD5, 0x96
CST = (
    AcpiState("ACPI FFH MWAIT 0x0", 0x00, 1, 1),
    AcpiState("ACPI FFH MWAIT 0x21", 0x21, 127, 2),
    AcpiState("ACPI FFH MWAIT 0x60", 0x60, 1048, 3),
)
DEFAULT = IntelIdleParameters()


def started(
    machine: X86Machine, parameters: IntelIdleParameters = DEFAULT, kernel: str = "7.3.4"
) -> IntelIdleStart:
    return start(driver_data(kernel), machine, parameters, features(release(kernel)))


def rows(result: IntelIdleStart) -> list[tuple[str, int, int]]:
    return [(s.name, s.exit_latency_us, s.target_residency_us) for s in result.states[1:]]


def names(result: IntelIdleStart, flag: int = 0) -> list[str]:
    return [state.name for state in result.states if not flag or state.flags & flag]


def test_wildcat_lake_has_acpis_states() -> None:
    """No table names it: latency times 3, but for C1."""
    assert rows(started(X86Machine(WILDCAT_LAKE, cst=CST))) == [
        ("C1_ACPI", 1, 1),
        ("C2_ACPI", 127, 381),
        ("C3_ACPI", 1048, 3144),
    ]
    table = IntelIdleParameters(table=b"C2_ACPI:300:300,C3_ACPI:370:2500")
    given = started(X86Machine(WILDCAT_LAKE, cst=CST), table)
    assert rows(given)[1:] == [("C2_ACPI", 300, 300), ("C3_ACPI", 370, 2500)]
    assert given.messages[-1].text.startswith("intel_idle: Adjusted")
    older = started(X86Machine(WILDCAT_LAKE, cst=CST), table, "6.19")
    assert rows(older)[2] == ("C3_ACPI", 1048, 3144)


@pytest.mark.parametrize(
    ("machine", "parameters", "status"),
    [
        (X86Machine(SKX, mwait=False), DEFAULT, errno.ENODEV),
        (X86Machine(SKX, substates=0), DEFAULT, errno.ENODEV),
        (X86Machine(SKX, monitor_ecx=1), DEFAULT, errno.ENODEV),
        (X86Machine(SKX), IntelIdleParameters(max_cstate=0), errno.EPERM),
        (X86Machine(SKX), IntelIdleParameters(idle=True), errno.ENODEV),
        (X86Machine(WILDCAT_LAKE), DEFAULT, errno.ENODEV),
        (X86Machine(WILDCAT_LAKE, cst=CST, claims=False), DEFAULT, errno.ENODEV),
        (X86Machine(WILDCAT_LAKE, cst=CST), IntelIdleParameters(no_acpi=True), errno.ENODEV),
        (X86Machine(WILDCAT_LAKE, vendor=2, cst=CST), DEFAULT, errno.ENODEV),
        (
            X86Machine(WILDCAT_LAKE, cst=(*CST[:2], replace(CST[2], is_ffh=False))),
            DEFAULT,
            errno.ENODEV,
        ),
    ],
)
def test_it_does_not_start(
    machine: X86Machine, parameters: IntelIdleParameters, status: int
) -> None:
    assert started(machine, parameters) == IntelIdleStart(status)


def test_a_state_beyond_max_cstate_is_not_looked_at() -> None:
    port = (*CST[:2], replace(CST[2], is_ffh=False))
    found = started(X86Machine(WILDCAT_LAKE, cst=port), IntelIdleParameters(max_cstate=2))
    assert names(found) == ["POLL", "C1_ACPI", "C2_ACPI"]
    assert found.messages[-1].text == "intel_idle: max_cstate 2 reached"


def test_package_c6_disabled() -> None:
    off = X86Machine(SKX, pkg_cst=1)
    assert rows(started(off))[-1] == ("C6", 92, 276)
    assert rows(started(off, kernel="5.12.9"))[-1] == ("C6", 133, 600)
    assert names(started(X86Machine(GNR, pkg_cst=1))) == ["POLL", "C1", "C1E", "C6"]
    assert names(started(X86Machine(GNR, pkg_cst=1), kernel="7.0"))[-1] == "C6P"


def test_substates_and_skylake_h() -> None:
    c10_enabled = X86Machine(SKYLAKE, pkg_cst=8)
    assert "C8" not in names(started(c10_enabled))
    assert "C8" in names(started(replace(c10_enabled, sgx=True, sgx_on=True)))
    shallow = X86Machine(SKYLAKE, substates=0x00000110)
    assert names(started(shallow)) == ["POLL", "C1", "C1E", "C3"]


def test_acpi_switches_rows_off() -> None:
    """Skylake-X asks firmware: what it does not name is off, but for C1E."""
    c1_only = X86Machine(SKX, cst=CST[:1])
    assert names(started(c1_only), OFF) == ["C6"]
    assert names(started(X86Machine(SKX)), OFF) == []
    assert names(started(c1_only, IntelIdleParameters(states_off=0b11)), OFF) == [
        "POLL",
        "C1",
        "C6",
    ]
    # the hint of Granite Rapids' C6P differs in its sub-state alone
    named = X86Machine(GNR, cst=(CST[0], replace(CST[1], address=0x20)))
    assert names(started(named), OFF) == []


def test_lpi_goes_first_from_7_3_on() -> None:
    lpi = (AcpiState("one", 0x00, 3, residency_us=4), AcpiState("two", 0x60, 50, residency_us=90))
    machine = X86Machine(WILDCAT_LAKE, cst=CST, lpi=lpi, arat=False)
    found = started(machine)
    assert rows(found) == [("C1_LPI", 3, 4), ("C2_LPI", 50, 90)]
    assert names(found, TIMER_STOP) == ["C2_LPI"]
    assert names(started(machine, kernel="7.2.13"))[1] == "C1_ACPI"


def test_listed_without_a_table() -> None:
    assert names(started(X86Machine(TREMONT, cst=CST)))[1:] == ["C1_ACPI", "C2_ACPI", "C3_ACPI"]
    assert started(X86Machine(TREMONT)).status == errno.ENODEV


def test_no_native() -> None:
    found = started(X86Machine(SKX, cst=CST), IntelIdleParameters(no_native=True))
    assert names(found)[1] == "C1_ACPI"
    both = IntelIdleParameters(no_native=True, no_acpi=True)
    assert names(started(X86Machine(SKX, cst=CST), both))[1] == "C1"


def test_unknown_release() -> None:
    with pytest.raises(KeyError):
        driver_data("6.0")
