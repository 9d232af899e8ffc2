"""Governors run by their own C: what they decide, and what becomes of files that are none."""

import random
import shutil
import subprocess
from array import array
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.dataclass import replace
from idle_states.base.model.findings import Unreadable, UsageError
from idle_states.tables.linux.governors import Governor, Outcome, Situation, State
from idle_states.tables.linux.governors.settling import Circumstances, Settling, by_reference
from idle_states.tables.linux.governors.source import build, running, started
from idle_states.tables.linux.governors.source.interface import interface_of
from idle_states.tables.selection.by_core import by_core
from tests.oracle.linux.governors import taken_as
from tests.support.commands import Capture, document, run

FILES = Path(__file__).parents[4] / "data/governors"
STATES = (State(0, 0, True), State(1_000, 10_000), State(20_000, 200_000))
NO_LIMIT = 2_000_000_000

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def governor(name: str, states: tuple[State, ...] = STATES, hz: int = 250) -> Governor:
    return Governor.for_kernel(str(FILES / name), "6.6", states, hz)


def idle(
    sleep_ns: int, limit_us: int = NO_LIMIT, disabled: frozenset[int] = frozenset()
) -> Situation:
    return Situation(limit_us, sleep_ns, min(sleep_ns, 4_000_000), disabled=disabled)


@pytest.mark.parametrize(
    ("situation", "state", "stops"),
    [
        (idle(9_999), 0, False),
        (idle(10_000), 1, False),
        (idle(10**9), 2, False),
        (idle(10**9, limit_us=19), 1, False),
        (idle(10**9, disabled=frozenset({2})), 1, False),
    ],
)
def test_it_decides_as_its_file_says(situation: Situation, state: int, stops: bool) -> None:
    found = governor("timer.c").select(situation)
    assert (found.state, found.stop_tick) == (state, stops)


def test_a_longer_residency_than_the_tick_stops_it() -> None:
    deep = governor("timer.c", (*STATES, State(100_000, 5_000_000)))
    assert deep.select(idle(10**9)).stop_tick


@pytest.mark.parametrize(
    ("situation", "state"),
    [
        (idle(9_999), 0),
        (idle(10_000), 1),
        (idle(10**9), 2),
        (idle(10**9, limit_us=19), 1),
        (replace(idle(10**9), load=2_000), 2),
        (replace(idle(10**9), load=2_001), 0),
    ],
)
def test_it_puts_the_latency_limit_together_itself(situation: Situation, state: int) -> None:
    """Linux 4.11 to 4.18's menu did, where no CPU has a limit of its own."""
    found = governor("early.c").select(situation)
    assert (found.state, found.stop_tick) == (state, True)


def random_periods(count: int, seed: int = 1) -> list[tuple[Situation, Outcome]]:
    chosen, clock, found = random.Random(seed), 0, []
    for _ in range(count):
        sleep = int(10 ** chosen.uniform(2, 8))
        lasted = min(sleep, int(10 ** chosen.uniform(2, 8)))
        limit = chosen.choice((NO_LIMIT, NO_LIMIT, 15, 0))
        stopped = chosen.random() < 0.2
        delta = sleep if stopped else min(sleep, 4_000_000)
        waiting = chosen.choice((0, 0, 1))
        situation = Situation(limit, sleep, delta, stopped, waiting, clock_ns=clock)
        outcome = Outcome(0, lasted, got_tick=chosen.random() < 0.1, clock_ns=clock + lasted)
        found.append((situation, outcome))
        clock += lasted + 500
    return found


@pytest.mark.parametrize("name", ["menu", "teo", "ladder"])
def test_a_kernels_own_file_decides_as_the_model_does(governor_tree: Path, name: str) -> None:
    """One decision after the other, from the middle of a copied history, too."""
    kernel = taken_as(governor_tree)
    own = Governor.for_kernel(f"{governor_tree}:{name}", kernel, STATES)
    model = Governor.for_kernel(name, kernel, STATES)
    periods = random_periods(3000)
    decided = 0
    for number, (situation, outcome) in enumerate(periods):
        if number == 1000:
            own = deepcopy(own)
        left, right = own.select(situation), model.select(situation)
        assert (left.state, left.stop_tick) == (right.state, right.stop_tick), number
        entered = Outcome(
            left.state, outcome.residency_ns, got_tick=outcome.got_tick, clock_ns=outcome.clock_ns
        )
        own.reflect(entered)
        model.reflect(entered)
        decided += left.state > 0
    assert 0 < decided < len(periods)


