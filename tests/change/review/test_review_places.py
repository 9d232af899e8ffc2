"""Places of findings where there is no tree: those of the file, or the hunk."""

import re
from pathlib import Path

import pytest

from idle_states.base.model.findings import Finding
from idle_states.change.review import reply_text as review_reply
from idle_states.change.review.answer import review
from idle_states.change.review.request import ReviewRequest
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.releases import release
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.spec.library import find
from tests.support.git_history import History

CRITERIA = Criteria((release("4.11"), release("6.1")), ALL_LEVELS, RuleSelection())
FILE = "hw/slw.c"
UNSEEN = "that the diff does not show"
HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def told(tree: Path | None, mail: Path) -> list[Finding]:
    trees = (tree,) if tree else ()
    found = review(ReviewRequest(None, CRITERIA, trees, mail=str(mail), runs=0))
    return [finding for change in found.changes for finding in change.new]


def shown(mail: Path) -> list[range]:
    found = HUNK.findall(mail.read_text())
    return [range(int(first), int(first) + int(count or 1)) for first, count in found]


@pytest.mark.parametrize(
    ("name", "state", "field", "value"),
    [
        # beyond the next row's, which the diff does not show
        ("power9-dd1@84368bbf8", "stop0_lite", "latency_ns", 6000),
        ("power9", "stop2", "residency_ns", 20_000_000),
        ("power9", "stop4", "residency_ns", 50),
        ("power10", "stop2", "latency_ns", 1),
        ("power8", "nap", "residency_ns", 400_000_000),
    ],
)
def test_places_are_the_trees_or_the_hunk(
    name: str, state: str, field: str, value: int, tmp_path: Path
) -> None:
    history = History(tmp_path / "tree")
    before = "\n" * 50 + c_table.write([find(name)])
    row = before.index(f'.name = "{state}"')
    at = before.index(f".{field} = ", row) + len(f".{field} = ")
    after = before[:at] + str(value) + before[before.index(",", at) :]
    history.commit({FILE: before})
    history.commit({FILE: after}, f"slw: Change {state}")
    history.git("format-patch", "-q", "-1", "-o", str(tmp_path / "mails"))
    (mail,) = (tmp_path / "mails").iterdir()
    hunks = shown(mail)
    by_tree = {(f.rule, f.location.path, f.kernels): f for f in told(history.directory, mail)}
    found = told(None, mail)
    assert {(f.rule, f.location.path, f.kernels) for f in found} == by_tree.keys()
    elsewhere = 0
    for finding in found:
        real = by_tree[finding.rule, finding.location.path, finding.kernels].location
        assert real.line is not None
        if UNSEEN in finding.message:
            elsewhere += 1
            assert not any(real.line in lines for lines in hunks)
            assert finding.location.line in [lines[-1] for lines in hunks]
            assert finding.message.startswith(
                by_tree[finding.rule, finding.location.path, finding.kernels].message
            )
        else:
            assert finding.location.line == real.line
        for where, _ in finding.related:
            if where.file == FILE and where.line is not None:
                assert any(where.line in lines for lines in hunks)
    assert elsewhere


def test_a_reply_does_not_quote_what_was_never_written(tmp_path: Path) -> None:
    history = History(tmp_path / "tree")
    before = "\n" * 50 + c_table.write([find("power9")])
    history.commit({FILE: before})
    history.commit({FILE: before.replace("= 5000,", "= 50000,")}, "slw: Slow stop1 down")
    history.git("format-patch", "-q", "-1", "-o", str(tmp_path / "mails"))
    (mail,) = (tmp_path / "mails").iterdir()
    text = mail.read_text()
    found = review(ReviewRequest(None, CRITERIA, mail=str(mail), runs=0))
    for line in review_reply.render(found, notes=True).splitlines():
        if line.startswith("> ") and not re.match(r"> (\+\+\+|@@|\[\.\.\.\])", line):
            assert line[2:].strip() in text


def test_rows_on_one_line_each_keep_their_lines(tmp_path: Path) -> None:
    mail = tmp_path / "x.diff"
    rows = [f'{{ .name = "s{n}", .latency_ns = {n}000, .residency_ns = {n}0000 }},' for n in (3, 5)]
    mail.write_text(
        "--- a/hw/slw.c\n+++ b/hw/slw.c\n"
        "@@ -40,4 +40,4 @@ static struct cpu_idle_states mine[] = {\n"
        f" \t/* a */\n \t{rows[0]}\n-\t{rows[1]}\n+\t{rows[1].replace('5000,', '2000,')}\n }};\n"
    )
    found = [f for f in told(None, mail) if f.rule == "IS205"]
    assert [f.location.line for f in found] == [42]
    assert [where.line for where, _ in found[0].related] == [41]
