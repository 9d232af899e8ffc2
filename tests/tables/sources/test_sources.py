"""Formats of a TABLE: told by content, each in a module of its own; dumps of sysfs and archives."""

import gzip
import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model import power_mgt as dt
from idle_states.base.model.findings import Finding, Unreadable
from idle_states.base.model.table import IdleTable
from idle_states.cli import main
from idle_states.tables.check.check import check
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.devicetree import archive, fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.diff.tables import diff
from idle_states.tables.linux import log as linux_log
from idle_states.tables.linux import register
from idle_states.tables.linux.releases import release
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot import log as opal_log
from idle_states.tables.skiboot.export import export
from idle_states.tables.skiboot.platform import parse_platform
from idle_states.tables.sources import formats, read_source, read_sources, source
from idle_states.tables.spec.library import find
from tests.base.report.test_output_schema import STRICT, Validator
from tests.support import DATA, acpi
from tests.support.thorough import examples

TRACES = DATA / "traces"
DUMP = TRACES / "mt8196-teo.sysfs-before.txt"
KERNEL = release("6.1")
CRITERIA = Criteria((KERNEL,))
PLATFORM = parse_platform("all-levels")

TREE = Node(
    "",
    {"compatible": b"ibm,powernv\0"},
    (
        Node("cpus", {}, (Node("PowerPC,POWER9@0", {"cpu-version": dt.u32_array([0x4E1202])}),)),
        Node(
            "ibm,opal",
            {},
            (Node("power-mgt", dt.encode(find("power9").states, find("power9").register)),),
        ),
    ),
)


def sysfs(rows: Iterable[tuple[str, int, int]], cpus: Iterable[int] = (0,), more: str = "") -> str:
    return more + "".join(
        f"/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{number}/{attribute}:{value}\n"
        for cpu in cpus
        for number, (name, latency, residency) in enumerate(rows)
        for attribute, value in (
            ("desc", name),
            ("disable", 0),
            ("latency", latency),
            ("name", name),
            ("residency", residency),
            ("usage", 7),
        )
    )


POWER9 = [("snooze", 0, 0), ("stop0_lite", 1, 10), ("stop1", 5, 50)]


def written(directory: Path, content: str | bytes, name: str = "input") -> str:
    path = directory / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def table_of(path: str) -> IdleTable:
    table = read_source(path).table
    assert table
    return table


def refused(path: str) -> Finding:
    with pytest.raises(Unreadable) as caught:
        read_sources(path)
    (finding,) = caught.value.findings
    assert finding.message.startswith("expected")
    assert "\n" not in finding.message
    return finding


# the registry


@pytest.mark.parametrize("name", formats.FORMATS)
def test_format_has_what_the_registry_asks_for(name: str, tmp_path: Path) -> None:
    module = formats.format_module(name)
    assert module.__doc__
    assert module.recognises(b"", tmp_path / "nothing") is False
    assert callable(module.read)


def test_every_format_is_in_the_registry() -> None:
    directory = Path(formats.__file__).parent
    assert {f"format_{name}" for name in formats.FORMATS} == {
        file.stem for file in directory.glob("format_*.py")
    }


def test_no_reader_is_imported_before_it_is_needed() -> None:
    program = "import idle_states.tables.sources, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "idle_states.tables.sources.formats" in loaded
    assert not loaded & {
        "tarfile",
        "jinja2",
        "idle_states.tables.devicetree.fdt",
        "idle_states.tables.devicetree.archive",
        "idle_states.tables.skiboot.c_table",
        "idle_states.base.reading.sysfs",
        "idle_states.tables.linux.powernv",
    }


CONTENTS = {
    "acpi": acpi.table("SSDT", b"\x08_UID\x01"),
    "dtb": fdt.write(TREE),
    "sysfs": sysfs(POWER9),
    "dts": "/* a comment */\n/dts-v1/;\n/ { };\n",
    "c": "static struct cpu_idle_states a_cpu_idle_states[] = {};",
    "spec": "name: mine\nextends: power9\n",
}


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("suffix", ["", ".txt", ".dts", ".c", ".dtb", ".tar"])
def test_kind_is_told_by_content_not_by_name(name: str, suffix: str, tmp_path: Path) -> None:
    content = CONTENTS[name]
    path = Path(written(tmp_path, content, f"input{suffix}"))
    data = path.read_bytes()
    found = [f for f in formats.FORMATS if formats.format_module(f).recognises(data, path)]
    assert found[0] == name


