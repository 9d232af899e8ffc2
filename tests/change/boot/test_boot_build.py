"""boot --tree: what a tree's make is shown, and that it is said."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from idle_states.base.dataclass import replace
from idle_states.change.boot.parts import boot_cache
from idle_states.change.boot.powernv.build import CROSS, BuildFailure, lid_of
from idle_states.change.boot.powernv.image import from_tree
from idle_states.change.boot.run import Surroundings
from idle_states.change.patches.tree import PatchedTree
from idle_states.cli import main
from idle_states.tables.skiboot import c_table
from idle_states.tables.sources import read_table
from idle_states.tables.spec.library import find


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    directory = tmp_path / "tree"
    (directory / "hw").mkdir(parents=True)
    (directory / "hw/slw.c").write_text(c_table.write([find("power9")]))
    (directory / "Makefile").write_text("skiboot.lid:\n\tenv > $@; pwd >> $@\n")
    return directory


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / f"{CROSS}gcc").write_text("#!/bin/sh\n")
    (programs / f"{CROSS}gcc").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")


@pytest.mark.usefixtures("compiler")
def test_make_is_shown_no_secrets_and_runs_in_a_copy(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI_TOKEN", "hunter2")
    monkeypatch.setenv("MAKEFLAGS", "--silent")
    before = sorted(tree.rglob("*"))
    said = lid_of(PatchedTree(tree), {}, tmp_path / "cache").lid.read_text()
    assert "hunter2" not in said
    assert "--silent" not in said
    names = {line.partition("=")[0] for line in said.splitlines()[:-1]}
    assert {"PATH", "SKIBOOT_VERSION", "GIT_CEILING_DIRECTORIES"} <= names
    assert said.splitlines()[-1].startswith(str(tmp_path / "cache"))
    assert sorted(tree.rglob("*")) == before


def test_that_make_runs_is_said(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["boot", "--machine", "powernv9", "--logs", str(tmp_path / "logs")]
    monkeypatch.setenv("PATH", "/nonexistent")
    assert main([*words, "--tree", str(tree)]) == 3
    assert f"{tree}: runs this tree's make" in capsys.readouterr().err
    assert main([*words, "--lid", str(tmp_path / "none.lid")]) == 3
    assert "make" not in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["boot", "--help"])
    assert "runs the tree's make" in " ".join(capsys.readouterr().out.split())


def warning_makefile(tree: Path) -> None:
    """Like skiboot's: what CWARNS says decides whether a warning ends make; the log counts runs."""
    (tree / "Makefile").write_text(
        "CWARNS := -Wall -Werror\n"
        "skiboot.lid:\n"
        "\techo $(CWARNS) >> runs\n"
        "\tcase '$(CWARNS)' in *-Werror*) "
        "echo 'a.c:1:1: error: that [-Werror=that]'; exit 1;; esac\n"
        "\techo $(SKIBOOT_VERSION) > $@; cat asm/head.S >> $@\n"
    )


HEAD = "\tcmpli\t%cr0,%r3,0\n\tbne\t1f\n1:\tcmp\t%cr0,%r0,%r0\n\tcmpwi\t%cr0,%r3,0\n"
HEAD_TODAY = "\tcmpli\t%cr0,0,%r3,0\n\tbne\t1f\n1:\tcmp\t%cr0,0,%r0,%r0\n\tcmpwi\t%cr0,%r3,0\n"


@pytest.mark.usefixtures("compiler")
def test_an_old_tree_builds_with_todays_programs_and_says_so(tree: Path, tmp_path: Path) -> None:
    warning_makefile(tree)
    (tree / "asm").mkdir()
    (tree / "asm/head.S").write_text(HEAD)
    (tree / ".version").write_text("skiboot-5.4.0-17-g5787ad3-dirty\n")
    said: list[str] = []
    for _ in range(2):
        built = lid_of(PatchedTree(tree), {}, tmp_path / "cache", said.append)
        assert built.lid.read_text() == "skiboot-5.4.0-17-g5787ad3-dirty\n" + HEAD_TODAY
        assert [remark.split(":")[0] for remark in built.remarks] == [
            "asm/head.S", "warnings of today's compiler, errors in this tree, were allowed"
        ]  # fmt: skip
    # the second time the image is there
    assert said == ["building skiboot", "building skiboot, without -Werror"]
    (runs,) = (tmp_path / "cache/trees").glob("*/runs")
    assert runs.read_text() == "-Wall -Werror\n-Wall -Wno-error\n"
    assert (tree / "asm/head.S").read_text() == HEAD


@pytest.mark.usefixtures("compiler")
def test_a_tree_that_builds_as_it_is_is_built_so(tree: Path, tmp_path: Path) -> None:
    built = lid_of(PatchedTree(tree), {}, tmp_path / "cache")
    assert built.remarks == ()
    (tree / "Makefile").write_text("skiboot.lid:\n\tfalse\n")
    with pytest.raises(BuildFailure, match="make ended with status 2"):
        lid_of(PatchedTree(tree), {}, tmp_path / "cache")


