"""Requests as JSON: what is stored is read, and what is no request is refused with its place."""

import json
from dataclasses import fields, is_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import idle_states
from idle_states import (
    AuditRequest,
    BootRequest,
    CheckRequest,
    ConformRequest,
    Criteria,
    DiffRequest,
    FitRequest,
    Generated,
    GenerateRequest,
    GivenStates,
    GovernorRequest,
    Objective,
    PatchRequest,
    ProveRequest,
    ReplayRequest,
    ReviewRequest,
    SelectRequest,
    ShowRequest,
    SimulateRequest,
    StatsRequest,
    TuneRequest,
    UsageError,
    WorkloadRequest,
    parse_platform,
    release,
    request_from_json,
    request_to_json,
)  # fmt: skip
from idle_states.base.annotations import types_of
from idle_states.base.model.findings import Severity
from idle_states.change.boot.workload import workload
from idle_states.change.patches.request import MailOptions
from idle_states.cli.commands import COMMANDS
from idle_states.cli.derive import options_of
from idle_states.cli.stored import _members
from idle_states.lab.fit.request import measured_input
from idle_states.lab.record.request import CollectRequest
from idle_states.tables.kernels.request import KernelsRequest
from idle_states.tables.linux.intel_idle.platform import X86Platform
from idle_states.tables.linux.platforms import parse
from idle_states.tables.linux.releases import Release
from idle_states.tables.selection.limit_words import latency_limit
from idle_states.tables.skiboot.platform import Platform
from idle_states.tables.why.request import WhyRequest
from tests.support.thorough import examples

NEW = release("6.1")
CRITERIA = Criteria((NEW, release("debian-6.1.192")), parse("op920"))
TABLE = GovernorRequest(table="power9")
STATES = GivenStates("1000/10000,20000/200000", polling=True)
REQUESTS = (
    AuditRequest(("a.dtb",), CRITERIA),
    BootRequest("powernv9", tree=Path("skiboot"), workload=workload("ping-pong"), smp=2),
    CheckRequest(("power9",), CRITERIA),
    CollectRequest(record=True),
    ConformRequest("vectors.csv", GovernorRequest(states=STATES), NEW),
    DiffRequest("power9", "power10", (NEW, release("rhel-9.4"))),
    FitRequest((measured_input("stop0@500us=a.txt"), measured_input("busy=b.txt")), NEW),
    GenerateRequest(Generated("dts"), NEW, table="power9"),
    KernelsRequest(("6.1", "6.6"), states=STATES),
    MailOptions(changes="more", reroll_count=3),
    PatchRequest(Path("skiboot"), "power9"),
    ProveRequest(TABLE, NEW),
    ReplayRequest(("trace.txt",), NEW, ("power9",)),
    ReviewRequest("HEAD~1..HEAD", CRITERIA, (Path("skiboot"),)),
    SelectRequest(TABLE, (NEW,), limits=(latency_limit("cstate.id_no_zero:3|70"),)),
    ShowRequest((NEW,), parse("skx,max_cstate=2")),
    SimulateRequest(WorkloadRequest("ping-pong", duration="5ms"), NEW, ("power9",)),
    StatsRequest(("a", "b"), form="ministat", confidence=Decimal("99.5")),
    TuneRequest(TABLE, NEW, Objective("weighted", Fraction(1, 3)), trace="t.txt"),
    WhyRequest("C6"),
)
SAMPLES: dict[Any, st.SearchStrategy[Any]] = {
    NoneType: st.none(),
    bool: st.booleans(),
    int: st.integers(0, 300),
    float: st.floats(0, 1000),
    str: st.sampled_from(("", "power9", "menu", "teo", "1ms", "\u00e4 \udc80"))
    | st.text(max_size=5),
    Path: st.sampled_from((Path("a"), Path("/b/c"))),
    Decimal: st.decimals(50, 99, places=3),
    Fraction: st.fractions(0, 100),
    Severity: st.sampled_from(Severity),
    Release: st.sampled_from([*map(release, ("4.11", "6.6.93", "6.19-rc3", "ubuntu-5.15.0"))]),
    Platform: st.sampled_from([*map(parse, ("rainier", "psci-mode=pc", "fused-core=yes"))]),
    X86Platform: st.sampled_from([*map(parse, ("skx", "spr,pc6=off"))]),
}


@st.composite
def changed(draw: st.DrawFn, request: Any) -> Any:
    """The request with other values of some fields, as far as it takes them."""
    for name, kind in types_of(type(request)).items():
        if draw(st.booleans()):
            try:
                request = replace(request, **{name: draw(value(kind, getattr(request, name)))})
            except UsageError:
                continue
    return request


