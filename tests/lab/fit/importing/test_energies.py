"""Power at periods of wake-ups: pbe, powercap."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable, UsageError
from idle_states.lab.fit.importing import format_powercap as powercap
from idle_states.lab.fit.importing import pbe
from idle_states.lab.fit.importing.formats import read_measured
from idle_states.lab.fit.importing.output import Facts
from tests.support.measurements import damaged, directory, read, read_or_refused, refused

INFO = "toolname: pbe\ntoolver: 0.3.1\n"
POINTS = "Time,LDist\n1000070.5,50000\n1000130.5,50500\n"
FORCED = Facts(state="C6", period_ns=1e6)
POWERCAP = """\
/sys/class/powercap/intel-rapl:0/name:package-0
1769500012.500000
/sys/class/powercap/intel-rapl:0/energy_uj:1000000
1769500013.500000
/sys/class/powercap/intel-rapl:0/energy_uj:21000000
1769500013.550000
/sys/class/powercap/intel-rapl:0/energy_uj:22000000
1769500015.550000
/sys/class/powercap/intel-rapl:0/energy_uj:5000
1769500017.550000
/sys/class/powercap/intel-rapl:0/energy_uj:30005000
"""


def labels(*rows: tuple[str, float, int | None]) -> str:
    return "".join(
        json.dumps({"name": name, "ts": ts, **({"metrics": {"LDist": d}} if d else {})}) + "\n"
        for name, ts, d in rows
    )


LABELS = "# turbostat,interrupts\n" + labels(
    ("start", 1000010.0, 50000), ("skip", 1000070.0, None), ("start", 1000075.0, 50500)
)


def turbostat(rows: Sequence[tuple[float, float, float, float, float]]) -> str:
    head = "Time_Of_Day_Seconds\tCore\tCPU\tC1%\tC6%\tCPU%c6\tPkgWatt\n"
    return head + "".join(
        f"{end:.6f}\t-\t-\t{c1:.2f}\t{c6:.2f}\t{cc6:.2f}\t{watts:.2f}\n"
        for end, c1, c6, cc6, watts in rows
    )


TURBOSTAT = turbostat(
    [
        (1000008, 0, 90, 0, 99),
        (1000013, 0, 90, 0, 99),  # reaches back over the first label
        (1000018, 1, 90, 80, 20),
        (1000023, 1, 90, 60, 22),
        (1000073, 40, 40, 0, 77),  # ends after the span
        (1000078, 40, 40, 0, 66),
        (1000083, 40, 40, 0, 30),
    ]
)


def test_pbe_joins_power_and_periods_by_time(tmp_path: Path) -> None:
    files = {
        "info.yml": INFO,
        "datapoints.csv": POINTS,
        "stats/labels.txt": LABELS,
        "stats/turbostat.raw.txt": TURBOSTAT,
    }
    (found,) = directory(tmp_path, files)
    (one,) = found.energies
    assert (one.state, one.period_ns, one.domain, one.seconds) == ("C6", 50_000.0, "package", 10.0)
    assert one.watts == pytest.approx(21.0)
    assert one.reached == pytest.approx(0.7)
    assert one.wakeups is None
    assert one.where is not None
    assert (Path(str(one.where.file)).name, one.where.line) == ("labels.txt", 2)
    # in the second span Linux asked for C1 as often as for C6
    assert found.left_out == {pbe.MIXED: 1}
    assert found.tool == "pbe 0.3.1"
    (named,) = read_measured(tmp_path, Facts(state="C1"))
    assert [(e.state, e.period_ns, e.watts) for e in named.energies] == [
        ("C1", 50_000.0, pytest.approx(21.0)),
        ("C1", 50_500.0, 30.0),
    ]


def test_pbe_on_two_machines_clocks(tmp_path: Path) -> None:
    """The meter is read by another machine, whose labels are by its own clock, 500 s ahead."""
    meter = "T,P,V\n" + "".join(f"{1000509.5 + i}, {100 + i}, 229.9\n" for i in range(0, 40, 10))
    ahead = labels(("start", 1000510.0, 50000), ("skip", 1000570.0, None))
    files = {
        "info.yml": INFO,
        "datapoints.csv": POINTS,
        "stats/stc-agent-a/labels.txt": "# acpower\n" + ahead,
        "stats/stc-agent-b/labels.txt": LABELS,
        "stats/turbostat.raw.txt": TURBOSTAT,
        "stats/acpower.raw.txt": meter,
    }
    (found,) = directory(tmp_path, files)
    assert [(e.state, e.domain, e.watts, e.seconds) for e in found.energies] == [
        ("C6", "package", pytest.approx(21.0), 10.0),
        ("C6", "wall", pytest.approx(125.0), 20.0),
    ]


def test_pbe_that_was_stopped(tmp_path: Path) -> None:
    """The row of a period is written when its span is over."""
    files = {
        "info.yml": INFO,
        "datapoints.csv": "Time,LDist\n1000130.5,50500\n",
        "stats/labels.txt": LABELS,
        "stats/turbostat.raw.txt": TURBOSTAT,
    }
    (found,) = directory(tmp_path, files)
    assert found.left_out == {pbe.STOPPED: 1, pbe.MIXED: 1}


def test_pbe_counts_wake_ups_where_turbostat_does(tmp_path: Path) -> None:
    """The ticks among them: 200,200 times in 10 s is more often than every 50 us."""
    head = "Time_Of_Day_Seconds\tCPU\tC1\tC6\tC6+\tC6%\tPkgWatt\n"
    rows = "".join(
        f"{end}\t-\t0\t400200\t0\t90.00\t{watts}\n"
        f"{end}\t0\t100\t100000\t5\t90.00\t{watts}\n{end}\t1\t0\t100100\t7\t90.00\n"
        for end, watts in ((1000013, 50), (1000018, 20), (1000023, 30))
    )
    files = {
        "info.yml": INFO,
        "datapoints.csv": POINTS,
        "labels.txt": LABELS,
        "stats/turbostat.raw.txt": head + rows,
    }
    (found,) = directory(tmp_path, files)
    (one,) = found.energies
    assert (one.wakeups, one.seconds, one.watts) == (200_200, 10.0, 25.0)
    assert any("mean over CPUs" in note for note in found.notes)


def test_pbe_with_a_wall_meter(tmp_path: Path) -> None:
    meter = "T,P\n" + "".join(f"{1000009.5 + i},{100 + i}\n" for i in range(0, 100, 10))
    files = {
        "info.yml": INFO,
        "datapoints.csv": POINTS,
        "labels.txt": LABELS.replace("turbostat", "acpower"),
        "stats/acpower.raw.txt": meter,
    }
    (found,) = directory(tmp_path, files)
    assert found.energies == ()
    (named,) = read_measured(tmp_path, Facts(state="C6"))
    assert [(e.period_ns, e.domain, e.watts, e.seconds) for e in named.energies] == [
        (50_000.0, "wall", pytest.approx((120 + 130 + 140 + 150 + 160) / 5), 50.0),
        (50_500.0, "wall", 185.0, 20.0),
    ]
    assert named.left_out == {}


@pytest.mark.parametrize(
    ("changed", "file", "line", "message"),
    [
        ({"labels.txt": None}, "stats", None, "expected labels.txt of turbostat"),
        ({"stats/turbostat.raw.txt": None}, "", None, "expected stats/turbostat.raw.txt"),
        ({"labels.txt": "{\n"}, "labels.txt", 1, "a JSON object"),
        ({"labels.txt": '{"name": "start"}\n'}, "labels.txt", 1, "a label with its time"),
        ({"labels.txt": LABELS + "x\n"}, "labels.txt", 5, "a JSON object"),
        ({"datapoints.csv": "Time,LDist\n1,-5\n"}, "datapoints.csv", 2, "LDist in ns"),
        ({"datapoints.csv": "Time\n"}, "datapoints.csv", 1, "the columns Time,LDist"),
        (
            {"stats/turbostat.raw.txt": "CPU\tPkgWatt\n-\t3\n"},
            "turbostat.raw.txt",
            2,
            "Time_Of_Day_Seconds",
        ),
        ({"info.yml": "toolname: other\n"}, "info.yml", 1, "wult, pbe or ndl"),
    ],
)
def test_pbe_that_cannot_be_read(
    tmp_path: Path, changed: dict[str, str | None], file: str, line: int | None, message: str
) -> None:
    files = {
        "info.yml": INFO,
        "datapoints.csv": POINTS,
        "labels.txt": LABELS,
        "stats/turbostat.raw.txt": TURBOSTAT,
        **changed,
    }
    with pytest.raises(Unreadable, match=message) as caught:
        directory(tmp_path, {name: text for name, text in files.items() if text is not None})
    where = caught.value.findings[0].location
    assert where.line == line
    assert str(where.file).endswith(file)


def test_powercap_drops_wraps_and_short_windows() -> None:
    found = read(POWERCAP, FORCED)
    assert [(e.watts, e.seconds, e.domain) for e in found.energies] == [
        (20.0, 1.0, "package-0"),
        (15.0, 2.0, "package-0"),
    ]
    assert found.left_out == {powercap.WRAPPED: 1, powercap.SHORT: 1}
    with pytest.raises(UsageError, match="powercap does not record them; found neither"):
        read(POWERCAP)
    with pytest.raises(UsageError, match="found one of them"):
        read(POWERCAP, Facts(state="C6"))


@given(st.lists(st.integers(0, 10**12), min_size=2, max_size=9))
def test_readings_that_were_written_are_read(steps: list[int]) -> None:
    total, text = 0, ""
    for at, step in enumerate(steps):
        total += step
        text += f"17695000{at:02}.0\n/sys/class/powercap/x/energy_uj:{total}\n"
    found = read(text, FORCED)
    assert [e.watts for e in found.energies] == [step / 1e6 for step in steps[1:]]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (POWERCAP.replace("uj:21000000", "uj:-21000000"), 5, "energy_uj, a whole number"),
        (POWERCAP.replace("1769500013.55", "1769500013.45"), 6, "times to rise"),
        (POWERCAP.replace("1769500012.500000\n", ""), 2, "a time before the first"),
        (POWERCAP + "cut o", 12, "a time in s, or"),
    ],
)
def test_what_is_wrong_has_its_place(text: str, line: int, message: str) -> None:
    why, where = refused(text, FORCED)
    assert message in why
    assert where == line


SAMPLES = {"powercap": (POWERCAP,)}


def test_damage_is_refused_or_read() -> None:
    for broken in damaged(POWERCAP):
        read_or_refused(broken, FORCED)
