"""Over the releases: at which of them a table is registered otherwise, or a governor's selection
from it changes, how, and by which commits.

A step leads from one release to the next in its line: from 6.5 to 6.6, from 6.6.92 to 6.6.93, from
6.1.176 to debian-6.1.176. Only releases where a change of the governor or of the table's driver
begins are looked at: in between, nothing differs. What a step does is found by exact selection
maps; where it brings several changes, by trial: a change without which the result is the same is
not one of its causes.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from ...base.dataclass import dataclass, replace
from ...base.model.history import Dated, Since, meanings
from ...base.model.processors import Known
from ...base.model.table import Cpu
from ..diff.tables import Difference, registered_otherwise
from ..linux.driver_features import DriverFeatures
from ..linux.driver_table import DriverTable
from ..linux.governors import core
from ..linux.governors.interface import State
from ..linux.grounds import ACPI_IDLE, INTEL_IDLE, known_of, left_out, modelled
from ..linux.releases import Release, folded, lacking
from ..linux.request_parts import GovernorRequest
from ..linux.spec_pvrs import features_for, first_of_spec
from ..pipeline import Arrival, journey
from ..selection.request import Scope
from ..selection.selection import Selecting, TableSelection, changes
from ..sources import Source, read_table
from .behaviour import Brought, FeatureChange, changes_of, rows_of
from .moves import Cause, Different, Move, Moves, MovesRequest, Step, Still
from .steps import drivers_of, steps


def moves(request: MovesRequest, say: Callable[[str], None] = lambda message: None) -> Moves:
    """Computes the result. say: told of releases that are left out.

    Raises UnknownRelease, UsageError, and what reading a table raises.
    """
    source = read_table(request.of.table) if request.of.table is not None else None
    walk = _Walk(request.of, source)
    drivers = (request.of.governor, *walk.drivers)
    named = list(steps(request.names, drivers, walk.first))
    looked_at = [step for step in named if walk.is_followed(step)]
    for line in walk.left_out(named):
        say(line)
    found: list[Move] = []
    still: list[Still] = []
    for step in looked_at:
        if (move := walk.move(step)) is not None:
            found.append(move)
        if left := walk.still(step, move):
            still.append(Still(step, left))
    return Moves(request, source, len(looked_at), len(walk.kinds), tuple(found), tuple(still))


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The outcome of one release for the table. arrival: None for given states."""

    arrival: Arrival | None
    selection: TableSelection | None

    @property
    def kind(self) -> object:
        """Equal for releases that do the same with the table."""
        driver = self.arrival and replace(self.arrival.driver, kernel="")
        return driver, self.selection and id(self.selection.maps)


