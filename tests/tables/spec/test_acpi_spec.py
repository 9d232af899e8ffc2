"""Specs of x86: the states of a _CST, through inheritance to the bytes of the registers."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.acpi_objects import HALT, AcpiProcessor, AcpiRegister, CstEntry
from idle_states.base.model.beyond_opal import AcpiIdle
from idle_states.base.model.findings import CannotGenerate
from idle_states.base.model.table import IdleState, IdleTable, Register
from idle_states.cli import main
from idle_states.tables.sources import read_sources, read_table
from idle_states.tables.spec.write_acpi import write_acpi
from tests.support.commands import Capture
from tests.support.thorough import examples

LAPTOP = """\
name: laptop
title: of two
architecture: x86
processors: ['\\_SB.CPU0', '\\_SB.CPU1']
provenance:
  default: {kind: file, source: a manual, confidence: medium}
states:
  - {name: C1, type: 1, latency: 1us, mwait: 0x01}
  - {name: C2, type: 2, latency: 40us, mwait: 0x21, note: deeper}
  - {name: C3, type: 3, latency: 1ms, port: 0x614}
"""
OTHER = """\
name: other
extends: laptop
override:
  C2: {latency: 30us}
drop: [C3]
states:
  - {name: C0, type: 1, latency: 0us, before: C1}
