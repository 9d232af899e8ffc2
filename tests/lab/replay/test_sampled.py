"""Samples of idle periods: what ended each, the model's decision beside the kernel's, and the
reasons of `why` that rest on them."""

import fcntl
import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from idle_states.base.reading.inputs import Input
from idle_states.cli import main
from idle_states.lab.record.recorded import Recorded
from idle_states.lab.record.wake_ups import idles
from idle_states.tables.why.sampled import REFUSED, SampledIdle
from tests.support import DATA, ROOT
from tests.support.dumps import C1, POLL, UNUSED, dump

Capture = pytest.CaptureFixture[str]
STATES = (POLL, C1, UNUSED)
EVENTS = "irq_handler_entry local_timer_entry sched_wake_idle_without_ipi"
_ROWS = "".join(
    f"# state: cpu={cpu} state={number} latency={each['latency']} residency={each['residency']} "
    f"disable=0 power=0 name={each['name']}\n"
    for cpu in (0, 1)
    for number, each in enumerate(STATES)
)
HEAD = (
    "# idle-states recording 1\n# release: 6.18.3\n# version: #1 SMP\n# hz: 250 configured\n"
    "# driver: intel_idle\n# governor: menu\n# seconds: 10\n# wake-ups: {}\n# without: {}\n"
    "{}# lost: cpu=0 events={}\n# tracer: nop\n"
)
WHY_NOT = "expected kprobe events, found none in /sys/kernel/tracing"


def recording(
    lines: str, heard: str = EVENTS, without: str = WHY_NOT, rows: str = _ROWS, lost: int = 0
) -> str:
    """Returns a recording of events: time in us, CPU and words in each line."""
    text = HEAD.format(heard, without, rows, lost)
    for line in lines.strip().splitlines():
        us, cpu, words = line.strip().split(" ", 2)
        seconds = f"{int(us) // 1_000_000}.{int(us) % 1_000_000:06d}"
        text += f"          <idle>-0       [{int(cpu):03d}] d..1. {seconds}: {words}\n"
    return text + "# end\n"


def period(us: int, cpu: int, state: int, length_us: int, *words: str) -> str:
    """Returns the events of an idle period with others right behind its end."""
    lines = [f"{us} {cpu} cpu_idle: state={state} cpu_id={cpu}"]
    lines.append(f"{us + length_us} {cpu} cpu_idle: state=4294967295 cpu_id={cpu}")
    return "\n".join([*lines, *(f"{us + length_us} {cpu} {each}" for each in words)]) + "\n"


def found(text: str, tmp_path: Path) -> list[SampledIdle]:
    file = tmp_path / "recording.txt"
    file.write_text(text)
    return list(idles(Recorded(Input(str(file)))))


# What ended an idle period

