"""A trace.dat read from its pages, held to what trace-cmd prints of it and to the core's twin."""

import shutil
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading.inputs import Input
from idle_states.base.reading.problems import InputProblems, Problem
from idle_states.lab.traces import any_trace, dat_file, event_formats, ring_buffer, trace_cmd
from idle_states.lab.traces.text import EXIT, LOST, MISS, Batch, TraceText
from idle_states.tables.linux.governors.core.packing import compiled
from tests.support import DATA
from tests.support.compiled import NO_CORE
from tests.support.idle_events import Event, events_of, lines_of
from tests.support.thorough import examples
from tests.support.trace_dat import PAGE_BYTES, Page, page, version_6, version_7

TRACE = DATA / "traces/mt8196-teo.trace.dat"
needs_trace_cmd = pytest.mark.skipif(
    not shutil.which("trace-cmd"), reason="trace-cmd is not installed (Debian package trace-cmd)"
)
needs_core = pytest.mark.skipif(compiled is None, reason=NO_CORE)
EXIT_STATE = 0xFFFFFFFF

Found = tuple[list[tuple[Event, int]], tuple[int, int, int, bool], tuple[Problem, ...]]
"""Events with their lines, what the reader counted, and problems."""


def gathered(batches: Iterable[Batch], reader: TraceText) -> Found:
    events: list[tuple[Event, int]] = []
    for batch in batches:
        events += zip(events_of(batch), lines_of(batch), strict=True)
    counted = (reader.lines, reader.events, reader.lost, reader.coarse)
    return events, counted, reader.problems.listing()


def by_pages(data: bytes, *, core: bool = False) -> Found:
    reader = TraceText(InputProblems())
    file = dat_file.read(Input("x.dat", held=data))
    return gathered(ring_buffer.batches(file, reader, compiled if core else None), reader)


def by_trace_cmd(path: Path) -> Found:
    reader = TraceText(InputProblems())
    return gathered(reader.batches(trace_cmd.blocks(Input(str(path)))), reader)


def refusal(data: bytes) -> str:
    with pytest.raises(Unreadable) as caught:
        by_pages(data)
    return str(caught.value.findings[0])


STATES = st.sampled_from((0, 1, 7, EXIT_STATE))
DELTAS = st.one_of(st.integers(0, 3), st.integers(0, (1 << 27) - 1))
OPS = st.one_of(
    st.tuples(st.just("idle"), DELTAS, STATES),
    st.tuples(st.just("miss"), DELTAS, st.integers(0, 5)),
    st.tuples(st.sampled_from(("other", "long")), DELTAS, st.integers(0, 40)),
    st.tuples(st.just("extend"), DELTAS, st.integers(0, 99)),
    st.tuples(st.just("stamp"), DELTAS, st.just(0)),
    st.tuples(st.just("pad"), DELTAS, st.sampled_from((0, 4, 12))),
)
PAGES = st.tuples(st.integers(0, 10**10), st.lists(OPS, max_size=12))


def in_order(cpu: Sequence[tuple[int, Sequence[tuple[str, int, int]]]]) -> list[Page]:
    """Pages whose times go on, as they do in a kernel."""
    found, start = [], 10**9
    for wait_ns, ops in cpu:
        start += wait_ns
        found.append(Page(start, ops))
        start += sum(ns + (value << 27 if what == "extend" else 0) for what, ns, value in ops) + 1
    return found


def packed(cpus: Sequence[Sequence[Page]], order: str = "<", long: int = 8) -> list[bytes]:
    return [
        b"".join(page(each, number, order, long) for each in pages)
        for number, pages in enumerate(cpus)
    ]


@needs_trace_cmd
def test_a_phones_trace_is_read_as_trace_cmd_prints_it() -> None:
    found = by_pages(TRACE.read_bytes(), core=compiled is not None)
    assert len(found[0]) == 52_601
    assert found == by_trace_cmd(TRACE)


