"""Documents of --format json, each written by its form (schemas/output.schema.json)."""

from collections.abc import Iterable
from typing import Any

from ..forms import With
from .documents.envelope import Envelope
from .encoder import as_json
from .escapes.json import encoded


def envelope(command: str, form: type, value: Any, inputs: Iterable[tuple[str, str]] = ()) -> str:
    """One document: tool, inputs with their SHA-256, and the keys that the command's form makes of
    a value."""
    head = as_json(Envelope, With(None, command=command, inputs=dict.fromkeys(inputs)))
    return encoded(head | as_json(form, value)) + "\n"