TIMER = "local_timer_entry: vector=236"
TICK = "hrtimer_expire_entry: hrtimer=00000000aa function=tick_nohz_handler now=5"
SLEEP = "hrtimer_expire_entry: hrtimer=00000000bb function=hrtimer_wakeup now=5"
WHEEL = "timer_expire_entry: timer=00000000cc function=delayed_work_timer_fn now=9 baseclk=9"
STOP = "tick_stop: success=1 dependency=NONE"
WAKING = "sched_waking: comm=a daemon pid=812 prio=120 target_cpu=000"
DISK = "irq_handler_entry: irq=24 name=virtio0-req.0"
ENDED = {
    "an interrupt": ((DISK,), 900, "interrupt 24 (virtio0-req.0)"),
    "the tick": ((TIMER, TICK), 900, "the tick"),
    "the tick, by its older name": (
        (TIMER, TICK.replace("tick_nohz_handler", "tick_sched_timer")), 900, "the tick",
    ),
    "a timer with the tick": ((TIMER, TICK, SLEEP), 900, "timer hrtimer_wakeup"),
    "a timer and the task it wakes": (
        (TIMER, SLEEP, WAKING), 900, "timer hrtimer_wakeup of a daemon",
    ),
    "a timer of the wheel, which comes with the tick": ((TIMER, TICK, WHEEL), 900, "the tick"),
    "a timer of the wheel, without the tick": (
        (TIMER, TICK, WHEEL), 4001, "timer delayed_work_timer_fn",
    ),
    "a timer of the wheel, without high resolution": (
        (TIMER, WHEEL), 900, "timer delayed_work_timer_fn",
    ),
    "a timer that is not told": ((TIMER,), 900, "a timer"),
    "Arm's interrupt of the timer": (
        ("irq_handler_entry: irq=11 name=arch_timer", TICK), 900, "the tick",
    ),
    "an interrupt, and the timer's behind it": (
        (DISK, TIMER, SLEEP), 900, "interrupt 24 (virtio0-req.0)",
    ),
    "a timer, and another interrupt's work behind it": (
        (TIMER, TICK, DISK, WHEEL), 4001, "the tick",
    ),
    "a reschedule": (("reschedule_entry: vector=253",), 900, "another CPU (reschedule)"),
    "a function call": (
        ("call_function_single_entry: vector=251",), 900, "another CPU (function call)",
    ),
    "an IPI of Arm": (("ipi_entry: (Rescheduling interrupts)",), 900, "another CPU (IPI)"),
    "nothing that was seen": ((), 900, "unknown"),
    "the governor's functions": (
        ("is_iowait: (tick_irq_enter+0x1/0x2 <- nr_iowait_cpu) ret=0", DISK), 900,
        "interrupt 24 (virtio0-req.0)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDED)
def test_what_ended_an_idle_period(name: str, tmp_path: Path) -> None:
    words, length_us, expected = ENDED[name]
    length_ns = length_us * 1000
    text = recording(period(1000, 0, 1, length_us, *words))
    assert found(text, tmp_path) == [SampledIdle(0, 1, length_ns, expected, 1_000_000 + length_ns)]


def test_an_interrupt_before_the_exit(tmp_path: Path) -> None:
    """A driver that halts with interrupts on has it so."""
    inside = f"1900 0 {TIMER}\n1900 0 {TICK}\n"
    before, _, after = period(1000, 0, 1, 900).partition("\n")
    assert found(recording(f"{before}\n{inside}{after}"), tmp_path)[0].ended_by == "the tick"


def test_a_tick_that_was_stopped(tmp_path: Path) -> None:
    """Then a short period may end with a timer of the wheel; the stop counts for one period."""
    lines = f"999 0 {STOP}\n" + period(1000, 0, 1, 900, TIMER, TICK, WHEEL)
    lines += period(2000, 0, 1, 900, TIMER, TICK, WHEEL)
    ends = [each.ended_by for each in found(recording(lines), tmp_path)]
    assert ends == ["timer delayed_work_timer_fn", "the tick"]


def test_a_wake_up_without_an_interrupt(tmp_path: Path) -> None:
    """Is told by the CPU that wakes. Polling without one has ended by itself, where the kernel
    would have told."""
    entry, _, rest = period(1000, 0, 0, 900).partition("\n")
    lines = f"{entry}\n1500 1 sched_wake_idle_without_ipi: cpu=0\n{rest}" + period(2500, 0, 0, 9)
    ends = [each.ended_by for each in found(recording(lines), tmp_path)]
    assert ends == ["another CPU (without an interrupt)", "the end of polling"]
    others = EVENTS.replace("sched_wake_idle_without_ipi", "")
    text = recording(period(2500, 0, 0, 9), heard=others)
    assert [each.ended_by for each in found(text, tmp_path)] == ["unknown"]


def test_periods_with_lost_events_are_left_out(tmp_path: Path) -> None:
    entry, _, rest = period(5000, 0, 1, 900, DISK).partition("\n")
    lines = period(1000, 0, 1, 900, DISK) + f"{entry}\n{rest}"
    text = recording(lines).replace(": state=1 cpu_id=0\n", ": state=1 cpu_id=0\n@", 2)
    parts = text.split("@")
    broken = parts[0] + parts[1] + "CPU:0 [LOST 5 EVENTS]\n" + parts[2]
    assert [each.length_ns for each in found(broken, tmp_path)] == [900_000]


def test_refused_entries(tmp_path: Path) -> None:
    """The governor hears of all entries but a refused one; those before the first decision do not
    tell."""
    begin, reflect = "is_begin: (menu_select+0xc/0x7c0)", "is_reflect: (menu_reflect+0x1/0x6) idx=1"
    lines = period(1000, 0, 2, 3, begin) + period(2000, 0, 2, 3, begin)
    lines += period(3000, 0, 1, 900, reflect, begin)
    lines += period(4000, 0, 1, 900, reflect)
    ends = [each.ended_by for each in found(recording(lines), tmp_path)]
    assert ends == ["unknown", REFUSED, "unknown", "unknown"]


# The sample of a machine


@pytest.fixture
def why(tmp_path: Path, capsys: Capture) -> Callable[..., str]:
    """Runs `why` on a machine with a recording and returns what it prints."""

    def run(text: str, *words: str, machine: str | None = None) -> str:
        files = tmp_path / "machine.txt", tmp_path / "recording.txt"
        files[0].write_text(machine or dump(*STATES, more=["/proc/config/CONFIG_HZ:250"]))
        files[1].write_text(text)
        status = main(["why", str(files[0]), "--recording", str(files[1]), *words])
        out, err = capsys.readouterr()
        return out if status == 0 else f"{status}: {err}"

    return run


def many(length_us: int, words: Sequence[str], count: int = 200) -> str:
    return "".join(period(10_000 * (at + 1), at % 2, 1, length_us, *words) for at in range(count))


def test_the_interrupt_that_cuts_idle_periods_short(why: Callable[..., str]) -> None:
    """The counters alone would not tell: their mean is long enough."""
    machine = dump(POLL, {**C1, "time": 900_000_000}, UNUSED)
    lines = many(300, (DISK,)) + "".join(
        period(3_000_000 + 10_000 * at, at % 2, 1, 400, TIMER, TICK) for at in range(20)
    )
    shown = " ".join(why(recording(lines), "C6", machine=machine).split())
    assert (
        "idle periods are too short for its target residency of 600 us: of 220 sampled, "
        "220 were shorter, "
        "ended by interrupt 24 (virtio0-req.0) 200, the tick 20 seen in: the sample "
        "next: see /proc/irq/*/smp_affinity_list" in shown
    )
    assert "what ends idle periods" not in shown


def test_the_counters_and_what_ends_short_periods(why: Callable[..., str]) -> None:
    """The counters since boot decide where many sampled periods were long enough."""
    machine = dump(POLL, {**C1, "usage": 900_000, "time": 18_000_000}, UNUSED)
    text = recording(many(300, (TIMER, SLEEP, WAKING), 40) + many(900, (TIMER, TICK), 60))
    shown = " ".join(why(text, "C6", machine=machine).split())
    assert "idle periods are too short: 19 us on average" in shown
    assert "of 100 sampled, 40 were shorter, ended by timer hrtimer_wakeup of a daemon 40" in shown
    assert "next: see who sets this timer" in shown


@pytest.mark.parametrize(
    ("words", "step"),
    [((TIMER, TICK), "the tick stops only"), (("reschedule_entry: vector=253",), "tasks of other")],
)
def test_the_next_step_by_what_ends_periods(
    why: Callable[..., str], words: tuple[str, ...], step: str
) -> None:
    assert f"next: {step}" in " ".join(why(recording(many(300, words)), "C6").split())


def test_too_few_periods_give_no_reason(why: Callable[..., str]) -> None:
    machine = dump(POLL, {**C1, "time": 900_000_000}, UNUSED)
    shown = why(recording(many(300, (DISK,), 99)), "C6", machine=machine)
    assert "too short" not in shown


def test_a_sample_without_the_governors_inputs(why: Callable[..., str]) -> None:
    found = json.loads(why(recording(many(300, (DISK,)), lost=7), "--format", "json"))
    sample = found["sample"]
    assert (sample["seconds"], len(sample["states"])) == ("10", 2)
    first = sample["states"][0]
    assert (first["cpu"], first["state"], first["kernel"]) == (0, "C1", 100)
    assert (first["lasted_us"], first["predicted_us"], first["limit_us"]) == (300, None, None)
    assert first["ended_by"] == {"interrupt 24 (virtio0-req.0)": 100}
    assert isinstance(first["model"], int)
    notes = " ".join(sample["notes"])
    assert f"not recorded: {WHY_NOT}" in notes
    assert "estimated" in notes
    assert "7 events are lost" in notes


def test_a_kernel_without_a_model(why: Callable[..., str]) -> None:
    text = recording(many(300, (DISK,))).replace("governor: menu", "governor: other")
    machine = dump(*STATES, governor="other")
    found = json.loads(why(text, "--format", "json", machine=machine))
    assert [each["model"] for each in found["sample"]["states"]] == [None, None]
    assert "the model's decisions are not known" in " ".join(found["sample"]["notes"])


RECORDINGS = DATA / "recordings"
REAL = RECORDINGS / "powernv9-menu-restarted.txt.gz"
SNOOZE = {**POLL, "name": "snooze"}
REAL_STATES = [
    {**C1, "name": name, "latency": latency, "residency": residency}
    for name, latency, residency in (("stop0_lite", 1, 10), ("stop0", 2, 20), ("stop1", 5, 50))
]


def test_a_real_recording(why: Callable[..., str]) -> None:
    """The decisions of a guest are the model's, too; what ends idle periods was not recorded."""
    machine = dump(SNOOZE, *REAL_STATES, driver="powernv_idle", kernel="6.1.0-50-powerpc64le")
    text = gzip.decompress(REAL.read_bytes()).decode()
    found = json.loads(why(text, "--format", "json", machine=machine))["sample"]
    assert all(each["kernel"] == each["model"] for each in found["states"])
    judged = sum(each["kernel"] for each in found["states"])
    assert judged > 300
    assert (
        f"its model decides as the kernel in {judged:,} of {judged:,} decisions (100.00 %)"
        in (found["notes"][0])
    )
    assert {each["limit_us"] for each in found["states"]} <= {2_000_000_000, None}
    assert any(each["predicted_us"] and each["timer_us"] for each in found["states"])
    assert "what ends idle periods was not recorded (collect --record --wake-ups)" in found["notes"]


def test_a_real_recording_of_what_ends_idle_periods(why: Callable[..., str]) -> None:
    """usleep woke CPU 1 every 3 ms, and no interrupt of a device came."""
    machine = dump(POLL, {**C1, "latency": 1}, driver="acpi_idle", kernel="6.1.0-50-cloud-amd64")
    text = gzip.decompress((RECORDINGS / "q35-menu-wake-ups.txt.gz").read_bytes()).decode()
    found = json.loads(why(text, "--format", "json", machine=machine))["sample"]
    assert "as the kernel in 283 of 283 decisions (100.00 %)" in found["notes"][0]
    rows = {(each["cpu"], each["state"]): each for each in found["states"]}
    most = {key: next(iter(each["ended_by"])) for key, each in rows.items()}
    assert most[1, "C1"] == "timer hrtimer_wakeup of usleep"
    assert most[0, "POLL"] == most[1, "POLL"] == "the end of polling"
    ends = " ".join(end for each in found["states"] for end in each["ended_by"])
    assert "interrupt " not in ends.replace("without an interrupt", "")
    assert all(each["kernel"] == each["model"] for each in found["states"])


def test_no_idle_period(why: Callable[..., str]) -> None:
    assert "no CPU was idle" in why(recording(""))


def test_a_limit_that_the_governor_was_given(why: Callable[..., str]) -> None:
    machine = dump(
        SNOOZE, *REAL_STATES[:2], {**REAL_STATES[2], "usage": 0, "time": 0}, driver="powernv_idle",
        kernel="6.1.0-50-powerpc64le",
    )  # fmt: skip
    text = gzip.decompress(REAL.read_bytes()).decode().replace("ret=2000000000000", "ret=4000")
    shown = " ".join(why(text, "stop1", machine=machine).split())
    assert "it takes 5 us to leave; the governor was given 4 us seen in: the sample" in shown
    shown = why(text.replace("ret=4000", "ret=5000"), "stop1", machine=machine)
    assert "it takes 5 us" not in shown


# What cannot be sampled


def test_a_recording_of_another_machine(why: Callable[..., str]) -> None:
    shown = why(recording(many(300, (DISK,))), machine=dump(POLL, C1))
    assert shown.startswith("3: ")
    assert "it is of another machine" in shown


def test_no_recording(why: Callable[..., str]) -> None:
    shown = why("cpu_idle: state=1\n")
    assert shown.startswith("3: ")
    assert "expected '# idle-states recording 1'" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--for", "0"], "expected 1 to 86400 seconds, found 0"),
        (["--for", "-1"], "expected 1 to 86400 seconds, found -1"),
        (["--for", "1", str(ROOT)], "expected --for alone: it samples this machine"),
        (["--for", "1", "--recording", "x"], "expected --for alone"),
        (["C6", "--recording", "x"], "expected FROM beside --recording"),
    ],
)
def test_what_cannot_be_meant(words: list[str], said: str, capsys: Capture) -> None:
    assert main(["why", *words]) == 2
    assert said in capsys.readouterr().err