@needs_core
def test_the_core_reads_a_phones_trace_as_the_reference_does() -> None:
    assert by_pages(TRACE.read_bytes(), core=True) == by_pages(TRACE.read_bytes())


@needs_trace_cmd
@settings(
    max_examples=examples(15, 30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.lists(PAGES, max_size=4), min_size=1, max_size=3), st.sampled_from("<>"))
@example([[(0, [("idle", 5, 1), ("miss", 0, 3), ("idle", 2, EXIT_STATE)])], [], []], ">")
@example([[(0, [("idle", 5, 0)] * 2)], [(0, [("idle", 5, 1)] * 2)]], "<")
def test_any_pages_are_read_as_trace_cmd_prints_them(
    tmp_path: Path, cpus: list[list[tuple[int, list[tuple[str, int, int]]]]], order: str
) -> None:
    data = version_6(packed([in_order(cpu) for cpu in cpus], order), order)
    path = tmp_path / "x.dat"
    path.write_bytes(data)
    found = by_pages(data)
    if found[0]:
        assert found == by_trace_cmd(path)


@needs_core
@settings(max_examples=examples(40, 75), deadline=None)
@given(
    st.lists(st.lists(st.tuples(PAGES, st.sampled_from((None, 0, 3))), max_size=4), max_size=4),
    st.sampled_from("<>"),
    st.sampled_from((4, 8)),
    st.booleans(),
)
def test_the_core_reads_any_pages_as_the_reference_does(
    cpus: list[list[tuple[tuple[int, list[tuple[str, int, int]]], int | None]]],
    order: str,
    long: int,
    shuffled: bool,
) -> None:
    """Also where time goes back from page to page, and where events were lost."""
    pages = [[Page(start, ops, lost) for (start, ops), lost in cpu] for cpu in cpus]
    data = packed(pages, order, long)
    make = version_7 if shuffled else version_6
    whole = make(data, order, long)
    found = by_pages(whole)
    assert by_pages(whole, core=True) == found
    assert by_pages(version_7(data, order, long, packed=False)) == found
    assert by_pages(version_6(data, order, long)) == found


def test_what_is_in_pages() -> None:
    ops = [
        ("other", 1, 3),
        ("idle", 10, 2),
        ("extend", 5, 1),
        ("idle", 1, EXIT_STATE),
        ("miss", 1, 5),
        ("pad", 7, 4),
        ("long", 1, 30),
        ("idle", 2, 0),
    ]
    events, counted, problems = by_pages(version_6(packed([[Page(1000, ops)], []])))
    late = 1011 + (1 << 27) + 6
    assert events == [
        (((0, 2), 1011), 2),
        (((0, EXIT), late), 3),
        (((0, MISS - 5), late + 1), 4),
        (((0, 0), late + 11), 5),
    ]
    assert counted == (5, 4, 0, False)
    assert not problems


def test_lost_events_are_said_even_before_events_of_another_kind() -> None:
    """trace-cmd says so only of events that it prints."""
    pages = [
        Page(1000, [("idle", 0, 1)]),
        Page(2000, [("other", 0, 1), ("idle", 0, EXIT_STATE)], 7),
        Page(3000, [("idle", 0, 1)], 0),
    ]
    events, counted, problems = by_pages(version_6(packed([pages])))
    assert [event for event, _ in events] == [
        ((0, 1), 1000),
        ((0, LOST), 7),
        ((0, EXIT), 2000),
        ((0, LOST), 0),
        ((0, 1), 3000),
    ]
    assert counted == (6, 3, 7, False)
    assert [(each.kind, each.count) for each in problems] == [("lost-events", 2)]
    assert problems[0].examples[0].message == "CPU 0 lost 7 events"


def test_equal_times_keep_the_order_of_cpus_across_pages() -> None:
    """CPU 1 has events of one time on more pages than are read at once."""
    many = [Page(1000, [("idle", 0, 1)]) for _ in range(200)]
    data = version_6(packed([[Page(1000, [("idle", 0, 0)])], many, [Page(1000, [("idle", 0, 2)])]]))
    cpus = [event[0][0] for event, _ in by_pages(data)[0]]
    assert cpus == [0] + [1] * 200 + [2]


