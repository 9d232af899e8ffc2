"""Tells which kernels' governor decides as another one does, and by which features it differs.

The other one is known by its decisions: recorded ones, or those of a function from a table and idle
periods, a governor's source, say. All known governors decide the same periods; where none agrees
throughout, features of the nearest are changed one by one as long as that brings more decisions
into agreement.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Annotated, Any

from ....base.dataclass import dataclass, fields, replace
from ....base.model.forms import Count
from ....base.model.history import meanings
from ..builds import named_builds
from ..releases import Release, distinct_releases, release
from . import Governor, UnknownGovernor, core, governor_names
from .core.packing import Buffer
from .interface import Outcome, State
from .trials import TABLES, trial_rows

HZS = (250, 1000)
_SHOWN, _NEAR = 3, 0.9
Ask = Callable[[Sequence[State], int, bytes], bytes]
"""From states, HZ and packed rows to packed decisions."""


@dataclass(frozen=True, slots=True)
class DecidedRows:
    """The decisions in idle periods of one CPU, one after the other.

    rows     the idle periods, packed
    decided  the decisions, packed
    skip     so many of the first are not judged
    earlier  the idle period before the governor was switched on; None: it is as booted
    """

    states: Sequence[State]
    hz: int
    rows: Buffer
    decided: Buffer
    skip: int = 0
    earlier: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Kin:
    """Releases whose governor decides alike."""

    governor: Annotated[str, "menu, teo, ladder or haltpoll."]
    kernels: Annotated[tuple[str, ...], "The releases, in order."]
    agree: Annotated[Count, "Decisions that are the same."]


@dataclass(frozen=True, slots=True)
class FeatureDifference:
    """A feature by which the governor differs from the nearest."""

    feature: Annotated[str, "Its name."]
    nearest: Annotated[Any, "The nearest one's value."]
    value: Annotated[Any, "The value that agrees with more decisions."]
    meaning: Annotated[str, "A description of the feature."]
    agree: Annotated[Count, "Decisions that are the same with this change and those before."]


@dataclass(frozen=True, slots=True)
class Identification:
    """The kernels that decide as a governor does.

    equal    those that make all the same decisions
    nearest  without such, those that agree most, the best first
    differs  what has to be changed of the nearest
    """

    governor: Annotated[str, "The governor, as it was named."]
    decisions: Annotated[Count, "Decisions that were compared."]
    equal: Annotated[tuple[Kin, ...], "Releases that make all the same decisions."]
    nearest: Annotated[tuple[Kin, ...], "Without such, those that agree most; the best first."]
    differs: Annotated[
        tuple[FeatureDifference, ...],
        "Features of the nearest that, changed one after the other, bring more decisions into "
        "agreement; none where nothing is near.",
    ]

    @property
    def is_near(self) -> bool:
        """Tells whether the nearest agrees so often that the governor may descend from it."""
        return bool(self.nearest) and self.nearest[0].agree >= _NEAR * self.decisions


def trials(ask: Ask) -> list[DecidedRows]:
    """Returns what a governor decides in idle periods of this tool's own."""
    return [
        DecidedRows(states, hz, rows, ask(states, hz, rows))
        for hz in HZS
        for number, states in enumerate(TABLES)
        for rows in [b"".join(trial_rows(states, hz, seed=number + hz))]
    ]


def identify(
    name: str, decided: Sequence[DecidedRows], governors: Sequence[str] = ()
) -> Identification:
    """Compares what a governor decided with what known ones decide. name: of the governor, for the
    answer; governors: the known ones, (): all. Raises CoreMissing without the compiled core, which
    decides for the known ones."""
    trial, known = _Trial(decided), list(_known(governors or governor_names()))
    kin = [
        (trial.agreement(governor, features), governor, features, kernels)
        for governor, features, kernels in known
    ]
    kin.sort(key=lambda each: -each[0])
    total = trial.total
    made = [Kin(governor, kernels, agree) for agree, governor, _, kernels in kin]
    equal = tuple(each for each in made if each.agree == total)
    if equal:
        return Identification(name, total, equal, (), ())
    found = Identification(name, total, (), tuple(made[:_SHOWN]), ())
    if not found.is_near:
        return found
    agree, governor, features, _ = kin[0]
    values = _values(features for other, features, _ in known if other == governor)
    return replace(found, differs=tuple(_changes(trial, governor, features, agree, values)))


def _known(governors: Sequence[str]) -> Iterator[tuple[str, Any, tuple[str, ...]]]:
    """Yields each governor's features once, with the releases that have them."""
    for governor in governors:
        found: dict[Any, list[str]] = {}
        for kernel in _kernels():
            features = features_in(governor, kernel)
            if features is not None:
                found.setdefault(features, []).append(kernel.name)
        for features, names in found.items():
            yield governor, features, tuple(names)


@cache
def _kernels() -> tuple[Release, ...]:
    """Returns all releases, and the builds of distributions' kernels that are told apart."""
    builds = (release(name) for names in named_builds().values() for name in names)
    return (*distinct_releases(), *builds)


@cache
def features_in(governor: str, kernel: Release) -> Any:
    """Returns a governor's features in a kernel, None where that does not have it: governors of the
    same features decide alike."""
    try:
        return Governor.for_kernel(governor, kernel, [State(0, 0)]).features
    except UnknownGovernor:
        return None


class _Trial:
    """Idle periods, and what the governor decides in them."""

    def __init__(self, decided: Sequence[DecidedRows]) -> None:
        self._parts = decided
        self.total = sum(len(each.decided) // 2 - each.skip for each in decided)

    def agreement(self, governor: str, features: Any) -> int:
        """Returns how many decisions are the same; -1 for features that never go together."""
        agree = 0
        for each in self._parts:
            try:
                stream = core.Stream(governor, features, each.states, each.hz)
                if each.earlier is not None:
                    stream.switched_on(each.earlier)
                own = stream.replay(each.rows).packed
            except ValueError:
                return -1
            agree += core.agreed(own[2 * each.skip :], each.decided[2 * each.skip :])[0]
        return agree


def _changes(
    trial: _Trial, governor: str, features: Any, agree: int, values: dict[str, tuple[Any, ...]]
) -> Iterator[FeatureDifference]:
    """Yields the changes that bring most decisions into agreement, one after the other. values:
    those to try, by feature."""
    kind: type = type(features)
    words = meanings(kind)
    while agree < trial.total:
        tried = [
            (trial.agreement(governor, changed), name, value, changed)
            for name, some in values.items()
            for value in some
            if value != getattr(features, name)
            for changed in [replace(features, **{name: value})]
        ]
        best, name, value, changed = max(tried, key=lambda each: each[0])
        if best <= agree:
            return
        yield FeatureDifference(name, getattr(features, name), value, words.get(name, ""), best)
        agree, features = best, changed


def _values(some: Iterable[Any]) -> dict[str, tuple[Any, ...]]:
    """Returns the values that each feature has in some release."""
    found: dict[str, dict[Any, None]] = {}
    for features in some:
        for field in fields(type(features)):
            found.setdefault(field.name, {})[getattr(features, field.name)] = None
    return {name: tuple(values) for name, values in found.items() if len(values) > 1}
