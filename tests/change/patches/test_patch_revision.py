"""A revision that a tree does not have becomes a whole patch: array, case, names."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.findings import Faulty
from idle_states.base.model.table import IdleTable
from idle_states.change.patches import mail, sheet
from idle_states.change.patches.library import patch_for
from idle_states.change.patches.plan import MADE, PRESENT, Plan, plan
from idle_states.change.patches.tree import PatchedTree
from idle_states.change.patches.write import write
from idle_states.change.review.choices import in_words
from idle_states.change.review.planned import review_of
from idle_states.cli import main
from idle_states.tables.skiboot.choosing import Choosing, MachineKind, read_choosing
from idle_states.tables.skiboot.patching.case import ArrayClaim, CaseRefused, with_case
from idle_states.tables.spec.library import find
from tests.oracle import skipping
from tests.support.choosing_trees import choosing_tree
from tests.support.skiboot_clone import as_repository
from tools import patched_revisions

QEMU = frozenset({"QUIRK_QEMU"})
SPEC = """\
name: power10-qemu
title: POWER10 on QEMU
extends: power10
firmware: {array: power10_qemu_cpu_idle_states, file: hw/slw.c, quirk: qemu}
drop: [stop3]
override:
  stop2: {latency: 25us, residency: 250us}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return choosing_tree(tmp_path / "tree", "7.1")


def spec(base: str, array: str, chips: tuple[str, ...] = (), **firmware: object) -> IdleTable:
    """A table like another, with an array of its own."""
    table = find(base)
    assert table.cpu is not None
    home = replace(table.firmware, array=array, copy_of="", **firmware)  # type: ignore[arg-type]
    cpu = replace(table.cpu, chips=chips) if chips else table.cpu
    return replace(table, name=f"{base}-new", title="One more", firmware=home, cpu=cpu)


def planned(tree: Path, table: IdleTable) -> Plan:
    return plan(PatchedTree(tree), [patch_for(table, table.name)])


def choosing(tree: Path) -> Choosing:
    files = {f"hw/{path.name}": path.read_text() for path in sorted((tree / "hw").iterdir())}
    found = read_choosing(files)
    assert found is not None
    return found


def refused(tree: Path, table: IdleTable) -> tuple[str, str, str]:
    """Message, place, and the other place."""
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    with pytest.raises(Faulty) as caught:
        planned(tree, table)
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before
    (finding,) = caught.value.findings
    other = str(finding.related[0][0]) if finding.related else ""
    return finding.message, str(finding.location), other


ERAS = ("6.0", "7.0", "7.1")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("base", "chips", "firmware"),
    [
        ("power9", ("P9_NIMBUS", "P9_CUMULUS"), {"quirk": "QUIRK_NO_CHIPTOD"}),
        ("power9", ("P9_CUMULUS",), {"quirk": "NO_CHIPTOD"}),
        ("power8", ("P8_MURANO", "P8_VENICE"), {"quirk": "NO_CHIPTOD"}),
        ("power8", ("P8_VENICE",), {"quirk": "NO_CHIPTOD"}),
        ("power10", ("P10",), {"quirk": "qemu"}),
        ("power10", ("P10", "P11"), {"fused_core": True}),
        ("power9", ("P9_NIMBUS",), {"fused_core": True}),
    ],
)
def test_a_variant_is_chosen_for_its_machines_alone(
    era: str, base: str, chips: tuple[str, ...], firmware: dict[str, object], tmp_path: Path
) -> None:
    tree = choosing_tree(tmp_path / "tree", era)
    if era == "6.0" and ("P10" in chips or "fused_core" in firmware):
        return
    table = spec(base, "new_cpu_idle_states", chips, **firmware)
    before = choosing(tree)
    made = planned(tree, table)
    (step,) = made.steps
    assert step.status == MADE
    assert step.added is not None
    write(made.tree, made.files)
    after = choosing(tree)
    kinds = after.machines(before.machines())
    gained = set()
    for machine in kinds:
        old, new = before.table_for(machine).array, after.table_for(machine).array
        if new != old:
            assert new == "new_cpu_idle_states"
            gained.add(machine)
        wanted = step.added.claim.covers(machine)
        # machines that took the simulator's table or that of fused cores before still take it,
        # but those of a narrower claim
        special = "mambo" in old or ("fused" in old and "fused_core" not in firmware)
        assert (new != old) == (wanted and not special)
    assert {machine.chip for machine in gained} == set(chips)
    assert {before.table_for(machine).array for machine in gained} == {step.added.before}
    assert planned(tree, table).steps[0].status == PRESENT
    read = PatchedTree(tree)
    (found,) = (
        s.tables[a].table for s in read.sources.values() for a in s.tables if a[:3] == "new"
    )
    assert [state.values() for state in found.states] == [s.values() for s in table.states]


