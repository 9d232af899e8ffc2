"""rtla's and cyclictest's histograms, timerlat's traces, and avocado's logs of a mean."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.measured import LatencyBins, Measured, Samples, SummaryOnly
from idle_states.lab.fit.importing import format_cyclictest as cyclictest
from idle_states.lab.fit.importing import format_rtla as rtla
from idle_states.lab.fit.importing import format_wakeup_test as wakeup_test
from idle_states.lab.fit.importing.output import Facts
from tests.support.measurements import damaged, read, read_or_refused, refused, us, whole_ns

RTLA = """\
# RTLA timerlat histogram
# Time unit is microseconds (us)
# Duration:   0 00:02:00
Index   IRQ-001   Thr-001   Usr-001   IRQ-004   Thr-004   Usr-004
2           120         0         0        11         0         0
3            40      2000         5         0         7         9
7             1         3         4         2         0         0
over:         2         1         0         0         0         0
count:      163      2004         9        13         7         9
min:          2         3         3         2         3         3
avg:          2         3         4         2         3         3
max:        400       512         7         7         3         3
ALL:        IRQ       Thr       Usr
count:      176      2011        18
min:          2         3         3
"""
HISTOGRAM = """\
# Histogram
000003 000100\t000007
000005 000001\t000000
# Total: 000000101 000000007
# Min Latencies: 00003 00003
# Avg Latencies: 00003 00003
# Max Latencies: 00150 00003
# Histogram Overflows: 00002 00000
# Histogram Overflow at cycle number:
# Thread 0: 00011 00900
# Thread 1:
"""
TRACE = """\
# tracer: timerlat
     <idle>-0       [002] d.h1.    71.004512: #9     context    irq timer_latency      5120 ns
     timerlat/2-99  [002] .....    71.004530: #9     context thread timer_latency     11840 ns
     <idle>-0       [012] d.h1.    71.004512: timerlat_sample: timer_latency=734 seqnum=4 context=0
     x-7            [012] d.h1.    71.004512: timerlat_sample: timer_latency=99 seqnum=4 context=2
"""
WAKEUP = """\
STATUS      : PASS
FAIL REASON : None
cmd         : ./test 55
exit_status : 0