def test_what_only_trace_cmd_reads() -> None:
    clock = struct.pack("<HI", 4, 18) + b"local [x86-tsc]\n\0\0"
    pages = packed([[Page(1000, [("idle", 0, 1)])]])
    for data, why in (
        (version_6(pages, options=clock), "x86-tsc"),
        (version_6(pages, options=struct.pack("<HIQ", 3, 8, 0)), "several buffers"),
        (version_6(pages, options=struct.pack("<HIQ", 13, 8, 0)), "guest"),
        (version_7(pages).replace(b"zlib\0", b"lzma\0"), "lzma"),
        (version_6(pages).replace(b"tracing6", b"tracing8"), "version '8'"),
    ):
        with pytest.raises(event_formats.Beyond, match=why):
            dat_file.read(Input("x.dat", held=data))


@needs_trace_cmd
def test_trace_cmd_reads_the_rest_and_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "x.dat"
    clock = struct.pack("<HI", 13, 8) + bytes(8)
    path.write_bytes(version_6(packed([[Page(1000, [("idle", 0, 1)])]]), options=clock))
    reader = TraceText(InputProblems())
    events, _, problems = gathered(any_trace.batches(Input(str(path)), reader), reader)
    assert [event for event, _ in events] == [((0, 1), 1000)]
    assert problems[0].kind == "read-as-text"
    assert problems[0].examples[0].message == "it has a guest"


PLAIN = version_6(packed([[Page(1000, [("idle", 0, 1)])]]))
PAGE_AT = len(PLAIN) - PAGE_BYTES


@pytest.mark.parametrize(
    ("at", "bytes_", "message"),
    [
        (8, struct.pack("<Q", 5000), "CPU 0, page 1: expected at most 4080 bytes of events"),
        (8, struct.pack("<Q", 18), "page 1: expected an event of at most 14 bytes at byte 20"),
        (8, struct.pack("<Q", 2), "page 1: expected an event at byte 16, found 2 bytes"),
        (16, struct.pack("<II", 0, 3), "page 1: expected a length of 4 bytes or more"),
        (16, struct.pack("<I", 30) * 5, "page 1: expected a length or time"),
        (16, struct.pack("<IH", 1, 168), "page 1: expected the fields of cpu_idle at byte 20"),
        (32, struct.pack("<I", 9000), "page 1: expected a CPU up to 8191 at byte 20, found 9000"),
    ],
)
def test_pages_that_no_kernel_makes(at: int, bytes_: bytes, message: str) -> None:
    data = bytearray(PLAIN)
    data[PAGE_AT + at : PAGE_AT + at + len(bytes_)] = bytes_
    assert message in refusal(bytes(data))
    with pytest.raises(Unreadable, match="page 1"):
        by_pages(bytes(data), core=compiled is not None)


@pytest.mark.parametrize("make", [version_6, version_7])
def test_a_file_cut_anywhere_is_refused_with_its_place(make: object) -> None:
    pages = packed([[Page(1000, [("idle", 0, 1)])]] * 2)
    data = version_6(pages) if make is version_6 else version_7(pages)
    for size in (11, 17, 25, 60, 300, 600, len(data) - 1):
        assert "offset 0x" in refusal(data[:size]), size


def test_sizes_beyond_all_bounds_are_refused() -> None:
    for data, message in (
        (
            PLAIN.replace(b"header_page\0", b"header_page\0" + b"\xff" * 8),
            "found 18446744073709551615",
        ),
        (PLAIN[:12] + PLAIN[12:14] + b"\xff" * 4 + PLAIN[18:], "expected pages of 17 to"),
        (version_7([PLAIN[PAGE_AT:]])[:-8] + b"\xff" * 8, "offset 0x"),
    ):
        assert message in refusal(data)
