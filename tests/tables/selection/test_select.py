"""select: exact ranges, held to every microsecond, and to both implementations of the governors."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from idle_states.cli import main
from idle_states.tables.linux.governors import Governor, Outcome, Situation, State, core
from idle_states.tables.linux.governors.interface import NO_STATE
from idle_states.tables.linux.governors.ladder_features import features as ladder_features
from idle_states.tables.linux.governors.ladder_steps import steps
from idle_states.tables.linux.governors.settling import Circumstances, Settling
from idle_states.tables.linux.governors.steady import Range, lock_in, selection_map, timer_map
from idle_states.tables.linux.platforms import parse
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.request_parts import GovernorRequest
from idle_states.tables.pipeline import held_by
from idle_states.tables.selection.by_core import by_core
from idle_states.tables.selection.idle_lengths import lengths
from idle_states.tables.selection.request import Scope
from idle_states.tables.selection.selection import changes, name_of, select
from tests.support.commands import outcome
from tests.support.thorough import examples, slow

KERNELS = {
    "menu": (
        "4.4",
        "4.5",
        "4.11",
        "4.15",
        "5.4",
        "5.15",
        "6.6",
        "6.12",
        "6.16",
        "7.2",
        "debian-6.12.117",
    ),
    "teo": ("5.3", "5.4", "5.10", "5.15", "6.6", "6.12", "6.17", "7.2"),
    "ladder": ("4.11", "6.1"),
}
GOVERNORS = [(governor, kernel) for governor, some in KERNELS.items() for kernel in some]
UNLIMITED_US = 2_000_000_000


def us(*pairs: tuple[int, int], polling: bool = False) -> list[State]:
    """Snooze, and states of (exit latency, residency) in us."""
    return [State(0, 0, polling), *(State(e * 1000, r * 1000) for e, r in pairs)]


SINGLE = [[State(0, 0, False)], [State(0, 0, True)], [State(1000, 5000, False)]]
P9 = us((1, 10), (2, 20), (5, 50), (10, 100), (100, 10_000), (200, 20_000))


def settling(
    governor: str, kernel: str, states: list[State], *, reference: bool = False, hz: int = 250
) -> Settling:
    return Settling(
        lambda: Governor.for_kernel(governor, kernel, states, hz), None if reference else by_core
    )


def told(ranges: tuple[Range, ...]) -> list[tuple[str, tuple[int, ...]]]:
    return [(lengths(r.first_ns, r.last_ns), r.states) for r in ranges]


@pytest.mark.parametrize("governor", ["menu", "teo", "ladder"])
def test_a_state_that_is_registered_off_is_not_selected(governor: str) -> None:
    """Until the user enables it. Sierra Forest's sibling without C6S in _CST."""
    kernel = release("7.0")
    some, every = (
        select(governor, kernel, held_by(kernel, of), hz=250)
        for of in (
            GovernorRequest(table="intel:grr", platform=parse(machine))
            for machine in ("grr,acpi=c1:c1e", "grr")
        )
    )
    assert some.disabled == {3}
    assert 3 in some.unreachable
    assert 3 not in every.unreachable
    assert all(step.to != 3 and step.source != 3 for step in some.steps)


@pytest.mark.parametrize("reference", [False, *slow(True)])
def test_default_idle(reference: bool) -> None:
    """Without snooze, 4.4's menu selects no state for timers that are too near for the first."""
    states = [State(1000, 4000), State(30_000, 90_000)]
    by_timer = Circumstances(timer_driven=True)
    found = told(selection_map(settling("menu", "4.4", states, reference=reference), by_timer))
    assert found[0] == ("0 to 5 us", (NO_STATE,))
    assert [taken for _, taken in found[1:]] == [(0,), (0, 1), (1,)]
    assert name_of(["WFI", "sleep"], NO_STATE) == "default idle"
    later = told(selection_map(settling("menu", "4.5", states, reference=reference), by_timer))
    assert later[0][1] == (0,)


@st.composite
def tables(draw: st.DrawFn) -> list[State]:
    residency = latency = 0
    pairs = []
    for _ in range(draw(st.integers(1, 5))):
        residency += draw(st.sampled_from((1, 3, 10, 15, 40, 90, 200, 1000)))
        latency = min(200, latency + draw(st.sampled_from((0, 1, 2, 5, 20, 60))))
        pairs.append((latency, residency))
    return us(*pairs, polling=draw(st.booleans()))


