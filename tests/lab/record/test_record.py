"""Converting recordings: those of a real kernel agree with the models, and nothing else passes."""

import gzip
import json
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading.inputs import Input
from idle_states.cli import main
from idle_states.lab.record.convert import Converted, convert
from idle_states.lab.traces.head import head_of
from idle_states.lab.traces.recording import NOT_IDLE_YET, rows
from idle_states.tables.linux.governors import Outcome
from tests.support import DATA
from tests.support.thorough import examples

RECORDINGS = DATA / "recordings"
FIRST_EVENT = "# tracer: nop\n"

Capture = pytest.CaptureFixture[str]


def recorded(name: str) -> str:
    return gzip.decompress((RECORDINGS / f"{name}.txt.gz").read_bytes()).decode()


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(content: str | bytes) -> Path:
        file = tmp_path / "recording.txt"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return write


def converted(file: Path) -> Converted:
    return convert(Input(str(file)))


def refused(file: Path) -> str:
    """The one error line, without the file's name."""
    with pytest.raises(Unreadable) as error:
        converted(file)
    (finding,) = error.value.findings
    line = finding.location.line
    return f"{line or ''}: {finding.message}"


def counts(found: Converted) -> tuple[int, dict[str, int], dict[str, int]]:
    left_out = {kind: tally.count for kind, tally in found.left_out.items()}
    return found.decisions, left_out, {kind: tally.count for kind, tally in found.broken.items()}


# Recordings of Linux 6.1.176 (Debian) on emulated machines with two CPUs; one is cut


@pytest.mark.parametrize(
    ("name", "decisions", "skip", "hz"),
    [
        ("powernv9-menu-restarted", 371, 0, True),
        ("powernv9-menu", 136, 20, False),
        ("powernv9-ladder-restarted", 402, 0, True),
        ("powernv10-menu-restarted-cut", 394, 0, True),
    ],
)
def test_the_command_that_convert_prints_agrees_in_all_decisions(
    capsys: Capture, tmp_path: Path, name: str, decisions: int, skip: int, hz: bool
) -> None:
    output = tmp_path / "con verted.csv"
    source = RECORDINGS / f"{name}.txt.gz"
    assert main(["collect", "--convert", str(source), "-o", str(output)]) == 0
    errors = capsys.readouterr().err
    assert f"{decisions} decisions of 2 CPUs: {name.split('-')[1]}, Linux 6.1.0-50" in errors
    assert "Linux debian-6.1.176, " + ("HZ 250" if hz else "unknown HZ") in errors
    (command,) = re.findall(r"now: idle-states (.*)", errors)
    words = shlex.split(command)
    assert words == ["conform", str(output)]
    assert main([*words, "--format", "json"]) == 0
    body = json.loads(capsys.readouterr().out)
    judged = decisions - 2 * skip
    assert (body["decisions"], body["skipped"], body["agree"]) == (judged, 2 * skip, judged)
    assert (body["kernel"], body["hz"], body["unlike"]) == ("debian-6.1.176", 250, [])
    assert bool(body["assumptions"]) == (not hz)


def test_the_idle_period_before_the_governor_was_switched_on_is_what_it_takes(
    capsys: Capture, tmp_path: Path
) -> None:
    """Without it the model thinks that there was none, and remembers an interval too many."""
    found = converted(RECORDINGS / "powernv9-menu-restarted.txt.gz")
    assert {run.cpu: run.earlier for run in found.runs} == {0: (0, 8371990), 1: (0, 1559172)}
    text = found.csv()
    file = tmp_path / "recording.csv"
    file.write_text(text)
    machine = ["--states", "1000/10000,2000/20000,5000/50000", "--polling"]
    machine += ["--kernel", "debian-6.1.176", "--governor", "menu"]
    assert main(["replay", str(file), *machine, "--format", "json"]) == 0
    agreement = json.loads(capsys.readouterr().out)["agreement"]
    assert agreement == {"periods": 371, "same_state": 371}

    assert text.count(",8371990\n") == text.count(",1559172\n") == 1
    for earlier in (",8371990\n", ",1559172\n"):
        text = text.replace(earlier, ",0\n")
    file.write_text(text)
    assert main(["conform", str(file), *machine]) == 1
    assert "369 of 371 decisions agree" in capsys.readouterr().out


