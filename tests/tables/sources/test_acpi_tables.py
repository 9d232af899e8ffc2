"""ACPI tables as TABLE: files, text and directories, and what commands say of them."""

from pathlib import Path
from typing import Any

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.catalogue import rule_named
from idle_states.tables.sources import read_source, read_sources
from idle_states.tables.sources.here import tables_of
from tests.support import acpi
from tests.support import rule_pages as pages
from tests.support.commands import Capture, document, outcome, run

FFH = "ResourceTemplate () {{Register (FFixedHW, 1, 2, {0:#x}, 3)}}"


def cst(*states: tuple[int, int, int]) -> str:
    entries = ", ".join(
        f"Package () {{{FFH.format(hint)}, {kind}, {latency}, 500}}"
        for hint, kind, latency in states
    )
    return f"Name (_CST, Package () {{{len(states)}, {entries}}})"


def cpu(number: int, inner: str) -> str:
    name = f"\\_SB.CP{number:02}"
    return f'Device ({name}) {{ Name (_HID, "ACPI0007") Name (_UID, {number}) {inner} }}'


SHALLOW, DEEP = ((0, 1, 1), (0x21, 2, 127)), ((0, 1, 1), (0x21, 2, 127), (0x60, 3, 1048))


@pytest.fixture(scope="module")
def dsdt(iasl: str) -> bytes:
    """A DSDT of four processors, the last with fewer states."""
    inner = "".join(cpu(number, cst(*DEEP)) for number in range(3)) + cpu(3, cst(*SHALLOW))
    return acpi.compiled(acpi.block(inner))


def test_no_idle_states_are_a_note(iasl: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "dsdt.aml").write_bytes(acpi.compiled(acpi.block(cpu(0, ""))))
    (source,) = read_sources(str(tmp_path / "dsdt.aml"))
    (finding,) = source.findings
    assert (finding.rule, str(finding.severity), source.table) == ("IS601", "note", None)
    assert "found none in 1 processor" in finding.message
    assert run(capsys, "audit", str(tmp_path / "dsdt.aml"))[0] == 0


def test_equal_processors_share_a_table(dsdt: bytes, tmp_path: Path) -> None:
    (tmp_path / "dsdt.aml").write_bytes(dsdt)
    one, other = read_sources(str(tmp_path / "dsdt.aml"))
    assert one.table
    assert other.table
    assert (one.name, other.name) == ("CP00", "CP03")
    assert one.table.title == "ACPI _CST of 3 processors, \\_SB.CP00 to \\_SB.CP02"
    assert [(s.name, s.latency_ns, s.residency_ns) for s in one.table.states] == [
        ("C1", 1000, None),
        ("C2", 127_000, None),
        ("C3", 1_048_000, None),
    ]
    assert one.table.states[2].note == "type C3, Register (FFixedHW, 1, 2, 0x60, 3)"
    assert one.table.states[2].where["state"].path == "\\_SB.CP00._CST[3]"
    assert Subject(one.table, []).form == "acpi"
    assert (one.findings, other.findings) == ((), ())


def test_text_blob_and_directory_give_the_same(dsdt: bytes, tmp_path: Path) -> None:
    (tmp_path / "dsdt.bin").write_bytes(dsdt)
    (tmp_path / "dump.txt").write_text(acpi.dump([dsdt]), "ascii")
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "DSDT").write_bytes(dsdt)
    tables = [
        [source.table for source in read_sources(str(tmp_path / name))]
        for name in ("dsdt.bin", "dump.txt", "tables")
    ]
    assert len(tables[0]) == 2
    assert tables[0] == tables[1] == tables[2]


def test_tables_loaded_later_come_last(dsdt: bytes, tmp_path: Path) -> None:
    """The folder is laid out like /sys/firmware/acpi/tables; SSDT10 comes after SSDT9, what is no
    table is left alone."""
    tmp_path /= "tables"
    for folder in (tmp_path, tmp_path / "dynamic", tmp_path / "data"):
        folder.mkdir()
    (tmp_path / "DSDT").write_bytes(acpi.compiled(acpi.block(cpu(0, ""))))
    for number, where in ((10, ""), (9, ""), (1, "dynamic/")):
        latency = 100 * number
        inner = f"Scope (\\_SB.CP00) {{ {cst((0x21, 2, latency))} }}"
        declared = f"External (\\_SB.CP00, DeviceObj) {inner}"
        data = acpi.compiled(acpi.block(declared, "SSDT"))
        (tmp_path / f"{where}SSDT{number}").write_bytes(data)
    (tmp_path / "HPET").write_bytes(b"what is not looked at")
    source = read_source(str(tmp_path))
    assert source.table
    assert source.table.states[0].latency_ns == 900_000
    assert [finding.location.path.partition(" of ")[2] for finding in source.findings] == [
        "SSDT10)",
        "dynamic/SSDT1)",
    ]
    looked = tables_of([str(tmp_path.parent)])
    assert tmp_path.as_posix() in looked.files


