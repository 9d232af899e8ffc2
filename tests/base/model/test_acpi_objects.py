"""Tests of what _CST and _LPI say, entry by entry."""

import pytest

from idle_states.base.model.acpi_objects import (
    FIXED_HARDWARE,
    SYSTEM_IO,
    AcpiObject,
    AcpiReference,
    AcpiRegister,
    CstEntry,
    LpiState,
    Malformed,
    cst_entries,
    lpi_states,
)

IO = bytes.fromhex("82 0C 00 01 08 00 00 14 06 00 00 00 00 00 00 79 00")
"""The register as iasl makes it of Register (SystemIO, 8, 0, 0x614)."""


def test_a_register_is_read_field_by_field_and_written_again() -> None:
    register = AcpiRegister.of(IO)
    assert register == AcpiRegister(SYSTEM_IO, 8, 0, 0, 0x614)
    assert bytes(register) == IO
    assert str(register) == "Register (SystemIO, 8, 0, 0x614, 0)"
    mwait = AcpiRegister(FIXED_HARDWARE, 1, 2, 3, 0x20)
    assert bytes(mwait)[3:8] == bytes((0x7F, 1, 2, 3, 0x20))
    assert AcpiRegister.of(bytes(mwait)) == mwait


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (b"", "found 0"),
        (IO[:14], "expected 15 bytes from 82 0c 00 on, found 14: 82 0c"),
        (b"\x81" + IO[1:], "found 17: 81 0c 00"),
        (7, "as a buffer, found the integer 0x7"),
    ],
)
def test_what_is_no_register_is_refused(found: AcpiObject, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        AcpiRegister.of(found)


def test_each_c_state_stands_for_itself() -> None:
    good, bad, short = cst_entries((3, (IO, 2, 40, 500), (IO, "2", 40, 500), (IO, 2)))
    assert good == CstEntry(AcpiRegister(SYSTEM_IO, 8, 0, 0, 0x614), 2, 40, 500)
    assert str(bad) == "expected the type as an integer, found the string '2'"
    assert str(short) == "expected a C-state of 4 elements, found a package of 2 elements"


@pytest.mark.parametrize(
    ("cst", "message"),
    [
        ((), "number of C-states as an integer, found nothing"),
        ((0,), "expected 0 as the number of C-states, found 0"),
        ((2, (IO, 1, 1, 1)), "expected 1 as the number of C-states, found 2"),
        (b"\x01", "expected a package, found a buffer of 1 bytes"),
        (AcpiReference("\\_SB.CPU0"), r"found a reference to \\_SB.CPU0"),
    ],
)
def test_a_cst_that_is_none_is_refused(cst: AcpiObject, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        cst_entries(cst)


def test_states_of_lpi_have_registers_or_integers_to_enter_them() -> None:
    row = (1500, 250, 1, 0, 0, 1)
    states = lpi_states(
        (0, 1, 3, (*row, IO, 0, 0, "WFI"), (*row, 3, 0, 0, 0), (*row, None, 0, 0, "a"))
    )
    first, second, third = states
    assert isinstance(first, LpiState)
    assert isinstance(second, LpiState)
    assert (first.entry, first.name, first.enabled) == (AcpiRegister.of(IO), "WFI", True)
    assert (first.min_residency_us, first.wake_latency_us, first.enable_parent) == (1500, 250, 1)
    assert (second.entry, second.name) == (3, "")
    assert str(third) == "expected a register as a buffer, found nothing"


def test_an_lpi_with_a_wrong_count_is_refused() -> None:
    with pytest.raises(Malformed, match="expected 0 as the number of states, found 1"):
        lpi_states((0, 1, 1))
    with pytest.raises(Malformed, match="at least 3 elements, found a package of 2 elements"):
        lpi_states((0, 1))