@st.composite
def circumstances(draw: st.DrawFn) -> Circumstances:
    return Circumstances(
        tick_stopped=draw(st.booleans()),
        timer_driven=draw(st.booleans()),
        limit_us=draw(st.sampled_from((UNLIMITED_US, UNLIMITED_US, 3, 50))),
        wake_ns=draw(st.sampled_from((0, 0, 1300))),
        next_timer_ns=draw(st.sampled_from((10**10, 10**10, 4 * 10**7, 300_000, 20_000))),
    )


def agree(ranges: tuple[Range, ...], asked: Settling, fixed: Circumstances, step_ns: int) -> None:
    place = 0
    for length in range(0, min((ranges[-1].last_ns or 3_000_000), 3_000_000) + 1, step_ns):
        while (last := ranges[place].last_ns) is not None and last < length:
            place += 1
        taken = asked.at(length, fixed)
        assert set(taken) == set(ranges[place].states), (length, taken, ranges[place])


@settings(max_examples=examples(12, 20), deadline=None)
@example(  # between 44360 and 45000 ns
    ("menu", "6.6"), us((0, 1), (0, 2), (5, 42), (25, 43)), Circumstances(timer_driven=True), 100
)
@example(  # 115500 ns, in the middle of a microsecond between two that alternate otherwise
    ("menu", "6.6"), us((0, 0), (0, 1), (1, 91), (61, 92)), Circumstances(timer_driven=True), 100
)
@given(st.sampled_from(GOVERNORS), tables(), circumstances(), st.sampled_from((100, 250, 1000)))
def test_maps_are_exact_at_every_half_microsecond(
    kind: tuple[str, str], states: list[State], fixed: Circumstances, hz: int
) -> None:
    """At every whole one where pytest runs plainly; the reference takes a hundred times as long."""
    settled = settling(*kind, states, hz=hz)
    step_ns = examples(1_000, 500) if core.can_replay(settled.governor) else 61_500
    agree(selection_map(settled, fixed), settled, fixed, step_ns)


@settings(max_examples=examples(15, 60), deadline=None)
@given(
    st.sampled_from(GOVERNORS),
    tables() | st.sampled_from(SINGLE),
    circumstances(),
    st.integers(0, 20_000_000),
    st.sampled_from((0, 8)),
)
def test_core_and_reference_settle_alike(
    kind: tuple[str, str], states: list[State], fixed: Circumstances, idle_ns: int, count: int
) -> None:
    entered = min(1, len(states) - 1)
    before = [Outcome(entered, residency_ns=21_300, clock_ns=21_300)] * count
    fixed = replace(fixed, next_timer_ns=idle_ns + fixed.next_timer_ns)
    fast, slow = (settling(*kind, states, reference=way) for way in (False, True))
    assert fast.at(idle_ns, fixed, before) == slow.at(idle_ns, fixed, before)


