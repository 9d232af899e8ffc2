"""The page's answers for builds of RHEL, beside those of the Linux that they are numbered after."""

import json
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from idle_states.base.model.table import CedeRecord, Cpu, IdleTable, Partition, Register
from idle_states.cli import main
from idle_states.tables.linux import register
from idle_states.tables.linux.governors.haltpoll_features import features as haltpoll
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.request_parts import GovernorRequest
from idle_states.tables.selection.request import SelectRequest
from idle_states.tables.spec import registry
from tests.tables.linux.test_dt_idle import cpu, driver, state, tree

ROWS = re.findall(
    r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| (rhel-\S+) \| ([^|]+) \|$",
    Path("docs/kernels.md").read_text("utf-8"),
    re.M,
)
"""Question, Linux, its answer, build, its answer."""


def cede(kernel: str, index: int) -> IdleTable:
    """A partition of POWER10 whose hypervisor's lowest latency is 12 us."""
    partition = Partition(False, 512_000_000, (CedeRecord(1, 0x1800, True),))
    processor = Cpu(registry.named("power10"), 0x80)
    table = IdleTable("partition", (), Register.NONE, cpu=processor, partition=partition)
    return register(None, processor, release(kernel), table).states[index]


def cede_times(kernel: str) -> str:
    found = cede(kernel, 1)
    return f"{found.exit_latency_us}/{found.target_residency_us} us"


def snooze(kernel: str) -> str:
    return "polls" if cede(kernel, 0).polling else "does not poll"


def tick_rate(kernel: str) -> str:
    of = GovernorRequest(table="power9")
    return str(SelectRequest(of, (release(kernel),)).of.hz)


def has_haltpoll(kernel: str) -> str:
    try:
        haltpoll(release(kernel))
    except ValueError:
        return "none"
    return "its own"


def psci_states(kernel: str) -> str:
    return str(len(driver(tree(cpu(0, [1]), state("sleep", 1)), kernel).states))


def c6(processor: str) -> Callable[[str], str]:
    def times(kernel: str) -> str:
        text = StringIO()
        with redirect_stdout(text):
            main(["show", f"intel:{processor}", "--kernel", kernel, "--format", "json"])
        states = json.loads(text.getvalue())["linux"]["states"]
        found = [s for s in states if s["name"].startswith("C6")]
        return (
            f"{found[0]['exit_latency_us']}/{found[0]['target_residency_us']} us"
            if found
            else "no driver"
        )

    return times


ASKED = {
    "CEDE of a partition on POWER10": cede_times,
    "snooze of a partition": snooze,
    "HZ on POWER": tick_rate,
    "haltpoll": has_haltpoll,
    "states of a PSCI device tree, WFI included": psci_states,
    "C6 of Sapphire Rapids": c6("spr"),
    "C6 of Granite Rapids": c6("gnr"),
    "C6 of Ice Lake-SP": c6("icx"),
}


def test_all_are_asked() -> None:
    assert {question for question, *_ in ROWS} == ASKED.keys()
    assert len(ROWS) >= 10


@pytest.mark.parametrize(("question", "linux", "before", "build", "after"), ROWS)
def test_answers(question: str, linux: str, before: str, build: str, after: str) -> None:
    ask = ASKED[question]
    assert (ask(linux), ask(build)) == (before, after)
