"""One fault, one finding: rules that say what must hold before they speak."""

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.findings import Finding, Location, Severity
from idle_states.base.model.table import ReadFrom
from idle_states.cli import main
from idle_states.tables.check.accepted import accept, today
from idle_states.tables.check.check import check
from idle_states.tables.check.config import Accepted
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.releases import DEFAULT, release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.catalogue import (
    WrongRule,
    code2requires,
    in_order,
    known_codes,
    rule_named,
    rules,
)
from idle_states.tables.rules.engine import once, run
from idle_states.tables.rules.loaded import LoadedRule
from idle_states.tables.rules.rule import Rule
from idle_states.tables.rules.selection import ALL, RuleSelection
from idle_states.tables.sources import read_table
from idle_states.tables.spec.library import find
from tests.tables.check.test_seeded_faults import all_faults

OLD = (release("4.11"),)
KERNELS = [release(name) for name in DEFAULT]
HERE, THERE = Location("t:states[0].latency"), Location("t:states[1].latency")
SLIP = "name: mine\nextends: power9\noverride:\n  stop0_lite: {latency: 200ns}"


def checked(tmp_path: Path, text: str, selection: RuleSelection = ALL) -> list[Finding]:
    file = tmp_path / "mine.yaml"
    file.write_text(text + "\n")
    return check([read_table(str(file))], Criteria(OLD, rules=selection))


def at_latency(findings: list[Finding]) -> list[Finding]:
    """Returns what is wrong there; IS501 and IS506 say what the value was, and follow from
    nothing."""
    there = (f for f in findings if f.location.path.endswith("states[0].latency"))
    return [f for f in there if f.rule not in ("IS501", "IS506")]


def finding(code: str, where: Location = HERE, **fields: object) -> Finding:
    known = rule_named(code)
    assert known is not None
    made = Finding(code, known.rule.name, known.rule.severity, "m", where)
    return replace(made, **fields)  # type: ignore[arg-type]


class TestOneFault:
    def test_200_ns_are_reported_once(self, tmp_path: Path) -> None:
        (only,) = at_latency(checked(tmp_path, SLIP))
        assert (only.rule, only.severity) == ("IS201", Severity.ERROR)
        assert only.stands_for == ("IS221", "IS401", "IS402")
        assert "truncate to 0 us, as cheap as polling" in only.message
        follows = "IS221 latency-below-measured-wake, IS401 zero-microseconds and IS402 level-with-"
        ((where, remark),) = only.related
        assert where == only.location
        assert remark == f"the same fault also gives {follows}snooze"

    def test_one_edit_is_one_drift_from_siblings(self) -> None:
        table = find("power9-fused")
        edited = (replace(table.states[0], latency_ns=1500), *table.states[1:])
        as_c = replace(
            table, states=edited, name=table.firmware.array, read_from=ReadFrom("c", "slw.c")
        )
        found = run(Subject(as_c, KERNELS))
        drift = Counter((f.rule, f.location) for f in found if f.rule in ("IS501", "IS502"))
        assert set(drift.values()) == {1}
        (said,) = [f for f in found if f.rule == "IS501" and "1500" in f.message]
        assert said.stands_for == ("IS502",)

    def test_a_row_is_held_against_all_siblings_in_one_finding(self) -> None:
        table = find("power9-fused")
        edited = (replace(table.states[0], latency_ns=1500), *table.states[1:])
        mine = replace(table, name="mine", states=edited, firmware=table.firmware)
        found = run(Subject(mine, KERNELS), selection=RuleSelection(select=("IS502",)))
        per_place = Counter(f.location for f in found)
        assert per_place
        assert set(per_place.values()) == {1}

    def test_every_place_keeps_its_worst(self) -> None:
        """Whatever the fault, nothing gets milder, and nothing that was found goes unsaid."""
        for fault in all_faults()[::40]:
            subject = Subject(fault.table, KERNELS, node=fault.node)
            every = [
                found
                for loaded in rules()
                if loaded.rule.checks and subject.form in loaded.rule.forms
                for found in loaded.rule.findings(subject)
            ]
            worst: dict[Location, Severity] = defaultdict(lambda: Severity.NOTE)
            for found in every:
                worst[found.location] = max(worst[found.location], found.severity)
            kept: dict[Location, Severity] = defaultdict(lambda: Severity.NOTE)
            said = set()
            for found in run(subject):
                kept[found.location] = max(kept[found.location], found.severity)
                said |= {(code, found.location) for code in found.rules}
            assert kept == worst, fault.what
            assert said == {(found.rule, found.location) for found in every}, fault.what