@pytest.mark.parametrize(
    ("governor", "kernel"),
    [
        ("menu", "4.11"),
        pytest.param("menu", "7.2", marks=pytest.mark.slow),
        pytest.param("teo", "6.6", marks=pytest.mark.slow),
    ],
)
def test_core_and_reference_give_the_same_map(
    governor: str, kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    states, fixed = us((1, 10), (5, 50)), Circumstances(tick_stopped=True, timer_driven=True)
    fast, slow = (settling(governor, kernel, states, reference=way) for way in (False, True))
    if core.available():
        # The core does it all.
        monkeypatch.setattr("idle_states.tables.selection.by_core.by_reference", None)
    assert selection_map(fast, fixed) == selection_map(slow, fixed)


def test_a_range_in_turn_lasts() -> None:
    """States said to be selected in turn are, after ten times as many idles."""
    settled = settling("menu", "4.11", us((0, 2), (4, 49)), reference=True)
    assert set(settled.at(50_000, Circumstances())) == {1, 2}
    governor = settled.make()
    situation = Situation(UNLIMITED_US, 10**10, 4_000_000)
    taken = []
    for _ in range(2000):
        taken.append(governor.select(situation).state)
        governor.reflect(Outcome(taken[-1], residency_ns=50_000))
    assert set(taken[-50:]) == {1, 2}


@pytest.mark.parametrize("kernel", ["5.1", "5.3", "5.4", "5.15", "6.12", "7.2"])
def test_teo_is_given_clocks(kernel: str) -> None:
    """Up to 5.4 and from 5.14 to 6.13 it takes the time from select to reflect."""
    taken = [
        settling("teo", kernel, P9).at(length, Circumstances(timer_driven=timer))
        for timer in (False, True)
        for length in (5_000, 30_000, 70_000)
    ]
    assert taken == [(0,), (2,), (3,)] * 2


def test_boundaries_below_a_microsecond() -> None:
    """teo deducts half of 1 us: 9.5 us and less are left of idles below 10.5 us in stop0_lite."""
    ranges = selection_map(settling("teo", "7.2", us((1, 10))), Circumstances())
    assert told(ranges) == [
        ("0 to 9 us", (0,)),
        ("10.000 to 10.499 us", ranges[1].states),
        ("10.500 us and more", (1,)),
    ]
    assert set(ranges[1].states) == {0, 1}
    ranges = selection_map(settling("menu", "7.2", us((1, 10))), Circumstances())
    assert told(ranges)[1:] == [("2 to 9 us", (0,)), ("10 us", (0, 1)), ("11 us and more", (1,))]


def test_lengths() -> None:
    assert lengths(2_000, 9_999) == "2 to 9 us"
    assert lengths(2_000, 2_999) == "2 us"
    assert lengths(2_000, 9_000) == "2.000 to 9.000 us"
    assert lengths(2_001, 9_999) == "2.001 to 9.999 us"
    assert lengths(2_000, 2_000) == "exactly 2.000 us"
    assert lengths(2_000, None) == "2 us and more"
    assert lengths(2_500, None) == "2.500 us and more"


@pytest.mark.parametrize(
    ("pair", "first_ns", "last_ns"), [((0, 2), 700, 1_999), ((1, 2), 1_700, 1_999)]
)
def test_lock_in(pair: tuple[int, int], first_ns: int, last_ns: int) -> None:
    """T + wake >= residency > T, in whole us after what is deducted."""
    settled = settling("menu", "4.11", us(pair))
    assert lock_in(settled, Circumstances(), 1_300) == {1: (Range(first_ns, last_ns, (1,)),)}
    assert lock_in(settled, Circumstances(), 0) == {}


@pytest.mark.parametrize("kernel", ["6.1", "6.2", "6.18", "6.19", "debian-6.1.158",
    "debian-6.1.176", "debian-6.12.117"])  # fmt: skip
@pytest.mark.parametrize("residency_us", [10, 14, 15, 100])
def test_polling_snooze_gives_way(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kernel: str, residency_us: int
) -> None:
    """From 6.2 to 6.18 whatever the residency, after that below 15 us."""
    spec = tmp_path / "mine.yaml"
    spec.write_text(
        "name: mine\nextends: power9\ndrop: [stop0, stop1, stop2, stop4, stop5]\n"
        f"override:\n  stop0_lite: {{latency: 1us, residency: {residency_us}us}}\n"
    )
    body = document(capsys, str(spec), "--kernel", kernel)
    far = [r for r in body["map"] if (r["tick"], r["ended_by"]) == ("running", "interrupt")]
    at_5_us = next(r for r in far if r["to_us"] is None or r["to_us"] >= 5)
    overridden = kernel in ("6.2", "6.18", "debian-6.1.176") or (
        kernel in ("6.19", "debian-6.12.117") and residency_us < 15
    )
    assert [at_5_us["state"], *at_5_us["also"]] == ["stop0_lite" if overridden else "snooze"]


def test_next_timer() -> None:
    """menu's preference for a physical state needs a timer beyond its residency; below 15 us the
    timers are not asked for."""
    settled = settling("menu", "6.6", us((1, 30), polling=True))
    near, far = (
        selection_map(settled, Circumstances(next_timer_ns=timer)) for timer in (29_000, 31_000)
    )
    assert told(near)[2:] == [("2 to 16 us", (1,)), ("17 to 28 us", (0,))]
    assert far[-1] == Range(far[-1].first_ns, 30_999, (1,))
    assert told(timer_map(settled, 20_000, Circumstances())) == [
        ("20.001 to 29.999 us", (0,)),
        ("30 us and more", (1,)),
    ]


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.sampled_from(GOVERNORS), tables(), st.integers(0, 400), st.booleans())
def test_timer_maps_are_exact(
    kind: tuple[str, str], states: list[State], idle_us: int, stopped: bool
) -> None:
    asked, idle_ns = settling(*kind, states), idle_us * 1000
    ranges = timer_map(asked, idle_ns, Circumstances(stopped))
    step_ns = 5_000 if core.can_replay(asked.governor) else 400_000
    place = 0
    for timer_ns in range(idle_ns + 1_000, 20_000_000, step_ns):
        while (last := ranges[place].last_ns) is not None and last < timer_ns:
            place += 1
        taken = asked.at(idle_ns, Circumstances(stopped, next_timer_ns=timer_ns))
        assert set(taken) == set(ranges[place].states), (timer_ns, taken, ranges[place])