def test_a_copy_goes_its_own_way(governor_tree: Path) -> None:
    first = Governor.for_kernel(f"{governor_tree}:menu", taken_as(governor_tree), STATES)
    for situation, outcome in random_periods(50):
        first.select(situation)
        first.reflect(outcome)
    second = deepcopy(first)
    assert first.source
    assert second.source
    program, one, other = first.source._program, first.source._cpu, second.source._cpu
    assert program.memory(one) == program.memory(other)
    first.select(idle(10**8))
    first.reflect(Outcome(2, 10**8))
    assert program.memory(one) != program.memory(other)


@pytest.mark.parametrize("name", ["menu", "ladder"])
def test_equal_idle_periods_settle_as_one_by_one(governor_tree: Path, name: str) -> None:
    kernel = taken_as(governor_tree)
    settling = Settling(
        lambda: Governor.for_kernel(f"{governor_tree}:{name}", kernel, STATES), by_core
    )
    idles_ns = (500, 9_000, 10_000, 150_000, 3_900_000, 5_000_000)
    lengths = array("Q", [value for ns in idles_ns for value in (ns, 10**10)])
    for circumstances in (
        Circumstances(),
        Circumstances(tick_stopped=True, limit_us=10),
        Circumstances(timer_driven=True, wake_ns=2_000),
    ):
        expected = by_reference(settling)(lengths, circumstances, [Outcome(2, 400_000)] * 3)
        found = settling.steps(lengths, circumstances, [Outcome(2, 400_000)] * 3)
        assert list(map(bytes, found)) == list(map(bytes, expected))


def test_ranges_are_those_of_the_model(governor_tree: Path, capsys: Capture) -> None:
    kernel = taken_as(governor_tree).name
    words = ("select", "power9", "--platform", "op920", "--kernel", kernel, "--governor")
    own = document(capsys, *words, f"{governor_tree}:menu")
    model = document(capsys, *words, "menu")
    assert own["map"] == model["map"]
    assert len(model["map"]) > 10


def test_output_says_what_decided(capsys: Capture) -> None:
    status, out, _ = run(
        capsys, "select", "power9", "--kernel", "6.6", "--governor", str(FILES / "timer.c")
    )
    assert status == 0
    assert "timer.c decides, compiled as it is (SHA-256 " in out
    assert "interface of Linux 5.13 and later, confined" in out
    assert "times of states are signed, as since Linux 5.13: neither the source nor" in out


BAD = [
    ("crashes.c", r"it crashed \(SIGSEGV\)"),
    ("beyond.c", r"it selects a state that the table does not have \(42\)"),
    ("deeper.c", r"it selects a state that the table does not have \([23]\)"),
    ("foreign.c", r"known are the interfaces select\(driver, device\) up to 4.16, and"),
    ("guesses.c", "memory it never wrote"),
    ("silent.c", r"it registers no governor: nothing calls cpuidle_register_governor\(\)"),
    ("leaks.c", r"found: file not found: /etc/passwd \(in its assembly\)"),
    ("greedy.c", "it crashed .*, or more than 512 MB of memory"),
]


@pytest.mark.parametrize(("name", "message"), BAD)
def test_files_that_are_no_governor_are_refused(name: str, message: str) -> None:
    with pytest.raises(Unreadable, match=message) as caught:
        governor(name).select(idle(10**6))
    assert caught.value.findings[0].location.file == str(FILES / name)


