"""--platform of another kind than the tables: said on standard error, with what would fit."""

from pathlib import Path

import pytest

from idle_states.tables.linux.platforms import parse, without_effect
from idle_states.tables.sources import read_table
from tests.support import ROOT
from tests.support.commands import Capture, run

_NAP = ROOT / "tests/data/dt/generated-power8.dts"


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        ("show power9 --platform psci-mode=pc", "a machine with OPAL such as op920"),
        ("show intel:skx --platform op920", "an x86 machine such as skx"),
        ("check intel:skx --platform op920", "an x86 machine such as skx"),
        ("select intel:skx --platform op920,psci-mode=pc", "an x86 machine such as skx"),
        ("diff intel:skx intel:icx --platform rainier", "an x86 machine such as skx"),
        ("show pseries-shared --platform op920", "none: no platform does"),
    ],
)
def test_a_platform_of_another_kind_is_said_to_change_nothing(
    words: str, fits: str, capsys: Capture
) -> None:
    status, out, errors = run(capsys, *words.split())
    assert status in (0, 1)
    assert out
    assert " changes nothing for " in errors
    assert errors.endswith(f"expected {fits}\n")


@pytest.mark.parametrize(
    "words",
    [
        "show power9 --platform op920",
        f"show {_NAP} --platform no-homer",
        "check power9 intel:skx --platform op920 --select IS1",
        "select power9 --platform op920,psci-mode=pc",
        "show power9 --platform all-levels",
    ],
)
def test_a_platform_that_fits_one_of_the_tables_is_not_questioned(
    words: str, capsys: Capture
) -> None:
    status, _, errors = run(capsys, *words.split())
    assert (status, "changes nothing" in errors) == (0, False)


def test_a_configured_platform_is_looked_at_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("setup.cfg").write_text("[idle-states]\nplatform = op920\n")
    assert "op920 changes nothing for skx_cstates" in run(capsys, "check", "intel:skx")[2]


def test_many_tables_are_counted() -> None:
    tables = [read_table(f"intel:{name}").table for name in ("skx", "icx", "spr", "gmt")]
    held = [table for table in tables if table is not None]
    assert " for 4 tables: " in without_effect(parse("op920"), held)