P9 = us((1, 10), (2, 20), (5, 50), (10, 100), (100, 10_000), (200, 20_000))


@pytest.mark.parametrize(
    ("kernel", "states", "idle_us", "wake_ns"),
    [
        ("6.1", P9, 52, 0),
        ("6.8", P9, 105, 0),
        ("4.19", P9, 53, 0),
        ("5.3", us((30, 25), (40, 300)), 30, 0),
        ("6.1", us((17, 59)), 75, 1_200),
    ],
)
def test_timer_maps_where_states_alternate(
    kernel: str, states: list[State], idle_us: int, wake_ns: int
) -> None:
    """A few us above a residency each state leads back to the other, and menu's correction has
    hundreds of edges."""
    settled = settling("menu", kernel, states)
    here = Circumstances(wake_ns=wake_ns)
    ranges = timer_map(settled, 1000 * idle_us, here)
    assert any(len(each.states) > 1 for each in ranges)
    place = 0
    for timer_ns in range(600_000, 900_000, 997):
        while (last := ranges[place].last_ns) is not None and last < timer_ns:
            place += 1
        taken = settled.at(1000 * idle_us, replace(here, next_timer_ns=timer_ns))
        assert set(taken) == set(ranges[place].states), (timer_ns, taken, ranges[place])


@pytest.mark.parametrize("kernel", ["4.11", "6.1"])
@pytest.mark.parametrize("limit_us", [UNLIMITED_US, 4, 15])
@pytest.mark.parametrize("polling", [False, True])
def test_ladder_steps_are_what_ladder_does(kernel: str, limit_us: int, polling: bool) -> None:
    """From every state, for measured idles at the bounds of its steps."""
    states = us((2, 9), (5, 20), (0, 30), (10, 40), polling=polling)
    table = steps(states, ladder_features(release(kernel)), limit_us)
    assert {step.source for step in table} == set(range(5))
    assert {step.to - step.source for step in table} >= {-1, 0}
    for step in table:
        for measured_ns in (step.first_ns, 10**9 if step.last_ns is None else step.last_ns):
            governor = brought_to(step.source, kernel, states)
            for number in range(1, 6):
                governor.reflect(Outcome(step.source, residency_ns=measured_ns))
                state = governor.select(Situation(limit_us, 10**9, 10**6)).state
                due = 0 < step.after <= number
                assert state == (step.to if due else step.source), (step, measured_ns, number)
                if due:
                    break


def brought_to(state: int, kernel: str, states: list[State]) -> Governor:
    """A ladder that has just selected a state; by way of 0, as at boot it counts an idle of 0."""
    governor = Governor.for_kernel("ladder", kernel, states)
    taken = governor.select(Situation(0, 10**9, 10**6)).state
    while taken != state:
        governor.reflect(Outcome(taken, residency_ns=10**9))
        taken = governor.select(Situation(UNLIMITED_US, 10**9, 10**6)).state
    return governor


def test_changes_between_kernels_and_tables() -> None:
    states = us((1, 10), polling=True)
    before, after = (select("menu", release(k), states, 250, name="t") for k in ("6.18", "6.18"))
    assert changes(before, after) == []
    other = select("menu", release("6.18"), us((1, 20), polling=True), 250, Scope(), "t")
    (mapped, different), *_ = changes(before, other)
    assert mapped.circumstances == Circumstances(timer_driven=True)
    assert all(set(change.a) != set(change.b) for change in different)


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict:  # type: ignore[type-arg]
    status, found = outcome(capsys, "select", *words)
    assert status in (0, 1)
    return found  # type: ignore[no-any-return]


