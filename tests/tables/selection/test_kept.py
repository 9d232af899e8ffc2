"""The limit that keeps a state, given back to the governors of several kernels, for every state of
every packaged table of intel_idle and of OPAL."""

import pytest

from idle_states.base.model.findings import UsageError
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.governors import Governor
from idle_states.tables.linux.governors.interface import Outcome, Situation
from idle_states.tables.linux.platforms import parse
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import journey
from idle_states.tables.selection.limit_words import keeping, latency_limit
from idle_states.tables.selection.limits import left
from idle_states.tables.sources import read_table
from tests.support.commands import Capture, document, run
from tests.support.thorough import few
from tests.tables.generate.test_limited import packaged

OPAL = ("power8", "power9", "power9-dd1", "power10")
CASES = [
    ("menu", "6.1"), ("teo", "7.3"), ("menu", "4.9"), ("menu", "5.4"), ("menu", "7.3"),
    ("teo", "5.15"), ("teo", "6.8"), ("ladder", "6.1"),
]  # fmt: skip
FAR_NS = 10**10


def selected(governor: str, kernel: str, driver: DriverTable, limit_us: int) -> set[int]:
    """The states that a governor selects, also once it has learnt, for equal idle periods up to the
    next timer; ladder's without the first one that does not poll, which it takes whatever its
    exit latency is."""
    found = set()
    for sleep_ns in (1000, 5000, 60_000, 10**6, FAR_NS):
        model = Governor.for_kernel(governor, kernel, driver, 250)
        asked = Situation(limit_us, sleep_ns, sleep_ns, tick_stopped=True, disabled=driver.off)
        for _ in range(12):
            state = model.select(asked).state
            model.reflect(Outcome(state, sleep_ns))
            found.add(state)
    return found - {1} if governor == "ladder" else found


@pytest.mark.parametrize(("governor", "kernel"), few(2, CASES))
def test_the_limit_keeps_just_what_it_promises(governor: str, kernel: str) -> None:
    seen = 0
    for name in (*(f"intel:{name}" for name in packaged()), *OPAL):
        try:
            arrival = journey(read_table(name), parse("all-levels"), [release(kernel)]).arrivals[0]
        except UsageError:
            continue
        driver = arrival.driver
        for state in driver.states:
            meant, limit_us, rows = left(keeping([state.name]), release(kernel), driver)
            assert meant is not None
            promised = {row.number for row in rows if row.within and not row.off}
            again = left(latency_limit(f"{limit_us}us"), release(kernel), driver)
            assert again[1:] == (limit_us, rows)
            states = selected(governor, kernel, driver, limit_us)
            assert states <= promised | {0}
            if governor != "ladder" and not state.off:
                # as deep as it goes where the next timer is far away
                assert max(promised) in states
            if limit_us:
                assert state.index not in selected(governor, kernel, driver, limit_us - 1)
            seen += 1
    assert seen > 30


def test_where_the_value_is_written(capsys: Capture) -> None:
    for keep, kernel, per_cpu, said in (
        ("C1E", "6.1", "", "For the system: write 10 to /dev/cpu_dma_latency, and hold it open."),
        ("C1E", "6.1", "", "For a CPU: write 10 to its power/pm_qos_resume_latency_us."),
        ("C1E-HSW", "4.10", "", "For a CPU: no value is the same in its power/pm_qos_resume"),
        ("POLL", "6.1", "", "For a CPU: write n/a to its"),
        ("POLL", "6.1", "--per-cpu", "0 us: POLL (0 us) is the deepest"),
        ("POLL", "6.1", "--per-cpu", "For a CPU: write n/a to its"),
        ("POLL", "4.14", "", "For a CPU: no value is the same in its"),
        ("POLL", "4.14", "--per-cpu", "A CPU's limit of 0 is no limit"),
    ):
        words = ["select", "intel:hsw", "--keep", keep, "--kernel", kernel, *per_cpu.split()]
        assert said in " ".join(run(capsys, *words)[1].split()), (keep, kernel, per_cpu)
    for keep, kernel, value in (
        ("C1E", "6.1", "10"),
        ("POLL", "6.1", "n/a"),
        ("POLL", "4.14", None),
    ):
        found = document(capsys, "select", "intel:hsw", "--keep", keep, "--kernel", kernel)
        assert found["limits"][0]["tables"][0]["cpu_value"] == value
