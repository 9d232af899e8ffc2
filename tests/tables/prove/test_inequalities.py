"""Inequalities that exclude each other, held against trying all numbers."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.tables.prove.inequalities import Inequality, at_least, at_most, contradiction
from tests.support.thorough import examples

QUANTITIES = ("", "a", "b", "c")
RANGE = range(-12, 13)
inequalities = st.lists(
    st.builds(
        Inequality,
        st.sampled_from(QUANTITIES),
        st.sampled_from(QUANTITIES),
        st.integers(-3, 3),
        st.just(""),
    ),
    max_size=6,
)


def hold(of: list[Inequality] | tuple[Inequality, ...]) -> bool:
    """Tells whether some numbers satisfy them. At most four quantities and slack of 3 each: within
    12."""
    return any(
        all(numbers[each.less] <= numbers[each.more] + each.slack for each in of)
        for numbers in (
            dict(zip(QUANTITIES, (0, *values), strict=True)) for values in product(RANGE, repeat=3)
        )
    )


@given(inequalities)
@settings(max_examples=examples(25, 50), deadline=None)
def test_against_all_numbers(given_ones: list[Inequality]) -> None:
    found = contradiction(given_ones)
    assert (found is None) == hold(given_ones)
    if found is not None:
        assert set(found) <= set(given_ones)
        assert sum(each.slack for each in found) < 0
        assert sorted(each.less for each in found) == sorted(each.more for each in found)


def test_constants() -> None:
    low, high = at_least("p", 345, "p >= 345"), at_most("p", 344, "p <= 344")
    assert set(contradiction([low, high]) or ()) == {low, high}
    assert contradiction([low, at_most("p", 345, "")]) is None
    never = Inequality("", "", -1, "0 <= -1")
    assert contradiction([never]) == (never,)