def test_the_state_before_is_recorded_where_the_script_asked_for_it(
    written: Callable[[str | bytes], Path],
) -> None:
    found = converted(RECORDINGS / "powernv10-menu-restarted-cut.txt.gz")
    assert [(run.cpu, run.earlier) for run in found.runs] == [(0, (1, 5606466)), (1, (1, 863364))]
    assert found.cut
    decisions = rows(Input(str(written(found.csv()))))
    assert {row.cpu: row.earlier for row in decisions if row.earlier != NOT_IDLE_YET} == {
        0: Outcome(1, 5606466),
        1: Outcome(1, 863364),
    }


def test_what_is_left_out_of_the_real_ones_is_counted() -> None:
    real = [counts(converted(file)) for file in sorted(RECORDINGS.glob("*.txt.gz"))]
    assert real == [
        (394, {"ended": 2}, {}),
        (402, {"ended": 2, "shorter": 7}, {}),
        (371, {"ended": 2}, {}),
        (136, {"ended": 1}, {}),
        (323, {"ended": 1}, {}),
    ]


# Recordings that are broken

MENU = recorded("powernv9-menu")
LINES = MENU.splitlines(keepends=True)
HEADER = next(i for i, text in enumerate(LINES) if text == FIRST_EVENT) + 1
EVENTS = next(i for i, text in enumerate(LINES) if i >= HEADER and text[0] != "#")
MIDDLE = (EVENTS + len(LINES)) // 2


def with_line(text: str, at: int = MIDDLE) -> str:
    return "".join([*LINES[:at], text, *LINES[at:]])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", ": expected a trace, a recording or a sysfs dump; found an empty file"),
        (b"\n", "1: expected '# idle-states recording 1', printed by the script, found ''"),
        (bytes(range(256)) * 4, r"1: expected '# idle-states recording 1', printed by the script"),
        (LINES[0], "1: expected '# tracer: nop' and events, found the end"),
        ("".join(LINES[1:]), "1: expected '# idle-states recording 1', printed by the script"),
        ("".join(LINES[: EVENTS - 1]), ": expected a complete decision of the governor, found no"),
        (MENU.replace(FIRST_EVENT, ""), "expected the header, up to '# tracer: nop', found"),
        (LINES[0] + "".join(LINES[HEADER - 1 :]), "2: expected a header with release, version"),
        (re.sub("# state: .*\n", "", MENU), "expected a header with states, found none"),
        (MENU.replace(" state=2 ", " state=3 ", 1), "15: expected states in their order, of CPUs"),
        (MENU.replace(" latency=1 ", " latency=x ", 1), "14: expected a number for latency of a"),
        (MENU.replace(" latency=1 ", " latency=4294967296 ", 1), "14: expected times up to 42949"),
        (MENU.replace("events=0", "events=", 1), "21: expected a number for events of a lost"),
        (MENU.replace("release: 6", "release: six"), "expected a Linux release, found 'six.1"),
        (
            MENU.replace("governor: menu", "governor: haltpoll"),
            "expected governor menu, teo, ladder",
        ),
        (MENU.replace("governor: menu", "governor: teo"), "expected Linux 6.14 or later for teo"),
        (
            MENU.replace("[001]", "[007]"),
            r"^\d+: expected one of the 2 CPUs of the header, found CPU 7",
        ),
        (with_line("x" * 100_000 + "\n"), f"{MIDDLE + 1}: expected lines of at most 65536 bytes"),
        (MENU + LINES[0], f"{len(LINES) + 1}: expected nothing after '# end', found '# idle-stat"),
        (MENU.replace(" lres=", " lres=9"), "idle period of 0 to .*device is laid out differently"),
        (
            re.sub(r"(bits=\d+) cpu=1", r"\1 cpu=0", MENU),
            "struct cpuidle_device, found 0; this kernel's",
        ),
    ],
)
def test_what_cannot_be_converted_is_told_with_its_place_and_a_next_step(
    capsys: Capture,
    written: Callable[[str | bytes], Path],
    content: str | bytes,
    said: str,
) -> None:
    file = written(content)
    message = refused(file)
    assert said in message or re.search(said, message)
    output = file.with_suffix(".csv")
    assert main(["collect", "--convert", str(file), "-o", str(output)]) == 3
    error = capsys.readouterr().err
    assert error.startswith(f"{file}:")
    assert error.count("\n") == 1 + ("\n      = next: " in error)
    assert not output.exists()