Test complete. Wakee wakeups: 90000, Total wake time: 445500000 ns
Wakee thread average wakeup latency  = 4.950 us
Wakee thread sleep interval  = 55.021 us
State 0 (snooze):
Usage diff: 500
Time diff:  1000 ns
Above diff: 0 (0.00%)
Below diff: 41 (0.05%)
State 1 (CEDE):
Usage diff: 90500
Time diff:  9100000 ns
Above diff: 1200 (1.32%)
Below diff: 0 (0.00%)
Total Above: 1200 (1.32% of total usage)
Total Below: 41 (0.05% of total usage)
"""


def bins(found: Measured) -> dict[str, LatencyBins]:
    kept = {}
    for one in found.latencies:
        assert isinstance(one.values, LatencyBins)
        assert (one.state, one.woken_by) == (None, "timer")
        kept[one.group] = one.values
    return kept


def test_rtla_keeps_the_latency_of_the_interrupt() -> None:
    found = read(RTLA)
    assert bins(found) == {
        "CPU 1": LatencyBins(
            ((2000.0, 3000.0, 120), (3000.0, 4000.0, 40), (7000.0, 8000.0, 1)), 2, 2000.0, 400_000.0
        ),
        "CPU 4": LatencyBins(((2000.0, 3000.0, 11), (7000.0, 8000.0, 2)), 0, 2000.0, 7000.0),
    }
    assert found.left_out == {rtla.THREAD: 2004 + 9 + 7 + 9}
    assert any("which idle state" in note for note in found.notes)


def test_what_follows_rtlas_statistics_is_not_read() -> None:
    """Before Linux 6.12 without the block of all CPUs."""
    text = RTLA[: RTLA.index("ALL:")] + "## CPU 3 hit stop tracing, analyzing it ##\n  3 us\n"
    assert bins(read(text)) == bins(read(RTLA))
    assert refused(RTLA.replace("over:", "rest:"))[1] == 8


def test_rtla_in_nanoseconds_without_interrupts() -> None:
    """--no-irq, -n, wide buckets: their width is not in the file."""
    text = (
        "# RTLA timerlat histogram\n# Time unit is nanoseconds (ns)\nIndex Thr-000\n"
        "1000 4\n3000 1\nover: 0\ncount: 5\nmin: 1100\navg: 1700\nmax: 3900\n"
    )
    found = read(text)
    assert bins(found) == {
        "CPU 0, Thr": LatencyBins(((1000.0, 2000.0, 4), (3000.0, 4000.0, 1)), 0, 1100.0, 3900.0)
    }
    assert any("multiples of 1000 ns" in note for note in found.notes)
    assert any("scheduler" in note for note in found.notes)


def test_the_caller_names_the_state_or_a_busy_run() -> None:
    assert {one.state for one in read(RTLA, Facts(state="C6")).latencies} == {"C6"}
    busy = read(RTLA, Facts(busy=True)).latencies
    assert [(one.state, one.busy) for one in busy] == [(None, True)] * 2


def test_osnoise_is_refused() -> None:
    why, line = refused(
        "# RTLA osnoise histogram\n# Time unit is microseconds (us)\nIndex CPU-000\n"
    )
    assert "no wake-up from idle" in why
    assert line == 1
    assert "osnoise" in refused("# tracer: osnoise\n#\n")[0]


@given(
    st.dictionaries(
        st.integers(0, 255), st.lists(st.integers(0, 10**9), min_size=3, max_size=3), min_size=1
    ),
    st.booleans(),
)
def test_a_histogram_that_was_written_is_read(rows: dict[int, list[int]], fine: bool) -> None:
    rows = {**rows, 1: [1, 1, 1]}
    unit, scale = ("nanoseconds (ns)", 1) if fine else ("microseconds (us)", 1000)
    text = f"# RTLA timerlat histogram\n# Time unit is {unit}\nIndex   IRQ-000 IRQ-001 IRQ-013\n"
    text += "".join(f"{low} {' '.join(map(str, rows[low]))}\n" for low in sorted(rows))
    kept = bins(read(text))
    for at, cpu in enumerate((0, 1, 13)):
        wanted = tuple(
            (float(low * scale), float((low + 1) * scale), rows[low][at])
            for low in sorted(rows)
            if rows[low][at]
        )
        assert kept[f"CPU {cpu}"].bins == wanted


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (RTLA.replace("Time unit is microseconds", "Time unit is ticks"), 4, "Time unit is"),
        (RTLA.replace("count:      163", "count:      164"), 4, "expected the 164 values"),
        (RTLA.replace("2           120", "2  120  9"), 5, "expected 6 columns, found 7"),
        (RTLA.replace("3            40", "1            40"), 6, "buckets to rise"),
        (RTLA.replace("         40 ", "         -4 "), 6, "a number of values"),
        (RTLA.replace("Usr-004", "CPU-004"), 4, "a column such as IRQ-000"),
        (RTLA.replace("max:        400", "max:          1"), 4, "below its maximum"),
        ("# RTLA timerlat histogram\n", None, "the columns"),
    ],
)
def test_what_is_wrong_with_rtla_has_its_place(text: str, line: int | None, message: str) -> None:
    why, where = refused(text)
    assert message in why
    assert where == line


def test_a_trace_of_timerlat() -> None:
    found = read(TRACE)
    assert [(one.group, one.values) for one in found.latencies] == [
        ("CPU 2", Samples((5120.0,))),
        ("CPU 12", Samples((734.0,))),
    ]
    assert found.left_out == {rtla.THREAD: 2}
    assert refused(TRACE.replace("     5120 ns", "    -5120 ns"))[1] == 2
    assert refused(TRACE.replace("5120 ns", "5120"))[1] == 2


@given(st.lists(whole_ns(), min_size=1))
def test_a_trace_that_was_written_is_read(values: list[int]) -> None:
    text = "".join(
        f" <idle>-0 [003] d.h1 71.0{at:05}: #{at + 1} context irq timer_latency {value} ns\n"
        for at, value in enumerate(values)
    )
    (one,) = read(text).latencies
    assert one.values == Samples(tuple(map(float, values)))


def test_cyclictests_histogram() -> None:
    found = read(HISTOGRAM)
    assert bins(found) == {
        "thread 0": LatencyBins(((3000.0, 4000.0, 100), (5000.0, 6000.0, 1)), 2, 3000.0, 150_000.0),
        "thread 1": LatencyBins(((3000.0, 4000.0, 7),), 0, 3000.0, 3000.0),
    }
    assert {cyclictest.AWAKE, cyclictest.MICROSECONDS, cyclictest.SCHEDULER} <= set(found.notes)


def test_what_cyclictest_says_of_idle_states() -> None:
    """On standard output it stands before the histogram."""
    why, line = refused(f"# /dev/cpu_dma_latency set to 0us\n{HISTOGRAM}")
    assert "kept CPUs from idle states" in why
    assert line == 1
    limited = read(f"# /dev/cpu_dma_latency set to 40us\n{HISTOGRAM}")
    assert any("up to 40 us" in note for note in limited.notes)
    free = read(f"WARN: not setting cpu_dma_latency from cyclictest\n{HISTOGRAM}")
    assert cyclictest.AWAKE not in free.notes
    assert refused(HISTOGRAM.replace("000000101", "000000100"))[0].startswith(
        "expected the 102 values"
    )


def test_the_column_of_sums_is_no_thread() -> None:
    text = HISTOGRAM.replace("000007\n", "000007\t000107\n").replace(
        "000000\n", "000000\t000001\n", 1
    )
    for line in ("Max Latencies: 00150 00003", "Total: 000000101 000000007"):
        text = text.replace(line, f"{line} 00150")
    assert bins(read(text)) == bins(read(HISTOGRAM))


def document(**changed: Any) -> str:
    usual = {
        "file_version": 1,
        "cmdline:": "cyclictest --default-system --json=x",
        "sysinfo": {"nodename": "private", "release": "7.1.5", "machine": "ppc64le"},
        "num_threads": 1,
        "resolution_in_ns": 0,
        "thread": {
            "0": {"histogram": {"3": 100, "5": 1}, "cycles": 103, "min": 3, "max": 150, "cpu": 0}
        },
    }
    return json.dumps({**usual, **changed}, indent=2)


def test_cyclictests_json() -> None:
    found = read(document())
    assert bins(found) == {"thread 0": bins(read(HISTOGRAM))["thread 0"]}
    assert (found.kernel, found.machine) == ("7.1.5", "ppc64le")
    assert "private" not in repr(found)
    assert cyclictest.AWAKE not in found.notes
    (fine,) = bins(read(document(resolution_in_ns=1))).values()
    assert fine.bins == ((3.0, 4.0, 100), (5.0, 6.0, 1))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"cmdline:": "cyclictest -m"}, "kept CPUs from idle states"),
        ({"cmdline:": "cyclictest --latency=0"}, "kept CPUs from idle states"),
        ({"file_version": 2}, "file_version 1"),
        ({"resolution_in_ns": 1000}, "resolution_in_ns, 0 or 1"),
        ({"thread": []}, "thread with its keys"),
        ({"thread": {"a": {}}}, "the number of a thread"),
        ({"thread": {"0": {"histogram": {"-3": 1}}}}, "a value, a whole number"),
        ({"thread": {"0": {"histogram": {"3": 1.5}}}}, "a number of values"),
        ({"thread": {"0": {"histogram": {"3": float("nan")}}}}, "a number of values"),
        ({"thread": {"0": {"histogram": {"3": 2}, "cycles": 1}}}, "1 values at most"),
        ({"thread": {"0": {"histogram": {}}}}, "expected values in the histogram"),
    ],
)
def test_json_that_cannot_be_read(changed: dict[str, Any], message: str) -> None:
    assert message in refused(document(**changed))[0]


def test_json_that_is_cut_off() -> None:
    why, line = refused(document()[:-20])
    assert "expected JSON" in why
    assert line is not None
    assert line > 10


def test_avocados_mean() -> None:
    found = read(WAKEUP)
    (one,) = found.latencies
    assert (one.state, one.woken_by, one.values) == ("CEDE", "pipe", SummaryOnly(90000, 4950.0))
    assert one.group == "woken every 55.021 us"
    assert not any("did not pass" in note for note in found.notes)
    failed = read(WAKEUP.replace("REASON : None", "REASON : above 8%"))
    assert any("above 8%" in note for note in failed.notes)


def test_avocados_mean_of_mixed_states_is_nobodys() -> None:
    found = read(WAKEUP.replace("Usage diff: 500", "Usage diff: 4800"))
    assert found.latencies == ()
    assert found.left_out == {wakeup_test.MIXED: 1}


def test_avocados_test_by_timer_measures_no_latency() -> None:
    lines = [line for line in WAKEUP.splitlines() if "average" not in line and "Test" not in line]
    found = read("\n".join(lines))
    assert found.latencies == ()
    assert found.left_out == {wakeup_test.UNMEASURED: 1}


@given(whole_ns(), st.integers(0, 10**9))
def test_a_mean_that_was_written_is_read(value: int, count: int) -> None:
    text = WAKEUP.replace("4.950 us", f"{us(value)} us").replace(
        "wakeups: 90000", f"wakeups: {count}"
    )
    assert read(text).latencies[0].values == SummaryOnly(count, float(value))


SAMPLES = {
    "rtla": (RTLA, "# RTLA osnoise histogram\n"),
    "timerlat_trace": (TRACE,),
    "cyclictest": (HISTOGRAM, document()),
    "wakeup_test": (WAKEUP,),
}


def test_damage_is_refused_or_read() -> None:
    for text in (RTLA, HISTOGRAM, TRACE, WAKEUP, document()):
        for broken in damaged(text):
            read_or_refused(broken)
