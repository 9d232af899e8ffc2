"""The measuring script: every shell reads it, it refuses where it cannot measure, and makes of
a trace the samples in it. That it measures and puts everything back is tried in a guest
(tests/change/boot/test_measuring.py)."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from idle_states.cli import main
from idle_states.lab.record.measuring import script
from idle_states.lab.record.request import MeasureOptions

AWKS = [name for name in ("mawk", "gawk", "original-awk", "busybox") if shutil.which(name)]


@pytest.mark.parametrize(
    "reader", ["sh -n", "dash -n", "busybox sh -n", "shellcheck -s sh"], ids=lambda words: words
)
@pytest.mark.parametrize("options", ["", "--cpu 3 --waker 0 --all-cpus --samples 5"])
def test_every_shell_can_read_it(tmp_path: Path, reader: str, options: str) -> None:
    words = reader.split()
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not installed (Debian package {words[0]})")
    file = tmp_path / "measure.sh"
    assert main(["collect", "--measure", *options.split(), "-o", str(file)]) == 0
    done = subprocess.run([*words, file], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_other_users_are_refused() -> None:
    user = 65534 if os.geteuid() == 0 else None
    done = subprocess.run(
        ["sh", "-s"],
        input=script(MeasureOptions()),
        capture_output=True,
        text=True,
        user=user,
        cwd="/",
    )
    number = os.geteuid() if user is None else user
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"measure: expected to run as root, found user {number}\n"


@pytest.mark.parametrize("lacking", ["taskset", "mkfifo"])
def test_a_missing_program_is_named(tmp_path: Path, lacking: str) -> None:
    for tool in "awk cat grep id mkdir mkfifo mv rm rmdir sed sh sleep sort taskset tr".split():
        path = shutil.which(tool)
        if path and tool != lacking:
            (tmp_path / tool).symlink_to(path)
    done = subprocess.run(
        ["sh", "-s"],
        input=script(MeasureOptions()),
        capture_output=True,
        text=True,
        env={"PATH": str(tmp_path)},
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"measure: expected the program {lacking}, found none\n"


def test_a_large_measurement_goes_in_rounds() -> None:
    assert "rounds=1\n" in script(MeasureOptions(1))
    assert "at_once=1\n" in script(MeasureOptions(1))
    assert "rounds=2\n" in script(MeasureOptions(251))
    assert "at_once=126\n" in script(MeasureOptions(251))
    assert "rounds=4000\n" in script(MeasureOptions(1_000_000))


DAYS_200 = 17_280_000_000_000_001
"""An uptime in ns that awk's numbers do not hold."""


class Trace:
    """A trace as the kernel prints it, once as text and once raw."""

    def __init__(self, start: int = DAYS_200, raw: bool = True) -> None:
        self.start = start
        self.raw = raw
        self.events: list[tuple[int, int, str]] = []

    def add(self, cpu: int, ns: int, event: str) -> None:
        self.events.append((cpu, self.start + ns, event))

    def idle(self, cpu: int, ns: int, state: int) -> None:
        self.add(cpu, ns, f"cpu_idle: state={state} cpu_id={cpu}")

    def woken(self, cpu: int, ns: int) -> None:
        self.idle(cpu, ns, 0xFFFF_FFFF)

    def timer(self, cpu: int, ns: int, due: int, name: str = "00000000abcd") -> None:
        self.add(
            cpu,
            ns,
            f"hrtimer_start: hrtimer={name} function=hrtimer_wakeup expires={self.start + due} "
            f"softexpires={self.start + due - 50_000} mode=REL",
        )

    def expires(
        self, cpu: int, ns: int, now: int, name: str = "00000000abcd", by: str = "hrtimer_wakeup"
    ) -> None:
        self.add(
            cpu, ns, f"hrtimer_expire_entry: hrtimer={name} function={by} now={self.start + now}"
        )

    def waking(self, ns: int, waker: int = 0, pid: int = 77) -> None:
        self.add(waker, ns, f"sched_waking: comm=a [0] b pid={pid} prio=120 target_cpu=003")

    def printed(self) -> str:
        text = "# tracer: nop\n#\n"
        for cpu, ns, event in self.events:
            us = (ns + 500) // 1000
            when = f"{us // 1_000_000}.{us % 1_000_000:06}"
            text += f"          <idle>-0       [{cpu:03}] d..1. {when}: {event}\n"
        if self.raw:
            text += "".join(f"0 {cpu} {ns} type: 266\n" for cpu, ns, _ in self.events)
        return text