def test_the_founding_case(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["power9-dd1@84368bbf8", "--kernel", "4.11", "--platform", "op920"]
    assert main(["select", *words]) == 0
    out = capsys.readouterr().out
    assert "      2 to 48 us  stop0_lite\n" in out
    assert "As cheap to leave as snooze: stop0_lite" in out
    body = document(capsys, *words, "--latency-limit", "1", "--latency-limit", "5")
    assert {r["latency_limit_us"] for r in body["map"]} == {1, 5}
    second = [r for r in body["map"] if r["from_us"] == 2]
    assert len(second) == 8
    assert all(r["state"] == "stop0_lite" and not r["also"] for r in second)
    assert all(r["to_us"] is None or r["to_us"] >= 48 for r in second)


def test_only_what_changes(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["select", "power9-dd1@84368bbf8", "--kernel", "4.11", "--platform", "op920"]
    assert main([*words, "--against", "power9-dd1"]) == 1
    out = capsys.readouterr().out
    assert "  2 to 9 us  stop0_lite -> snooze\n" in out
    assert main([*words, "--against", "power9-dd1@84368bbf8"]) == 0
    assert "nothing changes" in capsys.readouterr().out
    body = document(capsys, *words[1:], "--against", "power9-dd1")
    assert body["changes"][0] == {
        "table": "power9-dd1", "governor": "menu", "kernel": "4.11", "tick": "running",
        "ended_by": "interrupt",
        "next_timer_us": 10_000_000, "latency_limit_us": UNLIMITED_US, "idle_us": None,
        "from_us": 2, "to_us": 9, "from_ns": 2_000, "to_ns": 9_999,
        "a": ["stop0_lite"], "b": ["snooze"],
    }  # fmt: skip


def test_it_fits_sixty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    words = "--kernel 6.1 --governor ladder --next-timer 20 --next-timer 300 --idle 12 --wake 9"
    words += " --latency-limit 7"
    main(["select", "--states", "1000/10000,5000/50000", *words.split()])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if len(line) > 60] == []
    assert any("- " in line or line.endswith("-") for line in lines)


def test_the_state_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    """ladder, with nothing but a polling state."""
    selection = select("ladder", release("6.6"), [State(0, 0, True)], 250)
    assert {state for m in selection.maps for r in m.ranges for state in r.states} == {1}
    assert selection.state_names((1,)) == ("state 1, which is not there",)


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["power9", "--governor", "haltpoll"], "expected a governor with steady states"),
        (["power9", "--next-timer", "0"], "expected --next-timer from 1"),
        (["power9", "--idle", "-1"], "expected --idle from 0"),
        (["power9", "--wake", "-1"], "expected --wake from 0"),
        (["power9", "--latency-limit", "-1"], "expected --latency-limit from 0"),
        (["--states", "1000/10000", "--against", "power9"], "expected --against with a table"),
    ):
        assert main(["select", *words]) == 2, words
        assert said in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["select", "power9", "--plot", "x.svg"])
    assert "--plot is now: idle-states select --html FILE" in capsys.readouterr().err


@pytest.mark.slow
def test_without_the_core(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same output, and a word on why it takes so long."""
    words = ["select", "--states", "0/2000", "--kernel", "4.11"]
    assert main(words) == 0
    with_core = capsys.readouterr().out
    monkeypatch.setattr(core, "available", lambda: False)
    monkeypatch.setattr(core, "supports", lambda governor, features: False)
    assert main(words) == 0
    captured = capsys.readouterr()
    assert captured.out == with_core
    assert "the compiled core is missing" in captured.err


@pytest.mark.parametrize("command", ["select", pytest.param("diff", marks=pytest.mark.slow)])
@pytest.mark.parametrize("governor", ["menu", pytest.param("teo", marks=pytest.mark.slow)])
def test_all_kernels_are_those_that_have_the_governor(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    governor: str,
) -> None:
    first = {"menu": "4.4", "teo": "5.1"}[governor]
    few = tuple(release(name) for name in ("3.14", "4.3", first, "6.1"))
    monkeypatch.setattr("idle_states.tables.linux.releases.all_releases", lambda: few)
    tables = ["power9-dd1@84368bbf8", "power9"][: 2 if command == "diff" else 1]
    words = [command, *tables, "--governor", governor, "--kernel"]
    assert main([*words, f"{first},6.1"]) == 1
    wanted = capsys.readouterr()
    assert wanted.err == ""
    assert main([*words, "all"]) == 1
    printed = capsys.readouterr()
    assert printed.out == wanted.out
    left_out = f"kernels without a model of {governor} are skipped: 3.14, 4.3"
    assert printed.err == f"idle-states: {left_out}\n"
    assert main([*words, "all,4.3"]) == 2
    assert f"expected a release from {first} on" in capsys.readouterr().err
