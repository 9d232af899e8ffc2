"""Examples of pages as differences to a shared tree, and to each other."""

import pytest

from idle_states.tables.rules import trees
from idle_states.tables.rules.page import WrongPage, spelled_out

PAGE = """IS000 name: summary.

Example
    extends: power9
    override:
      stop2: {residency: 40us}

      stop4: {residency: 40us}

Use instead
%s

Ground
    A reason.
"""


def instead(difference: str) -> str:
    page = spelled_out(PAGE % difference)
    assert page.startswith((PAGE % "").partition("Use instead")[0])
    assert page.endswith("\n\nGround\n    A reason.\n")
    return page.partition("Use instead\n")[2].partition("\n\nGround")[0]


WHOLE = "    extends: power10"


@pytest.mark.parametrize(
    ("difference", "wanted"),
    [
        (WHOLE, WHOLE),
        (
            "    -   stop2: {residency: 40us}\n    +   stop2: {residency: 60us}",
            "    extends: power9\n    override:\n      stop2: {residency: 60us}\n\n"
            "      stop4: {residency: 40us}",
        ),
        (
            "      extends: power9\n    + drop: [stop5]\n    -   stop4: {residency: 40us}",
            "    extends: power9\n    drop: [stop5]\n    override:\n"
            "      stop2: {residency: 40us}\n",
        ),
        ("    + # first\n    - extends: power9\n    - override:", None),
    ],
)
def test_lines_come_and_go(difference: str, wanted: str | None) -> None:
    rest = (PAGE % "").partition("    override:\n")[2].partition("\n\nUse instead")[0]
    assert instead(difference) == (f"    # first\n{rest}" if wanted is None else wanted)


@pytest.mark.parametrize(
    "difference",
    [
        "    - stop2: {residency: 40us}",
        "    -   stop4: {residency: 40us}\n    -   stop2: {residency: 40us}",
        "      power9\n    + more",
    ],
)
def test_a_line_that_the_example_has_not_there_is_refused(difference: str) -> None:
    with pytest.raises(WrongPage, match="expected a line of the Example below"):
        spelled_out(PAGE % difference)


def test_an_example_may_begin_from_a_shared_tree() -> None:
    whole = PAGE.replace("extends: power9", "ONE_STATE of trees.py, but").replace(
        "    override:\n      stop2: {residency: 40us}\n\n      stop4: {residency: 40us}",
        "    -         entry-latency-us = <300>;",
    )
    page = spelled_out(whole % "    ONE_STATE of trees.py")
    lines = trees.ONE_STATE.splitlines()
    example, instead = (
        part.splitlines() for part in page.partition("Ground")[0].split("\n\nUse instead\n")
    )
    assert [line.strip() for line in instead if line] == [line.strip() for line in lines]
    assert len(example[3:]) == len(lines) - 1
    assert "entry-latency-us" not in "".join(example)
