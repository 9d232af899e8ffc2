"""The words by which a limit is asked for: a value, a state that it is to keep, or what tuned's
force_latency and pm_qos_resume_latency_us take."""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.wording import suggestion
from ...tables.linux.asked import NO_LIMIT_US

if TYPE_CHECKING:
    from ...tables.linux.genpd.tables import CpuDomain

NO_LATENCY = "n/a"
"""What pm_qos_resume_latency_us is written for a CPU that tolerates no latency at all."""
_VALUE = re.compile(r"[0-9]{1,99}", re.ASCII)
_TUNED = re.compile(r"cstate\.(id|name)(_no_zero)?:(.+)", re.ASCII | re.DOTALL)
_NONE = ("none", "None")


@dataclass(frozen=True, slots=True)
class LimitWord:
    """One of the words that are tried in turn: a value, a state by name or number, or none.

    text      as given
    value_us  of a plain value; NO_LIMIT_US for none; 0 for n/a
    name      of a state; number: of a state, as in sysfs
    no_zero   the word does not count where the state's latency is 0 us
    any_case  a name may be written in other letters: tuned takes it as it is
    """

    text: str
    value_us: int | None = None
    name: str | None = None
    number: int | None = None
    no_zero: bool = False
    any_case: bool = False


@dataclass(frozen=True, slots=True)
class LimitMeant:
    """What a limit comes to on one table.

    value_us  the value that is written, in us
    word      the word that it is from
    state     number of the state that the word names; None for a value
    passed    words before it that came to nothing
    """

    value_us: int
    word: LimitWord
    state: int | None = None
    passed: tuple[LimitWord, ...] = ()


def limit_words(text: str) -> tuple[LimitWord, ...]:
    """Parses 70, C1E, or cstate.id_no_zero:3|70 as tuned does. Raises UsageError."""
    alternatives = text.split("|")
    tuned = len(alternatives) > 1 or text.startswith("cstate.")
    return tuple(_word(each, tuned=tuned) for each in alternatives)


def _word(text: str, *, tuned: bool) -> LimitWord:
    if _VALUE.fullmatch(text):
        value = int(text)
        if value > NO_LIMIT_US:
            raise UsageError(f"expected a limit from 0 to {NO_LIMIT_US} us, found {text}")
        return LimitWord(text, value)
    if text in _NONE:
        return LimitWord(text, NO_LIMIT_US)
    if text == NO_LATENCY:
        return LimitWord(text, 0)
    match = _TUNED.fullmatch(text)
    if match is None:
        if tuned or not text or text.startswith("-"):
            raise UsageError(
                "expected a limit in us, a state, or tuned's cstate.id:N, cstate.name:NAME, either "
                f"with _no_zero, several joined by |, found {text!r}"
            )
        return LimitWord(text, name=text, any_case=True)
    no_zero = bool(match[2])
    if match[1] == "name":
        return LimitWord(text, name=match[3], no_zero=no_zero)
    if not _VALUE.fullmatch(match[3]):
        raise UsageError(f"expected the number of a state in {text!r}, found {match[3]!r}")
    return LimitWord(text, number=int(match[3]), no_zero=no_zero)


def meaning(
    words: Sequence[LimitWord], names: Sequence[str], exits_us: Sequence[int]
) -> LimitMeant | None:
    """What the first word that counts comes to on a table; None if none does. exits_us: exit
    latencies of the states, by number."""
    passed: list[LimitWord] = []
    for word in words:
        if word.value_us is not None:
            return LimitMeant(word.value_us, word, None, tuple(passed))
        number = _number(word, names)
        if number is not None and not (word.no_zero and exits_us[number] == 0):
            return LimitMeant(exits_us[number], word, number, tuple(passed))
        passed.append(word)
    return None


def _number(word: LimitWord, names: Sequence[str]) -> int | None:
    if word.number is not None:
        return word.number if word.number < len(names) else None
    found = [number for number, name in enumerate(names) if name == word.name]
    if not found and word.any_case and word.name is not None:
        folded = word.name.casefold()
        found = [number for number, name in enumerate(names) if name.casefold() == folded]
    return found[0] if len(found) == 1 else found[-1] if found else None


def nowhere(
    words: Sequence[LimitWord], names: Sequence[str], domains: "Iterable[CpuDomain]"
) -> UsageError:
    """The error for words that come to nothing on any kernel. names: all states there are of a
    CPU; domains: the power domains that it sits in."""
    wanted = words[-1].name or words[-1].text
    said = suggestion(wanted, names)
    for domain in domains:
        for state in domain.states:
            if state.name == wanted:
                whole_us = -(-(state.power_off_ns + state.power_on_ns) // 1000)
                said = f", a state of {domain.name}, which takes {whole_us} us to turn off and on"
    return UsageError(
        f"expected a limit in us, without a unit, or a state of a CPU ({', '.join(names)}), found "
        f"{words[-1].text!r}{said}"
    )
