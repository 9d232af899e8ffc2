"""docs/validation.md says what docs/validation.json holds; the nightly run boots what it is to."""

from typing import Any

import pytest

from idle_states.change.boot.powernv.predict import STAGES
from idle_states.change.boot.q35.predict import STAGES as Q35_STAGES
from idle_states.change.boot.stage import SELECTED
from idle_states.change.boot.virt.predict import STAGES as VIRT_STAGES
from idle_states.tables.spec.packaged import revisions
from tests.support import DOCS
from tools import (
    boot_records,
    nightly,
    nightly_powernv,
    nightly_q35,
    nightly_virt,
    q35_tables,
    validation_q35,
    validation_virt,
)
from tools.boot_records import today
from tools.nightly_powernv import MACHINES, PowernvNight, cases
from tools.validation import text


def test_the_page_is_made_from_the_records() -> None:
    names = "validation.json", "validation-virt.json", "validation-q35.json"
    records = [boot_records.load(DOCS / name) for name in names]
    assert (DOCS / "validation.md").read_text() == text(*records), "run make validation"


def test_every_boot_that_is_claimed_agreed() -> None:
    records = boot_records.load(DOCS / "validation.json")
    booted = [record for record in records if "agree" in record]
    assert {record["machine"] for record in booted} == set(MACHINES)
    for record in booted:
        assert record["agree"] is (False not in record["stages"].values())
        assert record["decisions"]["agree"] == record["decisions"]["judged"] > 0
        assert list(record["stages"]) == list(STAGES)
    assert not any("failed" in record for record in records)


def test_every_spec_is_booted_where_it_belongs() -> None:
    tables = {machine: {case.table for case in cases(machine)} for machine in MACHINES}
    assert {"power8", "power8-nap-only", "power8@0768e820e"} <= tables["powernv8"]
    assert {"power9", "power9-dd1@84368bbf8", "power9-fused"} <= tables["powernv9"]
    assert {"power10", "power11"} <= tables["powernv10"]
    booted = [table for machine in MACHINES for table in tables[machine]]
    assert len(set(booted)) == len(booted)
    left = {revision.name for revision in revisions()} - {*booted}
    assert {name.partition("-")[0] for name in left} == {"power7", "pseries"}
    assert all(case.built for case in cases("powernv9") if case.table == "power9@1953b41e1")
    for machine in MACHINES:
        found = list(cases(machine))
        assert len(set(found)) == len(found)
        assert any(case.built for case in found)
        assert {case.governor for case in found} == {"menu", "ladder"}


def record(case: PowernvNight, **more: Any) -> dict[str, Any]:
    keys = ("machine", "table", "built", "levels", "governor")
    return {key: getattr(case, key) for key in keys} | more


def test_a_new_result_takes_the_place_of_the_old() -> None:
    every = [*nightly_powernv.boots()]
    assert len({each.key for each in every}) == len(every)
    old = {case.key: {**case.head(), "date": "old"} for case in reversed(every)}
    assert [nightly_powernv.key_of(each) for each in old.values()] == list(old)
    fresh = {**old, every[3].key: {**every[3].head(), "date": "new"}}
    records = nightly.in_order(every, fresh)
    assert [each["date"] for each in records].count("new") == 1
    assert records[3]["date"] == "new"
    assert len(records) == len(every)
    assert [each["machine"] for each in records] == sorted(
        (each["machine"] for each in records), key=MACHINES.index
    )
    assert nightly.in_order(every[1:], fresh) == records[1:]


def test_what_differs_failed_or_does_not_fit_shows() -> None:
    case = next(cases("powernv9"))
    stages = dict.fromkeys(STAGES, True) | {"usage": False, "selected": None}
    versions = {"qemu": "Q", "skiboot": "v1", "linux": "L", "modelled_as": None}
    differs = record(
        case, date="2000-01-01", agree=False, stages=stages, registered=["snooze"], unconfirmed=[],
        decisions={"judged": 9, "agree": 7, "undetermined": 1}, **versions,
    )  # fmt: skip
    page = text([differs])
    assert "0 of 1 boots agree in every stage; 7 of 9 recorded decisions" in page
    assert "4 of 6 agree; **differ: usage**; not compared: selected" in page
    assert "no model" in page
    for reason in ({"refused": "9 rows"}, {"failed": "hung\nlog"}):
        assert f"not booted: {next(iter(reason.values())).splitlines()[0]}" in text(
            [record(case, date="2000-01-01", **reason)]
        )


