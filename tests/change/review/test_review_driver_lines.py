"""review without a tree: the tables of Linux's drivers, as far as a diff shows them whole."""

from pathlib import Path

import pytest

from idle_states.change.review.answer import review
from idle_states.change.review.request import ReviewRequest
from idle_states.change.review.result import Review
from idle_states.cli import main
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.built_in.headers import SIGN
from idle_states.tables.linux.releases import release
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot.platform import ALL_LEVELS
from tests.support.git_history import History

INTEL, OTHER = "drivers/idle/intel_idle.c", "drivers/cpuidle/cpuidle-own.c"
HEAD = "/* ours */\n#define MWAIT2flg(hint) ((hint) << 24)\n" + "\n" * 12
ROW = """\
	{{
		.name = "{name}",
		.desc = "MWAIT {hint}",
		.flags = MWAIT2flg({hint}){more},
		.exit_latency = {exit},
		.target_residency = {residency},
		.enter = &intel_idle,
		.enter_s2idle = intel_idle_s2idle, }},
"""
END = "\t{\n\t\t.enter = NULL }\n};\n"
C1 = ROW.format(name="C1", hint="0x00", more="", exit=1, residency=2)
C6 = ROW.format(name="C6", hint="0x20", more=" | CPUIDLE_FLAG_TLB_FLUSHED", exit=190, residency=600)
OLD = f"static struct cpuidle_state old_cstates[] __initdata = {{\n{C1}{C6}{END}"
NEW = f"static struct cpuidle_state new_cstates[] __initdata = {{\n{C6}{C1}{END}"
CRITERIA = Criteria((release("6.12"),), ALL_LEVELS, RuleSelection())
OWN = """\
static struct cpuidle_driver own_driver = {{
	.name = "own_idle",
	.states = {{
		{first},
		{{
			.name = "retention",
			.exit_latency = 50,
			.target_residency = 40,
		}},
	}},
	.state_count = 2,
}};
"""


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    made = History(tmp_path / "linux")
    flags = "#define CPUIDLE_FLAG_TLB_FLUSHED (1 << 5)\n"
    made.commit({SIGN: flags, INTEL: HEAD + OLD, OTHER: HEAD}, "First")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return made


def mailed(history: History, path: str, text: str, message: str = "Change it") -> Path:
    history.commit({path: text}, message)
    directory = history.directory.parent / "mails"
    history.git("format-patch", "-q", "-1", "-o", str(directory))
    (mail,) = directory.iterdir()
    return mail


def reviewed(mail: Path) -> Review:
    return review(ReviewRequest(None, CRITERIA, mail=str(mail), runs=0))


def test_a_new_table_is_read_from_the_diff_s_own_lines(history: History) -> None:
    mail = mailed(history, INTEL, HEAD + OLD + "\n" + NEW)
    found = reviewed(mail)
    (table,) = (table for change in found.changes for table in change.tables)
    assert table.before is None
    assert table.after is not None
    assert table.after.table is not None
    assert [(s.name, s.latency_ns, s.residency_ns) for s in table.after.table.states] == [
        ("C6", 190_000, 600_000),
        ("C1", 1_000, 2_000),
    ]
    assert not found.unread_lines
    places = {(f.rule, f.location.file, f.location.line) for f in found.new}
    # the same as in its tree, at the same lines
    request = ReviewRequest("HEAD~1..HEAD", CRITERIA, (history.directory,), runs=0)
    assert ("IS204", INTEL, (HEAD + OLD + "\n" + NEW).count("\n") - 5) in places
    assert places == {(f.rule, f.location.file, f.location.line) for f in review(request).new}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Clear state before idle\n\nC6 may then go deeper.", ["IS510"]),
        ("intel_idle: add new", []),
        ("Add Some Lake support", []),
        ("Idle deeper\n\nThe C-states are those of the data sheet.", []),
        ("Clear state of Tremont", []),
    ],
)
def test_a_new_table_is_mentioned_in_the_message(
    history: History, message: str, expected: list[str]
) -> None:
    known = (
        "static const struct idle_cpu idle_cpu_new = {\n\t.state_table = new_cstates,\n};\n"
        "static const struct x86_cpu_id intel_idle_ids[] __initconst = {\n"
        "\tX86_MATCH_VFM(INTEL_ATOM_TREMONT_D, &idle_cpu_new),\n\t{}\n};\n"
    )
    header = "#define INTEL_ATOM_TREMONT_D 0x686\n"
    mail = mailed(history, INTEL, HEAD + header + OLD + "\n" + NEW + known, message)
    trees = (history.directory,)
    whole = review(ReviewRequest(None, CRITERIA, trees, mail=str(mail), runs=0, base="HEAD~1"))
    assert [f.rule for f in whole.new if f.rule == "IS510"] == expected
    assert (
        "Tremont" in message
        or [f.rule for f in reviewed(mail).new if f.rule == "IS510"] == expected
    )


