"""genpd's governor for CPUs and its gates, by decisions worked out by hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.tables.linux.genpd import gates
from idle_states.tables.linux.genpd.features import GenpdFeatures, features
from idle_states.tables.linux.genpd.governor import (
    NO_CONSTRAINT_NS,
    Domain,
    Moment,
    power_down_ok,
    system_power_down_ok,
)
from idle_states.tables.linux.genpd.tables import DomainState
from idle_states.tables.linux.releases import release

US, MS = 1_000, 1_000_000
RETENTION = DomainState("retention", 500 * US, 400 * US, 2 * MS)
OFF = DomainState("off", 2 * MS, 3 * MS, 6 * MS)
BOTH = (RETENTION, OFF)
NEW = features(release("7.3"))
OLD = features(release("5.10"))


def chosen(moment: Moment, known: GenpdFeatures = NEW, **more: object) -> int | None:
    domain = Domain(BOTH, frozenset({0, 1}), **more)  # type: ignore[arg-type]
    return domain.state if power_down_ok(domain, moment, known) else None


def until(idle_ns: int) -> Moment:
    """CPU 1's timer is next; CPU 0's is further away."""
    return Moment(7 * MS, {0: 7 * MS + idle_ns + 1, 1: 7 * MS + idle_ns})


@pytest.mark.parametrize(
    ("idle_ns", "state"),
    [
        (0, None),
        (-5, None),
        # min-residency and entry latency are added, and the sum itself is enough
        (2_500 * US - 1, None),
        (2_500 * US, 0),
        (8 * MS - 1, 0),
        (8 * MS, 1),
    ],
)
def test_next_timer(idle_ns: int, state: int | None) -> None:
    assert chosen(until(idle_ns)) == chosen(until(idle_ns), OLD) == state


@pytest.mark.parametrize(
    ("limit_us", "state"), [(5_000, 1), (4_999, 0), (900, 0), (899, None), (0, None)]
)
def test_latency_limits(limit_us: int, state: int | None) -> None:
    """Entry and exit latency together, from where limits hold; of whichever limit is lowest."""
    far = until(10**12)
    everywhere = replace(far, latency_limit_us=limit_us)
    assert chosen(everywhere, features(release("6.1.147"))) == state
    assert chosen(everywhere, features(release("6.1.146"))) == 1
    of_cpu = replace(far, cpu_limits_us={1: limit_us})
    assert chosen(of_cpu) == state
    assert chosen(replace(of_cpu, offline=frozenset({1}))) == 1
    waking = replace(far, wakeup_limit_us=limit_us)
    assert chosen(waking, features(release("6.19"))) == state
    assert chosen(waking, features(release("6.18"))) == 1


def test_pending_interrupt_between_processors() -> None:
    moment = replace(until(10**12), pending_ipi=frozenset({0}))
    assert chosen(moment, features(release("6.19"))) is None
    assert chosen(moment, features(release("6.18"))) == 1
    assert chosen(replace(moment, pending_ipi=frozenset({2}))) == 1


def test_no_cpu_has_a_timer() -> None:
    assert chosen(Moment(0, {})) == 1
    assert chosen(Moment(0, {1: -1}, offline=frozenset({1}))) == 1


class TestConstraints:
    """The limits of the domain's devices, and of the domains within."""

    def test_must_exceed_the_sum(self) -> None:
        far = until(10**12)
        assert chosen(far, constraints_ns=(5 * MS,)) == 0
        assert chosen(far, constraints_ns=(5 * MS + 1, NO_CONSTRAINT_NS)) == 1
        assert chosen(far, constraints_ns=(5 * MS + 1, 900 * US)) is None

    def test_answer_is_kept_until_one_changes(self) -> None:
        domain = Domain(BOTH, frozenset({0}), constraints_ns=(5 * MS,))
        assert power_down_ok(domain, until(10**12), NEW)
        domain.constraints_ns = ()
        assert power_down_ok(domain, until(10**12), NEW)
        assert domain.state == 0
        domain.changed = True
        assert power_down_ok(domain, until(10**12), NEW)
        assert domain.state == 1

    def test_reach_the_domain_around(self) -> None:
        inner = Domain(BOTH, frozenset({0}), constraints_ns=(9 * MS,))
        outer = Domain(BOTH, frozenset({0}))
        outer.add(inner)
        asked = gates.power_off(inner, until(10**12), NEW)
        # 9 ms less 3 ms to come back
        assert (inner.max_off_ns, [answer.state for answer in asked]) == (6 * MS, [1, 1])
        inner.constraints_ns, inner.changed = (7 * MS,), True
        gates.power_on(inner)
        asked = gates.power_off(inner, until(10**12), NEW)
        assert (inner.max_off_ns, [answer.state for answer in asked]) == (4 * MS, [1, 0])


