"""A machine's power domains while its CPUs idle and wake, by hand: two clusters in a system."""

import pytest

from idle_states.tables.devicetree import idle_nodes
from idle_states.tables.linux.dt_idle import tree_domains
from idle_states.tables.linux.genpd.features import features
from idle_states.tables.linux.genpd.running import RunningDomains
from idle_states.tables.linux.genpd.tables import CpuDomain
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.suspend_parameter import PsciFirmware
from tests.support.clusters import board

US, MS = 1_000, 1_000_000
FAR = 10**15


def domains(kernel: str = "6.12", osi: bool = True, **more: bool) -> tuple[CpuDomain, ...]:
    listed = idle_nodes.lists_of(board(**more), "x")[0]  # type: ignore[arg-type]
    return tree_domains(listed, release(kernel), PsciFirmware(osi=osi))


def running(kernel: str = "6.12") -> RunningDomains:
    return RunningDomains(domains(kernel), features(release(kernel)), range(4))


def states(found: RunningDomains) -> dict[str, list[tuple[int, int]]]:
    return {d.name: [(s.usage, s.time_us) for s in d.states] for d in found.figures()}


def test_domains_of_the_whole_tree_those_within_others_first() -> None:
    found = domains()
    assert [one.level for one in found] == ["CPU"] * 4 + ["cluster", "cluster", "system"]
    assert [one.numbers for one in found[4:]] == [(0, 1), (2, 3), (0, 1, 2, 3)]
    assert {one.dead for one in found} == {""}


def test_cluster_goes_down_with_its_last_cpu() -> None:
    now = running()
    assert [each.refusal for each in now.idles(0, 0, FAR)][-1] == "a domain within it is on"
    # 1.1 ms is what retention needs; off needs 3.3 ms
    answers = {each.domain.cpus: each.state for each in now.idles(1, MS, 3 * MS)}
    assert answers == {frozenset({1}): 0, frozenset({0, 1}): 0, frozenset(range(4)): None}
    assert now.wakes(0, 3 * MS) == 150 * US
    now.awake(0, 3 * MS + 230 * US)
    assert states(now)["cluster-pd0"] == [(1, 2_230), (0, 0)]
    assert (now.waited, now.waited_ns) == (1, 150 * US)


def test_the_nearest_timer_of_all_decides() -> None:
    now = running()
    now.idles(0, 0, 2 * MS)
    assert [each.refusal for each in now.idles(1, MS, FAR)][-1] == "no state fits"
    assert now.figures()[0].stayed_on == 1


def test_waking_brings_up_the_system_first_and_others_wait() -> None:
    now = running()
    for cpu in range(4):
        now.idles(cpu, cpu * US, FAR)
    # the system, then the cluster
    assert now.wakes(0, 50 * MS) == (1_000 + 500) * US
    # the other CPU of the cluster waits for the rest, and that of the other one for its own
    assert now.wakes(1, 50 * MS + 600 * US) == 900 * US
    assert now.wakes(2, 50 * MS + 600 * US) == (400 + 500) * US
    assert now.waited == 3
    now.awake(0, 52 * MS)
    now.awake(2, 53 * MS)
    figures = states(now)
    assert figures["system-pd"] == [(1, 51_997)]
    assert figures["cluster-pd0"] == [(0, 0), (1, 51_999)]
    assert figures["cluster-pd1"] == [(0, 0), (1, 52_997)]


def test_turning_off_is_not_broken_off() -> None:
    now = running()
    now.idles(0, 0, FAR)
    now.idles(1, 0, FAR)
    # off takes 300 us, of which 100 are over
    assert now.wakes(1, 100 * US) == (200 + 500) * US
    now.awake(1, MS)
    (low, high) = now.figures()[0].states
    assert (low.usage, high.usage, high.above, high.below) == (0, 1, 1, 0)


def test_too_shallow() -> None:
    now = running()
    now.idles(0, 0, 2 * MS)
    now.idles(1, 0, 2 * MS)
    now.wakes(0, 9 * MS)
    now.awake(0, 9 * MS)
    assert [s.below for s in now.figures()[0].states] == [1, 0]


@pytest.mark.parametrize(
    ("kernel", "osi", "riscv", "alive"),
    [
        ("5.5", True, False, False),
        ("5.8", True, False, True),
        ("5.8", False, False, False),
        ("5.17", True, True, False),
        ("5.18.3", True, True, True),
        ("7.3", False, True, True),
        ("7.3", False, False, False),
    ],
)
def test_kernels_and_modes_without(kernel: str, osi: bool, riscv: bool, alive: bool) -> None:
    found = domains(kernel, osi, riscv=riscv)
    assert {not one.dead for one in found} == {alive}
    now = RunningDomains(found, features(release(kernel)), range(4))
    assert bool(now) == alive
    assert [now.idles(cpu, 0, FAR) == [] for cpu in range(4)] == [not alive] * 4
    assert (sum(one.usage + one.stayed_on for one in now.figures()) == 0) or alive


def test_cpus_that_take_no_part_are_offline() -> None:
    now = RunningDomains(domains(), features(release("6.12")), [0, 2, 9])
    now.idles(0, 0, FAR)
    assert [d.cpus for d in now.figures()] == [(0,), (2,), (0, 2)]
    assert now.wakes(0, 50 * MS) == 500 * US
    assert now.idles(9, 60 * MS, FAR) == []
