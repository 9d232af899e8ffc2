"""Edits of C tables: the table is as wanted, and everything else is as it was, to the byte."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.table import Firmware, Flag, IdleState, IdleTable, Register
from idle_states.base.reading.c.lexer import COMMENT, tokens
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot.c_table.structure import FIELD_MEMBERS, Span
from idle_states.tables.skiboot.patching import EditRefused, SourceText, edit_table
from idle_states.tables.spec.library import find
from tests.support import random_tables

ARRAY = "power9_cpu_idle_states"
LONGEST_NAME = 14
ROW = """\
static struct cpu_idle_states power9_cpu_idle_states[] = {{
{rows}
}};
"""
STOP0 = """\
\t{
\t\t.name = "stop0", /* shallow */
\t\t.latency_ns = 300, // ns
\t\t.residency_ns = 3000,
\t\t.flags = 0*OPAL_PM_DEC_STOP \\
\t\t       | 1*OPAL_PM_LOSE_USER_CONTEXT \\
\t\t       | 1*OPAL_PM_STOP_INST_FAST,
\t\t.pm_ctrl_reg_val = OPAL_PM_PSSCR_RL(0) \\
\t\t\t\t | OPAL_PM_PSSCR_MTL(0x3) \\
\t\t\t\t | OPAL_PM_PSSCR_TR(3) \\
\t\t\t\t | OPAL_PM_PSSCR_ESL \\
\t\t\t\t | OPAL_PM_PSSCR_EC,
\t\t.pm_ctrl_reg_mask = OPAL_PM_PSSCR_MASK },"""


def one_row(**values: object) -> IdleState:
    """stop0 of STOP0 with other values."""
    (table,) = c_table.read(ROW.format(rows=STOP0), "slw.c")
    return replace(table.states[0], **values)  # type: ignore[arg-type]


def edited(rows: str, wanted: Sequence[IdleState], before: str = "") -> str:
    text = before + ROW.format(rows=rows)
    return edit_table(SourceText(text, "slw.c"), ARRAY, wanted)


def changed_lines(rows: str, wanted: Sequence[IdleState], before: str = "") -> list[str]:
    old = (before + ROW.format(rows=rows)).split("\n")
    new = edited(rows, wanted, before).split("\n")
    assert len(old) == len(new)
    return [line for line, other in zip(new, old, strict=True) if line != other]


# Single values keep their form


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("300", 1000, "1000"),
        ("0x12C", 1000, "0x3E8"),
        ("0x12c", 1000, "0x3e8"),
        ("0x0000012c", 1000, "0x000003e8"),
        ("300U", 1000, "1000U"),
        ("3*100", 1000, "10*100"),
        ("(300)", 1000, "(1000)"),
        ("(u32) 300", 1000, "(u32) 1000"),
        ("0454", 1000, "01750"),
        ("200 + 100", 1000, "1000"),
        ("200 /* why */ + 100 /* so */", 1000, "1000 /* why */ /* so */"),
        ("3 * 100 /* us */", 1000, "10 * 100 /* us */"),
        ("300", 4294967295, "4294967295"),
    ],
)
def test_numbers_keep_their_style(old: str, new: int, text: str) -> None:
    rows = STOP0.replace("300,", f"{old},")
    (line,) = changed_lines(rows, [one_row(latency_ns=new)])
    assert line == f"\t\t.latency_ns = {text}, // ns"


@pytest.mark.parametrize(
    ("flags", "lines"),
    [
        (Flag.LOSE_USER_CONTEXT | Flag.STOP_INST_FAST | Flag.DEC_STOP, ["= 1*OPAL_PM_DEC_STOP \\"]),
        (Flag.STOP_INST_FAST, ["| 0*OPAL_PM_LOSE_USER_CONTEXT \\"]),
        (Flag.LOSE_USER_CONTEXT | Flag.STOP_INST_DEEP, ["| 1*OPAL_PM_STOP_INST_DEEP,"]),
        (0, ["| 0*OPAL_PM_LOSE_USER_CONTEXT \\", "| 0*OPAL_PM_STOP_INST_FAST,"]),
    ],
)
def test_flags_are_toggled(flags: int, lines: list[str]) -> None:
    found = changed_lines(STOP0, [one_row(flags=int(flags))])
    assert [line.strip().removeprefix(".flags ") for line in found] == lines


def test_a_flag_without_a_term_gets_one_in_the_style_of_the_sum() -> None:
    flags = one_row().flags | Flag.LOSE_FULL_CONTEXT
    text = edited(STOP0, [one_row(flags=flags)])
    assert "1*OPAL_PM_STOP_INST_FAST \\\n\t\t       | 1*OPAL_PM_LOSE_FULL_CONTEXT,\n" in text


def test_flags_without_factors_lose_and_gain_whole_terms() -> None:
    sums = "OPAL_PM_LOSE_USER_CONTEXT /* user */ | OPAL_PM_STOP_INST_FAST | 0x40000000"
    rows = re.sub(r"0\*OPAL_PM_DEC.*?FAST", sums, STOP0, flags=re.DOTALL)
    state = one_row(flags=int(Flag.STOP_INST_DEEP | Flag.DEC_STOP) | 0x40000000)
    (line,) = changed_lines(rows, [state])
    assert line == (
        "\t\t.flags = /* user */ OPAL_PM_STOP_INST_DEEP | 0x40000000 | OPAL_PM_DEC_STOP,"
    )


@pytest.mark.parametrize(
    ("control", "lines"),
    [
        (0x300332, ["= OPAL_PM_PSSCR_RL(2) \\"]),
        (0x300370, ["| OPAL_PM_PSSCR_MTL(0x7) \\"]),
        (0x3003B0, ["| OPAL_PM_PSSCR_MTL(0xb) \\"]),
    ],
)
def test_psscr_fields_are_arguments(control: int, lines: list[str]) -> None:
    found = changed_lines(STOP0, [one_row(control=control)])
    assert [line.strip().removeprefix(".pm_ctrl_reg_val ") for line in found] == lines


def test_psscr_bits_come_and_go() -> None:
    lite = edited(STOP0, [one_row(control=0x330)])
    assert "| OPAL_PM_PSSCR_TR(3),\n\t\t.pm_ctrl_reg_mask" in lite
    back = edit_table(SourceText(lite, "slw.c"), ARRAY, [one_row()])
    assert back == ROW.format(rows=STOP0)
    odd = edited(STOP0, [one_row(control=0x300330 | 1 << 40)])
    assert "| OPAL_PM_PSSCR_EC \\\n\t\t\t\t | 0x10000000000UL,\n" in odd


def test_a_mask_is_named_where_it_can_be() -> None:
    (line,) = changed_lines(STOP0, [one_row(mask=0xF)])
    assert line == "\t\t.pm_ctrl_reg_mask = OPAL_PM_PSSCR_RL_MASK },"
    (line,) = changed_lines(STOP0, [one_row(mask=0xFF)])
    assert line == "\t\t.pm_ctrl_reg_mask = 0xffUL },"


def test_names_of_the_tree_are_used() -> None:
    """A flag that rows name otherwise than today's skiboot is added by the rows' name."""
    before = "#define IDLE_DEC_STOP 1\n#define IDLE_TB_STOP 2\n"
    rows = STOP0.replace("OPAL_PM_DEC_STOP", "IDLE_TB_STOP").replace(
        "\t\t       | 1*OPAL_PM_LOSE_USER_CONTEXT \\\n", ""
    )
    other = STOP0.replace("0*OPAL_PM_DEC_STOP", "0*IDLE_DEC_STOP").replace("stop0", "stop1")
    flags = int(Flag.DEC_STOP | Flag.STOP_INST_FAST)
    states = [one_row(flags=flags), replace(one_row(), name="stop1")]
    assert "| 1*IDLE_DEC_STOP,\n" in edited(f"{rows}\n{other}", states, before)


def test_a_member_left_out_is_put_in_its_place() -> None:
    rows = STOP0.replace("\t\t.residency_ns = 3000,\n", "")
    other = STOP0.replace("stop0", "stop1")
    states = [one_row(), replace(one_row(), name="stop1")]
    assert edited(f"{rows}\n{other}", states) == ROW.format(
        rows=f"{STOP0}\n{other}".replace(
            "300, // ns\n\t\t.residency_ns = 3000,", "300,\n\t\t.residency_ns = 3000, // ns", 1
        )
    )


def test_values_by_position_stay_so() -> None:
    rows = '{ "stop0", 300, 3000, 0x300330UL, 0x3003ffUL, 0x101000 },'
    assert edited(rows, [one_row(latency_ns=1000, control=0x300331, flags=0x201000)]) == ROW.format(
        rows='{ "stop0", 1000, 3000, 0x300331UL, 0x3003ffUL, 0x201000 },'
    )


# What other rows may mean too is not touched


def test_a_value_behind_a_macro_is_refused() -> None:
    before = "#define SHALLOW 300\n"
    rows = STOP0.replace("300,", "SHALLOW,")
    other = rows.replace("stop0", "stop1")
    states = [one_row(latency_ns=1000), replace(one_row(), name="stop1")]
    with pytest.raises(EditRefused, match="behind the macro SHALLOW, used in 2 places"):
        edited(f"{rows}\n{other}", states, before)
    with pytest.raises(EditRefused, match="behind the macro SHALLOW, used here alone"):
        edited(rows, states[:1], before)
    # another value of the row is no matter
    (line,) = changed_lines(rows, [one_row(residency_ns=10000)], before)
    assert line == "\t\t.residency_ns = 10000,"


MAKING = """\
#define ROW(n, l) { .name = n, .latency_ns = l, .residency_ns = 9 }
#define FLAGS .flags = 0
"""
MADE = '\tROW("stop0", 100),\n\t{ .name = "stop1", .latency_ns = 300, FLAGS, .residency_ns = 9 },'


def of_macros(**values: object) -> list[IdleState]:
    """The rows of MADE, the second with other values."""
    (table,) = c_table.read(MAKING + ROW.format(rows=MADE), "slw.c")
    return [table.states[0], replace(table.states[1], **values)]  # type: ignore[arg-type]


def test_what_a_macro_makes_is_refused_by_its_name() -> None:
    first, second = of_macros()
    for wanted, place, message in (
        ([replace(first, latency_ns=1), second], "ROW(", "latency .* the macro ROW makes"),
        ([replace(first, flags=1), second], "ROW(", "row .* the macro ROW makes"),
        ([replace(first, name="stop9"), second], "ROW(", "name .* the macro ROW makes"),
        ([second], "ROW(", "row .* the macro ROW makes"),
        ([first, replace(second, flags=1)], "FLAGS,", "flags .* the macro FLAGS makes"),
    ):
        with pytest.raises(EditRefused, match=message) as caught:
            edited(MADE, wanted, MAKING)
        assert (MAKING + ROW.format(rows=MADE))[caught.value.start :].startswith(place)


def test_what_stands_beside_a_macro_can_change() -> None:
    assert changed_lines(MADE, of_macros(latency_ns=400), MAKING) == [
        '\t{ .name = "stop1", .latency_ns = 400, FLAGS, .residency_ns = 9 },'
    ]
    first, second = of_macros()
    assert edited(MADE, [second, first], MAKING).endswith(
        'residency_ns = 9 },\n\tROW("stop0", 100),\n};\n'
    )
    text = edited(MADE, [first, replace(second, name="stop2", latency_ns=7), second], MAKING)
    assert [state.name for state in c_table.read(text, "slw.c")[0].states] == [
        "stop0", "stop2", "stop1",
    ]  # fmt: skip


def test_flags_beside_a_macro_can_change() -> None:
    before = "#define CONTEXT OPAL_PM_LOSE_USER_CONTEXT\n"
    rows = STOP0.replace("1*OPAL_PM_LOSE_USER_CONTEXT", "CONTEXT")
    flags = int(Flag.LOSE_USER_CONTEXT | Flag.STOP_INST_DEEP)
    (line,) = changed_lines(rows, [one_row(flags=flags)], before)
    assert line == "\t\t       | 1*OPAL_PM_STOP_INST_DEEP,"
    with pytest.raises(EditRefused, match="behind the macro CONTEXT"):
        edited(rows, [one_row(flags=int(Flag.STOP_INST_FAST))], before)


def test_residencies_need_the_member() -> None:
    text = (
        "struct cpu_idle_states { char name[16]; u32 latency_ns; u32 flags; u64 pmicr; "
        'u64 pmicr_mask; };\nstatic struct cpu_idle_states x_cpu_idle_states[] = {{ "nap", 4000 }};'
    )
    source = SourceText(text, "slw.c")
    state = source.tables["x_cpu_idle_states"].table.states[0]
    assert state.residency_ns is None
    with pytest.raises(EditRefused, match="older than target residencies"):
        edit_table(source, "x_cpu_idle_states", [replace(state, residency_ns=100_000)])
    with pytest.raises(EditRefused, match="which the struct has"):
        edited(STOP0, [one_row(residency_ns=None)])
    done = edit_table(source, "x_cpu_idle_states", [replace(state, latency_ns=100)])
    assert done == text.replace("4000", "100")


def test_a_residency_of_0_is_written_where_nothing_else_shows_the_member() -> None:
    """Without headers and rows, only a row can say that the struct has residencies."""
    assert ".residency_ns = 0" in edited("", [one_row(residency_ns=0)])


# Whole rows


def test_rows_come_go_and_move_as_whole_lines() -> None:
    source = SourceText(c_table.write([find("power9")]), "slw.c")
    states = list(find("power9").states)
    removed = edit_table(source, ARRAY, states[:2] + states[3:])
    assert lines_only_in(removed, source.text) == []
    assert len(lines_only_in(source.text, removed)) == 16
    back = edit_table(source.with_text(removed), ARRAY, states)
    assert c_table.read(back, "slw.c")[0].same_values(find("power9"))
    moved = edit_table(source, ARRAY, [states[1], states[0], *states[2:]])
    assert sorted(moved.split("\n")) == sorted(source.text.split("\n"))


def lines_only_in(text: str, other: str) -> list[str]:
    left = other.split("\n")
    found = []
    for line in text.split("\n"):
        if line in left:
            left.remove(line)
        else:
            found.append(line)
    return found


def test_a_row_renamed_stays_where_it_is() -> None:
    (line,) = changed_lines(STOP0, [one_row(name="shallow")])
    assert line == '\t\t.name = "shallow", /* shallow */'


def test_a_size_follows_the_rows() -> None:
    text = ROW.format(rows=STOP0).replace("[]", "[1]")
    states = [one_row(), replace(one_row(), name="stop1", control=0x300331)]
    done = edit_table(SourceText(text, "slw.c"), ARRAY, states)
    assert "power9_cpu_idle_states[2] = {" in done
    sized = "#define ROWS 1\n" + text.replace("[1]", "[ROWS]")
    with pytest.raises(EditRefused, match="the array's size as a number or none, found ROWS"):
        edit_table(SourceText(sized, "slw.c"), ARRAY, states)


def test_comments_and_disabled_rows_stay() -> None:
    dead = "#if 0\n" + STOP0.replace("stop0", "dead") + "\n#endif"
    rows = f"\t/* first */\n{STOP0}\n\t/* gone */\n{dead}"
    text = edited(rows, [replace(one_row(), name="stop1", control=0x300331)])
    for kept in ("\t/* first */\n", "\t/* gone */\n", dead):
        assert kept in text
    assert '"stop0"' not in text
    assert edited(rows, []).count("{") == rows.count("{")


def test_windows_line_ends_stay() -> None:
    text = ROW.format(rows=STOP0).replace("\n", "\r\n")
    states = [one_row(latency_ns=1000), replace(one_row(), name="stop1", control=0x330)]
    done = edit_table(SourceText(text, "slw.c"), ARRAY, states)
    assert done.count("\n") == done.count("\r\n")


# At random


def table_of(states: Sequence[IdleState], array: str) -> IdleTable:
    return IdleTable(array, tuple(states), Register.PSSCR, firmware=Firmware(array=array))


def noisy(text: str, rng: random.Random) -> str:
    """The same C with comments and blanks at random between its tokens, and disabled rows."""
    pieces, position = [], 0
    for token in tokens(text):
        pieces.append(text[position : token.start])
        if rng.random() < 0.04 and text[:position].strip():
            pieces.append(rng.choice([" ", "\n", " /* a, b | c */ ", "/*x*/", "\t", " // end\n"]))
        pieces.append(token.text)
        position = token.end
    noised = "".join([*pieces, text[position:]])
    dead = '#if 0\n\t{ .name = "dead", .latency_ns = 1 },\n#endif\n'
    return re.sub(
        r"^\t\{", lambda match: rng.choice(["", "", "", dead, "\n"]) + match[0], noised, flags=re.M
    )


def varied(state: IdleState, rng: random.Random) -> IdleState:
    """Some of the row's values changed."""
    other = random_tables.state(rng, 0, LONGEST_NAME)
    fields = ("latency_ns", "residency_ns", "flags", "control", "mask")
    return replace(state, **{f: getattr(other, f) for f in fields if rng.random() < 0.3})


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_random_values(seed: int) -> None:
    """The table read is the one intended; between the values that change, every byte is kept."""
    rng = random.Random(seed)
    states = random_tables.states(rng, 5, LONGEST_NAME)
    others = random_tables.states(rng, 3, LONGEST_NAME)
    text = c_table.write([table_of(others, "a"), table_of(states, ARRAY), table_of(others, "z")])
    source = SourceText(noisy(text, rng), "slw.c")
    wanted = [varied(state, rng) for state in states]
    done = source.with_text(edit_table(source, ARRAY, wanted))
    assert [s.values() for s in done.tables[ARRAY].table.states] == [s.values() for s in wanted]
    for name in ("a", "z"):
        assert done.tables[name].table.same_values(source.tables[name].table)
    assert outside(source, states, wanted) == outside(done, states, wanted)
    assert comments(source.text) == comments(done.text)


