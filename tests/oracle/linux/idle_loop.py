"""The idle loop of a kernel tree: do_idle() and what cpuidle's core does for it, unmodified.

The functions are cut out of kernel/sched/idle.c and drivers/cpuidle/, and compiled with a governor
and a driver that do as a row says. What comes out is what they and the tick are asked to do, in
order, and the counters that sysfs shows.
"""

import re
import struct
import subprocess
from array import array
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from idle_states.tables.linux.governors.source.build import ours

from ..compiling import digest, made
from .governors import COMPILER_FLAGS, compile_program, extract
from .source import OracleError, constants, functions, read

__all__ = [
    "LOOP_FILES",
    "MOST_POLLED_NS",
    "RELAX_NS",
    "Call",
    "IdleCpu",
    "IdleLoopOracle",
    "IdleState",
    "Turn",
]

#: What this oracle reads of a kernel tree.
LOOP_FILES = (
    "Makefile",
    "drivers/cpuidle/cpuidle.c",
    "drivers/cpuidle/driver.c",
    "drivers/cpuidle/governor.c",
    "include/linux/cpuidle.h",
    "kernel/sched/idle.c",
)

_SHIM = Path(__file__).parent / "shim"
_UNITS = (_SHIM / "idle_loop_unit.c", _SHIM / "idle_loop.c")
_CPUIDLE = "include/linux/cpuidle.h"
_FILE2FUNCTIONS = {
    "drivers/cpuidle/cpuidle.c": (
        "cpuidle_not_available find_deepest_state cpuidle_find_deepest_state enter_freeze_proper "
        "enter_s2idle_proper cpuidle_enter_freeze cpuidle_enter_s2idle cpuidle_enter_state "
        "cpuidle_select cpuidle_enter cpuidle_reflect cpuidle_poll_time"
    ),
    "drivers/cpuidle/driver.c": "poll_idle",
    "drivers/cpuidle/poll_state.c": "poll_idle",
    "drivers/cpuidle/governor.c": "cpuidle_governor_latency_req",
    "kernel/sched/idle.c": (
        "cpu_idle_poll default_idle_call call_cpuidle call_cpuidle_s2idle "
        "idle_call_stop_or_retain_tick cpuidle_idle_call do_idle cpu_idle_loop"
    ),
}
_NEEDED = set(
    "find_deepest_state cpuidle_enter_state cpuidle_select cpuidle_idle_call poll_idle".split()
)
_CONSTANTS = r"POLL_IDLE_\w+|CPUIDLE_POLL_\w+"
# Macro of the shim -> what in cpuidle's header says that this kernel is so.
_MACRO2SIGN = {
    "ORACLE_FORCED": r"\buse_deepest_state:",
    "ORACLE_FORCED_NS": r"\bforced_idle_latency_limit_ns;",
    "ORACLE_JUDGED": r"\babove;",
    "ORACLE_REJECTED": r"\brejected;",
}
_HEADER = struct.Struct("<II")
_STATE = struct.Struct("<qqIII4x")
_ROW = struct.Struct("<qqiiiiiIHH4x")
_AS_TOLD = -(1 << 31)
_SECONDS_PER_RUN = 120
RELAX_NS = 100
"""Time of a round of poll_idle()."""
MOST_POLLED_NS = 20_000_000
_FLAGS = (
    "stop_tick",
    "tick",
    "tick_stays",
    "forced",
    "expired",
    "unavailable",
    "suspends",
    "no_broadcast",
    "asks_tick",
    "no_reflect",
)

Call = tuple[str, int]
"""The steps of the loop, a letter and a number: s the governor's select(), of its answer; r its
reflect(), g what it heard of the tick; l the latency limit it asked for; t the tick, 0 retained, 1
stopped, 2 restarted; e the driver's enter() of a state, z its enter_s2idle(); p the end of
poll_idle(), 1 at its time limit; d idle without cpuidle; x a round of forced polling; "." the end
of a turn; q a task runs. Then for each state u usage, n time in us, a above, b below, j rejected;
and i the last residency in ns."""


class IdleState(NamedTuple):
    """timer_stop: the CPU's timer stops in it; s2idle: it has an enter_s2idle(); polls: its enter()
    is poll_idle()."""

    exit_ns: int
    residency_ns: int
    timer_stop: bool = False
    s2idle: bool = False
    polls: bool = False


class Turn(NamedTuple):
    """The circumstances that one turn of the idle loop meets.

    idle_ns     time in the state that is entered; in poll_idle(), modulo MOST_POLLED_NS, that until
                a task is to run
    forced_ns   latency limit of idle injection; 0: none
    selects     the governor's answer
    enters      the driver's, a state or an error below 0; None: the state it was told to enter
    limit_us .. wakeup_us  latency limits: the system's, the CPU's, cpu_wakeup_latency
    resched_at  how often need_resched() is answered with no
    disabled    states that are switched off
    stop_tick .. no_reflect  as in the shim's enum, in its order
    """

    idle_ns: int = 0
    forced_ns: int = 0
    selects: int = 0
    enters: int | None = None
    limit_us: int = 2_000_000_000
    resume_us: int = (1 << 31) - 1
    wakeup_us: int = (1 << 31) - 1
    resched_at: int = 1 << 30
    disabled: frozenset[int] = frozenset()
    stop_tick: bool = False
    tick: bool = False
    tick_stays: bool = False
    forced: bool = False
    expired: bool = False
    unavailable: bool = False
    suspends: bool = False
    no_broadcast: bool = False
    asks_tick: bool = False
    no_reflect: bool = False


