"""Logs of the kernel's latency test in their dialects, and tables of summaries, as published."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.measured import Claimed, Latency, Samples, SummaryOnly
from idle_states.lab.fit.importing import format_latency_module as latency_module
from idle_states.lab.fit.importing import format_latency_test as latency_test
from idle_states.lab.fit.importing.formats import read_measured
from idle_states.lab.fit.importing.output import Facts
from tests.support import DATA
from tests.support.measurements import damaged, read, read_or_refused, refused, whole_ns

MEASURED = DATA / "measured"
Means = dict[tuple[str | None, str, bool], float]

SELFTEST = """\
--IPI Latency Test---
--Baseline IPI Latency measurement: CPU Busy--
SRC_CPU   DEST_CPU IPI_Latency(ns)
8            8          820
8           16         2900
8           24         3100
Baseline Average IPI latency(ns): 3000
---Enabling state: 0---
SRC_CPU   DEST_CPU IPI_Latency(ns)
8           16         2950
8           24         3350
Expected IPI latency(ns): 0
Observed Average IPI latency(ns) - State0: 3150
---Enabling state: 1---
SRC_CPU   DEST_CPU IPI_Latency(ns)
8            8          840
8           16         4200
8           24         4600
Expected IPI latency(ns): 2000
Observed Average IPI latency(ns) - State1: 3213
--Timeout Latency Test--
--Baseline Timeout Latency measurement: CPU Busy--
Wakeup_src Baseline_delay(ns)
8         1500
16        1300
Baseline Average timeout diff(ns): 1400
---Enabling state: 1---
Wakeup_src Baseline_delay(ns)  Delay(ns)
8         2100
16        2300
Expected timeout(ns): 20200
Observed Average timeout diff(ns) - State1: 2200
"""
NAMED = """\
# ...IPI Latency Test...
# ...Baseline IPI Latency measurement: CPU Busy...
# SRC_CPU   DEST_CPU IPI_Latency(ns)
# 0           8         2700
# Baseline Avg IPI latency(ns): 2700
# ...Enabling state: 2...
# SRC_CPU   DEST_CPU IPI_Latency(ns)
# 0           8         5100
# Expected IPI latency(ns): 5000
# Observed Avg IPI latency(ns) - State stop1: 5100
# ...Timeout Latency Test...
# ...Enabling state: 2...
# Wakeup_src Baseline_delay(ns)  Delay(ns)
# 0           1400      2050
# Observed Avg timeout diff(ns) - State stop1: 2050
"""


def means(latencies: tuple[Latency, ...]) -> Means:
    found = {}
    for one in latencies:
        assert isinstance(one.values, SummaryOnly)
        assert one.values.mean_ns is not None
        found[one.state, one.woken_by, one.busy] = one.values.mean_ns
    return found


def test_the_table_of_power9_of_2023() -> None:
    (found,) = read_measured(MEASURED / "power9-2023.log")
    ipi = [2720, 2565, 3856, 3670, 3872, 17421, 1003922, 1058870]
    timer = [1435, 1709, 2028, 1954, 1895, 14556, 873988, 959137]
    states = [None, "snooze", "stop0_lite", "stop0", "stop1", "stop2", "stop4", "stop5"]
    wanted: Means = {}
    for by, values in (("ipi", ipi), ("timer", timer)):
        for state, value in zip(states, values, strict=True):
            wanted[state, by, state is None] = value
    assert means(found.latencies) == wanted


def test_the_figures_of_power9_of_2021() -> None:
    """By index: the names that the first mail gives are shifted."""
    (found,) = read_measured(MEASURED / "power9-2021.log")
    values = [3265, 3507, 3739, 3807, 17070, 1038174, 1068784]
    wanted: Means = {(f"state{index}", "ipi", False): v for index, v in enumerate(values)}
    timer = [1640, 1764, 1715, 1845, 16581, 939977, 1073024]
    wanted |= {(f"state{index}", "timer", False): v for index, v in enumerate(timer)}
    wanted |= {(None, "ipi", True): 3114, (None, "timer", True): 1420}
    assert means(found.latencies) == wanted


def test_the_tables_of_power9s_cede() -> None:
    (found,) = read_measured(MEASURED / "power9-cede.txt")
    timer, ipi = found.latencies
    assert (timer.state, timer.woken_by, ipi.state, ipi.woken_by) == (
        "CEDE",
        "timer",
        "CEDE",
        "ipi",
    )
    assert timer.values == SummaryOnly(
        400, 5668.74, 455.01, 2601.0, 9299.0, {0.5: 5677.0, 0.9: 5917.0, 0.99: 6413.0}
    )
    assert ipi.values == SummaryOnly(
        400, 7369.43, 1200.01, 711.0, 9698.0, {0.5: 7564.0, 0.9: 8559.0, 0.99: 9514.0}
    )
    assert ipi.where is not None
    assert ipi.where.line == 9


def test_a_selftest_log_by_index() -> None:
    found = read(SELFTEST)
    assert [(one.state, one.woken_by, one.busy, one.values) for one in found.latencies] == [
        (None, "ipi", True, Samples((2900.0, 3100.0))),
        ("state0", "ipi", False, Samples((2950.0, 3350.0))),
        ("state1", "ipi", False, Samples((4200.0, 4600.0))),
        (None, "timer", True, Samples((1500.0, 1300.0))),
        ("state1", "timer", False, Samples((2100.0, 2300.0))),
    ]
    assert found.claims == (Claimed("state0", 0.0), Claimed("state1", 2000.0))
    assert found.left_out == {latency_test.SAME: 2, latency_test.EXPECTED: 1}
    # state 1's average has the CPU's IPI to itself in it, as before the series' version 4
    assert found.notes == ()


def test_a_mailed_log_by_name() -> None:
    found = read(NAMED)
    assert [(one.state, one.woken_by, one.busy, one.values) for one in found.latencies] == [
        (None, "ipi", True, Samples((2700.0,))),
        ("stop1", "ipi", False, Samples((5100.0,))),
        (None, "timer", True, Samples((1400.0,))),
        ("stop1", "timer", False, Samples((2050.0,))),
    ]
    assert found.claims == (Claimed("stop1", 5000.0),)
    quoted = "".join(f"> {line}\n" for line in NAMED.splitlines())
    assert [one.values for one in read(quoted).latencies] == [o.values for o in found.latencies]


def test_a_mail_is_read_as_its_text() -> None:
    head = "From: a@example.org\nSubject: idle\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n"
    prose = "The IPI latency test and the\nBaseline latency measurement below agree.\n"
    found = read(f"{head}\n{prose}\n{NAMED}")
    assert [one.values for one in found.latencies] == [o.values for o in read(NAMED).latencies]
    assert found.latencies[0].where is not None
    assert found.latencies[0].where.line == 9
    coded = f"{head}Content-Transfer-Encoding: quoted-printable\n\n"
    coded += NAMED.replace("Baseline IPI", "Base=\nline IPI")
    again = read(coded)
    assert [one.values for one in again.latencies] == [o.values for o in found.latencies]
    assert any("text of the mail" in note for note in again.notes)


MODULE = """\
/sys/kernel/debug/latency_test/ipi_cpu_dest:24
/sys/kernel/debug/latency_test/ipi_cpu_src:8
/sys/kernel/debug/latency_test/ipi_latency_ns:4410
/sys/kernel/debug/latency_test/timeout_cpu_src:8
/sys/kernel/debug/latency_test/timeout_diff_ns:1880
/sys/kernel/debug/latency_test/timeout_expected_ns:1000000
"""


def test_the_modules_readings() -> None:
    later = MODULE.replace("4410", "4500").replace("1880", "0")
    own = MODULE.replace("dest:24", "dest:8").replace("1880", "1890")
    found = read(MODULE + later + own, Facts(state="CEDE"))
    assert [(one.state, one.woken_by, one.values) for one in found.latencies] == [
        ("CEDE", "timer", Samples((1880.0, 1890.0))),
        ("CEDE", "ipi", Samples((4410.0, 4500.0))),
    ]
    assert found.left_out == {latency_test.SAME: 1, latency_module.NEVER: 1}
    assert refused(MODULE.replace(":4410", ":-4410")) == (
        "expected ipi_latency_ns in ns, a number of 0 or more, found '-4410'",
        3,
    )


BESIDE = """\
--IPI Latency Test---
---Enabling state: 0---
SRC_CPU   DEST_CPU Base_IPI_Latency(ns) IPI_Latency(ns)
0            0          330                290
0            1         1400               1000
. . . .
0            2         1600               1100
Expected IPI latency(ns): 1000
Baseline Average IPI latency(ns): 1110
Observed Average IPI latency(ns): 796
--Timeout Latency Test--
---Enabling state: 0---
Wakeup_src Baseline_delay(ns)  Delay(ns)
0            3100               2100
1            2300               2200
Observed Average timeout diff(ns): 2150
---Enabling state: 1---
0            9100
1            9300
Observed Average timeout diff(ns): 9200
"""


def test_a_baseline_may_be_a_column() -> None:
    """The first series has one; a table may want its head, and an average its state."""
    found = read(BESIDE)
    assert [(one.state, one.woken_by, one.busy, one.values) for one in found.latencies] == [
        (None, "ipi", True, Samples((1400.0, 1600.0))),
        ("state0", "ipi", False, Samples((1000.0, 1100.0))),
        (None, "timer", True, Samples((3100.0, 2300.0))),
        ("state0", "timer", False, Samples((2100.0, 2200.0))),
        ("state1", "timer", False, Samples((9100.0, 9300.0))),
    ]
    assert found.claims == (Claimed("state0", 1000.0),)
    assert found.left_out == {latency_test.SAME: 2}
    assert found.notes == ()


def test_the_average_tells_which_cpus_share_a_core() -> None:
    """The four threads of the source's core are not in the average."""
    rows = "".join(f"0 {cpu} {100 if cpu < 4 else 1000 + cpu}\n" for cpu in range(8))
    text = f"--IPI Latency Test---\n---Enabling state: 1---\n{rows}"
    mean = (1004 + 1005 + 1006 + 1007) // 4
    found = read(f"{text}Observed Avg IPI latency(ns) - State 1: {mean}\n")
    assert found.latencies[0].values == Samples((1004.0, 1005.0, 1006.0, 1007.0))
    assert found.left_out == {latency_test.SAME: 4}
    # without it, only the CPU's IPI to itself is known to be one
    assert read(text).left_out == {latency_test.SAME: 1}


