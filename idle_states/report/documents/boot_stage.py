"""A stage of a boot."""

from typing import Annotated, Literal

from ...boot import predict
from ...forms import Count, Form, derived


class Stage(Form[predict.Stage]):
    """One stage's prediction held against reality."""

    stage: Annotated[
        Literal[
            "export",
            "opal-messages",
            "firmware",
            "tree",
            "tables",
            "survives",
            "registered",
            "linux-messages",
            "selected",
            "usage",
            "domains",
            "domain-usage",
        ],
        "The stage.",
    ] = derived(lambda stage: stage.name)
    agree: Annotated[bool | None, "null: nothing could be judged; note says why."]
    judged: Annotated[Count, "Properties, lines, states, decisions or counters compared."]
    undetermined: Annotated[Count, "Decisions that could not be judged for want of inputs."]
    note: Annotated[str, "Why something was not judged; may be empty."]
    differences: Annotated[list[predict.Mismatch], "What is not as predicted."]
