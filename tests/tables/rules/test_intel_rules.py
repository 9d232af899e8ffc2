"""Rules on tables of intel_idle: in its source, and as machines hold them."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.beyond_opal import Held, SysfsState
from idle_states.base.model.table import IdleState, IdleTable, Register
from idle_states.tables.linux.intel_idle.known import known_tables
from idle_states.tables.linux.intel_idle.table_parameter import Adjustable, adjusted, unfit
from idle_states.tables.linux.qos import NO_LIMIT_US
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import Subject
from idle_states.tables.selection.request import Scope
from idle_states.tables.selection.selection import select
from idle_states.tables.sources import read_table
from tests.support.subjects import driver, fired, severities
from tests.support.thorough import examples

Times = Iterable[tuple[str, int, int]]
SKL = (
    ("C1", 2, 2), ("C1E", 10, 20), ("C3", 70, 100), ("C6", 85, 200), ("C7s", 124, 800),
    ("C8", 200, 800), ("C9", 480, 5000), ("C10", 890, 5000),
)  # fmt: skip


def held(
    rows: Times, *kernels: str, first: str = "POLL", by: str = "intel_idle", desc: str = ""
) -> Subject:
    """A machine whose kernel holds these states after its own first one."""
    states = [SysfsState(first, "", 0, 0), *(SysfsState(n, desc, *times) for n, *times in rows)]
    table = IdleTable(
        "cpu0",
        tuple(IdleState(s.name, s.latency_us * 1000, s.residency_us * 1000, 0) for s in states[1:]),
        Register.NONE,
        origin=Held(tuple(states), 1, (0,), by),
    )
    return Subject(table, [release(kernel) for kernel in kernels or ("7.1",)])


def refused(rows: Times, *kernels: str) -> list[str]:
    return [found.message.split()[6].rstrip(":") for found in fired("IS415", held(rows, *kernels))]


@pytest.mark.parametrize("table", known_tables(), ids=lambda table: table.name)
def test_tables_that_the_kernel_refuses(table: object) -> None:
    """All rows of all tables there were: as the kernel's parser takes a value that changes none."""
    rows = [(row.name, *row.times) for row in table.rows]  # type: ignore[attr-defined]
    states = [Adjustable("POLL", 0, 0), *(Adjustable(*row) for row in rows)]
    accepted = adjusted(states, f"{rows[-1][0]}::").verdict == "accepted"
    assert (refused(rows) == []) == accepted
    assert refused(rows, "6.19") == []


@settings(max_examples=examples(20, 200))
@given(st.lists(st.tuples(st.integers(0, 6000), st.integers(0, 110_000)), min_size=1, max_size=5))
def test_any_rows_that_the_kernel_refuses(times: list[tuple[int, int]]) -> None:
    rows = [(f"C{number}", *each) for number, each in enumerate(times)]
    states = [Adjustable("POLL", 0, 0), *(Adjustable(*row) for row in rows)]
    found = refused(rows)
    assert (found == []) == (adjusted(states, "C0::").verdict == "accepted")
    assert set(found) == set(unfit(states))


def test_whose_states_they_are() -> None:
    tie = (("C6", 80, 300), ("C7", 87, 300))
    assert fired("IS415", held(tie, by="acpi_idle")) == []
    assert fired("IS415", held(tie, by="")) == []
    assert fired("IS415", held(tie, by="", first="snooze", desc="MWAIT 0x20")) == []
    (found,) = fired("IS415", held(tie, by="", desc="MWAIT 0x20"))
    assert found.message.endswith("changes C7: its residency of 300 us is not above C6's 300")
    assert found.kernels == ("7.1",)


def test_c1_of_2_us_is_a_note_on_x86(tmp_path: Path) -> None:
    assert severities("IS206", held(SKL)) == ["note"]
    assert severities("IS206", held(SKL, by="acpi_idle")) == ["note"]
    assert severities("IS206", held([("stop0_lite", 2, 2)], by="powernv_idle", first="snooze")) == [
        "warning"
    ]
    subject = driver(source(("C1", 0, 2, 2), ("C1E", 1, 10, 20)), tmp_path)
    assert [str(found.severity) for found in fired("IS206", subject)] == ["note"]


def source(
    *rows: tuple[str, int, int, int], unusable: str = "", entries: str = "", cpus: str = ""
) -> str:
    """intel_idle's source of a table, of (name, hint, latency, residency)."""
    states = "".join(
        f'{{ .name = "{name}", .flags = MWAIT2flg({hint}){" | CPUIDLE_FLAG_UNUSABLE" * off}, '
        f".exit_latency = {latency}, .target_residency = {residency}, .enter = &intel_idle }},\n"
        for name, hint, latency, residency in rows
        for off in [name == unusable]
    )
    return (
        "#define MWAIT2flg(eax) ((eax & 0xFF) << 24)\n#define CPUIDLE_FLAG_UNUSABLE (1 << 3)\n"
        "#define INTEL_A 0x601\n#define INTEL_B 0x602\n"
        "static struct cpuidle_state own_cstates[] = {\n"
        f"{states}{{ .enter = NULL }} }};\n{entries}"
        f"static const struct x86_cpu_id intel_idle_ids[] = {{ {cpus} {{}} }};\n"
    )


def entry(name: str, disables: bool) -> str:
    setting = ".disable_promotion_to_c1e = true, " if disables else ""
    return f"static const struct idle_cpu {name} = {{ .state_table = own_cstates, {setting}}};\n"


C1, C1E, C6 = ("C1", 0, 1, 1), ("C1E", 1, 10, 20), ("C6", 0x20, 100, 300)