def test_an_ec_range_is_more_special_than_one_around_it(tree: Path) -> None:
    def with_range(ec: tuple[int, int], array: str) -> None:
        file, text = with_case(choosing(tree), ArrayClaim(array, ("P10",), ec=ec))
        (tree / file).write_text(text)

    with_range((0x10, 0x1F), "wide")
    with_range((0x12, 0x13), "narrow")
    with_range((0x20, 0xFF), "late")
    taken = [choosing(tree).table_for(MachineKind("P10", ec)).array for ec in range(0x0F, 0x21)]
    assert taken == ["power10_cpu_idle_states"] + ["wide"] * 2 + ["narrow"] * 2 + ["wide"] * 12 + [
        "late"
    ]
    assert choosing(tree).table_for(MachineKind("P11", 0x12)).array == "power10_cpu_idle_states"
    with pytest.raises(CaseRefused, match="found one that takes wide") as caught:
        with_range((0x10, 0x1F), "again")
    assert caught.value.where is not None
    assert caught.value.where.file == "hw/slw.c"


@pytest.mark.parametrize(
    ("era", "kin"), [("6.0", "power9"), ("7.0", "power10"), ("7.1", "power10")]
)
def test_a_new_generation_gets_its_names_and_what_is_left_is_told(
    era: str, kin: str, tmp_path: Path
) -> None:
    tree = choosing_tree(tmp_path / "tree", era)
    before = choosing(tree)
    made = planned(tree, spec(kin, "power12_cpu_idle_states", ("P12",)))
    (step,) = made.steps
    assert step.added is not None
    assert [name for _, name in step.added.names] == ["PROC_CHIP_P12", "proc_gen_p12"]
    letter = mail.mails(made, mail.Posting(cover="Reviewed.\n"))[0][1].decode()
    write(made.tree, made.files)
    after = choosing(tree)
    assert after.table_for(MachineKind("P12")).array == "power12_cpu_idle_states"
    for machine in before.machines():
        assert after.table_for(machine).array == before.table_for(machine).array
    chip, generation = ((tree / f"include/{n}.h").read_text() for n in ("chip", "skiboot"))
    assert ",\n\tPROC_CHIP_P12,\n}" in chip
    assert ",\n\tproc_gen_p12,\n}" in generation
    if era != "6.0":
        assert "The new generation needs more" in letter
        assert "\n  hw/reset.c: 3\n" in letter
    assert planned(tree, spec(kin, "power12_cpu_idle_states", ("P12",))).steps[0].status == PRESENT


