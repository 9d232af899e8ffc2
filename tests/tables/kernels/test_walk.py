"""Tests of where a table's selection changes, held against maps that are made apart."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.history import Since
from idle_states.tables.kernels.behaviour import rows_of
from idle_states.tables.kernels.moves import Move, Moves, MovesRequest, Step
from idle_states.tables.kernels.steps import steps
from idle_states.tables.kernels.walk import moves
from idle_states.tables.linux.governors import State, UnknownGovernor, core
from idle_states.tables.linux.grounds import modelled
from idle_states.tables.linux.releases import SERIES, Release, lacking, release
from idle_states.tables.linux.request_parts import GivenStates, GovernorRequest
from idle_states.tables.pipeline import journey
from idle_states.tables.selection.selection import TableSelection, select
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.sources import read_table

needs_core = pytest.mark.skipif(not core.available(), reason="some hundred times slower without")
POLLING = GivenStates("1000/1000,4000/20000,90000/300000", True)


def found(of: GovernorRequest, *names: str) -> Moves:
    return moves(MovesRequest(of, names))


def maps(selection: TableSelection) -> object:
    """Returns what is selected where; states in turn are a set."""
    return [[(r.first_ns, set(r.states)) for r in mapped.ranges] for mapped in selection.maps]


@cache
def mapped(of: GovernorRequest, kernel: Release) -> object:
    """Returns the map of one kernel; of neighbours in the walk one is the other's."""
    assert of.states is not None
    if not modelled(kernel, of.governor):
        return None
    return maps(select(of.governor, kernel, of.states.states, of.hz))


def before_and_at(step: Step) -> tuple[str, str]:
    return step[0].name, step[1].name


def test_no_step_leads_from_a_kernel_to_itself() -> None:
    of = GovernorRequest("menu", states=POLLING)
    assert [found(of, "6.6.93", other).steps for other in ("v6.6.93", "6.6.94")] == [0, 1]


@st.composite
def given_states(draw: st.DrawFn) -> GivenStates:
    times = []
    exit_ns = residency_ns = 0
    for _ in range(draw(st.integers(1, 3))):
        exit_ns += 1000 * draw(st.sampled_from((0, 1, 3, 20, 110)))
        residency_ns += 1000 * draw(st.sampled_from((0, 1, 6, 14, 60, 700, 5000)))
        times.append((exit_ns, residency_ns))
    text = ",".join(f"{exit_ns}/{residency_ns}" for exit_ns, residency_ns in times)
    return GivenStates(text, draw(st.booleans()))


@pytest.mark.slow
@needs_core
@settings(max_examples=1, deadline=None)
@given(given_states(), st.sampled_from(("menu", "teo", "ladder")), st.sampled_from((100, 1000)))
def test_moves_are_where_maps_made_apart_differ(
    states: GivenStates, governor: str, hz: int
) -> None:
    of = GovernorRequest(governor, hz, states=states)
    said = {before_and_at(move.step): move for move in found(of).moves}
    for step in steps((), (governor,)):
        before, at = (mapped(of, kernel) for kernel in step)
        assert (before_and_at(step) in said) == (before != at), step
        if before != at and before is not None:
            _causes_hold(of, said[before_and_at(step)])


def _causes_hold(of: GovernorRequest, move: Move) -> None:
    """Without any one of them the kernel would do something else; the others do nothing more."""
    _, at = move.step
    rows = [dated.row for dated in rows_of(at, of.governor)]
    earlier = [dated.row for dated in rows_of(move.step[0], of.governor)]
    new = [row for row in rows if row not in earlier]
    commits = [cause.origin.commit for cause in move.causes if cause.origin.side == "b"]
    causes = [row for row in new if _features(row) in _caused(move)]
    assert len(causes) == len(commits) > 0
    others = [row for row in new if row not in causes]
    assert mapped(of, lacking(at, others)) == mapped(of, at)
    for row in causes:
        assert mapped(of, lacking(at, [*others, row])) != mapped(of, at)