class TestGates:
    def pair(self) -> tuple[Domain, Domain, Domain]:
        """Two clusters of two CPUs in a system."""
        system = Domain(BOTH, frozenset({0, 1, 2, 3}))
        clusters = Domain(BOTH, frozenset({0, 1})), Domain(BOTH, frozenset({2, 3}))
        for cluster in clusters:
            system.add(cluster)
        return (system, *clusters)

    def test_all_within_must_be_off(self) -> None:
        system, a, b = self.pair()
        far = Moment(0, {})
        first = gates.power_off(a, far, NEW)
        assert [(answer.domain, answer.refusal) for answer in first] == [
            (a, ""),
            (system, gates.CHILD_ON),
        ]
        assert [answer.domain for answer in gates.power_off(b, far, NEW)] == [b, system]
        assert not system.on
        gates.power_on(a)
        assert (system.on, a.on, b.on) == (True, True, False)

    def test_all_within_must_be_in_their_last_state_since_5_18(self) -> None:
        for known, refusal in ((features(release("5.17")), ""), (NEW, gates.CHILD_SHALLOW)):
            system, a, b = self.pair()
            gates.power_off(a, Moment(0, {0: 3 * MS}), known)
            assert a.state == 0
            (_, answer) = gates.power_off(b, Moment(0, {}), known)
            assert (answer.domain, answer.refusal) == (system, refusal)

    def test_devices_in_use(self) -> None:
        domain = Domain(BOTH, active=1)
        assert gates.power_off(domain, Moment(0, {}), NEW)[0].refusal == gates.DEVICE_ON
        assert gates.power_off(domain, Moment(0, {}), NEW, one_device_on=True)[0].state == 1

    def test_always_on(self) -> None:
        assert gates.power_off(Domain(BOTH, always_on=True), Moment(0, {}), NEW)[0].state is None
        asleep = Domain(BOTH, run_time_on=True)
        assert gates.power_off(asleep, Moment(0, {}), NEW)[0].refusal == gates.ALWAYS_ON
        assert gates.suspend(asleep, Moment(0, {}), NEW)[0].state == 1

    def test_without_governor_it_takes_state_0(self) -> None:
        domain = Domain(BOTH, frozenset({0}), governed=False)
        assert gates.power_off(domain, Moment(0, {0: 1}), NEW)[0].state == 0

    @pytest.mark.parametrize(("limit_us", "state"), [(5_000, 1), (4_999, 0), (899, None)])
    def test_suspend(self, limit_us: int, state: int | None) -> None:
        moment = Moment(0, {0: 1}, wakeup_limit_us=limit_us)
        assert gates.suspend(Domain(BOTH), moment, features(release("6.18")))[0].state == 1
        assert gates.suspend(Domain(BOTH), moment, features(release("6.19")))[0].state == state
        assert system_power_down_ok(Domain(BOTH), limit_us) is (state is not None)


TIMES = st.integers(0, 2**32 - 1).map(lambda us: us * US)
STATES = st.lists(st.builds(DomainState, st.just("x"), TIMES, TIMES, TIMES), min_size=1, max_size=4)


@given(STATES, st.integers(1, 2**43), st.integers(0, 2**31 - 1))
def test_the_deepest_that_fits_is_taken(
    states: list[DomainState], idle_ns: int, limit_us: int
) -> None:
    fitting = [
        number
        for number, state in enumerate(states)
        if idle_ns >= state.residency_ns + state.power_off_ns
        and limit_us * US >= state.power_off_ns + state.power_on_ns
    ]
    domain = Domain(states, frozenset({0}))
    moment = Moment(0, {0: idle_ns}, latency_limit_us=limit_us)
    taken = power_down_ok(domain, moment, NEW)
    assert (domain.state if taken else None) == max(fitting, default=None)


@pytest.mark.parametrize(
    ("name", "feature", "before", "since"),
    [
        ("5.4.296", "latency_limits", False, "5.4.297"),
        ("5.10.240", "latency_limits", False, "5.10.241"),
        ("5.15.189", "latency_limits", False, "5.15.190"),
        ("6.1.146", "latency_limits", False, "6.1.147"),
        ("6.6.99", "latency_limits", False, "6.6.100"),
        ("6.12.39", "latency_limits", False, "6.12.40"),
        ("6.16-rc6", "latency_limits", False, "6.16-rc7"),
        ("5.4.250", "wide_times", False, "5.4.251"),
        ("5.10.187", "wide_times", False, "5.10.188"),
        ("5.15.120", "wide_times", False, "5.15.121"),
        ("6.1.38", "wide_times", False, "6.1.39"),
        ("6.4", "wide_times", False, "6.5"),
        ("5.17", "deepest_children", False, "5.18"),
        ("6.18.44", "pending_ipi", False, "6.19"),
        ("6.18.44", "wakeup_limit", False, "6.19"),
        ("6.2", "preempt_rt", "", "6.3"),
        ("5.18.2", "governed", False, "5.18.3"),
    ],
)
def test_first_release(name: str, feature: str, before: object, since: str) -> None:
    assert getattr(features(release(name)), feature) == before
    assert getattr(features(release(since)), feature) != before


def test_before_there_was_one() -> None:
    with pytest.raises(ValueError, match=r"a release from 5\.2 on for genpd, found 5\.1"):
        features(release("5.1"))
    assert features(release("5.17")).governed
