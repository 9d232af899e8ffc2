"""Tables of C drivers: what is read, what is refused, what is said of the rest."""

import time
from contextlib import suppress
from pathlib import Path

import pytest

from idle_states.base.model.beyond_opal import BuiltIn
from idle_states.base.model.findings import Unreadable
from idle_states.base.model.table import IdleTable
from idle_states.tables.linux.governors import states_of
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.engine import run
from idle_states.tables.sources import Source, read_sources
from tests.support.thorough import few

API = """
#define CPUIDLE_FLAG_NONE (0x00)
#define CPUIDLE_FLAG_POLLING BIT(0)
#define CPUIDLE_FLAG_TIMER_STOP BIT(2) /* timer is stopped on this state */
#define CPUIDLE_FLAG_UNUSABLE BIT(3)
"""
WFI = """
#define ARM_CPUIDLE_WFI_STATE_PWR(p) {\\
	.enter = simple, .exit_latency = 1, .target_residency = 1,\\
	.power_usage = p, .name = "WFI", .desc = "ARM WFI",\\
}
#define ARM_CPUIDLE_WFI_STATE ARM_CPUIDLE_WFI_STATE_PWR(UINT_MAX)
"""
DRIVER = """
#include <linux/cpuidle.h>
#include <asm/cpuidle.h>
#define DEEP_FLAG BIT(16)
enum { C1, C2, COUNT };
static struct cpuidle_driver one_driver = {
	.name = "one",
	.states = {
		[C1] = ARM_CPUIDLE_WFI_STATE,
		[C2] = { .enter = x, .exit_latency = 328 + 440, .target_residency = 960,
			.flags = CPUIDLE_FLAG_TIMER_STOP | DEEP_FLAG, .name = "C2", .desc = "off" },
	},
	.state_count = COUNT,
};
static int probe(void)
{
	if (is_new())
		return 0;
	else if (is_old()) {
		one_driver.states[C2].exit_latency = 5;
		return cpuidle_register(&one_driver, NULL);
	}
}
"""


def tree(top: Path, text: str = DRIVER, **arch2header: str) -> Path:
    """A tree of a driver's file and headers; returns the file."""
    files = {"include/linux/cpuidle.h": API, "drivers/cpuidle/cpuidle-x.c": text}
    for arch, header in (arch2header or {"arm": WFI}).items():
        files[f"arch/{arch}/include/asm/cpuidle.h"] = header
    for name, content in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(content)
    return top / "drivers/cpuidle/cpuidle-x.c"


def source_of(file: Path) -> Source:
    (source,) = read_sources(str(file))
    return source


def read(file: Path) -> tuple[IdleTable, BuiltIn]:
    table = source_of(file).table
    assert table is not None
    assert table.origin.form == "driver"
    return table, table.origin


def refused(file: Path) -> list[str]:
    with pytest.raises(Unreadable) as caught:
        read_sources(str(file))
    return [f"{each.location.line}: {each.message}" for each in caught.value.findings]


def test_values_flags_and_places(tmp_path: Path) -> None:
    table, built_in = read(tree(tmp_path))
    (row,) = table.states
    assert (row.name, row.latency_ns, row.residency_ns) == ("C2", 768_000, 960_000)
    assert row.where["latency"].line == 10
    assert row.where["latency"].path == "one_driver.states[1].exit_latency"
    wfi, deep = built_in.states
    assert (wfi.name, wfi.description, wfi.power_usage, wfi.flags) == ("WFI", "ARM WFI", -1, 0)
    assert deep.flags == 0x10004
    assert deep.flag_names == ("CPUIDLE_FLAG_TIMER_STOP", "DEEP_FLAG")
    assert (built_in.count, built_in.driver) == (2, "one")


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("", ["IS111", "IS204", "IS205"]),
        ("one_driver.states[2].disabled = true;", []),
        ("one_driver.states[C3].disabled = true;", []),
        ("one_driver.states[2].disabled = false;", ["IS111", "IS204", "IS205"]),
        ("one_driver.states[0].disabled = true;", ["IS111", "IS204", "IS205"]),
    ],
)
def test_rows_that_the_driver_may_switch_off_are_not_compared(
    tmp_path: Path, statement: str, expected: list[str]
) -> None:
    """The first drafts of a driver for all Tegras had such rows: each chip keeps one of them."""
    third = '[2] = { .exit_latency = 500, .target_residency = 900, .name = "C2" },'
    end = "},\n\t.state_count"
    text = DRIVER.replace(end, f"{third}\n\t{end}")
    text = text.replace("\tif (is_new())", f"\t{statement}\n\tif (is_new())")
    table, _ = read(tree(tmp_path, text.replace("COUNT,", "3,")))
    assert len(table.states) == 2
    codes = {each.rule for each in run(Subject(table, [release("6.12")]))}
    assert sorted(codes & {"IS111", "IS204", "IS205"}) == expected


@pytest.mark.parametrize(
    ("given", "ns", "us"),
    [
        (".exit_latency_ns = 100", 100, 0),
        (".exit_latency_ns = 2100", 2100, 2),
        (".exit_latency_ns = -1", 0, 0),
        # __cpuidle_driver_init() makes ns of these us
        (".exit_latency = 3, .exit_latency_ns = 100", 3000, 3),
    ],
)
def test_less_than_a_microsecond_is_no_zero(tmp_path: Path, given: str, ns: int, us: int) -> None:
    text = DRIVER.replace(".exit_latency = 328 + 440", given)
    table, built_in = read(tree(tmp_path, text))
    assert table.states[0].latency_ns == ns
    assert built_in.states[1].exit_latency_us == us
    # cpuidle keeps ns from 5.5 on
    ends = [release(name) for name in ("5.4", "5.5")]
    seen = [states_of(Subject(table, ends).linux(end))[1].exit_ns for end in ends]
    assert seen == [us * 1000, ns]