def test_unknown_binary_is_refused(tmp_path: Path) -> None:
    assert "unknown binary format" in refused(written(tmp_path, b"\0\1\2" * 100)).message


# dumps of sysfs


def test_dump_is_a_table_of_what_the_kernel_holds(tmp_path: Path) -> None:
    path = written(tmp_path, sysfs(POWER9))
    table = table_of(path)
    assert [state.values()[:3] for state in table.states] == [
        ("stop0_lite", 1000, 10_000),
        ("stop1", 5000, 50_000),
    ]
    assert table.origin.form == "sysfs"
    assert [state.name for state in table.origin.states] == ["snooze", "stop0_lite", "stop1"]
    line = table.states[0].where["latency"].line
    assert line
    assert sysfs(POWER9).splitlines()[line - 1].endswith("cpu0/cpuidle/state1/latency:1")
    driver = register(None, find("power9").cpu, KERNEL, table)  # type: ignore[arg-type]
    assert [(s.index, s.name, s.source) for s in driver.states] == [
        (0, "snooze", None),
        (1, "stop0_lite", 0),
        (2, "stop1", 1),
    ]


@pytest.mark.parametrize(("kernel", "polls"), [("6.1", False), ("6.6", True)])
def test_kernel_decides_what_sysfs_does_not_show(kernel: str, polls: bool, tmp_path: Path) -> None:
    table = table_of(written(tmp_path, sysfs(POWER9)))
    driver = register(None, find("power9").cpu, release(kernel), table)  # type: ignore[arg-type]
    assert driver.states[0].polling is polls


def test_first_state_is_a_row_unless_it_is_the_kernels_own(tmp_path: Path) -> None:
    assert len(table_of(written(tmp_path, sysfs([("Shared Cede", 0, 0)]))).states) == 1
    for name in ("snooze", "POLL", "WFI"):
        rows = [(name, 1, 1), ("C1", 2, 2), (name, 3, 3)]
        assert len(table_of(written(tmp_path, sysfs(rows))).states) == 2


def test_cpus_with_the_same_states_share_a_table(tmp_path: Path) -> None:
    other = [POWER9[0], ("nap", 9, 99)]
    path = written(tmp_path, sysfs(POWER9, (0, 2, 3)) + sysfs(other, (1, 4)))
    sources = read_sources(path)
    assert [source.name for source in sources] == ["cpu0", "cpu1"]
    origins = [source.table.origin for source in sources if source.table]
    assert [origin.cpus for origin in origins if origin.form == "sysfs"] == [
        (0, 2, 3),
        (1, 4),
    ]
    assert table_of(f"{path}:cpu1").states[0].name == "nap"


def test_real_dump() -> None:
    sources = read_sources(str(DUMP))
    held = [source.table.origin for source in sources if source.table]
    assert [(len(one.states), one.cpus, one.driver) for one in held if one.form == "sysfs"] == [
        (4, (0, 1, 2, 3), "psci_idle"),
        (4, (4, 5, 6), "psci_idle"),
        (4, (7,), "psci_idle"),
    ]
    found = {(f.rule, f.table) for f in check(sources, CRITERIA)}
    assert ("IS203", "cpu0") in found
    assert {rule for rule, _ in found} <= {"IS203", "IS210", "IS403", "IS429", "IS430"}


@pytest.mark.parametrize("where", ["before", "after"])
def test_wider_grep_is_read_too(where: str, tmp_path: Path) -> None:
    general = (
        "/sys/devices/system/cpu/cpuidle/current_driver:powernv_idle\n"
        "/sys/devices/system/cpu/cpuidle/available_governors:menu teo\n"
        "/sys/devices/system/cpu/cpu0/cpuidle/state1/s2idle/time:0\n"
    )
    text = general + sysfs(POWER9) if where == "before" else sysfs(POWER9) + general
    assert table_of(written(tmp_path, text)).states[0].name == "stop0_lite"


