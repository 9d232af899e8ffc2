"""4.4's menu may select no state: the CPU is then in the default idle, which no state counts."""

import pytest

from idle_states.base.reading.problems import InputProblems
from idle_states.cli import main
from idle_states.lab.replay import core_models
from idle_states.lab.replay.machine import CpuTable, TracedMachine
from idle_states.lab.replay.replay import ReplayModel, Settings
from idle_states.tables.linux.governors import Governor, core
from idle_states.tables.linux.governors.interface import NO_STATE, Outcome, Situation, State
from idle_states.tables.linux.releases import release
from tests.support.compiled import needs_core

US = 1000
WFI = State(1 * US, 4 * US)
TABLE = CpuTable(("WFI", "sleep"), (WFI, State(30 * US, 90 * US)))
MODELS = [ReplayModel, core_models.CoreModel] if core.available() else [ReplayModel]


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize(("kernel", "without"), [("4.4", 2), ("4.5", 0)])
def test_traced_periods(make: type, kernel: str, without: int) -> None:
    """Timers 2 us away twice, then 50 us away."""
    problems = InputProblems()
    model = make(TracedMachine("x", TABLE, {}), Settings("menu", release(kernel), 250), problems)
    starts = (100 * US, 200 * US, 300 * US)
    lasting = (2 * US, 2 * US, 50 * US)
    model.add([(0, 0, at, at + ns, 0) for at, ns in zip(starts, lasting, strict=True)])
    assert model.figures()[0].states[0].usage == 3 - without
    assert (model.decisions, model.held) == (3, {0: (3, 3 - without)})
    assert problems.count("default-idle") == without


@needs_core
@pytest.mark.parametrize("rejected", [False, True])
def test_core_and_reference_learn_alike(rejected: bool) -> None:
    near, far = Situation(2_000_000_000, 2 * US, 2 * US), Situation(2_000_000_000, 10**9, 10**6)
    rows = [(near, Outcome(NO_STATE, 9 * US, rejected)), (far, Outcome(1, 200 * US))] * 12
    reference = Governor.for_kernel("menu", "4.4", TABLE.states)
    packed = core.run("menu", reference.features, TABLE.states, 250, core.pack(rows))
    found = packed.unpacked()
    assert {decision.state for decision in found[::2]} == {NO_STATE}
    assert (found[1].state, found[-1].state) == (0, 1)
    assert found == reference.replay(rows)


def test_no_simulation_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "server", "--table", "power8", "--duration", "10ms", "--kernel", "4.4"]
    assert main([*words, "--disabled", "snooze"]) == 2
    assert "the default idle, which is not modelled" in capsys.readouterr().err
    assert main(words) == 0
