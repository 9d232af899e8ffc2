"""Tests of what a spec extends is read only within the repository, or the directory, that holds
it."""

from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.cli import main
from idle_states.tables.spec.library import load
from tests.support import ROOT

CHILD = "name: child\nextends: evil\n"
SECRET = "root:x:0:0: password-4711\n\t- {[\n"
BASE = ROOT / "idle_states/tables/specs/power9.yaml"


def test_a_secret_behind_a_link_is_not_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "secret").write_text(SECRET)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "child.yaml").write_text(CHILD)
    (tree / "evil.yaml").symlink_to("../secret")
    assert main(["check", str(tree / "child.yaml")]) == 3
    out, err = capsys.readouterr()
    assert "password" not in out + err
    assert "found a link that leads out of it" in out + err


def test_a_link_within_the_repository_is_followed(tmp_path: Path) -> None:
    shared, tree = tmp_path / "shared", tmp_path / "tree"
    shared.mkdir()
    tree.mkdir()
    (shared / "base.yaml").write_text(BASE.read_text().replace("name: power9", "name: evil", 1))
    (tree / "child.yaml").write_text(CHILD)
    (tree / "evil.yaml").symlink_to("../shared/base.yaml")
    with pytest.raises(Unreadable, match="leads out of it"):
        load(tree / "child.yaml")
    (tmp_path / ".git").mkdir()
    loaded = load(tree / "child.yaml")
    assert [f for f in loaded.findings if f.rule == "IS926"] == []
    assert str(tree / "evil.yaml") in loaded.sources
    # the repository of the spec, not one around it
    (tree / ".git").mkdir()
    with pytest.raises(Unreadable, match="leads out of it"):
        load(tree / "child.yaml")


def test_a_spec_that_the_user_names_by_a_link_is_read(tmp_path: Path) -> None:
    (tmp_path / "link.yaml").symlink_to(BASE)
    assert load(tmp_path / "link.yaml").table is not None


def test_packaged_parents_have_parents_of_their_own(
    in_tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """power11 extends power10, which is in no directory that is looked through."""
    (in_tmp_path / "mine.yaml").write_text("name: mine\nextends: power11\n")
    for directory in (".", str(in_tmp_path)):
        assert main(["check", directory]) == 0
        assert capsys.readouterr().out.splitlines()[-1].startswith("1 table, ")
