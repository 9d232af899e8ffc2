"""Tests of what a latency limit leaves, and the limit that keeps just some states."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import idle_states
from idle_states.base.model.findings import UsageError
from idle_states.cli import main
from idle_states.tables.linux.governors import Governor, core
from idle_states.tables.linux.governors.interface import Situation
from idle_states.tables.linux.qos import NO_LIMIT_US
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.request_parts import GivenStates, GovernorRequest
from idle_states.tables.selection.limit_words import keeping, latency_limit, meaning
from idle_states.tables.selection.limits import LimitedTable
from idle_states.tables.selection.remaining import (
    deepest,
    following,
    needs_us,
    same_values,
    under_limit,
)
from idle_states.tables.selection.request import Scope, SelectRequest
from idle_states.tables.selection.selection import select
from tests.support import DATA
from tests.support.compiled import needs_core
from tests.support.thorough import few
from tests.tables.sources.test_sources import sysfs

ICX = [("POLL", 0, 0), ("C1", 1, 1), ("C1E", 4, 4), ("C6", 170, 600)]
TIMES = ",".join(f"{exit_us}000/{residency_us}000" for _, exit_us, residency_us in ICX[1:])


def limited(
    text: str = "",
    *kernels: str,
    keep: tuple[str, ...] = (),
    times: str = TIMES,
    governor: str = "menu",
    polling: bool = True,
    per_cpu: bool = False,
) -> tuple[LimitedTable, ...]:
    of = GovernorRequest(governor, states=GivenStates(times, polling))
    releases = tuple(release(kernel) for kernel in kernels or ("6.1",))
    limits = (latency_limit(text),) if text else ()
    request = SelectRequest(of, releases, limits=limits, keep=keep, per_cpu=per_cpu)
    (found,) = idle_states.select(request).limits
    return found.by_kernel


@pytest.fixture
def icx(tmp_path: Path) -> str:
    path = tmp_path / "icx.sysfs"
    path.write_text(sysfs(ICX))
    return str(path)


def document(
    capsys: pytest.CaptureFixture[str], *words: str, command: str = "select", status: int = 0
) -> dict[str, Any]:
    assert main([command, *words, "--format", "json"]) == status
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def limit_of(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> dict[str, Any]:
    (limit,) = document(capsys, *words, status=status)["limits"]
    found: dict[str, Any] = limit
    return found


@pytest.mark.parametrize(
    ("text", "first", "last", "left"),
    [
        ("0", 0, 0, 1),
        ("1us", 1, 3, 2),
        ("70us", 4, 169, 3),
        ("4000ns", 4, 169, 3),
        ("2s", 170, None, 4),
        ("1", 1, 3, 2),
        ("3", 1, 3, 2),
        ("4", 4, 169, 3),
        ("70", 4, 169, 3),
        ("169", 4, 169, 3),
        ("170", 170, None, 4),
        ("2000000000", 170, None, 4),
        ("none", 170, None, 4),
        (("state1",), 1, 3, 2),
        (("STATE2",), 4, 169, 3),
        (("state3",), 170, None, 4),
        (("snooze",), 0, 0, 1),
        (("state2", "state1"), 4, 169, 3),
        (("snooze", "state3"), 170, None, 4),
        ("cstate.id:3|70", 170, None, 4),
        ("cstate.id_no_zero:0|cstate.id:2", 4, 169, 3),
        ("cstate.id:0|70", 0, 0, 1),
        ("cstate.id_no_zero:7|70", 4, 169, 3),
        ("cstate.name:state1|70", 1, 3, 2),
        ("cstate.name:STATE1|70", 4, 169, 3),
        ("cstate.name_no_zero:snooze|cstate.name:none|2", 1, 3, 2),
    ],
)
def test_values_states_and_words_of_tuned(
    text: str | tuple[str, ...], first: int, last: int | None, left: int
) -> None:
    asked = latency_limit(text) if isinstance(text, str) else keeping(text)
    found = meaning(asked, ("snooze", "state1", "state2", "state3"), (0, 1, 4, 170))
    assert found is not None
    states = under_limit("0123", GivenStates(TIMES).states, (0, 1, 4, 170), found.value_us)
    assert same_values((0, 1, 4, 170), found.value_us) == (first, last)
    assert [state.within for state in states] == [n < left for n in range(4)]
    found_deepest, more = deepest(states), following(states)
    assert found_deepest is not None
    assert found_deepest.number == left - 1
    assert (more.number if more else 4) == left


@pytest.mark.parametrize(
    "text", ["", "-1", "x y|", "cstate.id:x", "cstate.foo:1", "C1E", "5500ns", "C1E|70"]
)
def test_words_that_mean_nothing(text: str) -> None:
    with pytest.raises(UsageError, match="expected"):
        latency_limit(text)


@pytest.mark.parametrize("text", ["3000000000", "9" * 11])
def test_numbers_beyond_the_kernels_are_no_states(text: str) -> None:
    with pytest.raises(UsageError, match="expected --latency-limit from 0 to 2000000000"):
        latency_limit(text)


@pytest.mark.parametrize("text", ["cstate.id:4", "cstate.id_no_zero:0", "cstate.name:C9"])
def test_states_that_no_kernel_registers(text: str) -> None:
    states = r"with a state of a CPU \(snooze, state1, state2, state3\)"
    with pytest.raises(UsageError, match=f"--latency-limit {states}"):
        limited(text)
    with pytest.raises(UsageError, match=f"--keep {states}, found 'C9'"):
        limited(keep=("C9", "state1"))


@given(st.lists(st.sampled_from([0, 1, 5, 5, 90]), min_size=1, max_size=5))
def test_tuned_takes_the_first_that_counts(exits: list[int]) -> None:
    names = [f"C{number}" for number in range(len(exits))]
    for number in range(6):
        found = meaning(latency_limit(f"cstate.id_no_zero:{number}|70"), names, exits)
        assert found is not None
        counts = number < len(exits) and exits[number] > 0
        assert found.value_us == (exits[number] if counts else 70)
        assert [word.number for word in found.passed] == ([] if counts else [number])


@pytest.mark.parametrize(
    ("governor", "kernel", "polling"),
    [
        ("menu", "6.1", True),
        ("ladder", "6.1", True),
        *(
            pytest.param(governor, kernel, polling, marks=pytest.mark.slow)
            for governor, kernel, polling in (
                ("menu", "4.9", False),
                ("menu", "5.4", True),
                ("menu", "7.1", False),
                ("teo", "5.4", False),
                ("teo", "7.1", True),
                ("ladder", "5.4", True),
                ("ladder", "7.1", False),
            )
        ),
    ],
)
def test_ranges_are_those_of_every_value(governor: str, kernel: str, polling: bool) -> None:
    """The answer for a range of values is that of each value by itself."""
    states = GivenStates(TIMES, polling).states
    maps = {}
    for value in (*range(6), 7, 8, 9, 169, 170, 171):
        found = select(governor, release(kernel), states, 250, Scope((value,)))
        maps[value] = [mapped.ranges for mapped in found.maps]
    for value in (1, 5, 9, 170):
        (table,) = limited(str(value), kernel, governor=governor, polling=polling)
        (era,) = table.eras
        first, last = era.alike
        assert table.same[0] <= first
        alike = [v for v in maps if first <= v <= (NO_LIMIT_US if last is None else last)]
        assert all(maps[each] == maps[value] for each in alike)
        beyond = [v for v in maps if table.same[0] <= v <= (table.same[1] or NO_LIMIT_US)]
        assert all(maps[each] != maps[value] for each in set(beyond) - set(alike))
        assert [mapped.ranges for mapped in era.under.maps] == maps[value]


@needs_core
@pytest.mark.parametrize(
    ("governor", "kernel"), few(1, [("teo", "5.4"), ("teo", "7.1"), ("menu", "6.12")])
)
def test_without_the_core_it_is_the_same(
    governor: str, kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = "1000/1000,9000/60000"
    by_core = limited("3", kernel, times=times, governor=governor)
    monkeypatch.setattr(core, "can_replay", lambda governor: False)
    assert limited("3", kernel, times=times, governor=governor) == by_core


@given(
    st.sampled_from(["menu", "teo", "ladder"]),
    st.sampled_from(["4.9", "5.15", "6.1", "6.12", "7.1"]),
    st.integers(0, 200),
    st.integers(1_000, 10**8),
)
def test_no_decision_exceeds_what_is_left(
    governor: str, kernel: str, limit_us: int, sleep_ns: int
) -> None:
    states = GivenStates(TIMES, True).states
    if governor == "teo" and kernel == "4.9":
        kernel = "5.14"
    model = Governor.for_kernel(governor, kernel, states)
    decision = model.select(Situation(limit_us, sleep_ns, min(sleep_ns, 4_000_000)))
    needs = [needs_us(state, nanoseconds=True) for state in states]
    assert under_limit("0123", states, needs, limit_us)[decision.state].within


def test_teo_went_a_state_too_far() -> None:
    """From 5.4 to 5.13 it takes the first state beyond the limit, where it found a deeper one."""
    kernels = ("5.2", "5.4", "5.13", "5.14")
    eras = limited("70", *kernels, governor="teo")[0].eras
    beyond = {each.name: era.beyond for era in eras for each in era.releases}
    assert [beyond[kernel] for kernel in kernels] == [(), ("state3",), ("state3",), ()]


def test_a_limit_of_0_is_not_the_same_to_all_governors() -> None:
    """menu and ladder take state 0 whatever else costs nothing; teo has no such rule."""
    times = "0/1000,4000/20000"
    for governor, taken in (("menu", {0}), ("ladder", {0}), ("teo", {0, 1})):
        (table,) = limited("0", "6.1", times=times, governor=governor)
        assert [state.within for state in table.states] == [True, True, False]
        (era,) = table.eras
        assert {0, 1, 2} - set(era.under.unreachable) == taken
        assert bool(era.idle) == (taken == {0})


def test_states_that_a_limit_cannot_tell_apart() -> None:
    (table,) = limited(keep=("state1",), times="5000/20000,5000/90000,9000/100000")
    assert [(state.name, state.within) for state in table.unexpected] == [("state2", True)]
    (table,) = limited(keep=("state2",), times="9000/20000,5000/90000,9000/100000")
    assert [(state.name, state.within) for state in table.unexpected] == [("state1", False)]
    (table,) = limited(keep=("state1", "state2"), times="5000/20000,5000/90000,9000/100000")
    assert table.unexpected == ()
    (table,) = limited("6", times="9000/20000,5000/90000,9000/100000")
    assert table.unexpected == ()


def test_a_fraction_of_a_microsecond_counts_where_kernels_count_it() -> None:
    old, new = limited("2", "5.4", "5.5", times="2500/20000")
    assert [state.within for state in old.states] == [True, True]
    assert [state.within for state in new.states] == [True, False]
    assert (old.states[1].needs_us, new.states[1].needs_us) == (2, 3)
    assert new.eras[0].under.unreachable == (1,)
    assert old.eras[0].under.unreachable == ()


@pytest.mark.parametrize(
    ("kernel", "text", "limit_us"),
    [
        ("4.10", "5", NO_LIMIT_US),
        ("4.11", "5", 5),
        ("4.11", "0", NO_LIMIT_US),
        ("6.1", "0", NO_LIMIT_US),
        ("4.14", "n/a", NO_LIMIT_US),
        ("4.15", "n/a", 0),
        ("7.1", "snooze|state2", NO_LIMIT_US),
        ("7.1", "cstate.id_no_zero:0|state2", 4),
    ],
)
def test_limits_of_a_cpu(kernel: str, text: str, limit_us: int) -> None:
    if text.startswith("snooze"):
        text = "cstate.name:snooze"
    text = text.replace("|state2", "|cstate.name:state2")
    (table,) = limited(text, kernel, per_cpu=True)
    assert table.limit_us == limit_us


def test_kernels_are_together_where_they_do_the_same() -> None:
    names = [each.name for each in map(release, ("4.10", "4.11", "4.12", "6.1"))]
    free, bound = limited("5", *names, per_cpu=True)
    assert [each.name for each in free.releases] == ["4.10"]
    assert [each.name for each in bound.releases] == ["4.11", "4.12", "6.1"]
    assert [[each.name for each in era.releases] for era in bound.eras] == [
        ["4.11", "4.12"],
        ["6.1"],
    ]


def test_states_that_firmware_does_not_name(capsys: pytest.CaptureFixture[str]) -> None:
    """intel_idle registers them switched off: no limit brings them back."""
    words = ("--platform", "icx,acpi=c1", "--kernel", "6.12")
    (table,) = limit_of(capsys, "--latency-limit", "none", *words)["tables"]
    assert [(each["name"], each["off"]) for each in table["states"]] == [
        ("POLL", False),
        ("C1", False),
        ("C1E", False),
        ("C6", True),
    ]
    assert table["deepest"] == "C1E"
    assert table["next"] is None
    assert "C6" not in {r["state"] for era in table["governor"] for r in era["map"]}
    assert main(["select", "--latency-limit", "70us", *words]) == 0
    out = capsys.readouterr().out
    assert "70 us: C1E (4 us) is the deepest; nothing is excluded.\n" in out
    assert "switched off by the driver" in out


def test_the_figures_of_each_release(capsys: pytest.CaptureFixture[str]) -> None:
    """C6 of Ice Lake took 128 us to leave before it took 170."""
    words = ("intel:icx", "--keep", "C6", "--kernel", "5.10", "--kernel", "6.12")
    found = limit_of(capsys, *words, status=1)
    assert found["keep"] == ["C6"]
    assert [(each["kernels"], each["value_us"]) for each in found["tables"]] == [
        (["5.10"], 128),
        (["6.12"], 170),
    ]


def test_the_published_case(icx: str, capsys: pytest.CaptureFixture[str]) -> None:
    """SAP's 70 us and tuned's cstate.id_no_zero:3|70, on the machine that they were told for."""
    assert main(["select", "--latency-limit", "70us", icx, "--kernel", "5.14"]) == 0
    out = capsys.readouterr().out
    assert "70 us: C1E (4 us) is the deepest; C6 needs 170.\n" in out
    assert "Every value from 4 to 169 us allows these states.\n" in out
    assert "C6      170 us     600 us  excluded: needs 170 us\n" in out
    assert (
        main(["select", "--latency-limit", "cstate.id_no_zero:3|70", icx, "--kernel", "5.14"]) == 0
    )
    out = capsys.readouterr().out
    assert "cstate.id_no_zero:3 is C6 here, 170 us.\n" in out
    assert "170 us: C6 (170 us) is the deepest; nothing is excluded.\n" in out
    assert main(["select", "--keep", "c1e", icx, "--kernel", "5.14"]) == 0
    assert "4 us: C1E (4 us) is the deepest; C6 needs 170.\n" in capsys.readouterr().out


def test_of_a_table_with_domains_only_the_cpus_own_states_are_spoken_of(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """1000 us leaves both states of the CPU, and keeps its cluster on."""
    assert main(["select", "--latency-limit", "1ms", "sm8250:cpu@0"]) == 0
    out = capsys.readouterr().out
    said = "is the deepest; none of the CPU's own states is excluded."
    assert said in " ".join(out.split())
    assert "0 us and more  stays on\n" in out


def test_a_state_of_a_domain_is_none_of_a_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    """The limit has to let the domain enter it: one us less does not."""
    assert main(["select", "--keep", "cluster-sleep-0", "sm8250:cpu@0"]) == 2
    errors = capsys.readouterr().err
    found = "a state of power-domain-cpu-cluster0, which takes 9826 us to turn off and on\n"
    assert errors.endswith(f"'cluster-sleep-0', {found}")
    for limit, enters in (("9826", True), ("9825", False)):
        assert main(["select", "--latency-limit", limit, "sm8250:cpu@0"]) == 0
        assert ("cluster-sleep-0\n" in capsys.readouterr().out) == enters


def test_json(icx: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = (icx, "--latency-limit", "70us", "--kernel", "4.9", "--kernel", "6.1")
    body = document(capsys, *words, status=1)
    (limit,) = body["limits"]
    assert (limit["asked"], limit["keep"], limit["per_cpu"]) == ("70 us", [], False)
    (table,) = limit["tables"]
    assert table["kernels"] == ["4.9", "6.1"]
    assert table["deepest"] == "C1E"
    assert table["next"]["name"] == "C6"
    assert table["values"] == {"from_us": 4, "to_us": 169}
    assert [era["kernels"] for era in table["governor"]] == [["4.9"], ["6.1"]]
    assert {r["state"] for era in table["governor"] for r in era["map"]} == {"POLL", "C1", "C1E"}
    assert body["obeyed"] == [
        {"kernels": ["4.9"], "per_cpu": False, "wakeup": False},
        {"kernels": ["6.1"], "per_cpu": True, "wakeup": False},
    ]
    assert [each["name"] for each in body["releases"]] == ["4.9", "6.1"]
    assert {r["latency_limit_us"] for r in body["map"]} == {70}
    body = document(capsys, icx, "--kernel", "6.1")
    assert body["limits"] == body["obeyed"] == body["releases"] == []


@needs_core
def test_a_trace_with_the_limit_and_without(icx: str, capsys: pytest.CaptureFixture[str]) -> None:
    trace = str(DATA / "traces/mt8196-teo.slice.txt.gz")
    of = (trace, "--table", icx, "--governor", "menu", "--kernel", "6.1")
    words = (*of, "--next-timer", "gap", "--power", "POLL=1,C1=0.6,C1E=0.4,C6=0.1")
    words = (*words, "--latency-limit", "70us")
    body = document(capsys, *words, command="replay", status=1)
    free, bound = body["tables"]
    assert [each["table"] for each in (free, bound)] == [f"{icx}, no limit", f"{icx}, limit 70 us"]
    usage = [
        {each["name"]: each["usage"] for each in one["total"]["states"]} for one in (free, bound)
    ]
    assert usage[0]["C6"] > usage[1]["C6"] == 0
    assert bound["total"]["wake_latency_ns"]["max"] == 4_000
    assert free["total"]["wake_latency_ns"]["max"] == 170_000
    drawn = [each["total"]["low"] for each in body["energy"]["tables"]]
    assert drawn[0] < drawn[1]
    alone = document(capsys, *of, command="replay", status=1)
    assert alone["tables"][0]["total"] == free["total"]
    assert main(["replay", *words]) == 1
    assert "no latency limit except the named one" in capsys.readouterr().out


def test_a_workload_with_the_limit_and_without(
    icx: str, capsys: pytest.CaptureFixture[str]
) -> None:
    of = ("server:clients=2,gap=2ms", "--table", icx, "--kernel", "6.1", "--duration", "100ms")
    body = document(capsys, *of, "--latency-limit", "1us", command="simulate")
    free, bound = body["tables"]
    usage = [
        {each["name"]: each["usage"]["mean"] for each in one["states"]} for one in (free, bound)
    ]
    assert usage[0]["C6"] > 0
    assert usage[1]["C6"] == usage[1]["C1E"] == 0
    assert usage[1]["C1"] > 0
    assert bound["wake_latency_ns"]["p50"]["mean"] < free["wake_latency_ns"]["p50"]["mean"]


def test_several_limits_are_compared_with_none(
    icx: str, capsys: pytest.CaptureFixture[str]
) -> None:
    of = ("periodic", "--table", icx, "--kernel", "6.1", "--duration", "1ms", "--runs", "1")
    limits = ("--latency-limit", "4us", "--latency-limit", "0")
    body = document(capsys, *of, *limits, command="simulate")
    of_limits = [each["table"].partition(", ")[2] for each in body["tables"]]
    assert of_limits == ["no limit", "limit 4 us", "limit 0 us"]


def test_limits_that_are_one_on_some_kernels_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """C6 of Ice Lake takes 170 us to leave in 6.12, which the limit is, too; in 5.10 it takes
    128."""
    words = ("intel:icx", "--latency-limit", "170us", "--keep", "C6", "--kernel", "5.10,6.12")
    body = document(capsys, *words, status=1)
    assert {r["latency_limit_us"] for r in body["map"]} == {170, 128}
    one = document(capsys, *words[:-1], "6.12")
    assert {r["latency_limit_us"] for r in one["map"]} == {170}
    assert len(one["limits"]) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("replay", "t", "--latency-limit", "5us"), "beside --governor only"),
        (("simulate", "periodic", "--latency-limit", "-1"), "from 0 to 2000000000, found -1"),
        (("simulate", "periodic", "--latency-limit", "C1"), "expected a time with its unit"),
        (("select", "power9", "--per-cpu"), "expected --per-cpu with --latency-limit or --keep"),
        (("limit", "5", "power9"), "limit is now: idle-states select --latency-limit TIME"),
    ],
)
def test_what_cannot_be_meant(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(words)
    except SystemExit as ended:
        status = int(ended.code or 0)
    assert status == 2
    assert said in capsys.readouterr().err


def test_no_latency_is_of_a_cpu(icx: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["select", "--latency-limit", "n/a", icx]) == 2
    assert "--per-cpu" in capsys.readouterr().err
    found = limit_of(capsys, "--latency-limit", "n/a", icx, "--per-cpu", "--kernel", "6.1")
    assert found["tables"][0]["limit_us"] == 0


def test_a_page_has_the_limits_too(icx: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ("select", icx, "--keep", "C1", "--kernel", "6.1", "--html", str(page))
    assert main(words) == 0
    assert "No other value" not in page.read_text("utf-8")
    assert "Every value from 1 to 3 us allows these states." in page.read_text("utf-8")
