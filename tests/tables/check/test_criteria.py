"""The kernels of a table's own time, and what they show by default."""

from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.table import ReadFrom
from idle_states.cli import main
from idle_states.tables.check.criteria import Criteria, own_kernels
from idle_states.tables.linux.releases import release
from idle_states.tables.spec.library import find, packaged

TIMES = "name: mine\nextends: power9\noverride:\n  stop0_lite: {{latency: {}, residency: {}}}\n"


def test_every_release_named_is_modelled() -> None:
    for table in packaged():
        names = table.cpu.kernels if table.cpu else ()
        assert [release(name).name for name in names] == list(names)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("power9-dd1", "4.11"),
        ("power9-dd1@84368bbf8", "4.11"),
        ("power9", "4.15"),
        ("power9-fused", "4.15"),
        ("power8", "4.4"),
        ("power10", "6.1"),
        ("pseries-dedicated", "6.1"),
    ],
)
def test_a_table_has_the_kernels_of_its_time(name: str, first: str) -> None:
    table, newer = find(name), (release("6.1"),)
    assert Criteria(newer, own_time=True).kernels_of(table)[0].name == first
    assert Criteria(newer).kernels_of(table) == newer
    named = Criteria((release(first),), own_time=True).kernels_of(table)
    assert len({kernel.name for kernel in named}) == len(named)


def test_an_array_is_known_by_its_name() -> None:
    dd1 = find("power9-dd1")
    as_c = replace(dd1, name=dd1.firmware.array, read_from=ReadFrom("c", "slw.c"))
    assert own_kernels(as_c) == own_kernels(dd1) != own_kernels(find("power9"))


@pytest.mark.parametrize(
    ("latency", "residency", "status", "shown"),
    [
        ("200ns", "2us", 1, "IS201"),
        ("300ns", "3us", 1, "IS201"),
        ("999ns", "10us", 1, "IS201"),
        ("1us", "800ns", 1, "IS202"),
        ("1us", "10us", 0, "0 errors"),
        ("1500ns", "15us", 0, "0 errors"),
    ],
)
def test_a_time_that_no_kernel_has_fails_by_default(
    latency: str,
    residency: str,
    status: int,
    shown: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(TIMES.format(latency, residency))
    assert main(["check", str(file)]) == status
    assert shown in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("power9-dd1@84368bbf8", "IS201"),
        ("power9@84368bbf8", "IS201"),
        ("power9@1953b41e1", "IS105"),
    ],
)
def test_faults_of_the_past_fail_by_default(
    name: str, rule: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", name, "--select", rule]) == 1
    out = capsys.readouterr().out
    assert f"[{rule} " in out
    if "dd1" in name:
        assert "on Linux 4.11, 4.13" in out


def test_kernels_that_are_named_are_all(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "power9-dd1", "--kernel", "6.1"])
    assert "1 table, 1 kernel:" in capsys.readouterr().out
