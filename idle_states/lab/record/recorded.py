"""Reads what the recording script printed: a header, and the events of the tracing instance.

A shortened example:

    # governor: menu
    # state: cpu=0 state=1 latency=1 residency=10 disable=0 power=0 name=stop0_lite
    # tracer: nop
    <idle>-0 [001] d.... 35.387611: is_begin: (menu_select+0xc/0x7c0)
    <idle>-0 [001] d.... 35.387719: is_decide: (do_idle+0x38/0x50 <- menu_select) ret=3 stop=0
    # end
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...base.dataclass import dataclass, field
from ...base.model.beyond_opal import SysfsState
from ...base.model.findings import unreadable
from ...base.patterns import pattern
from ...base.reading.inputs import CPU_MAX, Input, InputKind, lines
from ...base.reading.problems import quoted
from ..traces.head import SCRIPT_FORMAT, TIME_MAX_US, pairs_in

_SAYS = b"record: "
"""Begins what the script says on standard error, which may have gone into the same file."""
_BEGINS = pattern(
    rb"\s*(?:%s[^\n]*\n\s*)*%s[ \t\r]*(?:\n|\Z)" % (_SAYS, re.escape(SCRIPT_FORMAT.encode()))
)
_KEYS = ("release", "version", "hz", "driver", "governor")

_EVENT = pattern(rb".*?\[(\d{1,5})\] (?:\S+ +)?(\d{1,11})\.(\d{6}): (\w+):(.*)")
_ARGUMENT = pattern(rb" (\w+)=(-?\d{1,20})(?!\S)")
_CALLER = pattern(rb" \((\w+)")
_LOST = pattern(rb"\s*CPU:(\d{1,5}) \[(?:LOST )?(?:\d{1,19} )?EVENTS(?: DROPPED)?\]\s*")
_RELEASE = pattern(r"(\d{1,4})\.(\d{1,4})(?:\D.*)?", re.ASCII)
_HZ = pattern(r"([1-9]\d{0,4})(?: .*)?", re.ASCII)


def is_recorded(source: Input) -> bool:
    """Tells whether an input of which nothing was read is what the recording script printed."""
    return source.kind is InputKind.TEXT and _BEGINS.match(source.beginning) is not None


class Event(NamedTuple):
    """An event of the trace.

    cpu      the CPU; -1 for "unread"
    time_ns  time in ns, rounded down to us as ftrace prints it
    name     name of the probe; "lost" where events of the CPU are missing, "unread" for a line that
             could not be understood
    values   argument -> value, of the arguments that are whole numbers; others, such as (fault),
             are left out
    line     1-based line of the recording
    caller   for a function's result, the function it was returned to
    words    all arguments, as they stand
    """

    cpu: int
    time_ns: int
    name: str
    values: dict[str, int]
    line: int
    caller: str = ""
    words: str = ""


@dataclass(slots=True)
class RecordedMachine:
    """The machine of a recording, from its header. Fields are empty until they are read.

    release    uname -r
    build      uname -v
    signature  Ubuntu's /proc/version_signature; "" where there is none
    driver     cpuidle driver
    version    mainline version, from the release
    hz         tick rate; None where the script could not find it out
    states     CPU -> its states, shallowest first, times rounded down to us
    lost       CPU -> number of events for which the buffer had no room
    misses     probe -> number of hits that the kernel missed
    wake_ups   tracepoints of what ends idle periods that were recorded
    without    why none of the governor's inputs was recorded; "": they were
    seconds    for how long it was recorded
    """

    governor: str = ""
    release: str = ""
    build: str = ""
    signature: str = ""
    driver: str = ""
    hz: int | None = None
    version: tuple[int, int] = (0, 0)
    states: dict[int, list[SysfsState]] = field(default_factory=dict)
    lost: dict[int, int] = field(default_factory=dict)
    misses: dict[str, int] = field(default_factory=dict)
    wake_ups: tuple[str, ...] = ()
    without: str = ""
    seconds: str = ""


class Recorded:
    """A recording; its header is read when it is made.

    ended  whether the line "# end" has been read; a recording without it was cut off
    Raises Unreadable if the input is not a recording.
    """

    def __init__(self, source: Input) -> None:
        self.name = source.name
        self.header = RecordedMachine()
        self.ended = False
        self._source = source
        if source.kind is not InputKind.TEXT:
            raise unreadable(
                source.name,
                f"expected the output of collect --record's script, found: {source.kind}",
            )
        self._lines = lines(source.blocks(), self.name)
        self._read_header()

    def events(self) -> Iterator[Event]:
        """Yields the events as recorded. Raises Unreadable for lines after "# end"."""
        for number, line in self._lines:
            if self.ended and line.strip() and not line.startswith(_SAYS):
                message = f"expected nothing after '# end', found {quoted(line)}"
                raise unreadable(self.name, message, number)
            if line.startswith(b"#"):
                self.ended = line.rstrip() == b"# end"
            elif line.strip():
                yield _event(line, number)
        if self._source.cut is not None:
            self.ended = False

    def _read_header(self) -> None:
        own = (each for each in self._lines if each[1].strip() and not each[1].startswith(_SAYS))
        number, first = next(own, (1, b""))
        if first.strip() != SCRIPT_FORMAT.encode():
            message = f"expected {SCRIPT_FORMAT!r}, printed by the script, found {quoted(first)}"
            raise unreadable(self.name, message, number)
        given: dict[str, str] = {}
        for number, line in self._lines:
            key, _, value = line.decode("utf-8", "backslashreplace").strip().partition(": ")
            if key == "# tracer":
                self._complete(given, number)
                return
            if not key.startswith("# "):
                message = f"expected the header, up to '# tracer: nop', found {quoted(line)}"
                raise unreadable(self.name, message, number)
            if key in ("# state", "# lost", "# probe"):
                self._row(key[2:], value, number)
            else:
                given.setdefault(key[2:], value.strip())
        raise unreadable(self.name, "expected '# tracer: nop' and events, found the end", number)

    def _row(self, key: str, value: str, line: int) -> None:
        header = self.header
        numbers, _, name = value.partition(" name=")
        pairs = pairs_in(numbers)
        try:
            if key == "state":
                states = header.states.setdefault(pairs["cpu"], [])
                if pairs["state"] != len(states) or pairs["cpu"] > CPU_MAX:
                    message = f"expected states in their order, of CPUs to {CPU_MAX}"
                    raise unreadable(self.name, f"{message}, found {value!r:.80}", line)
                disabled = pairs["disable"] != 0
                times = pairs["latency"], pairs["residency"]
                if max(times) > TIME_MAX_US:
                    message = f"expected times up to {TIME_MAX_US} us, found {value!r:.80}"
                    raise unreadable(self.name, message, line)
                states.append(SysfsState(name, "", *times, disabled=disabled))
            elif key == "lost":
                header.lost[pairs["cpu"]] = pairs["events"]
            else:
                header.misses[numbers.split(" ", 1)[0]] = pairs["misses"]
        except KeyError as lacking:
            message = f"expected a number for {lacking.args[0]} of a {key}, found {value!r:.80}"
            raise unreadable(self.name, message, line) from None

    def _complete(self, given: dict[str, str], line: int) -> None:
        header = self.header
        missing = [key for key in _KEYS if key not in given]
        if missing or not header.states:
            what = ", ".join(missing) or "states"
            raise unreadable(self.name, f"expected a header with {what}, found none", line)
        match = _RELEASE.fullmatch(given["release"])
        if match is None:
            message = f"expected a Linux release, found {given['release']!r:.60}"
            raise unreadable(self.name, message, line)
        header.version = int(match[1]), int(match[2])
        header.release, header.build = given["release"], given["version"]
        header.signature = given.get("signature", "")
        header.driver, header.governor = given["driver"], given["governor"]
        header.wake_ups = tuple(given.get("wake-ups", "").split())
        header.without, header.seconds = given.get("without", ""), given.get("seconds", "")
        hz = _HZ.fullmatch(given["hz"])
        header.hz = None if hz is None else int(hz[1])


def _event(line: bytes, number: int) -> Event:
    match = _EVENT.fullmatch(line)
    if match is None:
        lost = _LOST.fullmatch(line)
        if lost is not None:
            return Event(int(lost[1]), 0, "lost", {}, number)
        return Event(-1, 0, "unread", {}, number)
    cpu, seconds, micros, name, arguments = match.groups()
    values = {key.decode(): int(value) for key, value in _ARGUMENT.findall(arguments)}
    time_ns = int(seconds) * 1_000_000_000 + int(micros) * 1000
    caller = _CALLER.match(arguments)
    returned_to = "" if caller is None else caller[1].decode()
    words = arguments.decode("utf-8", "backslashreplace")
    return Event(int(cpu), time_ns, name.decode(), values, number, returned_to, words)
