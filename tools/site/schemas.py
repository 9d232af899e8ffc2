"""The reference of JSON and YAML: keys, types and meanings, of the JSON schemas."""

import json
from collections.abc import Iterator
from typing import Any

from idle_states.base.resources import resource

from .prose import inline

FOLDER = "reference"
_OUTPUT = (
    "json",
    "JSON output",
    "What `--format json` prints; the schema itself is `schemas/output.schema.json`. What may "
    "change: [policy](../policy.md).",
    "output.schema.json",
)
_INPUTS = (
    (
        "spec",
        "Specs",
        "Keys of a spec. Editors complete them from `schemas/idle-states.schema.json`.",
        "idle-states.schema.json",
    ),
    (
        "workload",
        "Workloads",
        "Keys of a workload for [simulate](commands/simulate.md); the schema itself is "
        "`schemas/idle-states-workload.schema.json`.",
        "idle-states-workload.schema.json",
    ),
    (
        "patch-description",
        "Patch descriptions",
        "Keys of a description for [patch](commands/patch.md); the schema itself is "
        "`schemas/skiboot-patch.schema.json`.",
        "skiboot-patch.schema.json",
    ),
)
Schema = dict[str, Any]


def pages() -> Iterator[tuple[str, str]]:
    """(path, Markdown) of each page."""
    for name, title, about, file in (_OUTPUT, *_INPUTS):
        schema = json.loads(resource("schemas", file).read_text("utf-8"))
        yield f"{FOLDER}/{name}.md", _page(title, about, schema)


def _page(title: str, about: str, schema: Schema) -> str:
    parts = [f"# {title}", about, *_object(schema)]
    for case in schema.get("allOf", []):
        command = case.get("if", {}).get("properties", {}).get("command", {}).get("const")
        if command:
            parts += [f"## {command}", f"Beside the keys above: {_kind(case['then'])}."]
    definitions = schema.get("$defs", {})
    if definitions:
        parts.append("## Kinds of values")
    for name, definition in definitions.items():
        parts += [f"### {name} {{: #{_anchor(name)} }}", *_object(definition)]
    return "\n\n".join(parts) + "\n"


def _object(schema: Schema) -> Iterator[str]:
    """Yields what an object is, and a table of its keys."""
    if "description" in schema:
        yield inline(schema["description"])
    properties = schema.get("properties", {})
    if not properties:
        yield f"{_sentence(_kind(schema))}."
        return
    rows = ["| key | type | meaning |", "| --- | --- | --- |"]
    for key, value in properties.items():
        optional = "" if key in schema.get("required", ()) else " (optional)"
        described = value.get("description", "") if isinstance(value, dict) else ""
        rows.append(f"| `{key}` | {_kind(value)}{optional} | {inline(described)} |")
    yield "\n".join(rows)


def _kind(schema: Any) -> str:
    """A type in words."""
    if not isinstance(schema, dict) or not schema:
        return "anything"
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{_anchor(name)})"
    for key, word in (("anyOf", " or "), ("oneOf", " or "), ("allOf", " and ")):
        if key in schema and "properties" not in schema:
            return word.join(dict.fromkeys(_kind(each) for each in schema[key]))
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    names = schema.get("type", "anything")
    names = names if isinstance(names, list) else [names]
    return " or ".join(_named(name, schema) for name in names)


def _named(name: str, schema: Schema) -> str:
    if name == "array":
        return f"list of {_kind(schema.get('items'))}"
    if name == "object":
        if "additionalProperties" in schema and "properties" not in schema:
            return f"object of names to {_kind(schema['additionalProperties'])}"
        inner = schema.get("properties", {})
        keys = ", ".join(f"`{key}` ({_kind(value)})" for key, value in inner.items())
        return f"object with {keys}" if keys else "object"
    low, high = schema.get("minimum"), schema.get("maximum")
    if name == "integer" and low is not None:
        return f"integer {low} to {high}" if high is not None else f"integer from {low}"
    if name == "string" and "pattern" in schema:
        return f"string like `{schema['pattern']}`".replace("|", "&#124;")
    return name


def _anchor(name: str) -> str:
    return "kind-" + name.lower().replace(".", "-")


def _sentence(text: str) -> str:
    return text if text.startswith(("[", "`")) else text[:1].upper() + text[1:]