@pytest.mark.usefixtures("compiler")
def test_files_are_changed_added_and_left_out_in_the_copy(tree: Path, tmp_path: Path) -> None:
    (tree / "hw/old.c").write_text("old\n")
    (tree / "Makefile").write_text("skiboot.lid:\n\tcat hw/slw.c hw/new.c > $@; ls hw >> $@\n")
    files = {"hw/slw.c": b"slw\n", "hw/new.c": b"new\n", "hw/old.c": None}
    built = lid_of(PatchedTree(tree), files, tmp_path / "cache")
    assert built.lid.read_text() == "slw\nnew\nnew.c\nslw.c\n"
    assert (tree / "hw/old.c").is_file()


@pytest.mark.parametrize(
    ("described", "version"),
    [
        ("v7.1-106-gecebf4fb3\n", "v7.1-106-gecebf4fb3"),
        ("skiboot-5.4.0", "skiboot-5.4.0"),
        ("v7.1 $(touch /tmp/x)", "v7.1"),
        ("", "v0"),
    ],
)
@pytest.mark.usefixtures("compiler")
def test_the_version_keeps_its_suffix(
    described: str, version: str, tree: Path, tmp_path: Path
) -> None:
    (tree / ".version").write_text(described)
    (tree / "Makefile").write_text("skiboot.lid:\n\techo $$SKIBOOT_VERSION > $@\n")
    assert lid_of(PatchedTree(tree), {}, tmp_path / "cache").lid.read_text() == f"{version}\n"


def git(where: Path, *words: str) -> None:
    """Runs git as someone, whatever the user's own configuration says."""
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    local = ["-c", "protocol.file.allow=always"]
    subprocess.run(["git", *who, *local, "-C", str(where), *words], check=True, capture_output=True)


@pytest.fixture
def repository(tree: Path) -> Path:
    """Returns a repository whose make lists what is there and asks git where it is."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    (tree / "Makefile").write_text(
        "skiboot.lid:\n"
        "\techo $$SKIBOOT_VERSION > $@; ls | grep -v $@ >> $@\n"
        "\tgit rev-parse --git-dir >> $@ || echo no repository >> $@\n"
    )
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "one")
    git(tree, "tag", "v7.1")
    return tree


def work_tree(repository: Path) -> Path:
    git(repository, "worktree", "add", "-q", str(repository.parent / "other"))
    return repository.parent / "other"


def submodule(repository: Path) -> Path:
    above = repository.parent / "above"
    above.mkdir()
    git(above, "init", "-q")
    git(above, "submodule", "add", "-q", str(repository), "skiboot")
    return above / "skiboot"


@pytest.mark.parametrize("made", [work_tree, submodule])
@pytest.mark.usefixtures("compiler")
def test_a_tree_whose_repository_is_elsewhere_is_named_and_copied_without_it(
    made: Callable[[Path], Path], repository: Path, tmp_path: Path
) -> None:
    tree = made(repository)
    assert (tree / ".git").is_file()
    built = lid_of(PatchedTree(tree), {}, tmp_path / "cache")
    assert built.lid.read_text() == "v7.1\nMakefile\nhw\nno repository\n"


def test_a_bare_repository_is_no_tree(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(bare))
    words = ["boot", "--machine", "powernv9", "--logs", str(tmp_path / "logs")]
    assert main([*words, "--tree", str(bare)]) == 3
    errors = capsys.readouterr().err
    assert f"{bare}: error: expected a skiboot tree, with hw/slw.c, found none" in errors


def test_what_is_fetched_and_built_stays_out_of_where_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert boot_cache() == tmp_path / "home/idle-states/boot"
    with Surroundings().directory("powernv9") as directory:
        assert directory.parent == boot_cache() / "logs"
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert boot_cache() == tmp_path / ".cache/idle-states/boot"


CHOICE = """
void add_cpu_idle_state_properties(void)
{
	if (chip->type == PROC_CHIP_P9_NIMBUS) {
		if (%s) {
			states = other_cpu_idle_states;
		} else {
			states = power9_cpu_idle_states;
		}
	}
}
"""


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("proc_chip_quirks & QUIRK_QEMU", "other_cpu_idle_states"),
        ("chip->ec_level == 0x20", "other_cpu_idle_states"),
        ("proc_chip_quirks & QUIRK_MAMBO_CALLOUTS", "power9"),
        ("this_cpu()->is_fused_core", "power9"),
        # not understood
        ("is_sunday()", "power9"),
    ],
)
def test_the_table_is_the_one_that_the_tree_takes_on_the_machine(
    asked: str, place: str, tree: Path, tmp_path: Path
) -> None:
    """A TABLE then stands in that one's place, whatever it is called."""
    power9 = find("power9")
    home = replace(power9.firmware, array="other_cpu_idle_states")
    states = replace(power9.states[0], latency_ns=7000), *power9.states[1:]
    other = replace(power9, name="other", states=states, firmware=home)
    (tree / "hw/slw.c").write_text(c_table.write([power9, other]) + CHOICE % asked)
    found = from_tree(PatchedTree(tree), "powernv9", None, tmp_path / "cache")
    assert found.place == place
    assert found.table.states[0].latency_ns == (1000 if place == "power9" else 7000)
    (tmp_path / "mine.yaml").write_text(
        "name: mine\nextends: power9\noverride: {stop0_lite: {latency: 2us}}\n"
    )
    given = read_table(str(tmp_path / "mine.yaml"))
    found = from_tree(PatchedTree(tree), "powernv9", given, tmp_path / "cache")
    assert (found.place, found.table.states[0].latency_ns) == (place, 2000)
