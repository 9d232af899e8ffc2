"""Power domains in replays: two clusters of two CPUs in a system."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.power_mgt import u32_array
from idle_states.base.reading.problems import InputProblems
from idle_states.cli import main
from idle_states.lab.replay.core_models import CoreModel
from idle_states.lab.replay.counters import Tally
from idle_states.lab.replay.domains import DomainReplay, delayed
from idle_states.lab.replay.machine import TracedMachine
from idle_states.lab.replay.replay import ReplayModel, Settings
from idle_states.lab.replay.tables import of_table, of_tree
from idle_states.lab.traces.periods import Period
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux.genpd.running import DomainFigures
from idle_states.tables.linux.releases import release
from idle_states.tables.skiboot.platform import ALL_LEVELS, parse_platform
from tests.support.clusters import board, written
from tests.support.compiled import needs_core
from tests.support.thorough import examples

US, MS = 1_000, 1_000_000
Interval = tuple[int, int]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(board(), tmp_path_factory.mktemp("clusters") / "clusters.dtb")


def machine(tree: str, kernel: str = "6.6", platform: str = "") -> TracedMachine:
    chosen = parse_platform(platform) if platform else ALL_LEVELS
    return of_table(tree, chosen, release(kernel)).machine


def lengths() -> st.SearchStrategy[int]:
    """From far too short for anything to long enough for the system."""
    return st.one_of(
        st.integers(1, 400 * US), st.integers(300 * US, 4 * MS), st.integers(MS, 40 * MS)
    )


@st.composite
def any_periods(draw: st.DrawFn) -> list[Period]:
    """Periods of four CPUs in the last state, or one before, by their start."""
    found = []
    for cpu in range(4):
        now = draw(st.integers(0, MS))
        for busy, idle in draw(st.lists(st.tuples(lengths(), lengths()), max_size=12)):
            state = draw(st.sampled_from([1, 1, 1, 0]))
            found.append((cpu, state, now + busy, now + busy + idle, 0))
            now += busy + idle
    return sorted(found, key=lambda period: period[2])


def common(some: Sequence[Sequence[Interval]]) -> list[Interval]:
    """Returns what several ordered lists of intervals have in common."""
    found = list(some[0])
    for other in some[1:]:
        found = [
            (max(a, c), min(b, d)) for a, b in found for c, d in other if max(a, c) < min(b, d)
        ]
    return found


@settings(max_examples=examples(15, 30), deadline=None)
@given(periods=any_periods())
def test_a_domain_is_off_while_all_its_cpus_idle_at_most(tree: str, periods: list[Period]) -> None:
    """And exactly where the shared time is enough for a state."""
    of = machine(tree)
    replay = DomainReplay(of, release("6.6"))
    replay.observe(periods)
    own = {
        cpu: [(s, e) for c, state, s, e, _ in periods if (c, state) == (cpu, 1)]
        for cpu in range(4)
        if any(c == cpu for c, *_ in periods)
    }
    for domain in replay.finish().figures:
        shared = common([own[cpu] for cpu in domain.cpus])
        assert domain.time_us <= sum(end - start for start, end in shared) // US
        if domain.level == "cluster":
            # entry and min-residency of the two states; the end is the next timer
            for number, (least, most) in enumerate([(1_100, 3_300), (3_300, 10**9)]):
                fit = [e - s for s, e in shared if least * US <= e - s < most * US]
                assert domain.states[number].usage == len(fit)
                assert domain.states[number].time_us == sum(fit) // US
            assert domain.stayed_on == sum(end - start < 1_100 * US for start, end in shared)


@needs_core
@settings(max_examples=25, deadline=None)
@given(
    periods=any_periods(),
    governor=st.sampled_from(["menu", "teo"]),
    next_timer=st.sampled_from(["gap", "far"]),
)
def test_the_core_keeps_the_same_times(
    tree: str, periods: list[Period], governor: str, next_timer: str
) -> None:
    of = machine(tree)
    asked = Settings(governor, release("6.6"), 250, next_timer)
    found: list[tuple[DomainFigures, ...]] = []
    for make in (ReplayModel, CoreModel):
        model = make(of, asked, InputProblems())
        for at in range(0, len(periods), 7):
            model.add(periods[at : at + 7])
        assert model.domains is not None
        found.append(model.domains.finish().figures)
    assert found[0] == found[1]


def trace(path: Path) -> str:
    """All four CPUs idle from 1 s on, the last from 1.003 s, to 1.1 s; then shortly."""
    lines = []

    def period(cpu: int, start: float, end: float) -> None:
        for at, state in ((start, 1), (end, 4294967295)):
            text = f"cpu_idle: state={state} cpu_id={cpu}"
            lines.append((at, f"          <idle>-0     [{cpu:03}] d..1. {at:.6f}: {text}"))

    for cpu in range(4):
        period(cpu, 1 + cpu / 1000, 1.1 + cpu / 1000)
        period(cpu, 1.2, 1.2005)
    path.write_text("\n".join(text for _, text in sorted(lines)) + "\n")
    return str(path)


def replayed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["replay", *words, "--format", "json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_command(tmp_path: Path, tree: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By hand: the clusters from 1.001 s and 1.003 s until their first CPU wakes."""
    found = replayed(capsys, trace(tmp_path / "t"), "--table", tree, "--kernel", "6.6")
    shown = {
        of["name"]: [of["stayed_on"], *((s["usage"], s["time_us"]) for s in of["states"])]
        for of in found["domains"]  # type: ignore[attr-defined]
    }
    assert shown == {
        "cluster-pd0": [1, (0, 0), (1, 99_000)],
        "cluster-pd1": [1, (0, 0), (1, 99_000)],
        "system-pd": [0, (1, 97_000)],
    }
    # the system and the first cluster, and the cluster alone
    assert found["total"]["wake_latency_ns"]["max"] == (100 + 1_500) * US  # type: ignore[index]
    assert any("firmware is assumed to offer" in said for said in found["assumptions"])  # type: ignore[attr-defined]
    assert any("the power of power domains" in said for said in found["assumptions"])  # type: ignore[attr-defined]
    for words, why in (
        (("--kernel", "5.5"), "this kernel does not look at power domains"),
        (("--kernel", "6.6", "--platform", "psci-mode=pc"), "offers no OS-initiated mode"),
    ):
        found = replayed(capsys, trace(tmp_path / "t"), "--table", tree, *words)
        assert found["domains"] == []
        assert any("never off" in said and why in said for said in found["assumptions"])  # type: ignore[attr-defined]
        assert found["total"]["wake_latency_ns"]["max"] == 100 * US  # type: ignore[index]


