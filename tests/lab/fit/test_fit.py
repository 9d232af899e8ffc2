"""The command: published measurements, planted ones, and what it makes of them."""

import json
import random
import re
from decimal import Decimal
from pathlib import Path
from statistics import NormalDist

import pytest

from idle_states.base.model.findings import UsageError
from idle_states.base.model.measured import Claimed, Latency, Measured, Samples, SummaryOnly
from idle_states.base.report.sheet_text import text as written
from idle_states.base.report.style import Style
from idle_states.cli import main
from idle_states.lab.fit.advertised import AdvertisedStates
from idle_states.lab.fit.answer import FittedState, fit, fitted
from idle_states.lab.fit.request import FitRequest, MeasuredInput
from idle_states.lab.fit.shape import shape
from idle_states.lab.fit.sheet import sheet
from idle_states.lab.fit.spec import fitted_table
from idle_states.tables.linux.releases import release
from idle_states.tables.skiboot import c_table
from idle_states.tables.sources import read_table
from idle_states.tables.spec.library import find
from tests.support import DATA, DOCS

from ...support.planted import planted_power

P99 = Decimal(99)
KERNEL = release("6.1")
PAGE = (DOCS / "measuring.md").read_text("utf-8")
MAILED = DATA / "measured"


def request(*files: str, table: str | None = "power9", **options: object) -> FitRequest:
    inputs = tuple(MeasuredInput(file) for file in files)
    return FitRequest(inputs, KERNEL, table, **options)  # type: ignore[arg-type]


def samples(state: str | None, values: list[float], **more: object) -> Latency:
    return Latency(state, "timer", Samples(tuple(values)), **more)  # type: ignore[arg-type]


def measured(*latencies: Latency, **more: object) -> Measured:
    return Measured("m.txt", "0" * 64, "tool", latencies=latencies, **more)  # type: ignore[arg-type]


def normal(middle: float, n: int = 1000, seed: int = 1) -> list[float]:
    rng = random.Random(seed)
    return [rng.gauss(middle, middle / 50) for _ in range(n)]


def busy(middle: float = 100) -> Latency:
    """Returns what measuring takes by timer."""
    return samples(None, normal(middle, 400, 5), busy=True)


def by_name(states: tuple[FittedState, ...]) -> dict[str, FittedState]:
    return {state.name: state for state in states}


def test_the_mailed_table_of_2023() -> None:
    states = by_name(fit(request(str(MAILED / "power9-2023.log"))).states)
    verdicts = {name: state.verdict for name, state in states.items()}
    assert verdicts == {
        "stop0_lite": "unknown",
        "stop0": "unknown",
        "stop1": "unknown",
        "stop2": "unknown",
        "stop4": "under-stated",
        "stop5": "under-stated",
        "snooze": "unknown",
    }
    by = states["stop5"].by
    assert by is not None
    # 1058870 ns by IPI, of which 2720 ns are measured on a busy CPU
    assert (by.value_ns, by.estimate.statistic, by.latency.woken_by) == (1_056_150, "mean", "ipi")
    assert len(states["stop5"].latencies) == 2


