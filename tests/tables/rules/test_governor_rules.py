"""Rules about governors, held to what the governor models select in the long run."""

from dataclasses import replace

import pytest

from idle_states.base.model.table import IdleTable
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.governors import Governor
from idle_states.tables.linux.governors.settling import Circumstances, Settling
from idle_states.tables.linux.governors.steady import Range, selection_map
from idle_states.tables.linux.releases import all_releases, release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.engine import run
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.selection.by_core import by_core
from idle_states.tables.spec.library import find


def with_first(latency_ns: int, residency_ns: int) -> IdleTable:
    table = find("power9")
    first = replace(table.states[0], latency_ns=latency_ns, residency_ns=residency_ns)
    return replace(table, states=(first, *table.states[1:]))


def fires(code: str, table: IdleTable, kernel: str) -> bool:
    found = run(Subject(table, [release(kernel)]), (), RuleSelection((code,)))
    return any(finding.rule == code for finding in found)


def menu_map(table: IdleTable, kernel: str, limit_us: int = 10**9) -> tuple[Range, ...]:
    driver = Subject(table, []).linux(release(kernel))
    return selection_map(menu(kernel, driver), Circumstances(limit_us=limit_us))


def menu(kernel: str, driver: DriverTable) -> Settling:
    return Settling(lambda: Governor.for_kernel("menu", kernel, driver), by_core)


def test_rules_about_governors_judge_every_known_kernel() -> None:
    """Kernels before the oldest modelled menu have drivers, too, and a rule must not ask for it."""
    rules = RuleSelection(("IS420", "IS421", "IS990"))
    found = run(Subject(with_first(1000, 10_000), all_releases()), (), rules)
    assert {finding.rule for finding in found} == {"IS420"}


@pytest.mark.parametrize("residency_us", [10, 14, 15, 20])
@pytest.mark.parametrize(
    "kernel", ["6.1", "6.2", "6.12", "6.18", "6.19", "7.2", "debian-6.1.192", "debian-6.12.117"]
)
def test_polling_override_is_what_menu_does(kernel: str, residency_us: int) -> None:
    """Idles of 5 us with the timer far away: snooze, unless the rule fires."""
    table = with_first(1000, residency_us * 1000)
    expected = (1,) if fires("IS420", table, kernel) else (0,)
    driver = Subject(table, []).linux(release(kernel))
    taken = menu(kernel, driver).at(5_000, Circumstances())
    assert taken == expected


@pytest.mark.parametrize(
    ("kernel", "residency_us", "expected"),
    [
        ("6.1", 10, False),
        ("6.6", 1000, True),
        ("6.19", 14, True),
        ("6.19", 15, False),
        ("debian-6.1.158", 10, False),
        ("debian-6.1.176", 1000, True),
        ("debian-6.12.117", 14, True),
        ("debian-6.12.117", 15, False),
    ],
)
def test_polling_override_by_kernel(kernel: str, residency_us: int, expected: bool) -> None:
    assert fires("IS420", with_first(1000, residency_us * 1000), kernel) is expected


def test_the_founding_case_under_any_latency_limit() -> None:
    """200 ns / 2 us on 4.11: stop0_lite from 2 us on, whatever the limit; 1 us / 10 us: snooze."""
    table = find("power9-dd1@84368bbf8")
    assert fires("IS402", table, "4.11")
    driver = Subject(table, []).linux(release("4.11"))
    for limit_us in (1, 5, 100, 10**9):
        ranges = selection_map(menu("4.11", driver), Circumstances(limit_us=limit_us))
        assert ranges[0] == Range(0, 1_999, (0,))
        assert (ranges[1].first_ns, ranges[1].states) == (2_000, (1,))
        assert ranges[1].last_ns is None or ranges[1].last_ns >= 48_999
    unlimited = selection_map(menu("4.11", driver), Circumstances())
    assert unlimited[1] == Range(2_000, 48_999, (1,))
    fixed = menu_map(find("power9-dd1"), "4.11")
    assert fixed[0] == Range(0, 9_999, (0,))


@pytest.mark.parametrize(
    ("exit_us", "residency_us", "locks_at_3us"),
    [(0, 2, True), (1, 2, True), (0, 10, False), (1, 10, False)],
)
def test_the_residency_did_the_work(exit_us: int, residency_us: int, locks_at_3us: bool) -> None:
    """Rounding alone, (1,2), still takes stop0_lite for idles of 3 us; (0,10) does not."""
    driver = Subject(with_first(exit_us * 1000, residency_us * 1000), []).linux(release("4.11"))
    taken = menu("4.11", driver).at(3_000, Circumstances())
    assert (1 in taken) is locks_at_3us


@pytest.mark.parametrize(
    ("measured_ns", "residency_us", "expected"),
    [
        (3_855, 2, True),
        (3_000, 2, True),
        (2_999, 2, False),
        (3_855, 10, False),
        (1_000_000, 2, False),  # so long that a deeper state follows
    ],
)
def test_self_perpetuating(measured_ns: int, residency_us: int, expected: bool) -> None:
    table = with_first(1000, residency_us * 1000)
    first = replace(
        table.states[0], measured=(replace(table.states[0].measured[0], latency_ns=measured_ns),)
    )
    table = replace(table, states=(first, *table.states[1:]))
    assert fires("IS421", table, "6.1") is expected
