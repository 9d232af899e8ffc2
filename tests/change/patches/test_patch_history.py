"""Patches against skiboot's real history: SKIBOOT=path of a clone, bare or not.

Files are taken out of the clone's commits; nothing of skiboot is kept here.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from idle_states.base.model.findings import Faulty
from idle_states.base.model.table import Register
from idle_states.base.report.diff import file_diff
from idle_states.change.patches.library import packaged, patch_for
from idle_states.change.patches.mail import mails
from idle_states.change.patches.plan import MADE, NOT_MEANT, PRESENT, Plan, plan
from idle_states.change.patches.tree import PatchedTree
from idle_states.change.patches.write import write
from idle_states.tables.spec.library import find
from idle_states.tables.spec.packaged import current
from tests.support.skiboot_clone import CLONE, as_repository, checkout, compiled, git
from tests.tables.skiboot.test_c_oracle import as_rows

ORIGINAL = "51974cab7c89504a4ceb6706437665d5e8d2a533"
APRIL_2017 = "f32ad58f9"
"""The last commit before the first version of the original patch was posted, 2017-04-19."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CLONE, reason="SKIBOOT does not name a clone of skiboot"),
]


def releases() -> list[str]:
    """Tags of releases from 5.0 on, oldest first, and the newest commit."""
    if not CLONE:
        return []
    tags = git("tag", "--sort=creatordate").decode().split()
    chosen = [tag for tag in tags if re.fullmatch(r"(skiboot-5|v[5-9])[\d.]*(-rc\d+)?", tag)]
    return [*chosen, "HEAD"]


def diff(made: Plan) -> bytes:
    return b"".join(
        file_diff(name, made.tree.files[name], text, made.tree.mode(name)).encode(
            "utf-8", "surrogateescape"
        )
        for name, text in made.files.items()
    )


def specs() -> Iterator[tuple[str, str]]:
    """Revision and array of each current table that firmware exports."""
    for name in current():
        table = find(name)
        if table.register is not Register.NONE and name != "power11":
            yield name, table.firmware.array


@pytest.mark.parametrize("tag", releases())
def test_packaged_patches_on_a_release(tag: str, tmp_path: Path) -> None:
    """Each is made, there already, or not meant; what is made applies, compiles, and is all."""
    root = checkout(tag, tmp_path / "tree")
    before = compiled(root)
    as_repository(root)
    tree = PatchedTree(root)
    assert tree.version
    made = plan(tree, packaged())
    assert {step.status for step in made.steps} <= {MADE, PRESENT, NOT_MEANT}
    for number, (_, mail) in enumerate(mails(made), 1):
        git("am", "--quiet", cwd=root, text=mail)
        assert f"{number + 1}" == git("rev-list", "--count", "HEAD", cwd=root).decode().strip()
    for name, text in made.files.items():
        assert (root / name).read_bytes() == text.encode("utf-8", "surrogateescape")
    after = compiled(root)
    changed = {
        (array, row["name"], key)
        for array, rows in before.items()
        for row, other in zip(rows, after[array], strict=True)
        for key in row
        if row[key] != other[key]  # type: ignore[literal-required]
    }
    keys = {"latency": "latency_ns", "residency": "residency_ns", "flags": "flags"}
    assert changed == {
        (change.table, change.state, keys[change.field])
        for step in made.made
        for change in step.changes
    }
    again = plan(PatchedTree(root), packaged())
    assert not again.made


@pytest.mark.parametrize("tag", releases())
def test_tables_become_specs_on_a_release(tag: str, tmp_path: Path) -> None:
    """Every table of the tree is made that of its spec; the compiler reads it so."""
    root = checkout(tag, tmp_path / "tree")
    before = compiled(root)
    patches = [patch_for(find(name), name) for name, array in specs() if array in before]
    if not patches:
        pytest.skip("no table of this release has a current spec")
    made = plan(PatchedTree(root), patches)
    git("init", "--quiet", cwd=root)
    if made.files:
        git("apply", "--check", "-", cwd=root, text=diff(made))
    write(made.tree, made.files)
    after = compiled(root)
    wanted = {array: as_rows(find(name).states) for name, array in specs()}
    for array in before:
        assert after[array] == wanted.get(array, before[array])
    assert not plan(PatchedTree(root), patches).made


def test_newest_skiboot_is_as_the_specs_say(tmp_path: Path) -> None:
    root = checkout("HEAD", tmp_path / "tree")
    patches = [patch_for(find(name), name) for name, _ in specs() if name not in OLD]
    assert not plan(PatchedTree(root), patches).made


OLD = ("power7", "power9-dd1")
"""Tables that the newest skiboot has dropped."""


def test_two_lines_in_april_2017(tmp_path: Path) -> None:
    """The patch for DD1, on the tree it was first posted for: two lines, the original's."""
    root = checkout(APRIL_2017, tmp_path / "tree")
    dd1 = [patch for patch in packaged() if patch.name == "power9-dd1-stop0-lite"]
    made = plan(PatchedTree(root), dd1)
    assert marked(diff(made)) == original_hunk("power9_ndd1")
    ((_, mail),) = mails(made)
    assert b" 1 file changed, 2 insertions(+), 2 deletions(-)\n" in mail


def test_as_merged_is_as_merged(tmp_path: Path) -> None:
    """The patch for POWER9, on the parent of the original commit: its file to the byte."""
    root = checkout(f"{ORIGINAL}~1", tmp_path / "tree")
    merged = [patch for patch in packaged() if patch.name == "power9-stop0-lite"]
    made = plan(PatchedTree(root), merged)
    wanted = git("show", f"{ORIGINAL}:hw/slw.c")
    assert made.files["hw/slw.c"].encode("utf-8", "surrogateescape") == wanted
    hunks = git("diff", "--full-index", f"{ORIGINAL}~1", ORIGINAL, "--", "hw/slw.c")
    assert diff(made) == hunks


def marked(hunks: bytes) -> list[bytes]:
    return [line for line in hunks.splitlines() if re.match(rb"[-+](?![-+])", line)]


def original_hunk(table: str) -> list[bytes]:
    """Changed lines of the original commit in one table's hunk."""
    hunks = git("show", "--format=", "-U60", ORIGINAL, "--", "hw/slw.c")
    lines = hunks[hunks.index(f" {table}_cpu_idle_states".encode()) :]
    return marked(lines[: lines.index(b"stop1_lite")])


def test_an_older_tree_is_told_from_a_newer_one(tmp_path: Path) -> None:
    """Without a release to go by, patches for other releases are left out, not failed."""
    root = checkout("v6.0", tmp_path / "tree")
    (root / ".version").unlink()
    made = plan(PatchedTree(root), packaged())
    assert made.tree.version == ""
    by_name = {step.patch.name: step for step in made.steps}
    assert by_name["power9-stop0-lite"].status == PRESENT
    assert by_name["mambo-stop4"].status == MADE
    assert by_name["stop0-lite-15us"].status == NOT_MEANT
    patch = by_name["stop0-lite-15us"].patch
    (root / ".version").write_text("v7.1")
    newer = PatchedTree(root)
    with pytest.raises(Faulty):
        plan(newer, [patch])