def test_a_damaged_file_of_a_directory_is_named(dsdt: bytes, tmp_path: Path) -> None:
    (tmp_path / "DSDT").write_bytes(dsdt)
    (tmp_path / "SSDT1").write_bytes(dsdt[:50])
    with pytest.raises(Unreadable, match=r"SSDT1: expected a length of 36 to 50"):
        read_sources(str(tmp_path))


def test_show_has_registers_and_levels(iasl: str, tmp_path: Path, capsys: Capture) -> None:
    lpi = (
        "Name (_LPI, Package () {0, 1, 1, Package () {"
        f'20, 2, 0, 0, 0, 1, {FFH.format(0x10)}, 0, 0, "off"}}}})'
    )
    data = acpi.compiled(acpi.block(cpu(0, cst(*SHALLOW) + lpi)))
    file = tmp_path / "dsdt.aml"
    file.write_bytes(data + acpi.fadt(101, 1001, 5))
    status, shown, _ = run(capsys, "show", str(file))
    assert status == 0
    assert "_CST[2]: type C2, Register (FFixedHW, 1, 2, 0x21, 3), 500 mW" in shown
    assert "off, 2/20 us, Register (FFixedHW, 1, 2, 0x10, 3), parent up to 1, disabled" in shown
    assert "the FADT's latencies of C2 and C3 are 101 and 1001 us" in shown
    found = document(capsys, "show", str(file))["table"]
    assert found["states"][0]["flags"] is None
    assert found["acpi"]["processors"] == [{"path": "\\_SB.CP00", "uid": "0"}]
    assert [row["type"] for row in found["acpi"]["rows"]] == [1, 2]
    assert found["acpi"]["beside"][0]["enabled"] is False
    assert found["acpi"]["fadt"]["c3_latency_us"] == 1001


def test_diff_tells_types_and_registers(iasl: str, tmp_path: Path, capsys: Capture) -> None:
    for name, states in (("a", DEEP), ("b", ((0, 1, 1), (0x20, 2, 127), (0x60, 2, 1048)))):
        data = acpi.compiled(acpi.block(cpu(0, cst(*states))))
        (tmp_path / f"{name}.aml").write_bytes(data)
    files = [str(tmp_path / f"{name}.aml") for name in "ab"]
    status, found = outcome(capsys, "diff", *files)
    assert status == 1
    differences = {each["path"]: (each["a"], each["b"]) for each in found["differences"]}
    registers = [f"Register (FFixedHW, 1, 2, {hint:#x}, 3)" for hint in (0x21, 0x20)]
    assert differences["states.C2.register"] == tuple(registers)
    assert differences["states.C3.type"] == ("3", "2")


@pytest.mark.parametrize(("section", "rules"), [("Example", {"IS122"}), ("Use instead", set())])
def test_complaint_is_as_its_page_says(
    iasl: str, tmp_path: Path, section: str, rules: set[str]
) -> None:
    loaded = rule_named("IS122")
    assert loaded
    file = tmp_path / "dsdt.aml"
    file.write_bytes(acpi.compiled(pages.sections(loaded.page)[section]))
    found = read_source(str(file)).findings
    assert {finding.rule for finding in found} == rules
    assert {finding.severity for finding in found} <= {loaded.rule.severity}


def test_kernels_from_when_latencies_are_put_in_order(
    iasl: str, tmp_path: Path, capsys: Capture
) -> None:
    """Releases before acpi_idle's oldest are passed over."""
    file = tmp_path / "dsdt.aml"
    unordered = cst((0, 1, 1), (0x21, 2, 90), (0x60, 2, 40))
    file.write_bytes(acpi.compiled(acpi.block(cpu(0, unordered))))
    of = ("--table", str(file), "--governor", "menu")
    status, shown, _ = run(capsys, "kernels", *of, "4.1", "5.19")
    assert status == 0
    status, shown, _ = run(capsys, "kernels", *of, "5.12", "5.19")
    assert "registered, states.C2: 90/180 us -> 40/80 us" in shown


