"""Documents of --format json, each written by its form (schemas/output.schema.json)."""

from collections.abc import Iterable, Sequence
from typing import Any

from ...base.model.forms import With
from ...base.report.encoder import as_json
from ...base.report.escapes.json import encoded
from ..linux.releases import Release
from .envelope_document import Envelope


def envelope(
    command: str,
    form: type,
    value: Any,
    inputs: Iterable[tuple[str, str]] = (),
    kernels: Sequence[Release] = (),
) -> str:
    """One document: tool, inputs with their SHA-256, how well kernels are known, and the keys that
    the command's form makes of a value."""
    given = With(None, command=command, inputs=dict.fromkeys(inputs), releases=list(kernels))
    head = as_json(Envelope, given)
    return encoded(head | as_json(form, value)) + "\n"
