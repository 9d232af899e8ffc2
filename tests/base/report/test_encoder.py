"""Forms: what a value becomes in JSON, and what the schema says of it."""

import importlib
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, Literal

import jsonschema
import pytest

from idle_states.base.model import forms
from idle_states.base.model.findings import Severity
from idle_states.base.model.forms import INLINE, OMITTED, Count, Form, Limits, With, derived
from idle_states.base.report.encoder import as_json
from tools.schema import DOCUMENTS, Schemas


@dataclass(frozen=True)
class Ends:
    low: Annotated[Count, "Least."]
    high: int | None


@dataclass(frozen=True)
class Row:
    name: str
    ends: Ends
    severity: Severity = Severity.NOTE
    extra: tuple[int, ...] | None = None


class Remark(Form[tuple[int, str]]):
    line: Annotated[int, Limits(minimum=1)]
    text: str


class Whole(Form[Row]):
    """A row."""

    name: Annotated[str, Limits(pattern="^[a-z]+$")]
    severity: Literal["error", "warning", "note"]
    in_: Annotated[Ends, INLINE] = derived("ends")
    ends: Annotated[Ends | None, "null below 0."] = derived(
        lambda row: row.ends if row.ends.low >= 0 else None
    )
    from_: Annotated[list[Remark], "Places."] = derived(lambda row: [(3, row.name)])
    by: dict[Literal["a", "b"], int] = derived(lambda row: {"a": 1, "b": 2})
    extra: Annotated[list[int], OMITTED]


ROW = Row("stop", Ends(1, None))
WRITTEN = {
    "name": "stop",
    "severity": "note",
    "low": 1,
    "high": None,
    "ends": {"low": 1, "high": None},
    "from": [{"line": 3, "text": "stop"}],
    "by": {"a": 1, "b": 2},
}


def schema() -> dict[str, Any]:
    schemas = Schemas()
    return {**schemas.form(Whole), "$defs": schemas.definitions}


def test_a_value_is_written_by_its_form_in_order() -> None:
    assert list(as_json(Whole, ROW).items()) == list(WRITTEN.items())
    assert as_json(Whole, Row("a", Ends(-1, 2)))["ends"] is None


def test_what_is_omitted_is_there_where_it_has_a_value() -> None:
    assert as_json(Whole, With(ROW, extra=(1, 2))) == {**WRITTEN, "extra": [1, 2]}
    assert as_json(Whole, With(ROW, extra=()))["extra"] == []


def test_attributes_may_be_replaced() -> None:
    assert as_json(Whole, With(ROW, name="nap", ends=Ends(5, 6)))["low"] == 5
    with pytest.raises(AttributeError, match="name"):
        as_json(Whole, With(None, severity="note", ends=ROW.ends))


def test_the_schema_says_the_same() -> None:
    found = schema()
    jsonschema.Draft202012Validator.check_schema(found)
    assert found["description"] == "A row."
    assert found["required"] == list(WRITTEN)
    assert list(found["properties"]) == [*WRITTEN, "extra"]
    assert found["properties"]["low"] == {
        "type": "integer",
        "minimum": 0,
        "description": "Least.",
    }


@pytest.mark.parametrize(
    ("change", "valid"),
    [
        ({}, True),
        ({"extra": [1]}, True),
        ({"extra": None}, False),
        ({"high": 3}, True),
        ({"high": "3"}, False),
        ({"low": -1}, False),
        ({"name": "STOP"}, False),
        ({"severity": "worse"}, False),
        ({"ends": None}, True),
        ({"ends": {"low": 1}}, False),
        ({"from": [{"line": 0, "text": ""}]}, False),
        ({"by": {"a": 1}}, False),
    ],
)
def test_the_schema_is_strict(change: dict[str, Any], valid: bool) -> None:
    assert jsonschema.Draft202012Validator(schema()).is_valid({**WRITTEN, **change}) is valid


def forms_of_dataclasses() -> list[type]:
    modules = [importlib.import_module(name) for name in DOCUMENTS.values()]
    found = [value for module in modules for value in vars(module).values()]
    every = [each for each in found if isinstance(each, type) and issubclass(each, Form)]
    return [form for form in every if is_dataclass(forms.written(form))]


@pytest.mark.parametrize(
    "form", forms_of_dataclasses(), ids=lambda form: f"{form.__module__}.{form.__name__}"
)
def test_keys_are_attributes_of_what_is_written(form: type) -> None:
    """The dataclass has every key that its form neither computes nor is given."""
    written = forms.written(form)
    known = {field.name for field in fields(written)} | set(dir(written))
    taken = {key.attribute.partition(".")[0] for key in forms.keys(form) if key.attribute}
    assert {name for name in taken if getattr(form, name, None) is not forms.GIVEN} <= known
