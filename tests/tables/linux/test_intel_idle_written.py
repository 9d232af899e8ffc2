"""Tests of what is written for intel_idle: values of table=, which the driver's rules must accept,
and rows of C, which gcc must store as they are."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import UsageError
from idle_states.tables.linux.cpuidle_flags import UNUSABLE
from idle_states.tables.linux.intel_idle import c_rows
from idle_states.tables.linux.intel_idle.cmdline import Times, table_argument
from idle_states.tables.linux.intel_idle.known import driver_data, known_tables
from idle_states.tables.linux.intel_idle.packaged import table_named
from idle_states.tables.linux.intel_idle.states import NAME2FLAG
from idle_states.tables.linux.intel_idle.table_parameter import Adjustable, adjusted, unfit
from idle_states.tables.sources import read_table
from tests.support.commands import Capture, run
from tests.support.thorough import examples

POLL = Adjustable("POLL", 0, 0)
STOCKS = [
    (POLL, *(Adjustable(row.name, *row.times) for row in table.rows if "U" not in row.flags))
    for table in known_tables()
]


@st.composite
def cases(draw: st.DrawFn) -> tuple[tuple[Adjustable, ...], dict[str, Times]]:
    """States of a packaged table, and times for some of them, mostly some that are in order."""
    stock = draw(st.sampled_from(STOCKS))
    names = draw(st.lists(st.sampled_from([s.name for s in stock[1:]]), unique=True))
    wanted = {}
    for state in stock[1:]:
        if state.name in names:
            latency = max(0, state.exit_latency_us + draw(st.integers(-3, 400)))
            wanted[state.name] = latency, latency + draw(st.integers(-1, 3000))
    return stock, wanted


@settings(max_examples=examples(40, 300), deadline=None)
@given(cases())
def test_what_is_written_is_accepted_and_gives_the_wanted_times(
    case: tuple[tuple[Adjustable, ...], dict[str, Times]],
) -> None:
    stock, wanted = case
    try:
        written = table_argument(stock, wanted)
    except UsageError:
        assert unfit(_with(stock, wanted))
        return
    result = adjusted(stock, written.value)
    assert result.verdict == ("accepted" if written.value else "absent")
    assert result.states == written.states
    for before, state in zip(stock[1:], result.states[1:], strict=True):
        times = state.exit_latency_us, state.target_residency_us
        if state.name in wanted:
            assert times == wanted[state.name]
        elif state != before:
            assert state.name in unfit(stock)
            assert any(text.startswith(f"{state.name} becomes") for text in written.repaired)
    changed = [
        state.name for before, state in zip(stock, result.states, strict=True) if before != state
    ]
    named = [entry.partition(":")[0] for entry in written.value.split(",") if entry]
    assert named == changed


def _with(stock: tuple[Adjustable, ...], wanted: dict[str, Times]) -> list[Adjustable]:
    return [
        Adjustable(state.name, *wanted[state.name]) if state.name in wanted else state
        for state in stock
    ]


def test_every_stock_table_can_be_changed_at_all() -> None:
    """Its own rows are repaired where they make the driver refuse everything: the last state gets
    another residency."""
    repaired = set()
    for table, stock in zip(known_tables(), STOCKS, strict=True):
        last = stock[-1]
        latency = min(last.exit_latency_us, 5000)
        wanted = {last.name: (latency, min(last.target_residency_us + 7, 100_000))}
        written = table_argument(stock, wanted)
        assert adjusted(stock, written.value).verdict == "accepted"
        if written.repaired:
            repaired.add(table.name)
    assert {"skl_cstates", "byt_cstates"} <= repaired
    assert not repaired & {"skx_cstates", "icx_cstates", "spr_cstates", "gnr_cstates"}


def test_a_refusal_has_the_words_of_the_rule(capsys: Capture) -> None:
    for text, words in (
        (
            "C6:150:19",
            "C6: its residency of 19 us is below its latency of 150 and its residency of 19 us is "
            "not above C1E's 20",
        ),
        ("C6:6000:9000", "C6: its exit latency of 6000 us is not from 1 to 5000"),
        ("C1E:2:20", "C1E: its exit latency of 2 us is not above C1's 2"),
    ):
        name, latency, residency = text.split(":")
        with pytest.raises(UsageError, match=words):
            table_argument(STOCKS[_skx()], {name: (int(latency), int(residency))})
    with pytest.raises(UsageError, match=r"expected a state that Linux registers .* found 'C7'"):
        table_argument(STOCKS[_skx()], {"C7": (1, 2)})
    status, out, err = run(capsys, "generate", "--to", "cmdline", "intel:skx", "--kernel", "6.19")
    assert (status, out) == (2, "")
    assert "expected Linux 7.0 or later" in err


def _skx() -> int:
    return max(at for at, table in enumerate(known_tables()) if table.name == "skx_cstates")


def test_generate_writes_the_parameter(capsys: Capture) -> None:
    for words, line in (
        (("intel:icx@5.10", "--kernel", "7.0"), "intel_idle.table=C6:128:384\n"),
        (("--platform", "skx,table=C6:0x96:", "--kernel", "7.0"), "intel_idle.table=C6:150:\n"),
        (("intel:skx",), ""),
        (
            ("--platform", "wcl,acpi=0x00/1:0x21/127:0x60/1048,table=C3_ACPI:1048:2500"),
            "intel_idle.table=C3_ACPI::2500\n",
        ),
    ):
        assert run(capsys, "generate", "--to", "cmdline", *words)[:2] == (0, line)
    skl = ("--platform", "skl,table=C7s::799,C8::801,C10::6000,C6::250", "--kernel", "7.0")
    assert run(capsys, "generate", "--to", "cmdline", *skl)[1] == (
        "intel_idle.table=C6::250,C7s::799,C8::801,C10::6000\n"
    )


@pytest.mark.parametrize(
    ("platform", "words"),
    [
        (
            "skl,table=C6:100:300",
            "found C6:100:300: C-state 'C8' validation failed; "
            "no value is accepted that leaves C8 or C10 as it is",
        ),
        ("skx,table=C6", "found C6: not NAME:LATENCY:RESIDENCY"),
        ("skx,table=C7:1:1", "found C7:1:1: C-state 'C7' was not found"),
    ],
)
def test_a_value_that_the_driver_refuses_is_not_taken_for_none(
    platform: str, words: str, capsys: Capture
) -> None:
    asked = ("generate", "--to", "cmdline", "--platform", platform, "--kernel", "7.0")
    status, out, err = run(capsys, *asked)
    assert (status, out) == (2, "")
    assert f"expected a table= that Linux 7.0 accepts whole, {words}" in err
    assert "without a parameter" not in err


_PRELUDE = """\
#include <stdio.h>
#define __initdata
#define MWAIT2flg(h) ((((unsigned int)(h)) & 0xFF) << 24)
struct cpuidle_state {
	char name[16], desc[32];
	unsigned int flags, exit_latency, target_residency;
	int (*enter)(void), (*enter_s2idle)(void);
};
static int intel_idle(void) { return 0; }
static int intel_idle_s2idle(void) { return 0; }
"""
_MAIN = """\
int main(void)
{
	for (struct cpuidle_state *s = TABLE; s->enter; s++)
		printf("%s|%s|%u|%u|%u\\n",
			s->name, s->desc, s->exit_latency, s->target_residency, s->flags);
	return 0;
}
"""


def test_rows_of_c_are_stored_as_they_are(gcc: str, tmp_path: Path) -> None:
    table = table_named("intel:gnr@7.0")
    flags = "".join(f"#define {name} {flag:#x}u\n" for name, flag in NAME2FLAG.items())
    source, program = tmp_path / "rows.c", tmp_path / "rows"
    source.write_text(_PRELUDE + flags + c_rows.write(table) + _MAIN.replace("TABLE", table.name))
    subprocess.run([gcc, "-Wall", "-Werror", "-o", program, source], check=True)
    stored = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    rows = driver_data("7.0").arrays["gnr_cstates"]
    assert stored.splitlines() == [
        f"{r.name}|{r.description}|{r.exit_latency_us}|{r.target_residency_us}|{r.flags}"
        for r in rows
    ]
    assert len(rows) == 4
    assert not any(row.flags & UNUSABLE for row in rows)


def test_rows_of_c_are_read_back(tmp_path: Path, capsys: Capture) -> None:
    """The rows are a file of their own, where no tree says what the names of flags mean."""
    status, out, _ = run(capsys, "generate", "--to", "c", "intel:icx@5.10")
    assert status == 0
    flags = "".join(f"#define {name} {flag:#x}u\n" for name, flag in NAME2FLAG.items())
    macro = "#define MWAIT2flg(eax) ((eax & 0xFF) << 24)\n"
    file = tmp_path / "icx.c"
    file.write_text(flags + macro + out)
    read, packaged = read_table(str(file)).table, table_named("intel:icx@5.10")
    assert read is not None
    assert read.same_values(packaged)
    status, _, err = run(capsys, "generate", "--to", "c", "intel:icx", "--self-test")
    assert status == 2
    assert "expected --self-test with a table of skiboot" in err