@pytest.mark.parametrize(
    ("rows", "unusable", "first", "second", "leaving"),
    [
        ((C1, C1E, C6), "", False, False, ["a", "b"]),
        ((C1, C1E, C6), "", True, False, ["b"]),
        ((C1, C1E, C6), "", True, True, []),
        ((C1, C6), "", False, False, []),
        ((C1E, C6), "", False, False, []),
        ((C1, C1E, C6), "C1", False, False, []),
        ((C1, C1E, C6), "C1E", False, False, []),
    ],
)
def test_promotion_is_of_c1_where_nothing_disables_it(
    rows: tuple[tuple[str, int, int, int], ...],
    unusable: str,
    first: bool,
    second: bool,
    leaving: list[str],
    tmp_path: Path,
) -> None:
    cpus = "X86_MATCH_VFM(INTEL_A, &a), X86_MATCH_VFM(INTEL_B, &b),"
    entries = entry("a", first) + entry("b", second)
    text = source(*rows, unusable=unusable, entries=entries, cpus=cpus)
    found = fired("IS413", driver(text, tmp_path))
    assert len(found) == bool(leaving)
    for each in found:
        assert each.message.startswith(
            "C1 may be entered as C1E, which takes 10 us to leave, not 1"
        )
        assert f": {' and '.join(leaving)} leave{'s' * (len(leaving) == 1)} C1E" in each.message


def test_promotion_names_the_processors_of_a_packaged_table() -> None:
    table = read_table("intel:ptl").table
    assert table is not None
    (found,) = fired("IS413", Subject(table, [release("7.2")]))
    assert found.message.endswith(": PANTHERLAKE_L leaves C1E promotion as firmware has it")


def test_kernels_that_could_prefer_c1(tmp_path: Path) -> None:
    text = source(C1, C1E, C6, unusable="C1")
    found = fired("IS414", driver(text, tmp_path, ["5.17", "5.18", "6.19", "7.0"]))
    assert [(each.kernels, "preferred_cstates" in each.message) for each in found] == [
        (("5.17", "7.0"), False),
        (("5.18", "6.19"), True),
    ]
    text = source(C1, C1E, C6, unusable="C1E")
    (never,) = fired("IS414", driver(text, tmp_path, ["6.12"]))
    assert "preferred_cstates" not in never.message


def test_an_array_whose_first_row_ends_it_is_no_table(tmp_path: Path) -> None:
    """Rows without a callback end intel_idle's loop."""
    empty = source(C1).replace(".enter = &intel_idle", "").replace("own_", "first_")
    whole = source(C1, C6).split("INTEL_B 0x602\n")[1]
    subject = driver(empty.partition("static const struct x86")[0] + whole, tmp_path)
    assert subject.table.name == "own_cstates"


@pytest.mark.parametrize(
    ("governor", "kernel", "but"),
    [
        ("menu", "6.1", ", but for menu while tasks wait for I/O"),
        ("teo", "6.6", ", but for menu while tasks wait for I/O and teo while the CPU is utilised"),
        ("teo", "6.12", ", but for menu while tasks wait for I/O"),
        ("menu", "7.1", ""),
    ],
)
def test_of_a_tie_the_deeper_is_taken(governor: str, kernel: str, but: str) -> None:
    """IS203 says so, from the residency on; and the shallower under a limit below the deeper's."""
    subject = held(SKL, kernel)
    found = [each.message for each in fired("IS203", subject)]
    assert len(found) == 2
    limit = "unless a latency limit below 200us excludes C8"
    assert found[0].endswith(f"; {limit}, menu and teo never select C7s{but}")
    table = subject.linux(release(kernel))
    for limit_us, c7s in ((NO_LIMIT_US, False), (200, False), (199, True)):
        maps = select(governor, release(kernel), table, 250, Scope((limit_us,))).maps
        taken = {
            table.states[state].name
            for mapped in maps
            for r in mapped.ranges
            if r.first_ns >= 800_000
            for state in r.states
        }
        assert ("C7s" in taken) == c7s


def test_of_a_tie_above_a_tick_the_shallower_is_taken_once_it_is_stopped() -> None:
    """And kernels that differ are named."""
    second = fired("IS203", held(SKL, "6.1", "7.0"))[1].message
    assert second.endswith(
        "menu and teo never select C9, but for menu of 6.1 while tasks wait for I/O or the tick is "
        "stopped, menu of 7.0 while the tick is stopped and teo of 6.1 while the tick is stopped"
    )


@pytest.mark.parametrize(
    ("value", "kernels", "severity", "words"),
    [
        ("C6:150:600", ["7.1"], None, ""),
        ("C6:150:100", ["7.1"], "error", "nothing changes: C-state 'C6' validation failed"),
        ("C6:x:600", ["7.1"], "error", "NAME:LATENCY:RESIDENCY"),
        ("C7:1:1,C6:150:600", ["7.1"], "warning", "accepted in part: C-state 'C7' was not found"),
        ("C6:150:600", ["6.12"], "warning", "no such parameter"),
    ],
)
def test_values_of_the_table_parameter(
    value: str, kernels: list[str], severity: str | None, words: str, tmp_path: Path
) -> None:
    text = source(("C1", 0, 2, 2), ("C1E", 1, 10, 20), ("C6", 0x20, 133, 600))
    text = text.replace("own_cstates", "skx_cstates")
    found = fired("IS416", driver(text, tmp_path, kernels, f"skx,table={value}"))
    assert [str(each.severity) for each in found] == ([severity] if severity else [])
    assert all(words in each.message and f"table={value}" in each.message for each in found)
    assert fired("IS416", driver(text, tmp_path, kernels, "skx")) == []
