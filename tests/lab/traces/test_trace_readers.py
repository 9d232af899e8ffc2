"""Readers of traces, recordings and sysfs dumps: every form, and every way input can be wrong."""

import contextlib
import gzip
import itertools
import json
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from idle_states.base.model.beyond_opal import Dump, SysfsState
from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import inputs, sysfs
from idle_states.base.reading.inputs import BLOCK, CPU_MAX, LINE_MAX, Input, InputKind
from idle_states.base.reading.problems import InputProblems
from idle_states.cli import main
from idle_states.lab.traces import recording
from idle_states.lab.traces.chunks import chunks
from idle_states.lab.traces.periods import ABOVE, BELOW, UNKNOWN, Pairing, Period
from idle_states.lab.traces.text import (
    _WHOLE,
    EXIT,
    LOST,
    MISS,
    TraceText,
    _lost,
    _Piece,
)
from idle_states.tables.linux.governors.core.packing import compiled
from tests.support import vectors
from tests.support.compiled import NO_CORE, needs_core
from tests.support.idle_events import Event, events_of, lines_of
from tests.support.thorough import examples

EXIT_STATE = 4294967295
TRACE_CMD = (
    "          <idle>-0     [{cpu:03}]  {time}: cpu_idle:             state={state} cpu_id={cpu}"
)
FORMS = {
    "trace-cmd": TRACE_CMD,
    "trace-cmd with flags": (
        "          <idle>-0     [{cpu:03}] d..1.  {time}: cpu_idle:             "
        "state={state} cpu_id={cpu}"
    ),
    "ftrace": (
        "          <idle>-0       [{cpu:03}] d..1.   {time}: cpu_idle: state={state} cpu_id={cpu}"
    ),
    "ftrace with tgid": (
        "          <idle>-0       (-----) [{cpu:03}] d..1.   {time}: cpu_idle: "
        "state={state} cpu_id={cpu}"
    ),
    "perf": "swapper     0 [{cpu:03}]  {time}: power:cpu_idle: state={state} cpu_id={cpu}",
    "perf, several events": (
        "         swapper     0 [{cpu:03}]  {time}:            power:cpu_idle: "
        "state={state} cpu_id={cpu}"
    ),
    "perf without CPU": "swapper     0  {time}:      power:cpu_idle: state={state} cpu_id={cpu}",
    "no comment, no padding": "<idle>-0 [{cpu}] {time}: cpu_idle: state={state} cpu_id={cpu}",
    "carriage returns": TRACE_CMD + "\r",
}
OTHER = "          <idle>-0     [000]  1.000000: irq_handler_entry:    irq=19 name=arch_timer"


def line(state: int, ns: int, cpu: int = 0, form: str = TRACE_CMD, digits: int = 9) -> str:
    time = f"{ns // 10**9}.{ns % 10**9 // 10 ** (9 - digits):0{digits}d}"
    return form.format(cpu=cpu, time=time, state=state)


def text(*lines: str) -> bytes:
    return "".join(f"{each}\n" for each in lines).encode()


class Core:
    """used: what the tests of this module read traces with; None: Python alone."""

    used: Any = None


CORE = Core()


@pytest.fixture(autouse=True, scope="module", params=["python", "core"])
def _both_ways(request: pytest.FixtureRequest) -> None:
    if request.param == "core" and compiled is None:
        pytest.skip(NO_CORE)
    CORE.used = compiled if request.param == "core" else None


def scan(data: bytes, size: int = BLOCK) -> tuple[list[Event], InputProblems, TraceText, list[int]]:
    """Events with their line numbers, of text that comes in blocks."""
    problems = InputProblems()
    reader = TraceText(problems, CORE.used)
    events, lines = [], []
    for batch in reader.batches(data[at : at + size] for at in range(0, len(data), size)):
        events += events_of(batch)
        lines += lines_of(batch)
    return events, problems, reader, lines


def pair(data: bytes, **limits: int) -> tuple[list[Period], InputProblems, Pairing]:
    """limits: cpu0=3, number of states of a CPU's table."""
    problems = InputProblems()
    counts = {int(name[3:]): count for name, count in limits.items()}
    states = (lambda cpu: counts.get(cpu)) if limits else (lambda cpu: 1 << 32)
    pairing = Pairing(problems, states, core=CORE.used)
    reader = TraceText(problems, CORE.used)
    periods = [period for batch in reader.batches([data]) for period in pairing.feed(batch)]
    return periods + pairing.finish(), problems, pairing


def counted(problems: InputProblems) -> dict[str, int]:
    return {problem.kind: problem.count for problem in problems.listing()}


