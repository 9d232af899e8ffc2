"""A perf.data read from its records, held to what perf script prints and to the core's twin."""

import ctypes
import re
import shutil
import struct
import subprocess
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import compressed, limits
from idle_states.base.reading.inputs import Input
from idle_states.base.reading.problems import InputProblems, Problem
from idle_states.cli import main
from idle_states.lab.traces import any_trace, event_formats, perf_data, perf_file
from idle_states.lab.traces.periods import Pairing, Period
from idle_states.lab.traces.text import LOST, TraceText
from idle_states.tables.linux.governors.core.packing import RING_EVENT, compiled
from tests.support.compiled import needs_core
from tests.support.idle_events import Event, events_of, lines_of
from tests.support.perf_data import PACKED, Op, Writer
from tests.support.thorough import examples

needs_perf = pytest.mark.skipif(
    not shutil.which("perf"), reason="perf is not installed (Debian package linux-perf)"
)
EXIT_STATE = 0xFFFFFFFF
ROUND: Op = ("round", 0, 0, 0)
CORES = [None, *([compiled] if compiled is not None else [])]


def by_records(data: bytes, core: Any = None, part: int = 1 << 20) -> tuple[Any, ...]:
    """Events with their lines, lines, events and losses counted, problems."""
    reader = TraceText(InputProblems(), core)
    events: list[tuple[Event, int]] = []
    with mock.patch.object(limits, "PERF_PART_BYTES", part):
        file = perf_file.read(Input("perf.data", held=data))
        for batch in perf_data.batches(file, reader, core):
            events += zip(events_of(batch), lines_of(batch), strict=True)
    return events, (reader.lines, reader.events, reader.lost), reader.problems.listing()


def by_perf(path: Path) -> tuple[list[Event], TraceText]:
    command = ["perf", "script", "--force", "--ns", "--show-lost-events", "-F",
               "-ip,-sym", "-i", str(path)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, check=False)
    assert not done.returncode, done.stderr
    reader = TraceText(InputProblems(), None)
    text = re.sub(rb"^\s*\n", b"", done.stdout, flags=re.MULTILINE)
    return [event for batch in reader.batches([text]) for event in events_of(batch)], reader


def plain(found: tuple[Any, ...]) -> list[Event]:
    """Events but losses: where these stand among events of other CPUs follows from no time."""
    return [event for event, _ in found[0] if event[0][1] != LOST]


def by_cpu(found: tuple[Any, ...]) -> dict[int, list[Event]]:
    """All events of each CPU, losses where they are among them."""
    events: dict[int, list[Event]] = {}
    for event, _ in found[0]:
        events.setdefault(event[0][0], []).append(event)
    return events


def periods(data: bytes) -> tuple[list[Period], tuple[Problem, ...]]:
    problems = InputProblems()
    reader, pairing = TraceText(problems), Pairing(problems)
    found: list[Period] = []
    for batch in any_trace.batches(Input("perf.data", held=data), reader):
        found += pairing.feed(batch)
    return [*found, *pairing.finish()], problems.listing()


def refusal(data: bytes) -> str:
    said = set()
    for core in CORES:
        with pytest.raises(Unreadable) as caught:
            by_records(data, core)
        said.add(str(caught.value.findings[0]))
    (text,) = said
    return text


CPU_OPS = st.lists(
    st.tuples(
        st.sampled_from(("idle", "idle", "miss", "other", "lost", "comm")),
        st.integers(1, 500),
        st.sampled_from((0, 1, 7, 300)),
    ),
    max_size=8,
)


@st.composite
def recorded(draw: st.DrawFn) -> list[Op]:
    """Records as perf writes them: in each round what is in the ring buffer of one CPU after
    another, nothing of it before the round before began."""
    ops: list[Op] = []
    now = [1000] * 3
    before = 1000
    for _ in range(draw(st.integers(1, 4))):
        start = max(now)
        for cpu in range(3):
            now[cpu] = max(now[cpu], draw(st.integers(before, start)))
            for what, delta, value in draw(CPU_OPS):
                now[cpu] += delta
                state = EXIT_STATE if what == "idle" and value == 300 else value
                ops.append((what, now[cpu], cpu, state))
        ops.append(ROUND)
        before = start
    return ops


WRITERS = st.builds(Writer, st.sampled_from("<>"), st.sampled_from((None, 0, 3)))


