"""Every description, the packaged ones and eight made for the purpose, on trees of a clone of
skiboot since 2014: SKIBOOT=path. `python -m tools.patched_trees` prints what comes of each."""

import pytest

from tests.support.patched_trees import descriptions, trees, tried
from tests.support.skiboot_clone import CLONE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CLONE, reason="SKIBOOT does not name a clone of skiboot"),
]


@pytest.mark.parametrize("tree", trees() if CLONE else ())
def test_descriptions_apply_and_compile_or_are_refused_with_need(tree: str) -> None:
    faults = [
        f"{one.description}: {fault}" for one in tried(tree, descriptions()) for fault in one.faults
    ]
    assert faults == []