def test_packed_dump_is_read_alike(tmp_path: Path) -> None:
    plain, packed = sysfs(POWER9), gzip.compress(sysfs(POWER9).encode())
    assert table_of(written(tmp_path, packed, "a.gz")) == table_of(written(tmp_path, plain, "b"))


def rules_of(path: str) -> set[str]:
    return {code for finding in check(read_sources(path), CRITERIA) for code in finding.rules}


def test_rules_about_times_run_and_others_do_not(tmp_path: Path) -> None:
    free = [POWER9[0], ("a", 0, 0)]
    assert rules_of(written(tmp_path, sysfs(free))) == {"IS215", "IS401", "IS402"}
    tie = [POWER9[0], ("a", 10, 90), ("b", 10, 90)]
    assert rules_of(written(tmp_path, sysfs(tie))) == {"IS203", "IS205", "IS209", "IS403"}
    assert rules_of(written(tmp_path, sysfs(POWER9))) == set()


def test_polling_override_is_found_in_a_dump(tmp_path: Path) -> None:
    source = read_source(written(tmp_path, sysfs(POWER9)))
    (found,) = check([source], Criteria((release("6.6"),)))
    assert found.rule == "IS420"
    assert "because snooze polls" in found.message


def test_the_polling_state_has_the_name_that_the_kernel_holds(tmp_path: Path) -> None:
    text = sysfs(POWER9).replace("snooze", "POLL")
    (found,) = check([read_source(written(tmp_path, text))], Criteria((release("6.6"),)))
    assert "because POLL polls" in found.message


@pytest.mark.parametrize("below", ["", "cpu0/cpuidle", "cpuidle"])
def test_a_directory_of_sysfs_is_told_how_it_is_read(below: str, tmp_path: Path) -> None:
    state = tmp_path / below / "state0"
    state.mkdir(parents=True)
    (state / "name").write_text("POLL\n")
    with pytest.raises(Unreadable, match=r"found cpuidle's sysfs, .* grep -r \."):
        read_source(str(tmp_path))


@pytest.mark.parametrize("kernel", ["4.11", "6.1", "6.19"])
@pytest.mark.parametrize("name", ["power9", "power10", "power9-dd1@84368bbf8", "power8"])
def test_dump_of_a_kernel_differs_in_nothing_from_its_table(
    kernel: str, name: str, tmp_path: Path
) -> None:
    source = read_source(name)
    assert source.table
    cpu = source.table.cpu
    assert cpu
    states = register(export(source.table, PLATFORM).node, cpu, release(kernel)).states
    rows = [(s.name, s.exit_latency_us, s.target_residency_us) for s in states]
    dump = read_source(written(tmp_path, sysfs(rows)))
    assert diff(source, dump, [release(kernel)], PLATFORM) == []
    rows[1] = (rows[1][0], rows[1][1] + 1, rows[1][2])
    dump = read_source(written(tmp_path, sysfs(rows)))
    (found,) = diff(source, dump, [release(kernel)], PLATFORM)
    assert (found.stage, found.path) == (f"linux {kernel}", f"states.{rows[1][0]}")


