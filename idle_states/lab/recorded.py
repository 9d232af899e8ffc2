"""What the recording script printed: a header, and the events of the tracing instance.

    # governor: menu
    # state: cpu=0 state=1 latency=1 residency=10 disable=0 power=0 name=stop0_lite
    <idle>-0 [001] d.... 35.387611: is_begin: (menu_select+0xc/0x7c0)
    <idle>-0 [001] d.... 35.387719: is_decide: (do_idle+0x38/0x50 <- menu_select) ret=3 stop=0
    # end
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ..workload.inputs import Input, Kind, lines
from ..workload.problems import quoted, unreadable

FORMAT = "idle-states recording 1"
_KEYS = ("release", "version", "arch", "hz", "driver", "governor", "restarted")

_EVENT = re.compile(rb".*?\[(\d{1,5})\] (?:\S+ +)?(\d{1,11})\.(\d{6}): (\w+):(.*)")
_ARGUMENT = re.compile(rb" (\w+)=(-?\d{1,20})(?!\S)")
_LOST = re.compile(rb"\s*CPU:(\d{1,5}) \[(?:LOST )?(?:\d{1,19} )?EVENTS(?: DROPPED)?\]\s*")
_PAIR = re.compile(r"(\w+)=(\S+)")
_RELEASE = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\D.*)?")


class State(NamedTuple):
    """One state of one CPU as sysfs has it: us, which hide what was below."""

    latency_us: int
    residency_us: int
    disabled: bool
    name: str


class Event(NamedTuple):
    """name: "lost" where events of the CPU are missing, "unread" (CPU -1) for a line that could
    not be understood. values: arguments that are whole numbers; others, such as (fault), are not
    there. time_ns is floored to us, as ftrace prints it."""

    cpu: int
    time_ns: int
    name: str
    values: dict[str, int]
    line: int


@dataclass(slots=True)
class Header:
    """The machine. Fields are empty until read.

    version   mainline version, from the release
    hz        None where it could not be known
    states    CPU -> its states, by number
    lost      CPU -> events the buffer had no room for
    misses    probe -> how often the kernel could not take it
    """

    governor: str = ""
    release: str = ""
    build: str = ""
    arch: str = ""
    driver: str = ""
    hz: int | None = None
    restarted: bool = False
    version: tuple[int, int] = (0, 0)
    states: dict[int, dict[int, State]] = field(default_factory=dict)
    lost: dict[int, int] = field(default_factory=dict)
    misses: dict[str, int] = field(default_factory=dict)


class Recorded:
    """A recording. header is complete before the first event is given.

    ended  its last line has been read; a recording without one was cut
    Raises Unreadable for what is no recording.
    """

    def __init__(self, source: Input) -> None:
        self.name = source.name
        self.header = Header()
        self.ended = False
        self._source = source
        if source.kind is not Kind.TEXT:
            raise unreadable(source.name, f"expected a recording, found: {source.kind}")

    def events(self) -> Iterator[Event]:
        numbered = lines(self._source.blocks(), self.name)
        number, first = next(numbered)
        if first.decode("ascii", "replace").removeprefix("# ").strip() != FORMAT:
            message = f"expected '# {FORMAT}', printed by the script, found {quoted(first)}"
            raise unreadable(self.name, message, number)
        given: dict[str, str] = {}
        in_header = True
        for number, line in numbered:
            if line.startswith(b"#"):
                text = line[1:].decode("utf-8", "backslashreplace").strip()
                if in_header:
                    in_header = self._head(text, number, given)
                elif text == "end":
                    self.ended = True
                continue
            if in_header:
                self._complete(given, number)
                in_header = False
            if line.strip():
                yield _event(line, number)
        if in_header:
            self._complete(given, number)
        if self._source.cut is not None:
            self.ended = False

    def _head(self, text: str, line: int, given: dict[str, str]) -> bool:
        """One line of the header; False if it was the last: ftrace's own follows."""
        key, _, value = text.partition(": ")
        if key == "tracer":
            self._complete(given, line)
            return False
        if key in ("state", "lost", "probe"):
            try:
                self._row(key, value)
            except (KeyError, ValueError):
                raise unreadable(
                    self.name, f"expected fields of a {key}, found {text!r:.80}", line
                ) from None
        else:
            given.setdefault(key, value.strip())
        return True

    def _row(self, key: str, value: str) -> None:
        """Raises KeyError, ValueError."""
        pairs = dict(_PAIR.findall(value))
        if key == "state":
            states = self.header.states.setdefault(int(pairs["cpu"]), {})
            states[int(pairs["state"])] = State(
                int(pairs["latency"]),
                int(pairs["residency"]),
                int(pairs["disable"]) != 0,
                value.partition("name=")[2],
            )
        elif key == "lost":
            self.header.lost[int(pairs["cpu"])] = int(pairs["events"])
        else:
            self.header.misses[value.split()[0]] = int(pairs["misses"])

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
        header.arch, header.driver = given["arch"], given["driver"]
        header.governor = given["governor"]
        header.restarted = given["restarted"] == "yes"
        hz = given["hz"].partition(" ")[0]
        header.hz = int(hz) if hz.isascii() and hz.isdecimal() and 0 < len(hz) < 7 else None


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
    return Event(int(cpu), time_ns, name.decode(), values, number)