def test_text_and_page(tmp_path: Path, tree: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    words = ["--governor", "teo", "--kernel", "6.6", "--html", str(page)]
    assert main(["replay", trace(tmp_path / "t"), "--table", tree, *words]) == 0
    text = capsys.readouterr().out
    assert "system-pd, system of CPU 0-3\n" in text
    assert [line.split() for line in text.splitlines() if "system-sleep-0" in line] == [
        ["system-sleep-0", "1", "97000", "us", "48.38", "%", "0", "0"]
    ]
    assert "cluster-pd1, cluster of CPU 2-3" in page.read_text()


def test_far_timers_are_deeper(
    tmp_path: Path, tree: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (trace(tmp_path / "t"), "--table", tree, "--governor", "teo", "--kernel", "6.6")
    near, far = (
        replayed(capsys, *words, "--next-timer", timer)["domains"] for timer in ("gap", "far")
    )
    usage = [[of["states"][-1]["usage"] for of in found] for found in (near, far)]  # type: ignore[attr-defined]
    assert all(a <= b for a, b in zip(*usage, strict=True))
    assert usage[0] != usage[1]


RECORDED = (
    "cpu,latency_req_us,sleep_length_ns,delta_next_ns,tick_stopped,nr_iowaiters,load,state,"
    "stop_tick,rejected,residency_ns,got_tick,poll_time_limit,clock_at_select_ns\n"
)


@pytest.mark.parametrize("core", [True, False])
@pytest.mark.parametrize("governor", [None, "menu"])
def test_recording(
    core: bool,
    governor: str | None,
    tmp_path: Path,
    tree: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The timers are recorded: the first cluster's last CPU has one in 2 ms, the other's is far."""
    if not core:
        monkeypatch.setattr("idle_states.tables.linux.governors.core.available", lambda: False)
    rows = [
        f"{cpu},2000000000,{sleep},{sleep},1,0,0,1,1,0,{10 * MS},0,0,{cpu * US}"
        for cpu, sleep in enumerate((50 * MS, 2 * MS, 50 * MS, 50 * MS))
    ]
    path = tmp_path / "r.csv"
    path.write_text(RECORDED + "\n".join(rows) + "\n")
    words = ("--governor", governor) if governor else ()
    found = replayed(capsys, str(path), "--table", tree, "--kernel", "6.6", *words)
    shown = {
        of["name"]: [(s["usage"], s["time_us"]) for s in of["states"]]
        for of in found["domains"]  # type: ignore[attr-defined]
    }
    assert found["exactness"] == "exact"
    assert shown == {
        "cluster-pd0": [(1, 9_999), (0, 0)],
        "cluster-pd1": [(0, 0), (1, 9_999)],
        # retention is not the first cluster's last state
        "system-pd": [(0, 0)],
    }


def test_tables_of_some_cpus(tmp_path: Path, tree: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--table", f"0-1={tree}", "--table", f"2-3={tree}", "--kernel", "6.6")
    found = replayed(capsys, trace(tmp_path / "t"), *words)
    assert [of["name"] for of in found["domains"]] == ["cluster-pd0", "cluster-pd1", "system-pd"]  # type: ignore[attr-defined]
    other = written(board(system=()), tmp_path / "other.dtb")
    words = ("--table", f"0-1={tree}", "--table", f"2-3={other}", "--kernel", "6.6")
    found = replayed(capsys, trace(tmp_path / "t"), *words)
    assert found["domains"] == []
    assert any("of different trees" in said for said in found["assumptions"])  # type: ignore[attr-defined]


def test_times_out_of_order_are_left_aside(tree: str) -> None:
    replay = DomainReplay(machine(tree), release("6.6"))
    replay.observe([(0, 1, 5 * MS, 9 * MS, 0), (0, 1, 6 * MS, 20 * MS, 0), (0, 0, 0, 1, 0)])
    found = replay.finish()
    (cluster, _) = found.figures
    assert found.left == 1
    assert (cluster.cpus, cluster.time_us) == ((0,), 4_000)
    assert replace(machine(tree), domains=()).like(machine(tree))


def test_each_cpu_of_a_tree_has_its_own_table(tmp_path: Path) -> None:
    """Its big CPUs' last state takes longer to leave."""
    root = board()
    big = {"exit-latency-us": u32_array([900]), "phandle": u32_array([2])}
    children = []
    for node in root.children:
        if node.name == "cpus":
            cpus = list(node.children)
            for at in (2, 3):
                own = cpus[at].properties | {"cpu-idle-states": u32_array([2])}
                cpus[at] = Node(cpus[at].name, own)
            node = Node("cpus", {}, tuple(cpus))
        if node.name == "cpu-sleep-0":
            children.append(Node("big-sleep", node.properties | big))
        children.append(node)
    written(Node("", {}, tuple(children)), tmp_path / "x.dtb")
    of, files, _ = of_tree(str(tmp_path / "x.dtb"), ALL_LEVELS, release("6.6"))
    assert [of.own[cpu].names[-1] for cpu in range(4)] == ["cpu-sleep-0"] * 2 + ["big-sleep"] * 2
    assert [of.own[cpu].states[-1].exit_ns for cpu in (0, 3)] == [100 * US, 920 * US]
    assert [domain.name for domain in of.domains][-1] == "system-pd"
    assert len(files) == 1
    replay = DomainReplay(of, release("6.6"))
    replay.observe([(cpu, 1, 0, (50 + 9 * cpu) * MS, 0) for cpu in range(4)])
    found = replay.finish()
    assert [domain.usage for domain in found.figures] == [1, 1, 1]
    counted = {cpu: Tally(of.own[cpu], True) for cpu in range(4)}
    for tally in counted.values():
        tally.add(1, 50 * MS)
    later = delayed({cpu: tally.figures() for cpu, tally in counted.items()}, found, of)
    # the first of the system, and of the other cluster
    assert [later[cpu].wakeups for cpu in range(4)] == [
        ((1_600 * US, 1),),
        ((100 * US, 1),),
        ((1_420 * US, 1),),
        ((920 * US, 1),),
    ]


def test_what_goes_back_in_time_is_told(
    tmp_path: Path, tree: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(trace(tmp_path / "t"))
    path.write_text(path.read_text() * 2)
    main(["replay", str(path), "--table", tree, "--kernel", "6.6", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert (
        "time goes back: 8 idle periods of the last state are left out of power domains"
        in (found["assumptions"])
    )