def test_the_command_says_array_case_and_machines(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.yaml").write_text(SPEC)
    line = ["patch", str(tmp_path / "mine.yaml"), "--tree", str(tree)]
    assert main([*line, "--check", "--format", "json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["patches"]
    assert found["added"]["before"] == "power10_cpu_idle_states"
    assert found["added"]["machines"] == "chip P10, QUIRK_QEMU"
    assert main([*line, "-o", str(tmp_path / "out"), "--cover-letter"]) == 0
    assert "power10_qemu_cpu_idle_states added after power10_cpu_idle_states" in (
        capsys.readouterr().out
    )
    cover = next((tmp_path / "out").glob("*cover*")).read_text()
    assert "chip P10, QUIRK_QEMU" in cover
    assert main([*line, "--apply"]) == 0
    capsys.readouterr()
    assert main([*line, "--check"]) == 0
    assert "no difference" in capsys.readouterr().out


def test_review_says_which_machines_take_another_table(tree: Path) -> None:
    made = planned(tree, spec("power10", "new_cpu_idle_states", ("P10",), quirk="qemu"))
    (change,) = review_of(made).changes
    (choice,) = change.choices
    assert in_words(choice) == (
        "chip P10, QUIRK_QEMU: power10_cpu_idle_states -> new_cpu_idle_states"
    )
    made = planned(tree, spec("power9", "other_cpu_idle_states", ("P9_NIMBUS",), fused_core=True))
    (change,) = review_of(made).changes
    assert list(map(in_words, change.choices)) == [
        "chip P9_NIMBUS, without QUIRK_MAMBO_CALLOUTS, fused cores: "
        "power9_fusedcore_cpu_idle_states -> other_cpu_idle_states"
    ]


@pytest.mark.parametrize(
    ("table", "message", "where"),
    [
        (
            spec("power10", "power10_cpu_idle_states", ("P12",)),
            "expected an array of power10-new's own",
            "power10.yaml",
        ),
        (spec("power10", "mine"), "found none said; write firmware: {quirk", "hw/slw.c"),
        (
            spec("power9", "mine", quirk="awan"),
            "a spec for chips that the tree knows",
            "hw/slw.c",
        ),
        (spec("power10", "mine", quirk="awan"), "expected QUIRK_AWAN among", "include/chip.h"),
        (
            spec("power10", "reset", quirk="qemu"),
            "",
            "",
        ),
        (spec("power10", "next_chip", quirk="qemu"), "in use for something else", "hw/slw.c"),
        (
            spec("power9", "mine", ("P9_NIMBUS", "P9_CUMULUS"), fused_core=True),
            "found one that takes power9_fusedcore",
            "hw/slw.c",
        ),
        (spec("power10", "mine", ("P12",), quirk="qemu"), "usually take first", "hw/slw.c"),
        (spec("power8", "mine", ("P10",), quirk="qemu"), "same register", "hw/slw.c"),
    ],
)
def test_what_the_tree_does_not_take_is_refused_with_both_places(
    table: IdleTable, message: str, where: str, tree: Path
) -> None:
    if not message:
        # a name of another file is free
        assert planned(tree, table).steps[0].status == MADE
        return
    message_of, place, other = refused(tree, table)
    assert message in message_of
    assert where in place
    assert other
    assert "power" in place + other


def test_a_tree_without_a_place_to_choose_is_refused(tree: Path) -> None:
    text = (tree / "hw/slw.c").read_text()
    table = spec("power10", "mine", quirk="qemu")
    ten, nine = "if (chip->type == PROC_CHIP_P10 ||", "if (chip->type == PROC_CHIP_P9"
    count = "nr_states = ARRAY_SIZE(power10_cpu_idle_states);"
    for broken, message in (
        (text[: text.index("void add_cpu")], "found none that can be read"),
        (text.replace(nine, nine.replace("(", "(odd() && ", 1)), ""),
        (text.replace(ten, ten.replace("(", "(odd() && ", 1)), "another"),
        (text.replace(count, "count(&nr_states);"), "expected nr_states set beside"),
    ):
        (tree / "hw/slw.c").write_text(broken)
        if message:
            message_of, place, other = refused(tree, table)
            assert message in message_of
            assert place.startswith("hw/slw.c")
            assert "power10.yaml" in other
        else:
            assert planned(tree, table).steps[0].status == MADE


def test_an_array_that_others_take_is_not_taken_for_ours(tree: Path) -> None:
    table = spec("power10", "mine", ("P10",), quirk="qemu")
    made = planned(tree, table)
    write(made.tree, made.files)
    text = (tree / "hw/slw.c").read_text()
    (tree / "hw/slw.c").write_text(text.replace("chip->type == PROC_CHIP_P10 &&", "1 ||"))
    assert "expected" in refused(tree, table)[0]
    (tree / "hw/slw.c").write_text(text.replace("QUIRK_QEMU", "QUIRK_NO_CHIPTOD"))
    message_of, place, _ = refused(tree, table)
    assert "to be taken for chip P10, QUIRK_QEMU alone" in message_of
    assert place.startswith("hw/slw.c:")


def test_a_shared_array_changes_by_its_owners_spec_alone(tree: Path) -> None:
    owner, sharer = find("power10"), find("power11")
    assert planned(tree, sharer).steps[0].status == PRESENT
    states = (replace(sharer.states[0], latency_ns=1500), *sharer.states[1:])
    message_of, place, other = refused(tree, replace(sharer, states=states))
    assert "power11 shares power10_cpu_idle_states with power10" in message_of
    assert ("power1" in place, other.startswith("hw/slw.c:")) == (True, True)
    assert planned(tree, replace(owner, states=states)).steps[0].status == MADE


def test_a_revision_that_shares_an_array_gets_its_chip_where_it_is_taken(tree: Path) -> None:
    for file in ("hw/slw.c", "include/chip.h", "include/skiboot.h"):
        text = (tree / file).read_text().replace(" || chip->type == PROC_CHIP_P11", "")
        text = text.replace("\tPROC_CHIP_P11,\n", "").replace(",\n\tproc_gen_p11", "")
        (tree / file).write_text(text)
    before = choosing(tree)
    made = planned(tree, find("power11"))
    assert sheet.summary(made) == "3 files would change"
    write(made.tree, made.files)
    after = choosing(tree)
    assert before.table_for(MachineKind("P11")).array == ""
    assert after.table_for(MachineKind("P11")).array == "power10_cpu_idle_states"
    for machine in before.machines():
        assert after.table_for(machine).array == before.table_for(machine).array
    assert "PROC_CHIP_P10 ||\n" in (tree / "hw/slw.c").read_text()
    assert "\tPROC_CHIP_P11,\n" in (tree / "include/chip.h").read_text()
    assert planned(tree, find("power11")).steps[0].status == PRESENT


def test_a_spec_without_an_array_gets_one_of_its_own_name(tree: Path) -> None:
    table = spec("power10", "", ("P10",), quirk="qemu")
    added = planned(tree, table).steps[0].added
    assert added is not None
    assert added.claim.array == "power10_new_cpu_idle_states"


@pytest.mark.slow
def test_all_that_is_added_to_a_real_tree_is_right_by_the_compiler(
    skiboot_tree: Path, tmp_path: Path
) -> None:
    """The tool patched_revisions does the same to every release."""
    root = tmp_path / "tree"
    for name in ("hw", "include"):
        shutil.copytree(skiboot_tree / name, root / name)
    (root / ".version").write_text("v7.0\n")
    as_repository(root)
    with skipping():
        trial = patched_revisions.Trial(root)
    words = {
        revision.name: [found.word for found in trial.outcomes(revision, tmp_path)]
        for revision in patched_revisions.revisions()
    }
    assert len(words) == 13
    assert set(map(tuple, words.values())) == {("made", "equal")}
