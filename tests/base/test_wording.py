"""Words that differ by one edit."""

from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.wording import one_edit_apart

LETTERS = "ab-"
WORDS = st.text(LETTERS, max_size=5)


def edits(word: str) -> set[str]:
    """Every word one edit from another, one by one."""
    cuts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    return {
        *(left + right[1:] for left, right in cuts if right),
        *(left + letter + right for left, right in cuts for letter in LETTERS),
        *(left + letter + right[1:] for left, right in cuts if right for letter in LETTERS),
        *(left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1),
    } - {word}


@given(WORDS, WORDS)
def test_one_edit_is_a_letter_more_less_other_or_swapped(word: str, other: str) -> None:
    assert one_edit_apart(word, other) == (other in edits(word))
    assert all(one_edit_apart(word, each) for each in edits(word))