def test_what_one_boot_could_not_confirm_another_may_have() -> None:
    case = next(cases("powernv9"))
    common = {
        "date": "2000-01-01", "agree": True, "stages": dict.fromkeys(STAGES, True), "qemu": "Q",
        "decisions": {"judged": 9, "agree": 9, "undetermined": 0}, "skiboot": "v1",
        "linux": "L", "modelled_as": "6.1",
    }  # fmt: skip
    lines = ["stop2: not exported", "stop4: not exported", "x: this workload never reached it"]
    few = record(case, registered=["snooze"], unconfirmed=lines, **common)
    more = {**few, "levels": 1, "registered": ["snooze", "stop2"], "unconfirmed": lines[1:]}
    last = text([few, more]).partition("## Not confirmed by booting")[2]
    assert "stop4: not exported (powernv9)" in last
    assert "stop2" not in last
    assert "this workload" not in last


def test_the_date_is_the_sources_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert today() == "1970-01-02"
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert today() > "2026-01-01"


def test_every_boot_of_virt_machines_agreed() -> None:
    records = boot_records.load(DOCS / "validation-virt.json")
    booted = [nightly_virt.key_of(each) for each in records if each.get("agree")]
    assert booted == [each.key for each in nightly_virt.boots()]
    for record in records:
        recorded = bool(record.get("governor"))
        assert list(record["stages"]) == [n for n in VIRT_STAGES if recorded or n != SELECTED]
        assert False not in record["stages"].values()
        assert not record["differences"]
        assert record["judged"]["tree"] > 5
        if recorded:
            assert record["stages"][SELECTED] is record["stages"]["usage"] is True
            assert record["judged"][SELECTED] > 500
    machines = [machine for machine, *_ in booted]
    assert machines.count("virt-arm64") >= 20
    assert machines.count("virt-riscv64") >= 10
    # teo, on kernels that are not Debian's own
    assert sum(governor == "teo" and bool(suite) for _, _, governor, suite in booted) >= 4


def test_what_a_kernel_of_ones_own_confirmed_is_not_said_to_be_unconfirmed() -> None:
    every = boot_records.load(DOCS / "validation-virt.json")
    line = "CONFIG_CPU_IDLE_GOV_TEO: not set in this kernel"
    debian = [each for each in every if not each.get("suite")]
    assert f"- {line} (virt-arm64, virt-riscv64)" in validation_virt.text(debian)
    assert f"- {line} (virt-riscv64)" in validation_virt.text(every)


def test_what_differs_on_virt_machines_shows() -> None:
    every = boot_records.load(DOCS / "validation-virt.json")
    first = every[0]
    differs = {**first, "agree": False, "stages": {**first["stages"], "usage": False}}
    page = validation_virt.text([differs, *every[1:]])
    assert f"{len(every) - 1} of {len(every)} boots agree in every stage" in page
    assert "6 of 7 agree; **differ: usage**" in page
    keys = ("machine", "table", "why", "date")
    failed = {key: first[key] for key in keys} | {"failed": "hung\nlog"}
    assert "| not booted: hung |" in validation_virt.text([failed, *every[1:]])


def test_every_table_of_q35_booted_and_agreed() -> None:
    records = boot_records.load(DOCS / "validation-q35.json")
    booted = {each["table"] for each in records if each.get("agree")}
    assert booted == {each.name for each in q35_tables.tables()}
    for record in records:
        assert list(record["stages"]) == list(Q35_STAGES)
        assert False not in record["stages"].values()
        assert not record["differences"]
    assert {each.table.name for each in nightly_q35.boots() if each.suite} == set(nightly_q35.PART)


def test_what_differs_on_q35_shows() -> None:
    every = boot_records.load(DOCS / "validation-q35.json")
    first = every[0]
    assert f"{len(every)} of {len(every)} boots, of" in validation_q35.text(every)
    differs = {**first, "agree": False, "stages": {**first["stages"], "usage": False}}
    page = validation_q35.text([differs, *every[1:]])
    assert f"{len(every) - 1} of {len(every)} boots, of" in page
    assert "4 of 5 agree; **differ: usage**" in page
    again = validation_q35.text([{**first, "before": "a crash in f on CPU 1"}, *every[1:]])
    assert "5 of 5 agree; at the second attempt, after a crash in f on CPU 1 |" in again
    crashed = next(each for each in every if each["crash"])
    row = next(line for line in page.splitlines() if line.startswith(f"| {crashed['table']} "))
    assert f"**crash** in {crashed['crash']}" in row
    keys = ("table", "why", "suite", "model", "arguments", "date")
    failed = {key: first[key] for key in keys} | {"failed": "hung\nlog"}
    assert "| not booted: hung |" in validation_q35.text([failed, *every[1:]])


@pytest.mark.parametrize(
    ("came", "said", "fault"),
    [
        ({"agree": True}, "agree", False),
        ({"agree": False}, "differ", True),
        ({"refused": "9 rows"}, "9 rows", False),
        ({"failed": "hung"}, "hung", True),
    ],
)
def test_what_came_of_a_boot(came: dict[str, Any], said: str, fault: bool) -> None:
    assert (nightly.outcome_of(came), nightly.is_fault(came)) == (said, fault)