def test_what_the_driver_does_with_it_is_said(tmp_path: Path) -> None:
    _, built_in = read(tree(tmp_path))
    changed, registered = built_in.uses
    assert (changed.function, changed.text) == ("probe", "one_driver.states[C2].exit_latency = 5")
    assert changed.conditions == ("else if (is_old())",)
    assert (registered.where.line, registered.text) == (
        21,
        "return cpuidle_register(&one_driver, NULL)",
    )


def test_linux_registers_it(tmp_path: Path) -> None:
    text = DRIVER.replace(".state_count = COUNT", ".state_count = 1")
    for file, states, lost in (
        (tree(tmp_path / "whole"), ["WFI", "C2"], []),
        (tree(tmp_path / "cut", text), ["WFI"], ["beyond-count"]),
        (
            tree(tmp_path / "off", DRIVER.replace("DEEP_FLAG,", "CPUIDLE_FLAG_UNUSABLE,")),
            ["WFI"],
            ["unusable"],
        ),
    ):
        driver = Subject.of(source_of(file), []).linux(release("6.12"))
        assert [state.name for state in driver.states] == states
        assert [each.cause for each in driver.lost] == lost
    whole = Subject.of(source_of(tmp_path / "whole/drivers/cpuidle/cpuidle-x.c"), [])
    state = whole.linux(release("6.12")).states[1]
    assert (state.exit_latency_us, state.target_residency_us, state.timer_stop) == (768, 960, True)


def test_headers_of_architectures(tmp_path: Path) -> None:
    """Headers that define what the file needs must agree; the others do not count."""
    assert read(tree(tmp_path / "one", arm=WFI, powerpc=""))[1].archs == ("arm",)
    assert read(tree(tmp_path / "both", arm=WFI, arm64=WFI))[1].archs == ()
    other = WFI.replace("exit_latency = 1", "exit_latency = 2")
    assert refused(tree(tmp_path / "two", arm=WFI, arm64=other)) == [
        "None: expected one meaning of the table, found several: the headers of arm, arm64 differ"
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("328 + 440", "LATENCY", "10: expected a constant or a known macro, found LATENCY"),
        ("328 + 440", "1 << 40", "10: expected a shift by 0 to 31 bits of int, found 40"),
        (".exit_latency = 328", ".latency = 328", "10: expected a member of struct cpuidle_state"),
        ("[C2] = {", "[C3] = {", "10: expected a constant or a known macro, found C3"),
        ("= ARM_CPUIDLE_WFI_STATE", "= MY_STATE", "9: expected a row in braces or a known macro"),
        ('"C2"', "C2_NAME", "11: expected a name in quotes, found C2_NAME"),
        ("328 + 440", "foo(1)", "10: expected a constant, found a call of foo"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in DRIVER
    (found,) = refused(tree(tmp_path, DRIVER.replace(old, new, 1)))
    assert found.startswith(message)


def test_without_its_tree(tmp_path: Path) -> None:
    """Flags have had other values in other releases, so none is guessed."""
    file = tmp_path / "cpuidle-x.c"
    file.write_text(DRIVER)
    (found,) = refused(file)
    assert found.startswith("9: expected a row in braces or a known macro")


def test_array_size_and_designators(tmp_path: Path) -> None:
    text = """
    static struct data datas[] = { { 1 }, { 2 }, [4] = { .x = 3 } };
    static struct cpuidle_driver one_driver __read_mostly = {
        .states[1] = { .name = "B", .exit_latency = 2, .target_residency = 3 },
        .states[0] = { .name = "A", .exit_latency = 1, .target_residency = 1 },
        .state_count = ARRAY_SIZE(datas),
    };
    """
    table, built_in = read(tree(tmp_path, text))
    assert [state.name for state in table.states] == ["A", "B"]
    assert built_in.count == 5


def test_rules_are_mild_where_a_driver_may(tmp_path: Path) -> None:
    """state 0 is entered where nothing else fits; a residency below the latency is legal."""
    text = DRIVER.replace("target_residency = 960", "target_residency = 500").replace(
        "[C1] = ARM_CPUIDLE_WFI_STATE", '[C1] = { .name = "HALT", .exit_latency = 1 }'
    )
    subject = Subject.of(source_of(tree(tmp_path, text)), [release("6.12")])
    found = [(each.rule, str(each.severity), each.location.line) for each in run(subject)]
    assert found == [("IS206", "note", 10)]


@pytest.mark.parametrize(
    "text",
    few(
        1,
        [
            "struct cpuidle_driver " + "__a" * 50_000,
            "struct cpuidle_driver " * 50_000,
            "struct cpuidle_state x[] = {" * 20_000,
            "struct cpuidle_state x[] = { " + "{" * 100_000,
            "struct cpuidle_driver x = { .states = { { .name = " + "(" * 100_000,
            "enum" + " " * 200_000 + "struct cpuidle_state x[] = { { 1 } };",
            "struct cpuidle_state x[] = { " + "[9999] = { .flags = 1 }, " * 5_000 + "};",
        ],
    ),
)
def test_hostile_text_ends_soon(tmp_path: Path, text: str) -> None:
    started = time.process_time()
    with suppress(Unreadable):
        read_sources(str(tree(tmp_path, text)))
    assert time.process_time() - started < 10