@pytest.mark.parametrize(
    ("words", "shown"), re.findall(r"^\$ idle-states (fit .*)\n((?:.*\n)*?)```", PAGE, re.MULTILINE)
)
def test_the_page_shows_the_verdicts_on_what_was_published(
    words: str, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(MAILED)
    assert main(words.split()) == int("under-stated" in shown)
    assert capsys.readouterr().out.startswith(f"{shown}\n")


def test_the_selftests_states_by_number_are_those_of_the_kernel() -> None:
    states = by_name(fit(request(str(MAILED / "power9-2021.log"))).states)
    values = {one.latency.woken_by: one.value_ns for one in states["stop2"].latencies}
    # State4, less the baseline
    assert values == {"ipi": 17_070 - 3_114, "timer": 16_581 - 1_420}
    assert states["stop5"].verdict == "under-stated"
    # snooze is no row of the table
    assert states["snooze"].verdict == "unknown"


@pytest.mark.parametrize(("latency", "verdict"), [(2, "unknown"), (10, "consistent")])
def test_cede_of_370_against_what_was_and_what_is_advertised(
    latency: int, verdict: str, tmp_path: Path
) -> None:
    spec = tmp_path / "cede.yaml"
    spec.write_text(
        f"name: mine\nextends: pseries-dedicated\noverride:\n  CEDE: {{latency: {latency}us}}\n"
    )
    found = fit(request(str(MAILED / "power9-cede.txt"), table=str(spec), percent=Decimal(98)))
    (cede,) = found.states
    assert cede.verdict == verdict
    assert verdict != "unknown" or "not measured on a busy CPU" in cede.why
    assert cede.by is not None
    assert cede.by.interval_ns == (8559, 9698)
    assert cede.by.estimate.n == 400


def test_a_quantile_that_the_number_does_not_support_is_refused_and_not_written() -> None:
    found = fitted(request(), [measured(samples("stop2", normal(8_000)))])
    (stop2,) = found.states
    assert stop2.verdict == "unknown"
    assert "36887" in stop2.why
    table = fitted_table(found)
    row = table.state("stop2")
    assert row is not None
    assert row.latency_ns == 10_000
    assert row.measured[-1].statistic == "max"


def test_a_contradiction_does_not_need_the_quantile() -> None:
    file = measured(samples("stop2", normal(20_000)), busy())
    found = fitted(request(), [file])
    assert found.states[0].verdict == "under-stated"
    assert found.contradicted


def test_nothing_contradicts_that_may_be_the_measuring() -> None:
    (stop2,) = fitted(request(), [measured(samples("stop2", normal(20_000)))]).states
    assert stop2.verdict == "unknown"
    assert "not measured on a busy CPU" in stop2.why
    net = samples("stop2", normal(20_000), net=True)
    assert fitted(request(), [measured(net)]).states[0].verdict == "under-stated"
    # of another way to be woken it says nothing
    by_write = Latency("stop2", "write", Samples(tuple(normal(20_000))))
    assert not fitted(request(), [measured(by_write, busy())]).contradicted


def test_several_ways_of_waking_are_judged_together() -> None:
    """One of 8 CPUs with the advertised quantile is above it by chance in 5 of 100 sets at most,
    not in 18."""
    held = 0
    for seed in range(60):
        rng = random.Random(seed)
        groups = [
            samples("stop2", [rng.gauss(9_000, 300) for _ in range(600)], group=f"CPU {cpu}")
            for cpu in range(8)
        ]
        spent = samples(None, [0.0] * 400, busy=True)
        found = fitted(request(percent=Decimal(90)), [measured(*groups, spent)])
        (stop2,) = found.states
        assert {one.confidence for one in stop2.latencies} == {Decimal("99.38")}
        truth = NormalDist(9_000, 300).inv_cdf(0.9)
        held += all(
            low is not None and high is not None and low <= truth <= high
            for low, high in (one.interval_ns or (None, None) for one in stop2.latencies)
        )
    assert held >= 54
    assert "8 measurements are judged together: each interval is of 99.38 %" in " ".join(
        written(sheet(found), Style(False)).split()
    )


def test_values_that_follow_each_other_decide_less() -> None:
    """A slow wave about the advertised latency: as independent values it contradicted that."""
    rng, at, values = random.Random(3), 1.2, []
    for _ in range(2000):
        at = 0.98 * at + 0.2 * rng.gauss(0, 1)
        values.append(9_800 + 200 * at)
    rng.shuffle(mixed := values[:])
    file, shuffled = (measured(samples("stop2", each), busy(1)) for each in (values, mixed))
    found, independent = (fitted(request(percent=Decimal(90)), [each]) for each in (file, shuffled))
    (one,), (other,) = found.states, independent.states
    assert one.by is not None
    assert other.by is not None
    assert one.by.estimate.effective is not None
    assert one.by.estimate.effective < 150
    assert other.by.estimate.effective == 2000
    assert other.by.interval_ns
    assert one.by.interval_ns
    assert one.by.interval_ns[0] < other.by.interval_ns[0]


def test_verdicts_by_interval() -> None:
    file = measured(
        samples("stop0", normal(1_900)),  # of 2 us
        samples("stop1", normal(1_000)),  # of 5 us
        samples("stop2", normal(12_000)),  # of 10 us
        samples("stop3", normal(12_000)),  # there is none
        busy(),
    )
    found = fitted(request(percent=P99), [file])
    assert [(state.name, state.verdict) for state in found.states] == [
        ("stop0", "consistent"),
        ("stop1", "over-stated"),
        ("stop2", "under-stated"),
        ("stop3", "unknown"),
    ]
    assert found.unmeasured == ("stop0_lite", "stop4", "stop5", "stop8", "stop11")


def test_busy_measurements_are_subtracted_once_and_of_the_same_machine() -> None:
    busy = samples(None, normal(1_000), busy=True)
    state = samples("stop0", normal(2_900))

    def value(*files: Measured) -> float:
        by = fitted(request(percent=P99), list(files)).states[0].by
        assert by is not None
        assert by.estimate.value_ns is not None
        return by.estimate.value_ns

    gross = value(measured(state))
    assert value(measured(state, busy)) == pytest.approx(gross - 1_000, abs=10)
    net = Latency("stop0", "timer", state.values, net=True)
    assert value(measured(net, busy)) == gross
    assert value(measured(state), measured(busy)) == pytest.approx(gross - 1_000, abs=10)
    assert value(measured(state), measured(busy, machine="another")) == gross
    other = Latency(None, "ipi", busy.values, busy=True)
    assert value(measured(state, other)) == gross


def test_groups_are_not_mixed_and_the_longer_one_decides() -> None:
    core = samples("stop2", normal(7_000), group="package state not reached")
    package = samples("stop2", normal(9_000), group="package state reached")
    (stop2,) = fitted(request(percent=P99), [measured(core, package)]).states
    assert len(stop2.latencies) == 2
    assert stop2.by is stop2.latencies[1]
    assert stop2.by is not None
    assert stop2.by.estimate.n == 1000


def test_the_group_that_decides_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    core = samples("stop2", normal(7_000), group="core")
    package = samples("stop2", normal(9_000), group="package")
    text = written(
        sheet(fitted(request(percent=P99), [measured(core, package)])), Style(colour=False)
    )
    assert "by timer (package), m.txt: decides" in text
    assert "by timer (core), m.txt: p99 7." in text


def test_a_patch_of_the_tree_in_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tree = tmp_path / "tree/hw"
    tree.mkdir(parents=True)
    (tree / "slw.c").write_text('#include "slw.h"\n\n' + c_table.write([find("power9")]))
    rows = "".join(f"stop2,timer,0,{round(ns)},1000000\n" for ns in normal(17_000))
    rows += "".join(f",timer,1,{round(ns)},\n" for ns in normal(100))
    (tmp_path / "m.txt").write_text(
        "# idle-states measured 1\n# tool: idle-states 1\n# cpu: 7\n# resolution_ns: 1\n"
        f"state,woken_by,busy,ns,idle_ns\n{rows}# end\n"
    )
    words = ["fit", "m.txt", "--table", "power9", "--quantile", "99", "--spec", "new.yaml"]
    assert main([*words, "--tree", "tree"]) == 1
    (patch,) = tmp_path.glob("*.patch")
    lines = patch.read_text().splitlines()
    assert "stop2: latency 10us -> 18us" in lines
    changed = [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert [line.split() for line in changed if "latency" in line] == [
        ["-", ".latency_ns", "=", "10000,"],
        ["+", ".latency_ns", "=", "18000,"],
    ]
    assert patch.name in capsys.readouterr().out


def test_without_a_table_the_machines_own_figures_are_the_advertised_ones() -> None:
    file = measured(
        samples("C6", normal(80_000)),
        busy(),
        claims=(Claimed("C6", 30_000.0, 90_000.0), Claimed("C1", 2_000.0)),
    )
    (c6,) = fitted(request(table=None, percent=P99), [file]).states
    assert c6.verdict == "under-stated"
    assert c6.advertised is not None
    assert (c6.advertised.latency_ns, c6.advertised.by) == (30_000, "machine")


def test_states_are_found_by_name_in_any_case_and_by_the_kernels_number() -> None:
    states = AdvertisedStates.of_table(read_table("power9"), request().platform, KERNEL)
    assert states.find("STOP2") is states.find("stop2")
    # snooze, stop0_lite, stop0, stop1, stop2
    assert states.find("state4") is states.find("stop2")
    assert states.find("state99") is None
    # the kernel names POWER8's states itself
    old = AdvertisedStates.of_table(read_table("power8"), request().platform, KERNEL)
    assert old.find("FastSleep") is old.find("fastsleep_")
    assert old.find("FastSleep") is not None
    assert states.find("stop") is None


def test_residencies_by_energy_and_by_rule() -> None:
    power = planted_power(random.Random(9), 0.002)
    names = {"C0": "stop0", "C1": "stop2", "C2": "stop4"}
    spans = [
        type(span)(names[span.state], span.period_ns, span.watts, span.seconds, span.wakeups)
        for span in power.spans
    ]
    file = measured(samples("stop2", normal(8_000)), energies=tuple(spans))
    found = fitted(request(percent=P99, times=3, awake_ns=5_000.0), [file])
    states = by_name(found.states)
    stop2 = states["stop2"].residency
    assert stop2 is not None
    by = states["stop2"].by
    assert by is not None
    assert by.estimate.value_ns is not None
    truth = power.break_even_ns(1) - 5_000 - by.estimate.value_ns
    assert stop2.value_ns is not None
    assert stop2.value_ns == pytest.approx(truth, rel=0.05)
    assert stop2.low_ns is not None
    assert stop2.high_ns is not None
    assert stop2.low_ns <= truth <= stop2.high_ns
    shallowest = states["stop0"].residency
    assert shallowest is not None
    assert (shallowest.value_ns, shallowest.why) == (
        None,
        "no shallower state's power was measured",
    )
    row = fitted_table(found).state("stop2")
    assert row is not None
    assert row.residency_ns == -(-stop2.value_ns // 1000) * 1000
    assert row.provenance["residency"].kind == "measured"
    # power alone is enough for a residency
    alone = fitted(request(awake_ns=5_000.0), [measured(energies=tuple(spans))])
    row = fitted_table(alone).state("stop2")
    assert row is not None
    assert row.latency_ns == 10_000
    assert row.residency_ns == pytest.approx(power.break_even_ns(1) - 5_000 - 10_000, rel=0.05)
    # without energies, so many exit latencies
    by_rule = fitted(request(percent=P99, times=3), [measured(samples("stop2", normal(8_000)))])
    residency = by_rule.states[0].residency
    assert residency is not None
    assert by_rule.states[0].by is not None
    assert residency.value_ns == 3 * (by_rule.states[0].by.value_ns or 0)
    assert residency.by == "3x exit latency"


def test_the_spec_carries_where_each_value_is_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, spec = tmp_path / "m.txt", tmp_path / "fitted.yaml"
    rows = "".join(f"stop2,timer,0,{round(ns)},1000000\n" for ns in normal(17_000))
    rows += "".join(f",timer,1,{round(ns)},\n" for ns in normal(100))
    file.write_text(
        "# idle-states measured 1\n# tool: idle-states 1.0\n# machine: 8335-GTH\n"
        "# release: 6.1.0-50\n# driver: powernv_idle\n# emulated: no\n# cpu: 7\n"
        "# resolution_ns: 1\n# state: cpu=7 state=4 latency=10 residency=100 disable=0 name=stop2\n"
        f"state,woken_by,busy,ns,idle_ns\n{rows}# end\n"
    )
    words = ["fit", str(file), "--table", "power9", "--quantile", "99", "--spec", str(spec)]
    assert main([*words, "--format", "json"]) == 1
    printed = capsys.readouterr()
    (state,) = json.loads(printed.out)["states"]
    assert (state["name"], state["advertised_ns"], state["n"]) == ("stop2", 10_000, 1000)
    assert state["verdict"] == "under-stated"
    assert state["interval_ns"][0] <= state["measured_ns"] <= state["interval_ns"][1]
    assert "idle-states patch" in printed.err
    table = read_table(str(spec)).table
    assert table is not None
    row = table.state("stop2")
    assert row is not None
    assert row.latency_ns == -(-state["measured_ns"] // 1000) * 1000
    ours = row.measured[-1]
    assert (ours.n, ours.statistic, ours.confidence) == (1000, "p99", "95 %")
    assert [ours.low_ns, ours.high_ns] == state["interval_ns"]
    assert (ours.machine, ours.kernel) == ("8335-GTH", "6.1.0-50")
    provenance = row.provenance["latency"]
    assert provenance.kind == "measured"
    assert str(file) in provenance.source
    for word in ("p99 of 1000", "95 % interval", "8335-GTH", "6.1.0-50"):
        assert word in provenance.note
    others = [state for state in find("power9").states if state.name != "stop2"]
    assert [one.values() for one in table.states if one.name != "stop2"] == [
        one.values() for one in others
    ]
    # against the spec just written nothing is left to complain of
    assert main(["fit", str(file), "--table", str(spec), "--quantile", "99"]) == 0
    assert "consistent" in capsys.readouterr().out


def test_states_that_files_do_not_name_are_named_beside_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"{at:<12}{40:>10}{40:>10}\n" for at in range(10, 20))
    head = "# RTLA timerlat histogram\n# Time unit is microseconds (us)\n# Duration:   0 00:01:00\n"
    tail = "over:                0         0\ncount:             400       400\n"
    text = f"{head}Index          IRQ-002   Thr-002\n{rows}{tail}"
    for name in ("state", "busy"):
        (tmp_path / f"{name}.txt").write_text(text)
    words = [f"stop4={tmp_path}/state.txt", f"busy={tmp_path}/busy.txt"]
    assert main(["fit", *words, "--table", "power9", "--quantile", "99", "--format", "json"]) == 0
    (state,) = json.loads(capsys.readouterr().out)["states"]
    assert state["name"] == "stop4"
    # the middle of 10 buckets from 10 us
    assert state["measurements"][0]["busy_ns"] == 15_000
    assert main(["fit", f"{tmp_path}/state.txt", "--table", "power9"]) == 0
    assert "name it: STATE=FILE" in capsys.readouterr().out


def test_summaries_without_a_number_are_never_a_worst_case() -> None:
    mean = Latency("stop2", "ipi", SummaryOnly(mean_ns=8_000.0))
    found = fitted(request(times=3), [measured(mean)])
    (stop2,) = found.states
    assert (stop2.verdict, stop2.residency) == ("unknown", None)
    row = fitted_table(found).state("stop2")
    assert row is not None
    assert row.latency_ns == 10_000


@pytest.mark.parametrize(
    "words",
    [
        ["--quantile", "100"],
        ["--quantile", "x"],
        ["--quantile", "nan"],
        ["--quantile", "20"],
        ["--confidence", "0"],
        ["--awake", "-1"],
        ["--residency", "0"],
        ["--tree", "."],
    ],
)
def test_what_cannot_be_meant(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    file = str(MAILED / "power9-cede.txt")
    assert main(["fit", file, "--table", "pseries-dedicated", *words]) == 2
    assert "expected" in capsys.readouterr().err


def test_a_spec_needs_a_table_that_a_spec_can_hold(tmp_path: Path) -> None:
    file, spec = str(MAILED / "power9-cede.txt"), str(tmp_path / "x.yaml")
    assert main(["fit", file, "--spec", spec]) == 2
    assert main(["fit", file, "--table", "intel:skx", "--spec", spec]) == 1
    assert not Path(spec).exists()
    with pytest.raises(UsageError, match="quantile"):
        request(percent=Decimal("NaN"))


def _powercap(directory: Path, state: str, period_us: int, watts: float, energy_uj: float) -> str:
    """Readings of powercap, of a CPU that was woken each period; the argument of fit."""
    file = directory / f"{state}-{period_us}.txt"
    total, text = 0, ""
    for at in range(13):
        text += f"{1769500000 + at}.0\n/sys/class/powercap/package-0/energy_uj:{total}\n"
        total += round((watts + energy_uj / period_us + (at % 3 - 1) / 100) * 1e6)
    file.write_text(text)
    return f"{state}@{period_us}={file}"


def test_files_that_say_no_period(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """powercap says neither state nor period; energy takes three periods of each."""
    words = [
        _powercap(tmp_path, state, period, watts, energy)
        for state, watts, energy in (("C1", 10.0, 20.0), ("C6", 2.0, 4000.0))
        for period in (500, 1000, 2000, 4000)
    ]
    assert main(["fit", *words, "--table", "intel:skx", "--awake", "7.5"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    # (4000 - 20) uJ / (10 - 2) W = 497.5 us
    assert re.search(r"C6 600 us 357 us 356\.\d+ to 357\.\d+ us", text)
    even = "C6: breaks even with C1 at a period of 497.5 us; minus 7.5 us awake and 133 us"
    assert f"{even} of exit latency" in text


@pytest.mark.parametrize(
    "words",
    [
        ["C6@0=x"],
        ["C6@1m=x"],
        ["C6@-5=x"],
        ["C6@=x"],
        ["C6=x", "--period", "nan"],
        ["x", "--period=0"],
    ],
)
def test_periods_that_cannot_be(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", *words]) == 2
    assert "expected a period above 0 and up to 1000000000 us, found" in capsys.readouterr().err


def test_nothing_measured_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cut.log"
    file.write_text((MAILED / "power9-2021.log").read_text()[:100])
    assert main(["fit", str(file), "--table", "power9"]) == 0
    output = capsys.readouterr().out
    assert "The measurements have neither a wake-up latency nor the energy of a state" in output
    assert "Not measured: stop0_lite" in output


@pytest.mark.parametrize("word", ["stop2", "busy"])
def test_a_state_named_in_vain_is_said(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", f"{word}={MAILED / 'power9-cede.txt'}"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"records itself that CEDE was entered: {word}= is not used" in text


def test_wake_ups_that_depend_on_each_other_are_said() -> None:
    rng = random.Random(4)
    drifting = [10_000.0]
    for _ in range(1999):
        drifting.append(10_000 + 0.95 * (drifting[-1] - 10_000) + rng.gauss(0, 50))
    found = fitted(request(percent=P99), [measured(samples("stop2", drifting))])
    said = written(sheet(found), Style(False))
    told = " ".join(said.split())
    assert "each wake-up is like the ones before (rank correlation 0.9" in told
    assert "all 2000 count as" in told
    mixed = drifting[:]
    random.Random(2).shuffle(mixed)
    shuffled = fitted(request(percent=P99), [measured(samples("stop2", mixed))])
    assert "like the ones before" not in written(sheet(shuffled), Style(False))
    assert found.states[0].by.estimate.refused  # type: ignore[union-attr]
    assert not shuffled.states[0].by.estimate.refused  # type: ignore[union-attr]


def test_what_varies_in_measuring_is_said() -> None:
    """2 us in the middle and 10 us at times: so much of a state's p99 may be the measuring's."""
    path = [2000.0] * 95 + [10000.0] * 5
    state = [4000.0 + each for each in path * 4]
    busy = samples(None, path * 4, busy=True)
    found = fitted(request(percent=P99), [measured(samples("stop2", state), busy)])
    estimate = found.states[0].by.estimate  # type: ignore[union-attr]
    assert (estimate.value_ns, estimate.busy_ns, estimate.busy_more_ns) == (12000, 2000, 8000)
    said = " ".join(written(sheet(found), Style(False)).split())
    assert "up to 8 us of the rest may be measuring overhead, which varies by that much" in said


def test_a_state_that_the_table_has_not_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cyc.txt"
    file.write_text("# Histogram\n000003 009000\n000004 000500\n# Total: 000009500\n")
    main(["fit", f"stop0_lit={file}", "--table", "power9", "--quantile", "99"])
    text = " ".join(capsys.readouterr().out.split())
    assert f"{file}: power9 has no state stop0_lit; did you mean 'stop0_lite'?" in text
    main(["fit", f"C6={file}", "--platform", "skx", "--quantile", "99"])
    assert " 133 us " in capsys.readouterr().out


def test_where_half_the_values_are_equal_none_is_an_outlier() -> None:
    found = shape(Samples((3.0,) * 900 + (4.0,) * 100))
    assert found is not None
    assert found.outliers == 0