def first(problems: InputProblems, kind: str) -> tuple[int | None, str]:
    found = next(problem for problem in problems.listing() if problem.kind == kind)
    return found.examples[0].line, found.examples[0].message


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("digits", [6, 9])
def test_every_form_of_an_idle_event(form: str, digits: int) -> None:
    data = text(
        "# tracer: nop",
        line(2, 1_082_183_820_118, 3, form, digits),
        OTHER,
        line(EXIT_STATE, 1_082_184_123_579, 3, form, digits),
        line(0, 1_082_184_133_733, 12, form, digits),
    )
    events, problems, reader, lines = scan(data)
    unit = 10 ** (9 - digits)
    assert events == [
        ((3, 2), 1_082_183_820_118 // unit * unit),
        ((3, EXIT), 1_082_184_123_579 // unit * unit),
        ((12, 0), 1_082_184_133_733 // unit * unit),
    ]
    assert lines == [2, 4, 5]
    assert (reader.lines, reader.events, reader.coarse) == (5, 3, digits == 6)
    assert not problems.listing()


def test_a_miss_is_no_idle_event_but_belongs_to_the_period_before() -> None:
    miss = "          <idle>-0     [001]  {}: cpu_idle_miss:        cpu_id=1 state={} type={}"
    data = text(
        line(2, 1_000, 1),
        line(EXIT_STATE, 2_000, 1),
        miss.format("0.000002001", 2, "above"),
        line(1, 3_000, 1),
        line(EXIT_STATE, 9_000, 1),
        miss.format("0.000009001", 1, "below"),
        line(0, 10_000, 1),
        line(EXIT_STATE, 11_000, 1),
    )
    events = scan(data)[0]
    assert [what for (_, what), _ in events if what <= MISS] == [MISS - 4, MISS - 3]
    periods, problems, pairing = pair(data)
    assert periods == [
        (1, 2, 1_000, 2_000, ABOVE),
        (1, 1, 3_000, 9_000, BELOW),
        (1, 0, 10_000, 11_000, 0),
    ]
    assert pairing.misses == 2
    assert not problems.listing()


def test_a_miss_of_another_state_is_reported() -> None:
    data = text(
        line(2, 1_000),
        line(EXIT_STATE, 2_000),
        "  <idle>-0     [000]  0.000002001: cpu_idle_miss: cpu_id=0 state=1 type=above",
    )
    periods, problems, _ = pair(data)
    assert periods == [(0, 2, 1_000, 2_000, 0)]
    assert first(problems, "miss-without-period") == (3, "CPU 0: state 1, type above")


LINES = st.lists(
    st.tuples(
        st.sampled_from([0, 1, 5, EXIT_STATE]),
        st.integers(0, 10**12),
        st.integers(0, 3),
        st.sampled_from([OTHER, "", "# comment", "CPU:1 [LOST 7 EVENTS]", "half a li", "\x85"]),
    ),
    max_size=30,
)


@given(LINES, st.integers(1, 400), st.sampled_from(sorted(FORMS)))
def test_blocks_do_not_matter(parts: list[tuple[int, int, int, str]], size: int, form: str) -> None:
    data = text(
        *itertools.chain.from_iterable(
            (line(state, ns, cpu, FORMS[form]), other) for state, ns, cpu, other in parts
        )
    )
    whole, small = scan(data), scan(data, size)
    assert small[0] == whole[0]
    assert small[3] == whole[3]
    assert counted(small[1]) == counted(whole[1])
    assert small[2].lines == whole[2].lines == data.count(b"\n")


@given(LINES, st.sampled_from(sorted(FORMS)))
def test_a_line_that_is_no_text_changes_nothing_of_others(
    parts: list[tuple[int, int, int, str]], form: str
) -> None:
    data = text(*(line(state, ns, cpu, FORMS[form]) for state, ns, cpu, _ in parts))
    clean, odd = scan(data), scan(data + b"\xff\n")
    assert clean[0] == odd[0]
    assert clean[3] == odd[3]
    assert not clean[1].listing()
    assert counted(odd[1]) == {"unreadable-line": 1}


FRAGMENTS = (
    *("cpu_idle", "cpu_idle:", "cpu_idle_miss:", "power:", "a-b:", " state=1", " cpu_id=3"),
    *(
        " type=below",
        " type=above",
        "1.123456: ",
        "12.123456789: ",
        "1.1: ",
        "CPU:3 [LOST 5 EVENTS]",
    ),
    *("swapper 0 [002] 1.5: PERF_RECORD_LOST lost 4", "# ", "=> ", "\t", " ", "  ", "x", "\x00"),
    *("\xe9", "\r", "\x0b", "[003]", "123", ":", ".", "state=4294967295", "9999999999", "8191"),
    *("8192", "12345678901.123456: foo", "cpu_idle:state=0 cpu_id=2"),
)
MISS_LINE = (
    "          <idle>-0     [001]  0.000002001: cpu_idle_miss:    cpu_id=1 state=2 type=above"
)
ANY_LINE = st.one_of(
    st.builds(line, st.sampled_from((0, 7, EXIT_STATE)), st.integers(0, 10**12), st.integers(0, 9)),
    st.sampled_from(
        [
            OTHER,
            MISS_LINE,
            *(form.format(cpu=1, time="1.000001", state=2) for form in FORMS.values()),
        ]
    ),
    st.lists(st.sampled_from(FRAGMENTS), max_size=8).map("".join),
)
CHANGES = st.lists(
    st.tuples(st.integers(0, 120), st.integers(0, 3), st.sampled_from(("", *FRAGMENTS))), max_size=3
)


@needs_core
@settings(max_examples=examples(75, 150))
@given(st.lists(st.tuples(ANY_LINE, CHANGES), min_size=1, max_size=5))
def test_the_core_reads_lines_as_python_does(
    parts: list[tuple[str, list[tuple[int, int, str]]]],
) -> None:
    """Lines of all forms, with something put in or taken out."""
    lines = []
    for made, changes in parts:
        for at, length, fragment in changes:
            made = made[:at] + fragment + made[at + length :]
        lines.append(made.encode("latin-1"))
    chunk = b"\n".join(lines)
    results = []
    for core in (compiled, None):
        problems = InputProblems()
        reader = TraceText(problems, core)
        batch = reader._batch(_Piece(chunk, 0, len(chunk), _WHOLE))
        numbers = lines_of(batch)
        counts = (reader.events, reader.lost, reader.coarse)
        results.append((events_of(batch), numbers, counts, problems.listing()))
    assert results[0] == results[1]


def read_by(core: Any, data: bytes | Input, size: int = BLOCK) -> tuple[Any, ...]:
    problems = InputProblems()
    reader = TraceText(problems, core)
    events, lines = [], []
    for batch in (
        reader.batches_of(data)
        if isinstance(data, Input)
        else reader.batches(data[at : at + size] for at in range(0, len(data), size))
    ):
        events += events_of(batch)
        lines += lines_of(batch)
    counts = (reader.lines, reader.events, reader.lost, reader.coarse)
    return events, lines, counts, problems.listing()


HEADS = (
    "<idle>-0 [003] d..1.",
    "          <idle>-0     [003]",
    "kworker/0:1-12 [003]",
    "a: b [003]",
    "a:\tb [003]",
    "CPU 0/KVM-77 [003]",
    "",
)
BEFORE = (" ", "\t", "  ", "x", "1", ".", ":", "")
SECONDS = ("7", "07", "1082", "1234567", "12345678", "9999999999", "12345678901", "1o82", "")
DECIMALS = ("183820", "183820118", "000000000", "99999999", "9999999999", "18382o", "18382011:", "")
NAMES = (
    ": cpu_idle:",
    ":  cpu_idle:",
    ": power:cpu_idle:",
    ":\tcpu_idle:",
    ":cpu_idle:",
    ": cpu_idle",
)
GAPS = (" ", " " * 8, " " * 13, " " * 15 + "\t", "\t", "")
STATES = ("1", "4294967295", "4294967294", "42949672950", "429496729", "0", "10", "x", "")
CPUS = ("3", "0", "8191", "8192", "00003", "000003", "x", "")
ENDS = ("", " ", "\r", "    ", "     ", " x", "1")


@needs_core
@settings(max_examples=examples(75, 150))
@given(
    st.lists(
        st.builds(
            "{}{}{}.{}{}{}state={} cpu_id={}{}".format,
            *map(st.sampled_from, (HEADS, BEFORE, SECONDS, DECIMALS, NAMES, GAPS, STATES, CPUS)),
            st.sampled_from(ENDS),
        )
        | st.sampled_from(
            [OTHER, MISS_LINE, line(1, 1_082_183_820_118, 3), "CPU:1 [LOST 2 EVENTS]"]
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from((BLOCK, 100)),
)
@example([line(1, 1), "<idle>-0 [003] 7.183820: cpu_idle:state=1 cpu_id=3"], BLOCK)
def test_the_core_reads_times_and_payloads_as_python_does(lines: list[str], size: int) -> None:
    """Whatever the line before has told the core: it remembers a second, and takes digits eight
    at a time."""
    chunk = text(*lines)
    assert read_by(compiled, chunk, size) == read_by(None, chunk, size)


@needs_core
def test_the_core_reads_long_text_as_python_does(tmp_path: Path) -> None:
    """Text of many parts that are gone through one after another, as blocks given and as those of
    a file, which are read beside each other in threads."""
    random = Random("parts")
    rare = ("CPU:2 [LOST 13 EVENTS]", "P" * 50, "half a li", "y" * 40_000, "caf\xe9 " + "x" * 80)
    lines = []
    for ns in range(1_000, 3_000_000, 1_000):
        lines.append(line(random.choice((0, 3, EXIT_STATE)), ns, random.randrange(12)))
        lines += [OTHER] * random.randrange(9)
        if not random.randrange(500):
            lines.append(random.choice((*rare, "x" * (LINE_MAX + 9))))
    data = "\n".join(lines).encode("latin-1")
    plain = read_by(None, data, BLOCK)
    for size in (BLOCK, 200_000, 65_536):
        assert read_by(compiled, data, size) == plain
    path = tmp_path / "trace"
    path.write_bytes(data)
    for block, core in ((BLOCK, compiled), (70_001, compiled), (10_000, None)):
        with mock.patch.object(inputs, "BLOCK", block):
            assert read_by(core, Input(str(path))) == plain


def test_a_second_time_in_a_line_makes_no_event() -> None:
    """The name after the first time counts, with the core and without."""
    good = line(1, 10, 0)
    events, problems, _, _ = scan(text(good, "2.187817: e 2.187818: cpu_idle:state=5 cpu_id=1"))
    assert len(events) == 1
    assert not problems.listing()
    for more in ("x: y ", "x:\t", "1.000001: e "):
        events, _, reader, _ = scan(text(good, good.replace("[", f"{more}[", 1)))
        assert len(events) == reader.events == (2 if more.startswith("x") else 1)


def test_a_trace_may_change_its_form() -> None:
    forms = list(FORMS.values())
    chunk = [line(1, ns, 0, forms[ns % 2], 6 + 3 * (ns % 3 == 0)) for ns in range(1000, 3000)]
    events, problems, _, _ = scan(text(*chunk), 20_000)
    assert len(events) == 2000
    assert not problems.listing()


@pytest.mark.parametrize(
    "bad",
    [
        "          <idle>-0     [003]  1082.183820: cpu_idle:             state=0 cpu",
        "          <idle>-0     [003]  1082.183820: cpu_idle:             state=x cpu_id=3",
        "          <idle>-0     [003]  1082.183820: cpu_idle:             state=0 cpu_id=99999",
        "          <idle>-0     [003]  1082.183820: cpu_idle:             state=0 cpu_id=3 more",
        "          <idle>-0     [003]  1082.183820: cpu_idle_miss: cpu_id=3 state=1 type=beside",
        "          <idle>-0     [003]  1082.183820: cpu_idle_miss: state=1 cpu_id=3",
        "          <idle>-0     [003]  1082.1838: cpu_idle:             state=0 cpu_id=3",
        "          <idle>-0     [003]  1082183820: cpu_idle:             state=0 cpu_id=3",
        "          <idle>-0     [003]  1082.18",
        "\x00\x01\x02 binary",
        "x" * 50 + "\x00",
        "caf\xe9 " + "x" * 80,
    ],
)
def test_a_bad_line_is_reported_with_its_number(bad: str) -> None:
    good = [line(1, 1_000), line(EXIT_STATE, 2_000)]
    data = text(*good, OTHER) + bad.encode("latin-1") + b"\n" + text(line(2, 3_000))
    events, problems, reader, lines = scan(data)
    assert [what for (_, what), _ in events] == [1, EXIT, 2]
    assert lines == [1, 2, 5]
    assert counted(problems) == {"unreadable-line": 1}
    assert first(problems, "unreadable-line")[0] == 4
    assert reader.lines == 5


def test_other_events_may_speak_of_cpu_idle() -> None:
    data = text(
        "  cpu_idle_test-12   [000]  1.000001: cpu_idle: state=1 cpu_id=0",
        "            bash-12   [000]  1.000002: tracing_mark_write: cpu_idle: state=1 cpu_id=0",
        "            bash-12   [000]  1.000003: cpu_idle_extra: state=1 cpu_id=0",
        line(EXIT_STATE, 1_000_004_000),
    )
    events, problems, _, _ = scan(data)
    assert [what for (_, what), _ in events] == [1, EXIT]
    assert not problems.listing()


@pytest.mark.parametrize(
    ("lost", "count"),
    [
        ("CPU:2 [LOST 13 EVENTS]", 13),
        ("CPU:2 [LOST EVENTS]", 0),
        ("CPU:2 [EVENTS DROPPED]", 0),
        ("CPU:2 [13 EVENTS DROPPED]", 13),
        ("swapper     0 [002]   0.000001500: PERF_RECORD_LOST lost 13", 13),
    ],
)
def test_lost_events_break_what_they_are_in(lost: str, count: int) -> None:
    form = FORMS["perf" if "PERF" in lost else "trace-cmd"]
    data = text(
        line(1, 1_000, 2, form),
        line(1, 1_100, 3, form),
        lost,
        line(EXIT_STATE, 9_000, 2, form),
        line(EXIT_STATE, 9_100, 3, form),
        line(2, 10_000, 2, form),
        line(EXIT_STATE, 11_000, 2, form),
    )
    events, problems, reader, _ = scan(data)
    assert ((2, LOST), count) in events
    assert reader.lost == count
    assert first(problems, "lost-events")[0] == 3
    periods, problems, _ = pair(data)
    # CPU 2's first period may have been several; CPU 3 lost nothing
    assert sorted(periods) == [(2, 2, 10_000, 11_000, 0), (3, 1, 1_100, 9_100, 0)]
    assert counted(problems) == {"lost-events": 1, "broken-by-loss": 1}
    assert first(problems, "broken-by-loss")[0] == 3


def test_an_entry_among_the_lost_events() -> None:
    data = text(
        line(1, 1_000),
        line(EXIT_STATE, 2_000),
        "CPU:0 [LOST 1 EVENTS]",
        line(EXIT_STATE, 9_000),
    )
    periods, problems, _ = pair(data)
    # a miss after the first period may be among the lost events as well
    assert periods == [(0, 1, 1_000, 2_000, UNKNOWN)]
    assert counted(problems) == {"lost-events": 1, "broken-by-loss": 1}


def test_events_lost_twice_are_one_broken_period() -> None:
    lost = "CPU:0 [LOST 1 EVENTS]"
    data = text(line(1, 1_000), lost, lost, line(EXIT_STATE, 9_000), line(EXIT_STATE, 9_500))
    periods, problems, _ = pair(data)
    assert periods == []
    assert counted(problems) == {"lost-events": 2, "broken-by-loss": 1, "exit-without-enter": 1}


def test_a_period_may_take_no_time() -> None:
    periods, problems, _ = pair(text(line(1, 1_000, digits=6), line(EXIT_STATE, 1_900, digits=6)))
    assert periods == [(0, 1, 1_000, 1_000, 0)]
    assert not problems.listing()


def test_what_does_not_pair() -> None:
    data = text(
        line(EXIT_STATE, 1_000, 0),
        line(1, 2_000, 0),
        line(2, 3_000, 0),
        line(EXIT_STATE, 4_000, 0),
        line(EXIT_STATE, 5_000, 0),
        line(0, 6_000, 0),
    )
    periods, problems, _ = pair(data)
    assert periods == [(0, 2, 3_000, 4_000, 0)]
    assert counted(problems) == {
        "starts-idle": 1,
        "enter-twice": 1,
        "exit-without-enter": 1,
        "ends-idle": 1,
    }
    assert first(problems, "starts-idle")[0] == 1
    assert first(problems, "enter-twice")[0] == 3
    assert first(problems, "exit-without-enter")[0] == 5


def test_time_that_runs_backwards() -> None:
    data = text(
        line(1, 5_000),
        line(EXIT_STATE, 4_000),
        line(1, 3_000),
        line(EXIT_STATE, 6_000),
        # 32 bits of us wrap
        line(2, 4_294_967_295_000),
        line(EXIT_STATE, 1_000),
        line(2, 2_000),
        line(EXIT_STATE, 3_000),
    )
    periods, problems, _ = pair(data)
    assert periods == [(0, 1, 3_000, 6_000, 0), (0, 2, 2_000, 3_000, 0)]
    assert counted(problems) == {
        "exit-before-enter": 1,
        "time-backwards": 1,
        "clock-restarted": 1,
    }
    assert first(problems, "exit-before-enter")[0] == 2
    assert first(problems, "time-backwards")[0] == 3
    assert first(problems, "clock-restarted") == (
        6,
        "CPU 0: entered state 2 at 4294.967295000 s, left it at 0.000001000 s",
    )


def test_a_clock_that_restarts_on_every_cpu() -> None:
    """10 s, then 4 s on the clock anew, then 3 s that CPU 0 alone sees."""
    second = 1_000_000_000
    data = text(
        line(1, 100 * second, 0),
        line(1, 101 * second, 1),
        line(EXIT_STATE, 109 * second, 0),
        line(EXIT_STATE, 110 * second, 1),
        line(1, 1 * second, 1),
        line(1, 2 * second, 0),
        line(EXIT_STATE, 4 * second, 1),
        line(EXIT_STATE, 5 * second, 0),
        line(1, 0, 0),
        line(EXIT_STATE, 3 * second, 0),
    )
    periods, _, pairing = pair(data)
    assert len(periods) == 5
    assert pairing.span_ns == (100 * second, (100 + 10 + 4 + 3) * second)


def test_a_small_step_back_is_no_restart() -> None:
    data = text(line(1, 5_000), line(EXIT_STATE, 4_000), line(1, 2_000), line(EXIT_STATE, 3_000))
    _, _, pairing = pair(data)
    assert pairing.span_ns == (2_000, 5_000)


def test_a_trace_twice_in_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The time seen is that of both, and the status says that something was left out."""
    second = 1_000_000_000
    once = text(line(1, 90 * second), line(EXIT_STATE, 95 * second), line(1, 96 * second))
    path, out = tmp_path / "trace", tmp_path / "out"
    path.write_bytes(once)
    assert replay(str(path), "-o", str(out)) == 0
    assert json.loads(out.read_text())["read"]["span_ns"] == 6 * second
    path.write_bytes(once + once)
    assert replay(str(path), "-o", str(out)) == 1
    found = json.loads(out.read_text())
    assert found["read"]["span_ns"] == 12 * second
    severities = {problem["severity"] for problem in found["problems"]}
    assert severities == {"warning", "note"}


def test_cpus_out_of_order_with_each_other_are_no_problem() -> None:
    data = text(
        line(1, 5_000, 0), line(1, 1_000, 1), line(EXIT_STATE, 9_000, 0), line(EXIT_STATE, 2_000, 1)
    )
    periods, problems, _ = pair(data)
    assert sorted(periods) == [(0, 1, 5_000, 9_000, 0), (1, 1, 1_000, 2_000, 0)]
    assert not problems.listing()


def test_a_cpu_that_appears_late() -> None:
    data = text(line(1, 0), line(EXIT_STATE, 10), line(1, 1_500_000_000, 7))
    _, problems, pairing = pair(data)
    assert first(problems, "late-cpu") == (3, "CPU 7: 1.500 s after the beginning")
    assert pairing.cpus == (0, 7)
    assert pairing.span_ns == (0, 1_500_000_000)


def test_states_and_cpus_beyond_the_table() -> None:
    data = text(
        line(3, 1_000),
        line(EXIT_STATE, 2_000),
        line(2, 3_000),
        line(EXIT_STATE, 4_000),
        line(4294967290, 5_000),
        line(EXIT_STATE, 6_000),
        line(0, 7_000, 1),
        line(EXIT_STATE, 8_000, 1),
    )
    _, problems, _ = pair(data, cpu0=3)
    assert counted(problems) == {"state-beyond-table": 2, "cpu-without-table": 1}
    assert first(problems, "state-beyond-table") == (1, "CPU 0: expected states 0 to 2, found 3")
    assert first(problems, "cpu-without-table") == (7, "CPU 1: no --table covers it")


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["enter", "exit", "lost", "miss"]),
        st.integers(0, 3 * 10**9),
        st.integers(0, 2),
        st.integers(0, 3),
    ),
    max_size=60,
)


@given(EVENTS)
@settings(max_examples=examples(75, 150))
def test_every_entry_and_every_exit_is_accounted_for(
    parts: list[tuple[str, int, int, int]],
) -> None:
    lines, entries, exits = [], 0, 0
    for kind, ns, cpu, state in parts:
        if kind == "enter":
            lines.append(line(state, ns, cpu))
            entries += 1
        elif kind == "exit":
            lines.append(line(EXIT_STATE, ns, cpu))
            exits += 1
        elif kind == "lost":
            lines.append(f"CPU:{cpu} [LOST 3 EVENTS]")
        else:
            lines.append(
                f"  <idle>-0 [00{cpu}] 0.000000: cpu_idle_miss: "
                f"cpu_id={cpu} state={state} type=above"
            )
    periods, problems, _ = pair(text(*lines))
    count = counted(problems)
    ended = len(periods) + count.get("exit-before-enter", 0) + count.get("clock-restarted", 0)
    broken = count.get("broken-by-loss", 0)
    left = entries - ended - count.get("enter-twice", 0) - count.get("ends-idle", 0)
    lacking = exits - ended - count.get("exit-without-enter", 0) - count.get("starts-idle", 0)
    # lost are an entry, or an exit, or what was between an entry and an exit that are both there
    assert 0 <= left <= broken
    assert 0 <= lacking <= broken <= left + lacking
    if not any(kind == "lost" for kind, *_ in parts):
        assert left == lacking == 0
    for cpu, _, start_ns, end_ns, _ in periods:
        assert 0 <= start_ns <= end_ns
        assert cpu in range(3)


def test_problems_keep_a_bounded_number_of_places() -> None:
    data = text(*(line(1, ns) for ns in range(5_000)))
    _, problems, _ = pair(data)
    problem = next(each for each in problems.listing() if each.kind == "enter-twice")
    assert problem.count == 4_999
    assert [example.line for example in problem.examples] == [2, 3, 4]


def test_a_gigantic_line_takes_bounded_memory() -> None:
    def blocks() -> Iterator[bytes]:
        yield text(line(1, 1_000))
        for _ in range(64):
            yield b"x" * BLOCK
        yield b"x\n" + text(line(EXIT_STATE, 2_000), "half a li")

    problems = InputProblems()
    reader = TraceText(problems, CORE.used)
    tracemalloc.start()
    events = [event for batch in reader.batches(blocks()) for event in events_of(batch)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert events == [((0, 1), 1_000), ((0, EXIT), 2_000)]
    assert counted(problems) == {"long-line": 1, "unreadable-line": 1}
    assert first(problems, "long-line")[0] == 2
    assert first(problems, "unreadable-line")[0] == 4
    assert peak < 8 * BLOCK


@pytest.mark.slow
def test_memory_does_not_grow_with_the_trace() -> None:
    def peak(blocks: int) -> int:
        trace = [
            text(
                *(
                    line((ns % 2) * EXIT_STATE, (block * 4_000 + ns) * 1_000, ns % 8 // 2)
                    for ns in range(4_000)
                )
            )
            for block in range(blocks)
        ]
        problems = InputProblems()
        reader, pairing = TraceText(problems, CORE.used), Pairing(problems)
        tracemalloc.start()
        for batch in reader.batches(iter(trace)):
            pairing.feed(batch)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert reader.events == blocks * 4_000
        return found

    few, many = peak(3), peak(7)
    assert many < 1.5 * few


@pytest.mark.parametrize(
    ("end", "kind", "periods"),
    [
        (line(EXIT_STATE, 4_000), "no-newline", 2),
        (line(EXIT_STATE, 4_000)[:-12], "truncated-line", 1),
        (line(EXIT_STATE, 4_000)[:30], "truncated-line", 1),
        (OTHER, "no-newline", 1),
    ],
)
def test_a_last_line_without_newline(end: str, kind: str, periods: int) -> None:
    data = text(line(1, 1_000), line(EXIT_STATE, 2_000), line(1, 3_000)) + end.encode()
    found, problems, _ = pair(data)
    assert len(found) == periods
    assert counted(problems) == {kind: 1} | ({} if periods == 2 else {"ends-idle": 1})
    assert first(problems, kind)[0] == 4


def replay(*words: str) -> int:
    return main(["replay", *words, "--states", "1000/10000,2000/20000", "--format", "json"])


GOOD = text(
    *(
        line(EXIT_STATE if number % 2 else number % 6 // 2, number * 7_000_000, number % 4 // 2)
        for number in range(200)
    )
)


@given(
    st.lists(
        st.tuples(
            st.integers(0, len(GOOD)), st.integers(0, 40), st.binary(max_size=12), st.booleans()
        ),
        max_size=8,
    ),
    st.sampled_from([None, "menu", "ladder", "teo"]),
    st.booleans(),
)
@example([(0, 0, b"\0", False)], None, False)
@example([(0, 0, b"9" * 12, False)], "menu", False)
@settings(max_examples=examples(37, 75), deadline=None)
def test_damaged_traces_never_crash(
    tmp_path_factory: pytest.TempPathFactory,
    damage: list[tuple[int, int, bytes, bool]],
    governor: str | None,
    packed: bool,
) -> None:
    data = GOOD
    for at, length, inserted, cut in damage:
        data = data[:at] + inserted + (b"" if cut else data[at + length :])
    stored = gzip.compress(data, 1)
    if packed and damage:
        stored = stored[: -1 - damage[0][0] % 30]
    path = tmp_path_factory.mktemp("damaged") / "trace"
    path.write_bytes(stored if packed else data)
    words = ["--governor", governor] if governor else []
    out = path.with_name("out")
    status = replay(str(path), *words, "-o", str(out))
    assert status in (0, 1, 3)
    if status != 3:
        found = json.loads(out.read_text())
        total = sum(state["usage"] for state in found["observed"]["total"]["states"])
        assert total <= found["read"]["periods"]
        assert (status == 1) == any(
            problem["severity"] != "note"
            and problem["kind"] not in ("other-state", "miss-disagrees")
            for problem in found["problems"]
        )


@given(st.binary(max_size=3_000))
@example(b"\x1f\x8b\x08")
@example(b"{")
@example(b"a,b\n1")
@example(b"\x17\x08\x44tracing")
@example(b"cpu0/cpuidle/state0/name:")
@settings(deadline=None)
def test_anything_at_all_is_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "input"
    path.write_bytes(data)
    assert replay(str(path), "-o", str(path.with_name("out"))) in (0, 1, 3)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "found an empty file"),
        (b"PERFILE2" + bytes(64), "expected a head of 104 bytes or more, found 0"),
        (b"\x7fELF" + bytes(500), "expected events of cpu_idle, found none"),
        (text(OTHER, OTHER), "found none in 2 lines"),
        (text(line(1, 1_000)).replace(b".", b""), "with a time in seconds"),
        (gzip.compress(b"", mtime=0), "found an empty file"),
        (b"\x1f\x8b\x08broken", "compressed data end or break"),
    ],
)
def test_what_cannot_be_used_at_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, message: str
) -> None:
    path = tmp_path / "trace"
    path.write_bytes(data)
    assert replay(str(path)) == 3
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


def test_a_directory_and_a_file_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay(str(tmp_path)) == 3
    assert "found a directory" in capsys.readouterr().err
    assert replay(str(tmp_path / "none")) == 3
    assert "No such file" in capsys.readouterr().err


def test_a_compressed_trace_that_is_cut_gives_what_it_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = text(*(line((ns % 2) * EXIT_STATE, ns * 1_234_567) for ns in range(20_000)))
    path = tmp_path / "trace.gz"
    path.write_bytes(gzip.compress(data)[:-4_000])
    assert replay(str(path)) == 1
    found = json.loads(capsys.readouterr().out)
    kinds = {problem["kind"]: problem for problem in found["problems"]}
    assert kinds["truncated-file"]["count"] == 1
    assert kinds["truncated-file"]["examples"][0]["line"] == found["read"]["lines"]
    assert 5_000 < found["total"]["usage"] < 10_000


def test_kinds_are_told_by_content(tmp_path: Path) -> None:
    cases = {
        InputKind.TEXT: text(line(1, 0)),
        InputKind.DAT: b"\x17\x08\x44tracing6\0",
        InputKind.SYSFS: b"/sys/devices/system/cpu/cpu0/cpuidle/state0/name:WFI\n",
        InputKind.CSV: b"state, stop_tick\n",
        InputKind.JSONL: b'{"state": 1}\n',
    }
    for kind, data in cases.items():
        for stored in (data, gzip.compress(data)):
            path = tmp_path / "input"
            path.write_bytes(stored)
            assert Input(str(path)).kind is kind


# Recordings

HEADER = ",".join(recording.COLUMNS)
ROW = "2000000000,7731,7731,0,0,0,1,1,0,7731,0,0,1000000000"


def rows(tmp_path: Path, data: str | bytes) -> list[recording.RecordedDecision]:
    path = tmp_path / "recording"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return list(recording.rows(Input(str(path))))


def as_json(path: Path, cpu: int | None = None) -> str:
    """A vector file as JSON lines."""
    head, *body = gzip.decompress(path.read_bytes()).decode().splitlines()
    more = {} if cpu is None else {"cpu": cpu}
    return "".join(
        json.dumps(dict(zip(head.split(","), map(int, row.split(",")), strict=True)) | more) + "\n"
        for row in body
    )


def test_recordings_are_read_as_the_tests_read_vectors(tmp_path: Path) -> None:
    path = vectors.files("menu")[7]
    expected = vectors.read(path).rows
    for data in (path.read_bytes(), gzip.decompress(path.read_bytes()), as_json(path)):
        found = rows(tmp_path, data)
        assert len(found) == len(expected) == 400
        for row, wanted in zip(found, expected, strict=True):
            assert (row.situation, row.outcome) == (wanted.situation, wanted.outcome)
            assert (row.state, row.stop_tick, row.cpu) == (wanted.state, wanted.stop_tick, 0)
    assert {row.cpu for row in rows(tmp_path, as_json(path, 5))} == {5}


def test_columns_may_come_in_any_order_and_json_values_may_be_booleans(tmp_path: Path) -> None:
    names, values = HEADER.split(","), ROW.split(",")
    expected = rows(tmp_path, f"{HEADER}\n{ROW}\n")
    assert rows(tmp_path, f"{','.join(names[::-1])}\n{','.join(values[::-1])}\n") == expected
    record = dict(zip(names, map(int, values), strict=True))
    flags = ("tick_stopped", "stop_tick", "rejected", "got_tick", "poll_time_limit")
    record |= {name: bool(record[name]) for name in flags}
    assert [row.outcome for row in rows(tmp_path, json.dumps(record))] == [expected[0].outcome]


@pytest.mark.parametrize(
    "data",
    [
        f"\ufeff{HEADER}\n{ROW}\n",
        '"' + HEADER.replace(",", '","') + f'"\n{ROW}\n',
        '\ufeff\n"' + HEADER.replace(",", '", "') + f'"\r\n{ROW}\r\n',
        "\ufeff" + json.dumps(dict(zip(HEADER.split(","), map(int, ROW.split(",")), strict=True))),
    ],
)
def test_recordings_as_other_programs_write_them(tmp_path: Path, data: str) -> None:
    (found,) = rows(tmp_path, data)
    (expected,) = rows(tmp_path, f"{HEADER}\n{ROW}\n")
    assert (found.situation, found.outcome) == (expected.situation, expected.outcome)
    (parts,) = chunks(Input(str(tmp_path / "recording")))
    assert [len(part) for part in parts] == [1]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (HEADER.replace(",load", "") + "\n", "1:1: error: expected the columns of a recording; "
         "it lacks 'load'"),
        (HEADER + ",foo\n", "has unknown 'foo'"),
        (HEADER + ",state\n", "repeats 'state'"),
        (HEADER.replace("residency_ns", "residency_us") + "\n",
         "lacks 'residency_ns'; has unknown 'residency_us'"),
        (f"{HEADER}\n{ROW}\n{ROW},1\n", "3:1: error: expected 13 values, found 14"),
        (f"{HEADER}\n{ROW[:-20]}\n", "2:1: error: expected 13 values"),
        (f"{HEADER}\n{ROW.replace('7731', 'x', 1)}\n",
         "expected a whole number in column sleep_length_ns, found 'x'"),
        (f"{HEADER}\n{ROW.replace('7731', '1.5', 1)}\n", "in column sleep_length_ns, found '1.5'"),
        (f"{HEADER}\n{ROW}{'9' * 30}\n", "in column clock_at_select_ns"),
        (f"{HEADER}\n{ROW}{'9' * 5000}\n", "in column clock_at_select_ns"),
        (f"{HEADER}\n{ROW}\n{ROW.replace('7731', '7_731', 1)}\n",
         "3:1: error: expected a whole number in column sleep_length_ns, found '7_731'"),
        ('{"state": true' + "".join(f', "{name}": 0' for name in recording.COLUMNS
                                    if name != "state") + "}", "column state, found true"),
        (f"{HEADER}\n-1{ROW[10:]}\n", "expected 0 to 4294967295 in column latency_req_us"),
        (f"{HEADER}\n", "expected decisions, found none"),
        ('{"state": 1}\n', "it lacks 'latency_req_us'"),
        ("{}\n[]\n", "it lacks"),
        ("{broken\n", "expected a JSON object on the line"),
        ('{"state": "1"' + "".join(f', "{name}": 0' for name in recording.COLUMNS
                                   if name != "state") + "}", 'column state, found "1"'),
        ('{"state": 1, "state": 1' + "".join(f', "{name}": 0' for name in recording.COLUMNS
                                             if name != "state") + "}", "repeats 'state'"),
        (f"{HEADER}\n{'1' * (LINE_MAX + 1)}\n", "expected lines of at most"),
    ],
)  # fmt: skip
def test_a_wrong_recording_is_refused_naming_the_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: str, message: str
) -> None:
    path = tmp_path / "recording.csv"
    path.write_text(data)
    assert replay(str(path), "--governor", "menu") == 3
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


def test_a_recording_that_is_cut_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "recording.csv.gz"
    path.write_bytes(vectors.files("menu")[0].read_bytes()[:-100])
    assert replay(str(path), "--governor", "menu") == 3
    assert "compressed data end" in capsys.readouterr().err


@given(st.lists(st.sampled_from([*HEADER.split(","), "cpu", "x", "", ",", "\n", "1", "-", "{}"])))
@settings(deadline=None)
def test_recordings_never_crash(
    tmp_path_factory: pytest.TempPathFactory, words: Sequence[str]
) -> None:
    tmp_path = tmp_path_factory.mktemp("recording")
    for data in (",".join(words), HEADER + "\n" + ",".join(words), '{"a": ' + ",".join(words)):
        with contextlib.suppress(Unreadable):
            rows(tmp_path, data or "{")


# sysfs


def dump(tmp_path: Path, data: str) -> Dump:
    path = tmp_path / "dump"
    path.write_text(data)
    return sysfs.read(Input(str(path)))


def attributes(prefix: str = "/sys/devices/system/cpu/", **values: object) -> str:
    """name=..., latency=... of CPU 2's state 0."""
    return "".join(
        f"{prefix}cpu2/cpuidle/state0/{name}:{value}\n" for name, value in values.items()
    )


def test_a_dump_is_read(tmp_path: Path) -> None:
    data = attributes(
        name="stop0_lite", desc="a: b", latency=1, residency=10, disable=1, usage=5, time=60,
        above=7, below=8, rejected=9, power=0,
    )  # fmt: skip
    data += "/sys/devices/system/cpu/cpu2/cpuidle/state0/s2idle/usage:3\n"
    data += "/sys/devices/system/cpu/cpu2/cpuidle/driver/name:powernv_idle\n"
    state = SysfsState("stop0_lite", "a: b", 1, 10, True, 5, 60, 7, 8, 9)
    assert dump(tmp_path, data).cpus == {2: (state,)}
    # from inside the directory, and from a kernel without above, below and rejected
    old = dump(tmp_path, attributes("", name="Nap", latency=1, residency=2, usage=3, time=4))
    assert old.cpus == {2: (SysfsState("Nap", "", 1, 2, False, 3, 4),)}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (attributes(name="a", latency=1), "expected residency in cpu2/cpuidle/state0"),
        (attributes(latency=1), "expected name and residency in cpu2"),
        (attributes(name="a", latency="x"), "2:1: error: expected a number as latency, found 'x'"),
        (attributes(name="a", latency="9" * 30), "a number of at most 20 digits as latency"),
        (attributes(name="a", latency=1, residency=1) + "nonsense\n", "4:1: error: expected ..."),
        (
            attributes(name="a", latency=1, residency=1).replace("state0", "state1"),
            "cpu2/cpuidle/state0, found none",
        ),
        (attributes(name="a", latency=1, residency=1).replace("cpu2", "cpu9999"), "expected CPUs"),
        (
            attributes(name="a", latency=1, residency=1) + attributes(name="a", latency=2),
            "5:1: error: expected one latency of CPU 2, state 0, found 2 after 1 in line 2",
        ),
        (
            attributes(name="a", latency=1, residency=1, usage=3) + attributes(usage=4, name="b"),
            "found 'b' after 'a' in line 1",
        ),
    ],
)
def test_a_wrong_dump_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: str, message: str
) -> None:
    path = tmp_path / "dump"
    path.write_text(data)
    assert main(["replay", str(path)]) == 3
    assert message in capsys.readouterr().err


def test_a_dump_may_say_the_same_twice(tmp_path: Path) -> None:
    same = {"name": "a", "latency": 1, "residency": 2}
    found = dump(tmp_path, attributes(**same, usage=3) + attributes(**same, usage=4))
    assert found.cpus == {2: (SysfsState("a", "", 1, 2, usage=4),)}


def test_dumps_that_do_not_belong_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, values in {
        "a": {"name": "x", "latency": 1, "residency": 2, "usage": 5},
        "b": {"name": "x", "latency": 1, "residency": 2, "usage": 9},
        "c": {"name": "x", "latency": 1, "residency": 3, "usage": 9},
    }.items():
        (tmp_path / name).write_text(attributes(**values))
    a, b, c = (str(tmp_path / name) for name in "abc")
    assert main(["replay", a, b]) == 0
    assert " 4 " in capsys.readouterr().out
    assert main(["replay", b, a]) == 3
    assert "give the earlier dump first" in capsys.readouterr().err
    assert main(["replay", a, c]) == 3
    assert "expected CPU 2 to have the states of" in capsys.readouterr().err


def test_cpu_numbers_have_a_limit() -> None:
    events, problems, _, _ = scan(text(line(0, 0, CPU_MAX), line(0, 0, CPU_MAX + 1)))
    assert [cpu for (cpu, _), _ in events] == [CPU_MAX]
    assert counted(problems) == {"unreadable-line": 1}


def test_lines_about_lost_events_take_no_time() -> None:
    line = b"[1]" * 21_000
    started = time.process_time()
    assert [_lost(b"PERF_RECORD_LOST " + line) for _ in range(20)] == [None] * 20
    assert _lost(b"[5]" + line + b" PERF_RECORD_LOST lost 4") == (1, 4)
    assert _lost(b"a [002] PERF_RECORD_LOST") == (2, 0)
    assert _lost(b"a [99999] PERF_RECORD_LOST 1") is None
    assert time.process_time() - started < 2


def test_blocks_read_ahead_are_the_same_blocks(tmp_path: Path) -> None:
    data = text(*(line((ns % 2) * EXIT_STATE, ns * 1_234_567) for ns in range(30_000)))
    many = b"".join(bytes([number]) * BLOCK for number in range(65, 76))
    path = tmp_path / "trace"
    for stored in (
        *(data, gzip.compress(data, 1), data[:1000], gzip.compress(data, 1)[:-4_000]),
        *(many, many + b"and more"),
    ):
        path.write_bytes(stored)
        plain, ahead = Input(str(path)), Input(str(path))
        found = [(bytes(block), size) for block, size in ahead.ahead(len)]
        assert found == [(block, len(block)) for block in plain.blocks()]
        unhashed = Input(str(path), hashed=False)
        assert [(bytes(block), size) for block, size in unhashed.ahead(len)] == found
        assert (ahead.sha256(), ahead.cut) == (plain.sha256(), plain.cut)
        # left before the end, the digest is of the whole file nevertheless
        for most in (1, 3):
            left = Input(str(path))
            for _ in itertools.islice(left.ahead(len), most):
                pass
            assert left.sha256() == plain.sha256()


def test_an_error_read_ahead_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "trace"
    data = text(*(line(1, ns) for ns in range(40_000)))

    def failing(*_: object) -> bytes:
        raise OSError("no more")

    for stored in (data, gzip.compress(data, 1)):
        path.write_bytes(stored)
        source = Input(str(path))
        monkeypatch.setattr(source, "_read", failing)
        monkeypatch.setattr(source, "_filled", failing)
        with pytest.raises(OSError, match="no more"):
            list(source.ahead(len))


@pytest.mark.parametrize("size", [LINE_MAX - 1, LINE_MAX, LINE_MAX + 1, 3 * LINE_MAX])
def test_a_line_is_too_long_wherever_it_lies(size: int) -> None:
    """In one block or over several, and whatever it says."""
    event = line(1, 2_000, 1)
    for long in ("x" * (size - len(event) - 1) + " " + event, "y" * size):
        for place in (0, 1, 30, 900):
            lines = [line(2, 1_000), *(OTHER for _ in range(place)), long, OTHER, line(0, 3_000)]
            data = text(*lines)
            results = [scan(data, block) for block in (len(data), BLOCK, 30_000, 70_000)]
            for events, problems, reader, numbers in results:
                states = [what for (_, what), _ in events]
                refused = {"long-line": 1} if size > LINE_MAX else {}
                assert counted(problems) == refused
                if refused:
                    assert first(problems, "long-line")[0] == place + 2
                    assert f"at most {LINE_MAX} bytes" in first(problems, "long-line")[1]
                there = [1] if event in long and not refused else []
                assert states == [2, *there, 0]
                assert numbers == [1, *(place + 2 for _ in there), place + 4]
                assert reader.lines == place + 4
