"""ACPI tables: their bytes, what their AML names, and what acpiexec makes of it."""

import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idle_states.base.model.acpi_objects import AcpiReference, Fadt
from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import limits
from idle_states.base.reading.acpi import acpiexec, aml, idle, objects, tables
from idle_states.base.reading.acpi.tables import AcpiTable
from tests.support import acpi
from tests.support.thorough import examples

FFH = "ResourceTemplate () {{Register (FFixedHW, 1, 2, {0:#x}, 3)}}"
IO = "ResourceTemplate () {{Register (SystemIO, 8, 0, {0:#x})}}"
ONE = f"Package () {{1, Package () {{{FFH.format(0)}, 1, 1, 1000}}}}"


def cpu(name: str, inner: str, uid: int = 0) -> str:
    return f'Device ({name}) {{ Name (_HID, "ACPI0007") Name (_UID, {uid}) {inner} }}'


def read(*given: bytes) -> tuple[list[idle.Shared], list[str]]:
    found, problems = idle.read(blobs(*given), "f")
    return found, [f"{where.path}: {message}" for where, message in problems]


def blobs(*given: bytes) -> list[AcpiTable]:
    return tables.blobs(b"".join(given), "f")


def refused(*given: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        read(*given)
    return str(caught.value)


@pytest.fixture
def no_acpiexec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")


def test_values_of_every_size_are_read_as_they_stand(iasl: str) -> None:
    """Constants of one to eight bytes, Zero, One and Ones; buffers shorter than their size;
    packages with and without a count; texts."""
    inner = (
        "Package (9) {0, 1, 0xFE, 0xABCD, 0xFFFF0001, 0x123456789ABCDEF0, Ones, Buffer (3) {7}, "
        '"a text"}, Package (3) {"\\"\\\\", Package () {}}'
    )
    data = acpi.compiled(acpi.block(f"Name (XXXX, Package () {{1, {inner}}})"))
    (named,) = aml.walk(blobs(data)).defined.values()
    assert objects.literal(data, named.start, named.end) == (
        1,
        (0, 1, 0xFE, 0xABCD, 0xFFFF0001, 0x123456789ABCDEF0, (1 << 64) - 1, b"\x07\0\0", "a text"),
        ('"\\', (), None),
    )


def test_objects_of_other_kinds_are_converted_as_acpica_does(iasl: str, no_acpiexec: None) -> None:
    entry = f'Package () {{{FFH.format(0)}, "1", Buffer () {{40}}, 500}}'
    (found,), problems = read(
        acpi.compiled(acpi.block(cpu("\\_SB.CPU0", f"Name (_CST, Package () {{1, {entry}}})")))
    )
    (row,) = found.idle.rows
    assert (row.entry.kind, row.entry.latency_us) == (1, 40)
    assert [problem.rpartition("; ")[2] for problem in problems] == [
        "ACPICA converts values of another type"
    ]


def test_a_cst_that_the_kernel_does_not_survive_is_told(iasl: str, no_acpiexec: None) -> None:
    entry = f"Package () {{{FFH.format(0)}, Package () {{}}, 40, 500}}"
    (found,), problems = read(
        acpi.compiled(acpi.block(cpu("\\_SB.CPU0", f"Name (_CST, Package () {{1, {entry}}})")))
    )
    assert found.idle.rows == ()
    assert (
        "writes outside its memory: a type that is a Package is read as an integer" in problems[0]
    )


def test_integers_have_32_bits_where_the_dsdt_is_older_than_revision_2(
    iasl: str, no_acpiexec: None
) -> None:
    asl = acpi.block(cpu("\\_SB.CPU0", f"Name (_CST, {ONE.replace('1000', 'Ones')})"), revision=1)
    (found,), _ = read(acpi.compiled(asl))
    assert found.idle.rows[0].entry.power_mw == 0xFFFF_FFFF


def random_cst(rng: random.Random) -> str:
    entries = []
    for _ in range(rng.randrange(1, 8)):
        register = rng.choice((FFH, IO)).format(rng.choice((0, 0x10, 0x60, 0x614)))
        numbers = (rng.randrange(5), rng.choice((0, 1, 90, 1000, 70000)), rng.randrange(3000))
        entries.append(f"Package () {{{register}, {', '.join(map(str, numbers))}}}")
    # iasl alone refuses a number of C-states that is too large, see -f
    count = rng.choice((len(entries), len(entries), max(len(entries) - 1, 0)))
    return f"Package ({len(entries) + 1 + rng.randrange(2)}) {{{count}, {', '.join(entries)}}}"


def random_lpi(rng: random.Random) -> str:
    states = []
    for number in range(rng.randrange(1, 4)):
        entry = rng.choice((FFH.format(rng.randrange(99)), str(rng.randrange(1 << 32))))
        numbers = ", ".join(str(rng.randrange(1 << 32)) for _ in range(6))
        states.append(f'Package () {{{numbers}, {entry}, 0, {FFH.format(0)}, "state {number}"}}')
    return f"Package () {{0, 1, {len(states)}, {', '.join(states)}}}"


def test_static_objects_are_what_acpiexec_gives(iasl: str, acpiexec_program: str) -> None:
    """The objects are those of 60 processors with random _CST, most out of order, and _LPI:
    ACPICA's repairs included."""
    rng = random.Random(5)
    asl = "\n".join(
        cpu(
            f"\\_SB.C{number:03}",
            f"Name (_CST, {random_cst(rng)}) Method (_LPI, 0) {{ Return ({random_lpi(rng)}) }}",
            number,
        )
        for number in range(60)
    )
    data = acpi.compiled(acpi.block(asl))
    found, _ = read(data)
    own = {}
    for each in found:
        assert not each.idle.evaluated
        for processor in each.idle.processors:
            own[f"{processor.path}._CST"] = each.idle.cst
            own[f"{processor.path}._LPI"] = each.idle.lpi[0].lpi
    assert len(own) == 120
    theirs = acpiexec.evaluate(blobs(data), list(own), "f")
    assert {path: each.value for path, each in theirs.items()} == own
    in_order = [cst for path, cst in own.items() if path.endswith("_CST") and len(cst) > 2]
    assert len(in_order) > 30
    assert all([e[1] for e in cst[1:]] == sorted(e[1] for e in cst[1:]) for cst in in_order)


def test_what_acpica_repairs_is_said(iasl: str, no_acpiexec: None) -> None:
    entries = [f"Package () {{{IO.format(1)}, {kind}, 10, 5}}" for kind in (2, 0, 1)]
    data = acpi.compiled(
        acpi.block(cpu("\\_SB.CPU0", f"Name (_CST, Package () {{3, {', '.join(entries)}}})"))
    )
    (found,), problems = read(data)
    assert [row.entry.kind for row in found.idle.rows] == [1, 2]
    assert [problem.rpartition(": ")[2] for problem in problems] == [
        "C-states of type 0 are removed",
        "C-states are sorted by type",
        "the number of C-states is 2, not 3",
    ]
    assert "\\_SB.CPU0._CST (byte 0x" in problems[0]


DYNAMIC = """
Name (PDCV, 0)
Method (_PDC, 1) { CreateDWordField (Arg0, 8, CAPS) PDCV = CAPS }
Method (_CST, 0) {
    If (PDCV & 0x200) { Return (Package () {1, Package () {FFH, 1, 33, 1000}}) }
    Return (Package () {1, Package () {IO, 1, 44, 1000}})
}
""".replace("FFH", FFH.format(0x10)).replace("IO", IO.format(0x414))


def test_methods_are_evaluated_once_firmware_knows_what_linux_can_do(
    iasl: str, acpiexec_program: str
) -> None:
    data = acpi.compiled(acpi.block(f"Processor (\\_PR.CPU0, 3, 0x410, 6) {{ {DYNAMIC} }}"))
    (found,), problems = read(data)
    assert problems == []
    assert found.idle.evaluated
    (row,) = found.idle.rows
    assert row.entry.latency_us == 33
    (processor,) = found.idle.processors
    assert (processor.path, processor.uid) == ("\\_PR.CPU0", 3)
    assert (processor.block, processor.block_bytes, processor.is_device) == (0x410, 6, False)


def test_osc_of_a_processor_is_told_the_same(iasl: str, acpiexec_program: str) -> None:
    osc = DYNAMIC.replace("_PDC, 1", "_OSC, 4").replace("Arg0, 8", "Arg3, 4")
    uuid = 'If (Arg0 != ToUUID ("4077A616-290C-47BE-9EBD-D87058713953")) { Return (Arg3) }'
    osc = osc.replace("CreateDWordField", f"{uuid} CreateDWordField").replace(
        "PDCV = CAPS", "PDCV = CAPS Return (Arg3)"
    )
    (found,), _ = read(acpi.compiled(acpi.block(cpu("\\_SB.CPU0", osc))))
    assert found.idle.rows[0].entry.latency_us == 33


def test_what_depends_on_memory_of_firmware_is_told(iasl: str, acpiexec_program: str) -> None:
    """Most firmware of Intel does so. A region that is read in vain makes no difference."""
    region = """
    OperationRegion (NVS, SystemMemory, 0x7F000000, 0x10)
    Field (NVS, AnyAcc, NoLock, Preserve) { FLAG, 8 }
    Method (_CST, 0) { %s }
    """
    both = DYNAMIC.partition("Method (_CST, 0) {")[2].rpartition("}")[0].replace("PDCV", "FLAG")
    asl = [
        cpu(f"\\_SB.CPU{number}", region.replace("%s", body), number)
        for number, body in enumerate(
            (both.replace("0x200", "1"), f"Store (FLAG, Local0) {both}", both.replace("0x200", "1"))
        )
    ]
    found, problems = read(acpi.compiled(acpi.block("".join(asl).replace("& 0x200", "& 0x100"))))
    assert [(f.idle.processors[0].path, f.idle.depends) for f in found] == [("\\_SB.CPU0", True)]
    assert [p.path for p in found[0].idle.processors] == [
        f"\\_SB.CPU{number}" for number in range(3)
    ]
    assert found[0].idle.rows[0].entry.latency_us == 44
    (problem,) = problems
    assert "\\_SB.CPU0._CST" in problem
    assert problem.endswith("it is a package of 2 elements; the same of 1 other processor")


def test_what_linux_says_is_what_its_header_says() -> None:
    """C_CAPABILITY_SMP, SMP_T_SWCOORD, EST_CAPABILITY_SWSMP, T_FFH."""
    smp = 0x10 | 0x8 | 0x2 | 0x100 | 0x200
    assert smp | 0x80 | (0x8 | 0x2 | 0x20 | 0x800 | 0x1) | 0x4 == acpiexec.CAPABILITIES


def test_without_acpiexec_what_needs_it_is_named(iasl: str, no_acpiexec: None) -> None:
    data = acpi.compiled(acpi.block(cpu("\\_SB.CPU0", DYNAMIC)))
    message = refused(data)
    assert "_SB.CPU0._CST can only be read by running its code" in message
    assert "a method that does more than return a value" in message
    assert "acpica-tools" in message


@pytest.mark.parametrize(
    ("inner", "why"),
    [
        ("Name (LAT, 5) Name (_CST, Package () {1, Package () {LAT, 1, 1, 1}})", "the name LAT"),
        (f"Method (_CST, 0) {{ Return (Index ({ONE}, 0)) }}", "the operation 0x88"),
        (f"If (\\_SB.X) {{ Name (_CST, {ONE}) }}", "a definition below an If"),
    ],
)
def test_what_stands_in_the_way_of_a_static_value_is_named(
    iasl: str, no_acpiexec: None, inner: str, why: str
) -> None:
    asl = acpi.block("Name (\\_SB.X, 1) " + cpu("\\_SB.CPU0", inner))
    assert f"({why})" in refused(acpi.compiled(asl))


def test_ssdts_open_the_scopes_of_the_dsdt(iasl: str, no_acpiexec: None) -> None:
    dsdt = acpi.compiled(
        acpi.block(f"Scope (\\_SB) {{ {cpu('CPU0', '', 4)} {cpu('CPU1', '', 5)} }}")
    )
    ssdt = acpi.compiled(
        acpi.block(
            "External (\\_SB.CPU0, DeviceObj) External (\\_SB.CPU1, DeviceObj)"
            f"Scope (\\_SB) {{ Scope (CPU0) {{ Name (_CST, {ONE}) }} }}"
            f"Scope (\\_SB.CPU1) {{ Name (_CST, {ONE}) }}",
            "SSDT",
        )
    )
    (found,), problems = read(dsdt, ssdt)
    assert problems == []
    assert [(p.path, p.uid) for p in found.idle.processors] == [
        ("\\_SB.CPU0", 4),
        ("\\_SB.CPU1", 5),
    ]
    (found,), _ = read(ssdt)
    assert [(p.path, p.uid) for p in found.idle.processors] == [
        ("\\_SB.CPU0", None),
        ("\\_SB.CPU1", None),
    ]


def test_scopes_of_processors_that_no_table_defines_are_none(iasl: str, no_acpiexec: None) -> None:
    """Firmware opens scopes for as many as the largest machine has."""
    dsdt = acpi.compiled(acpi.block(cpu("\\_SB.CPU0", f"Name (_CST, {ONE})")))
    ssdt = acpi.block(
        f"External (\\_SB.CPU1, DeviceObj) Scope (\\_SB.CPU1) {{ Name (_CST, {ONE}) }}", "SSDT"
    )
    (found,), problems = read(dsdt, acpi.compiled(ssdt))
    assert [p.path for p in found.idle.processors] == ["\\_SB.CPU0"]
    assert problems == []


def test_firmware_that_ends_acpiexec_when_told_is_evaluated_untold(
    iasl: str, acpiexec_program: str
) -> None:
    """A table of no length in memory, which it loads then, is beyond acpiexec."""
    load = """
    OperationRegion (NVS, SystemMemory, 0x7F000000, 0x10)
    Field (NVS, DWordAcc, NoLock, Preserve) { BASE, 32, SIZE, 32 }
    Name (HNDL, 0)
    Method (_PDC, 1) {
        OperationRegion (LOST, SystemMemory, BASE, SIZE)
        Load (LOST, HNDL)
    }
    Name (TELL, 7)
    Method (_CST, 0) { Return (Package () {1, Package () {FFH, 1, TELL, 1000}}) }
    """.replace("FFH", FFH.format(0))
    (found,), problems = read(acpi.compiled(acpi.block(cpu("\\_SB.CPU0", load))))
    assert [row.entry.latency_us for row in found.idle.rows] == [7]
    (problem,) = problems
    assert "expected acpiexec to tell firmware what the kernel can do, found" in problem
    assert problem.endswith("evaluated without")


def test_the_first_definition_counts(iasl: str, no_acpiexec: None) -> None:
    one = acpi.compiled(acpi.block(cpu("\\_SB.CPU0", f"Name (_CST, {ONE})")))
    other = ONE.replace("1, 1, 1000", "1, 9, 1000")
    two = acpi.compiled(acpi.block(f"Name (\\_SB.CPU0._CST, {other})", "SSDT"))
    (found,), problems = read(one, two)
    assert found.idle.rows[0].entry.latency_us == 1
    assert len(problems) == 1
    assert "expected \\_SB.CPU0._CST to be defined once" in problems[0]
    assert "of SSDT1" in problems[0]


CLUSTER = """
Device (\\_SB.SYS) { Name (_HID, "acpi0010") Name (_UID, 0)
    Name (_LPI, Package () {0, 1, 1, Package () {9000, 900, 1, 0, 0, 0, 0x300, 0, 0, "system"}})
    Device (CL0) { Name (_HID, "ACPI0010") Name (_UID, 1)
        Name (_LPI, Package () {0, 1, 1, Package () {2000, 500, 1, 0, 0, 1, 0x100, 0, 0, "off"}})
        %s %s
    }
}
"""


def test_levels_of_lpi_go_from_the_processor_out(iasl: str, no_acpiexec: None) -> None:
    state = f'Package () {{1, 2, 1, 0, 0, 1, {FFH.format(3)}, 0, 0, "wfi"}}'
    lpi = f"Name (_LPI, Package () {{0, 1, 1, {state}}})"
    asl = acpi.block(CLUSTER % (cpu("CPU0", lpi, 7), cpu("CPU1", lpi, 8)))
    (found,), _ = read(
        acpi.compiled(asl), acpi.madt([acpi.gicc(7, 1), acpi.gicc(8, 8), acpi.gicc(9, 0)])
    )
    assert found.idle.arch == "arm64"
    assert [level.path for level in found.idle.lpi] == [
        "\\_SB.SYS.CL0.CPU0",
        "\\_SB.SYS.CL0",
        "\\_SB.SYS",
    ]
    assert [p.uid for p in found.idle.processors] == [7, 8]
    assert [(row.object, row.entry.name) for row in found.idle.rows] == [
        ("\\_SB.SYS.CL0.CPU0._LPI", "wfi"),
        ("\\_SB.SYS.CL0._LPI", "off"),
        ("\\_SB.SYS._LPI", "system"),
    ]


def test_processors_that_the_madt_has_not_are_left_out(iasl: str, no_acpiexec: None) -> None:
    asl = acpi.block("".join(cpu(f"\\_SB.CPU{n}", f"Name (_CST, {ONE})", n) for n in range(4)))
    given = [acpi.lapic(0, 1), acpi.lapic(1, 0), acpi.lapic(2, 2), acpi.lapic(255, 0)]
    (found,), _ = read(acpi.compiled(asl), acpi.madt(given), acpi.fadt(101, 1001, 0x25, 0x85))
    assert [p.uid for p in found.idle.processors] == [0, 2, 3]
    assert found.idle.arch == "x86"
    assert found.idle.fadt == Fadt(101, 1001, 0x25, 0xB2, 0x85)


def test_what_acpiexec_prints_is_read_back(iasl: str, acpiexec_program: str) -> None:
    """Every kind of value, in packages within packages."""
    value = (
        'Package (9) {0xFFFFFFFFFFFFFFFF, Buffer () {1,2,3}, \\_SB.CPU0, "st\\"r\\nx\\\\y", '
        "Package () {}, Buffer (20) {1}, Package () {Package () {7}}, \\_SB.CPU0._UID}"
    )
    data = acpi.compiled(acpi.block(cpu("\\_SB.CPU0", f"Name (XXXX, {value})", 6)))
    found = acpiexec.evaluate(blobs(data), ["\\_SB.CPU0.XXXX", "\\_SB.CPU0.NONE"], "f")
    assert found["\\_SB.CPU0.XXXX"].value == (
        (1 << 64) - 1,
        b"\x01\x02\x03",
        AcpiReference("CPU0"),
        'st"r\nx\\y',
        (),
        b"\x01".ljust(20, b"\0"),
        ((7,),),
        6,
        None,
    )
    assert found["\\_SB.CPU0.NONE"].error == "AE_NOT_FOUND"


@pytest.mark.slow
def test_a_method_that_fails_is_told_of(iasl: str, acpiexec_program: str) -> None:
    """An endless loop is one: acpiexec ends it."""
    asl = acpi.block(
        cpu("\\_SB.CPU0", "Method (_CST, 0) { While (One) { } Return (Package () {0}) }")
        + cpu("\\_SB.CPU1", f"Name (_CST, {ONE})")
    )
    (found,), problems = read(acpi.compiled(asl))
    assert [p.path for p in found.idle.processors] == ["\\_SB.CPU1"]
    assert len(problems) == 1
    assert "AE_AML_LOOP_TIMEOUT" in problems[0]


def test_text_of_acpidump_is_read(iasl: str, tmp_path: Path) -> None:
    """The real one's, and one of several tables, some of no use here."""
    data = acpi.compiled(acpi.block(cpu("\\_SB.CPU0", f"Name (_CST, {ONE})")))
    other = acpi.table("HPET", bytes(20))
    text = acpi.dump([other, data, acpi.fadt(1, 2, 3)])
    assert [(t.name, t.data) for t in tables.dumped(text.encode(), "f")] == [
        ("DSDT", data),
        ("FACP", acpi.fadt(1, 2, 3)),
    ]
    file = tmp_path / "dsdt.aml"
    file.write_bytes(data)
    done = subprocess.run(["acpidump", "-f", str(file)], capture_output=True, check=True)
    assert [(t.name, t.data) for t in tables.dumped(done.stdout, "f")] == [("DSDT", data)]


GOOD = acpi.table("DSDT", b"\x08_UID\x0a\x05")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (GOOD[:-1], f"expected a length of 36 to {len(GOOD) - 1}, found {len(GOOD)}"),
        (GOOD[:20], "expected a table's header of 36 bytes, found 20 bytes: 44 53 44 54"),
        (GOOD[:-1] + b"\x06", "whose sum modulo 256 is 0, found 1: the table is damaged"),
        (GOOD + b"ssdt" + GOOD[4:], f"f: byte {len(GOOD):#x}: expected a table's header"),
        (GOOD[:4] + b"\x10\0\0\0" + GOOD[8:], "expected a length of 36 to 43, found 16"),
        (GOOD * (limits.ACPI_TABLES + 1), "expected at most 512 tables, found more"),
        (acpi.fadt(1, 1, 1), "expected a DSDT or an SSDT among ACPI's tables, found none"),
        (GOOD, "expected _CST or _LPI of a processor, found none in 0 processors"),
        (
            GOOD + acpi.madt([b"\x00\x01"]),
            "APIC (byte 0x2c of APIC): expected an entry of 2 to 2 bytes, found 1",
        ),
    ],
)
def test_damaged_tables_are_refused_with_the_place(data: bytes, message: str) -> None:
    assert message in refused(data)


