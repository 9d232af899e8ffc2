"""Names in descriptions and trees: rows that a series renames, files that a table becomes, flags
that a tree has no name for."""

from pathlib import Path

import pytest

from idle_states.base.model.findings import Faulty
from idle_states.change.patches import description
from idle_states.change.patches.plan import MADE, PRESENT, plan
from idle_states.change.patches.tree import PatchedTree
from idle_states.change.patches.write import write
from idle_states.cli import main
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find

HEAD = 'name: {name}\nsubject: "slw: Mine"\nbody: Because.\nedits:\n'
LINE = "  - {{table: power9_cpu_idle_states, state: {}, field: {}, from: {}, to: {}}}\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree/hw").mkdir(parents=True)
    (tmp_path / "tree/hw/slw.c").write_text('#include "slw.h"\n' + c_table.write([find("power9")]))
    return tmp_path / "tree"


def series(directory: Path, *edits: list[tuple[str, str, str, str]]) -> list[description.Patch]:
    """A description for each list of (state, field, from, to)."""
    found = []
    for number, each in enumerate(edits, 1):
        file = directory / f"{number}.yaml"
        lines = [LINE.format(*edit) for edit in each]
        file.write_text(HEAD.format(name=f"number-{number}") + "".join(lines))
        found.append(description.read(file, file.name))
    return found


RENAME = ("stop1", "name", "stop1", "light")
LATER = ("stop1", "latency", "5us", "6us")
RIGHT = ("light", "latency", "5us", "6us")


def test_an_edit_after_a_rename_is_told_the_new_name(tree: Path, tmp_path: Path) -> None:
    for patches in (series(tmp_path, [RENAME, LATER]), series(tmp_path, [RENAME], [LATER])):
        with pytest.raises(Faulty) as caught:
            plan(PatchedTree(tree), patches)
        (finding,) = caught.value.findings
        assert "expected one row stop1 (stop0_lite, stop0, light," in finding.message
        assert "an earlier edit calls it light: say state: light here" in finding.message
    renamed = [RENAME, ("light", "name", "light", "lighter"), LATER]
    with pytest.raises(Faulty, match="say state: lighter here"):
        plan(PatchedTree(tree), series(tmp_path, renamed))
    (strange,) = series(tmp_path, [("stop3", "latency", "5us", "6us")])
    with pytest.raises(Faulty) as caught:
        plan(PatchedTree(tree), [strange])
    assert "earlier" not in caught.value.findings[0].message


@pytest.mark.parametrize("order", [[RENAME, RIGHT], [LATER, RENAME]])
@pytest.mark.parametrize("together", [True, False])
def test_a_renamed_row_is_there_once_it_was_made(
    order: list[tuple[str, str, str, str]], together: bool, tree: Path, tmp_path: Path
) -> None:
    """Tells whether the row is renamed before or after it is edited, in one patch or in two."""
    patches = series(tmp_path, order) if together else series(tmp_path, *([edit] for edit in order))
    made = plan(PatchedTree(tree), patches)
    assert {step.status for step in made.steps} == {MADE}
    write(made.tree, made.files)
    (table,) = c_table.read((tree / "hw/slw.c").read_text(), "slw.c")
    assert {state.name: state.latency_ns for state in table.states}["light"] == 6000
    assert {step.status for step in plan(PatchedTree(tree), patches).steps} == {PRESENT}


def test_a_file_named_without_its_ending_is_found_out(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "series.yaml"
    edit = "  - {table: power9_cpu_idle_states, becomes: strange}\n"
    file.write_text(HEAD.format(name="mine") + edit)
    words = ["patch", str(file), "--tree", str(tree), "--check"]
    assert main(words) == 2
    errors = capsys.readouterr().err
    assert f"{file}:5:5: becomes: expected a revision" in errors
    assert "beside" not in errors
    (tmp_path / "strange.yaml").write_text("name: strange\nextends: power9\ndrop: [stop11]\n")
    assert main(words) == 2
    errors = capsys.readouterr().err
    assert "beside the description lies strange.yaml: say so, with its ending" in errors
    file.write_text(file.read_text().replace("strange}", "strange.yaml}"))
    assert main(words) == 1


# Written in the manner of 2014: flags defined beside the tables, none in a header.
OF_2014 = """\
#define MY_LENGTH 16
struct cpu_idle_states {
	char name[MY_LENGTH];
	u32 latency_ns;
	u32 flags;
	u64 pmicr;
	u64 pmicr_mask;
};
#define IDLE_DEC_STOP		0x00000001
#define IDLE_LOSE_USER_CONTEXT	0x00001000
#define IDLE_USE_INST_NAP	0x00010000
static struct cpu_idle_states power8_cpu_idle_states[] = {
	{
		.name = "nap",
		.latency_ns = 1000,
		.flags = 0*IDLE_DEC_STOP | 1*IDLE_LOSE_USER_CONTEXT | 1*IDLE_USE_INST_NAP,
		.pmicr = 0,
		.pmicr_mask = 0 },
};
"""


def test_a_flag_without_a_name_in_the_tree_is_a_number(tmp_path: Path) -> None:
    """By name what the tree has names for, though not skiboot's later ones."""
    root = tmp_path / "tree"
    for name, text in {"hw/slw.c": OF_2014, "include/opal.h": "#define OPAL_SUCCESS 0\n"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    file = tmp_path / "mine.yaml"
    flags = ["flags.DEC_STOP, from: 0, to: 1", "flags.STOP_INST_FAST, from: 0, to: 1"]
    lines = [
        f"  - {{table: power8_cpu_idle_states, state: nap, field: {flag}}}\n" for flag in flags
    ]
    file.write_text(HEAD.format(name="mine") + "".join(lines))
    made = plan(PatchedTree(root), [description.read(file, "mine.yaml")])
    text = made.files["hw/slw.c"]
    assert "1*IDLE_DEC_STOP | 1*IDLE_LOSE_USER_CONTEXT | 1*IDLE_USE_INST_NAP | 0x00100000" in text
    assert "OPAL_PM" not in text
