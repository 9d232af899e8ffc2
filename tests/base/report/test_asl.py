"""ASL: compiled by iasl, and read back by the tool's own reader and by acpiexec."""

import random
from pathlib import Path

import pytest

from idle_states.base.model.acpi_objects import (
    FIXED_HARDWARE,
    SYSTEM_IO,
    AcpiObject,
    AcpiProcessor,
    AcpiReference,
    AcpiRegister,
    CstEntry,
    LpiLevel,
    LpiState,
)
from idle_states.base.model.beyond_opal import AcpiIdle, BuiltIn, BuiltInState
from idle_states.base.model.findings import CannotGenerate
from idle_states.base.model.table import IdleState, IdleTable, Register
from idle_states.base.reading.acpi import acpiexec, idle, tables
from idle_states.tables.generate import asl
from idle_states.tables.linux.acpi_draft import acpi_of, acpi_of_machine
from idle_states.tables.sources import format_acpi, read_source, read_sources
from idle_states.tables.sources.machines import is_machine, machine_behind
from tests.support import acpi
from tests.support.commands import Capture, run


def read_back(source: str) -> list[AcpiIdle]:
    """Returns what the reader finds in the compiled source."""
    found, problems = idle.read(tables.blobs(acpi.compiled(source), "f"), "f")
    assert problems == []
    return [each.idle for each in found]


def random_register(rng: random.Random) -> bytes:
    space = rng.choice((0, 1, 3, 0x0A, FIXED_HARDWARE, 0x81))
    width, offset, access = rng.randrange(256), rng.randrange(256), rng.randrange(5)
    return bytes(AcpiRegister(space, width, offset, access, rng.choice((0, 0x614, 1 << 60))))


def random_objects(rng: random.Random) -> tuple[AcpiObject, AcpiObject]:
    """A _CST in order, and a _LPI."""
    kinds = sorted(rng.choices((1, 2, 3, 4), k=rng.randrange(1, 8)))
    cst = [(random_register(rng), kind, rng.getrandbits(20), rng.getrandbits(31)) for kind in kinds]
    lpi = [
        (
            *(rng.choice((rng.getrandbits(8), rng.getrandbits(64))) for _ in range(6)),
            rng.choice((random_register(rng), rng.getrandbits(32), bytes(range(20)))),
            0,
            random_register(rng),
            rng.choice(("", "a state", 'with "\\ and \x07', "x" * 40)),
        )
        for _ in range(rng.randrange(1, 5))
    ]
    return (len(cst), *cst), (0, 1, len(lpi), *lpi)


def test_random_objects_come_back(iasl: str, acpiexec_program: str) -> None:
    """The objects of 40 processors come back, by both ways."""
    rng = random.Random(8)
    idles = []
    for number in range(40):
        cst, lpi = random_objects(rng)
        path = f"\\_SB.C{number:03}"
        processor = AcpiProcessor(path, number, is_device=True)
        idles.append(AcpiIdle((processor,), cst, (LpiLevel(path, lpi),)))
    source = asl.render(idles, ["all of them"], declared=False)
    assert read_back(source) == idles
    blobs = tables.blobs(acpi.compiled(source.replace('"SSDT"', '"DSDT"')), "f")
    name2given = {f"{each.processors[0].path}._CST": each.cst for each in idles}
    name2given |= {f"{each.lpi[0].path}._LPI": each.lpi[0].lpi for each in idles}
    found = acpiexec.evaluate(blobs, list(name2given), "f")
    assert {path: each.value for path, each in found.items()} == name2given


def test_what_asl_cannot_say_is_refused() -> None:
    for bad in (AcpiReference("\\_SB.CPU0"), (None, 1)):
        processor = AcpiProcessor("\\_SB.CPU0", 0, is_device=True)
        with pytest.raises(CannotGenerate, match=r"_CST: expected a value that ASL can write"):
            asl.render([AcpiIdle((processor,), (1, bad))], [], declared=False)


def test_acpi_tables_are_written_for_the_processors_they_had(
    iasl: str, tmp_path: Path, capsys: Capture
) -> None:
    """The DSDT declares them: legacy ones, and several that share a table."""
    register = AcpiRegister(SYSTEM_IO, 8, 0, 0, 0x414)
    cst = (1, (bytes(register), 2, 50, 100))
    processors = tuple(AcpiProcessor(f"\\_PR.CPU{n}", None) for n in range(3))
    given = AcpiIdle(processors, cst)
    source = asl.render([given], [], declared=True)
    assert "External (\\_PR.CPU1, ProcessorObj)" in source
    (found,) = read_back(source)
    assert found.cst == cst
    assert [each.path for each in found.processors] == [each.path for each in processors]
    file = tmp_path / "ssdt.aml"
    file.write_bytes(acpi.compiled(source))
    status, again, _ = run(capsys, "generate", "--to", "asl", str(file))
    assert status == 0
    assert read_back(again) == [found]