def test_a_table_that_goes_or_that_a_hunk_shows_on_both_sides(history: History) -> None:
    small = OWN.format(first="ARM_CPUIDLE_WFI_STATE")
    history.commit({OTHER: HEAD + small}, "A driver")
    changed = small.replace("target_residency = 40", "target_residency = 80")
    mail = mailed(history, OTHER, HEAD + changed)
    found = reviewed(mail)
    assert found.unread_lines == 2  # three lines of context do not show the whole table
    history.git("format-patch", "-q", "-1", "-U20", "-o", str(mail.parent))
    (table,) = (table for change in reviewed(mail).changes for table in change.tables)
    assert [(d.path, d.a, d.b) for d in table.differences] == [
        ("states.retention.residency", "40us", "80us")
    ]
    assert [f.rule for f in table.outcome.fixed] == ["IS206"]


def test_what_a_diff_does_not_show_whole_is_counted_and_not_assumed(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    mail = mailed(history, INTEL, HEAD + OLD.replace("exit_latency = 190", "exit_latency = 90"))
    found = reviewed(mail)
    assert not found.changes[0].tables
    assert found.unread_lines == 2
    assert main(["review", str(mail), "--kernel", "6.12", "--runs", "0"]) == 3
    out = " ".join(capsys.readouterr().out.split())
    assert f"{INTEL}: 2 changed lines of tables left aside" in out


def test_a_value_that_a_header_defines_is_not_known(history: History) -> None:
    mail = mailed(history, OTHER, HEAD + OWN.format(first="{ .exit_latency = OF_A_HEADER }"))
    found = reviewed(mail)
    assert not found.changes[0].tables
    assert found.unread_lines > 5
    assert found.new == []


def test_a_value_that_the_diff_s_own_lines_define_is_known(history: History) -> None:
    driver = OWN.format(first="ARM_CPUIDLE_WFI_STATE").replace("= 50", "= EXIT")
    named = "#define EXIT 60\n"
    found = reviewed(mailed(history, OTHER, HEAD + named + driver))
    assert [f.message for f in found.new if f.rule == "IS206"] == [
        "retention has an exit latency of 60us, not below its target residency of 40us"
    ]
    history.commit({OTHER: HEAD}, "Go back")
    several = "#ifdef CONFIG_FAST\n#define EXIT 6\n#else\n#define EXIT 60\n#endif\n"
    found = reviewed(mailed(history, OTHER, HEAD + several + driver))
    assert not found.changes[0].tables
    assert found.unread_lines > 5


def test_a_driver_of_the_wait_alone_is_told_from_its_own_lines(history: History) -> None:
    alone = """\
#define STATES 1
static struct cpuidle_driver own_driver = {
	.states[0] = { .name = "WFI", .exit_latency = 1, .target_residency = 1 },
	.state_count = STATES,
};
"""
    (finding,) = reviewed(mailed(history, OTHER, HEAD + alone)).new
    assert finding.rule == "IS426"
    history.commit({OTHER: HEAD}, "Go back")
    two = alone.replace("STATES 1", "STATES 2").replace("own_", "other_")
    assert reviewed(mailed(history, OTHER, HEAD + two)).new == []


def test_code_beside_tables_is_none_that_was_not_read(history: History) -> None:
    code = "int f(struct cpuidle_driver *drv)\n{\n\tdrv->state_count = nr_states = 3;\n}\n"
    assert not reviewed(mailed(history, OTHER, HEAD + code)).unread_lines