def test_shifted_names_are_nobodys() -> None:
    text = "--IPI Latency Test---\nObserved Average IPI latency(ns) - Stop4: 17070\n"
    found = read(text)
    assert found.latencies == ()
    assert found.left_out == {latency_test.SHIFTED: 1}


def test_the_test_by_pipes_says_so() -> None:
    text = (
        "--IPI Latency Test--\nBaseline average IPI latency(ns): 9000\n--Enabling state: 2--\n"
        "SRC_CPU   DEST_CPU IPI_Latency(ns)\n  0          5       256178\n"
        "Expected Latency(ns): 100000\nObserved Average IPI latency(ns): 256178\n"
    )
    busy, deep = read(text).latencies
    assert (busy.woken_by, deep.woken_by, deep.values) == ("pipe", "pipe", Samples((256178.0,)))
    assert latency_test.PIPES in read(text).notes


def test_an_average_of_other_rows_is_noted() -> None:
    (note,) = read(NAMED.replace("State stop1: 5100", "State stop1: 5200")).notes
    assert "5200 ns is not that of the rows" in note


@given(st.lists(st.lists(whole_ns(), min_size=1, max_size=5), min_size=1, max_size=8))
def test_rows_that_were_written_are_read(states: list[list[int]]) -> None:
    text = "--IPI Latency Test---\n"
    for index, values in enumerate(states):
        text += f"---Enabling state: {index}---\nSRC_CPU   DEST_CPU IPI_Latency(ns)\n"
        text += "".join(f"0 {cpu} {value}\n" for cpu, value in enumerate(values, 1))
        mean = sum(values) // len(values)
        text += f"Observed Avg IPI latency(ns) - State s{index}: {mean}\n"
    found = read(text)
    assert [(one.state, one.values) for one in found.latencies] == [
        (f"s{index}", Samples(tuple(map(float, values)))) for index, values in enumerate(states)
    ]
    assert found.notes == ()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (SELFTEST.replace("3100", "-3100"), 6, "IPI_Latency in ns"),
        (SELFTEST.replace("8           24         3100", "8   24"), 6, "SRC_CPU, DEST_CPU"),
        (SELFTEST.replace("State0: 3150", "State0: none"), 13, "an average in ns"),
        ("--IPI Latency Test---\n", 1, "expected rows or averages"),
        ("SRC_CPU   DEST_CPU IPI_Latency(ns)\n1 2 3\n", 1, "a state or a baseline above"),
    ],
)
def test_what_is_wrong_has_its_place(text: str, line: int, message: str) -> None:
    why, where = refused(text)
    assert message in why
    assert where == line


