"""A fleet is read within the directory that was named, whatever happens to it meanwhile."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import limits
from idle_states.base.reading.opening import Found
from idle_states.cli import main
from idle_states.tables.audit import fleet
from idle_states.tables.audit.audit import Setting, audit_path
from idle_states.tables.audit.audited import Audited
from idle_states.tables.audit.fleet import audit_all
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.sources import File, read_file
from idle_states.tables.sources.walk import Walk
from tests.support import DATA
from tests.support.releases import kernels_of

TREES = DATA / "trees"
SETTING = Setting(Criteria(kernels_of(["6.1"])))
SECRET = "hunter2"
DTS = f'/dts-v1/;\n/ {{ model = "{SECRET}"; }};\n'


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A fleet; beside it `elsewhere`, with other files of the same names."""
    top, elsewhere = tmp_path / "fleet", tmp_path / "elsewhere"
    for place in (top, elsewhere):
        (place / "b").mkdir(parents=True)
    shutil.copy(TREES / "powernv9.dtb", top / "b/tree.dtb")
    (elsewhere / "b/tree.dtb").write_text(DTS)
    return top


def replaced(path: Path, by: Path) -> None:
    """In the place of a file or a directory comes a link."""
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.symlink_to(by)


def messages(results: list[list[Audited]]) -> list[str]:
    return [finding.message for one in results for audited in one for finding in audited.findings]


@pytest.mark.parametrize("swapped", ["b", "b/tree.dtb"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_link_put_there_after_the_walk_is_not_followed(
    swapped: str, workers: int, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet, "FEW", 1)
    found = list(Walk().inputs([str(top)]))
    assert found == [Found(top, "b/tree.dtb")]
    assert [audited.states for audited in audit_path(found[0], SETTING)] != [()]
    replaced(top / swapped, top.parent / "elsewhere" / swapped)
    results = list(audit_all(found, SETTING, workers))
    assert [audited.unreadable for (audited,) in results] == [True]
    assert SECRET not in repr(results)
    assert "link" in messages(results)[0]


def test_a_link_put_there_during_the_walk_is_not_followed(top: Path) -> None:
    (top / "a.dtb").write_bytes(b"")
    walk = Walk().inputs([str(top)])
    assert next(walk) == Found(top, "a.dtb")
    replaced(top / "b", top.parent / "elsewhere/b")
    assert list(walk) == []


def device_tree(place: Path, value: str) -> None:
    (place / "t/cpus").mkdir(parents=True)
    (place / "t/model").write_text(value)


def included(place: Path, value: str) -> None:
    (place / "t").mkdir(parents=True)
    (place / "t/x.dts").write_text('/dts-v1/;\n/include/ "rest"\n')
    (place / "t/rest").write_text(f'/ {{ model = "{value}"; }};\n')


def parent(place: Path, value: str) -> None:
    (place / "t").mkdir(parents=True)
    (place / "t/x.yaml").write_text("name: x\nextends: theirs\n")
    (place / "t/theirs.yaml").write_text(f"name: theirs\n{value}: 1\n")


def skiboot(place: Path, value: str) -> None:
    (place / "t/hw").mkdir(parents=True)
    (place / "t/include").mkdir()
    (place / "t/hw/slw.c").write_text(
        f'static struct cpu_idle_states a_cpu_idle_states[] = {{ {{ .name = "{value}" }} }};'
    )


@pytest.mark.parametrize("make", [device_tree, included, parent, skiboot])
@pytest.mark.parametrize("opened_before", [True, False])
def test_what_belongs_to_an_input_is_sought_within_the_fleet(
    make: Callable[[Path, str], None], opened_before: bool, tmp_path: Path
) -> None:
    """The directory becomes a link after the input was found, or after it was opened."""
    top, elsewhere = tmp_path / "fleet", tmp_path / "elsewhere"
    make(top, "harmless")
    make(elsewhere, SECRET)
    found = [each for each in Walk().inputs([str(top)]) if "theirs" not in each.as_posix()]
    (place,) = found
    assert "harmless" in said(lambda: File.open(place))
    file = File.open(place)
    replaced(top / "t", elsewhere / "t")
    assert SECRET not in said(lambda: file if opened_before else File.open(place))


def said(opened: Callable[[], File]) -> str:
    try:
        return repr([(source, source.tree) for source in read_file(opened())])
    except Unreadable as error:
        return repr((error.findings, error.texts))


def test_a_link_within_the_fleet_is_not_followed_either(top: Path) -> None:
    (top / "link.dtb").symlink_to("b/tree.dtb")
    walk = Walk()
    assert [each.as_posix() for each in walk.inputs([str(top)])] == [f"{top}/b/tree.dtb"]
    assert walk.passed_over == {"links": 1}


@pytest.mark.slow
def test_a_deep_directory_is_left_off_soon(top: Path) -> None:
    """Each level is come to by way of all above it."""
    here = os.open(top, os.O_RDONLY)
    for _ in range(3 * limits.DIRECTORY_DEPTH):
        os.mkdir("d", dir_fd=here)
        here, above = os.open("d", os.O_RDONLY, dir_fd=here), here
        os.close(above)
    os.close(here)
    walk = Walk()
    assert [each.as_posix() for each in walk.inputs([str(top)])] == [f"{top}/b/tree.dtb"]
    assert walk.passed_over == {"directories that cannot be read": 1}


def test_a_directory_with_too_many_entries_does_not_end_the_run(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (top / "a").mkdir()
    for name in "xyz":
        (top / "a" / name).touch()
    monkeypatch.setattr(limits, "DIRECTORY_ENTRIES", 2)
    walk = Walk()
    assert [each.as_posix() for each in walk.inputs([str(top)])] == [f"{top}/b/tree.dtb"]
    assert list(walk.passed_over.values()) == [1]


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_what_was_not_searched_is_said_whatever_the_form(
    form: str, top: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "DIRECTORY_ENTRIES", 2)
    (top / "c").mkdir()
    for name in "xyz":
        (top / "c" / name).touch()
    assert main(["audit", str(top), "--format", form, "--config", "none"]) in (0, 1)
    assert "not searched: directories with more than" in capsys.readouterr().err