@pytest.mark.parametrize("name", [*(name for name, _ in BAD), "timer.c"])
def test_nothing_is_left_behind(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """No temporary file, no process: but for the cache, of what ran."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "scratch").mkdir()
    for known in (started.running, started.source_of):
        known.cache_clear()
    run(capsys, "select", "power9", "--kernel", "6.6", "--governor", str(FILES / name))
    if name == "timer.c":
        started.running(str(FILES / name), 250).end()
    assert not list((tmp_path / "scratch").iterdir())
    kept = [each.name for each in (tmp_path / "cache/idle-states").iterdir()]
    assert all(each.startswith("governor-") for each in kept)
    commands = [each.read_bytes() for each in Path("/proc").glob("[0-9]*/cmdline")]
    assert not any(str(tmp_path).encode() in command for command in commands)


def test_the_cache_keeps_the_newest_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MOST_KEPT", 2)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    text = (FILES / "timer.c").read_text()
    programs = []
    for number in range(4):
        file = tmp_path / f"{number}.c"
        file.write_text(f"{text}/* {number} */\n")
        source = started.find(str(file))
        programs.append(build.program(source, interface_of(source.text), 250))
    assert [each.is_file() for each in programs] == [False, False, True, True]


def test_a_governor_that_loops_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_ANSWER_S", 1)
    with pytest.raises(Unreadable, match="within 1 s, found none; look for a loop that does not"):
        governor("loops.c").select(idle(10**6))


def test_a_governor_reaches_nothing() -> None:
    """It selects state 1 if it can read a file, connect, start or signal a process."""
    assert governor("peeks.c").select(idle(10**6)).state == 0


CHANGED = [
    ("exit(0);", r"it ends the program itself \(exit status 0\)"),
    ("unheard_of(1);", r"it calls unheard_of\(\), which the small kernel around a governor does"),
]


@pytest.mark.parametrize(("call", "message"), CHANGED)
def test_calls_that_no_governor_makes(tmp_path: Path, call: str, message: str) -> None:
    text = (FILES / "timer.c").read_text()
    name = call.partition("(")[0]
    file = tmp_path / "x.c"
    file.write_text(text.replace("int found = 0;", f"int found = 0; void {name}(int); {call}"))
    with pytest.raises(Unreadable, match=message):
        Governor.for_kernel(str(file), "6.6", STATES).select(idle(10**6))


def test_a_file_that_takes_too_much_to_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "_COMPILE_S", 1)
    each = "".join(f"#define X{n} {' '.join([f'X{n - 1}'] * 10)}\n" for n in range(1, 10))
    text = f"#define X0 1 +\n{each}long x(void) {{ return X9 0; }}\n"
    (tmp_path / "x.c").write_text(text + (FILES / "timer.c").read_text())
    with pytest.raises(Unreadable, match="compiling it takes more than 1 s or 512 MB"):
        Governor.for_kernel(str(tmp_path / "x.c"), "6.6", STATES)


def test_a_place_in_the_file(tmp_path: Path) -> None:
    text = (FILES / "timer.c").read_text().replace("int found = 0;", "int found = unheard_of();")
    (tmp_path / "menu.c").write_text(text)
    with pytest.raises(Unreadable, match="unheard_of") as caught:
        Governor.for_kernel(str(tmp_path / "menu.c"), "6.6", STATES)
    where = caught.value.findings[0].location
    wanted = next(i for i, line in enumerate(text.splitlines(), 1) if "unheard_of" in line)
    assert (where.file, where.line) == (str(tmp_path / "menu.c"), wanted)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("/nowhere/menu.c", Unreadable, "found no such file"),
        ("/nowhere:menu", UsageError, "expected a folder with a kernel's source"),
        (".:me nu", UsageError, "a governor's name such as menu"),
    ],
)
def test_names_of_nothing(name: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Governor.for_kernel(name, "6.6", STATES)


def test_includes_from_elsewhere_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text('#include "../../etc/passwd"\n')
    with pytest.raises(Unreadable, match="expected includes of kernel headers"):
        Governor.for_kernel(str(tmp_path / "x.c"), "6.6", STATES)


def test_a_program_that_another_process_made_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may be starting that program, and when confined it can reach only its own
    file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    source = started.find(str(FILES / "timer.c"))
    interface = interface_of(source.text)
    compiled, theirs = build._compiled, []

    def compiled_while_another_is(*given: Any) -> Path:
        monkeypatch.setattr(build, "_compiled", compiled)
        theirs.append(build.program(source, interface, 250).stat().st_ino)
        return compiled(*given)

    monkeypatch.setattr(build, "_compiled", compiled_while_another_is)
    assert [build.program(source, interface, 250).stat().st_ino] == theirs


def test_it_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    copied = tmp_path / "timer.c"
    shutil.copy(FILES / "timer.c", copied)
    assert started.find(str(copied)).sha256 == started.find(str(FILES / "timer.c")).sha256
    first = Governor.for_kernel(str(copied), "6.6", STATES).select(idle(10**9))

    def compiled(*_: object) -> Path:
        raise AssertionError("compiled again")

    monkeypatch.setattr(build, "_compiled", compiled)
    started.running.cache_clear()
    started.source_of.cache_clear()
    assert Governor.for_kernel(str(copied), "6.6", STATES).select(idle(10**9)) == first


def test_where_nothing_can_be_confined(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    refusing = ["/bin/sh", "-c", "echo 'not confined: no Landlock' >&2; exit 126"]
    monkeypatch.setattr(build, "confined", lambda words, view: refusing)
    copied = tmp_path / "timer.c"
    copied.write_text((FILES / "timer.c").read_text() + "/* not compiled before */\n")
    wanted = rf"no Landlock\); .*--governor unconfined:{copied}"
    with pytest.raises(Unreadable, match=wanted):
        Governor.for_kernel(str(copied), "6.6", STATES)
    trusted = Governor.for_kernel(f"unconfined:{copied}", "6.6", STATES)
    assert trusted.select(idle(10**9)).state == 2


def test_a_tree_and_its_revisions(tmp_path: Path) -> None:
    folder = tmp_path / "drivers/cpuidle/governors"
    folder.mkdir(parents=True)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@x", "-c"]
    git += ["commit.gpgsign=false"]
    subprocess.run([*git[:3], "init", "-q"], check=True)
    plain = (FILES / "timer.c").read_text()
    for text in (plain, plain.replace("found = i;", "found = i > 1 ? 1 : i;")):
        (folder / "timer.c").write_text(text)
        subprocess.run([*git[:3], "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", "c"], check=True)
    states = [
        Governor.for_kernel(name, "6.6", STATES).select(idle(10**9)).state
        for name in (f"{tmp_path}:timer", f"{tmp_path}@HEAD:timer", f"{tmp_path}@HEAD~1:timer")
    ]
    assert states == [1, 1, 2]


ERAS = [
    ("static int select(struct cpuidle_driver *d, struct cpuidle_device *v)", "", "4.4 to 4.16"),
    ("int select(bool *stop_tick) { tick_nohz_get_sleep_length(&delta); }", "", "4.17 to 5.4"),
    ("bool *stop_tick; exit_latency_ns", "\tu64 exit_latency_ns;", "5.5 to 5.12"),
    ("bool *stop_tick; exit_latency_ns", "\ts64 exit_latency_ns;", "5.13 and later"),
    ("bool *stop_tick; exit_latency_ns; if (delta < 0)", "", "5.13 and later"),
    ("/* exit_latency_ns */ bool *stop_tick;", "", "4.17 to 5.4"),
]


@pytest.mark.parametrize(("text", "header", "era"), ERAS)
def test_the_interface_is_found_from_the_text(text: str, header: str, era: str) -> None:
    found = interface_of(text, header)
    assert found.era == f"Linux {era}"
    assert not found.assumed


def test_many_lengths_are_asked_in_parts() -> None:
    source = governor("timer.c").source
    assert source
    lengths = array("Q", [value for ns in range(1000) for value in (ns * 100, 10**10)])
    found = source.settled_states(lengths, (0, 1, NO_LIMIT, 0, 0), b"")
    assert [each[-1] for each in found] == [int(ns * 100 >= 10_000) for ns in range(1000)]