class TestOnce:
    def test_the_dependent_one_is_silent_at_the_same_place_only(self) -> None:
        kept = once([finding("IS401"), finding("IS215"), finding("IS401", THERE)])
        assert {(f.rule, f.location, f.stands_for) for f in kept} == {
            ("IS215", HERE, ("IS401",)),
            ("IS401", THERE, ()),
        }

    def test_a_silent_one_silences_in_turn(self) -> None:
        (kept,) = once([finding("IS402"), finding("IS401"), finding("IS215")])
        assert kept.rules == ("IS215", "IS401", "IS402")

    def test_an_error_is_not_lost_behind_a_warning(self) -> None:
        warning = finding("IS201", severity=Severity.WARNING)
        assert {f.rule for f in once([warning, finding("IS401")])} == {"IS201", "IS401"}

    def test_a_kernel_is_not_lost(self) -> None:
        known = finding("IS201", kernels=("4.11",))
        both = finding("IS401", kernels=("4.11", "4.12"))
        assert len(once([known, both])) == 2
        assert len(once([known, finding("IS401", kernels=("4.11",))])) == 1
        assert len(once([known, finding("IS221")])) == 1
        assert len(once([finding("IS201"), both])) == 1

    def test_what_was_not_asked_for_silences_nothing(self, tmp_path: Path) -> None:
        asked = at_latency(checked(tmp_path, SLIP, RuleSelection(select=("IS4",))))
        assert [f.rule for f in asked] == ["IS401"]
        assert asked[0].stands_for == ("IS402",)


class TestSuppressions:
    def test_of_the_first_silences_what_follows(self, tmp_path: Path) -> None:
        found = checked(tmp_path, SLIP + "  # idle-states: ignore[IS201] as it was in 2017")
        (only,) = at_latency(found)
        assert not only.counts
        assert not [f for f in found if f.rule == "IS902"]

    def test_of_what_follows_is_not_unused(self, tmp_path: Path) -> None:
        text = SLIP + "  # idle-states: ignore[IS201,IS401,IS402,IS204] as it was in 2017"
        unused = [f.message for f in checked(tmp_path, text) if f.rule == "IS902"]
        assert [message.split()[0] for message in unused] == ["IS204"]

    def test_of_what_follows_alone_leaves_the_first(self, tmp_path: Path) -> None:
        found = checked(tmp_path, SLIP + "  # idle-states: ignore[IS401,IS402] as it was")
        (only,) = at_latency(found)
        assert only.counts
        assert not [f for f in found if f.rule == "IS902"]

    def test_in_the_configuration(self) -> None:
        (kept,) = once([finding("IS215"), finding("IS401")])
        entries = [
            Accepted((code,), HERE.path, "as it was", None, Location(file="setup.cfg", line=line))
            for line, code in enumerate(("IS215", "IS401", "IS402"), 1)
        ]
        found = accept([kept], entries, [("t", "t.yaml")], today())
        assert [f.message.split()[0] for f in found if f.rule == "IS902"] == ["IS402"]
        assert not next(f for f in found if f.rule == "IS215").counts


class TestDeclarations:
    def test_every_rule_comes_after_those_it_requires(self) -> None:
        requires = code2requires(known_codes())
        order = list(requires)
        assert sorted(order) == [loaded.rule.code for loaded in rules()]
        for code, required in requires.items():
            assert all(order.index(other) < order.index(code) for other in required)

    @pytest.mark.parametrize(
        ("requires", "message"),
        [
            ({"IS1": ("IS2",), "IS2": ("IS1",)}, "IS1.*IS2|IS2.*IS1"),
            ({"IS1": ("IS1",)}, "IS1"),
            ({"IS201": ("IS20",)}, "IS201 requires 'IS20', which is no rule.*IS201"),
        ],
    )
    def test_what_cannot_be_is_refused(
        self, requires: dict[str, tuple[str, ...]], message: str
    ) -> None:
        made = [
            LoadedRule(Rule(code, "name", Severity.NOTE, requires=others), "")
            for code, others in requires.items()
        ]
        with pytest.raises(WrongRule, match=message):
            in_order(made)

    def test_explain_shows_them(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["explain", "IS402"]) == 0
        assert "Not reported where one of these already covers it" in (
            out := capsys.readouterr().out
        )
        assert out.rstrip().endswith("IS401 zero-microseconds.")
        assert main(["explain", "IS201"]) == 0
        assert "Silent" not in capsys.readouterr().out