@needs_perf
@settings(
    max_examples=examples(6, 30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(recorded(), WRITERS)
def test_any_records_are_read_as_perf_script_prints_them(
    tmp_path: Path, ops: list[Op], writer: Writer
) -> None:
    path = tmp_path / "perf.data"
    path.write_bytes(writer.file(ops))
    events, counted, _ = by_records(path.read_bytes())
    theirs, reader = by_perf(path)
    assert plain((events,)) == [event for event in theirs if event[0][1] != LOST]
    assert (counted[1], counted[2]) == (reader.events, reader.lost)
    losses = sorted(event for event, _ in events if event[0][1] == LOST)
    assert losses == sorted(event for event in theirs if event[0][1] == LOST)


@needs_core
@settings(max_examples=examples(40, 150), deadline=None)
@given(recorded(), WRITERS, st.sampled_from((400, 1 << 20)), st.data())
def test_the_core_reads_records_as_the_reference_does(
    ops: list[Op], writer: Writer, part: int, data: st.DataObject
) -> None:
    ops.insert(data.draw(st.integers(0, len(ops))), ("aux", 0, 0, 24))
    file = bytearray(writer.file(ops))
    assert by_records(bytes(file), compiled, part) == by_records(bytes(file), None, part)
    for _ in range(3):
        file[data.draw(st.integers(8, len(file) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    results: list[Any] = []
    for core in (compiled, None):
        try:
            results.append(by_records(bytes(file), core, part))
        except Unreadable as unreadable:
            results.append(str(unreadable.findings[0]))
        except event_formats.Beyond as beyond:
            results.append(str(beyond))
    assert results[0] == results[1]


@pytest.mark.parametrize("core", CORES)
@given(recorded(), WRITERS)
@settings(max_examples=examples(15, 50), deadline=None)
def test_parts_and_rounds_do_not_matter(core: Any, ops: list[Op], writer: Writer) -> None:
    """A part ends in the middle of a record; without rounds all is held to the end."""
    whole = by_records(writer.file(ops), core)
    ops.append(("comm", 0, 0, 0))
    rounds = writer.file([op for op in ops if op != ROUND])
    for other in (by_records(writer.file(ops), core, 400), by_records(rounds, core)):
        assert plain(other) == plain(whole)
        assert by_cpu(other) == by_cpu(whole)
        assert other[1] == whole[1]


@pytest.mark.parametrize("core", CORES)
def test_rounds_are_given_as_they_are_settled(core: Any) -> None:
    """Memory does not depend on the length of the file."""
    ops: list[Op] = []
    for number in range(50):
        ops += [("idle", 1000 * number + ns, 0, 1) for ns in range(1, 20)]
        ops.append(ROUND)
    reader = TraceText(InputProblems(), core)
    file = perf_file.read(Input("perf.data", held=Writer().file(ops)))
    with mock.patch.object(limits, "PERF_PART_BYTES", 4096):
        sizes = [len(batch) for batch in perf_data.batches(file, reader, core)]
    assert len(sizes) > 10
    assert max(sizes) < 150


def test_only_one_event_and_no_numbers() -> None:
    ops: list[Op] = [("idle", 1000, 1, 2), ("lost", 1500, 1, 3), ("comm", 1600, 0, 0)]
    for core in CORES:
        events = by_records(Writer(one=True).file(ops), core)[0]
        assert events == [(((1, 2), 1000), 1), (((1, LOST), 3), 2)]


@pytest.mark.parametrize("core", CORES)
def test_a_loss_is_before_the_first_event_after_it(core: Any) -> None:
    """Its record has a time of its own, after that of the event that led to it."""
    ops: list[Op] = [
        *(("idle", 1000, 0, 1), ("idle", 2000, 0, EXIT_STATE), ("idle", 2500, 1, 4), ROUND),
        *(("idle", 3000, 0, 2), ("lost", 5010, 0, 13), ("idle", 5000, 0, 1)),
        *(("idle", 6000, 0, EXIT_STATE), ("idle", 7000, 1, EXIT_STATE), ROUND),
    ]
    found = [event for event, _ in by_records(Writer().file(ops), core)[0]]
    of_cpu = [event for event in found if event[0][0] == 0]
    assert of_cpu[2:5] == [((0, 2), 3000), ((0, LOST), 13), ((0, 1), 5000)]
    # the same where the round before has been given, and nothing of the CPU is held
    ops.insert(5, ROUND)
    ops.insert(5, ROUND)
    assert [event for event, _ in by_records(Writer().file(ops), core, 200)[0]] == found


def test_no_period_spans_a_loss() -> None:
    ops: list[Op] = [
        *(("idle", 1000, 0, 1), ("lost", 5010, 0, 13), ("idle", 5000, 0, EXIT_STATE)),
        *(("idle", 6000, 0, 2), ("idle", 7000, 0, EXIT_STATE)),
    ]
    found, problems = periods(Writer().file(ops))
    assert found == [(0, 2, 6000, 7000, 0)]
    assert [problem.kind for problem in problems] == ["lost-events", "broken-by-loss"]


def packed(writer: Writer, ops: Sequence[Op], parts: int) -> bytes:
    """Records compressed together, over several records."""
    plain = b"".join(map(writer.record, ops))
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compress.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(len(plain) + 1000)
    size = library.ZSTD_compress(room, ctypes.c_size_t(len(room)), plain,
                                 ctypes.c_size_t(len(plain)), 3)  # fmt: skip
    step = -(-size // parts)
    pieces = [room.raw[at : min(at + step, size)] for at in range(0, size, step)]
    return b"".join(
        struct.pack(f"{writer.order}I2H", PACKED, 0, 8 + len(piece)) + piece for piece in pieces
    )


needs_zstd = pytest.mark.skipif(not compressed.can_unpack("zstd"), reason="there is no libzstd")


@needs_zstd
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("parts", [3, 8])
def test_records_compressed_with_zstd(core: Any, parts: int) -> None:
    ops: list[Op] = [("idle", 1000 * n, n % 3, n % 4) for n in range(20_000)]
    writer = Writer()
    file = writer.around(packed(writer, ops, parts))
    assert len(file) < len(writer.file(ops)) / 4
    assert by_records(file, core) == by_records(writer.file(ops), core)


@needs_zstd
def test_damaged_compression_is_refused() -> None:
    writer = Writer()
    records = bytearray(packed(writer, [("idle", 1000 * n, 0, 1) for n in range(99)], 1))
    records[12] ^= 0xFF
    assert "expected records compressed with zstd, found:" in refusal(writer.around(bytes(records)))
    whole = packed(writer, [("idle", 1, 0, 1)], 1)
    longer = writer.record(("idle", 1, 0, 1))[:-4]
    with mock.patch.object(Writer, "record", return_value=longer):
        cut = packed(writer, [("idle", 1, 0, 1)], 1)
    assert by_records(writer.around(whole))[1] == (1, 1, 0)
    assert "expected a whole record, found" in refusal(writer.around(cut))


@needs_zstd
def test_nothing_stays_of_a_stream_of_zstd() -> None:
    compressed.ZstdStream()
    before = len(ctypes.Structure.__subclasses__())
    for _ in range(3):
        compressed.ZstdStream()
    assert len(ctypes.Structure.__subclasses__()) == before


def test_without_zstd_its_records_are_refused_by_name() -> None:
    writer = Writer()
    record = struct.pack("<I2H", PACKED, 0, 16) + bytes(8)
    with mock.patch.object(compressed, "_zstd", return_value=None):
        assert "found zstd; install libzstd" in refusal(writer.around(record))


GOOD = Writer().file([("idle", 1000, 0, 1), ROUND])
START = struct.unpack_from("<Q", GOOD, 40)[0]


def patched(at: int, form: str, value: int) -> bytes:
    data = bytearray(GOOD)
    struct.pack_into(form, data, at, value)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (patched(48, "<Q", 0), "found none (perf record that was not ended writes so)"),
        (patched(48, "<Q", 1 << 40), "found the end (a file cut short reads so)"),
        (GOOD[:50], "found 2 (a file cut short reads so)"),
        (patched(16, "<Q", 7), "expected events of 7 bytes"),
        (patched(START + 6, "<H", 4), "expected a record of 8 bytes or more, found 4"),
        (patched(START + 6, "<H", 60_000), "expected a whole record, found the end of records"),
        (patched(START + 8, "<Q", 77), "expected a sample of one of the file's events, found 77"),
        (patched(START + 56, "<I", 8), "expected the fields of cpu_idle, found 8 bytes"),
        (patched(START + 72, "<I", 9000), "expected a CPU up to 8191, found 9000"),
        (patched(START, "<I", 71), "bytes more, found the end of records"),
    ],
)
def test_damage_is_refused_with_its_place(data: bytes, message: str) -> None:
    said = refusal(data)
    assert message in said
    assert "offset 0x" in said


def test_what_perf_script_alone_reads_is_said(tmp_path: Path) -> None:
    path = tmp_path / "perf.data"
    path.write_bytes(patched(8, "<Q", 16))
    with pytest.raises(Unreadable, match=r"as perf writes them to a pipe; run perf script on it"):
        list(any_trace.batches(Input(str(path)), TraceText(InputProblems())))


def test_a_replay_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "perf.data"
    ops: list[Op] = [("idle", 10**9, 0, 1), ("idle", 10**9 + 30_000, 0, EXIT_STATE), ROUND]
    path.write_bytes(Writer().file(ops))
    assert main(["replay", str(path), "--states", "1000/10000", "--format", "json"]) == 0
    assert '"usage": 1' in capsys.readouterr().out


@needs_perf
def test_what_perf_records_here(tmp_path: Path) -> None:
    """A real file: losses, several events, and cpu_idle if any processor has a moment."""
    path = tmp_path / "perf.data"
    events = ["-e", "power:cpu_idle", "-e", "sched:sched_switch"]
    command = ["perf", "record", "-q", "-m", "1", *events, "-a", "-o", str(path), "sleep", "0.1"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode or not path.exists():
        pytest.skip("perf may not record here")
    for core in CORES:
        events, counted, _ = by_records(path.read_bytes(), core)
        theirs, reader = by_perf(path)
        assert plain((events,)) == [event for event in theirs if event[0][1] != LOST]
        assert counted[1:] == (reader.events, reader.lost)


@pytest.mark.parametrize(
    ("limit", "most"), [("PERF_IDS", 8), ("PERF_EVENTS", 2), ("TRACE_FORMATS", 2)]
)
def test_what_a_head_may_count_is_limited(limit: str, most: int) -> None:
    """Numbers count as often as they are said: else a small file takes hours."""
    ids_at, _ = struct.unpack_from("<2Q", GOOD, 104 + 9 * 8 + 112)
    data = bytearray(GOOD)
    for event in range(3):
        struct.pack_into("<Q", data, 104 + 9 * 8 + event * 128 + 112, ids_at)
    assert by_records(bytes(data))[1] == (0, 0, 0)
    with mock.patch.object(limits, limit, most):
        assert f"expected at most {most} " in refusal(bytes(data))


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            ("replay", "--states", "1000/10000"),
            "found none in this perf.data; record all CPUs while some are idle",
        ),
        (
            ("tune", "power9", "--power", "implied", "--trace"),
            "expected idle periods, found none in 0 events of cpu_idle",
        ),
    ],
)
def test_a_file_without_samples_says_what_to_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "perf.data"
    path.write_bytes(Writer().file([("other", 1000, 0, 1), ROUND]))
    assert main([*command, str(path)]) == 3
    assert message in capsys.readouterr().err


def test_too_many_events_without_a_round_are_refused_with_a_way_out() -> None:
    ops: list[Op] = [("idle", 1000 * n, 0, 1) for n in range(50)]
    with mock.patch.object(limits, "PERF_HELD_BYTES", 40 * 32):
        assert "sorted at once; run perf script on it" in refusal(Writer().file(ops))


@needs_core
def test_events_without_a_round_are_held_once() -> None:
    """The least that sorting needs: all of them, and what they become."""
    ops: list[Op] = [("idle", 1000 * n, 0, 1) for n in range(10_000)]
    file = perf_file.read(Input("perf.data", held=Writer().file(ops)))
    held = RING_EVENT.size * len(ops)
    tracemalloc.start()
    with mock.patch.object(limits, "PERF_PART_BYTES", 1 << 14):
        (batch,) = perf_data.batches(file, TraceText(InputProblems(), compiled), compiled)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(batch) == len(ops)
    assert held < peak < 1.9 * held


def test_what_both_kinds_of_file_have_is_limited_by_rows_that_name_both() -> None:
    name2row = {row.what: row for row in limits.TABLE if row.reader == "trace.dat, perf.data"}
    assert {row.value for row in name2row.values()} == {
        limits.TRACE_HEAD_BYTES,
        limits.TRACE_FORMATS,
    }
    with mock.patch.object(limits, "TRACE_HEAD_BYTES", 8):
        assert "expected at most 8 bytes" in refusal(GOOD)
