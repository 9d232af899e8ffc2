"""docs/claims.md says what the commands print now, and every claim that has a command holds."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.support import DOCS
from tests.support.compiled import needs_core
from tools import claims
from tools.claims import DATA, EXACT, FAILS, HOLDS, BadClaim, answer, answers, documents, page

DOCUMENTS = documents(DATA.read_text())


@needs_core
def test_page_is_current() -> None:
    found = list(answers(DOCUMENTS))
    failed = [one.claim.claim for _, own in found for one in own if one.verdict == FAILS]
    assert failed == []
    assert (DOCS / "claims.md").read_text() == page(found), "make seeds"
    verdicts = [one.verdict for _, own in found for one in own]
    assert verdicts.count(EXACT) > 40
    assert verdicts.count(HOLDS) > 15


def test_no_claim_stands_without_command_or_reason() -> None:
    for document in DOCUMENTS:
        for claim in document.claims:
            assert bool(claim.command) != bool(claim.why), claim.claim
            assert not claim.command or (claim.expected is None) != (claim.within is None)


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
    assert verdict(row()) == EXACT
    assert verdict(row(**{"is": "2"})) == FAILS
    assert verdict(row(**{"is": None, "within": [1, None]})) == HOLDS
    assert verdict(row(**{"is": None, "within": [None, 0.5]})) == FAILS
    assert verdict(row(value="linux.states.99.name")) == FAILS
    assert verdict(row(value="linux.nothing")) == FAILS
    assert verdict(row(value=None, line="stop0_lite +(1us)", **{"is": "1us"})) == EXACT
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
    assert verdict(row(value=None, digits=0, **takes, **{"is": shown})) == EXACT


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
    document = DOCUMENTS[0]
    claim = replace(document.claims[0], claim="a | b")
    text = page([(document, [claims.Answer(claim, "1 | 2", EXACT)])])
    assert "| a \\| b |" in text
    assert "1 \\| 2 | exact |" in text
