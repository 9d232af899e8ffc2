"""cpuidle governors: which state a kernel selects, decision by decision.

    governor = Governor.for_kernel("menu", "6.1", table, hz=250)
    decision = governor.select(Situation(10, sleep_length_ns=50_000, delta_next_ns=50_000))
    governor.reflect(Outcome(decision.state, residency_ns=40_000))

Each governor is a plain-Python reference that reads like the specification; its behaviour by
release is a set of features. A new governor is a module NAME.py with a class Name(states,
features, hz), and NAME_features.py with features(release).
"""

import importlib
import os
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from ....base.model.findings import UsageError
from ....base.wording import suggestion
from ..driver_table import DriverTable
from ..releases import Release, release
from .interface import Decision as Decision
from .interface import GovernorModel as Implementation
from .interface import Outcome as Outcome
from .interface import Situation as Situation
from .interface import State as State
from .source.names import SOURCES, own_source
from .source.names import is_source as is_source

if TYPE_CHECKING:
    from .source.model import CompiledSource

_NSEC_PER_USEC = 1000


@cache
def governor_names() -> tuple[str, ...]:
    """Governors there are models of."""
    return tuple(
        sorted(
            file.removesuffix("_features.py")
            for file in os.listdir(os.path.dirname(__file__))
            if file.endswith("_features.py")
        )
    )


def is_governor(name: str) -> bool:
    """Tells whether --governor names a model or a source."""
    return is_source(name) or name in governor_names()


def states_of(table: DriverTable) -> tuple[State, ...]:
    """A driver's table as its governor sees it, in ns."""
    return tuple(State(*state.times_ns, state.polling) for state in table.states)


def names_of(table: DriverTable | Sequence[State], states: Sequence[State]) -> tuple[str, ...]:
    """Names of states by number: as the driver registers them, else snooze, state1, state2 ..."""
    if isinstance(table, DriverTable):
        return tuple(state.name for state in table.states)
    return tuple("snooze" if i == 0 else f"state{i}" for i in range(len(states)))


def known_in(name: str, kernel: Release) -> bool:
    """Tells whether a kernel has the governor, one of governor_names()."""
    if kernel.source is not None and not is_source(name):
        return name in kernel.source.governors
    try:
        _features(name, kernel)
    except UnknownGovernor:
        return False
    return True


def asks_utilisation(name: str, kernel: Release) -> bool:
    """Tells whether a kernel's governor looks at the CPU's utilisation: teo from 6.3 to 6.10.

    Raises UnknownGovernor for a kernel that does not have it.
    """
    return bool(getattr(_features(name, kernel), "utilisation", ""))


def needs_state_0(governor: "Governor", disabled: frozenset[int]) -> bool:
    """Tells whether a governor may select no state, so that the CPU idles without cpuidle: 4.4's
    menu, where state 0 does not fit whatever the prediction. disabled: numbers of states."""
    if not getattr(governor.features, "none_fits", False):
        return False
    shallowest = governor.states[0]
    return 0 in disabled or max(shallowest.exit_ns, shallowest.residency_ns) >= _NSEC_PER_USEC


def not_utilised(name: str, kernels: Iterable[Release]) -> tuple[str, ...]:
    """Returns the assumption of selections without any CPU's utilisation, one sentence that names
    the kernels whose governor asks for it, or none; skips kernels without the governor."""
    if not is_governor(name):
        return ()
    asking = dict.fromkeys(
        kernel.name
        for kernel in kernels
        if known_in(name, kernel) and asks_utilisation(name, kernel)
    )
    if not asking:
        return ()
    return (
        f"{name} of Linux {', '.join(asking)} looks at CPU utilisation: CPUs are assumed "
        "not to be utilised",
    )


def _expect_in_tree(name: str, kernel: Release) -> None:
    """Raises UnknownGovernor for a governor that a kernel's source tree lacks."""
    if kernel.source and not is_source(name) and name not in kernel.source.governors:
        has = ", ".join(kernel.source.governors) or "none"
        raise UnknownGovernor(f"{kernel.name} has no governor {name} (it has {has})")


@lru_cache(4096)
def _features(name: str, kernel: Release) -> Any:
    """Raises UnknownGovernor for a kernel that does not have it."""
    _expect_in_tree(name, kernel)
    name = own_source(name, kernel)
    if is_source(name):
        from .source.model import features_of

        return features_of(name)
    try:
        return importlib.import_module(f"{__package__}.{name}_features").features(kernel)
    except ValueError as error:
        raise UnknownGovernor(str(error)) from None


def _states(table: object) -> tuple[State, ...]:
    """Raises TypeError."""
    if isinstance(table, DriverTable):
        return states_of(table)
    if isinstance(table, Sequence) and all(isinstance(state, State) for state in table):
        return tuple(table)
    raise TypeError(
        "expected a DriverTable, which is what a kernel registers of firmware's rows, or a "
        f"sequence of State, found {type(table).__name__}"
    )