def outside(
    source: SourceText, states: Sequence[IdleState], wanted: Sequence[IdleState]
) -> list[str]:
    """The text around the values that differ; a comment in a value may follow its new text."""
    spans: list[Span] = []
    for row, old, new in zip(source.tables[ARRAY].rows, states, wanted, strict=True):
        for (_, members), a, b in zip(
            FIELD_MEMBERS.items(), in_order(old), in_order(new), strict=True
        ):
            if a != b:
                spans.append(row.members[members[0]])
    position, found = 0, []
    for span in sorted(spans, key=lambda span: span.start):
        found.append(source.text[position : span.start])
        position = span.end
    found.append(source.text[position:])
    return [re.sub(rf"\A(?:\s|{COMMENT})+", "", piece, flags=re.DOTALL) for piece in found]


def in_order(state: IdleState) -> tuple[object, ...]:
    """Values in the order of FIELD_MEMBERS."""
    name, latency, residency, flags, control, mask = state.values()
    return name, latency, residency, control, mask, flags


def comments(text: str) -> list[str]:
    """Words of all comments, in order."""
    found = re.findall(rf"{COMMENT}", text, re.DOTALL)
    return sorted(re.sub(r"^//|^/\*|\*/$", "", comment).strip() for comment in found)


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_random_rows(seed: int) -> None:
    """Rows that come, go, move and change: the table is as intended, the file around it kept."""
    rng = random.Random(seed)
    states = random_tables.states(rng, 5, LONGEST_NAME)
    fresh = [replace(s, name=f"n{i}") for i, s in enumerate(random_tables.states(rng, 3, 5))]
    wanted = [varied(s, rng) if rng.random() < 0.3 else s for s in states if rng.random() < 0.7]
    for state in fresh:
        wanted.insert(rng.randrange(len(wanted) + 1), state)
    if rng.random() < 0.3:
        rng.shuffle(wanted)
    text = c_table.write([table_of([], "a"), table_of(states, ARRAY), table_of(states, "z")])
    source = SourceText(noisy(text, rng), "slw.c")
    done = source.with_text(edit_table(source, ARRAY, wanted))
    assert [s.values() for s in done.tables[ARRAY].table.states] == [s.values() for s in wanted]
    old, new = source.tables[ARRAY].array.initialiser, done.tables[ARRAY].array.initialiser
    assert source.text[: old.start] == done.text[: new.start]
    assert source.text[old.end :] == done.text[new.end :]
    assert source.text.count("#if 0") == done.text.count("#if 0")
    again = edit_table(done, ARRAY, wanted)
    assert again == done.text


