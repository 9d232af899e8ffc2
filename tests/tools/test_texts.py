"""Every text that the program can print is in plain English: none has one of these words or shapes.

`python -m tools.texts [ROOM]` prints the texts, one a line, to be read aloud."""

import re
from pathlib import Path

import pytest

from tests.support import ROOT
from tools import texts
from tools.texts import Text

UNWANTED = {
    r"\b(?:is|are|was|be) had\b": "has, or the verb itself",
    r"\b(?:is|are|was|were) said\b": "is reported",
    r"\blevel with\b": "as cheap as",
    r"\bNOT TRUE\b|\bA(?:LL OF A|ll of a)\b": "a sentence with the next step",
    r"\bnone's\b|\bwhat there is\b|\bthat which\b": "the noun",
    r"[,;] for (?:it|they|there|no)\b": "because",
    r"\bis none that\b": "does not",
    r"\bheld against\b": "compared with",
    r"\bleft aside\b|\bpassed over\b": "ignored, skipped",
    r"\bgo(?:es|ing)? on\b": "continues",
    r"\bas of (?!\d)": "as for",
    r"\bto mend\b": "to correct",
    r"\bhangs? on\b": "depends on",
    r"\bhowever many\b": "even if there are many",
    r"\btakes nothing else\b": "does not stop the rest",
    r"\bworked out as\b": "shown for",
    r"\breckoned\b": "computed",
    r"\blooked at of\b": "read of",
    r"\bwhat (?:states|it) (?:draws?|takes)\b": "power, overhead",
    r"\bby itself,": "alone",
}
"""Words and shapes -> what to write instead."""

PRINTED = sorted((ROOT / "tests" / "cli" / "expected" / "printed").iterdir())


def faults(found: list[Text]) -> list[str]:
    return [
        f"{text.place}: {text.words}: write {instead}"
        for text in found
        for shape, instead in UNWANTED.items()
        if re.search(shape, text.words)
    ]


def test_every_text_is_plain() -> None:
    found = [*texts.texts()]
    assert len(found) > 7000
    assert faults(found) == []


@pytest.mark.parametrize("file", PRINTED, ids=lambda file: file.stem)
def test_what_is_printed_is_plain(file: Path) -> None:
    assert faults([Text(file.stem, file.read_text("utf-8"))]) == []


def test_texts_of_all_kinds_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "ROOT", tmp_path)
    (tmp_path / "cli").mkdir()
    (tmp_path / "cli" / "cmd_new.py").write_text(
        '"""Prints help."""\n\ndef f():\n    "unprinted x"\n'
    )
    (tmp_path / "room.py").write_text(
        '"""No text."""\nA = f"of {1} thing" "s left aside"\nB = r"a \\w b c"\nC = "single"\n'
        'D = {"the key": f"{A if A else \'an inner text\'}"}\n'
    )
    words = [text.words for text in texts.texts()]
    assert words == ["Prints help.", "of {} things left aside", "the key", "an inner text"]
    assert len(faults([*texts.texts()])) == 1