class Governor:
    """One CPU's governor of one kernel, from boot on.

    states   what it selects from, snooze first
    release  the kernel
    """

    def __init__(
        self, name: str, kernel: Release, states: Sequence[State], hz: int, model: Implementation
    ) -> None:
        self.name = name
        self.release = kernel
        self.states = tuple(states)
        self.hz = hz
        self._model = model

    @classmethod
    def for_kernel(
        cls,
        name: str,
        kernel: str | Release,
        table: DriverTable | Sequence[State],
        hz: int | None = None,
    ) -> "Governor":
        """The governor `name` of a kernel over what its driver registered, or plain states. hz:
        None: of the machine that the kernel's name says, where RHEL fixes it, else 250.

        Raises UnknownGovernor, UnknownRelease, TypeError for another table and ValueError for an
        empty one or an HZ that is not positive.
        """
        if not is_governor(name):
            known = ", ".join(governor_names())
            raise UnknownGovernor(f"expected a governor ({known}; {SOURCES}), found {name!r}")
        chosen = release(kernel) if isinstance(kernel, str) else kernel
        if hz is None:
            hz = chosen.hz_on(chosen.machine) or 250
        states = _states(table)
        if not states:
            raise ValueError(f"expected at least one state for {name}, found none")
        if not isinstance(hz, int) or hz < 1:
            raise ValueError(f"expected hz of at least 1, found {hz!r}")
        _expect_in_tree(name, chosen)
        source = own_source(name, chosen)
        if is_source(source):
            from .source.model import model as of_source

            return cls(source, chosen, states, hz, of_source(source, states, hz))
        module = importlib.import_module(f"{__package__}.{name}")
        features = _features(name, chosen)
        model = getattr(module, name.capitalize())(states, features, hz)
        return cls(name, chosen, states, hz, model)

    @property
    def features(self) -> object:
        """The governor's behaviour in this kernel: what NAME_features.features() says of it."""
        return self._model.features

    @property
    def poll_limit_ns(self) -> int | None:
        """For how long state 0 polls next, where the governor decides that: haltpoll only."""
        limit: int | None = getattr(self._model, "poll_limit_ns", None)
        return limit

    @property
    def only_compares(self) -> bool:
        """Tells whether times matter to it only by how they compare with thresholds, so that it
        cannot tell many from each other."""
        return bool(getattr(self._model, "only_compares", False))

    def switched_on(self, earlier: Outcome) -> None:
        """Not from boot on after all: earlier is the last idle period under another governor.

        To be called before the first select(). Only state and residency_ns matter; state is -1
        after a selection that led to no idle period.
        """
        self._model.switched_on(earlier)

    def select(self, situation: Situation) -> Decision:
        """The next decision. Changes the governor's memory, as in the kernel."""
        return self._model.select(situation)

    def reflect(self, outcome: Outcome) -> None:
        """Passes on the outcome; rejected entries, too, of which the kernel hears nothing."""
        self._model.finished(outcome)

    @property
    def source(self) -> "CompiledSource | None":
        """The model where the governor runs by its own C, else None."""
        if not is_source(self.name):
            return None
        from .source.model import CompiledSource

        return self._model if isinstance(self._model, CompiledSource) else None

    def settled(self) -> bool:
        """Tells whether the last decision is made for ever, if every idle period is as the last one
        and situations are as that before it. False where that is not known before it repeats."""
        known = getattr(self._model, "settled", None)
        return known is not None and known()

    def limits_alike(self, limit_us: int) -> tuple[int, int]:
        """The first and the last latency limit, in us, with which all decisions so far would have
        been the same, made under this one. Just this one where more is not known."""
        known = getattr(self._model, "limits_alike", None)
        first, last = known(limit_us) if known is not None else (limit_us, limit_us)
        return first, last

    def replay(self, rows: Iterable[tuple[Situation, Outcome]]) -> list[Decision]:
        """Decisions over recorded inputs; each row's outcome is what the recording says."""
        decisions = []
        for situation, outcome in rows:
            decisions.append(self._model.select(situation))
            self._model.finished(outcome)
        return decisions


class UnknownGovernor(UsageError):
    """A governor there is no model of, for the kernel asked for or at all."""


_HALTPOLL = (
    ": it polls for up to guest_halt_poll_ns in the first state, then halts in the second for any "
    "length. why shows a machine's use of both, prove and simulate model haltpoll; --governor "
    "menu shows another governor's selection"
)


def expect_steady(name: str) -> None:
    """Raises UnknownGovernor for a governor without a model, and for haltpoll, whose decisions
    depend on how long it polled."""
    steady = tuple(known for known in governor_names() if known != "haltpoll")
    if name not in steady and not is_source(name):
        beside = _HALTPOLL if name == "haltpoll" else ""
        raise UnknownGovernor(
            f"expected a governor with steady states ({', '.join(steady)}; {SOURCES}), "
            f"found {name!r}{beside or suggestion(name, steady)}"
        )
