"""docs/claims.md says what the commands print now, every claim that has a command holds, and every
figure of the documents has a row."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.support import DATA as TEST_DATA
from tests.support import DOCS
from tests.support.compiled import needs_core
from tools import claims
from tools.claims import (
    BOUNDED,
    DATA,
    FAILS,
    NOT,
    REPRODUCED,
    BadClaim,
    Claim,
    answer,
    answers,
    documents,
    page,
)

DOCUMENTS = documents(DATA.read_text())
CLAIMS = TEST_DATA / "claims"
ROOT = DOCS.parent


@needs_core
def test_page_is_current() -> None:
    found = list(answers(DOCUMENTS))
    failed = [one.claim.claim for _, own in found for one in own if one.verdict == FAILS]
    assert failed == []
    assert (DOCS / "claims.md").read_text() == page(found), "make seeds"
    verdicts = [one.verdict for _, own in found for one in own]
    assert verdicts.count(REPRODUCED) > 70
    assert verdicts.count(BOUNDED) > 50
    assert verdicts.count(NOT) > 10


def test_no_claim_stands_without_command_or_reason() -> None:
    """And what no model has stands with the measurement that would decide."""
    for document in DOCUMENTS:
        for claim in document.claims:
            assert claim.command or claim.why, claim.claim
            assert claim.elsewhere or bool(claim.why) == bool(claim.decides), claim.claim
            assert not claim.command or (claim.expected is None) != (claim.within is None)


FIGURES = {
    f"{document}/{place}": str(values)
    for document, places in yaml.safe_load((CLAIMS / "figures.yaml").read_text()).items()
    for place, values in places.items()
}
ANSWERED = {key for document in DOCUMENTS for claim in document.claims for key in claim.of}


def numbers(text: str) -> set[float]:
    return {float(each) for each in re.findall(r"-?[0-9]+(?:\.[0-9]+)?", text.replace(",", ""))}


def said(claim: Claim) -> set[float]:
    """Returns the numbers of a row and of the data that its command reads."""
    texts = [claim.claim, claim.published, *claim.command]
    texts += [(ROOT / word).read_text() for word in claim.command if word.startswith("tests/data")]
    # a minus or a dash, thousands or a list
    ways = [text.translate(way) for text in texts for way in ({}, {45: 32}, {44: 32})]
    return set().union(*map(numbers, ways))


def test_every_figure_has_a_row() -> None:
    assert FIGURES.keys() - ANSWERED == set()
    assert ANSWERED - FIGURES.keys() == set(), "figures.yaml has no such figure"
    assert len(FIGURES) > 70


@pytest.mark.parametrize("key", FIGURES)
def test_rows_have_their_figures(key: str) -> None:
    """Each number stands in the rows that answer the figure, or in the data that they read."""
    rows = [claim for document in DOCUMENTS for claim in document.claims if key in claim.of]
    values = {float(word) for word in FIGURES[key].split()}
    assert values <= set().union(*map(said, rows))


def test_data_of_claims_is_read_by_a_row() -> None:
    words = {word for document in DOCUMENTS for claim in document.claims for word in claim.command}
    files = {f"tests/data/claims/{each.name}" for each in CLAIMS.iterdir()}
    assert files - words == {"tests/data/claims/figures.yaml"}


def row(**changes: object) -> str:
    own = {
        "claim": "c",
        "command": "show power9 --kernel 6.6",
        "value": "linux.states.1.exit_latency_us",
        "is": "1",
        **changes,
    }
    kept = {key: value for key, value in own.items() if value is not None}
    return yaml.safe_dump([{"title": "t", "source": "s", "rows": [kept]}])


def verdict(text: str) -> str:
    return answer(documents(text)[0].claims[0]).verdict


def test_what_differs_fails() -> None:
    """Another figure, a path that is not there, a line that is not printed, a command that is
    refused."""
    assert verdict(row()) == REPRODUCED
    assert verdict(row(**{"is": "2"})) == FAILS
    assert verdict(row(**{"is": None, "within": [1, None]})) == BOUNDED
    assert verdict(row(**{"is": None, "within": [None, 0.5]})) == FAILS
    assert verdict(row(bounded=True)) == BOUNDED
    assert verdict(row(why="a reason", decides="a measurement")) == NOT
    assert verdict(row(why="a reason", decides="a measurement", **{"is": "2"})) == FAILS
    assert verdict(row(value="linux.states.99.name")) == FAILS
    assert verdict(row(value="linux.nothing")) == FAILS
    assert verdict(row(value=None, line="stop0_lite .*?(1us)", **{"is": "1us"})) == REPRODUCED
    assert verdict(row(value=None, line="no such (line)")) == FAILS
    assert verdict(row(command="show no-such-table")) == FAILS
    assert verdict(row(command="show power9 --no-such-option")) == FAILS


@pytest.mark.parametrize(
    ("takes", "shown"),
    [
        (
            {
                "change": [
                    "linux.states.1.target_residency_us",
                    "linux.states.2.target_residency_us",
                ]
            },
            "100",
        ),
        ({"ratio": ["linux.states.2.exit_latency_us", "linux.states.1.target_residency_us"]}, "5"),
        ({"part": ["linux.states.1.target_residency_us", 40]}, "25"),
        ({"per": [20, "linux.states.1.target_residency_us"]}, "2"),
        ({"times": [3, "linux.states.1.target_residency_us"]}, "30"),
        (
            {
                "share": [
                    "linux.states.2.target_residency_us",
                    "linux.states.1.target_residency_us",
                    "linux.states.3.target_residency_us",
                ]
            },
            "20",
        ),
    ],
)
def test_figures_are_taken(takes: dict[str, object], shown: str) -> None:
    """power9: 1/10, 2/20 and 5/50 us."""
    assert verdict(row(value=None, digits=0, **takes, **{"is": shown})) == REPRODUCED


@pytest.mark.parametrize(
    "changes",
    [
        {"is": None},
        {"value": None},
        {"why": "because"},
        {"command": None},
        {"within": [0, 1]},
        {"line": "x"},
        {"comand": "show"},
        {"command": None, "value": None, "is": None},
        {"command": None, "value": None, "is": None, "why": "because"},
        {"command": None, "value": None, "is": None, "decides": "a measurement"},
        {"see": "there"},
    ],
)
def test_rows_that_say_too_little_or_too_much(changes: dict[str, object]) -> None:
    with pytest.raises(BadClaim, match=r"expected a command.*: c"):
        documents(row(**changes))


def test_a_failure_ends_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "claims.yaml"
    for shown, status in (("1", 0), ("2", 1)):
        data.write_text(row(**{"is": shown}))
        monkeypatch.setattr(claims, "DATA", data)
        monkeypatch.setattr(claims, "PAGE", tmp_path / "claims.md")
        assert claims.main() == status
        assert f"1 claims, {status} of them fail" in capsys.readouterr().out
    assert "| fails |" in (tmp_path / "claims.md").read_text()


def test_bars_do_not_break_the_table() -> None:
    document = replace(DOCUMENTS[0], section="")
    claim = replace(document.claims[0], claim="a | b")
    text = page([(document, [claims.Answer(claim, "1 | 2", REPRODUCED)])])
    assert "| a \\| b |" in text
    assert "1 \\| 2 | reproduced |" in text