@pytest.mark.parametrize("packed", [False, True])
def test_a_recording_that_ends_early_is_converted_and_said_to(
    capsys: Capture, written: Callable[[str | bytes], Path], packed: bool
) -> None:
    text = "".join(LINES[:MIDDLE]) + LINES[MIDDLE][:30]
    whole = gzip.compress(MENU.encode(), mtime=0)
    file = written(whole[: len(whole) // 2] if packed else text)
    found = converted(file)
    assert found.cut
    assert 20 < found.decisions < 136
    assert main(["collect", "--convert", str(file)]) == 0
    assert "the recording's last line is missing; it was cut short" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "kind", "cut"),
    [
        ("CPU:1 [LOST 17 EVENTS]\n", "lost", 1),
        ("CPU:1 [LOST EVENTS]\n", "lost", 1),
        ("random: crng init done\n", "unread", 2),
        ("\x00\xff\n", "unread", 2),
    ],
)
def test_a_gap_ends_a_run_and_is_counted(
    capsys: Capture, written: Callable[[str | bytes], Path], text: str, kind: str, cut: int
) -> None:
    """cut: decisions under way, of one CPU or of both."""
    at = next(
        i for i in range(MIDDLE, len(LINES)) if "[001]" in LINES[i] and "is_sleep" in LINES[i]
    )
    file = written(with_line(text, at))
    decisions, left_out, broken = counts(converted(file))
    assert broken == {kind: 1}
    assert left_out[kind] == cut
    assert decisions + sum(left_out.values()) == 137
    assert left_out["shorter"] > 0
    assert main(["collect", "--convert", str(file)]) == 0
    errors = capsys.readouterr().err
    assert f"{file}:{at + 1}: 1 time " in errors


def test_a_line_of_noise_before_everything_is_counted_too(
    written: Callable[[str | bytes], Path],
) -> None:
    decisions, _, broken = counts(converted(written(with_line("noise\n", EVENTS))))
    assert (decisions, broken) == (136, {"unread": 1})


def test_events_out_of_order_are_not_taken_for_a_run(
    written: Callable[[str | bytes], Path],
) -> None:
    lines = LINES.copy()
    begins = [
        i for i in range(MIDDLE, len(LINES)) if "[001]" in LINES[i] and "is_begin" in LINES[i]
    ]
    early, late = begins[2], begins[8]
    lines[early], lines[late] = lines[late], lines[early]
    decisions, _, broken = counts(converted(written("".join(lines))))
    assert broken["backwards"] == 2
    assert decisions < 136
    shuffled = LINES[EVENTS:-1]
    Random(1).shuffle(shuffled)
    with pytest.raises(Unreadable, match="expected"):
        converted(written("".join([*LINES[:EVENTS], *shuffled])))


def test_order_between_cpus_does_not_matter(written: Callable[[str | bytes], Path]) -> None:
    """Each CPU has a buffer of its own; times decide where its decisions go."""
    apart = [
        *LINES[:EVENTS],
        *(line for line in LINES[EVENTS:-1] if "[001]" in line),
        *(line for line in LINES[EVENTS:-1] if "[000]" in line),
        LINES[-1],
    ]
    assert converted(written("".join(apart))).csv() == converted(written(MENU)).csv()


