"""diff."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from ...diff import Difference
from ...forms import Form, derived


class Diff(Form[Sequence[Difference]]):
    keywords: ClassVar[Mapping[str, Any]] = {
        "if": {"properties": {"equal": {"const": True}}},
        "then": {"properties": {"differences": {"maxItems": 0}}},
        "else": {"properties": {"differences": {"minItems": 1}}},
    }

    equal: Annotated[bool, "True if there are no differences."] = derived(lambda found: not found)
    differences: list[Difference] = derived(lambda found: found)
