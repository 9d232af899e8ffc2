"""Patterns that are compiled at their first use."""

import copy
import pickle
import re

import pytest

from idle_states.base.patterns import pattern


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    ours, theirs = (make(r"(\w)=(\d+)", re.IGNORECASE) for make in (pattern, re.compile))
    text = "a=1, B=22"
    assert ours.findall(text) == theirs.findall(text) == [("a", "1"), ("B", "22")]
    assert ours.sub("x", text) == theirs.sub("x", text)
    assert (ours.pattern, ours.flags) == (theirs.pattern, theirs.flags)
    assert pattern(rb"\d").search(b"a1") is not None
    assert pattern("b", re.IGNORECASE).fullmatch("B") is not None


def test_it_is_compiled_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    real = re.compile
    monkeypatch.setattr(re, "compile", lambda *given: compiled.append(given) or real(*given))
    found = pattern("a+", re.ASCII)
    assert compiled == []
    for _ in range(3):
        assert found.match("aa") is not None
    assert compiled == [("a+", re.ASCII)]


def test_what_it_has_not_is_an_error() -> None:
    with pytest.raises(AttributeError, match="fullmatches"):
        pattern("a").fullmatches  # type: ignore[attr-defined] # noqa: B018
    with pytest.raises(re.error):
        pattern("(").match("a")


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]
)
def test_it_can_be_copied(again: object) -> None:
    assert again(pattern("a+")).match("aa")[0] == "aa"  # type: ignore[operator]
