"""conform."""

from typing import Annotated, Any

from ...base.dataclass import fields
from ...base.model.forms import INLINE, Count, Form, Positive, derived
from ...tables.documents.known_document import Known
from ...tables.prove.prove_document import Decision
from .conform import Disagreement
from .suspects import Suspicion

Values = dict[str, Any]


class FirstDisagreement(Form[Disagreement]):
    """The first disagreement."""

    number: Annotated[Positive, "The decision, counted from 1."]
    line: Annotated[Positive, "Its line in the recording."] = derived("row.line")
    cpu: Annotated[Count, "Its CPU."] = derived("row.cpu")
    recorded: Annotated[Decision, "The kernel's decision."] = derived("row")
    model: Annotated[Decision, "The model's decision."] = derived("decision")
    inputs: Annotated[Values, "All inputs of the decision."] = derived(
        lambda first: values(first.row.situation)
    )
    intermediate: Annotated[Values, "The model's intermediate values."] = derived(
        lambda first: {name: _plain(value) for name, value in first.decision.why.items()}
    )
    outcome: Annotated[Values, "The outcome of the decision."] = derived(
        lambda first: values(first.row.outcome)
    )


class Conform(Form[Any]):
    known: Annotated[Known, INLINE]
    decisions: Annotated[Count, "Decisions judged."] = derived("judged")
    skipped: Annotated[Count, "Decisions before those, fed to the model but not judged."]
    agree: Annotated[Count, "Decisions the model makes too."]
    kernel: Annotated[str, "The Linux release."] = derived("basis.release.name")
    governor: Annotated[str, "Whose model decided."] = derived("basis.governor")
    hz: Annotated[Positive, "The kernel's HZ."] = derived("basis.hz")
    unlike: Annotated[
        list[str], "Differences of these and the states from the recording's head."
    ] = derived("basis.unlike")
    assumptions: Annotated[list[str], "Assumptions on inputs that were not recorded."]
    suspicion: Annotated[
        Suspicion | None,
        "The table or kernel that may have decided, where few decisions agree; else null.",
    ]
    first_disagreement: Annotated[
        FirstDisagreement | None,
        "The first decision the model does not make; null if it makes all.",
    ] = derived("first")


def values(record: Any) -> dict[str, Any]:
    """A situation's or an outcome's fields."""
    return {field.name: _plain(getattr(record, field.name)) for field in fields(record)}


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple) else value
