"""replay --perfetto, read back by the protobuf classes of Perfetto's own package."""

import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from idle_states.base.report import perfetto as report
from idle_states.base.report.perfetto import PerfettoTrace
from idle_states.cli import main
from idle_states.lab.replay import calibrated, run
from idle_states.lab.replay.answer import replay
from idle_states.lab.replay.fits import DEEP, SHALLOW
from idle_states.lab.replay.request import ReplayRequest
from idle_states.lab.replay.results import Account, ReplayResult
from idle_states.lab.replay.timeline import ENDED, LIMIT
from idle_states.tables.linux.releases import release
from tests.support import DATA

protos = pytest.importorskip(
    "perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="no perfetto (the extra test)"
)
TRACES, RECORDINGS, VECTORS = DATA / "traces", DATA / "recordings", DATA / "vectors"
SLICE = str(TRACES / "mt8196-teo.slice.txt.gz")
DUMPS = [str(TRACES / f"mt8196-teo.sysfs-{when}.txt") for when in ("before", "after")]
COLUMNS = (
    "latency_req_us,sleep_length_ns,delta_next_ns,tick_stopped,nr_iowaiters,load,state,stop_tick,"
    "rejected,residency_ns,got_tick,poll_time_limit,clock_at_select_ns\n"
)


@dataclass
class Track:
    """A track as read: its slices (start, end, name, category), and its instants (time, name)."""

    slices: list[tuple[int, int, str, str]] = field(default_factory=list)
    instants: list[tuple[int, str]] = field(default_factory=list)


Tracks = dict[tuple[str, str], Track]
"""By the names of the track above and of the track itself."""


def read(data: bytes) -> Tracks:
    """Returns the tracks of a trace, whose packets must be as the format asks."""
    trace = protos.Trace.FromString(data)
    tables: dict[str, dict[int, str]] = {"event_names": {}, "event_categories": {}}
    uuid2track: dict[int, tuple[int, str]] = {}
    found: defaultdict[int, Track] = defaultdict(Track)
    began: dict[int, tuple[int, str, str]] = {}
    last: dict[int, int] = {}
    kinds = protos.TrackEvent
    for at, packet in enumerate(trace.packet):
        assert packet.trusted_packet_sequence_id == trace.packet[0].trusted_packet_sequence_id != 0
        assert (packet.sequence_flags == protos.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED) == (
            not at
        )
        for table, number2name in tables.items():
            for entry in getattr(packet.interned_data, table):
                assert entry.iid
                assert number2name.setdefault(entry.iid, entry.name) == entry.name
        if packet.HasField("track_descriptor"):
            told = packet.track_descriptor
            assert told.uuid not in uuid2track
            assert not told.parent_uuid or told.parent_uuid in uuid2track
            uuid2track[told.uuid] = told.parent_uuid, told.name
        if not packet.HasField("track_event"):
            continue
        event, now = packet.track_event, packet.timestamp
        assert packet.sequence_flags == protos.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
        assert event.track_uuid in uuid2track
        assert now >= last.get(event.track_uuid, 0)
        last[event.track_uuid] = now
        name = tables["event_names"][event.name_iid] if event.name_iid else event.name
        some = [tables["event_categories"][iid] for iid in event.category_iids]
        some += event.categories
        track = found[event.track_uuid]
        if event.type == kinds.TYPE_SLICE_END:
            start, *words = began.pop(event.track_uuid)
            assert not name
            track.slices.append((start, now, *words))
            continue
        assert name
        (category,) = some
        if event.type == kinds.TYPE_SLICE_BEGIN:
            assert event.track_uuid not in began
            began[event.track_uuid] = now, name, category
        else:
            assert event.type == kinds.TYPE_INSTANT
            track.instants.append((now, name))
    assert not began
    assert trace.packet[0].trace_packet_defaults.timestamp_clock_id == protos.BUILTIN_CLOCK_BOOTTIME
    names = {0: "", **{uuid: name for uuid, (_, name) in uuid2track.items()}}
    return {(names[uuid2track[uuid][0]], names[uuid]): track for uuid, track in found.items()}


def replayed(*inputs: str, **options: object) -> tuple[Tracks, ReplayResult, list[str]]:
    """Returns the tracks of a replay, its result, and what it said."""
    parts, said = list[bytes](), list[str]()
    request = ReplayRequest(inputs, **options)  # type: ignore[arg-type]
    result = replay(request, say=said.append, trace=PerfettoTrace(parts.append)).result
    return read(b"".join(parts)), result, said