def value(kind: Any, now: Any) -> st.SearchStrategy[Any]:
    """A value of a type."""
    return st.one_of([_value(member, now) for member in _members(kind)])


def _value(kind: Any, now: Any) -> st.SearchStrategy[Any]:
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    if kind in SAMPLES:
        return SAMPLES[kind]
    if is_dataclass(kind):
        return changed(now) if type(now) is kind else st.just(now)
    item, *more = get_args(kind)
    if more and more != [...]:
        return st.tuples(*(value(each, None) for each in (item, *more)))
    if is_dataclass(item) and item not in SAMPLES:
        return st.lists(st.sampled_from(now), max_size=3).map(tuple) if now else st.just(())
    return st.lists(value(item, None), max_size=3).map(tuple)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda each: type(each).__name__)
@settings(max_examples=examples(20, 300), deadline=None)
@given(data=st.data())
def test_what_is_stored_is_read(request_: Any, data: st.DataObject) -> None:
    asked = data.draw(changed(request_))
    text = json.dumps(request_to_json(asked))
    again = request_from_json(type(asked), json.loads(text))
    assert again == asked
    assert type(again) is type(asked)


def test_each_command_has_a_request_that_is_stored() -> None:
    from idle_states.cli.parsers import command

    kinds = {type(request) for request in REQUESTS} | {WorkloadRequest}
    for name in COMMANDS:
        groups = [each.kind.of for each in options_of(command(name)).groups()]
        asked = [each for each in groups if each.__name__.endswith("Request")]
        for each in asked:
            assert each in kinds or any(each in _inner(kind) for kind in kinds), each


def _inner(kind: Any) -> set[Any]:
    """The classes of a request's fields."""
    types = types_of(kind).values()
    return {member for each in types for member in _members(each) if is_dataclass(member)}


def test_the_public_face_has_the_requests() -> None:
    public = {getattr(idle_states, name) for name in dir(idle_states) if name.endswith("Request")}
    assert public <= {type(request) for request in REQUESTS} | {WorkloadRequest, GovernorRequest}


USUAL = {"tables": ["power9"], "criteria": {"kernels": ["6.1"]}}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "CheckRequest: expected an object, found []"),
        ({}, "CheckRequest: expected the key 'tables', found none"),
        (USUAL | {"engin": "all"}, "CheckRequest: expected keys of CheckRequest, found 'engin'; "
         "did you mean"),
        (USUAL | {"engine": "nativ"}, "CheckRequest.engine: expected 'auto', 'native', "),
        (USUAL | {"tables": "power9"}, "CheckRequest.tables: expected a list, found 'power9'"),
        (USUAL | {"tables": ["a", 1]}, "CheckRequest.tables[1]: expected a text, found 1"),
        ({"tables": [], "criteria": {}}, "CheckRequest.criteria: expected the key 'kernels'"),
        ({"tables": [], "criteria": {"kernels": ["six"]}},
         "CheckRequest.criteria.kernels[0]: expected a kernel such as 6.6.93"),
        ({"tables": [], "criteria": {"kernels": ["6.1"], "own_time": 1}},
         "CheckRequest.criteria.own_time: expected true or false, found 1"),
        ({"tables": [], "criteria": {"kernels": ["6.1"], "rules": {"thresholds": [["IS209"]]}}},
         "CheckRequest.criteria.rules.thresholds[0]: expected 2 items, found 1"),
        (USUAL | {"acceptance": {"_read": []}}, "expected keys of Acceptance, found '_read'"),
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused(document: object, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        request_from_json(CheckRequest, document)
    assert message in str(raised.value)


def test_a_request_refuses_what_it_always_refuses() -> None:
    with pytest.raises(UsageError, match="expected --self-test with --to c only"):
        request_from_json(Generated, {"to": "md", "self_test": True})


def test_a_decimal_is_a_text() -> None:
    with pytest.raises(
        UsageError, match=r"StatsRequest\.confidence: expected the text of a Decimal"
    ):
        request_from_json(StatsRequest, {"files": ["a"], "confidence": "9x"})


def test_what_no_text_describes_is_not_stored() -> None:
    machine = replace(parse_platform("op920"), wakeup_engine=False)
    with pytest.raises(UsageError, match="that the command line can ask for"):
        request_to_json(ShowRequest((NEW,), machine, "power9"))


def test_all_fields_are_stored() -> None:
    for request in REQUESTS:
        assert request_to_json(request).keys() == {each.name for each in fields(request)}
