"""schemas/output.schema.json, from the forms of the documents: python -m tools.schema [FILE]"""

import importlib
import inspect
import json
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import idle_states
from idle_states.base.model.forms import INLINE, OMITTED, Limits, keys
from idle_states.base.options import Option
from idle_states.base.resources import resource
from idle_states.tables.documents.envelope_document import Envelope
from tools.command_line import parsed

Schema = dict[str, Any]
_PACKAGE = Path(idle_states.__file__).parent
DOCUMENTS = {
    file.stem.removesuffix("_document"): ".".join(
        file.relative_to(_PACKAGE.parent).with_suffix("").parts
    )
    for file in sorted(_PACKAGE.rglob("*_document.py"))
}
"""The subject of a document, a sub-command or what several have in common -> its module."""
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


class Schemas:
    """Schemas of kinds of values. definitions: those of the forms, by their names."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}

    def of(self, kind: Any) -> Schema:
        """Returns the schema of an annotated type."""
        origin, inner = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._annotated(self.of(inner[0]), inner[1:])
        if origin in (Union, UnionType):
            return self._either([self.of(each) for each in inner])
        if origin in (list, tuple):
            return {"type": "array", "items": self.of(inner[0])}
        if origin is dict:
            return self._dict(*inner)
        if origin is Literal:
            return {"const": inner[0]} if len(inner) == 1 else {"enum": list(inner)}
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            return {"enum": [str(member) for member in kind]}
        if kind is Any:
            return {}
        return {"type": _TYPES[kind]} if kind in _TYPES else self._reference(kind)

    def _annotated(self, schema: Schema, marks: tuple[Any, ...]) -> Schema:
        """With limits and descriptions; of several descriptions the last one holds."""
        for mark in marks:
            if isinstance(mark, Option):
                continue
            schema = schema | (mark.keywords if isinstance(mark, Limits) else {"description": mark})
        return schema

    def _either(self, schemas: list[Schema]) -> Schema:
        """One of them; short where all but one are null."""
        null = {"type": "null"}
        present = [schema for schema in schemas if schema != null]
        if len(present) == len(schemas) or len(present) != 1:
            return {"anyOf": schemas}
        (schema,) = present
        if "enum" in schema:
            return {**schema, "enum": [*schema["enum"], None]}
        if isinstance(schema.get("type"), str):
            return {**schema, "type": [schema["type"], "null"]}
        return {"anyOf": [null, schema]}

    def _dict(self, name: Any, value: Any) -> Schema:
        """Returns the schema of a mapping of any names; of just these where they are a Literal."""
        if get_origin(name) is not Literal:
            return {"type": "object", "additionalProperties": self.of(value)}
        names = get_args(name)
        return {
            "type": "object",
            "required": list(names),
            "properties": {each: self.of(value) for each in names},
        }

    def _reference(self, form: type) -> Schema:
        home = form.__module__.rpartition(".")[2].removesuffix("_document")
        name = f"{home}.{form.__name__}"
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = self.form(form)
        return {"$ref": f"#/$defs/{name}"}

    def form(self, form: type) -> Schema:
        """Returns the schema of a form's object. The description is the class's own docstring."""
        required: list[str] = []
        properties: Schema = {}
        for key in keys(form):
            if INLINE in key.marks:
                within = self.form(get_args(key.kind)[0])
                required += within["required"]
                properties |= within["properties"]
                continue
            properties[key.name] = self.of(key.kind)
            if OMITTED not in key.marks:
                required.append(key.name)
        text = inspect.cleandoc(form.__dict__.get("__doc__") or "").replace("\n", " ")
        return {
            **({"description": text} if text else {}),
            "type": "object",
            "required": required,
            "properties": properties,
            **getattr(form, "keywords", {}),
        }


def document() -> Schema:
    """Returns the schema of all documents: the envelope's keys, and those that the command decides
    on."""
    schemas = Schemas()
    envelope = schemas.form(Envelope)
    cases = []
    for command in envelope["properties"]["command"]["enum"]:
        module = importlib.import_module(DOCUMENTS[command])
        body = schemas.of(getattr(module, command.capitalize()))
        condition = {"properties": {"command": {"const": command}}}
        cases.append({"if": condition, "then": body})
        for each in body.get("anyOf", [body]):
            # its keys stand beside the envelope's, in one object
            del schemas.definitions[each["$ref"].rpartition("/")[2]]["type"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Output of idle-states --format json",
        **envelope,
        "allOf": cases,
        "$defs": dict(sorted(schemas.definitions.items())),
    }


def text() -> str:
    """The schema as it stands in the repository."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    target = parsed(__doc__, "[FILE]").file or resource("schemas", "output.schema.json")
    Path(str(target)).write_text(text(), "utf-8")