def kernels_view(capsys: Capture, file: Path, cpu_name: str) -> dict[str, Any]:
    shown = document(capsys, "show", f"{file}:{cpu_name}", "--kernel", "6.12")
    found: dict[str, Any] = shown["linux"]
    return found


def test_a_processor_with_fewer_states_crashes_kernels(
    dsdt: bytes, tmp_path: Path, capsys: Capture
) -> None:
    file = tmp_path / "dsdt.aml"
    file.write_bytes(dsdt)
    status, found = outcome(capsys, "check", str(file), "--kernel", "5.2,6.12")
    assert status == 1
    (finding,) = found["findings"]
    assert (finding["rule"], finding["severity"]) == ("IS417", "error")
    assert finding["kernels"] == ["5.2", "6.12"]
    assert finding["location"]["path"].startswith("\\_SB.CP03._CST ")
    for name in ("CP00", "CP03"):
        linux = kernels_view(capsys, file, name)
        assert "\\_SB.CP03._CST has fewer than \\_SB.CP00._CST" in linux["fatal"]
        assert [state["name"] for state in linux["states"]] == ["POLL", "C1", "C2", "C3"]
        assert [state["exit_latency_us"] for state in linux["states"]] == [0, 1, 127, 1048]


@pytest.mark.parametrize("command", ["select", "select --latency-limit 10us"])
def test_selections_of_a_machine_that_crashes_say_so_once(
    dsdt: bytes, tmp_path: Path, capsys: Capture, command: str
) -> None:
    file = tmp_path / "dsdt.aml"
    file.write_bytes(dsdt)
    _, out, errors = run(capsys, *command.split(), f"{file}:CP00", "--kernel", "6.1,6.12")
    assert "C1" in out
    assert errors.count("crashes") == 1
    assert "Linux 6.1, 6.12 crashes (acpi_idle_enter()" in errors


def test_all_processors_have_the_states_of_the_first(
    iasl: str, tmp_path: Path, capsys: Capture
) -> None:
    own = ((0, 1, 1), (0x21, 2, 60), (0x60, 3, 1048))
    file = tmp_path / "dsdt.aml"
    file.write_bytes(acpi.compiled(acpi.block(cpu(0, cst(*SHALLOW)) + cpu(1, cst(*own)))))
    status, found = outcome(capsys, "check", str(file), "--kernel", "6.12")
    assert status == 0
    finding, times = found["findings"]
    assert (finding["rule"], finding["severity"]) == ("IS417", "warning")
    assert (times["rule"], times["severity"]) == ("IS425", "warning")
    assert times["message"].startswith("C2 60/120 us is registered as C2 127/254 us")
    assert finding["message"].startswith("C3: never entered")
    linux = kernels_view(capsys, file, "CP01")
    assert linux["fatal"] is None
    assert [state["exit_latency_us"] for state in linux["states"]] == [0, 1, 127]
    changed = [(c["state"], c["field"], c["before"], c["after"]) for c in linux["changed"]]
    assert changed == [
        ("C2", "times", "C2 60/120 us", "C2 127/254 us"),
        ("C1", "residency", "none", "2 us"),
    ]
    assert [(lost["state"], lost["cause"]) for lost in linux["lost"]] == [("C3", "other-processor")]


@pytest.mark.parametrize("bad", ["Package () {}", "Package () {1, Package () {%s}}"])
def test_a_cst_that_its_repair_does_not_survive_takes_the_machine_down(
    iasl: str, tmp_path: Path, capsys: Capture, bad: str
) -> None:
    inner = f"Name (_CST, {bad.replace('%s', FFH.format(0))})"
    file = tmp_path / "dsdt.aml"
    file.write_bytes(acpi.compiled(acpi.block(cpu(0, cst(*SHALLOW)) + cpu(1, inner))))
    status, found = outcome(capsys, "check", str(file), "--kernel", "6.12")
    assert status == 1
    errors = [each for each in found["findings"] if each["severity"] == "error"]
    assert [(each["rule"], each["location"]["path"].split()[0]) for each in errors] == [
        ("IS418", "\\_SB.CP01._CST")
    ]
    linux = kernels_view(capsys, file, "CP00")
    assert linux["fatal"].startswith("acpi_ns_repair_CST() evaluates \\_SB.CP01._CST: ")
    assert linux["states"] == []
    assert {lost["cause"] for lost in linux["lost"]} == {"crash"}
    status, _, said = run(capsys, "select", f"{file}:CP00", "--kernel", "6.12")
    assert status == 2
    assert "acpi_ns_repair_CST()" in said


