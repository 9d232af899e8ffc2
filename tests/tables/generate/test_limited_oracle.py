"""The parameters that leave the states of a limit, given to intel_idle itself, compiled."""

import os
import re
from pathlib import Path

import pytest

from idle_states.base.model.findings import UsageError
from idle_states.tables.generate.limited import BootedTable, parameter
from idle_states.tables.linux.cpuidle_flags import OFF
from idle_states.tables.linux.intel_idle.machine import IntelIdleParameters
from idle_states.tables.linux.intel_idle.platform_text import parse_machine
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import journey
from idle_states.tables.selection.limit_words import keeping
from idle_states.tables.sources import read_sources
from tests.oracle import skipping
from tests.oracle.debian import linux_source
from tests.oracle.linux import intel_idle_machines as machines
from tests.oracle.linux.intel_idle import DRIVER, IntelIdleOracle
from tests.oracle.linux.source import release as tree_release


def given(line: str) -> IntelIdleParameters:
    """The driver's parameters of a line."""
    name, _, value = line.strip().removeprefix("intel_idle.").partition("=")
    parameters = IntelIdleParameters()
    if name == "max_cstate":
        return IntelIdleParameters(max_cstate=int(value))
    return IntelIdleParameters(states_off=int(value, 0)) if name else parameters


@pytest.mark.slow
def test_the_driver_leaves_what_is_promised(tmp_path: Path) -> None:
    """LINUX: a tree; RELEASE: its release, where its Makefile does not say it."""
    with skipping():
        named = os.environ.get("LINUX")
        tree = Path(named) if named else linux_source()
        kernel = release(os.environ.get("RELEASE") or tree_release(tree))
        text = (tree / DRIVER).read_text("utf-8")
        known = frozenset(re.findall(r"^module_param(?:_named|_string)?\((\w+)", text, re.M))
        cases, promised = [], []
        for source in read_sources(str(tree / DRIVER)):
            assert source.table is not None
            assert source.table.origin.form == "driver"
            for cpu in source.table.origin.cpus:
                platform = parse_machine(f"x86,model={cpu.model}")
                arrival = journey(source, platform, [kernel]).arrivals[0]
                booted = BootedTable(source, source.table, platform, arrival)
                states = arrival.driver.states
                for state in states:
                    try:
                        line = parameter(keeping([state.name]), booted, print)
                    except UsageError:
                        continue
                    cases.append(machines.line(platform.machine, given(line), known))
                    promised.append(
                        [
                            (s.name, s.exit_latency_us, s.target_residency_us)
                            for s in states
                            if not s.off and s.exit_latency_us <= state.exit_latency_us
                        ]
                    )
        results = IntelIdleOracle(tree, tmp_path).run(cases)
        for case, result, wanted in zip(cases, results, promised, strict=True):
            left = [(row[0], *row[2:4]) for row in result.states if not row[4] & OFF]
            assert left == wanted, case
        assert len(cases) > 60
