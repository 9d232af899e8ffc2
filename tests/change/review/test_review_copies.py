"""Reviews of commits of few objects and many paths."""

import pytest

from idle_states.base.reading import limits
from idle_states.base.reading.git.repository import Repository
from idle_states.cli import main
from tests.support.git_history import History
from tests.support.reviewed import AFTER, BEFORE, c_of, reviewed, rules, run, spec

SLOW = spec("base", "extends: power9\noverride:\n  stop0: {latency: 300ns}\n")


def multiplied(history: History, tree: str, levels: int, fan: int) -> str:
    """A commit on HEAD that has a tree fan ** levels times; the tree is one of HEAD's."""
    made = history.git("rev-parse", f"HEAD:{tree}")
    listing = history.directory / ".git/listing"
    for _ in range(levels):
        held = (b"40000 d%d\0" % n + bytes.fromhex(made) for n in sorted(range(fan), key=str))
        listing.write_bytes(b"".join(held))
        made = history.git("hash-object", "-t", "tree", "-w", str(listing))
    name = b"40000 zz\0" + bytes.fromhex(made)
    top = history.git("rev-parse", "HEAD^{tree}")
    old = Repository(history.directory)
    listing.write_bytes(old._object(top, "tree", 1 << 20, "x") + name)
    old.close()
    top = history.git("hash-object", "-t", "tree", "-w", str(listing))
    return history.git("commit-tree", "-p", "HEAD", "-m", "Many", top)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The objects that are read, each as often as it is."""
    found: list[str] = []
    read = Repository._object

    def counted(self: Repository, name: str, *words: object) -> bytes:
        found.append(name)
        return read(self, name, *words)  # type: ignore[arg-type]

    monkeypatch.setattr(Repository, "_object", counted)
    return found


@pytest.mark.parametrize(("levels", "fan"), [(2, 100), (20, 10)])
def test_copies_of_a_table_are_judged_once(
    levels: int, fan: int, history: History, asked: list[str]
) -> None:
    history.commit({"hw/slw.c": c_of(BEFORE), "more/slw.c": c_of(AFTER)}, "First")
    base = history.git("rev-parse", "HEAD")
    history.commit({"hw/slw.c": c_of(AFTER)}, "Second")
    head = multiplied(history, "more", levels, fan)
    del asked[:]
    found = reviewed(history, f"{base}..{head}")
    (change,) = found.changes
    files = [table.source.file for table in change.tables]
    assert files[0] == "hw/slw.c"
    assert len(files) == 2
    assert files[1].endswith("d0/slw.c")
    assert found.remarks == (
        f"{files[1]} is reviewed for the {fan**levels - 1:,} other paths with the same content",
    )
    assert len(asked) < 100


@pytest.mark.parametrize("copies", ["spec", "other"])
def test_copies_of_specs_are_judged_once(
    copies: str, history: History, asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Copies that lie beside the same files count as one."""
    files = {"specs/base.yaml": spec("base", "extends: power9\n"), "other/x.txt": "x"}
    history.commit({**files, "many/base.yaml" if copies == "spec" else "many/x.txt": SLOW})
    base = history.git("rev-parse", "HEAD")
    history.commit({"specs/base.yaml": SLOW})
    head = multiplied(history, "many", 20, 10)
    del asked[:]
    found = reviewed(history, f"{base}..{head}", specs=True)
    (change,) = found.changes
    tables = change.tables
    assert [t.source.name for t in tables] == ["base"] * (2 if copies == "spec" else 1)
    assert all("IS201" in rules(table.outcome.new) for table in tables)
    assert len(found.remarks) == (copies == "spec")
    assert len(asked) < 150
    status, text = run(capsys, history, f"{base}..{head}", "--specs")
    assert status == 1
    said = "is reviewed for the 99,999,999,999,999,999,999 other paths"
    assert (said in " ".join(text.split())) == (copies == "spec")


def test_copies_that_change_one_by_one_are_all_looked_at(history: History) -> None:
    """All are looked at as long as they are few: else the commits between the ends are those of the
    first."""
    names = [f"hw/copy{n}.c" for n in range(3)]
    history.commit({"hw/slw.c": "", **dict.fromkeys(names, c_of(BEFORE))}, "First")
    base = history.git("rev-parse", "HEAD")
    for name in names:
        history.commit({name: c_of(AFTER)}, f"Change {name}")
    found = reviewed(history, f"{base}..", per_commit=True)
    assert [table.source.file for c in found.changes for table in c.tables] == names
    assert not found.remarks


def test_one_of_many_copies_that_changes_is_the_only_change(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "GIT_COPIES", 2)
    names = [f"hw/copy{n}.c" for n in range(5)]
    history.commit({"hw/slw.c": "", **dict.fromkeys(names, c_of(BEFORE))}, "First")
    for name in (names[0], names[3]):
        history.commit({name: c_of(AFTER)}, "Change")
        found = reviewed(history, "HEAD~1..")
        assert [t.source.file for c in found.changes for t in c.tables if t.is_changed] == [name]


def test_more_paths_than_are_listed_end_the_review_at_once(
    history: History, asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """All files of a tree of Linux are listed, since its drivers and boards may include them."""
    history.commit({"drivers/cpuidle/cpuidle.c": "x", "drivers/cpuidle/driver.c": "x"})
    head = multiplied(history, "drivers", 20, 10)
    del asked[:]
    assert main(["review", "--tree", str(history.directory), f"HEAD..{head}"]) == 3
    errors = capsys.readouterr().err
    assert "expected at most 300000 files and directories" in errors
    assert "name a directory of the repository that holds less" in errors
    assert len(asked) < 150
