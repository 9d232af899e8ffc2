"""Walks of trees and histories: bounded by distinct objects, and the same as git's own."""

import random
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable, unreadable
from idle_states.base.reading import limits
from idle_states.base.reading.git.held import HeldCommits
from idle_states.base.reading.git.repository import Repository
from idle_states.base.reading.git.trees import DIRECTORY, Entry, TreeWalker, WantedPaths, is_file
from tests.support.git_history import History
from tests.support.thorough import few

FILE = b"100644"
SUFFIXES = (".c", ".yaml")


class Made:
    """TreeWalker in memory. asked: how often each was read."""

    def __init__(self) -> None:
        self.trees: dict[str, dict[str, Entry]] = {}
        self.asked = 0
        self.walker = TreeWalker(self.read, lambda said: unreadable("x", said))

    def read(self, name: str) -> Mapping[str, Entry]:
        self.asked += 1
        return self.trees[name]

    def add(self, files: Mapping[str, str]) -> str:
        """The name of a tree with these files: path -> hash."""
        below: dict[str, dict[str, str]] = {}
        held: dict[str, Entry] = {}
        for path, content in sorted(files.items()):
            name, slash, rest = path.partition("/")
            if slash:
                below.setdefault(name, {})[rest] = content
            else:
                held[name] = FILE, content
        held |= {name: (DIRECTORY, self.add(files)) for name, files in below.items()}
        made = repr(sorted(held.items()))
        self.trees[made] = held
        return made

    def bomb(self, levels: int, fan: int, files: Mapping[str, str]) -> str:
        """A tree of fan ** levels directories that are all the same."""
        made = self.add(files)
        for level in range(levels):
            self.trees[f"{level}"] = {f"d{n}": (DIRECTORY, made) for n in range(fan)}
            made = f"{level}"
        return made


names = st.sampled_from(["a.c", "b.c", "c.yaml", "d.txt"])
paths = st.lists(st.sampled_from(["x", "y", "z"]), max_size=3).flatmap(
    lambda folder: names.map(lambda name: "/".join([*folder, name]))
)
contents = st.dictionaries(paths, st.sampled_from("12"), max_size=12)


@given(st.lists(contents, min_size=1, max_size=3), st.booleans(), st.sampled_from([1, 2, 16]))
def test_files_that_are_alike_are_found_together(
    commits: list[dict[str, str]], alone: bool, most: int
) -> None:
    made = Made()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "GIT_COPIES", most)
        found = made.walker.alike(tuple(map(made.add, commits)), SUFFIXES, alone=alone)
    wanted: dict[object, set[str]] = {}
    every = {path for files in commits for path in files if path.endswith(SUFFIXES)}
    hashes = {path: tuple(files.get(path, "") for files in commits) for path in every}
    for path in every:
        folder = path.rpartition("/")[0]
        beside = {p: hashes[p] for p in every if p.rpartition("/")[0] == folder}
        near = frozenset((p.rpartition("/")[2], each) for p, each in beside.items())
        wanted.setdefault((hashes[path], None if alone else near), set()).add(path)
    assert sum(each.count for each in found) == len(every)
    for each in found:
        group = next(group for group in wanted.values() if each.paths[0] in group)
        assert each.count == len(group)
        assert set(each.paths) == group if len(group) <= most else len(each.paths) == 1
        assert each.hashes == hashes[each.paths[0]]
        assert each.beside[each.paths[0].rpartition("/")[2]] == each.hashes
    assert len(found) == len(wanted)


@given(contents, contents)
def test_trees_differ_where_their_files_do(old: dict[str, str], new: dict[str, str]) -> None:
    made = Made()
    before, after = made.add(old), made.add(new)
    changed = {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}
    for suffixes in ((".c",), SUFFIXES, (".txt",)):
        differ = any(path.endswith(suffixes) for path in changed)
        # again, from what is kept of the first time
        assert [made.walker.differ(before, after, suffixes) for _ in range(2)] == [differ] * 2
    for some in (["a.c"], ["x/a.c", "y/z/b.c"], ["x/y/c.yaml", "none"]):
        differ = not changed.isdisjoint(some)
        assert made.walker.differ_at(before, after, WantedPaths(some)) == differ
    listed = {path: entry[1] for path, entry in made.walker.listed(after) if is_file(entry[0])}
    assert listed == new