def intel_table() -> IdleTable:
    rows = (("C1", 2, 2, 0, ()), ("C1E", 10, 20, 1, ()), ("C6", 133, 600, 0x20, ("TLB_FLUSHED",)))
    return IdleTable(
        "skx_cstates",
        tuple(IdleState(name, us * 1000, to * 1000, 0) for name, us, to, _, _ in rows),
        Register.NONE,
        origin=BuiltIn(
            tuple(
                BuiltInState(
                    name,
                    f"MWAIT {hint:#04x}",
                    us,
                    to,
                    flag_names=tuple(f"CPUIDLE_FLAG_{flag}" for flag in flags),
                    mwait_hint=hint,
                )
                for name, us, to, hint, flags in rows
            )
        ),
    )


def test_a_table_of_intel_idle_has_its_hints(iasl: str) -> None:
    given = acpi_of(intel_table())
    rows = [row.entry for row in given.rows]
    assert [
        (e.kind, e.latency_us, e.register.address) for e in rows if isinstance(e, CstEntry)
    ] == [
        (1, 2, 0),
        (1, 10, 1),
        (3, 133, 0x20),
    ]
    (found,) = read_back(asl.render([given], [], declared=False))
    assert (found.cst, found.lpi) == (given.cst, given.lpi)
    states = [each.entry for each in found.entries(cst=False)]
    assert [(s.name, s.min_residency_us) for s in states if isinstance(s, LpiState)] == [
        ("C1", 2),
        ("C1E", 20),
        ("C6", 600),
    ]


def test_what_a_kernel_held_becomes_a_table_again(iasl: str, tmp_path: Path) -> None:
    states = (("POLL", "CPUIDLE CORE POLL IDLE", 0, 0), ("C1_ACPI", "ACPI FFH MWAIT 0x0", 1, 1))
    states += (("C2_ACPI", "ACPI IOPORT 0x415", 127, 381),)
    lines = [
        f"/sys/devices/system/cpu/cpu0/cpuidle/state{number}/{attribute}:{value}\n"
        for number, (name, text, latency, residency) in enumerate(states)
        for attribute, value in (
            ("desc", text),
            ("latency", latency),
            ("name", name),
            ("residency", residency),
        )
    ]
    dump = tmp_path / "dump.txt"
    dump.write_text("".join(lines))
    table = read_source(str(dump)).table
    assert table
    (found,) = read_back(asl.render([acpi_of(table)], [], declared=False))
    entries = [row.entry for row in found.rows]
    assert [
        (e.latency_us, e.kind, str(e.register)) for e in entries if isinstance(e, CstEntry)
    ] == [
        (1, 1, "Register (FFixedHW, 1, 2, 0x0, 1)"),
        (127, 2, "Register (SystemIO, 8, 0, 0x415, 0)"),
    ]


@pytest.mark.parametrize(
    ("name", "count"), [("arm64-generic", 1), ("riscv64-generic", 1), ("sm8250", 8)]
)
def test_machines_of_arm_and_riscv_come_back(iasl: str, name: str, count: int) -> None:
    sources = read_sources(name)
    assert is_machine(sources)
    machine = machine_behind(sources[0])
    given = acpi_of_machine(machine)
    back = read_back(asl.render(given, [], declared=False))
    levels = {p.path: each.lpi for each in given for p in each.processors}
    objects = {path: [level.lpi for level in own] for path, own in levels.items()}
    assert len(levels) == len(machine.cpus)
    assert {
        p.path: [level.lpi for level in each.lpi] for each in back for p in each.processors
    } == objects
    for cpu, (path, own) in zip(machine.cpus, levels.items(), strict=True):
        table = format_acpi.table_of(AcpiIdle((AcpiProcessor(path),), lpi=own), {}, "f")
        known = machine.name2state
        wanted = [known[state].residency_us for state in cpu.states]
        residencies = [(state.residency_ns or 0) // 1000 for state in table.states]
        assert set(wanted) <= set(residencies)
    assert len(back) <= count


def test_a_table_of_opal_is_refused(capsys: Capture) -> None:
    status, _, errors = run(capsys, "generate", "--to", "asl", "power9")
    assert status == 1
    assert "expected a state that is entered by MWAIT or by reading a port" in errors
