"""Tests of what commands drive, driven without a command line: the same results, the same
refusals."""

import ast
import dataclasses
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.model.findings import UsageError
from idle_states.change.boot.request import BootRequest
from idle_states.change.patches.answer import patch
from idle_states.change.patches.request import PatchRequest
from idle_states.change.review.request import ReviewRequest
from idle_states.lab.replay.answer import replay
from idle_states.lab.replay.conform import conform
from idle_states.lab.replay.conform_request import ConformRequest
from idle_states.lab.replay.replay import Settings
from idle_states.lab.replay.request import ReplayRequest
from idle_states.lab.simulation import answer as simulation
from idle_states.lab.simulation.costs import Costs
from idle_states.lab.simulation.request import SimulateRequest
from idle_states.lab.simulation.workload_request import WorkloadRequest
from idle_states.lab.statistics.answer import stats
from idle_states.lab.statistics.request import HISTOGRAM, StatsRequest
from idle_states.lab.tune.answer import tune
from idle_states.lab.tune.objective import ENERGY, Objective
from idle_states.lab.tune.request import TuneRequest
from idle_states.tables.audit.answer import audit, setting_of
from idle_states.tables.audit.request import AuditRequest
from idle_states.tables.check.answer import check
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.check.request import CheckRequest
from idle_states.tables.diff.answer import diff
from idle_states.tables.diff.request import DiffRequest
from idle_states.tables.generate.request import Generated
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.request_parts import GivenStates, GovernorRequest
from idle_states.tables.selection.answer import select
from idle_states.tables.selection.request import Scope, SelectRequest
from idle_states.tables.skiboot import c_table
from idle_states.tables.sources.walk import Walk
from idle_states.tables.spec.library import find
from tests.support import ROOT
from tests.support.commands import outcome