def table(unit: str = "ns", by: str = "timer", about: str = "C6", row: str = "9 1 5 6 7 8") -> str:
    return f"{about}: latency with a {by} (in {unit})\nN Min Median Avg p99 Max\n{row}\n"


def test_a_tables_unit_and_state_are_those_of_the_lines_above() -> None:
    (one,) = read(table(unit="us")).latencies
    assert one.state == "C6"
    assert one.values == SummaryOnly(9, 6000.0, None, 1000.0, 8000.0, {0.5: 5000.0, 0.99: 7000.0})
    assert read(table(about="idle")).latencies[0].state is None
    assert read(table(about="idle"), Facts(state="C1")).latencies[0].state == "C1"
    assert read(table(about="C1 and C6")).latencies[0].state is None


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (table(unit="ticks"), 2, "the unit of the table"),
        (table(by="bell"), 2, "timer or IPI"),
        (table(row="9 1 5 6 7"), 3, "expected 6 columns, found 5"),
        (table(row="9 1 5 6 4 8"), 3, "to rise"),
        (table(row="9.5 1 5 6 7 8"), 3, "N, a whole number"),
        (table(row=""), 2, "a row below the table's head"),
    ],
)
def test_a_table_that_cannot_be_read(text: str, line: int, message: str) -> None:
    why, where = refused(text)
    assert message in why
    assert where == line


SAMPLES = {
    "latency_test": (SELFTEST, NAMED),
    "latency_module": (MODULE,),
    "summary_table": (table(),),
}


def test_damage_is_refused_or_read() -> None:
    for text in (SELFTEST, NAMED, BESIDE, MODULE, table()):
        for broken in damaged(text):
            read_or_refused(broken)