TRACING = Path("/sys/kernel/tracing")
INSTANCE = TRACING / "instances/idle_states"
can_sample = pytest.mark.skipif(
    os.geteuid() != 0
    or not (TRACING / "events/power/cpu_idle").exists()
    or not Path("/sys/devices/system/cpu/cpu0/cpuidle/state0").exists(),
    reason="needs root, tracefs and a cpuidle driver",
)
COMMAND = [sys.executable, "-m", "idle_states", "why", "--for"]


@pytest.fixture
def alone() -> Iterator[None]:
    """Waits until no other test samples this machine, as tests run side by side."""
    with Path(tempfile.gettempdir(), "idle-states-sampling.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run(*before: str) -> "subprocess.CompletedProcess[str]":
    words = [*before, *COMMAND, "1", "--format", "json"]
    return subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)


@can_sample
def test_no_root() -> None:
    """Nobody is root in a user namespace of its own."""
    done = run("unshare", "--user")
    assert done.returncode == 3
    assert "cannot be sampled: expected to run as root, found user 65534" in done.stderr


@can_sample
@pytest.mark.slow
def test_this_machine(alone: None) -> None:
    before = sorted(os.listdir(TRACING / "instances"))
    done = run()
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["sample"]["seconds"] == "1"
    assert sorted(os.listdir(TRACING / "instances")) == before


@can_sample
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_sampling_puts_all_back(number: int, alone: None) -> None:
    process = subprocess.Popen(
        [*COMMAND, "600"], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not INSTANCE.exists() and process.poll() is None:
        time.sleep(0.01)
    assert INSTANCE.exists()
    process.send_signal(number)
    assert process.wait(60) == 128 + number
    assert not INSTANCE.exists()


@can_sample
@pytest.mark.slow
def test_another_sampling_is_left_alone(alone: None) -> None:
    INSTANCE.mkdir()
    try:
        done = run()
        assert INSTANCE.exists()
    finally:
        INSTANCE.rmdir()
    assert done.returncode == 3
    assert "another recording is under way" in done.stderr
    assert "rmdir" in done.stderr
