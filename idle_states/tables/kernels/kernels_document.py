"""kernels."""

from typing import Annotated, Any, Literal

from ...base.model.forms import INLINE, OMITTED, Count, Form, Limits, Positive, With, derived
from ..diff.tables import Difference
from ..linux.governors.identify import Identification
from ..linux.grounds import Basis, HowKnown
from ..selection.select_document import Lengths, Where
from .behaviour import FeatureChange, KernelComparison, OneSided
from .causes import Kind
from .from_source import IdentifiedSource
from .moves import Cause, Move, Moves, Still
from .series import ReleaseLine, Stretch, Subsystem
from .values import Value, Values


class Grounded(Form[Any]):
    """The basis on which some releases are known."""

    first: Annotated[str, "The first release that is known so."] = derived(lambda row: row[1])
    last: Annotated[str, "The last one."] = derived(lambda row: row[2])
    basis: Annotated[Basis, "The evidence for the model: compiled, read, ..."] = derived(
        lambda row: row[0].basis
    )
    known: Annotated[HowKnown, "Likewise."] = derived(lambda row: row[0].known)
    ground: Annotated[str, "The same in words."] = derived(lambda row: str(row[0]))


class Alike(Form[Stretch]):
    """Releases that do the same."""

    first: Annotated[str, "The first release."]
    last: Annotated[str, "The last one."]
    grounds: Annotated[list[Grounded], "How they are known, in order."] = derived(
        lambda stretch: list(stretch.known())
    )


class Behaviour(Form[Subsystem]):
    name: Annotated[str, "A governor, powernv, pseries, dt, genpd, or the idle loop."]
    ranges: Annotated[list[Alike], "Releases that do the same, in order; they cover all."] = (
        derived("stretches")
    )


class Series(Form[ReleaseLine]):
    """A series of kernel.org, or one kernel."""

    name: Annotated[str, "6.6, or the kernel's name."]
    first: Annotated[str, "The first release."]
    last: Annotated[str, "The last one that is known; of one kernel, itself."]
    taken_as: Annotated[str | None, "The release of kernel.org that one kernel is modelled as."] = (
        derived(lambda line: line.kernel and line.kernel.taken_as)
    )
    guessed: Annotated[bool, "True if it may behave differently."] = derived(
        lambda line: line.kernel is not None and line.kernel.guessed
    )
    subsystems: list[Behaviour]


class OnlyIn(Form[tuple[OneSided, str]]):
    subsystem: Annotated[str, "It."] = derived(lambda row: row[0].subsystem)
    kernel: Annotated[str, "The kernel that has it."]


class Compared(Form[KernelComparison]):
    a: Annotated[str, "The first kernel."] = derived("a.name")
    b: Annotated[str, "The second one."] = derived("b.name")
    equal: Annotated[bool, "True if they are alike."] = derived(lambda found: not found.differs)
    differences: list[FeatureChange] = derived("changes")
    only_in: Annotated[list[OnlyIn], "Subsystems that are modelled for one of them."] = derived(
        lambda found: [(missing, getattr(found, missing.side).name) for missing in found.missing]
    )


class MovedRange(Form[Any]):
    """Idle periods that another state is selected for."""

    circumstances: Annotated[Where, INLINE]
    range: Annotated[Lengths, INLINE] = derived(lambda change: change)
    a: Annotated[list[str], "States selected before."]
    b: Annotated[list[str], "States selected now."]


class Registered(Form[Difference]):
    path: Annotated[str, "The part that differs: states.stop4, default_stop, ..."]
    a: Annotated[str, "Before, as a person writes it; absent where there was none."]
    b: Annotated[str, "Now."]


class Moved(Form[Move]):
    """A step from one release to the next that changes something."""

    before: Annotated[str, "The release before: 6.6.92 of 6.6.93."] = derived(
        lambda move: move.step[0].name
    )
    kernel: Annotated[str, "The release that it changes at."] = derived(
        lambda move: move.step[1].name
    )
    begins: Annotated[bool, "True if the governor selects from the table from here on."]
    registered: Annotated[list[Registered], "Registered states that differ."]
    map: Annotated[list[MovedRange], "Idle lengths that move from state to state."] = derived(
        lambda move: [
            With(change, circumstances=mapped.circumstances)
            for mapped, some in move.maps
            for change in some
        ]
    )
    causes: Annotated[list[Cause], "The changes that do it, found by trial."]


