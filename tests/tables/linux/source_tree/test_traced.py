"""Tests of what traces find in C, and that each feature has one."""

import pytest

from idle_states.base.dataclass import fields
from idle_states.base.model.history import check_values
from idle_states.base.model.traces import Trace, Traces
from idle_states.tables.linux.source_tree.traced import TracedTree
from idle_states.tables.linux.source_tree.tree import identified

TEXT = """
/* not_here() { hidden } */
static int one(int a) { if (a) { return DIV_ROUND_UP(a, 1000); } return a - 1; }
int declared(int a);
#ifdef CONFIG_X
int two(void) { pr_info("the level is 0x%llx"); }
#else
int two(void) { other(); }
#endif
int three(void) { return 3; } // one more
"""


@pytest.mark.parametrize(
    ("trace", "holds"),
    [
        ("c: DIV_ROUND_UP(a,", True),
        ("c: DIV_ROUND", False),
        ("c: hidden", False),
        ("c: one", True),
        ("c: one() DIV_ROUND_UP ( @ , 1000 )", True),
        ("c: three() DIV_ROUND_UP", False),
        ("c: one() !DIV_ROUND_UP", False),
        ("c: three() !DIV_ROUND_UP", True),
        ("c: one() if @@ - 1 ;", True),
        ("c: one() if @ - 1 ;", False),
        ("c: three()", True),
        ("c: declared()", None),
        ("c: declared() a", None),
        ("c: two() other", True),
        ('c: two() "..level is 0x%llx.."', True),
        ('c: two() "..level is 0x%lld.."', False),
        ("c?", True),
        ("c!", False),
        ("d?", False),
        ("d!", True),
        ("d: one", None),
        (("c: three()", "c: three() 3"), True),
        (("c: hidden", "d: one"), False),
        (("d: one", "c: hidden"), None),
        (["d: one", "c: three()"], True),
        (["d: one", "c: hidden"], False),
        (["d: one", "c: declared()"], None),
    ],
)
def test_a_trace(trace: Trace, holds: bool | None) -> None:
    seen = TracedTree({"c.c": TEXT}.get)
    found = seen.values(Traces({"c": "old.c c.c", "d": "d.c"}, {"feature": trace}))
    assert found == ({} if holds is None else {"feature": holds})


def test_of_values_the_first_whose_trace_holds_counts() -> None:
    seen = TracedTree({"c.c": TEXT}.get)
    said = {"deep": "c: hidden", "some": "c: three()", "": "c: one()"}
    assert seen.values(Traces({"c": "c.c"}, {"level": said})) == {"level": "some"}
    assert seen.values(Traces({"c": "d.c"}, {"level": said})) == {}


def test_each_feature_has_a_trace_for_values_that_it_can_have() -> None:
    for subsystem, history, traces, _ in identified():
        kind = type(history.oldest)
        missing = {each.name for each in fields(kind)} - traces.of.keys()
        # the idle loop has these from powernv's driver
        assert missing <= {"snooze_timeout", "snooze_polling"}
        assert not missing or subsystem == "idle loop"
        for name, said in traces.of.items():
            for value in said if isinstance(said, dict) else (True, False):
                check_values(kind, {name: value}, subsystem)
        empty = TracedTree({}.get)
        # every trace is well-formed, and tells nothing of an empty tree
        assert empty.values(traces) == {}


def test_each_value_that_a_release_has_can_be_told() -> None:
    for subsystem, history, traces, _ in identified():
        for row in history.rows:
            for name, value in row.values.items():
                said = traces.of.get(name)
                if isinstance(said, dict):
                    assert value in said, (subsystem, name, value)