class IdleCpu(NamedTuple):
    """A CPU: its table and its turns."""

    states: Sequence[IdleState]
    turns: Sequence[Turn]


class IdleLoopOracle:
    """The idle loop of a kernel tree, compiled into `workdir` unless it is there already.

    asks_limit: whether this kernel has cpuidle_governor_latency_req(), which is asked then at each
    select(); tells_limit: whether it has dev->poll_time_limit.
    Raises OracleError if the tree has no such loop or it does not compile, Unavailable without a
    compiler.
    """

    def __init__(self, tree: Path, workdir: Path) -> None:
        header = read(tree, _CPUIDLE)
        cut = extract(header)
        text, names = _cut(tree)
        self.asks_limit = "cpuidle_governor_latency_req" in names
        self.tells_limit = "ORACLE_POLL_TIME_LIMIT" in cut
        macros = {macro: "1" for macro, sign in _MACRO2SIGN.items() if re.search(sign, cut)}
        macros["CONFIG_SUSPEND"] = "1"
        macros["ORACLE_LOOP"] = "do_idle" if "do_idle" in names else "cpu_idle_loop"
        macros["ORACLE_S2IDLE"] = "enter_s2idle" if "enter_s2idle" in cut else "enter_freeze"
        if self.asks_limit:
            macros["ORACLE_LATENCY_REQ"] = "1"
        own = [path.read_text(encoding="utf-8") for path in (*_UNITS, *sorted(_SHIM.glob("*.h")))]
        own.append(ours()["gov_kernel.h"])
        key = digest([text, cut, *own, *macros, *macros.values(), *COMPILER_FLAGS])

        def build(scratch: Path) -> Path:
            macros["IDLE_LOOP_SOURCE"] = f'"{scratch / "cut.c"}"'
            sources = {"cut.c": text}
            return compile_program(scratch, sources, "cut.c", cut, 250, units=_UNITS, macros=macros)

        self._program = made(workdir.resolve() / f"idle-loop-{key}", build)

    def run(self, cpus: Sequence[IdleCpu]) -> list[list[Call]]:
        """Returns per CPU what its idle loop did, from boot on. Raises OracleError on a crash."""
        done = subprocess.run(
            [str(self._program)],
            input=b"".join(map(_packed, cpus)),
            capture_output=True,
            check=False,
            timeout=_SECONDS_PER_RUN,
        )
        if done.returncode:
            last = done.stderr.decode(errors="replace").strip() or f"status {done.returncode}"
            raise OracleError(f"the idle loop: {last}")
        values = iter(array("q", done.stdout))
        answers = []
        for total in values:
            pairs = list(islice(values, 2 * total))
            answers.append([(chr(pairs[i]), pairs[i + 1]) for i in range(0, 2 * total, 2)])
        if len(answers) != len(cpus):
            raise OracleError(f"expected the answers of {len(cpus)} CPUs, found {len(answers)}")
        return answers


def _cut(tree: Path) -> tuple[str, set[str]]:
    """The functions of the idle loop, and their names."""
    pieces, found = [], set()
    for file, wanted in _FILE2FUNCTIONS.items():
        if file.endswith("poll_state.c") and not (tree / file).exists():
            continue
        text = read(tree, file)
        if re.search(rf"#define (?:{_CONSTANTS})\b", text):
            pieces.append(constants(text, _CONSTANTS))
        for name, start, end in functions(text):
            if name in wanted.split():
                pieces.append(text[start:end])
                found.add(name)
    if missing := _NEEDED - found:
        raise OracleError(f"functions not found: {', '.join(sorted(missing))}")
    return "\n".join(pieces) + "\n", found


def _packed(cpu: IdleCpu) -> bytes:
    pieces = [_HEADER.pack(len(cpu.states), len(cpu.turns))]
    pieces += [_STATE.pack(*state) for state in cpu.states]
    pieces += [
        _ROW.pack(
            turn.idle_ns,
            turn.forced_ns,
            turn.selects,
            _AS_TOLD if turn.enters is None else turn.enters,
            turn.limit_us,
            turn.resume_us,
            turn.wakeup_us,
            turn.resched_at,
            sum(1 << number for number in turn.disabled),
            sum(getattr(turn, flag) << bit for bit, flag in enumerate(_FLAGS)),
        )
        for turn in cpu.turns
    ]
    return b"".join(pieces)