class _Walk:
    """One table's way through releases; what is equal is computed once."""

    def __init__(self, of: GovernorRequest, source: Source | None) -> None:
        self.of = of
        self.source = source
        self.kinds: set[object] = set()
        self.drivers: tuple[str, ...] = ()
        self.known = True
        self.cpu: Cpu | None = None
        self.first: Known | None = None
        if source is not None:
            assert source.table is not None
            self.cpu = source.table.cpu
            self.first = first_of_spec(self.cpu) if self.cpu else None
            self.drivers = drivers_of(source.table, of.platform)
            self.known = source.table.origin.form != "sysfs"
        self._outcomes: dict[Release, _Outcome] = {}
        self._arrivals: dict[object, Arrival] = {}
        self._selecting = Selecting(of.governor, of.hz)

    def is_followed(self, step: Step) -> bool:
        """Tells whether the drivers of x86 are modelled for all releases of a step."""
        return all(modelled(each, driver) for each in step for driver in self._late)

    def left_out(self, named: Sequence[Step]) -> Iterator[str]:
        """Sentences on the releases of steps that are not followed."""
        releases = list(dict.fromkeys(each for step in named for each in step))
        for driver in self._late:
            unknown = [each for each in releases if not modelled(each, driver)]
            if unknown:
                yield left_out(unknown, driver)

    @property
    def _late(self) -> list[str]:
        return [driver for driver in self.drivers if driver in (INTEL_IDLE, ACPI_IDLE)]

    def move(self, step: Step) -> Move | None:
        before, at = (self._outcome(each) for each in step)
        self.kinds.update((before.kind, at.kind))
        if self._same(before, at):
            return None
        registered, maps = self._differences(before, at)
        return Move(
            step, registered, maps, before.selection, at.selection, tuple(self._causes(step))
        )

    def still(self, step: Step, move: Move | None) -> tuple[FeatureChange, ...]:
        """Changes of the governor that are no causes of what the step moves."""
        governor = self.of.governor
        if not all(modelled(each, governor) for each in step):
            return ()
        moving = (
            {change.feature for cause in move.causes for change in cause.features} if move else ()
        )
        found = changes_of(*step, governor)
        return tuple(change for change in found if change.feature not in moving)

    def _outcome(self, kernel: Release) -> _Outcome:
        if kernel not in self._outcomes:
            arrival = self._arrival(kernel) if self.source else None
            states = arrival.driver if arrival else self._given
            some = states.states if isinstance(states, DriverTable) else states
            selection = None
            if some and modelled(kernel, self.of.governor):
                name = self.source.name if self.source else ""
                selection = self._selecting.select(kernel, states, Scope(), name)
            self._outcomes[kernel] = _Outcome(arrival, selection)
        return self._outcomes[kernel]

    @property
    def _given(self) -> tuple[State, ...]:
        assert self.of.states is not None
        return tuple(self.of.states.states)

    def _arrival(self, kernel: Release) -> Arrival:
        assert self.source is not None
        features = (
            *(folded(known_of(name)[0], kernel) for name in self.drivers),
            features_for(self.cpu, kernel).pvrs,
        )
        if features not in self._arrivals:
            way = journey(self.source, self.of.platform, [kernel])
            self._arrivals[features] = way.arrivals[0]
        return replace(self._arrivals[features], release=kernel)

    def _differences(
        self, before: _Outcome, at: _Outcome
    ) -> tuple[tuple[Difference, ...], Different]:
        registered: tuple[Difference, ...] = ()
        if before.arrival and at.arrival:
            registered = tuple(registered_otherwise(before.arrival, at.arrival, self.known))
        if not before.selection or not at.selection:
            return registered, ()
        different = changes(before.selection, at.selection)
        return registered, tuple((mapped, tuple(some)) for mapped, some in different)

    def _same(self, a: _Outcome, b: _Outcome) -> bool:
        if a.kind == b.kind:
            return True
        if (a.selection is None) != (b.selection is None):
            return False
        return self._differences(a, b) == ((), ())

    def _causes(self, step: Step) -> Iterator[Cause]:
        """The changes that only one of the releases has, and that its result depends on."""
        before, at = step
        yield from self._causes_in("a", step, before, at)
        yield from self._causes_in("b", step, at, before)
        yield from self._known_by_spec(step)

    def _known_by_spec(self, step: Step) -> Iterator[Cause]:
        """The release from which the table's spec says that Linux knows its processor."""
        before, at = (features_for(self.cpu, each).pvrs for each in step)
        if self.first and self.cpu and None not in (before, at):
            knew, knows = (self.cpu.pvr in (each or ()) for each in (before, at))
            if knew != knows:
                brought = Brought("b" if knows else "a", self.first.release, self.first.commit)
                meaning = meanings(DriverFeatures).get("pvrs", "")
                change = FeatureChange("powernv", "pvrs", before, at, meaning, (brought,))
                yield Cause("powernv", brought, (change,))

    def _causes_in(
        self, side: Literal["a", "b"], step: Step, having: Release, other: Release
    ) -> Iterator[Cause]:
        alone = list(self._alone(step, having, other))
        needed = self._needed(having, [dated.row for _, dated, _ in alone])
        for subsystem, dated, effects in alone:
            if dated.row in needed:
                yield Cause(subsystem, Brought(side, dated.release, dated.row.commit), effects)

    def _alone(
        self, step: Step, having: Release, other: Release
    ) -> Iterator[tuple[str, Dated, tuple[FeatureChange, ...]]]:
        """Changes of one release that the other lacks, with the features that differ by them."""
        for subsystem in (self.of.governor, *self.drivers):
            if not all(modelled(each, subsystem) for each in step):
                continue
            features = {change.feature: change for change in changes_of(*step, subsystem)}
            shared = [dated.row for dated in rows_of(other, subsystem)]
            for dated in rows_of(having, subsystem):
                effects = tuple(features[name] for name in dated.row.values if name in features)
                if dated.row not in shared and effects:
                    yield subsystem, dated, effects

    def _needed(self, kernel: Release, rows: Sequence[Since]) -> Sequence[Since]:
        """The rows that make the kernel's outcome what it is: rows are left out one after the
        other, the earliest first, and each is needed whose absence changes the outcome."""
        if len(rows) < 2:
            return rows
        whole = self._outcome(kernel)
        left_out: list[Since] = []
        for row in rows:
            trial = lacking(kernel, [*left_out, row])
            if self._can(trial) and self._same(whole, self._outcome(trial)):
                left_out.append(row)
        return [row for row in rows if row not in left_out]

    def _can(self, trial: Release) -> bool:
        """Tells whether the features that are left are some that can be run; the core says so."""
        governor = self.of.governor
        if not core.available() or not modelled(trial, governor):
            return True
        try:
            core.packed_features(governor, folded(known_of(governor)[0], trial))
        except core.Unsupported:
            return False
        return True
