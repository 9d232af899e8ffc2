"""review over skiboot's own history, where a clone of it is at hand: SKIBOOT=DIRECTORY.

Expected are facts of that history: which commit mended what some rule sees.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from idle_states.base.model.findings import Finding, Severity
from idle_states.base.reading.git.repository import Repository
from idle_states.change.review.claims.claim import ClaimVerdict
from idle_states.change.review.message import claims_of
from idle_states.change.review.result import Review, Reviewed
from idle_states.change.review.review import Yardstick, review
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.releases import DEFAULT, release

NOTE = Severity.NOTE
KERNELS = ("4.11", *DEFAULT)
END = "ecebf4fb3"
"""Later commits, if there are any, are no matter of these tests."""
FIXES = [
    # commit, array as it is afterwards ("" where it is removed), rules
    ("5ac6ac391", "power8", "IS325"),  # sleep without its workaround
    ("7f73dfca2", "power8", "IS310"),  # a flag bit that is another one byte-swapped
    ("7f73dfca2", "power7", "IS310"),
    ("0d7b1161a", "power7", "IS214"),  # no residencies
    ("0d7b1161a", "power8", "IS214 IS406"),
    ("739063fb7", "power9", "IS309"),  # a mask of the old format
    ("51974cab7", "power9", "IS201 IS401 IS402 IS403"),  # 200 ns
    ("51974cab7", "power9_ndd1", "IS201 IS401 IS402"),
    ("e65cecd71", "power9", "IS303"),  # user context against ESL
    ("e65cecd71", "power9_ndd1", "IS303"),
    ("34e9c3c1e", "power9", "IS105 IS209 IS329"),  # ten states, near duplicates, lite ones
    ("0b0d15e3c", "", "IS206 IS504"),  # a chip that is gone
]
INTRODUCED = [
    # what the same commits or others brought
    ("739063fb7", "power9", "IS201 IS209 IS303 IS333"),
    ("84368bbf8", "power9_dd1", "IS201 IS206 IS303"),
    ("1953b41e1", "power9", "IS105 IS207"),
    ("87f33f499", "power9", "IS203"),
]


FAULTS = [
    # brought by, rule, mended by: faults that a later commit mended in the tables
    ("1d880992f", "IS325", "5ac6ac391"),
    ("1d880992f", "IS310", "7f73dfca2"),
    ("1d880992f", "IS214", "0d7b1161a"),
    ("952daa69b", "IS309", "739063fb7"),
    ("739063fb7", "IS201", "51974cab7"),
    ("739063fb7", "IS303", "e65cecd71"),
    ("739063fb7", "IS333", "58913880c"),
    ("1953b41e1", "IS105", "34e9c3c1e"),
]
UNSEEN = [("1953b41e1", "IS2", "87f33f499")]
"""Residencies of stop4 and stop5: only a measurement tells, no rule of times (IS2) does."""
BY_CODE = {
    # commit: one of its effects: array, machines ("states": those of all levels), before, after
    "05f52a8dd": ("power7", "states", "nap", "none"),
    "9594a715b": ("power8", "on mambo", "nap fastsleep_", "absent"),
    "8f527a029": ("power8", "on chip P8_NAPLES", "absent", "nap fastsleep_ winkle"),
    "b5d4978b3": ("power7", "states", "none", "nap"),
    "b6f940fbb": ("power9", "on mambo", "absent", "stop0 stop1 stop2"),
    "c3ea33f17": ("power9", "on qemu-powernv9", "stop2_lite stop2", "absent"),
    "56a945e8d": ("power9", "on op920", "absent", "stop4"),
    "80838c315": ("power9_mambo", "on mambo", "stop0 stop1 stop2", "absent"),
    "217e5a4ec": ("power9", "on op920", "stop4 stop5", "absent"),
    "3ef38a389": ("power9_mambo", "on mambo", "absent", "stop0 stop1 stop2"),
    "04a50cf04": ("power9", "on op920", "absent", "stop4 stop5"),
    "689f44696": ("power9", "on chip P9P", "absent", "stop0_lite stop0 stop1 stop2 stop4 stop5"),
    "70bf92ae7": ("power8", "on awan", "nap fastsleep_", "absent"),
    "8cd82f715": ("power10", "on chip P11", "absent", "stop0_lite stop0 stop2 stop3"),
}


@pytest.fixture(scope="module")
def skiboot() -> Iterator[Repository]:
    directory = os.environ.get("SKIBOOT", "")
    if not directory:
        pytest.skip("SKIBOOT names no clone of skiboot")
    repository = Repository(Path(directory))
    yield repository
    repository.close()


@pytest.fixture(scope="module")
def whole(skiboot: Repository) -> Review:
    """The history from nothing, commit by commit."""
    circumstances = Yardstick(Criteria(tuple(release(name) for name in KERNELS)))
    return review(skiboot, "", skiboot.resolve(END), circumstances, per_commit=True)


def of(whole: Review, commit: str) -> Reviewed:
    [change] = [change for change in whole.changes if change.head.startswith(commit)]
    return change


def of_tables(change: Reviewed) -> list[Finding]:
    return [finding for table in change.tables for finding in table.outcome.new]


@pytest.mark.parametrize(("commit", "array", "codes"), FIXES)
def test_every_fix_is_seen(commit: str, array: str, codes: str, whole: Review) -> None:
    fixed = {
        rule
        for table in of(whole, commit).tables
        if (table.after.name if table.after else "") == (array and f"{array}_cpu_idle_states")
        for finding in table.outcome.fixed
        for rule in finding.rules
    }
    assert set(codes.split()) <= fixed


@pytest.mark.parametrize(("commit", "array", "codes"), INTRODUCED)
def test_what_a_commit_brought_is_seen(commit: str, array: str, codes: str, whole: Review) -> None:
    new = {
        finding.rule
        for table in of(whole, commit).tables
        if table.after and table.after.name == f"{array}_cpu_idle_states"
        for finding in table.outcome.new
    }
    assert set(codes.split()) <= new


def test_all_commits_are_read(whole: Review) -> None:
    assert whole.commits == 5761
    assert [change.unread for change in whole.changes if change.unread] == []
    # the 26 versions of tables there were, less those that appear or go with others, and changes of
    # the code that exports them
    assert {c.head[:9] for c in whole.changes if all(not t.is_changed for t in c.tables)} == {
        *BY_CODE
    }
    assert len(whole.changes) == 21 + len(BY_CODE)


def test_faults_are_seen_before_they_are_merged(whole: Review) -> None:
    def has(findings: Iterable[Finding], code: str) -> bool:
        return any(finding.rule.startswith(code) for finding in findings)

    faults = (*FAULTS, *UNSEEN)
    caught = [
        (brought, code, mended)
        for brought, code, mended in faults
        if has(of(whole, brought).new, code) and has(of(whole, mended).fixed, code)
    ]
    missed = [fault for fault in faults if fault not in caught]
    assert caught == FAULTS, f"caught {caught}; missed {missed}"


def test_no_warning_of_a_table_that_nobody_mended(whole: Review) -> None:
    """But for what is true and stands to this day, and what a later commit was to mend."""
    later: set[tuple[str, str]] = set()
    found = []
    for change in reversed(whole.changes):
        warned = {(f.rule, f.message.split()[0]) for f in of_tables(change) if f.severity > NOTE}
        if warned and not warned & later:
            found.append((change.head[:9], sorted(warned)))
        later |= {(f.rule, f.message.split()[0]) for f in change.fixed}
    assert found == [
        ("04a50cf04", [("IS404", "stop4"), ("IS404", "stop5")]),  # on 4.11, which drops them
        ("87f33f499", [("IS203", "stop5"), ("IS502", "stop4")]),  # in docs/known-findings.md
    ]


@pytest.mark.parametrize("commit", BY_CODE)
def test_states_that_code_gives_or_takes(commit: str, whole: Review) -> None:
    said = {
        (table.source.name.removesuffix("_cpu_idle_states"), d.path, d.a, d.b)
        for table in of(whole, commit).tables
        for d in table.differences
    }
    array, path, before, after = BY_CODE[commit]
    assert (array, path, before, after) in said


def test_the_other_commits_are_quiet(skiboot: Repository, whole: Review) -> None:
    """The other commits touch the files of the tables and change neither a table nor what exports
    it."""
    touching = {head for head, _ in skiboot.touching(["hw/slw.c", "hw/slw-p8.c"], 1000)}
    of_values = {c.head for c in whole.changes if any(t.is_changed for t in c.tables)}
    loud = {change.head[:9] for change in whole.changes if change.head in touching - of_values}
    told = f"{len(loud)} of {len(touching - of_values)} without a change of tables speak: {loud}"
    assert loud <= {*BY_CODE}, told
    assert len(touching - of_values) > 100, told


def test_a_commit_takes_less_than_three_seconds(skiboot: Repository, whole: Review) -> None:
    circumstances = Yardstick(Criteria(tuple(release(name) for name in KERNELS)))
    took = []
    for change in whole.changes:
        began = time.process_time(), time.perf_counter()
        review(skiboot, change.base, change.head, circumstances)
        cpu, wall = time.process_time() - began[0], time.perf_counter() - began[1]
        took.append((cpu, wall, change.head[:9]))
    cpu, wall, slowest = max(took)
    assert cpu < 3, f"{slowest}: {cpu:.2f} s of CPU, {wall:.2f} s in all"


def test_the_one_message_that_its_change_and_figures_contradict(whole: Review) -> None:
    """None of the others is complained of."""
    said = [(c.head[:9], f.rule) for c in whole.changes for f in c.message]
    assert said == [("51974cab7", code) for code in ("IS510", "IS514", "IS513")]
    silent, rounding, percent = of(whole, "51974cab7").message
    assert "changes stop0 too" in silent.message
    assert "says '50% improvement'" in percent.message
    assert "+68.78 % +/- 8.3 %" in percent.message
    assert "+31.11 % +/- 7.77 %" in percent.message
    assert "this share only for the maxima: +50.12 %" in percent.message
    assert "(Linux 4.9, 4.12 and 4.13) truncate: 200ns is 0us" in rounding.message


def test_numbers_in_messages(whole: Review) -> None:
    """All there are in the messages of commits that change tables."""
    found = Counter(claim.verdict for change in whole.changes for claim in change.claims)
    assert found == {
        ClaimVerdict.HOLDS: 23,
        ClaimVerdict.NOT_CHECKED: 4,
        ClaimVerdict.CONTRADICTED: 2,
    }


def test_no_message_of_all_is_contradicted_that_is_not_known(skiboot: Repository) -> None:
    """All 5761 messages are read, most of which are about something else."""
    commits = skiboot.commits("", skiboot.resolve(END), [])
    assert len(commits) == 5761
    wrong = {
        commit.short
        for commit in commits
        for claim in claims_of(commit, [], [])
        if claim.verdict is ClaimVerdict.CONTRADICTED
    }
    assert wrong == {"51974cab7"}


def test_renames_and_moves(whole: Review) -> None:
    def names(commit: str) -> set[tuple[str, str]]:
        return {
            (table.before.name if table.before else "", table.after.name if table.after else "")
            for table in of(whole, commit).tables
        }

    array = "{}_cpu_idle_states".format
    assert names("805373b35") == {(array("power9_dd1"), array("power9_ndd1"))}
    assert names("16b7ae641") == {(array("power7"), array("nap_only"))}
    moved = of(whole, "65d9909a7")
    assert names("65d9909a7") == {(array(n), array(n)) for n in ("nap_only", "power8")}
    assert {t.after.file for t in moved.tables if t.after} == {"hw/slw-p8.c"}
    assert moved.new == moved.fixed == []


def test_every_commit_can_be_taken_back(skiboot: Repository, whole: Review) -> None:
    circumstances = Yardstick(Criteria(tuple(release(name) for name in KERNELS[:2])))
    for change in whole.changes:
        if change.base:
            forth = review(skiboot, change.base, change.head, circumstances).changes[0]
            back = review(skiboot, change.head, change.base, circumstances).changes[0]
            assert _rules_new(forth) == {f.rule for f in back.fixed}
            assert {f.rule for f in forth.fixed} == _rules_new(back)


def _rules_new(change: Reviewed) -> set[str]:
    """Returns the rules of new findings, without those about messages."""
    outcomes = [change.files, *(table.outcome for table in change.tables)]
    return {finding.rule for outcome in outcomes for finding in outcome.new}
