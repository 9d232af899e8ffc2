"""review of ranges: merges, three dots, commit by commit."""

from dataclasses import replace

from idle_states.change.review.result import Review
from idle_states.tables.spec.library import find
from tests.support.git_history import History
from tests.support.reviewed import AFTER, BEFORE, MESSAGE, c_of, only, reviewed, rules


def test_total_and_per_commit(stop0_lite: History) -> None:
    stop0_lite.commit({"README": "x"}, "Nothing of tables")
    stop0_lite.commit({"hw/slw.c": c_of(BEFORE)}, "Back again")
    total = only(reviewed(stop0_lite, "HEAD~3..HEAD"))
    assert total.tables == ()
    # what a message said remains said
    assert rules(total.message) == {"IS510"}
    each = reviewed(stop0_lite, "HEAD~3..HEAD", per_commit=True)
    assert each.commits == 3
    forth, back = each.changes
    assert forth.commit
    assert forth.commit.message.strip() == MESSAGE
    assert rules(forth.tables[0].outcome.fixed) == rules(back.tables[0].outcome.new)


def test_complaint_about_an_earlier_commit_is_placed_at_the_end(stop0_lite: History) -> None:
    table = find(AFTER)
    first = replace(table.states[0], name="stop0_fast")
    moved = replace(table, states=(first, *table.states))
    stop0_lite.commit({"hw/slw.c": "\n\n" + c_of(moved)})
    [finding] = only(reviewed(stop0_lite, "HEAD~2..HEAD")).message
    assert finding.location.path == "power9_cpu_idle_states[2].latency_ns"
    lines = (stop0_lite.directory / "hw/slw.c").read_text().splitlines()
    assert finding.location.line
    assert "= 2000" in lines[finding.location.line - 1]
    stop0_lite.commit({"hw/slw.c": c_of("power10")})
    [finding] = only(reviewed(stop0_lite, "HEAD~3..HEAD")).message
    assert finding.location.line is None


def test_three_dots_leave_out_what_the_base_has_alone(history: History) -> None:
    history.commit({"hw/slw.c": c_of("power9")})
    history.git("switch", "-q", "-c", "topic")
    history.commit({"a": "topic"})
    history.git("switch", "-q", "main")
    history.commit({"hw/slw.c": c_of(BEFORE)})
    assert only(reviewed(history, "main..topic")).tables
    assert only(reviewed(history, "main...topic")).tables == ()
    assert only(reviewed(history, "..topic")).tables


def test_merged_branch_is_reviewed_commit_by_commit(history: History) -> None:
    first = history.commit({"hw/slw.c": c_of(BEFORE)})
    history.git("switch", "-q", "-c", "topic")
    history.commit({"hw/slw.c": c_of(AFTER)}, "On the side")
    history.git("switch", "-q", "main")
    history.commit({"a": "b"})
    history.git("merge", "-q", "--no-ff", "-m", "Merge", "topic")
    changes = reviewed(history, f"{first}..HEAD", per_commit=True).changes
    assert [c.commit.subject for c in changes if c.commit] == ["On the side"]


def diverged(history: History) -> str:
    """A topic that changes one table and a main that changes another, in the same file."""
    one, other = find(BEFORE), find("power8")
    slow = replace(other, states=(replace(other.states[0], latency_ns=100), *other.states[1:]))
    first = history.commit({"hw/slw.c": c_of(AFTER, other) + "\n" * 9})
    history.git("switch", "-q", "-c", "topic")
    history.commit({"hw/slw.c": c_of(one, other)}, "On the side")
    history.git("switch", "-q", "main")
    history.commit({"hw/slw.c": c_of(AFTER, slow)}, "On main")
    history.git("merge", "-q", "--no-ff", "-s", "ours", "--no-commit", "topic")
    (history.directory / "hw/slw.c").write_text(c_of(one, slow))
    return first


def test_merge_does_not_count_again_what_it_merges(history: History) -> None:
    first = diverged(history)
    history.commit({}, "Merge")
    whole = reviewed(history, f"{first}..HEAD")
    single = reviewed(history, f"{first}..HEAD", per_commit=True)
    assert {c.commit.subject for c in single.changes if c.commit} == {"On the side", "On main"}

    def told(found: Review) -> list[tuple[str, str]]:
        return sorted((f.rule, f.message) for f in found.new)

    assert len(told(whole)) > 2
    assert told(single) == told(whole)


def test_merge_that_changes_something_itself_is_shown(history: History) -> None:
    first = diverged(history)
    table = find(BEFORE)
    last = replace(table.states[-1], name="stop15", latency_ns=0)
    evil = replace(table, states=(*table.states[:-1], last))
    history.commit({"hw/slw.c": c_of(evil, "power8")}, "Evil")
    changes = reviewed(history, f"{first}..HEAD", per_commit=True).changes
    [merge] = [c for c in changes if c.commit and c.commit.subject == "Evil"]
    assert [t.source.name for t in merge.tables] == ["power9_cpu_idle_states"]
    assert any("stop15" in finding.message for finding in merge.new)
    assert not any("stop0_lite has an exit" in finding.message for finding in merge.new)