def states_of(capsys: Capture, *words: str) -> list[dict[str, Any]]:
    return [
        {key: state[key] for key in ("name", "exit_latency_us", "target_residency_us", "off")}
        for state in document(capsys, "show", *words)["linux"]["states"]
    ]


@pytest.mark.parametrize("kernel", ["5.10", "7.1"])
@pytest.mark.parametrize("machine", ["spr", "skx,use_acpi", "wcl"])
def test_tables_tell_the_same_as_acpi_named_by_hand_and_as_a_table_on_the_machine(
    dsdt: bytes, tmp_path: Path, capsys: Capture, machine: str, kernel: str
) -> None:
    """The tables are a blob, the text of acpidump and a folder."""
    (tmp_path / "DSDT").write_bytes(dsdt)
    (tmp_path / "dump.txt").write_text(acpi.dump([dsdt]), "ascii")
    of = ("--kernel", kernel)
    named = states_of(capsys, "--platform", f"{machine},acpi=0x00/1:0x21/127:0x60/1048", *of)
    assert len(named) == 4
    for given in (tmp_path / "DSDT", tmp_path / "dump.txt", tmp_path):
        assert states_of(capsys, "--platform", f"{machine},acpi={given}", *of) == named
    assert states_of(capsys, f"{tmp_path}/DSDT:CP00", "--platform", machine, *of) == named


def test_lpi_of_tables_is_given_to_intel_idle(iasl: str, tmp_path: Path, capsys: Capture) -> None:
    lpi = (
        "Name (_LPI, Package () {0, 1, 1, Package () {"
        f'20, 2, 1, 0, 0, 0, {FFH.format(0x10)}, 0, 0, "deep"}}}})'
    )
    file = tmp_path / "dsdt.aml"
    file.write_bytes(acpi.compiled(acpi.block(cpu(0, cst(*SHALLOW) + lpi))))
    names = [
        [state["name"] for state in states_of(capsys, "--platform", machine, "--kernel", kernel)]
        for machine in (f"wcl,acpi={file}",)
        for kernel in ("7.1", "7.3")
    ]
    assert names == [["POLL", "C1_ACPI", "C2_ACPI"], ["POLL", "C1_LPI"]]


def test_tables_that_cannot_be_meant_or_read(dsdt: bytes, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "DSDT").write_bytes(dsdt)
    (tmp_path / "other.txt").write_text("no table", "ascii")
    for value, expected, message in (
        (f"{tmp_path}/none.aml", 3, "expected a readable file, found: No such file"),
        (f"{tmp_path}/other.txt", 3, "expected ACPI tables, or the text of acpidump"),
        (f"{tmp_path}/DSDT,lpi=0x60/1/1", 2, "expected no lpi= beside acpi=FILE"),
    ):
        status, _, err = run(capsys, "show", "--platform", f"wcl,acpi={value}", "--kernel", "7.1")
        assert status == expected, err
        assert message in err
    (tmp_path / "APIC").write_bytes(acpi.madt([acpi.gicc(number, 1) for number in range(4)]))
    status, _, err = run(capsys, "show", "--platform", f"wcl,acpi={tmp_path}", "--kernel", "7.1")
    assert status == 2
    assert f"found that {tmp_path} is of arm64" in err


def test_a_table_goes_all_the_way_on_a_machine(
    dsdt: bytes, tmp_path: Path, capsys: Capture
) -> None:
    """show and select, with a limit too, by intel_idle; the ASL compiles to the same table."""
    file = tmp_path / "dsdt.aml"
    file.write_bytes(dsdt)
    of = (f"{file}:CP00", "--platform", "skx", "--kernel", "6.12")
    assert [state["name"] for state in states_of(capsys, *of)] == ["POLL", "C1", "C1E", "C6"]
    status, out, _ = run(capsys, "select", *of)
    assert status == 0
    assert "Never selected in any of these: C6" in out
    status, out, _ = run(capsys, "select", "--latency-limit", "200us", *of)
    assert status == 0
    assert "switched off by the driver" in out
    status, asl, _ = run(capsys, "generate", f"{file}:CP00", "--to", "asl")
    assert status == 0
    again = tmp_path / "ssdt.aml"
    again.write_bytes(acpi.compiled(asl))
    before, after = (read_sources(str(each))[0].table for each in (file, again))
    assert before
    assert after
    assert before.origin.form == "acpi"
    assert after.origin.form == "acpi"
    assert before.origin.cst == after.origin.cst
