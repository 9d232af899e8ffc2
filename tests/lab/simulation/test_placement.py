"""Tests of where tasks wake up: the search itself, and what it does to whole simulations."""

import pytest

from idle_states.lab.simulation import placement, topology
from idle_states.lab.simulation.placement import BadPlacement, Placement, Policy
from idle_states.lab.simulation.setup import SCOPES
from idle_states.lab.simulation.simulate import simulate
from tests.support.simulations import setup

SPREADING = "server:clients=4,gap=200us,work=100us"


def busy(machine: str, policy: str, *cpus: int) -> Placement:
    """Gives each of those CPUs a task."""
    found = Placement(topology.parse(machine), placement.parse(policy))
    for cpu in cpus:
        found.tasks[cpu] += 1
    return found


def test_order_of_the_search() -> None:
    machine = "cpus=8,llc=8"
    assert busy(machine, "").choose(3, 5, 6) == 3
    assert busy(machine, "", 3).choose(3, 5, 6) == 5
    assert busy(machine, "", 3, 5).choose(3, 5, 6) == 6
    assert busy(machine, "recent=off", 3, 5).choose(3, 5, 6) == 4
    assert busy(machine, "", 3, 4, 5, 6, 7).choose(3, 5, 6) == 0
    assert busy(machine, "", *range(8)).choose(3, 5, 6) == 3


def test_other_caches_are_not_looked_into() -> None:
    machine = "cpus=8,llc=4"
    assert busy(machine, "", 3).choose(3, 5, 6) == 0
    assert busy(machine, "", 0, 1, 2, 3).choose(3, 5, 6) == 3


def test_walk_wraps_within_its_cache() -> None:
    assert busy("cpus=8,llc=4", "", 6, 7).choose(6, 6, 6) == 4


def test_idle_core_comes_before_idle_thread() -> None:
    # cores of two: 0-1, 2-3, 4-5, 6-7
    found = busy("cpus=8,threads=2", "recent=off", 0, 2)
    assert found.choose(0, 0, 0) == 4
    found.tasks[4] = found.tasks[6] = 1
    # no idle core: a sibling of the previous CPU, not the first of the walk
    assert found.choose(0, 6, 0) == 7
    assert found.choose(0, 0, 0) == 1


def test_small_core_mask_prefers_an_idle_half() -> None:
    """One task on a fused core of eight: with its halves told apart, the next one goes to the
    other; to the mask of before, no core of it is idle, and a sibling will do."""
    small = busy("smt8-fused", "smt=small", 0).choose(0, 0, 0)
    big = busy("smt8-fused", "smt=big", 0).choose(0, 0, 0)
    machine = topology.parse("smt8-fused")
    assert machine.small_core[small] != machine.small_core[0]
    assert small == 1
    found = busy("smt8-fused", "smt=big", 0, 1)
    assert machine.small_core[found.choose(0, 0, 0)] == machine.small_core[0]
    assert big == 1
    two = busy("smt8-fused", "smt=small", 1, 3)
    assert two.choose(1, 1, 1) == 2


def test_target() -> None:
    machine = "cpus=8,llc=4"
    assert busy(machine, "").target(1, 2, sync=False) == 2
    assert busy(machine, "", 2).target(1, 2, sync=False) == 1
    assert busy(machine, "", 1).target(1, 2, sync=False) == 2
    assert busy(machine, "", 1).target(1, 2, sync=True) == 1
    assert busy(machine, "", 1, 2).target(1, 2, sync=False) == 2
    assert busy(machine, "", 1, 2, 2).target(1, 2, sync=False) == 1
    assert busy(machine, "").target(1, 6, sync=False) == 6


def test_clusters_spread_and_pack() -> None:
    machine = "cpus=12,cluster=4"
    assert busy(machine, "cluster=spread", 0, 1, 4).choose(0, 0, 0) == 8
    assert busy(machine, "cluster=pack", 0, 4, 5).choose(0, 0, 0) == 6
    assert busy(machine, "cluster=pack", 0, 1, 2, 3, 8).choose(0, 0, 0) == 9
    assert busy(machine, "cluster=off", 0, 4, 5).choose(0, 0, 0) == 1


def test_new_tasks_begin_in_the_idlest_cache() -> None:
    assert busy("cpus=8,llc=4", "").first() == 0
    assert busy("cpus=8,llc=4", "", 0).first() == 4
    assert busy("cpus=8,llc=4", "cluster=pack", 0).first() == 1
    assert busy("cpus=8,llc=4", "", *range(8), 0, 1, 4).first() == 4


@pytest.mark.parametrize(
    ("recent", "expected"), [("off", [0, 1, 2, 3, 4, 5, 6, 7]), ("on", [0, 1])]
)
def test_hand_off_walks_unless_the_recent_cpu_is_a_candidate(
    recent: str, expected: list[int]
) -> None:
    run = simulate(setup("hand-off", "cpus=8", policy=f"recent={recent}"), 1, trace=400)
    cpus = [cpu for _, cpu, task in run.trace if task == 0]
    assert len(cpus) > 50
    assert cpus == [expected[i % len(expected)] for i in range(len(cpus))]


def test_walking_lengthens_idle_periods() -> None:
    """Same table, other answer: each gap is about as many hand-offs long as there are CPUs."""

    def deepest(recent: str) -> int:
        run = simulate(setup("hand-off", "cpus=8", policy=f"recent={recent}"), 1)
        return max(state for state, count in enumerate(run.reached) if count > 50)

    assert deepest("off") > deepest("on")


@pytest.mark.parametrize("machine", ["clusters-24", "cpus=32,threads=4,pair=2,quad=2,llc=32"])
def test_spreading_and_packing_move_idle_pairs_and_quads_apart(machine: str) -> None:
    runs = {
        policy: simulate(
            setup(SPREADING, machine, policy=f"cluster={policy}", duration_ns=30_000_000), 1
        )
        for policy in placement.CLUSTER
    }

    def idle(policy: str, scope: str) -> float:
        times = runs[policy].scope_ns[SCOPES.index(scope)]
        return sum(times[1:]) / sum(times)

    for scope in ("pair", "quad"):
        assert idle("spread", scope) < idle("off", scope) - 0.02
        assert idle("pack", scope) > idle("off", scope) - 0.01
    if "threads" in machine:
        assert idle("pack", "pair") > idle("off", "pair") + 0.05


def test_policies_are_read() -> None:
    assert placement.parse("") == Policy(True, "small", "off")
    assert placement.parse("recent=off,smt=big,cluster=pack") == Policy(False, "big", "pack")
    for policy in (Policy(False, "big", "spread"), Policy(True, "small", "pack"), Policy()):
        assert placement.parse(str(policy)) == policy
    for text in ("recent", "recent=maybe", "core=big", "smt=off", "recent=on,recent=on", ","):
        with pytest.raises(BadPlacement, match="expected"):
            placement.parse(text)


def test_knobs_have_the_kernels_names() -> None:
    kernel = "recent_used_cpu=off,cpu_smt_mask=cpu_sibling_map,sched_cluster=1,NO_SIS_UTIL"
    assert placement.parse(kernel) == placement.parse("recent=off,smt=big,cluster=spread")
    assert placement.parse("cpu_smt_mask=cpu_smallcore_map,sched_cluster=0") == Policy()
    with pytest.raises(BadPlacement, match="expected NO_SIS_UTIL, found SIS_UTIL: the search"):
        placement.parse("SIS_UTIL")
    for text in ("recent=on,recent_used_cpu=off", "sched_cluster=2", "cpu_smt_mask=core"):
        with pytest.raises(BadPlacement, match="expected"):
            placement.parse(text)