UNDECIDED = {
    "a row": f"#ifdef CONFIG_DEEP\n{STOP0}\n#endif",
    "a value": STOP0.replace("\t\t.latency_ns", "#ifndef __SKIBOOT__\n\t\t.latency_ns").replace(
        "3000,\n", "3000,\n#else\n\t\t.latency_ns = 1,\n#endif\n"
    ),
    "two names": f"{STOP0}\n#if defined(CONFIG_A) && \\\n CONFIG_B\n\t{{ }},\n#endif",
}


@pytest.mark.parametrize("what", UNDECIDED)
def test_text_that_a_build_decides_on_is_refused(what: str) -> None:
    rows = UNDECIDED[what] if what != "a row" else f"{STOP0}\n{UNDECIDED[what]}"
    text = ROW.format(rows=rows)
    source = SourceText(text, "slw.c")
    states = source.tables[ARRAY].table.states
    wanted = [replace(states[0], control=1), *states[1:]]
    with pytest.raises(
        EditRefused, match="which neither the file nor the tree's headers"
    ) as caught:
        edit_table(source, ARRAY, wanted)
    assert text[caught.value.start : caught.value.end].startswith("#if")
    name = {"a row": "CONFIG_DEEP", "a value": "__SKIBOOT__", "two names": "CONFIG_A and CONFIG_B"}
    assert f"depends on {name[what]}," in caught.value.message


