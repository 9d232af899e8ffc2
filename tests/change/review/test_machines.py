"""review: what a changed table does to machines."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from idle_states.change.review.machines import MachineModel, OnMachines
from idle_states.change.review.workloads import OnWorkload
from idle_states.cli import main
from idle_states.tables.linux.governors import core
from idle_states.tables.linux.releases import release
from idle_states.tables.selection.selection import SelectionChange
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.sources import Source, read_table
from idle_states.tables.spec.library import find
from tests.change.review.test_review_platforms import CODE, TABLES
from tests.support.git_history import History
from tests.tables.skiboot.test_export_code import INIT

pytestmark = pytest.mark.skipif(not core.available(), reason="some hundred times slower without")

THEN, TODAY = "4.12", "7.3"
DAY = date(2017, 8, 23)
OLD, NEW = "power9-dd1@84368bbf8", "power9-dd1"


def effects(
    before: Source, after: Source, day: date | None = DAY, *, runs: int = 1, today: str = TODAY
) -> OnMachines:
    model = MachineModel((release("6.1"), release(today)), ALL_LEVELS, runs=runs)
    return model.effects(before, after, day)


def on(found: OnMachines, kernel: str, workload: str) -> OnWorkload:
    return next(w for w in found.workloads if (w.kernel, w.workload) == (kernel, workload))


def without(source: Source, *names: str) -> Source:
    assert source.table is not None
    states = tuple(state for state in source.table.states if state.name not in names)
    return replace(source, table=replace(source.table, states=states))


def changed(source: Source, name: str, **values: int) -> Source:
    assert source.table is not None
    states = tuple(
        replace(state, **values) if state.name == name else state  # type: ignore[arg-type]
        for state in source.table.states
    )
    return replace(source, table=replace(source.table, states=states))


@pytest.fixture(scope="module")
def stop0_lite() -> OnMachines:
    """The change of 2017: 200 ns / 2 us becomes 1 us / 10 us."""
    return effects(read_table(OLD), read_table(NEW))


def test_the_kernels_of_its_day_are_looked_at(stop0_lite: OnMachines) -> None:
    assert stop0_lite.then == ("4.9", "4.12", "4.13")
    [group] = [group for group in stop0_lite.kernels if "4.12" in group.kernels]
    assert group.kernels == ("4.9", "4.12", "4.13")
    assert group.interrupted[0] == SelectionChange(2_000, 9_999, ("stop0_lite",), ("snooze",))


def test_the_question_of_2017_has_its_answer(stop0_lite: OnMachines) -> None:
    """The effect on power is told: it rises, whatever the state draws; a round trip costs less,
    unless the state draws next to nothing."""
    found = on(stop0_lite, THEN, "ping-pong")
    assert found.rate is not None
    # measured: 68.78 %
    assert 60 < found.rate.least < 72
    assert found.power_any.sign == 1
    assert 0 < found.power.least < found.power.most < 15
    assert found.energy is not None
    assert found.energy_any is not None
    assert found.energy.most < -30
    assert found.energy_any.sign == 0
    assert found.turning is not None
    assert 5 < found.turning[0] <= found.turning[1] < 20


def test_usage_is_for_each_round_trip(stop0_lite: OnMachines) -> None:
    found = on(stop0_lite, THEN, "ping-pong")
    assert found.unit == "round trips"
    used = [
        {use.state: use.per_unit for use in side.states} for side in (found.before, found.after)
    ]
    assert used[0]["stop0_lite"] == pytest.approx(2, abs=0.01) == used[1]["snooze"]
    assert used[0]["snooze"] == used[1]["stop0_lite"] == 0
    for side in (found.before, found.after):
        assert side.awake + sum(use.share for use in side.states) == pytest.approx(100)


def test_what_is_drawn_before_and_after_fits_the_change(stop0_lite: OnMachines) -> None:
    """Power between that of an idle thread that saves most and of a running one; a round trip costs
    that, for two CPUs, for as long as it lasts; with the new table both only snooze or run."""
    found = on(stop0_lite, THEN, "ping-pong")
    for side in (found.before, found.after):
        power, unit, wakeup = side.spent.power, side.spent.each_unit, side.spent.each_wakeup
        assert power is not None
        assert unit is not None
        assert wakeup is not None
        assert 0.85 < power.low < power.high < 2
        assert float(unit.low) == pytest.approx(float(2 * power.low) * 1e9 / side.units_per_s)
        assert side.wakeups_per_unit is not None
        assert float(unit.high / wakeup.high) == pytest.approx(side.wakeups_per_unit)
    after = found.after.spent.power
    assert after is not None
    assert after.low == pytest.approx(1)
    assert float(after.high) == pytest.approx(1 + found.after.awake / 100, abs=0.01)


def test_both_tables_meet_the_same_hardware(stop0_lite: OnMachines) -> None:
    # 1100 ns of ipi, 1000 of the new table, not 200 of the old, and 600 to switch
    found = on(stop0_lite, THEN, "ping-pong").before.median_ns
    assert found is not None
    assert 2_700 <= found <= 2_700 * 129 // 128
    assert any(
        "exit latency of stop0_lite is the same before and after" in g for g in stop0_lite.grounds
    )


def test_today_it_changes_nothing_for_the_benchmark(stop0_lite: OnMachines) -> None:
    assert (TODAY, "ping-pong") in stop0_lite.unchanged
    assert not any(w.workload == "ping-pong" and w.kernel == TODAY for w in stop0_lite.workloads)


def test_a_range_over_the_hardware_is_left_out_where_latencies_stay() -> None:
    before = read_table("power9")
    found = effects(before, changed(before, "stop5", residency_ns=2_000_000))
    one = on(found, TODAY, "server:gap=300ms")
    assert one.rate is not None
    assert one.rate.least == one.rate.most
    assert not any("the same before and after" in ground for ground in found.grounds)


def test_states_that_vanish_are_named() -> None:
    before = read_table("power9")
    found = effects(before, without(before, "stop4"), runs=0)
    assert {group.lost for group in found.kernels} == {("stop4",)}
    assert {
        group.gained for group in effects(without(before, "stop4"), before, runs=0).kernels
    } == {("stop4",)}
    assert found.workloads == found.unchanged == ()


def test_a_day_before_kernels_that_are_modelled() -> None:
    before = read_table("power8")
    found = effects(before, without(before, "nap"), date(2014, 8, 1))
    assert found.unsaid == ("menu of Linux 3.15 and 3.16 is not modelled",)
    assert found.then == ("3.15", "3.16")
    assert {one.kernel for one in found.workloads} == {TODAY}


def test_without_a_day_only_todays_kernels_are_looked_at() -> None:
    found = effects(read_table(OLD), read_table(NEW), None)
    assert found.then == ()
    assert {name for group in found.kernels for name in group.kernels} <= {"6.1", TODAY}


def test_without_the_core_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "available", lambda: False)
    found = effects(read_table(OLD), read_table(NEW))
    assert found.unsaid == ("neither exact selections nor workloads: the compiled core is missing",)
    assert found.kernels == found.workloads == ()


def test_equal_tables_have_no_effect() -> None:
    assert effects(read_table(NEW), read_table(NEW)) == OnMachines(DAY, ("4.9", "4.12", "4.13"))


def test_power8_has_figures_and_its_kernels_names() -> None:
    before = read_table("power8")
    found = effects(before, changed(before, "nap", residency_ns=1_000_000), date(2016, 6, 1))
    grounds = "\n".join(found.grounds)
    assert "Nap draws 0.85 to 0.9 times what snooze does (IBM" in grounds
    assert "FastSleep draws 0.2 times what snooze does (IBM" in grounds


def test_more_seeds_widen_the_range() -> None:
    before = read_table("power9")
    after = changed(before, "stop5", residency_ns=2_000_000)
    one, more = (on(effects(before, after, runs=n), TODAY, "server:gap=300ms") for n in (1, 4))
    assert one.before == more.before
    assert one.energy is not None
    assert more.energy is not None
    assert more.energy.least <= one.energy.least <= one.energy.most <= more.energy.most
    assert more.energy != one.energy


# The command


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "tree")
    made.commit({"hw/slw.c": c_table.write([find(OLD)])}, "First")
    after = c_table.write([find(OLD)]).replace("= 200,", "= 1000,").replace("= 2000,", "= 10000,")
    made.commit({"hw/slw.c": after}, "slw: 1us")
    return made


def run(capsys: pytest.CaptureFixture[str], history: History, *words: str) -> tuple[int, str]:
    status = main(["review", "--tree", str(history.directory), "--config", "none", *words])
    return status, capsys.readouterr().out


def test_json_has_what_the_model_says(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    _, text = run(capsys, history, "--format", "json", "--kernel", "6.1")
    [table] = json.loads(text)["changes"][0]["tables"]
    machines = table["machines"]
    assert machines["then"][1:]
    assert {one["workload"] for one in machines["workloads"]} >= {"ping-pong"}
    _, text = run(capsys, history, "--format", "json", "--kernel", "6.1", "--runs", "0")
    [table] = json.loads(text)["changes"][0]["tables"]
    assert table["machines"]["workloads"] == []
    assert table["machines"]["kernels"] == machines["kernels"] != []


def test_text_says_power_and_what_it_rests_on(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text = run(capsys, history, "--kernel", "6.1")
    flat = " ".join(text.split())
    assert "ping-pong on Linux 6.1:" in flat
    assert "energy for each round trip" in flat
    assert "Assumptions of the simulated figures" in text
    assert max(map(len, text.splitlines())) <= 72


def test_a_mask_takes_a_state_from_machines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = History(tmp_path / "masked")
    residencies = 'dt_add_property(node, "ibm,cpu-idle-state-residency-ns", buffer, size);'
    code = CODE.replace("dt_add_property(", f"{residencies}\n\tdt_add_property(", 1)
    made.commit({"hw/slw.c": TABLES + code + INIT}, "First")
    made.commit({"hw/slw.c": TABLES + code.replace("~0xE8", "~0xE0") + INIT}, "Mask stop4")
    _, text = run(capsys, made, "--format", "json", "--kernel", "6.6", "--runs", "0")
    table = json.loads(text)["changes"][0]["tables"][0]
    assert {tuple(group["lost"]) for group in table["machines"]["kernels"]} == {("stop4",)}
    assert table["machines"]["kernels"][0]["interrupted"]


def test_runs_below_none_are_refused(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, history, "--runs", "-1")[0] == 2


def test_rows_that_a_diff_does_not_show_are_not_simulated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    patch = tmp_path / "one.patch"
    rows = [
        " \t{",
        ' \t\t.name = "stop9",',
        "-\t\t.latency_ns = 1000,",
        "+\t\t.latency_ns = 2000,",
        " \t\t.residency_ns = 10000,",
    ]
    head = (
        "Subject: [PATCH] slw: Raise stop9\nDate: Wed, 23 Aug 2017 21:01:40 +0530\n\nRaise it.\n"
        "---\n--- a/hw/slw.c\n+++ b/hw/slw.c\n"
        "@@ -100,4 +100,4 @@ static struct cpu_idle_states my_cpu_idle_states[] = {\n"
    )
    patch.write_text(head + "\n".join(rows) + "\n")
    assert main(["review", str(patch), "--format", "json"]) in (0, 1)
    [table] = json.loads(capsys.readouterr().out)["changes"][0]["tables"]
    assert table["machines"]["day"] == "2017-08-23"
    assert table["machines"]["unsaid"] == [
        "not checked: the diff does not show the other rows of the table"
    ]
    assert table["machines"]["workloads"] == table["machines"]["kernels"] == []