def test_what_acpidump_says_between_rows_is_passed_over() -> None:
    lines = acpi.dump([GOOD]).splitlines()
    odd = "_RAT @ 0x0\n    0000: 5F 52 41 54  _RAT\n"
    noise = "Firmware Warning (ACPI): Incorrect checksum in table [ABCD]"
    (found,) = tables.dumped((odd + "\n".join([*lines[:2], noise, *lines[2:]])).encode(), "f")
    assert found.data == GOOD


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DSDT @ 0x0\n    0010: 44 53 44 54 \n", "f:2:1: expected the bytes from 0x0 on"),
        ("DSDT @ 0x0\nwhat\n", "f:2:1: expected a row of acpidump, as '0000: 44 53 44 54'"),
        ("DSDT @ 0x0\n", "f:1:1: expected a table DSDT of 0 bytes, found 0"),
        (acpi.dump([GOOD])[:-30], "f:1:1: expected a table DSDT of 43 bytes, found"),
    ],
)
def test_damaged_text_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(Unreadable) as caught:
        tables.dumped(text.encode(), "f")
    shown = str(caught.value)
    assert message.replace(":1: ", ": ") in shown or message in shown


def test_the_rest_of_a_scope_that_is_not_understood_is_left_out_and_told(no_acpiexec: None) -> None:
    cst = b"\x08_CST\x12\x04\x01\x0a\x00"
    device = b"\x5b\x82" + bytes([4 + 1 + len(cst) + 2]) + b"CPU0" + cst + b"\xfe\xfe"
    data = acpi.table("DSDT", device + b"\x08_UID\x0a\x05")
    names = aml.walk(blobs(data))
    assert set(names.defined) == {"\\CPU0", "\\CPU0._CST", "\\_UID"}
    (gap,) = names.gaps
    assert (gap.path, gap.offset, gap.message) == (
        "\\CPU0",
        36 + len(device) - 2,
        "expected an operation of AML, found opcode 0xfe",
    )


