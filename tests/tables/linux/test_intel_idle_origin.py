"""Tests of which table of intel_idle, or which object of ACPI, a machine's states come from."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.beyond_opal import Held, SysfsState
from idle_states.cli import main
from idle_states.tables.linux.intel_idle.known import (
    LETTERS,
    KnownTable,
    known_cpus,
    known_tables,
    spans,
)
from idle_states.tables.linux.intel_idle.origin import HeldOrigin, origin
from idle_states.tables.linux.intel_idle.tables import TREES

POLL = SysfsState("POLL", "CPUIDLE CORE POLL IDLE", 0, 0)


def held(*rows: tuple[str, int, int, str], driver: str = "intel_idle") -> Held:
    states = (SysfsState(name, desc, latency, residency) for name, latency, residency, desc in rows)
    return Held((POLL, *states), 1, (0,), driver)


def found(*rows: tuple[str, int, int, str], driver: str = "intel_idle") -> HeldOrigin:
    result = origin(held(*rows, driver=driver))
    assert result is not None
    return result


def row(table: KnownTable, at: int) -> tuple[str, int, int, str]:
    known = table.rows[at]
    return known.name, *known.times, f"MWAIT {known.mwait_hint:#04x}"


def test_figures_are_whole() -> None:
    order = TREES.split()
    names = {table.name for table in known_tables()}
    assert {known.cpu.table for known in known_cpus()} - {""} <= names
    assert all(set(each.flags) <= set(LETTERS) for table in known_tables() for each in table.rows)
    for name in names:
        seen = [each for table in known_tables() if table.name == name for each in table.releases]
        assert len(seen) == len(set(seen)), "two tables of one name in a release"
    models = [
        (known.cpu.family, known.cpu.model, each)
        for known in known_cpus()
        for each in known.releases
    ]
    assert len(models) == len(set(models)), "two entries for a processor in a release"
    assert {each for *_, each in models} == set(order)


def test_spans() -> None:
    order = ["1", "2", "3", "4", "5"]
    assert spans(["5", "2", "1", "3"], order) == "1..3 5"
    assert spans([], order) == ""


@given(st.sampled_from(known_tables()), st.data())
def test_any_part_of_a_table_is_told(table: KnownTable, data: st.DataObject) -> None:
    """Whatever CPUID leaves out, as long as what remains is in no other table."""
    kept = data.draw(st.sets(st.sampled_from(range(len(table.rows))), min_size=1))
    rows = [row(table, at) for at in sorted(kept)]
    result = found(*rows)
    assert result.kind == "native"
    assert result.changed == ()
    near = [each for each in known_tables() if each.name in {near.name for near in result.tables}]
    assert any(
        {(r.name, *r.times) for r in each.rows} >= {(name, a, b) for name, a, b, _ in rows}
        for each in near
    )
    if len(kept) == len(table.rows):
        assert table.name in {near.name for near in result.tables}
        assert result.missing == ()


def test_a_table_with_its_releases_and_processors() -> None:
    table = next(each for each in known_tables() if each.name == "ptl_cstates")
    result = found(*(row(table, at) for at in range(4)))
    assert [(near.name, near.releases) for near in result.tables] == [
        ("ptl_cstates", "7.1.3..7.3.4")
    ]
    assert result.cpus == ("PANTHERLAKE_L",)
    assert result.name == "intel_idle: ptl_cstates"


SKX = (("C1", 2, 2, "MWAIT 0x00"), ("C1E", 10, 20, "MWAIT 0x01"))


def test_what_intel_idle_sets_itself_is_said() -> None:
    result = found(*SKX, ("C6", 92, 276, "MWAIT 0x20"))
    assert result.name == "intel_idle: skx_cstates"
    assert result.changed == (
        "C6: 92/276 us instead of 133/600 us, as intel_idle sets it where package C6 is disabled "
        "in the BIOS",
    )
    broxton = found(*SKX, ("C6", 77, 77, "MWAIT 0x20"), ("C7s", 88, 88, "MWAIT 0x31"))
    assert broxton.name == "intel_idle: bxt_cstates"
    assert "interrupt response limits" in broxton.changed[0]
    assert broxton.missing == ("C8", "C9", "C10")


def test_what_a_user_set_is_said() -> None:
    result = found(*SKX, ("C6", 150, 600, "MWAIT 0x20"))
    assert "skx_cstates" in result.name
    assert result.changed[0].endswith("by intel_idle.table= or a patch")


def test_hints_tell_tables_apart() -> None:
    """C6 and C6N of Silvermont lie at other hints than C6 of the others."""
    assert origin(held(("C1", 2, 2, "MWAIT 0x00"), ("C6", 15, 45, "MWAIT 0x77"))) is None
    assert found(("C1", 2, 2, "MWAIT 0x00"), ("C6", 15, 45, "MWAIT 0x51")).cpus == (
        "ATOM_SILVERMONT_D",
    )


def test_acpis_states() -> None:
    result = found(
        ("C1_ACPI", 1, 1, "ACPI FFH MWAIT 0x0"),
        ("C2_ACPI", 127, 381, "ACPI FFH MWAIT 0x21"),
        ("C3_ACPI", 1048, 2500, "ACPI FFH MWAIT 0x60"),
    )
    assert (result.kind, result.name) == ("cst", "intel_idle: _CST")
    assert result.changed == ("C3_ACPI: 1048/2500 us instead of 1048/3144 us, the driver's own",)
    assert found(("C1_LPI", 1, 1, ""), ("C2_LPI", 5, 90, "")).name == "intel_idle: _LPI"
    ports = (("C1", 1, 2, "ACPI HLT"), ("C2", 40, 81, "ACPI IOPORT 0x614"))
    assert found(*ports, driver="acpi_idle").changed == (
        "C2: 40/81 us instead of 40/80 us, the driver's own",
    )


@pytest.mark.parametrize(
    "given",
    [
        held(("stop0", 1, 2, "stop0"), driver="powernv_idle"),
        held(("C1", 1, 1, ""), driver="haltpoll"),
        held(("C1", 5, 7, "MWAIT 0x00"), ("C1E", 99, 100, "MWAIT 0x01")),
        held(("C2", 1, 1, "MWAIT 0x99")),
        Held((POLL,), 1),
    ],
)
def test_of_others_nothing_is_said(given: Held) -> None:
    assert origin(given) is None


def dump(path: Path) -> Path:
    lines = ["/sys/devices/system/cpu/cpuidle/current_driver:intel_idle"]
    for number, state in enumerate(held(*SKX, ("C6", 92, 276, "MWAIT 0x20")).states):
        values = {
            "name": state.name,
            "desc": state.description,
            "latency": state.latency_us,
            "residency": state.residency_us,
        }
        where = f"/sys/devices/system/cpu/cpu0/cpuidle/state{number}"
        lines += [f"{where}/{name}:{value}" for name, value in values.items()]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_show_and_audit_name_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = dump(tmp_path / "cpuidle.txt")
    assert main(["show", str(file)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Where these states come from intel_idle: skx_cstates" in shown
    assert "which is for SKYLAKE_X C6: 92/276 us instead of 133/600 us" in shown
    main(["audit", str(file)])
    text = " ".join(capsys.readouterr().out.split())
    assert "nearest intel_idle: skx_cstates, 1 difference" in text
    assert main(["show", str(file), "--format", "json"]) == 0
    assert '"identified": {' in capsys.readouterr().out
