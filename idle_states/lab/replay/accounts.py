"""The accounts of a trace's idle periods by machine, with the states really entered or those that a
governor's model selects, and that model's agreement with the trace."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ...base.dataclass import dataclass, replace
from ...base.model.beyond_opal import SysfsState
from ...base.reading.problems import InputProblems
from ...tables.linux.releases import Release
from ..traces.periods import Period
from .agreement import Agreement, held
from .beginning import Beginning
from .calibrated import Calibration, Trace, unasked_most
from .core_models import CoreModel, knows
from .counters import Figures, counts_in_ns
from .domains import DomainReplay, delayed, domains_of
from .machine import TracedMachine
from .next_timer import CALIBRATED
from .observed import Observed
from .replay import Case, CpuModels, ReplayModel, Settings
from .results import Account

Counted = Mapping[int, Sequence[SysfsState]]
"""CPU -> the kernel's counts around the trace."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """The accounts of the requested machines; others: how many of them are not the traced one with
    the settings it was traced with."""

    accounts: tuple[Account, ...]
    agreement: Agreement | None = None
    calibration: Calibration | None = None
    others: int = 0


class ByEntered:
    """Machines judged by the states that the traced one entered."""

    def __init__(
        self,
        traced: TracedMachine,
        machines: Sequence[TracedMachine],
        release: Release,
        problems: InputProblems,
    ) -> None:
        self._machines = machines
        self._domains = [domains_of(machine, release) for machine in machines]
        self._judges = [
            None
            if machine.like(traced)
            else Observed(machine, counts_in_ns(release), problems, traced=False)
            for machine in machines
        ]

    def add(self, idle: Sequence[Period]) -> None:
        """Takes idle periods, without refused entries."""
        for judge in self._judges:
            if judge is not None:
                judge.sift(idle, misses=False)
        for domains in self._domains:
            if domains is not None:
                domains.observe(idle)

    def finish(self, observed: Account, misses: bool, counted: Counted) -> Accounts:
        """observed: the traced machine's account; misses: the trace has cpu_idle_miss."""
        figures = [
            observed.cpus if judge is None else judge.finish(misses) for judge in self._judges
        ]
        return Accounts(tuple(map(judged, self._machines, figures, self._domains)))


class ByGovernor:
    """Machines judged by what governors' models select; so is the traced machine, to which the
    model of its own governor is held.

    cases     the machines, each with a governor
    by        what decided in the trace
    certain   `traced` is known to be the traced machine
    beginning  follows the models
    """

    def __init__(
        self,
        traced: TracedMachine,
        cases: Sequence[Case],
        by: Settings,
        problems: InputProblems,
        beginning: Beginning,
        *,
        certain: bool,
    ) -> None:
        self._beginning = beginning
        self._followed = beginning.line.models(cases) if beginning.line else ()
        self._cases, self._by, self._problems = cases, by, problems

        def model(machine: TracedMachine, settings: Settings) -> ReplayModel | CoreModel:
            make = CoreModel if knows((machine,), settings, estimated=True) else ReplayModel
            return make(machine, settings, problems)

        self._made = [model(*each) for each in cases]
        own = [
            made
            for made, (machine, settings) in zip(self._made, cases, strict=True)
            if by == settings and machine.like(traced)
        ]
        self._own = own[0] if own else model(traced, by)
        self._models = tuple(dict.fromkeys((*self._made, self._own)))
        self._others = len(cases) - len(own)
        unasked = by.next_timer != CALIBRATED
        self._trace: Trace | None = None
        if all(each.calibrates for _, each in cases) and (certain or not unasked):
            self._trace = Trace(traced, by, unasked_most(self._others) if unasked else None)

    def add(self, idle: Sequence[Period]) -> None:
        """Takes idle periods, without refused entries."""
        for model in self._models:
            model.add(idle)
        for periods in [idle] if self._trace is None else self._trace.add(idle):
            for followed in self._followed:
                followed.add(periods)

    def finish(self, observed: Account, misses: bool, counted: Counted) -> Accounts:
        """observed: the traced machine's account, to which its model's is held."""
        by = self._by
        own = modelled(self._own, by)
        if self._trace is None or self._trace.too_long:
            made = zip(self._made, self._cases, strict=True)
            accounts = tuple(modelled(model, settings) for model, (_, settings) in made)
            held_to = agreement_of(own, observed, by, counted)
            return Accounts(accounts, held_to, None, self._others)
        found: dict[int, Account] = {}
        agreement: Agreement | None = None
        inferred: Calibration | None = None
        for settings in dict.fromkeys(settings for _, settings in self._cases):
            places = [at for at, (_, each) in enumerate(self._cases) if each == settings]
            machines = [self._cases[at][0] for at in places]
            calibration, again, models = self._trace.calibrate(
                machines, settings, self._problems, self._beginning
            )
            for at, model in zip(places, models, strict=True):
                found[at] = replace(modelled(model, settings), bounds=model.bounds)
            # what is inferred depends a little on what else is asked
            if agreement is None or settings == by:
                agreement = agreement_of(modelled(again, by), observed, by, counted)
                agreement = replace(agreement, uncalibrated=own.agreed)
                inferred = calibration
        return Accounts(
            tuple(found[at] for at in range(len(self._cases))), agreement, inferred, self._others
        )


def judged(
    machine: TracedMachine, cpus: Mapping[int, Figures], domains: DomainReplay | None
) -> Account:
    if domains is None:
        return Account(machine.name, None, cpus)
    found = domains.finish()
    return Account(
        machine.name, None, delayed(cpus, found, machine), domains=found.figures, left=found.left
    )


def modelled(model: CpuModels, settings: Settings) -> Account:
    return replace(
        judged(model.machine, model.figures(), model.domains),
        governor=settings.governor,
        decisions=model.decisions,
        held=dict(sorted(model.held.items())),
    )


def agreement_of(
    account: Account, observed: Account, settings: Settings, counted: Counted
) -> Agreement:
    """account: the traced machine's, by the model of what decided there, which `settings` are."""
    usages: Counter[tuple[int, str]] = Counter()
    for states in counted.values():
        for number, state in enumerate(states):
            usages[number, state.name] += state.usage or 0
    return Agreement(
        account.machine,
        f"{settings.governor} of Linux {settings.release.name}",
        account.held,
        held(observed.total, account.total, usages),
    )