NEW, OLD = release("6.1"), release("4.11")
STATES = GivenStates("1000/10000,20000/200000")
RECORDING = """\
latency_req_us,sleep_length_ns,delta_next_ns,tick_stopped,nr_iowaiters,load,state,stop_tick,\
rejected,residency_ns,got_tick,poll_time_limit,clock_at_select_ns
2000000000,1946928,1946928,0,0,0,2,1,0,973464,0,0,1000000000
2000000000,5000,5000,0,0,0,1,0,0,4000,0,0,1001974964
"""
Run = Callable[..., tuple[int, Any]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit status and document of a command line."""
    return partial(outcome, capsys)


@pytest.fixture
def recording(tmp_path: Path) -> str:
    path = tmp_path / "recording.csv"
    path.write_text(RECORDING)
    return str(path)


def test_argparse_stays_in_cli() -> None:
    package = ROOT / "idle_states"
    users = {
        file.relative_to(package).parts[0]
        for file in package.rglob("*.py")
        if "argparse" in (text := file.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Import) and any(a.name == "argparse" for a in node.names))
        or (isinstance(node, ast.ImportFrom) and node.module == "argparse")
    }
    assert users == {"cli"}


@pytest.mark.parametrize(
    "kind",
    [
        AuditRequest, BootRequest, CheckRequest, ConformRequest, DiffRequest, Generated,
        GovernorRequest, PatchRequest, ReplayRequest, ReviewRequest, SelectRequest,
        SimulateRequest, StatsRequest, TuneRequest, WorkloadRequest,
    ],
)  # fmt: skip
def test_requests_are_frozen(kind: Any) -> None:
    assert dataclasses.is_dataclass(kind)
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_replay(recording: str, run: Run) -> None:
    found = replay(ReplayRequest((recording,), NEW, states=STATES, governors=("menu",)))
    words = ("--states", STATES.text, "--governor", "menu", "--kernel", "6.1")
    status, document = run("replay", recording, *words)
    total = found.result.accounts[0].total
    assert [(each.name, each.usage) for each in total.states] == [
        (each["name"], each["usage"]) for each in document["total"]["states"]
    ]
    assert sum(each.usage for each in total.states) == 2
    assert status == found.doubtful
    assert [file for file, _ in found.inputs] == [each["file"] for each in document["inputs"]]


@pytest.mark.slow
def test_conform(recording: str, run: Run) -> None:
    found, _ = conform(ConformRequest(recording, GovernorRequest(states=STATES), NEW))
    words = ("--states", STATES.text, "--governor", "menu", "--kernel", "6.1")
    status, document = run("conform", recording, *words)
    assert found.judged == 2
    assert (found.judged, found.agree) == (document["decisions"], document["agree"])
    assert status == (found.first is not None)


def test_select(run: Run) -> None:
    request = SelectRequest(GovernorRequest(table="power9"), (OLD, NEW), Scope())
    found = select(request)
    status, document = run("select", "power9", "--kernel", "4.11", "--kernel", "6.1")
    assert [other.release.name for other, _ in found.changed] == ["6.1"]
    assert status == any(different for _, different in found.changed) == 1
    assert found.first.release.name == document["kernel"] == "4.11"
    assert list(found.first.names) == [state["name"] for state in document["states"]]
    assert {each["kernel"] for each in document["changes"]} == {"6.1"}


def test_simulate(run: Run) -> None:
    workload = WorkloadRequest("ping-pong", duration="5ms", seed=3)
    prepared = simulation.prepare_simulation(SimulateRequest(workload, NEW, ("power9",)))
    (setup,) = prepared.setups
    simulated_ns: list[int] = []
    found = simulation.run_simulation(prepared, setup, simulated_ns.append)
    words = ("--table", "power9", "--kernel", "6.1", "--duration", "5ms", "--seed", "3")
    _, document = run("simulate", "ping-pong", *words)
    (one,) = document["tables"][0]["runs"]
    assert (found.runs[0].switches, found.runs[0].counted) == (one["switches"], one["counted"])
    assert found.runs[0].switches > 0
    assert 0 < sum(simulated_ns) <= setup.duration_ns == 5_000_000


def test_tune(tmp_path: Path, run: Run) -> None:
    gaps = tmp_path / "gaps.csv"
    gaps.write_text("1000,5\n20000,70\n300000,30\n")
    of = GovernorRequest(table="power8")
    with tune(TuneRequest(of, NEW, Objective(ENERGY), gaps=str(gaps))) as tuning:
        best = tuning.tuned.best.candidate
    words = ("--gaps", str(gaps), "--kernel", "6.1")
    _, document = run("tune", "power8", *words)
    assert list(best) == [state["best_us"] for state in document["states"]]


def test_stats(tmp_path: Path, run: Run) -> None:
    for name, values in (("a", "1\n2\n3\n"), ("b", "10\n12\n11\n")):
        (tmp_path / name).write_text(values)
    files = (str(tmp_path / "a"), str(tmp_path / "b"))
    found = stats(StatsRequest(files, form=HISTOGRAM))
    status, document = run("stats", *files, "--histogram")
    assert found.analysis is not None
    assert [row.average for row in found.analysis.summaries] == [2.0, 11.0]
    assert [each["average"] for each in document["sets"]] == [2.0, 11.0]
    assert [name for name, _ in found.histograms] == list(files)
    assert status == found.doubtful == 0


def test_check(run: Run) -> None:
    found = check(CheckRequest(("power9-dd1@84368bbf8",), Criteria((OLD,))))
    _, document = run("check", "power9-dd1@84368bbf8", "--kernel", "4.11")
    assert [each.rule for each in found.findings] == [each["rule"] for each in document["findings"]]
    assert found.findings


def test_audit(run: Run) -> None:
    tree = str(ROOT / "tests/data/trees/powernv9.dtb")
    request = AuditRequest((tree,), Criteria((NEW,)))
    ((found,),) = audit(request, setting_of(request), Walk())
    _, document = run("audit", tree, "--kernel", "6.1")
    (one,) = document["inputs"]
    assert (found.nearest, list(found.states)) == (one["nearest"], one["states"])
    assert found.states


def test_patch(tmp_path: Path, run: Run) -> None:
    (tmp_path / "hw").mkdir()
    old = c_table.write([find("power9")])
    (tmp_path / "hw/slw.c").write_text(old.replace("= 2000,", "= 2001,", 1))
    prepared = patch(PatchRequest(tmp_path, "power9", check=True))
    status, document = run("patch", "power9", "--tree", str(tmp_path), "--check")
    (step,) = prepared.plan.made
    assert [(each.before, each.after) for each in step.changes] == [("2001ns", "2us")]
    assert status == 1
    assert [each["file"] for each in document["inputs"]] == [file for file, _ in prepared.inputs]


def test_diff(run: Run) -> None:
    found = diff(DiffRequest("power9", "power9-mambo", [NEW], governor="menu"))
    words = ("--kernel", "6.1", "--governor", "menu")
    status, document = run("diff", "power9", "power9-mambo", *words)
    stages = [each.stage for each in found.differences]
    assert {"table", "linux 6.1"} <= set(stages)
    assert stages == [each["stage"] for each in document["differences"]]
    assert status == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ReplayRequest((), NEW), "expected a trace, a recording or a sysfs dump"),
        (lambda: ReplayRequest(("t",), NEW, hz=0), "expected --hz from 1 to 10000, found 0"),
        (lambda: ReplayRequest(("t",), OLD, governors=("teo",)), "teo"),
        (lambda: GovernorRequest(), "expected a table or --states, one of the two"),
        (lambda: GovernorRequest(table="a", states=STATES), "one of the two"),
        (lambda: GovernorRequest(table="a", hz=0), "expected --hz from 1 to 10000, found 0"),
        (lambda: ConformRequest("v", GovernorRequest(table="a"), NEW, skip=-1), "0 or more"),
        (lambda: GivenStates("1000"), "expected EXIT/RESIDENCY in ns"),
        (lambda: GivenStates(",".join(["1/1"] * 10)), "at most 9 states besides snooze, found 10"),
        (lambda: WorkloadRequest("server", runs=0), "expected --runs from 1 to 10000, found 0"),
        (lambda: WorkloadRequest("server", seed=-1), "expected --seed from 0"),
        (lambda: WorkloadRequest("server", costs=Costs(wake=0)), "expected wake from 1"),
        (lambda: SimulateRequest(WorkloadRequest("server"), NEW, hz=0), "expected --hz from 1"),
        (
            lambda: TuneRequest(GovernorRequest(table="power8"), NEW, Objective(ENERGY)),
            "expected idle gaps from",
        ),
        (
            lambda: TuneRequest(
                GovernorRequest(table="power8"), NEW, Objective(ENERGY), gaps="g", jobs=0
            ),
            "expected at least one process",
        ),
        (lambda: StatsRequest(), "expected files or --summary"),
        (lambda: StatsRequest(("a",), mean="Hmean"), "expected --mean with --mmtests only"),
        (lambda: StatsRequest(("a",), column=0), "expected --column from 1, found 0"),
        (lambda: BootRequest("vax"), "expected a machine of powernv8"),
        (lambda: BootRequest("virt-arm64"), "QEMU's tree lists no states"),
        (lambda: BootRequest("q35"), "QEMU's tables have no _CST"),
        (lambda: BootRequest("virt-arm64", "t", smp=9), "expected 1 to 8 CPUs with virt-arm64"),
        (lambda: BootRequest("virt-arm64", "t", governor="x"), "expected a governor of "),
        (lambda: BootRequest("virt-arm64", "t", time_limit_s=0), "expected a time limit above 0 s"),
        (lambda: BootRequest("powernv8", levels=1), "powernv8 has no stop levels"),
        (lambda: AuditRequest(("t",), Criteria((NEW,)), jobs=0), "expected at least one process"),
        (
            lambda: AuditRequest(("t",), Criteria((NEW,)), governor="menu", hz=0),
            "expected --hz from 1 to 10000",
        ),
        (
            lambda: ReviewRequest(None, Criteria((NEW,)), hz=0),
            "expected --hz from 1 to 10000",
        ),
        (lambda: DiffRequest("-", "-", [NEW]), "expected standard input once"),
        (
            lambda: CheckRequest((), Criteria((NEW,)), engine="nativ"),
            "expected engine to be 'auto', 'native', 'dtschema' or 'all', found 'nativ'; did you",
        ),
        (lambda: ReplayRequest(("t",), next_timer="fra"), "expected next_timer to be 'gap', 'far'"),
        (lambda: Settings("menu", NEW, 250, "fra"), "expected next_timer to be 'gap', 'far'"),
        (
            lambda: TuneRequest(
                GovernorRequest(table="power8"), NEW, Objective(ENERGY), gaps="g", next_timer="x"
            ),
            "expected next_timer to be 'gap', 'far'",
        ),
        (lambda: Objective("enrgy"), "expected kind to be 'energy', 'latency' or 'weighted'"),
        (lambda: StatsRequest(("a",), form="x"), "expected form to be '', 'ministat', 'histogram'"),
        (
            lambda: StatsRequest(("a",), form="mmtests", mean="Gmean"),
            "expected mean to be 'Amean' or 'Hmean', found 'Gmean'",
        ),
        (lambda: Generated("dst"), "expected to to be 'c', 'dts', .* found 'dst'; did you mean"),
        (
            lambda: Generated("dts", part="tre"),
            "expected part to be 'tree', 'include'",
        ),
        (lambda: PatchRequest(Path()), "expected a SERIES or TABLE"),
        (lambda: Generated("dtb", self_test=True), "expected --self-test with --to c only"),
        (lambda: Generated("c", versioned=True), "expected --versioned with --to dts or dtb"),
    ],
)
def test_what_cannot_be_meant_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()
