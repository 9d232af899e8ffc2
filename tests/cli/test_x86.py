"""Commands on x86 machines: without TABLE that of --platform; states that are off stay unused."""

from pathlib import Path

import pytest

from tests.support.commands import Capture, document, run

TRACE = "".join(
    f"<idle>-0 [000] d..1 {at // 1000}.{at % 1000:03}000: cpu_idle: state={state} cpu_id=0\n"
    for start in range(1000, 1200, 4)
    for at, state in ((start, 1), (start + 3, 4294967295))
)
"""Fifty idles of 3 ms."""


def test_the_machine_has_its_own_table_in_every_command(capsys: Capture, tmp_path: Path) -> None:
    trace = tmp_path / "trace.txt"
    trace.write_text(TRACE)
    machine = ("--platform", "grr,acpi=c1:c1e", "--kernel", "7.0")
    shown = document(capsys, "show", *machine)
    states = shown["linux"]["states"]
    assert [(state["name"], state["off"]) for state in states] == [
        ("POLL", False),
        ("C1", False),
        ("C1E", False),
        ("C6S", True),
    ]
    assert any("(cpuid5=)" in text for text in shown["linux"]["assumptions"])
    simulated = document(capsys, "simulate", "periodic:period=3ms", *machine, "--duration", "60ms")
    replayed = document(capsys, "replay", str(trace), "--governor", "menu", *machine)
    every = document(
        capsys, "replay", str(trace), "--governor", "menu", "--platform", "grr", "--kernel", "7.0"
    )
    usage = {state["name"]: state["usage"] for state in replayed["total"]["states"]}
    usual = {state["name"]: state["usage"] for state in every["total"]["states"]}
    assert usage["C6S"] == 0 < usual["C6S"]
    (table,) = simulated["tables"]
    found = {state["name"]: (state["disabled"], state["usage"]["max"]) for state in table["states"]}
    assert found["C6S"] == (True, 0)
    status, out, _ = run(capsys, "kernels", "5.10", "6.1", "--platform", "icx")
    assert status == 1
    assert "states.C6: 128/384 us -> 170/600 us" in out


def test_tables_beside_each_other_may_be_of_two_machines(capsys: Capture) -> None:
    status, out, _ = run(capsys, "diff", "intel:spr", "intel:spr,pc6=off", "--kernel", "7.0")
    assert status == 1
    assert "290/800 us" in out
    assert "190/600 us" in out


def test_check_looks_at_the_machines_table_alone(capsys: Capture) -> None:
    found = document(capsys, "check", "--platform", "skl", "--kernel", "7.0")
    assert {finding["location"]["path"].partition(":")[0] for finding in found["findings"]} == {
        "skl_cstates"
    }


@pytest.mark.parametrize(
    "command", ["show", "select", "select --latency-limit 10us", "check", "diff intel:skx"]
)
def test_kernels_before_the_modelled_are_skipped_where_others_remain(
    capsys: Capture, command: str
) -> None:
    words = command.split()
    status, out, errors = run(capsys, *words, "intel:skx", "--kernel", "4.0,4.1,6.12")
    assert status == 0
    assert errors.count("kernels without a model of intel_idle are skipped: 4.0, 4.1\n") == 1
    status, alone, errors = run(capsys, *words, "intel:skx", "--kernel", "6.12")
    assert (status, alone, errors) == (0, out, "")
    status, _, errors = run(capsys, *words, "intel:skx", "--kernel", "4.0,4.1")
    assert status == 2
    assert "expected Linux 4.4 or later for platform skx, found 4.0" in errors


def test_steps_between_releases_name_those_that_are_skipped(capsys: Capture) -> None:
    status, _, errors = run(capsys, "kernels", "--table", "intel:skx", "4.1", "6.12")
    assert status == 0
    assert errors.endswith("kernels without a model of intel_idle are skipped: 4.1\n")


@pytest.mark.parametrize(("kernel", "ignored"), [("6.12", True), ("7.0", False)])
def test_a_parameter_that_a_kernel_lacks_is_said_to_be_ignored(
    kernel: str, ignored: bool, capsys: Capture
) -> None:
    _, out, _ = run(capsys, "show", "--platform", "skx,table=C6:150:800", "--kernel", kernel)
    assert (f"Linux {kernel} has no parameter table, and ignores it" in out) == ignored
    assert ("150/800 us" in out) != ignored


def test_processors_are_taken_as_the_kernel_spells_them(capsys: Capture) -> None:
    _, out, _ = run(capsys, "show", "--platform", "spr", "--kernel", "6.12")
    for name in ("SPR", "SAPPHIRERAPIDS_X"):
        status, spelled, _ = run(capsys, "show", "--platform", name, "--kernel", "6.12")
        assert (status, spelled.partition("\n")[0]) == (0, out.partition("\n")[0])