def test_show_and_select_take_a_dump(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, sysfs(POWER9, cpus=(0, 5)))
    assert main(["show", path, "--kernel", "6.1"]) == 0
    text = capsys.readouterr().out
    assert "holds 3 states: snooze, stop0_lite and stop1; snooze is 0/0 us" in text
    assert "register are unknown" in text
    assert "offlines" not in text
    assert "idle-states why explains the use of each state" in text
    assert main(["show", path, "--kernel", "6.1", "--format", "json"]) == 0
    state = json.loads(capsys.readouterr().out)["table"]["states"][0]
    assert (state["flags"], state["control"], state["mask"]) == (None, None, None)
    assert (state["latency_ns"], state["residency_ns"]) == (1000, 10_000)
    assert main(["select", path, "--governor", "menu", "--kernel", "6.1"]) == 0
    assert "stop1" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        "show {0} --kernel 6.1",
        "check {0} --kernel 6.6",
        "diff {0} power9 --kernel 6.1",
        "select {0} --governor teo --kernel 6.6",
        "show {1} --kernel 6.1 --kernel 3.17",
        "check {1} --kernel 6.1",
        "diff {1} {1} --kernel 6.1",
    ],
)
def test_json_is_as_its_schema_says(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arm = Node(
        "",
        {},
        (
            Node("cpus", {}, (Node("cpu@0", {"cpu-idle-states": dt.u32_array([1, 1, 9])}),)),
            Node("sleep", {"phandle": dt.u32_array([1]), "min-residency-us": b"\xff" * 4}),
        ),
    )
    files = [written(tmp_path, sysfs(POWER9), "dump"), written(tmp_path, fdt.write(arm), "arm")]
    assert main([*(word.format(*files) for word in command.split()), "--format", "json"]) in (0, 1)
    document = json.loads(capsys.readouterr().out)
    assert [error.message for error in Validator(STRICT).iter_errors(document)] == []


def test_state_that_is_switched_off_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = sysfs(POWER9).replace("state2/disable:0", "state2/disable:1")
    path = written(tmp_path, text)
    assert main(["show", path, "--kernel", "6.1"]) == 0
    assert "it was switched off" in capsys.readouterr().out
    assert main(["select", path, "--kernel", "6.1"]) == 0
    assert "5/50 us off" in capsys.readouterr().out


BAD_DUMPS: dict[str, Callable[[str], str]] = {
    "cut in a line": lambda text: text[:-30],
    "no number": lambda text: text.replace("latency:5", "latency:fast"),
    "a negative": lambda text: text.replace("latency:5", "latency:-5"),
    "no number at all": lambda text: text.replace("latency:5", "latency:"),
    "a state left out": lambda text: text.replace("state1/", "state5/"),
    "a name left out": lambda text: text.replace("state1/name:", "state1/desc:"),
    "state beyond all": lambda text: text.replace("state2/", "state999/"),
    "another line": lambda text: text + "grep: permission denied\n",
    "CPU beyond all": lambda text: text.replace("cpu0/", "cpu99999/"),
    "only the driver": lambda text: "/sys/devices/system/cpu/cpu0/cpuidle/driver/name:x\n",
    "digits without end": lambda text: text.replace("latency:5", "latency:" + "9" * 5000),
    "a line without end": lambda text: text + "x" * 100_000,
}


@pytest.mark.parametrize("spoil", BAD_DUMPS.values(), ids=BAD_DUMPS)
def test_bad_dump_is_refused_in_a_line(spoil: Callable[[str], str], tmp_path: Path) -> None:
    assert refused(written(tmp_path, spoil(sysfs(POWER9)))).rule == "IS930"


def test_empty_file_is_refused(tmp_path: Path) -> None:
    assert refused(written(tmp_path, "")).rule == "IS910"


def test_empty_dump_is_refused(tmp_path: Path) -> None:
    text = "/sys/devices/system/cpu/cpu0/cpuidle/driver/name:x\n"
    assert "found none" in refused(written(tmp_path, text)).message


@settings(deadline=None, max_examples=examples(37, 150))
@given(cut=st.integers(0, 2000), byte=st.integers(0, 255))
def test_damaged_dump_is_read_or_refused(
    cut: int, byte: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = bytearray(sysfs(POWER9).encode())
    data[cut % len(data)] = byte
    path = written(tmp_path_factory.getbasetemp(), bytes(data), "damaged")
    with suppress(Unreadable):
        for source in read_sources(path):
            check([source], CRITERIA)


# archives of /proc/device-tree


def tar_of(
    root: Node, prefix: str = "", mode: str = "w", extra: Iterable[tarfile.TarInfo] = ()
) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as tar:  # type: ignore[call-overload]
        for path, node in root.walk():
            base = f"{prefix}{path}" if prefix else f".{path}"
            directory = tarfile.TarInfo(base)
            directory.type = tarfile.DIRTYPE
            tar.addfile(directory)
            for name, value in node.properties.items():
                member = tarfile.TarInfo(f"{base.rstrip('/')}/{name}")
                member.size = len(value)
                tar.addfile(member, io.BytesIO(value))
        for member in extra:
            tar.addfile(member, io.BytesIO(bytes(member.size)) if member.isreg() else None)
    return made.getvalue()


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize(
    "prefix", ["", "proc/device-tree", "/proc/device-tree", "sys/firmware/devicetree/base", "a/b"]
)
def test_archive_is_the_tree(prefix: str, mode: str, tmp_path: Path) -> None:
    tree = table_of(written(tmp_path, fdt.write(TREE), "a.dtb"))
    packed = table_of(written(tmp_path, tar_of(TREE, prefix, mode), "a.tar"))
    assert packed.same_values(tree)
    assert (packed.cpu, packed.name) == (tree.cpu, tree.name)
    assert packed.read_from.kind == "tar"


def test_archive_of_the_node_alone(tmp_path: Path) -> None:
    node = TREE.find(dt.NODE)
    assert node
    data = tar_of(Node("", {}, (node,)))
    assert table_of(written(tmp_path, data)).same_values(find("power9"))


def archived(*files: tuple[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, value in files:
            info = tarfile.TarInfo(name)
            info.size = len(value)
            tar.addfile(info, io.BytesIO(value))
    return made.getvalue()


def tree_files(prefix: str, root: Node = TREE) -> list[tuple[str, bytes]]:
    return [
        (f"{prefix}{path.rstrip('/')}/{name}", value)
        for path, node in root.walk()
        for name, value in node.properties.items()
    ]


@pytest.mark.parametrize(
    ("prefix", "beside"),
    [
        ("host1/device-tree", "host1/README"),
        ("host1/sys/firmware/devicetree/base", "host1/README"),
        ("host1/tree", "README"),
        ("a/device-tree", "a/b/device-tree/compatible"),
        ("a/device-tree", "b/c/device-tree/compatible"),
        ("a/device-tree", "a/README"),
        ("a/b/device-tree", "a/cpus/0"),
    ],
)
def test_root_of_a_tree_with_things_beside_it(prefix: str, beside: str, tmp_path: Path) -> None:
    """README and others may come first or last."""
    files = [*tree_files(prefix), (beside, b"x")]
    for ordered in (files, files[::-1]):
        root = archive.read(archived(*ordered), "a.tar")
        assert root.find(dt.NODE)
        (source,) = read_sources(str(written(tmp_path, archived(*ordered), "a.tar")))
        assert source.name == dt.NODE
        assert source.table
        assert source.table.cpu
        assert source.table.cpu.generation == "power9"


def test_two_trees_beside_each_other_are_refused(tmp_path: Path) -> None:
    data = archived(*tree_files("host1/device-tree"), *tree_files("host2/device-tree"))
    message = refused(written(tmp_path, data)).message
    assert message == ("expected one device tree, found 2: host1/device-tree, host2/device-tree")


@pytest.mark.parametrize("folder", ["", "fleet/"])
def test_an_archive_of_sources_is_no_tree_without_idle_states(folder: str, tmp_path: Path) -> None:
    blob = b"/dts-v1/;\n/ { };\n"
    data = archived((f"{folder}a.dts", blob), (f"{folder}b.dts", blob), (f"{folder}README", b"x"))
    message = refused(written(tmp_path, data)).message
    assert f"found 2 files to be read by themselves, '{folder}a.dts' first" in message
    packed = archived((f"{folder}machine.tar", archived(*tree_files("device-tree"))))
    assert "found 1 file to be read by itself" in refused(written(tmp_path, packed)).message


def member(name: str, kind: bytes = tarfile.REGTYPE, **values: object) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type = kind
    for key, value in values.items():
        setattr(made, key, value)
    return made


BAD_MEMBERS = {
    "a link": member("./x", tarfile.SYMTYPE, linkname="/etc/passwd"),
    "a hard link": member("./x", tarfile.LNKTYPE, linkname="./compatible"),
    "a device": member("./x", tarfile.CHRTYPE),
    "a block device": member("./x", tarfile.BLKTYPE),
    "a pipe": member("./x", tarfile.FIFOTYPE),
    "above": member("../../etc/x"),
    "above by detour": member("./a/../../x"),
    "an odd name": member("./a\nb"),
    "a name twice": member("./compatible"),
    "a node like a property": member("./compatible/x"),
    "a property like a node": member("./cpus"),
    "too deep": member("/".join("a" * 100)),
    "a name too long": member("./" + "a" * 300),
}


@pytest.mark.parametrize("extra", BAD_MEMBERS.values(), ids=BAD_MEMBERS)
def test_what_no_device_tree_has_is_refused(extra: tarfile.TarInfo, tmp_path: Path) -> None:
    finding = refused(written(tmp_path, tar_of(TREE, extra=[extra])))
    assert finding.rule in ("IS930", "IS931")
    assert all(" " <= char <= "~" for char in finding.location.path)


def test_link_says_how_to_archive_instead(tmp_path: Path) -> None:
    link = member("proc/device-tree", tarfile.SYMTYPE, linkname="/sys/firmware/devicetree/base")
    finding = refused(written(tmp_path, tar_of(Node(""), extra=[link])))
    assert "tar -C /proc/device-tree -cf FILE ." in finding.message


def test_limits_of_archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ENTRIES", 5)
    assert "at most 5 files" in refused(written(tmp_path, tar_of(TREE))).message
    monkeypatch.undo()
    monkeypatch.setattr(archive, "MAX_BYTES", 100)
    assert "at most 100 bytes" in refused(written(tmp_path, tar_of(TREE))).message
    monkeypatch.undo()
    monkeypatch.setattr(source, "MAX_UNPACKED_BYTES", 4096)
    for mode in ("w:gz", "w:bz2", "w:xz"):
        message = refused(written(tmp_path, tar_of(TREE, mode=mode))).message
        assert "at most 4096 bytes unpacked" in message


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_archive_that_is_cut_off(mode: str, tmp_path: Path) -> None:
    whole = tar_of(TREE, mode=mode)
    data = whole[: 1024 + 100] if mode == "w" else whole[:-20]
    assert refused(written(tmp_path, data)).rule in ("IS930", "IS931")


@settings(deadline=None, max_examples=examples(50, 100))
@given(at=st.integers(0, 20_000), byte=st.integers(0, 255), cut=st.booleans())
def test_damaged_archive_is_read_or_refused(
    at: int, byte: int, cut: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = bytearray(tar_of(TREE))
    at %= len(data)
    data[at] = byte
    path = written(tmp_path_factory.getbasetemp(), bytes(data[:at] if cut else data), "damaged.tar")
    with suppress(Unreadable):
        for source in read_sources(path):
            assert source.table or source.findings


def skiboot_source(top: Path) -> Path:
    """A tree of skiboot's shape whose row leans on a macro of a header."""
    (top / "hw").mkdir(parents=True)
    (top / "include").mkdir()
    text = c_table.write([find("power9")])
    assert ".latency_ns = 1000," in text
    (top / "hw/slw.c").write_text(text.replace(".latency_ns = 1000,", ".latency_ns = LITE_NS,"))
    (top / "hw/slw-p8.c").write_text(c_table.write([find("power8")]))
    (top / "hw/other.c").write_text("int other;\n")
    (top / "include/slw.h").write_text("#define LITE_NS 1000\n")
    return top


def test_a_whole_skiboot_tree_is_one_source_of_tables(tmp_path: Path) -> None:
    top = skiboot_source(tmp_path / "skiboot")
    found = read_sources(str(top))
    assert [(source.name, source.file) for source in found] == [
        ("power9_cpu_idle_states", f"{top}/hw/slw.c"),
        ("power8_cpu_idle_states", f"{top}/hw/slw-p8.c"),
    ]
    assert found[0].table
    assert found[0].table.same_values(find("power9"))
    assert read_source(f"{top}:power8_cpu_idle_states").table
    (top / "include/slw.h").unlink()
    with pytest.raises(Unreadable):
        read_sources(str(top))


# logs


def test_messages_of_a_boot_are_kept_to_a_number_and_the_rest_counted() -> None:
    kept = opal_log.MESSAGES_MAX
    text = "Linux version 6.1\n\nother\n" + "cpuidle-powernv: x\n" * (kept + 7)
    (linux,) = linux_log.read(text + "cpuidle: using governor teo\n")
    assert (len(linux.messages), linux.more, linux.governor) == (kept, 8, "teo")
    assert [linux.messages[0].line, linux.messages[-1].line] == [4, kept + 3]
    (opal,) = opal_log.read("[    1.123456789,5] SLW: Enabling: stop0\n" * (kept + 7))
    assert (len(opal.messages), len(opal.enabled), opal.more) == (kept, kept, 7)


def test_the_last_boots_are_kept() -> None:
    text = "".join(f"Linux version 6.{number}\n" for number in range(100))
    versions = [boot.version for boot in linux_log.read(text)]
    assert versions == [f"6.{number}" for number in range(100 - opal_log.BOOTS_MAX, 100)]


def test_lines_behind_the_limit_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opal_log, "LINES_MAX", 3)
    (boot,) = linux_log.read("Linux version 6.1\n" + "cpuidle-powernv: x\n" * 10)
    assert (len(boot.messages), boot.more) == (2, 8)


def test_bytes_and_text_are_read_alike() -> None:
    text = "[ 1.0] cpuidle-powernv: \u20ac\n" + "\u20ac" * 100 + "\nInvalid psscr 0x1 : no\n"
    assert linux_log.read(text) == linux_log.read(text.encode())
    assert [message.line for message in linux_log.read(text)[0].messages] == [1, 3]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.c", "int main(void)\n{\n\treturn 0;\n}\n", "an array of struct cpu_idle_states"),
        ("a", "#include <stdio.h>\nstatic int x[] = { 1 };\n", "an array of struct cpu_idle"),
        (
            "a.asl",
            '/* x */\nDefinitionBlock ("", "SSDT", 2, "A", "B", 1)\n{\n}\n',
            "found their source; run iasl on it",
        ),
        ("Makefile", "PYTHON ?= python3\n\nname: x\n", "found a text of another kind"),
        ("README.md", "# T\n\nSome words: more.\n\nname: mine\n", "found a text of another kind"),
    ],
)
def test_the_wrong_kind_of_text_is_said_to_be_that(
    name: str, text: str, expected: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(Unreadable) as caught:
        read_sources(str(file))
    (finding,) = caught.value.findings
    assert finding.rule == "IS930"
    assert expected in finding.message


@pytest.mark.parametrize(
    "text", ["nmae: mine\n", "{name: mine}\n", "# x\n---\n'name': mine\n", "\n  name: mine\n"]
)
def test_what_may_be_a_spec_is_told_what_is_wrong_with_it(text: str, tmp_path: Path) -> None:
    file = tmp_path / "mine"
    file.write_text(text)
    (source,) = read_sources(str(file))
    assert {finding.rule for finding in source.findings} >= {"IS921"}


def test_a_skiboot_tree_without_tables_is_not_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A change of the struct's name would make such a tree, for a check of what the repository
    has."""
    for folder in ("include", "hw", ".git"):
        (tmp_path / folder).mkdir()
    (tmp_path / "hw/slw.c").write_text("struct idle_row table[] = { { .latency_ns = 200 } };\n")
    monkeypatch.chdir(tmp_path)
    for words in (["check"], ["check", "."], ["audit", "."]):
        assert main(words) == 3
        ran = capsys.readouterr()
        assert "expected arrays of struct cpu_idle_states in hw/, found none" in ran.out + ran.err


def test_directory_that_is_no_device_tree(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine\n")
    with pytest.raises(Unreadable, match="expected a directory like /proc/device-tree") as caught:
        read_source(str(tmp_path))
    assert [finding.rule for finding in caught.value.findings] == ["IS930"]


@pytest.mark.parametrize("command", [["show"], ["select"], ["import"], ["diff", "power9"]])
def test_a_log_is_no_table_and_that_is_said(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    log = DATA / "trees/powernv9.log.txt"
    assert main([*command, str(log)]) == 3
    assert f"{log}: error: expected a table, found a log" in capsys.readouterr().err
