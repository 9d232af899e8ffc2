"""Latency limits as they are asked for: a time, what tuned's force_latency and
pm_qos_resume_latency_us take, or the states that a limit is to keep."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.model.units import whole_us
from ...base.wording import joined, suggestion
from ..linux.qos import NO_LIMIT_US

if TYPE_CHECKING:
    from ..linux.genpd.tables import CpuDomain

NO_LATENCY = "n/a"
"""The value of pm_qos_resume_latency_us for a CPU that tolerates no latency at all."""
_TIME = re.compile(r"-?[0-9]+([num]?s)?", re.ASCII)
_TUNED = re.compile(r"cstate\.(id|name)(_no_zero)?:(.+)", re.ASCII | re.DOTALL)
_NONE = ("none", "None")


@dataclass(frozen=True, slots=True)
class LimitWord:
    """One of the words that are tried in turn: a value, a state by name or number, or none.

    text      as given
    value_us  of a plain value; NO_LIMIT_US for none; 0 for n/a
    name      of a state; number: of a state, as in sysfs
    no_zero   the word does not count where the state's latency is 0 us
    """

    text: str
    value_us: int | None = None
    name: str | None = None
    number: int | None = None
    no_zero: bool = False


@dataclass(frozen=True, slots=True)
class AskedLimit:
    """A latency limit, by words of which the first that counts is taken, or by states to keep.

    text   as given
    words  of states to keep: a name each
    keeps  whether the limit is to keep the states; they may be written in other letters, while
           tuned takes names as they are
    """

    text: str
    words: tuple[LimitWord, ...]
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class LimitMeant:
    """The value of a limit on one table.

    value_us  the value that is written, in us
    word      the word that it is from
    states    numbers of the states that are named, the one that takes longest to leave first; ()
              for a value
    passed    words before it that came to nothing
    """

    value_us: int
    word: LimitWord
    states: tuple[int, ...] = ()
    passed: tuple[LimitWord, ...] = ()


def latency_limit(text: str) -> AskedLimit:
    """Parses 70us, none, n/a, or cstate.id_no_zero:3|70 as tuned does. Raises UsageError."""
    words = tuple(map(_word, text.split("|")))
    return AskedLimit(words[0].text if len(words) == 1 else text, words)


def keeping(states: Sequence[str]) -> AskedLimit:
    """Returns the limit that is to keep these states."""
    return AskedLimit(
        joined(states), tuple(LimitWord(name, name=name) for name in states), keeps=True
    )


def _word(text: str) -> LimitWord:
    if _TIME.fullmatch(text):
        try:
            value = whole_us(text)
        except ValueError as error:
            raise UsageError(f"--latency-limit: {error}") from None
        if not 0 <= value <= NO_LIMIT_US:
            raise UsageError(f"expected --latency-limit from 0 to {NO_LIMIT_US}, found {value}")
        return LimitWord(f"{value} us", value)
    if text in _NONE:
        return LimitWord(text, NO_LIMIT_US)
    if text == NO_LATENCY:
        return LimitWord(text, 0)
    match = _TUNED.fullmatch(text)
    if match is None:
        raise UsageError(
            "expected --latency-limit as a time such as 70us, or tuned's cstate.id:N, "
            f"cstate.name:NAME, either with _no_zero, several joined by |, found {text!r}; "
            "for the limit that keeps a state, give --keep STATE"
        )
    no_zero = bool(match[2])
    if match[1] == "name":
        return LimitWord(text, name=match[3], no_zero=no_zero)
    if re.fullmatch(r"[0-9]{1,99}", match[3], re.ASCII) is None:
        raise UsageError(f"expected the number of a state in {text!r}, found {match[3]!r}")
    return LimitWord(text, number=int(match[3]), no_zero=no_zero)


def meaning(limit: AskedLimit, names: Sequence[str], exits_us: Sequence[int]) -> LimitMeant | None:
    """Returns what a limit comes to on a table; None where none of its words counts, or a state to
    be kept is not there. exits_us: exit latencies of the states, by number."""
    if limit.keeps:
        found = [(_number(word, names, any_case=True), word) for word in limit.words]
        kept = {number: word for number, word in found if number is not None}
        if any(number is None for number, _ in found):
            return None
        states = sorted(kept, key=lambda number: (exits_us[number], number), reverse=True)
        return LimitMeant(exits_us[states[0]], kept[states[0]], tuple(states))
    passed: list[LimitWord] = []
    for word in limit.words:
        if word.value_us is not None:
            return LimitMeant(word.value_us, word, (), tuple(passed))
        at = _number(word, names)
        if at is not None and not (word.no_zero and exits_us[at] == 0):
            return LimitMeant(exits_us[at], word, (at,), tuple(passed))
        passed.append(word)
    return None


def _number(word: LimitWord, names: Sequence[str], *, any_case: bool = False) -> int | None:
    if word.number is not None:
        return word.number if word.number < len(names) else None
    found = [number for number, name in enumerate(names) if name == word.name]
    if not found and any_case and word.name is not None:
        folded = word.name.casefold()
        found = [number for number, name in enumerate(names) if name.casefold() == folded]
    return found[-1] if found else None


def nowhere(limit: AskedLimit, names: Sequence[str], domains: "Iterable[CpuDomain]") -> UsageError:
    """Returns the error for a limit that comes to nothing on any kernel. names: all states there
    are of a CPU; domains: the power domains that it sits in."""
    absent = [word for word in limit.words if _number(word, names, any_case=limit.keeps) is None]
    word = (absent or limit.words)[-1]
    wanted = word.name or word.text
    hint = suggestion(wanted, names)
    for domain in domains:
        for state in domain.states:
            if state.name == wanted:
                needed_us = -(-(state.power_off_ns + state.power_on_ns) // 1000)
                hint = f", a state of {domain.name}, which takes {needed_us} us to turn off and on"
    option = "--keep" if limit.keeps else "--latency-limit"
    return UsageError(
        f"expected {option} with a state of a CPU ({', '.join(names)}), found {word.text!r}{hint}"
    )