@pytest.mark.parametrize(
    "before", ["record: recording for 10 s\n", "\n", "record: a\n\nrecord: b\n"]
)
def test_what_the_script_says_beside_it_does_not_make_an_estimate_of_it(
    before: str, written: Callable[[str | bytes], Path], capsys: Capture
) -> None:
    """sh record.sh > recording.txt 2>&1"""
    text = recorded("powernv9-menu-restarted")
    wanted = converted(written(text)).csv()
    file = written(f"{before}{text}record: cannot unmount /sys/kernel/tracing\n")
    assert converted(file).csv() == wanted
    assert main(["replay", str(file), "--table", "power9", "--governor", "menu"]) == 0
    out, errors = capsys.readouterr()
    assert "\nEXACT: " in out
    assert "converted first, as by collect --convert: 371 decisions" in errors


@pytest.mark.parametrize(
    "event", ["is_latency", "is_sleep", "is_iowait", "is_decide", "is_tick: (menu_reflect"]
)
def test_a_decision_that_lacks_an_input_is_left_out(
    written: Callable[[str | bytes], Path], event: str
) -> None:
    whole = converted(written(MENU))
    at = [i for i, line in enumerate(LINES) if "[001]" in line and f" {event}" in line]
    lacking = at[len(at) // 2]
    found = converted(written("".join([*LINES[:lacking], *LINES[lacking + 1 :]])))
    decisions, left_out, _ = counts(found)
    assert left_out["missing"] == 1
    assert decisions + left_out["missing"] + left_out.get("shorter", 0) == whole.decisions
    assert set(found.csv().splitlines()) < set(whole.csv().splitlines())


def test_rejected_entries_are_only_taken_where_no_probe_was_missed(
    written: Callable[[str | bytes], Path],
) -> None:
    without = re.sub(r".*\[000\].* is_reflect: .*\n", "", MENU)
    found = converted(written(without))
    (quiet,) = (run for run in found.runs if run.cpu == 0)
    assert all(",1,0," in cells for _, cells in quiet.rows)
    missed = re.sub(r"(is_reflect hits=\d+) misses=0", r"\1 misses=3", without)
    found = converted(written(missed))
    assert [run.cpu for run in found.runs] == [1]
    assert "is_reflect: the kernel missed" in found.left_out["missing"].message


RESTARTED = recorded("powernv9-menu-restarted")


@pytest.mark.parametrize("arguments", ["cpu=1 lres=(fault)", "cpu=1", "cpu=1 lres=-1"])
def test_a_restart_whose_past_was_not_read_is_no_known_beginning(
    capsys: Capture, written: Callable[[str | bytes], Path], arguments: str
) -> None:
    file = written(re.sub(r"(is_reset: \(.*?\)) cpu=1 .*", rf"\1 {arguments}", RESTARTED))
    found = converted(file)
    assert {run.cpu: run.earlier is not None for run in found.runs} == {0: True, 1: False}
    assert main(["collect", "--convert", str(file)]) == 0
    errors = capsys.readouterr().err
    assert "the earlier history of CPU 1 is unknown: the first 20 decisions" in errors
    assert "# skip: 20" in found.csv()


def test_teo_needs_the_state_before_a_restart(written: Callable[[str | bytes], Path]) -> None:
    as_teo = RESTARTED.replace("governor: menu", "governor: teo")
    as_teo = as_teo.replace("release: 6.1.0", "release: 6.17.0")
    assert not any(run.earlier for run in converted(written(as_teo)).runs)
    with_idx = re.sub(r"(is_reset: .* cpu=\d) (lres=.*)", r"\1 idx=-1 \2", as_teo)
    runs = converted(written(with_idx)).runs
    assert [run.earlier for run in runs] == [(-1, 8371990), (-1, 1559172)]


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ("release: 6.1.0-50", "release: 5.42.0", "conform cannot judge it: expected a kernel from"),
        ("cpu=1 state=3 latency=5", "cpu=1 state=3 latency=6", "CPUs have 2 different tables"),
        ("latency=0 residency=0", "latency=1 residency=1", "snooze 1/1, stop0_lite 1/10, "),
        ("residency=20 disable=0", "residency=20 disable=1", "stop0 2/20 switched off, "),
        ("# hz: unknown", "# hz: 1000 measured", "Linux debian-6.1.176, HZ 1000, powernv_idle"),
        ("events=0", "events=12", "CPU 1 lost 12 events: the buffer was full"),
        ("driver: powernv_idle", "driver: intel_idle", "unknown HZ, intel_idle"),
    ],
)
def test_what_is_said_about_the_machine(
    capsys: Capture, written: Callable[[str | bytes], Path], was: str, becomes: str, said: str
) -> None:
    assert was in MENU
    text = MENU.replace(was, becomes)
    assert main(["collect", "--convert", str(written(text))]) == 0
    error = capsys.readouterr().err
    assert said in error
    assert error.count("now: ") == ("cannot judge" not in said)