"""


@pytest.fixture
def laptop(tmp_path: Path) -> Path:
    file = tmp_path / "laptop.yaml"
    file.write_text(LAPTOP)
    return file


def entries(table: IdleTable) -> list[CstEntry]:
    assert table.origin.form == "acpi"
    assert isinstance(table.origin.cst, tuple)
    return [CstEntry.of(each) for each in table.origin.cst[1:]]


def test_what_enters_a_state(laptop: Path) -> None:
    table = read_table(str(laptop)).table
    assert table is not None
    assert [(each.kind, each.latency_us, str(each.register)) for each in entries(table)] == [
        (1, 1, "Register (FFixedHW, 1, 2, 0x1, 1)"),
        (2, 40, "Register (FFixedHW, 1, 2, 0x21, 3)"),
        (3, 1000, "Register (SystemIO, 8, 0, 0x614, 0)"),
    ]
    assert [state.name for state in table.states] == ["C1", "C2", "C3"]
    assert table.states[1].note == "deeper"
    assert table.states[0].provenance["latency"].source == "a manual"
    assert table.states[2].where["latency"].line == 10


def test_a_spec_extends_another(laptop: Path) -> None:
    (laptop.parent / "other.yaml").write_text(OTHER)
    table = read_table(str(laptop.parent / "other.yaml")).table
    assert table is not None
    assert [state.name for state in table.states] == ["C0", "C1", "C2"]
    assert [(each.latency_us, str(each.register)[10:18]) for each in entries(table)] == [
        (0, "FFixedHW"),
        (1, "FFixedHW"),
        (30, "FFixedHW"),
    ]
    assert table.origin.form == "acpi"
    assert [each.path for each in table.origin.processors] == ["\\_SB.CPU0", "\\_SB.CPU1"]


@pytest.mark.skipif(shutil.which("iasl") is None, reason="iasl is not installed")
def test_the_ssdt_says_what_the_spec_says(laptop: Path) -> None:
    source = laptop.with_suffix(".asl")
    assert main(["generate", str(laptop), "--to", "asl", "-o", str(source)]) == 0
    subprocess.run(["iasl", str(source)], check=True, capture_output=True)
    (compiled,) = read_sources(str(laptop.with_suffix(".aml")))
    (spec,) = read_sources(str(laptop))
    assert compiled.table is not None
    assert spec.table is not None
    assert entries(compiled.table) == entries(spec.table)
    assert main(["diff", str(laptop), str(laptop.with_suffix(".aml"))]) == 0


FIRMWARES = LAPTOP.replace("mwait: 0x21", "register: [FFixedHW, 2, 2, 0x21, 0], power-mw: 500")
"""With a register and a power that firmware has."""


def with_lpi(spec: str) -> str:
    """The spec with a _LPI beside its _CST."""
    return "".join(
        line.replace("latency: ", f"lpi-residency: {number}00us, latency: ")
        for number, line in enumerate(spec.splitlines(keepends=True))
    )


@pytest.mark.skipif(shutil.which("iasl") is None, reason="iasl is not installed")
@pytest.mark.parametrize("spec", [LAPTOP, FIRMWARES, with_lpi(LAPTOP), with_lpi(FIRMWARES)])
def test_import_of_the_ssdt_gives_the_spec(spec: str, tmp_path: Path, capsys: Capture) -> None:
    file, source = tmp_path / "laptop.yaml", tmp_path / "laptop.asl"
    file.write_text(spec)
    assert main(["generate", str(file), "--to", "asl", "-o", str(source)]) == 0
    subprocess.run(["iasl", str(source)], check=True, capture_output=True)
    again = tmp_path / "again.yaml"
    assert main(["import", str(tmp_path / "laptop.aml"), "-o", str(again)]) == 0
    meant, found = read_table(str(file)).table, read_table(str(again)).table
    assert meant is not None
    assert found is not None
    # a Device's _UID is of the DSDT
    assert found.origin == meant.origin
    assert found.same_values(meant)
    assert found.states[1].provenance["type"].note == "\\_SB.CPU0._CST[2]"


WORDS = st.sampled_from([0, 1, 2, 3, 0x10, 0x21, 0x414, 0xFFFF, 2**16, 2**32 - 1, 2**32, 2**64 - 1])
REGISTERS = st.one_of(
    WORDS.map(AcpiRegister.mwait),
    WORDS.map(AcpiRegister.port),
    st.just(HALT),
    st.builds(AcpiRegister, *[st.sampled_from([0, 1, 2, 3, 8, 0x7F, 0xFE])] * 4, WORDS),
)
ENTRIES = st.lists(
    st.builds(CstEntry, REGISTERS, st.integers(0, 4), WORDS, WORDS), min_size=1, max_size=3
)


@settings(deadline=None, max_examples=examples(60, 300))
@given(entries=ENTRIES, times=st.lists(WORDS, min_size=3, max_size=3), beside=st.booleans())
def test_any_cst_comes_back_or_is_refused(
    folder: Path, entries: list[CstEntry], times: list[int], beside: bool
) -> None:
    processors = [AcpiProcessor("\\_SB.CPU0", is_device=True)]
    names = [f"C{number}" for number in range(1, len(entries) + 1)]
    meant = AcpiIdle.of_states(processors, entries, names, times[: len(names)] if beside else ())
    states = tuple(IdleState(name, 0, None, 0) for name in names)
    table = IdleTable("made", states, Register.NONE, origin=meant)
    fits = all(
        each.kind in (1, 2, 3) and max(each.latency_us, each.power_mw) < 2**32 for each in entries
    )
    try:
        text = write_acpi(table)
    except CannotGenerate:
        assert not fits
        return
    assert fits
    (folder / "made.yaml").write_text(text)
    found = read_table(str(folder / "made.yaml")).table
    assert found is not None
    assert found.origin.form == "acpi"
    assert found.origin.cst == meant.cst
    kept = beside and max(times[: len(names)]) < 2**32
    assert found.origin.lpi == (meant.lpi if kept else ())
    assert ("Its _LPI, which has other states, is not here." in found.note) is (beside and not kept)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("acpi")


def test_a_spec_is_written_with_all_that_it_says(laptop: Path, capsys: Capture) -> None:
    for words in (["generate", str(laptop), "--to", "yaml"], ["import", str(laptop)]):
        assert main(words) == 0
        (laptop.parent / "again.yaml").write_text(capsys.readouterr().out)
        found, meant = (
            read_table(str(laptop.parent / name)).table for name in ("again.yaml", laptop.name)
        )
        assert found is not None
        assert meant is not None
        assert (found.origin, found.states, found.title) == (
            meant.origin,
            meant.states,
            meant.title,
        )
        assert [state.provenance for state in found.states] == [s.provenance for s in meant.states]


def test_it_stands_for_no_other_form(laptop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("c", "dts", "dtb"):
        assert main(["generate", str(laptop), "--to", form]) == 1
        assert "IS933" in capsys.readouterr().err
    assert main(["generate", str(laptop), "--to", "md"]) == 0
    assert "| C3 |" in capsys.readouterr().out
