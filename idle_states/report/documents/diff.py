"""diff."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from ...diff.answer import DiffResult
from ...diff.tables import Difference
from ...forms import Form, derived


class Diff(Form[DiffResult]):
    keywords: ClassVar[Mapping[str, Any]] = {
        "if": {"properties": {"equal": {"const": True}}},
        "then": {"properties": {"differences": {"maxItems": 0}}},
        "else": {"properties": {"differences": {"minItems": 1}}},
    }

    equal: Annotated[bool, "True if there are no differences."] = derived(
        lambda found: not found.differences
    )
    differences: list[Difference]
    assumptions: Annotated[list[str], "What the governor's selections rest on."]
