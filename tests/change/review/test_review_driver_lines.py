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
WAIT = ROW.format(
    name="C0.2", hint="TPAUSE_C02_STATE", more=" | CPUIDLE_FLAG_COUPLED", exit=1, residency=2
)
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


@pytest.mark.parametrize("context", [1, 3, 20])
def test_a_table_of_which_a_hunk_shows_a_row_or_all(history: History, context: int) -> None:
    small = OWN.format(first="ARM_CPUIDLE_WFI_STATE")
    history.commit({OTHER: HEAD + small}, "A driver")
    changed = small.replace("target_residency = 40", "target_residency = 80")
    mail = mailed(history, OTHER, HEAD + changed)
    history.git("format-patch", "-q", "-1", f"-U{context}", "-o", str(mail.parent))
    found = reviewed(mail)
    if context < 3:
        # two lines do not show the row's name
        assert not found.changes[0].tables
        assert found.unread_lines == 2
        return
    (table,) = (table for change in found.changes for table in change.tables)
    assert not found.unread_lines
    is_partial = any("shows some rows: the others are not known" in r for r in found.remarks)
    assert is_partial == (context < 20)
    assert bool(table.selection or table.linux) == (context == 20)
    assert [(d.path, d.a, d.b) for d in table.differences] == [
        ("states.retention.residency", "40us", "80us")
    ]
    # whether a row is the driver's first, which is judged otherwise, three lines do not show
    assert [f.rule for f in table.outcome.fixed] == (["IS206"] if context == 20 else [])


@pytest.mark.parametrize(
    ("old", "new", "expected", "unread"),
    [
        ("exit_latency = 190", "exit_latency = 90", [("states.C6.latency", "190us", "90us")], 0),
        # what a header defines is not known, and no row goes for it
        ("exit_latency = 190", "exit_latency = OF_A_HEADER", [], 2),
        ('{\n\t\t.name = "C6"', '{\n\t\t.name = "C7"', [], 2),
        ("TLB_FLUSHED", "OF_A_HEADER", [], 2),
        ("\t{\n\t\t.enter", f"{WAIT}\t{{\n\t\t.enter", [("states.C0.2", "absent", "1us/2us")], 0),
    ],
)
def test_a_row_that_a_diff_shows(
    history: History, old: str, new: str, expected: list[tuple[str, ...]], unread: int
) -> None:
    assert old in OLD
    found = reviewed(mailed(history, INTEL, HEAD + OLD.replace(old, new)))
    differences = [d for c in found.changes for table in c.tables for d in table.differences]
    assert [(d.path, d.a, d.b) for d in differences] == expected
    assert found.unread_lines == unread


def test_what_a_diff_does_not_show_is_counted(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit({INTEL: HEAD + OLD}, "Before")
    history.commit({INTEL: HEAD + OLD.replace("exit_latency = 190", "exit_latency = 90")})
    mail = history.directory.parent / "mail.patch"
    mail.write_text(history.git("format-patch", "-1", "-U1", "--stdout"))
    assert main(["review", str(mail), "--kernel", "6.12", "--runs", "0"]) == 3
    out = " ".join(capsys.readouterr().out.split())
    assert f"{INTEL}: 2 changed lines of tables ignored" in out


def test_of_a_table_with_values_of_headers_other_rows_are_read(history: History) -> None:
    row = '{ .name = "x", .exit_latency = OF_A_HEADER }'
    mail = mailed(history, OTHER, HEAD + OWN.format(first=row))
    found = reviewed(mail)
    (table,) = found.changes[0].tables
    assert [(d.path, d.b) for d in table.differences] == [("states.retention", "50us/40us")]
    assert found.unread_lines == 4


def test_a_driver_that_is_new_is_read_with_its_own_macros(history: History) -> None:
    text = HEAD + "#define OWN_US 3\n" + OWN.format(first='{ .name = "x", .exit_latency = OWN_US }')
    mail = mailed(history, "drivers/cpuidle/cpuidle-new.c", text)
    found = reviewed(mail)
    (table,) = found.changes[0].tables
    assert ("states.x", "3us/0ns") in [(d.path, d.b) for d in table.differences]
    assert not found.unread_lines


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


@pytest.mark.parametrize("unknown", ["", "\t.cpumask = OF_A_HEADER,\n"])
@pytest.mark.parametrize(
    ("statement", "expected"),
    [("", ["IS204"]), ("own_driver.states[2].disabled = true;", [])],
)
def test_rows_that_shown_code_switches_off_are_not_compared(
    history: History, unknown: str, statement: str, expected: list[str]
) -> None:
    third = '\t\t{\n\t\t\t.name = "off",\n\t\t\t.exit_latency = 60,\n'
    third += "\t\t\t.target_residency = 20,\n\t\t},\n\t},\n\t.state_count"
    driver = OWN.format(first="ARM_CPUIDLE_WFI_STATE").replace("\t},\n\t.state_count", third)
    code = f"static int start(void)\n{{\n\tif (is_old())\n\t\t{statement}\n\treturn 0;\n}}\n"
    text = HEAD + driver.replace("\t.states", f"{unknown}\t.states") + code
    found = reviewed(mailed(history, OTHER, text))
    assert [f.rule for f in found.new if f.rule in ("IS204", "IS205")] == expected


def test_code_that_writes_times_into_tables_is_counted(history: History) -> None:
    lines = "\tnew_cstates[1].exit_latency = 92;\n\tif (new_cstates[1].exit_latency == 92)\n"
    code = f"void f(void)\n{{\n\tdrv->states[0].exit_latency = 1;\n{lines}}}\n"
    found = reviewed(mailed(history, INTEL, HEAD + OLD + code))
    assert found.unread_lines == 1
    assert any("1 changed line of tables ignored" in remark for remark in found.remarks)


def test_rows_of_a_table_that_git_does_not_name_are_read(history: History) -> None:
    """Git names none for an array whose first line has a break, after a function."""
    table = OLD.replace("old_cstates[] __initdata", "\n\told_cstates[]").replace("states = ", "")
    before = HEAD + "static int f(void)\n{\n}\n" + table
    history.commit({INTEL: before}, "Before")
    found = reviewed(
        mailed(
            history,
            INTEL,
            before.replace("\t{\n\t\t.enter = NULL", f"{C1}\t{{\n\t\t.enter = NULL").replace(
                '"C1"', '"C1"', 1
            ),
        )
    )
    assert not found.unread_lines


def test_code_beside_tables_is_none_that_was_not_read(history: History) -> None:
    code = "int f(struct cpuidle_driver *drv)\n{\n\tdrv->state_count = nr_states = 3;\n}\n"
    assert not reviewed(mailed(history, OTHER, HEAD + code)).unread_lines


def test_words_of_a_comment_open_no_table(history: History) -> None:
    code = "/*\n * Keeps the struct cpuidle_state flags\n */\nint f(void)\n{\n\treturn 3;\n}\n"
    assert not reviewed(mailed(history, OTHER, HEAD + code)).unread_lines
