"""Tests of what boot prints, of recorded boots: JSON by its schema, and text that says what
differs."""

import json
from pathlib import Path

import pytest

from idle_states.base.dataclass import replace
from idle_states.base.report import sheet_text
from idle_states.base.report.html import page
from idle_states.base.report.style import Style
from idle_states.change.boot.boot_document import BootedMachine
from idle_states.change.boot.booted import Booted
from idle_states.change.boot.powernv.boot import PowernvResult
from idle_states.change.boot.registered import held_by
from idle_states.change.boot.sheet import sheet
from idle_states.tables.documents.json_output import envelope
from idle_states.tables.spec.library import find
from tests.base.report.test_output_schema import STRICT, Validator
from tests.support.boots import (
    boot_result,
    changed,
    recorded_boot,
    recorded_workload,
    with_workload,
)
from tests.support.html_pages import parse


def result(booted: Booted, directory: Path) -> PowernvResult:
    return boot_result(booted, find("power9"), directory)


def printed(made: PowernvResult) -> tuple[str, dict[str, object]]:
    """Text, and JSON that has been held against its schema."""
    document = json.loads(envelope("boot", BootedMachine, made, made.inputs))
    Validator(STRICT).validate(document)
    return sheet_text.text(sheet(made), Style(False)), document


@pytest.fixture
def booted(tmp_path: Path) -> Booted:
    return with_workload(recorded_boot("powernv9", tmp_path), recorded_workload())


def test_agreement(booted: Booted, tmp_path: Path) -> None:
    made = result(booted, tmp_path)
    text, document = printed(made)
    assert made.agree
    assert document["agree"] is True
    assert document["decisions"] == {"judged": 106, "agree": 106, "undetermined": 0}
    assert "selected        agree    106 decisions\n" in text
    assert "Differences" not in text
    assert "  stop2: a reason\n" in text


def test_a_difference_fails_and_shows_both_sides(booted: Booted, tmp_path: Path) -> None:
    wrong = (
        booted.sections["cpuidle"]
        .replace("state1/latency:1", "state1/latency:0")
        .replace("stop1", "st\x1bp1")
    )
    made = result(changed(booted, cpuidle=wrong), tmp_path)
    text, document = printed(made)
    assert not made.agree
    assert document["agree"] is False
    assert "registered      differ   4 states\n" in text
    assert (
        "  cpu0/state1\n"
        "    predicted: stop0_lite 1/10 us\n"
        "    found:     stop0_lite 0/10 us\n" in text
    )
    assert "\x1b" not in text


def test_page_says_first_whether_all_is_as_predicted(booted: Booted, tmp_path: Path) -> None:
    """Its picture has a row for the verdicts, and one for each state."""
    said = [sheet(result(booted, tmp_path))]
    wrong = booted.sections["cpuidle"].replace("state1/latency:1", "state1/latency:0")
    made = result(changed(booted, cpuidle=wrong), tmp_path)
    said.append(sheet(replace(made, found=held_by({"cpuidle": wrong}), entered={"snooze": 4})))
    said.append(sheet(result(changed(booted, recording=b"", recorder="no tracefs"), tmp_path)))
    pages = [parse(page.render("boot", each, [])) for each in said]
    headlines = [each.all("div", "headline")[0].text.strip() for each in pages]
    assert headlines == [
        "As predicted: 6 stages compared, and all agree",
        "Not as predicted: registered differs, of 6 stages compared",
        "Not confirmed: not everything could be compared",
    ]
    rows = {row[0]: row[1:] for row in pages[1].all("figure")[0].all("table")[0].rows()}
    assert rows["State"][0] == "export"
    assert rows["Verdicts"][2] == "1 difference"
    assert rows["stop0_lite"][:3] == [
        *("exported", "-", "predicted stop0_lite 1/10 us, found stop0_lite 0/10 us"),
    ]
    assert rows["stop4"][0] == "not exported"
    assert rows["snooze"][5] == "entered 4 times"


def test_a_workload_without_a_decision_judged_is_no_success(booted: Booted, tmp_path: Path) -> None:
    refused = changed(booted, recording=b"", recorder="record: no tracefs\n")
    made = result(refused, tmp_path)
    text, document = printed(made)
    assert not made.agree
    assert "the recording script refused: record: no tracefs" in text
    assert document["governor"] is None
    without = result(recorded_boot("powernv9", tmp_path), tmp_path)
    assert without.agree
    assert "not compared" in printed(without)[0]


def test_a_kernel_without_a_model_says_so(booted: Booted, tmp_path: Path) -> None:
    text, document = printed(result(changed(booted, uname="Linux 2.6.32 #1 ppc64le"), tmp_path))
    assert "Linux 2.6.32 #1 ppc64le, no model of it" in text
    assert document["versions"]["modelled_as"] is None  # type: ignore[index]