def _features(row: Since) -> tuple[str, frozenset[str]]:
    return row.commit, frozenset(row.values)


def _caused(move: Move) -> list[tuple[str, frozenset[str]]]:
    return [
        (cause.origin.commit, frozenset(change.feature for change in cause.features))
        for cause in move.causes
    ]


@needs_core
@settings(max_examples=12, deadline=None)
@given(given_states(), st.sampled_from(SERIES), st.data())
def test_between_listed_releases_nothing_changes(
    states: GivenStates, last: str, data: st.DataObject
) -> None:
    series, _, most = last.rpartition(".")
    of = GovernorRequest("menu", states=states)
    point = data.draw(st.integers(0, int(most)))
    listed = [
        int(move.step[1].name.rpartition(".")[2])
        for move in found(of, series).moves
        if move.step[1].name.startswith(f"{series}.")
    ]
    since = max((at for at in listed if at <= point), default=0)
    kernel, begun = (release(f"{series}.{at}") for at in (point, since))
    assert mapped(of, kernel) == mapped(of, begun)


@needs_core
def test_the_commits_that_stable_took() -> None:
    """menu of a table whose first state is as cheap as polling."""
    of = GovernorRequest("menu", states=POLLING)
    said = {
        move.step[1].name: [cause.origin.commit for cause in move.causes]
        for move in found(of, "6.6").moves
    }
    assert said["6.6.128"] == ["80606f4eb8d7"]
    # equal idle periods have a typical interval whatever is made of unlike ones
    still = {
        (each.step[1].name, change.feature, change.b)
        for each in found(of, "6.6").still
        for change in each.changes
    }
    assert {("6.6.93", "typical_maximum", True), ("6.6.115", "typical_maximum", False)} <= still
    assert not {"6.6.93", "6.6.115"} & said.keys()


@needs_core
def test_a_table_that_is_registered_otherwise() -> None:
    of = GovernorRequest("menu", table="power9")
    (move,) = (m for m in found(of, "6.1").moves if m.step[1].name == "debian-6.1.176")
    assert [(each.path, each.a, each.b) for each in move.registered] == [
        ("states.snooze", "0/0 us", "0/0 us, polling")
    ]
    (cause,) = move.causes
    assert (cause.subsystem, cause.origin.commit) == ("powernv", "5ddcc03a07ae")
    tables = [
        journey(read_table("power9"), ALL_LEVELS, [kernel]).arrivals[0].driver
        for kernel in move.step
    ]
    before, at = (
        maps(select("menu", kernel, table, 250))
        for kernel, table in zip(move.step, tables, strict=True)
    )
    assert before != at
    # and it is the driver's change alone: the governor is as it was
    states = [State(s.exit_latency_us * 1000, s.target_residency_us * 1000, s.polling)
              for s in tables[1].states]  # fmt: skip
    assert maps(select("menu", move.step[0], states, 250)) == at


@needs_core
def test_two_kernels() -> None:
    of = GovernorRequest("menu", table="power9")
    there, back = found(of, "6.6", "6.6.150"), found(of, "6.6.150", "6.6")
    (move,), (mirrored,) = there.moves, back.moves
    assert [(c.origin.side, c.origin.commit) for c in move.causes] == [("b", "80606f4eb8d7")]
    assert [(c.origin.side, c.origin.commit) for c in mirrored.causes] == [("a", "80606f4eb8d7")]
    assert [[(c.first_ns, c.last_ns, c.a, c.b) for c in some] for _, some in move.maps] == [
        [(c.first_ns, c.last_ns, c.b, c.a) for c in some] for _, some in mirrored.maps
    ]
    assert not found(of, "6.6.9", "6.6.9").moves


def test_requests_that_cannot_be_meant() -> None:
    with pytest.raises(UnknownGovernor, match="steady states"):
        MovesRequest(GovernorRequest("haltpoll", states=POLLING))
