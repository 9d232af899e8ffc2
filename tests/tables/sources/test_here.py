"""Tests of what check looks at when no TABLE, or a directory, is named."""

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable, UsageError
from idle_states.base.reading import limits
from idle_states.cli import main
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.sources import File, read_file
from idle_states.tables.sources.here import tables_here, tables_of, tables_within
from idle_states.tables.sources.source import NoSuchTable
from idle_states.tables.sources.walk import Walk
from idle_states.tables.spec.library import find
from idle_states.tables.spec.packaged import current
from tests.support import lids

SPEC = "name: mine\nextends: power9\noverride:\n  stop1: {latency: 60us}\n"
BROKEN = "name: worse\nextends: power9\noverride: [\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str | bytes) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def generated(form: str) -> None:
    assert main(["generate", "power9", "--to", form, "-o", f"power9.{form}"]) == 0


def names() -> list[str]:
    return [source.name for source in tables_here().sources]


def test_every_form_is_found_by_its_content() -> None:
    write("specs/mine.yaml", SPEC)
    for form in ("c", "dts", "dtb"):
        generated(form)
    Path("power9.dtb").rename("blob")
    Path("power9.c").rename("table.h")
    found = tables_here()
    assert sorted(found.files) == ["blob", "power9.dts", "specs/mine.yaml", "table.h"]
    assert len(found.sources) == 4
    # as audit tells them: by content alone, and no folder of sources is a device tree
    write("model/packed.bin", gzip.compress(Path("blob").read_bytes()))
    write("model/cpus/note.txt", "")
    assert sorted(tables_here().files) == sorted([*found.files, "model/packed.bin"])
    assert {each.as_posix() for each in Walk().inputs(["."])} == set(tables_here().files)
    assert found.what.startswith("this folder: ")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("workflow.yml", "name: build\non: push\njobs: {}\n"),
        ("machine.yaml", "name: light\nstates: [red, green]\n"),
        ("other.c", "int main(void) { return 0; }\n"),
        ("guide.md", SPEC),
        ("board.dts", "/dts-v1/;\n/ { model = \"x\"; };\n"),
        ("power9@84368bbf8.yaml", SPEC),
        (".git/mine.yaml", SPEC),
        (".venv/mine.yaml", SPEC),
        ("nothing.dtb", b"\xd0\x0d\xfe\xed" + bytes(60)),
    ],
)  # fmt: skip
def test_what_is_no_table_of_today_is_passed_over(name: str, text: str | bytes) -> None:
    write(name, text)
    assert names() == list(current())
    assert tables_here().what.startswith("the packaged tables")


_WORDS = b"/sys/devices/system/cpu/cpu0/cpuidle/state0\0cpu-idle-states\0ibm,cpu-idle-state-names\0"
_EMPTY_TREE = fdt.write(Node("", {"compatible": b"unittest\0"}, ()))


@pytest.mark.parametrize("packed", [bytes, gzip.compress, lzma.compress])
@pytest.mark.parametrize(
    ("data", "audited"),
    [
        (bytes(0x38) + b"ARM\x64" + bytes(5000) + _WORDS, False),
        (bytes(0x38) + b"ARM\x64" + bytes(5000) + _WORDS + _EMPTY_TREE, True),
        (b"MZ" + bytes(5000) + _WORDS, False),
        (b"\x7fELF" + bytes(5000) + _WORDS, False),
        (b"text", False),
    ],
    ids=["Image", "Image with a tree", "bzImage", "vmlinux", "text"],
)
def test_kernels_and_whatever_is_compressed_are_passed_over(
    data: bytes, audited: bool, packed: Callable[[bytes], bytes]
) -> None:
    """They hold the words, and now and then bytes that read as a row of a table."""
    write("boot/vmlinuz", packed(data))
    assert names() == list(current())
    found = [each.as_posix() for each in Walk().inputs(["."])]
    assert found == (["boot/vmlinuz"] if audited else [])
    if packed is bytes and b"ARM" in data and not audited:
        with pytest.raises(Unreadable, match="found an unknown binary format"):
            read_file(File.open(Path("boot/vmlinuz")))


def test_an_image_of_skiboot_is_found_compressed() -> None:
    for states, words in (((), _WORDS), (find("power9").states, b"")):
        write("pnor/part", lzma.compress(lids.image(states) + words))
        assert not tables_here().files
    write("pnor/part", lzma.compress(lids.image(find("power9").states) + _WORDS))
    assert tables_here().files == ("pnor/part",)


def test_a_virtual_environment_is_passed_over() -> None:
    write("env/pyvenv.cfg", "home = /usr/bin\n")
    write("env/lib/python3.11/site-packages/idle_states/tables/specs/mine.yaml", SPEC)
    assert names() == list(current())


def test_a_repository_is_looked_at_as_a_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(".git/HEAD", "ref: refs/heads/main\n")
    write("specs/mine.yaml", SPEC)
    write("deep/below/notes", "")
    monkeypatch.chdir("deep/below")
    assert names() == ["mine"]
    assert tables_here().what == "this repository: ../../specs/mine.yaml"
    monkeypatch.chdir(folder)
    Path(".git/HEAD").unlink()
    Path(".git").rmdir()
    monkeypatch.chdir("deep/below")
    assert names() == list(current())


