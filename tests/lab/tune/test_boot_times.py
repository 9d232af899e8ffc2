"""tune --to cmdline: from idle gaps of an x86 machine to a parameter that its driver accepts."""

from pathlib import Path

import pytest

from idle_states.tables.linux.intel_idle.boot_time import stock_of
from idle_states.tables.linux.intel_idle.platform_text import parse_machine
from idle_states.tables.linux.intel_idle.table_parameter import Adjustable, adjusted, unfit
from idle_states.tables.linux.releases import release
from tests.support.commands import Capture, run

GAPS = "3000,4000\n40000,1000\n300000,2000\n700000,2000\n2500000,1000\n"


def tuned(capsys: Capture, folder: Path, *words: str) -> tuple[int, str, str]:
    file = folder / "gaps.csv"
    file.write_text(GAPS)
    return run(capsys, "tune", "--gaps", str(file), "--power", "implied", *words)


@pytest.mark.parametrize("machine", ["skx", "skl", "spr,pc6=off", "grr,acpi=c1:c1e"])
def test_the_best_table_is_one_that_the_driver_accepts(
    machine: str, capsys: Capture, tmp_path: Path
) -> None:
    words = ("--platform", machine, "--kernel", "7.0")
    status, out, err = tuned(capsys, tmp_path, *words, "--to", "cmdline")
    assert status == 0
    value = out.removeprefix("intel_idle.table=").rstrip("\n")
    stock = [
        Adjustable(state.name, state.exit_latency_us, state.target_residency_us)
        for state in stock_of(release("7.0"), parse_machine(machine)).states
    ]
    result = adjusted(stock, value)
    assert result.verdict == "accepted", err
    assert result.states != tuple(stock)
    assert not unfit(result.states)
    assert ("the driver refuses every table=" in err) == (machine == "skl")


def test_it_is_refused_where_there_is_no_such_parameter(capsys: Capture, tmp_path: Path) -> None:
    for words, said in (
        (("--platform", "skx", "--kernel", "6.18"), "expected Linux 7.0 or later"),
        (("power9",), "expected a table of intel_idle"),
    ):
        status, out, err = tuned(capsys, tmp_path, *words, "--to", "cmdline")
        assert (status, out) == (2, "")
        assert said in err


def test_the_governor_is_in_the_loop(capsys: Capture, tmp_path: Path) -> None:
    """Over a simulated workload of the machine."""
    words = ("--workload", "periodic:period=300us", "--duration", "50ms", "--to", "cmdline")
    status, out, err = run(
        capsys, "tune", "--platform", "skx", "--kernel", "7.0", "--power", "implied", *words
    )
    assert status == 0, err
    assert out == "" or out.startswith("intel_idle.table=C")