def samples(
    tmp_path: Path, trace: Trace, program: str, awk: str, given: Sequence[str] = ()
) -> tuple[list[str], list[str]]:
    """Returns the rows that the script makes of a trace, and why it leaves events out.

    program  by_timer or by_ipi
    """
    instance = tmp_path / "instance"
    for name in ("events", "options"):
        (instance / name).mkdir(parents=True, exist_ok=True)
    (instance / "trace").write_text(trace.printed())
    programs = tmp_path / "bin"
    programs.mkdir(exist_ok=True)
    target = programs / "awk"
    target.unlink(missing_ok=True)
    found = shutil.which(awk)
    assert found
    target.symlink_to(found)
    functions = script(MeasureOptions()).partition("\ntrap undo EXIT\n")[0]
    variables = {"cpu": "3", "wanted": "2", "name": "stop2", "busy": ""}
    variables |= dict(each.split("=", 1) for each in given)
    words = " ".join(f"-v '{key}={value}'" for key, value in variables.items())
    shell = (
        f"{functions}\nwork={tmp_path} instance={instance}\n: > $work/left\nend_trace\n"
        f'events | awk {words} -v left_out="$work/left" "${program}"\n'
    )
    path = f"{programs}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-s"], input=shell, capture_output=True, text=True, env={"PATH": path}
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines(), (tmp_path / "left").read_text().splitlines()