class Unmoved(Form[Still]):
    """Changes of the governor that move no map."""

    before: str = derived(lambda still: still.step[0].name)
    kernel: str = derived(lambda still: still.step[1].name)
    changes: list[FeatureChange]


class OfTable(Form[Moves]):
    """The changes in a governor's selection from a table."""

    table: Annotated[str | None, "The TABLE; null for --states."] = derived("request.of.table")
    governor: Annotated[str, "menu, teo or ladder."] = derived("request.of.governor")
    hz: Annotated[Positive, "The kernel's HZ."] = derived("request.of.hz")
    steps: Annotated[Count, "How many steps between releases were looked at."]
    kinds: Annotated[Count, "How many different pairs of governor and registered table."]
    moves: list[Moved]
    still: Annotated[
        list[Unmoved], "Changes of the governor that move no map of equal idle periods."
    ]
    assumptions: Annotated[list[str], "Assumptions of the maps."]


class ChangedValue(Form[Value]):
    """A value of the table that firmware or a kernel changes."""

    row: Annotated[Count | None, "The table's row, from 0; null where it is no single row."]
    state: Annotated[str, "The state's name in the table, snooze, or every state."]
    field: Annotated[str, "latency, residency, name, psscr, mask, flags, time-out, ..."]
    stage: Annotated[
        Literal["firmware", "driver", "cpuidle", "genpd"],
        "Who changes it: cpuidle is the core, which governors get their times from; genpd has the "
        "states of power domains.",
    ]
    before: Annotated[str, "With its unit."]
    after: Annotated[str, "With its unit."]
    kind: Annotated[Kind, "The change of the value."] = derived("judged.kind")
    cause: Annotated[str, Limits(pattern="^[a-z0-9-]+$"), "Short and stable."]
    reason: Annotated[str, "For people."]
    follows: Annotated[str, "The consequence for the table's author."] = derived("judged.follows")
    ground: Annotated[str, "Function and commit that decide it."]
    rules: Annotated[list[str], "Rules of which one reports it; none where none is needed."] = (
        derived("judged.rules")
    )
    none: Annotated[str, "Why no rule is needed; empty where one reports it."] = derived(
        "judged.none"
    )
    kernels: Annotated[
        list[str], "Releases in which it changes so: 4.8 to 4.14.6; none for what firmware changes."
    ]
    but: Annotated[
        list[str], "Distributions' kernels that differ from the release they are taken as."
    ]


class OfValues(Form[Values]):
    """Every value of a table that changes on its way to the governor."""

    table: Annotated[str, "Its name."] = derived("source.name")
    platform: Annotated[str, "The machine, as --platform named it."]
    kernels: Annotated[list[str], "The releases that were followed."]
    values: Annotated[
        list[ChangedValue], "Firmware's changes first, then by row, field, stage and release."
    ]
    assumptions: Annotated[list[str], "Assumptions of the values."]


class Kernels(Form[Any]):
    series: Annotated[list[Series] | None, "Without two kernels and without a table.", OMITTED]
    comparison: Annotated[Compared | None, "With two kernels.", OMITTED]
    moves: Annotated[OfTable | None, "With a table or states.", OMITTED]
    values: Annotated[OfValues | None, "With --values.", OMITTED]
    identified: Annotated[
        Identification | None, "With a governor's source: the kernels that decide alike.", OMITTED
    ]
    source: Annotated[
        IdentifiedSource | None,
        "With a kernel's source tree: the kernels that do the same.",
        OMITTED,
    ]


_PARTS = ("series", "comparison", "moves", "values", "identified", "source")


def document(**given: object) -> With:
    """One of the parts of the document of `kernels`."""
    return With(None, **(dict.fromkeys(_PARTS) | given))
