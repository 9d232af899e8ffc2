"""kernels."""

from typing import Annotated, Any

from ...base.model.forms import INLINE, OMITTED, Count, Form, Positive, With, derived
from ..diff.tables import Difference
from ..linux.grounds import Kind
from ..selection.select_document import Lengths, Where
from .behaviour import FeatureChange, KernelComparison, OneSided
from .moves import Cause, Move, Moves, Still
from .series import ReleaseLine, Stretch, Subsystem


class Grounded(Form[Any]):
    """How some releases are known."""

    first: Annotated[str, "The first release that is known so."] = derived(lambda row: row[1])
    last: Annotated[str, "The last one."] = derived(lambda row: row[2])
    basis: Annotated[Kind, "As in other documents: compiled, read, ..."] = derived(
        lambda row: row[0].kind
    )
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
    taken_as: Annotated[
        str | None, "Of one kernel: kernel.org's release that it is followed as."
    ] = derived(lambda line: line.kernel and line.kernel.taken_as)
    guessed: Annotated[bool, "Whether it may do something else."] = derived(
        lambda line: line.kernel is not None and line.kernel.guessed
    )
    subsystems: list[Behaviour]


class OnlyIn(Form[tuple[OneSided, str]]):
    subsystem: Annotated[str, "It."] = derived(lambda row: row[0].subsystem)
    kernel: Annotated[str, "The kernel that has it."]


class Compared(Form[KernelComparison]):
    a: Annotated[str, "The first kernel."] = derived("a.name")
    b: Annotated[str, "The second one."] = derived("b.name")
    equal: Annotated[bool, "Whether they do the same."] = derived(lambda found: not found.differs)
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
    path: Annotated[str, "What differs: states.stop4, default_stop, ..."]
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
    begins: Annotated[bool, "Whether the governor begins to select from the table here."]
    registered: Annotated[list[Registered], "What is registered otherwise."]
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
    """Where a governor's selection from a table changes."""

    table: Annotated[str | None, "As given; null for --states."] = derived("request.of.table")
    governor: Annotated[str, "menu, teo or ladder."] = derived("request.of.governor")
    hz: Annotated[Positive, "The kernel's HZ."] = derived("request.of.hz")
    steps: Annotated[Count, "How many steps between releases were looked at."]
    kinds: Annotated[Count, "How many different pairs of governor and registered table."]
    moves: list[Moved]
    still: Annotated[
        list[Unmoved], "Changes of the governor that move no map of equal idle periods."
    ]
    assumptions: Annotated[list[str], "What the maps rest on."]


class Kernels(Form[Any]):
    series: Annotated[list[Series] | None, "Without two kernels and without a table.", OMITTED]
    comparison: Annotated[Compared | None, "With two kernels.", OMITTED]
    moves: Annotated[OfTable | None, "With a table or states.", OMITTED]


def document(**given: object) -> With:
    """What Kernels writes: series, comparison or moves."""
    return With(None, **({"series": None, "comparison": None, "moves": None} | given))