@pytest.fixture(params=AWKS)
def awk(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("start", [0, DAYS_200, 999_999_999_999_500_000])
def test_a_timer_is_late_by_what_the_state_takes(tmp_path: Path, awk: str, start: int) -> None:
    trace = Trace(start)
    trace.timer(3, 1_000, 2_000_000)
    trace.idle(3, 5_123, 2)
    # interrupts off: the exit is traced before the interrupt's handler
    trace.woken(3, 2_014_000)
    trace.expires(3, 2_016_000, 2_014_613)
    trace.timer(3, 3_000_000, 5_000_000)
    trace.idle(3, 3_000_900, 2)
    # interrupts on: the handler comes first
    trace.expires(3, 5_004_000, 5_002_001)
    trace.woken(3, 5_009_000)
    assert samples(tmp_path, trace, "by_timer", awk) == (
        ["stop2,timer,0,14613,1994877", "stop2,timer,0,2001,1999100"],
        [],
    )


def test_what_says_nothing_of_the_state_is_left_out(tmp_path: Path, awk: str) -> None:
    trace = Trace()
    # the CPU was awake when the timer was due
    trace.timer(3, 0, 1_000_000)
    trace.idle(3, 100, 2)
    trace.woken(3, 900_000)
    trace.expires(3, 1_001_000, 1_000_400)
    # another state, whose number is more than any digit of "woken"
    trace.timer(3, 1_100_000, 2_000_000)
    trace.idle(3, 1_200_000, 5)
    trace.woken(3, 2_000_900)
    trace.expires(3, 2_001_100, 2_001_000)
    # within the slack, by an interrupt of another timer
    trace.timer(3, 2_100_000, 3_000_000)
    trace.idle(3, 2_200_000, 2)
    trace.woken(3, 2_999_000)
    trace.expires(3, 2_999_900, 2_999_500)
    # two timers in one interrupt: the first one's is the sample
    trace.timer(3, 3_000_000, 4_000_000)
    trace.timer(3, 3_000_000, 4_000_300, "00000000ffff")
    trace.idle(3, 3_100_000, 2)
    trace.woken(3, 4_002_000)
    trace.expires(3, 4_003_000, 4_002_500)
    trace.expires(3, 4_004_000, 4_002_500, "00000000ffff")
    # of a clock that counts from another time
    trace.timer(3, 4_100_000, 9_000_000_000_000)
    trace.idle(3, 4_200_000, 2)
    trace.expires(3, 5_000_000, 9_000_000_001_000)
    # neither another CPU's idle periods nor timers that nobody sees begin
    trace.idle(2, 6_000_000, 2)
    trace.expires(3, 6_100_000, 6_100_000, "0000000eeeee")
    rows, left = samples(tmp_path, trace, "by_timer", awk)
    assert rows == ["stop2,timer,0,2500,900000"]
    assert left == [
        "1 the CPU was awake",
        "1 another state was entered",
        "1 the timer expired early, together with another",
        "1 another timer had expired just before",
        "1 the timer was one of another clock",
    ]


def test_a_tick_does_not_end_a_state_that_polls(tmp_path: Path, awk: str) -> None:
    trace = Trace()
    trace.timer(3, 0, 5_000_000)
    trace.idle(3, 100_000, 2)
    trace.expires(3, 4_000_000, 4_000_000, "tick", "tick_sched_timer")
    trace.expires(3, 5_001_000, 5_000_700)
    rows, left = samples(tmp_path, trace, "by_timer", awk)
    assert (rows, left) == (["stop2,timer,0,700,4900000"], [])


def test_a_busy_cpu_tells_what_measuring_takes(tmp_path: Path, awk: str) -> None:
    trace = Trace()
    trace.timer(3, 0, 1_000_000)
    trace.expires(3, 1_001_500, 1_001_420)
    trace.timer(3, 1_100_000, 2_000_000)
    trace.idle(3, 1_200_000, 2)
    trace.woken(3, 2_000_900)
    trace.expires(3, 2_001_100, 2_001_000)
    rows, left = samples(tmp_path, trace, "by_timer", awk, ["busy=1"])
    assert (rows, left) == ([",timer,1,1420,"], ["1 the CPU was idle"])


def test_an_interrupt_takes_from_its_sending_to_the_first_sign_of_life(
    tmp_path: Path, awk: str
) -> None:
    given = ["waker=0", "reader=77", "sends= ipi/ipi_send_cpu", "signs= reschedule_entry"]
    trace = Trace()
    trace.idle(3, 0, 2)
    trace.waking(1_000_000)
    trace.add(0, 1_000_400, "ipi_send_cpu: cpu=3 callsite=a+0x1 callback=b")
    trace.woken(3, 1_003_511)
    trace.add(3, 1_004_000, "reschedule_entry: vector=253")
    # interrupts on: the handler comes first
    trace.idle(3, 1_100_000, 2)
    trace.waking(2_000_000)
    trace.add(0, 2_000_400, "ipi_send_cpu: cpu=3 callsite=a+0x1 callback=b")
    trace.add(3, 2_002_400, "reschedule_entry: vector=253")
    trace.woken(3, 2_009_000)
    # a flag is written that the CPU polls: it may be awake before the waker says so
    trace.idle(3, 2_100_000, 2)
    trace.waking(3_000_000)
    trace.woken(3, 3_000_200)
    trace.add(0, 3_000_300, "sched_wake_idle_without_ipi: cpu=3")
    # awake, another state, something else came first, and nothing was sent
    trace.waking(3_500_000)
    trace.idle(3, 3_600_000, 1)
    trace.waking(4_000_000)
    trace.add(0, 4_000_400, "ipi_send_cpu: cpu=3 callsite=a+0x1 callback=b")
    trace.woken(3, 4_001_000)
    trace.idle(3, 4_100_000, 2)
    trace.waking(5_000_000)
    trace.woken(3, 5_000_200)
    trace.add(0, 5_000_400, "ipi_send_cpu: cpu=3 callsite=a+0x1 callback=b")
    trace.idle(3, 5_100_000, 2)
    trace.waking(6_000_000)
    trace.woken(3, 6_000_200)
    # of no meaning: another task, another waker
    trace.idle(3, 6_100_000, 2)
    trace.waking(7_000_000, pid=78)
    trace.waking(7_000_000, waker=1)
    rows, left = samples(tmp_path, trace, "by_ipi", awk, given)
    assert rows == [
        "stop2,ipi,0,3111,1000400",
        "stop2,ipi,0,2000,900400",
        "stop2,write,0,0,900300",
    ]
    assert left == [
        "1 the CPU was awake",
        "1 another state was entered",
        "1 something else had woken the CPU before",
        "1 no interrupt was sent",
    ]


def write(trace: Trace, waking: int, written: int, woken: int, state: int = 2) -> None:
    trace.idle(3, waking - 900_000, state)
    trace.waking(waking)
    trace.add(0, written, "sched_wake_idle_without_ipi: cpu=3")
    trace.woken(3, woken)


def test_a_write_takes_from_behind_the_write(tmp_path: Path, awk: str) -> None:
    """Not from the decision to wake: 250 ns came out as 1750."""
    given = ["waker=0", "reader=77", "sends= ipi/ipi_send_cpu", "signs= reschedule_entry"]
    trace = Trace()
    write(trace, 1_000_000, 1_001_500, 1_001_750)
    assert samples(tmp_path, trace, "by_ipi", awk, given) == (["stop2,write,0,250,901500"], [])


def test_a_state_that_polls_is_the_baseline_of_writes(tmp_path: Path, awk: str) -> None:
    given = ["waker=0", "reader=77", "sends= ipi/ipi_send_cpu", "signs= reschedule_entry"]
    trace = Trace()
    write(trace, 1_000_000, 1_001_500, 1_001_650, 0)
    rows, left = samples(
        tmp_path, trace, "by_ipi", awk, [*given, "wanted=0", "name=POLL", "polls=1"]
    )
    assert (rows, left) == ([",write,1,150,", "POLL,write,0,150,901500"], [])


@pytest.mark.parametrize(
    ("only", "mask", "rows"),
    [
        ("8", "00000000,00000008", ["stop2,ipi,0,2600,1000400"]),
        ("8", "00000000,0000000c", []),
        ("8", "00000000,00000004", []),
        ("800000000", "8,00000000", ["stop2,ipi,0,2600,1000400"]),
    ],
)
def test_an_interrupt_to_others_is_not_this_cpus(
    tmp_path: Path, awk: str, only: str, mask: str, rows: list[str]
) -> None:
    given = ["waker=0", "reader=77", "sends= ipi/ipi_raise", "signs= ipi_entry", f"only={only}"]
    trace = Trace()
    trace.idle(3, 0, 2)
    trace.waking(1_000_000)
    trace.add(0, 1_000_400, f"ipi_raise: target_mask={mask} (Rescheduling interrupts)")
    trace.woken(3, 1_003_000)
    trace.add(3, 1_003_200, "ipi_entry: (Rescheduling interrupts)")
    found, left = samples(tmp_path, trace, "by_ipi", awk, given)
    assert found == rows
    assert left == ([] if rows else ["1 an interrupt was sent to other CPUs, too"])


@pytest.mark.parametrize(
    "other",
    [
        "local_timer_entry: vector=236",
        "timer_interrupt_entry: regs=c0",
        "irq_handler_entry: irq=16 name=nvme0q1",
    ],
)
def test_another_interrupts_waking_is_not_the_ipis(tmp_path: Path, awk: str, other: str) -> None:
    given = [
        "waker=0", "reader=77", "sends= ipi/ipi_send_cpu", "near=10000",
        "signs= reschedule_entry irq_handler_entry irq_entry",
    ]  # fmt: skip
    trace = Trace()
    for start, own in ((0, False), (3_000_000, True)):
        trace.idle(3, start, 2)
        trace.waking(start + 1_000_000)
        trace.add(0, start + 1_000_400, "ipi_send_cpu: cpu=3 callsite=a+0x1 callback=b")
        trace.woken(3, start + 1_002_000)
        if own:
            trace.add(3, start + 1_002_100, "irq_handler_entry: irq=9 name=IPI")
        trace.add(3, start + 1_002_400, other)
        trace.add(3, start + 1_003_000, "reschedule_entry: vector=253")
        # of the tick behind it, nothing follows
        trace.add(3, start + 1_500_000, "local_timer_entry: vector=236")
    rows, left = samples(tmp_path, trace, "by_ipi", awk, given)
    assert rows == ["stop2,ipi,0,1600,1000400"]
    assert left == ["1 another interrupt may have woken the CPU"]


@pytest.mark.parametrize(
    ("mhz", "least", "most"), [(24, 41, 42), (62.5, 15.5, 16.5), (512, 1, 2), (2100, 1, 1)]
)
def test_the_step_of_the_clock_is_seen(
    tmp_path: Path, awk: str, mhz: float, least: float, most: float
) -> None:
    trace, random, at = Trace(), Random(1), 0
    for _ in range(600):
        at += random.randint(20, 700)
        trace.add(3, int(int(at * mhz / 1000) * 1000 / mhz), "doorbell_entry: regs=c0")
    samples(tmp_path, trace, "by_ipi", awk, ["waker=0", "reader=77"])
    functions = script(MeasureOptions()).partition("\ntrap undo EXIT\n")[0]
    done = subprocess.run(
        ["sh", "-s"],
        input=f"{functions}\nwork={tmp_path}\nclock_step\n",
        capture_output=True,
        text=True,
        env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"},
    )
    assert least <= float(done.stdout) <= most


PERF = """#!/bin/sh
# perf stat, of a core that is in C6 for 3 of 10 ticks while it idles half of the time
[ "$1" = stat ] || exit 1
case "$*" in *" true") exit 0 ;; esac
while [ "$1" != -o ]; do shift; done
output=$2
while [ "$1" != -e ]; do shift; done
shift 2
"$@"
{
    echo "1000000,,msr/tsc/,5,100.00,,"
    echo "150000,,cstate_core/c6-residency/,5,100.00,,"
    echo "<not counted>,,cstate_core/c7-residency/,0,0.00,,"
} > "$output"
"""


@pytest.mark.parametrize("shell", ["sh", "busybox sh"])
def test_what_hardware_reached_is_counted(tmp_path: Path, awk: str, shell: str) -> None:
    programs, events = tmp_path / "bin", tmp_path / "cstate_core/events"
    for directory in (programs, events, tmp_path / "cpu3/cpuidle/state2"):
        directory.mkdir(parents=True)
    (programs / "perf").write_text(PERF)
    (programs / "perf").chmod(0o755)
    (programs / "awk").symlink_to(shutil.which(awk) or "")
    for counter in ("c6", "c7"):
        (events / f"{counter}-residency").touch()
    time = tmp_path / "cpu3/cpuidle/state2/time"
    time.write_text("1000000\n")
    functions = script(MeasureOptions()).partition("\ntrap undo EXIT\n")[0]
    commands = f"""{functions}
cpus={tmp_path} cpu=3 work={tmp_path} busy=''
counters_of {tmp_path}/cstate_core
idle_so_far() {{ first_line "$cpus/cpu3/cpuidle/state$1/time"; idle_us=$line; }}
uptime=100.00
begin_count 2
echo 2000000 > {time}
uptime=102.00
end_count 2 'a state'
reached
"""
    done = subprocess.run(
        [*shell.split(), "-s"],
        input=commands,
        capture_output=True,
        text=True,
        env={"PATH": f"{programs}:{os.environ['PATH']}"},
        timeout=20,
    )
    expected = "# reached: state=2 counter=c6-residency of_idle=0.300 name=a state\n"
    assert (done.stdout, done.stderr) == (expected, "")


def test_where_no_event_tells_of_sending_the_decision_to_wake_is_taken(
    tmp_path: Path, awk: str
) -> None:
    given = ["waker=0", "reader=77", "sends=", "signs= doorbell_entry irq_entry"]
    trace = Trace()
    trace.idle(3, 0, 2)
    trace.waking(1_000_000)
    trace.woken(3, 1_003_511)
    assert samples(tmp_path, trace, "by_ipi", awk, given) == (["stop2,ipi,0,3511,1000000"], [])
    busy = Trace()
    busy.waking(1_000_000)
    busy.add(3, 1_002_720, "doorbell_entry: regs=c0")
    busy.waking(2_000_000)
    assert samples(tmp_path, busy, "by_ipi", awk, [*given, "busy=1"]) == (
        [",ipi,1,2720,"],
        ["1 nothing shows when the CPU woke"],
    )


def test_without_the_raw_form_times_are_microseconds_and_that_is_said(
    tmp_path: Path, awk: str
) -> None:
    trace = Trace(raw=False)
    given = ["waker=0", "reader=77", "sends=", "signs="]
    trace.idle(3, 0, 2)
    trace.waking(1_000_600)
    trace.woken(3, 1_003_511)
    rows, left = samples(tmp_path, trace, "by_ipi", awk, given)
    assert (rows, left) == (["stop2,ipi,0,3000,1001000"], [])
    assert (tmp_path / "coarse").read_text() == "1000\n"


def test_cpus_are_numbers_to_the_base_of_ten(tmp_path: Path, awk: str) -> None:
    trace = Trace()
    for cpu in (8, 10):
        trace.timer(cpu, 0, 2_000_000, f"0000000000{cpu}")
        trace.idle(cpu, 100_000, 2)
        trace.woken(cpu, 2_000_000 + cpu)
        trace.expires(cpu, 2_001_000, 2_000_000 + cpu, f"0000000000{cpu}")
    for cpu in (8, 10):
        rows, left = samples(tmp_path, trace, "by_timer", awk, [f"cpu={cpu}"])
        assert (rows, left) == ([f"stop2,timer,0,{cpu},1900000"], [])