def counted(tracks: Tracks, label: str) -> dict[tuple[int, str], tuple[int, ...]]:
    """Returns (CPU, state) -> usage, us, too deep and too shallow of the tracks of a label."""
    found: defaultdict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for (cpu, name), track in tracks.items():
        if name != label:
            continue
        for start, end, state, category in track.slices:
            found[int(cpu.removeprefix("CPU ")), state].update(
                {"usage": 1, "ns": end - start, category: 1}
            )
        misfits = Counter(each for _, each in track.instants if each in (DEEP, SHALLOW))
        assert misfits == Counter(c for *_, c in track.slices if c in (DEEP, SHALLOW))
    return {
        key: (sums["usage"], sums["ns"] // 1000, sums[DEEP], sums[SHALLOW])
        for key, sums in found.items()
    }


def figures(account: Account) -> dict[tuple[int, str], tuple[int, ...]]:
    """Returns the same of the account that the sheet shows."""
    return {
        (cpu, state.name): (state.usage, state.time_us, state.above, state.below)
        for cpu, own in account.cpus.items()
        for state in own.states
        if state.usage
    }


def agree(tracks: Tracks, result: ReplayResult, *labels: str) -> None:
    """Expects what was entered, and each account by its label."""
    assert counted(tracks, f"entered: {result.observed.machine}") == figures(result.observed) != {}
    for label, account in zip(labels, result.accounts, strict=True):
        assert counted(tracks, label) == figures(account) != {}


@pytest.mark.parametrize("timer", ["gap", "far"])
def test_estimates_have_every_idle_of_the_sheet(timer: str) -> None:
    tables = ("power9", "power9-dd1")
    given = {"release": release("6.1"), "tables": tables, "next_timer": timer}
    tracks, result, said = replayed(SLICE, **given, governors=("menu", "teo"))
    names = [f"{table}, {governor}" for table in tables for governor in ("menu", "teo")]
    agree(tracks, result, *names)
    assert result.read.periods > 2000
    assert said == []
    # no trace of cpu_idle tells limits, nor what ended an idle period
    assert {name for _, name in tracks} == {"entered: power9", *names}
    assert any(each.total.above for each in result.accounts) == (timer == "far")


def test_states_as_entered_are_judged_by_each_table() -> None:
    tracks, result, _ = replayed(SLICE, *DUMPS, tables=("power9", "power9-dd1"))
    labels = [f"entered: {account.machine}" for account in result.accounts]
    assert len(labels) == 2
    agree(tracks, result, *labels)


@pytest.mark.parametrize("core", [True, False])
def test_calibrated_replays(core: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not core:
        monkeypatch.setattr(calibrated, "PERIODS_MAX", 2000)
    given = {"release": release("6.6"), "hz": 1000, "governors": ("teo",)}
    tracks, result, _ = replayed(SLICE, *DUMPS, **given)
    # beyond the most periods that are calibrated unasked, those that were kept are estimated
    assert (result.calibration is not None) == core
    (account,) = result.accounts
    agree(tracks, result, f"{account.machine}, teo")


@pytest.mark.parametrize("governor", ["menu", "teo", "ladder", "haltpoll"])
@pytest.mark.parametrize("core", [True, False])
def test_recordings(governor: str, core: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not core:
        monkeypatch.setattr(run.core, "available", lambda: False)
    recording = str(VECTORS / "menu-debian6.1.192-p9-poll1.csv.gz")
    tables = ("power9", "power9-dd1")
    given = {"release": release("debian-6.1.192"), "tables": tables, "governors": (governor,)}
    tracks, result, said = replayed(recording, **given)
    agree(tracks, result, *(f"{table}, {governor}" for table in tables))
    assert not [each for each in said if "Perfetto" in each]
    ended = tracks["CPU 0", ENDED].instants
    assert len(ended) == result.read.periods > 100
    assert {words for _, words in ended} == {
        *("the tick", "the end of polling", "the next timer", "before the next timer"),
    }


def test_recorded_events_tell_what_ended_each_idle() -> None:
    given = {"governors": ("menu",)}
    tracks, result, _ = replayed(str(RECORDINGS / "q35-menu-wake-ups.txt.gz"), **given)
    (account,) = result.accounts
    agree(tracks, result, f"{account.machine}, menu")
    ended = Counter(
        w for (_, name), own in tracks.items() if name == ENDED for _, w in own.instants
    )
    assert ended["another CPU (reschedule)"] == 1
    assert ended["timer hrtimer_wakeup of usleep"] == 18
    assert not {"the next timer", "before the next timer"} & {*ended}
    # each stands at the end of the idle period that it ended
    ends = {end for start, end, *_ in tracks["CPU 0", f"entered: {account.machine}"].slices}
    near = [min(abs(end - at) for end in ends) for at, _ in tracks["CPU 0", ENDED].instants]
    assert sorted(near)[len(near) // 2] < 10_000
    # where such events were not recorded, the columns tell less
    tracks, result, _ = replayed(str(RECORDINGS / "powernv9-menu.txt.gz"), **given)
    ended = Counter(
        w for (_, name), own in tracks.items() if name == ENDED for _, w in own.instants
    )
    assert ended.total() == result.read.periods


def _csv(into: Path, *rows: tuple[int, int, int, int, int]) -> str:
    """Writes decisions: clock and length in ns, state, latency limit in us, whether refused."""
    file = into / "some.csv"
    lines = (
        f"{limit},5000000,4000000,0,0,0,{state},0,{refused},{length},0,0,{clock}\n"
        for clock, length, state, limit, refused in rows
    )
    file.write_text(COLUMNS + "".join(lines))
    return str(file)


@pytest.mark.parametrize("core", [True, False])
def test_limits_and_refused_entries(
    core: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not core:
        monkeypatch.setattr(run.core, "available", lambda: False)
    recording = _csv(
        tmp_path,
        (1_000_000, 500_000, 6, 2_000_000_000, 0),
        (2_000_000, 500_000, 1, 70, 0),
        (3_000_000, 0, 1, 70, 1),
        (4_000_000, 500_000, 0, 5, 0),
        (5_000_000, 500_000, 6, 2_000_000_000, 0),
        (6_000_000, 500_000, 1, 70, 0),
    )
    given = {"release": release("6.12"), "tables": ("power9",)}
    tracks, result, _ = replayed(recording, **given, governors=("menu",))
    agree(tracks, result, "power9, menu")
    assert tracks["CPU 0", LIMIT].slices == [
        (2_000_000, 2_500_000, "70 us", LIMIT),
        (3_000_000, 3_000_000, "70 us", LIMIT),
        (4_000_000, 4_500_000, "5 us", LIMIT),
        (6_000_000, 6_500_000, "70 us", LIMIT),
    ]
    refused = (3_000_000, "stop0_lite: refused by the driver")
    assert refused in tracks["CPU 0", "entered: power9"].instants
    assert sum(state.rejected for state in result.observed.total.states) == 1


def test_what_a_track_cannot_show_is_counted(tmp_path: Path) -> None:
    recording = _csv(
        tmp_path,
        (1_000_000, 500_000, 6, 70, 0),
        (1_400_000, 500_000, 1, 5, 0),
        (1_500_000, 500_000, 1, 70, 0),
        ((1 << 63) - 1, 500_000, 1, 70, 0),
    )
    tracks, result, said = replayed(recording, release=release("6.12"), tables=("power9",))
    assert [start for start, *_ in tracks["CPU 0", "entered: power9"].slices] == [
        *(1_000_000, 1_500_000),
    ]
    assert result.read.periods == 4
    (left,) = (each for each in said if "Perfetto" in each)
    assert left == "not in the Perfetto trace: 2 idle periods overlapping another"


def test_memory_does_not_grow_with_names() -> None:
    parts: list[bytes] = []
    trace = PerfettoTrace(parts.append)
    track = trace.track("\udcff \0 name")
    for number in range(2 * report._KEPT):
        trace.event(report.BEGIN, track, number, f"state {number}", "some")
        trace.event(report.END, track, number)
    assert len(trace._iids) == len(trace._events) == report._KEPT
    ((names, found),) = read(b"".join(parts)).items()
    assert names == ("", "\\xff \\x00 name")
    assert [name for _, _, name, _ in found.slices] == [
        f"state {number}" for number in range(2 * report._KEPT)
    ]


@pytest.mark.slow
def test_nothing_is_kept_of_what_was_written(tmp_path: Path) -> None:
    """Memory is that of the chunk which is read, whatever follows."""
    file, peaks = tmp_path / "a.pftrace", []
    program = (
        "import sys; from idle_states.cli import main; main(sys.argv[1:]); "
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
    )
    for count in (70_000, 280_000):
        rows = ((1_000_000 * at, 500_000, 1, 70 + at % 9, 0) for at in range(1, count))
        words = ["replay", _csv(tmp_path, *rows), "--table", "power9", "--kernel", "6.12"]
        words += ["-o", "/dev/null", "--perfetto", str(file)]
        done = subprocess.run(
            [sys.executable, "-c", program, *words], check=True, stdout=subprocess.PIPE
        )
        peaks.append(1024 * int(done.stdout))
    assert peaks[1] - peaks[0] < file.stat().st_size / 4


def test_files_and_refusals(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    asked = ["replay", SLICE, "--table", "power9", "--governor", "menu"]
    file = tmp_path / "a.pftrace"
    page = ["--html", str(tmp_path / "page.html")]
    assert main([*asked, *page, "--kernel", "6.1", "--perfetto", str(file)]) == 0
    assert "Time line" in (tmp_path / "page.html").read_text()
    capsysbinary.readouterr()
    out = ["-o", str(tmp_path / "text"), "--kernel", "6.1", "--perfetto", "-"]
    assert main([*asked, *out]) == 0
    assert capsysbinary.readouterr().out == file.read_bytes()
    file.unlink()
    for words, message in (
        ([*asked, "--perfetto", "-"], b"expected -o FILE with --perfetto -"),
        (["replay", *DUMPS, "--perfetto", str(file)], b"expected a trace or a recording for"),
        ([*asked, "--kernel", "el9", "--perfetto", str(file)], b" is not known here; "),
        ([*asked, "--perfetto", str(tmp_path / "no" / "file")], b"No such file"),
    ):
        assert main(words) in (2, 3)
        assert message in capsysbinary.readouterr().err
        assert not file.exists()
