"""diff."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from ...base.model.forms import Form, derived
from .answer import DiffResult
from .tables import Difference


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
    assumptions: Annotated[list[str], "Assumptions of the governor's selections."]