def test_ten_to_the_twentieth_paths_are_as_many_trees_as_objects() -> None:
    made = Made()
    before = made.add({"a.c": "1", "d.txt": "1"})
    after = made.bomb(20, 10, {"a.c": "2", "d.txt": "2"})
    found = made.walker.alike((before, after), (".c",))
    assert sorted((each.hashes, each.count) for each in found) == [
        (("", "2"), 10**20),
        (("1", ""), 1),
    ]
    assert not made.walker.differ(before, after, (".yaml",))
    assert made.walker.differ(before, after, (".c",))
    with pytest.raises(Unreadable, match="expected at most 300000 files and directories"):
        next(made.walker.listed(after))
    assert made.asked < 2000


@pytest.mark.parametrize(
    ("limit", "value", "expected"),
    [
        ("GIT_PATHS_CHARACTERS", 200, "200 characters"),
        ("GIT_PATH", 20, "and 20 of one"),
        ("GIT_ENTRIES", 5, "5 different directories"),
    ],
)
def test_deep_and_long_paths_have_a_limit(
    limit: str, value: int, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Made()
    deep = made.add({"/".join(["long-name"] * 20 + ["a.c"]): "1"})
    assert made.walker.alike((deep,), (".c",))
    monkeypatch.setattr(limits, limit, value)
    with pytest.raises(Unreadable, match=expected):
        made.walker.alike((deep,), (".c",))


def test_trees_within_trees_need_no_stack() -> None:
    made = Made()
    bottom = made.add({"b.txt": "1"})
    for level in range(100_000):
        made.trees[f"{level}"] = {"d": (DIRECTORY, bottom)}
        bottom = f"{level}"
    assert not made.walker.differ("", bottom, (".c",))
    with pytest.raises(Unreadable, match="expected at most"):
        next(made.walker.listed(bottom))
    with pytest.raises(Unreadable, match="expected at most"):
        made.walker.alike((bottom,), (".c",))


# Histories.


def history_of(seed: int, directory: Path) -> tuple[History, list[str]]:
    """A history with merges, by git fast-import; the names of its commits, oldest first."""
    chance = random.Random(seed)
    history = History(directory)
    stream = []
    for number in range(1, 41):
        words = [f"commit refs/heads/n{number}\nmark :{number}\n"]
        words.append(f"committer A <a@example.org> {1_500_000_000 + number} +0000\ndata 1\nx\n")
        if number > 1:
            count = chance.choice([1, 1, 1, 2, 3])
            newest = range(max(1, number - 6), number)
            parents = chance.sample(newest, min(count, len(newest)))
            words.append(f"from :{parents[0]}\n")
            words += [f"merge :{parent}\n" for parent in parents[1:]]
            if len(parents) > 1 and chance.random() < 0.5:
                stream.append("".join(words) + "\n")
                continue
        for path in chance.sample(
            ["a.c", "x/b.c", "x/y/c.yaml", "d.txt"], chance.choice([0, 1, 2])
        ):
            words.append(f"M 100644 inline {path}\ndata 1\n{chance.choice('12')}\n")
        stream.append("".join(words) + "\n")
    subprocess.run(
        ["git", "-C", str(directory), "fast-import", "--quiet"],
        input="".join(stream).encode(),
        check=True,
    )
    said = history.git("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads")
    found = dict(line.split() for line in said.splitlines())
    return history, [found[f"n{number}"] for number in range(1, 41)]


@pytest.mark.parametrize("seed", few(2, range(8)))
def test_commits_that_touch_files_are_those_that_git_lists(seed: int, tmp_path: Path) -> None:
    """git takes a parent behind the base for one of the range, if it meets the base later."""
    history, names = history_of(seed, tmp_path / "tree")
    repository = Repository(history.directory)
    for base, head in ((0, 39), (12, 39), (20, 33)):
        ends = [names[head], f"^{names[base]}"]
        graph = [line.split() for line in history.git("rev-list", "--parents", *ends).splitlines()]
        ranged = {line[0] for line in graph}
        is_plain = all(ranged.issuperset({*line[1:]} - {names[base]}) for line in graph)
        for paths, suffixes, words in (
            (["x/b.c", "x/y/c.yaml"], (), ["x/b.c", "x/y/c.yaml"]),
            ([], (".c",), [":(glob)**/*.c"]),
        ):
            found = [c.hash for c in repository.commits(names[base], names[head], paths, suffixes)]
            said = history.git("rev-list", *ends, "--", *words).split()
            assert set(found) == set(said) if is_plain else set(found) >= set(said)
            order = history.git("rev-list", "--topo-order", "--reverse", *ends).split()
            assert found == [each for each in order if each in found]
    repository.close()


def test_trees_that_are_read_again_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history, names = history_of(1, tmp_path / "tree")
    found = []
    for most in (limits.GIT_HELD_ENTRIES, 3):
        monkeypatch.setattr(limits, "GIT_HELD_ENTRIES", most)
        repository = Repository(history.directory)
        commits = repository.commits(names[0], names[39], [], (".c",))
        found.append((commits, [repository.entries(name) for name in names]))
        repository.close()
    assert found[0] == found[1]


@pytest.mark.parametrize("seed", few(3, range(12)))
def test_held_commits_are_read_as_real_ones(seed: int, tmp_path: Path) -> None:
    """The same files, committed by git and held upon the first commit."""
    chance = random.Random(seed)
    history = History(tmp_path / "tree")
    history.commit({"a.c": "1", "x/b.c": "1", "x/y/c.yaml": "1"})
    repository = Repository(history.directory)
    held = HeldCommits(repository, "x")
    real = [repository.resolve("HEAD")]
    made = [real[0]]
    for _ in range(4):
        there = {entry.path for entry in repository.entries(real[-1])}
        changes: dict[str, bytes | None] = {
            path: chance.choice([None, b"1", b"2"])
            for path in chance.sample(["a.c", "x/b.c", "x/y/c.yaml", "z/d.c", "x/y/z/e.c"], 2)
        }
        changes = {path: new for path, new in changes.items() if new or path in there}
        real.append(history.commit(changes))
        made.append(held.add(made[-1], "x", changes))
    for ours, theirs in zip(made, real, strict=True):
        assert sorted(held.entries(ours), key=str) == sorted(repository.entries(theirs), key=str)
        assert [held.named(ours, p) for p in ("a.c", "x/y/z/e.c", "z")] == [
            repository.named(theirs, p) for p in ("a.c", "x/y/z/e.c", "z")
        ]
    for first, last in ((0, 4), (1, 3)):
        alike = [
            sorted((each.paths, each.hashes, each.count) for each in found)
            for found in (
                held.alike((made[first], made[last]), (".c",)),
                repository.alike((real[first], real[last]), (".c",)),
            )
        ]
        assert alike[0] == alike[1]
    repository.close()


def test_a_commit_of_many_parents_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(tmp_path / "tree")
    first = history.commit({"a.c": "1"})
    others = [history.git("commit-tree", f"{first}^{{tree}}", "-m", str(n)) for n in range(3)]
    words = [word for parent in (first, *others) for word in ("-p", parent)]
    merge = history.git("commit-tree", f"{first}^{{tree}}", "-m", "all", *words)
    repository = Repository(history.directory)
    assert repository.commit(merge).merged == tuple(others)
    monkeypatch.setattr(limits, "GIT_PARENTS", 3)
    with pytest.raises(Unreadable, match=f"at most 3 parents of commit {merge[:9]}, found 4"):
        repository.commit(merge)
    repository.close()