def test_nesting_has_a_limit() -> None:
    inner = b""
    for _ in range(limits.ACPI_DEPTH + 2):
        size = len(inner) + 4 + 4
        length = bytes([0xC0 | size & 0xF]) + (size >> 4).to_bytes(3, "little")
        inner = b"\x10" + length + b"AAAA" + inner
    (gap,) = aml.walk(blobs(acpi.table("DSDT", inner))).gaps
    assert "expected at most 64 scopes within scopes" in gap.message
    deep = b"\x92" * 100_000 + b"\x00"
    (gap,) = aml.walk(blobs(acpi.table("DSDT", deep))).gaps
    assert "expected at most 64 terms within terms" in gap.message


def test_a_buffer_of_a_huge_size_is_refused(no_acpiexec: None) -> None:
    body = b"\x08_CST\x11\x08\x0c\xff\xff\xff\xff\x00\x00"
    processor = b"\x5b\x83" + bytes([11 + len(body)]) + b"CPU0" + bytes(6) + body
    message = refused(acpi.table("DSDT", processor))
    assert "expected a buffer of at most 65536 bytes, found 4294967295" in message


def _bodies() -> Sequence[bytes]:
    asl = [
        acpi.block(cpu("\\_SB.CPU0", f"Name (_CST, {ONE})") + CLUSTER % ("", "")),
        acpi.block(f"Processor (\\_PR.CPU0, 3, 0x410, 6) {{ {DYNAMIC} }}"),
    ]
    return [acpi.compiled(each)[36:] for each in asl]


@settings(max_examples=examples(60, 400), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    which=st.integers(0, 1),
    edits=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=5),
)
def test_damaged_aml_is_read_or_refused(
    iasl: str, no_acpiexec: None, which: int, edits: list[tuple[int, int]]
) -> None:
    body = bytearray(_bodies()[which])
    for at, byte in edits:
        body[at % len(body)] = byte
    try:
        found, _ = read(acpi.table("DSDT", bytes(body)))
    except Unreadable as error:
        findings = error.findings
    else:
        assert all(each.idle.processors for each in found)
        return
    assert all(re.match("expected|the value depends|.* can only", f.message) for f in findings)