def test_a_table_in_a_branch_of_the_build_is_refused() -> None:
    other = ROW.format(rows=STOP0.replace("300,", "77,"))
    text = f"#ifdef __SKIBOOT__\n{other}#else\n{ROW.format(rows=STOP0)}#endif\n"
    with pytest.raises(EditRefused, match="__SKIBOOT__"):
        edit_table(SourceText(text, "slw.c"), ARRAY, [one_row(latency_ns=5)])


@pytest.mark.parametrize(
    "before",
    [
        "#ifdef CONFIG_P8\nint x;\n#endif\n",
        "#define DEEP 1\n#if DEEP\n#else\n#endif\n",
        "#ifndef HERE\n#define HERE\n#endif\n",
    ],
)
def test_conditionals_elsewhere_and_decided_ones_are_none_of_its_business(before: str) -> None:
    rows = f"#if 0\n\t{{ CONFIG_P8 }},\n#elif 1\n{STOP0}\n#endif"
    lines = changed_lines(rows, [one_row(latency_ns=5)], before)
    assert lines == ["\t\t.latency_ns = 5, // ns"]
    defined = SourceText(
        ROW.format(rows=f"#ifdef IN_HEADER\n{STOP0}\n#endif"), "slw.c", {"IN_HEADER": ""}
    )
    assert "= 5, // ns" in edit_table(defined, ARRAY, [one_row(latency_ns=5)])
