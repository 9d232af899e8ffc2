"""import: from any table to a spec and back without a value changed, or a refusal with reasons."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model import power_mgt as dt
from idle_states.base.model.acpi_objects import AcpiRegister, CstEntry, LpiState
from idle_states.base.model.findings import CannotGenerate
from idle_states.base.model.table import Cpu, Firmware, IdleState, IdleTable, Register
from idle_states.base.model.table_formats import FORMATS
from idle_states.cli import main
from idle_states.tables.devicetree import dts, fdt, idle_nodes
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux import acpi_draft
from idle_states.tables.skiboot import c_table
from idle_states.tables.sources import File, Source, formats, read_source, read_table
from idle_states.tables.sources.imported import imported, written
from idle_states.tables.spec import registry
from idle_states.tables.spec.library import find, load
from idle_states.tables.spec.packaged import current
from idle_states.tables.spec.write import HELD, LISTED, write
from tests.support import DATA, acpi, lids, random_tables
from tests.support.thorough import examples
from tests.tables.sources.test_sources import archived, tree_files

DUMP = DATA / "traces/mt8196-teo.sysfs-before.txt"
P9 = Cpu(registry.named("power9"), 0x004E, ("P9_NIMBUS",), (0, 1))


def table_of(states: Sequence[IdleState], register: Register = Register.PSSCR) -> IdleTable:
    cpu = (
        P9 if register is Register.PSSCR else Cpu(registry.named("power8"), 0x004D, ("P8_VENICE",))
    )
    return IdleTable(
        "made", tuple(states), register, cpu, Firmware(f"{cpu.generation}_cpu_idle_states")
    )


def tree_of(properties: dict[str, bytes], pvr: int = 0x004E) -> bytes:
    cpu = Node(
        f"PowerPC,POWER{9 if pvr == 0x4E else 8}@0", {"cpu-version": dt.u32_array([pvr << 16])}
    )
    opal = Node("ibm,opal", {}, (Node("power-mgt", properties),))
    return fdt.write(Node("", {}, (Node("cpus", {}, (cpu,)), opal)))


def in_file(table: IdleTable, kind: str, directory: Path) -> str:
    """The table as a tree or as C, on disk."""
    path = directory / f"made.{kind}"
    if kind == "c":
        path.write_text(c_table.write([table]))
    else:
        pvr = 0x4E if table.register is Register.PSSCR else 0x4D
        path.write_bytes(tree_of(dt.encode(table.states, table.register), pvr))
    return str(path)


def spec_of(source: Source, directory: Path) -> IdleTable:
    """Returns what comes back from the spec that import writes."""
    path = directory / "imported.yaml"
    path.write_text(write(imported(source)))
    loaded = load(path)
    assert loaded.table, [finding.message for finding in loaded.findings]
    return loaded.table


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("import")


@pytest.mark.parametrize("register", [Register.PSSCR, Register.PMICR])
@pytest.mark.parametrize("kind", ["dtb", "c"])
@settings(deadline=None, max_examples=examples(15, 30))
@given(seed=st.integers(0, 2**32))
def test_import_changes_no_value(directory: Path, kind: str, register: Register, seed: int) -> None:
    states = random_tables.states(random.Random(seed), 9, longest_name=15)
    if not states and kind == "c":
        return
    table = table_of(states, register)
    source = read_source(in_file(table, kind, directory))
    assert source.table
    assert source.table.same_values(table)
    again = spec_of(source, directory)
    assert again.same_values(table)
    assert again.register is register
    back = read_source(in_file(again, kind, directory)).table
    assert back
    assert back.same_values(table)


NAMES = st.text(
    st.characters(min_codepoint=1, exclude_characters="\0", exclude_categories=()), max_size=20
)


@settings(deadline=None, max_examples=examples(50, 100))
@given(names=st.lists(NAMES, max_size=3))
def test_any_name_comes_back_or_is_refused(directory: Path, names: list[str]) -> None:
    data = b"".join(name.encode("utf-8", "surrogatepass") + b"\0" for name in names)
    states = [IdleState("x", 1000, 1000, 0x10_0000, 0x300, 0x3003FF)] * len(names)
    path = directory / "names.dtb"
    path.write_bytes(tree_of({**dt.encode(states, Register.PSSCR), dt.NAMES: data}))
    source = read_source(str(path))
    assert source.table
    try:
        made = spec_of(source, directory)
    except CannotGenerate:
        odd = [state.name for state in source.table.states]
        assert len(set(odd)) < len(odd) or not all(name.isprintable() for name in odd)
    else:
        assert made.same_values(source.table)


@pytest.mark.parametrize("name", list(current()))
def test_packaged_tables_come_back(name: str, directory: Path) -> None:
    source = read_source(name)
    assert source.table
    made = spec_of(source, directory)
    assert made.same_values(source.table)
    assert made.cpu == source.table.cpu
    assert made.partition == source.table.partition
    assert [s.provenance for s in made.states] == [s.provenance for s in imported(source).states]


def test_values_say_where_they_came_from(directory: Path) -> None:
    source = read_source(
        in_file(table_of(random_tables.states(random.Random(1), 3)), "dtb", directory)
    )
    made = imported(source)
    assert source.sha256 in made.note
    for index, state in enumerate(made.states):
        assert set(state.provenance) == {"latency", "residency", "flags", "psscr", "mask"}
        latency = state.provenance["latency"]
        assert (latency.kind, latency.source) == ("file", source.file)
        assert latency.note == f"{dt.NODE}:{dt.LATENCIES}[{index}]"


def test_line_of_a_c_source_is_in_the_provenance(directory: Path) -> None:
    state = IdleState("stop0", 1000, 2000, 0x10_0000, 0x300, 0x3003FF)
    path = in_file(table_of([state]), "c", directory)
    lines = Path(path).read_text().splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "latency_ns" in text)
    (made,) = imported(read_source(path)).states
    assert made.provenance["latency"].source == f"{path}:{line}"


def test_import_is_stable_and_named_after_the_file(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = in_file(table_of(random_tables.states(random.Random(2), 4)), "dtb", directory)
    assert main(["import", path]) == 0
    first = capsys.readouterr().out
    assert first.startswith("name: made\n")
    assert main(["import", path, "--name", "other"]) == 0
    assert capsys.readouterr().out == first.replace("name: made\n", "name: other\n", 1)


def test_processor_that_is_not_known_is_marked(directory: Path) -> None:
    states = random_tables.states(random.Random(3), 3)
    root = Node("", {}, (Node("power-mgt", dt.encode(states, Register.PSSCR)),))
    path = directory / "fragment.dtb"
    path.write_bytes(fdt.write(root))
    assert "does not name its processor; power9 is assumed" in write(
        imported(read_source(str(path)))
    )


def refusal(source: Source) -> list[str]:
    with pytest.raises(CannotGenerate) as caught:
        imported(source)
    return [finding.message for finding in caught.value.findings]


def test_dump_of_sysfs_is_refused() -> None:
    assert refusal(read_source(f"{DUMP}:cpu0")) == [HELD]


def test_arm_tree_is_refused() -> None:
    source = read_source("power9")
    state = Node("s", {"phandle": dt.u32_array([1]), "compatible": b"arm,idle-state\0"})
    cpus = Node("cpus", {}, (Node("cpu@0", {"cpu-idle-states": dt.u32_array([1])}),))
    (listed,) = idle_nodes.lists_of(Node("", {}, (cpus, state)), "x")
    table = idle_nodes.table_of(listed, "dtb", "x", "")
    assert refusal(replace(source, table=table)) == [LISTED]


@pytest.mark.parametrize("gone", [dt.LATENCIES, dt.FLAGS, dt.PSSCR, dt.PSSCR_MASK])
def test_what_the_tree_does_not_have_is_not_made_up(directory: Path, gone: str) -> None:
    states = [IdleState("a", 1000, 2000, 0x10_0000, 0x300, 0x3003FF)] * 2
    properties = dt.encode(states, Register.PSSCR)
    path = directory / "gone.dtb"
    path.write_bytes(tree_of({key: data for key, data in properties.items() if key != gone}))
    assert f"expected {gone}, found none; a spec needs a value" in refusal(read_source(str(path)))
    path.write_bytes(tree_of({**properties, gone: properties[gone][: len(properties[gone]) // 2]}))
    assert f"expected 2 entries of {gone}, found 1" in refusal(read_source(str(path)))


def test_generate_refuses_likewise(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", f"{DUMP}:cpu0", "--to", "yaml"]) == 1
    assert HELD in capsys.readouterr().err


def test_nothing_is_written_when_refused(tmp_path: Path) -> None:
    assert main(["import", f"{DUMP}:cpu0", "-o", str(tmp_path / "spec.yaml")]) == 1
    assert list(tmp_path.iterdir()) == []


def test_names_used_twice_are_refused(directory: Path) -> None:
    states = [IdleState("a", 1000, 2000, 0x10_0000, 0x300, 0x3003FF)] * 2
    messages = refusal(read_source(in_file(table_of(states), "dtb", directory)))
    assert messages == ["expected each name once, found 'a' as state 0 and 1"]


def test_generate_says_which_processor_it_assumes(directory: Path) -> None:
    states = random_tables.states(random.Random(3), 3)
    for register, assumed in ((Register.PSSCR, "power9"), (Register.PMICR, "power8")):
        path = directory / f"{register}.dtb"
        path.write_bytes(fdt.write(Node("", {}, (Node("power-mgt", dt.encode(states, register)),))))
        table = read_source(str(path)).table
        assert table is not None
        assert table.cpu is None
        text = write(table)
        assert f"does not name its processor; {assumed} is assumed." in text
        assert f"  generation: {assumed}\n" in text


def test_a_row_that_a_macro_makes_is_refused_by_its_name(directory: Path) -> None:
    path = directory / "macro.c"
    path.write_text(
        "#define ROW(n) { .name = n, .latency_ns = 1 }\n"
        'struct cpu_idle_states power9_cpu_idle_states[] = { { .name = "a" }, ROW("b") };\n'
    )
    with pytest.raises(CannotGenerate) as caught:
        imported(read_source(str(path)))
    (finding,) = caught.value.findings
    assert "the macro ROW makes" in finding.message
    assert (finding.location.line, finding.location.column) == (2, 70)


def _samples(top: Path) -> dict[str, Path]:
    """A file or folder of each format, with a table where the format has any."""
    states = random_tables.states(random.Random(4), 3, longest_name=15)
    blob = tree_of(dt.encode(states, Register.PSSCR))
    table = c_table.write([table_of(states)])
    driver = (
        'static struct cpuidle_driver one_driver = { .states = { [0] = { .name = "A", '
        ".exit_latency = 1, .target_residency = 2 } }, .state_count = 1 };\n"
    )
    register = "ResourceTemplate () {Register (FFixedHW, 0, 0, 0)}"
    cst = f"Name (_CST, Package () {{1, Package () {{{register}, 1, 1, 1000}}}})"
    processor = (
        f'Scope (\\_SB) {{ Device (C0) {{ Name (_HID, "ACPI0007") Name (_UID, 0) {cst} }} }}'
    )
    contents = {
        "acpi": acpi.compiled(acpi.block(processor)),
        "dtb": blob,
        "tar": archived(*tree_files("device-tree")),
        "sysfs": (DATA / "trees/powernv9.sysfs.txt").read_bytes(),
        "lid": lids.image(find("power9").states),
        "dts": dts.write(fdt.read(blob, "x")).encode(),
        "c": table.encode(),
        "driver": driver.encode(),
        "log": (DATA / "trees/powernv9.log.txt").read_bytes(),
        "spec": b"name: mine\nextends: power9\n",
    }
    found = {}
    for name, content in contents.items():
        found[name] = top / name
        found[name].write_bytes(content)
    found["skiboot"] = top / "skiboot"
    (found["skiboot"] / "hw").mkdir(parents=True)
    (found["skiboot"] / "include").mkdir()
    (found["skiboot"] / "hw/slw.c").write_text(table)
    found["directory"] = top / "directory"
    for name, value in tree_files(""):
        path = found["directory"] / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value)
    return found


REFUSED = {
    "driver": "show, select",
    "log": "check and audit",
}
"""Format -> what import says to do instead."""


@pytest.mark.usefixtures("dtc")
@pytest.mark.skipif(not Path(acpi.IASL).is_file(), reason="no iasl (Debian package acpica-tools)")
def test_every_form_that_show_reads_is_imported_or_refused_with_the_next_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    samples = _samples(tmp_path)
    assert samples.keys() == set(FORMATS)
    for form, path in samples.items():
        assert formats.format_of(File.open(path)) == form
        shown = main(["show", str(path)])
        spec = tmp_path / f"{form}.yaml"
        status = main(["import", str(path), "-o", str(spec)])
        errors = capsys.readouterr().err
        if form in REFUSED:
            assert (status, spec.exists()) == (3 if form == "log" else 1, False), form
            assert REFUSED[form] in errors, form
            assert shown == (3 if form == "log" else 0), form
            continue
        assert (shown, status) == (0, 0), (form, errors)
        again, table = read_table(str(spec)).table, read_table(str(path)).table
        assert again
        assert table
        assert [state.name for state in again.states] == [state.name for state in table.states]
        if form != "sysfs":  # it has no flags
            assert again.same_values(table), form


DUMPED = """\
/sys/devices/system/cpu/cpu0/cpuidle/state0/name:POLL
/sys/devices/system/cpu/cpu0/cpuidle/state0/latency:0
/sys/devices/system/cpu/cpu0/cpuidle/state0/residency:0
/sys/devices/system/cpu/cpu0/cpuidle/state1/name:C1
/sys/devices/system/cpu/cpu0/cpuidle/state1/desc:MWAIT 0x00
/sys/devices/system/cpu/cpu0/cpuidle/state1/latency:2
/sys/devices/system/cpu/cpu0/cpuidle/state1/residency:4
/sys/devices/system/cpu/cpu0/cpuidle/state2/name:C6
/sys/devices/system/cpu/cpu0/cpuidle/state2/desc:MWAIT 0x20
/sys/devices/system/cpu/cpu0/cpuidle/state2/latency:133
/sys/devices/system/cpu/cpu0/cpuidle/state2/residency:600
/sys/devices/system/cpu/cpu0/cpuidle/state2/disable:1
"""


def read_back(text: str, directory: Path) -> IdleTable:
    """The table of the spec that `import` writes of a text or a TABLE."""
    path = directory / "read.txt"
    path.write_text(text)
    given = str(path) if "\n" in text else text
    assert main(["import", given, "-o", str(directory / "back.yaml")]) == 0
    found = read_table(str(directory / "back.yaml")).table
    assert found is not None
    return found


def lpi_of(table: IdleTable) -> list[tuple[str, int, int]]:
    assert table.origin.form == "acpi"
    found = [each.entry for each in table.origin.entries(cst=False)]
    states = [each for each in found if isinstance(each, LpiState)]
    assert len(states) == len(found)
    return [(each.name, each.wake_latency_us, each.min_residency_us) for each in states]


def test_sysfs_of_x86_becomes_a_cst_with_the_hints_that_it_shows(tmp_path: Path) -> None:
    found = read_back(DUMPED, tmp_path)
    assert found.origin.form == "acpi"
    assert [each.entry for each in found.origin.entries(cst=True)] == [
        CstEntry(AcpiRegister.mwait(0), 1, 2, 0),
        CstEntry(AcpiRegister.mwait(0x20), 2, 133, 0),
    ]
    assert lpi_of(found) == [("C1", 2, 4), ("C6", 133, 600)]
    assert found.states[1].note == "It was switched off when the dump was made."
    assert found.states[1].provenance["type"].kind == "estimate"
    assert found.states[1].provenance["mwait"].source == f"{tmp_path}/read.txt:8"
    # of _CST the kernel makes residencies itself
    of_cst = DUMPED.replace("desc:MWAIT", "desc:ACPI FFH MWAIT")
    assert lpi_of(read_back(of_cst, tmp_path)) == []


def test_sysfs_of_x86_without_a_hint_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "read.txt"
    path.write_text(DUMPED.replace("desc:MWAIT 0x20", "desc:deep"))
    assert main(["import", str(path)]) == 1
    assert "entered by MWAIT or by reading a port" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["powernv8", "powernv9", "powernv10"])
def test_sysfs_of_opal_becomes_the_tree_that_it_was_made_of(name: str, tmp_path: Path) -> None:
    tree = read_source(str(DATA / f"trees/{name}.dtb")).table
    found = read_back(str(DATA / f"trees/{name}.sysfs.txt"), tmp_path)
    assert tree is not None
    assert found.same_values(tree)
    assert found.cpu is not None
    assert tree.cpu is not None
    assert found.cpu.processor == tree.cpu.processor
    assert f"everything else comes from {found.cpu.generation}" in found.note
    assert found.states[0].provenance["flags"].source.startswith("packaged spec power")
    assert found.states[0].provenance["latency"].note == "cpu0/cpuidle/state1/latency"


def test_times_of_sysfs_count_where_the_packaged_table_has_others(tmp_path: Path) -> None:
    dump = (DATA / "trees/powernv9.sysfs.txt").read_text()
    found = read_back(dump.replace("state1/latency:1\n", "state1/latency:7\n"), tmp_path)
    assert [state.latency_ns for state in found.states[:2]] == [7000, 2000]
    assert f"1 of {len(found.states)} states differ in times" in found.note


def test_states_of_several_packaged_tables_are_not_chosen_among(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (DATA / "trees/powernv9.sysfs.txt").read_text().splitlines(keepends=True)
    path = tmp_path / "read.txt"
    path.write_text("".join(line for line in lines if "/state0/" in line or "/state1/" in line))
    assert main(["import", str(path)]) == 1
    assert HELD in capsys.readouterr().err


def test_tables_of_intel_idle_become_a_cst_and_a_lpi(tmp_path: Path) -> None:
    table = read_table("intel:skx").table
    assert table is not None
    found = read_back("intel:skx", tmp_path)
    assert lpi_of(found) == [
        (each.name, each.latency_ns // 1000, (each.residency_ns or 0) // 1000)
        for each in table.states
    ]
    assert "CPUIDLE_FLAG_IBRS" in found.states[-1].note
    assert found.origin.form == "acpi"
    again = acpi_draft.acpi_of(table)
    assert (found.origin.cst, found.origin.lpi) == (again.cst, again.lpi)


def test_lpi_alone_is_refused_with_what_takes_it(iasl: str) -> None:
    register = "ResourceTemplate () {Register (FFixedHW, 32, 0, 3, 0)}"
    state = f"Package () {{100, 50, 1, 0, 0, 0, {register}, 0, 0, 0}}"
    lpi = f"Name (_LPI, Package () {{0, 0, 1, {state}}})"
    device = f'Device (\\_SB.C0) {{ Name (_HID, "ACPI0007") Name (_UID, 0) {lpi} }}'
    source = acpi_source(acpi.compiled(acpi.block(device)))
    with pytest.raises(CannotGenerate, match="has the sum; show, diff and generate --to asl"):
        written(imported(source))


def acpi_source(data: bytes) -> Source:
    (source,) = formats.read_file(File(Path("made.aml"), data))
    return source


@pytest.mark.usefixtures("iasl")
@pytest.mark.parametrize("of_cst", [True, False])
def test_a_collection_of_states_of_cst_gives_the_tables_of_its_firmware(
    tmp_path: Path, of_cst: bool
) -> None:
    dump = DUMPED.replace("desc:MWAIT", "desc:ACPI FFH MWAIT") if of_cst else DUMPED
    register = "ResourceTemplate () {Register (SystemIO, 8, 0, 1, 0x414)}"
    cst = f"Name (_CST, Package () {{1, Package () {{{register}, 3, 77, 1000}}}})"
    device = f'Device (\\_SB.C0) {{ Name (_HID, "ACPI0007") Name (_UID, 0) {cst} }}'
    top = "idle-states-collection"
    files = {
        f"{top}/cpuidle.txt": dump.encode(),
        f"{top}/acpi-tables.bin": acpi.compiled(acpi.block(device)),
    }
    archive = tmp_path / "machine.tar"
    archive.write_bytes(archived(*files.items()))
    found = read_back(str(archive), tmp_path)
    # intel_idle's own states are not firmware's
    expected = [77_000] if of_cst else [2000, 133_000]
    assert [each.latency_ns for each in found.states] == expected
    assert (f"{archive}:acpi" in found.note) is of_cst
