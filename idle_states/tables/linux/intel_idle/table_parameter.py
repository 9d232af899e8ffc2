"""`intel_idle.table=`: latencies and residencies given at boot, as Linux 7.0 and later take them.

NAME:LATENCY:RESIDENCY[,...], in us. What cmdline_table_adjust() of drivers/idle/intel_idle.c does
with the states that it has put together: POLL first, then what it registers, also those switched
off.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from ....base.dataclass import dataclass, replace
from ....base.model.stages import Message
from ....base.model.table import U32_MAX
from ....base.patterns import pattern
from ..driver_table import DriverState

SINCE = "7.0"
MOST_BYTES = 255
"""The most characters of the parameter; a longer one is refused before the driver sees it."""
MOST_LATENCY_US = 5_000
MOST_RESIDENCY_US = 100_000
_FIELDS_IGNORED = 3
"""After the residency, for formats to come."""
_SPACE = frozenset(b"\t\n\v\f\r \xa0")
"""The kernel's isspace(), which is Latin-1's."""
_NUMBER = pattern(
    rb"\+?(?:0[xX](?P<hex>[0-9a-fA-F]+)|(?P<octal>0[0-7]*)|(?P<decimal>[1-9][0-9]*))\n?"
)
PREFIX = "intel_idle: "
FAILED = "Failed to adjust C-states with data from 'intel_idle.table'"

Verdict = Literal["absent", "too long", "refused", "accepted"]


@dataclass(frozen=True, slots=True)
class Adjustable:
    """A registered state. Times in us."""

    name: str
    exit_latency_us: int
    target_residency_us: int


Timed = Adjustable | DriverState


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The effect of the parameter on the states.

    verdict   absent: it is empty; too long, refused: nothing changes; accepted
    states    as the kernel has them then
    messages  of the driver, in order
    """

    verdict: Verdict
    states: tuple[Adjustable, ...]
    messages: tuple[Message, ...] = ()


def adjusted(states: Sequence[Adjustable], text: str | bytes) -> Adjusted:
    """Returns what a parameter's value makes of the states. states: POLL first."""
    value = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    before = tuple(states)
    if len(value) > MOST_BYTES:
        return Adjusted("too long", before)
    value = value.partition(b"\0")[0]
    if not value:
        return Adjusted("absent", before)
    run = _Run(before)
    try:
        run.entries(value)
        run.validate()
    except _Refused:
        run.say("info", FAILED)
        return Adjusted("refused", before, tuple(run.messages))
    run.say("info", "Adjusted C-states with data from 'intel_idle.table'")
    return Adjusted("accepted", tuple(run.states), tuple(run.messages))


def refusal(messages: Iterable[Message]) -> tuple[bool, list[str]]:
    """Tells whether the driver's log says that it refused table=, and the errors in it."""
    errors = [each.text.removeprefix(PREFIX) for each in messages if each.level == "error"]
    return any(each.text == PREFIX + FAILED for each in messages), errors


def unfit(states: Sequence[Timed]) -> tuple[str, ...]:
    """Names of the states that every value must change to be accepted: as they are, their times are
    beyond the limits, or not above those of the state before. states: POLL first."""
    pairs = itertools.pairwise(states)
    return tuple(state.name for before, state in pairs if any(faults(before, state)))


def faults(before: Timed, state: Timed) -> Iterator[tuple[Literal["latency", "residency"], str]]:
    """Yields what the driver's validate_cmdline_cstate() refuses of a state: which time, and why.
    before: the state before it."""
    latency, residency = state.exit_latency_us, state.target_residency_us
    if not 0 < latency <= MOST_LATENCY_US:
        yield "latency", f"its exit latency of {latency} us is not from 1 to {MOST_LATENCY_US}"
    if latency <= before.exit_latency_us:
        shallower = f"{before.name}'s {before.exit_latency_us}"
        yield "latency", f"its exit latency of {latency} us is not above {shallower}"
    if residency > MOST_RESIDENCY_US:
        yield "residency", f"its residency of {residency} us is above {MOST_RESIDENCY_US}"
    if residency < latency:
        yield "residency", f"its residency of {residency} us is below its latency of {latency}"
    if residency <= before.target_residency_us:
        shallower = f"{before.name}'s {before.target_residency_us}"
        yield "residency", f"its residency of {residency} us is not above {shallower}"


class _Refused(Exception):
    pass


class _Run:
    def __init__(self, states: tuple[Adjustable, ...]) -> None:
        self.states = list(states)
        self.messages: list[Message] = []

    def say(self, level: Literal["info", "error"], text: str) -> None:
        self.messages.append(Message(level, PREFIX + text))

    def entries(self, value: bytes) -> None:
        rest: bytes | None = value
        while rest is not None:
            entry, rest = _field(rest, b",")
            self.entry(entry)

    def entry(self, entry: bytes) -> None:
        name, fields = _field(entry, b":")
        if fields is None:
            raise _Refused
        if name == b"POLL":
            self.say("error", "Cannot adjust POLL")
            return
        shown = name.decode("utf-8", "surrogateescape")
        index = next((at for at, state in enumerate(self.states) if state.name == shown), None)
        if index is None:
            self.say("error", f"C-state '{shown}' was not found")
            return
        latency, fields = _field(fields, b":")
        if fields is None:
            raise _Refused
        if latency:
            self.states[index] = replace(self.states[index], exit_latency_us=_number(latency))
        residency, fields = _field(fields, b":")
        if residency:
            self.states[index] = replace(self.states[index], target_residency_us=_number(residency))
        for _ in range(_FIELDS_IGNORED):
            if fields is not None:
                fields = _field(fields, b":")[1]
        state = self.states[index]
        if fields is not None:
            self.say("error", f"Too many fields for C-state '{state.name}'")
            raise _Refused
        self.say(
            "info",
            f"C-state from cmdline: name={state.name}, latency={state.exit_latency_us}, "
            f"residency={state.target_residency_us}",
        )

    def validate(self) -> None:
        """All states but POLL, those that the parameter does not name too."""
        for before, state in zip(self.states, self.states[1:], strict=False):
            if any(faults(before, state)):
                self.say("error", f"C-state '{state.name}' validation failed")
                raise _Refused


def _field(text: bytes, separator: bytes) -> tuple[bytes, bytes | None]:
    """The field before a separator, and what follows it; all of the text and None if white space
    or the end comes before one."""
    at = next((at for at, byte in enumerate(text) if byte in _SPACE or byte == separator[0]), None)
    if at is None or text[at] != separator[0]:
        return text, None
    return text[:at], text[at + 1 :]


def _number(text: bytes) -> int:
    """Returns the number that kstrtouint() reads with base 0. Raises _Refused for others."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise _Refused
    base = {"hex": 16, "octal": 8, "decimal": 10}[match.lastgroup or ""]
    value = int(match[match.lastgroup or ""], base)
    if value > U32_MAX:
        raise _Refused
    return value