def test_ubuntus_stable_release_is_in_its_signature(
    capsys: Capture, written: Callable[[str | bytes], Path]
) -> None:
    """uname has 5.15.0 whatever it is based on; /proc/version_signature says it."""
    (build,) = re.findall(r"^# version: .*$", MENU, re.MULTILINE)
    text = MENU.replace("release: 6.1.0-50-powerpc64le", "release: 5.15.0-127-generic")
    text = text.replace(build, "# version: #137-Ubuntu SMP")
    signature = "# signature: Ubuntu 5.15.0-127.137-generic 5.15.167"
    for header, kernel in (("", "ubuntu-5.15.0-127"), (f"\n{signature}", "ubuntu-5.15.167")):
        recording = text.replace("#137-Ubuntu SMP", f"#137-Ubuntu SMP{header}")
        assert main(["collect", "--convert", str(written(recording))]) == 0
        assert f"of Linux {kernel}, " in capsys.readouterr().err


def mangle(lines: Sequence[str], faults: Sequence[tuple[int, int, bytes]]) -> bytes:
    """Faults: line, what to do with it, bytes to do it with."""
    mangled = [line.encode() for line in lines]
    for where, what, junk in faults:
        at = where % len(mangled)
        line = mangled[at]
        mangled[at] = (
            (junk, line[: len(line) // 2], line + line, b"", junk + line, line + junk + b"\n")
        )[what % 6]
    return b"".join(mangled)


@settings(
    max_examples=examples(15, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(
        st.tuples(st.integers(0, 400), st.integers(0, 5), st.binary(max_size=40)), max_size=12
    ),
    st.integers(0, 3),
)
def test_whatever_comes_is_converted_or_refused(
    written: Callable[[str | bytes], Path], faults: list[tuple[int, int, bytes]], header: int
) -> None:
    """And what is converted can be read as an exact recording, with as many decisions."""
    lines = [*LINES[:EVENTS], *LINES[EVENTS : EVENTS + 360], LINES[-1]]
    start = 0 if header == 0 else EVENTS
    file = written(
        b"".join(line.encode() for line in lines[:start]) + mangle(lines[start:], faults)
    )
    try:
        found = converted(file)
    except Unreadable:
        return
    file.write_text(found.csv())
    head = head_of(Input(str(file)))
    assert head is not None
    assert list(head.lines()) == list(found.head.lines())
    again = list(rows(Input(str(file))))
    assert len(again) == found.decisions
    assert [row.situation.clock_ns for row in again] == sorted(
        row.situation.clock_ns for row in again
    )


def test_options_of_the_script_are_not_for_convert(capsys: Capture) -> None:
    source = str(RECORDINGS / "powernv9-menu.txt.gz")
    assert main(["collect", "--convert", source, "--seconds", "3"]) == 2
    assert "expected --convert alone" in capsys.readouterr().err