def test_a_skiboot_is_one_input(capsys: pytest.CaptureFixture[str]) -> None:
    generated("c")
    Path("hw").mkdir()
    Path("include").mkdir()
    Path("power9.c").rename("hw/slw.c")
    text = Path("hw/slw.c").read_text("utf-8")
    write("hw/other.yaml", SPEC)
    assert main(["check"]) == 0
    printed = capsys.readouterr()
    assert "idle-states: looked at this folder: hw/slw.c\n" in printed.err
    row = text.index(".latency_ns = 1000,")
    Path("hw/slw.c").write_text(
        text[:row] + text[row:].replace(".latency_ns = 1000,", ".latency_ns = 0,", 1)
    )
    assert main(["check"]) == 1
    assert "hw/slw.c:" in (out := capsys.readouterr().out)
    assert "exit latency of 0 [IS215 zero-time]" in out


def test_one_file_that_cannot_be_read_does_not_hide_the_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write("mine.yaml", SPEC)
    write("worse.yaml", BROKEN)
    assert main(["check", "--format", "json"]) == 3
    document = json.loads(capsys.readouterr().out)
    found = {(each["location"]["file"], each["rule"]) for each in document["findings"]}
    assert {file for file, _ in found} >= {"mine.yaml", "worse.yaml"}
    assert main(["check", "mine.yaml"]) == 0


def test_directories_may_be_named() -> None:
    write("specs/mine.yaml", SPEC)
    write("specs/deeper/other.yaml", SPEC.replace("mine", "other"))
    assert [source.name for source in tables_of(["specs"]).sources] == ["mine", "other"]
    assert [source.name for source in tables_of(["specs/deeper", "power8"]).sources] == [
        "other",
        "power8",
    ]
    assert main(["check", "."]) == 0
    Path("empty").mkdir()
    assert main(["check", "empty"]) == 3


@pytest.mark.parametrize("form", ["yaml", "c", "dtb"])
def test_standard_input_is_read_whatever_it_holds(
    form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    generated(form)
    with Path(f"power9.{form}").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        (source,) = tables_of(["-"]).sources
    assert source.file == "-"
    assert source.table is not None
    assert len(source.table.states) >= 5


def test_too_many_files_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FOLDER_ENTRIES", 10)
    for number in range(11):
        write(f"a/{number}", "")
    with pytest.raises(UsageError, match="expected at most 10 files"):
        tables_of(["."])
    Path(".git").mkdir()
    with pytest.raises(UsageError, match="expected at most 10 files"):
        tables_here()


def test_too_many_tables_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FOLDER_TABLES", 2)
    for number in range(3):
        write(f"a/{number}.yaml", SPEC.replace("mine", f"mine{number}"))
    with pytest.raises(UsageError, match=r"at most 2 tables.*name fewer directories"):
        tables_of(["."])
    Path("a/2.yaml").unlink()
    assert len(tables_of(["."]).sources) == 2


def test_a_directory_with_too_many_entries_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "DIRECTORY_ENTRIES", 10)
    for number in range(11):
        write(f"a/{number}", "")
    write("specs/mine.yaml", SPEC)
    assert names() == ["mine"]


def test_links_lead_nowhere(tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("other") / "secret.yaml"
    secret.write_text(SPEC)
    Path("link.yaml").symlink_to(secret)
    Path("links").symlink_to(secret.parent)
    assert names() == list(current())
    for name in ("link.yaml", "links", "../other", "missing"):
        with pytest.raises((NoSuchTable, OSError)):
            tables_within(Path(), [name])


def test_a_folder_that_may_be_anything_is_searched_within_bounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "STRAY_ENTRIES", 10)
    write("a/mine.yaml", SPEC)
    for number in range(20):
        write(f"b/{number}/x/{number}.txt", "")
    write("c/other.yaml", SPEC.replace("mine", "other"))
    found = tables_here()
    assert names() == ["mine"]
    assert found.what == (
        "this folder: a/mine.yaml; not searched: b/ and c/ (more than 10 entries); name "
        "the file or folder"
    )
    Path("a/mine.yaml").unlink()
    assert tables_here().what.startswith(
        "the packaged tables, because this folder has none where it was searched; not searched: b/"
    )
    # of a repository all of it is meant, and so is what is named
    assert [source.name for source in tables_of(["."]).sources] == ["other"]
    Path(".git").mkdir()
    assert names() == ["other"]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("gone/mine.yaml", "'gone/mine.yaml'; there is no folder 'gone'"),
        ("specs/mime.yaml", "'specs/mime.yaml'; did you mean 'specs/mine.yaml'?"),
        ("specs/mine.yml", "'specs/mine.yml'; did you mean 'specs/mine.yaml'?"),
        ("power8.yaml", "expected a file, found none of that name: 'power8.yaml'"),
        ("powre9", "expected a revision (see idle-states list) or a file, found 'powre9'; did you"),
    ],
)
def test_a_name_of_nothing_is_answered_by_what_there_is(word: str, said: str) -> None:
    write("specs/mine.yaml", SPEC)
    write("other.dtb", b"")
    with pytest.raises(NoSuchTable) as found:
        tables_of([word])
    assert said in str(found.value)
    assert "other.dtb" not in str(found.value)
