"""The beginning of every document."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from ... import __version__
from ...base.model.forms import OMITTED, Form, Limits, With, derived
from ...base.report.encoder import as_json
from ..linux.releases import Release
from .known_document import Alternative, Followed

Digest = Annotated[str, Limits(pattern="^([0-9a-f]{64})?$")]
SchemaVersion = Literal[1]


class Tool(Form[None]):
    name: Literal["idle-states"] = derived(lambda _: "idle-states")
    version: Annotated[str, Limits(pattern=r"^[0-9]+\.[0-9]+")] = derived(lambda _: __version__)


class Input(Form[tuple[str, str]]):
    """audit says more of each."""

    keywords: ClassVar[Mapping[str, Any]] = {"additionalProperties": True}

    file: str
    sha256: Annotated[
        Digest,
        "Empty for a directory; of a source with includes, that of their digests and its own.",
    ]


class Head(Form[Any]):
    """The first keys of a document; of JSON Lines, of each line."""

    schema_version: Annotated[
        SchemaVersion, "Changes when a key goes away or changes its meaning."
    ] = derived(lambda _: 1)
    tool: Annotated[Tool, "The program that wrote the document."] = derived(lambda _: None)


class Envelope(Head):
    """One document per run. Keys may be added; those described here keep their meaning while
    schema_version stays the same. Registers are whole numbers of up to 64 bits."""

    command: Annotated[
        Literal[
            "audit",
            "boot",
            "check",
            "conform",
            "diff",
            "fit",
            "kernels",
            "list",
            "patch",
            "prove",
            "replay",
            "review",
            "select",
            "show",
            "simulate",
            "stats",
            "tune",
            "why",
        ],
        "The sub-command, which decides what other keys there are.",
    ]
    releases: Annotated[
        list[Followed],
        "How well the kernels are known that findings or differences are of; other commands say it "
        "beside what they found.",
    ]
    inputs: Annotated[
        list[Input], "Files read, each once, in the order given. Packaged specs by their paths."
    ]
    alternatives: Annotated[
        list[Alternative] | None,
        OMITTED,
        "The results with each of the known kernels around an unknown one; the first is this "
        "document. Absent for kernels that are known.",
    ] = derived(lambda _: None)
    cannot_tell: Annotated[
        list[str] | None,
        OMITTED,
        "With alternatives: places of the document that differ between them, such as "
        "linux[0].states[2].name; what else it says holds for the kernel asked for.",
    ] = derived(lambda _: None)


class Alternatives(Form[Any]):
    """The keys that a document has for a kernel that is not known."""

    alternatives: list[Alternative]
    cannot_tell: list[str]


def alternatives_of(
    found: Sequence[tuple[Sequence[tuple[Release, Release]], int, Any]], differ: Sequence[str]
) -> dict[str, Any]:
    """Returns these keys. found: kernels that are not known with the ones they were taken as, the
    exit status, and the document, None for that of the first; differ: places that do."""
    given = [
        With(None, kernels=kernels, status=status, document=document)
        for kernels, status, document in found
    ]
    return as_json(Alternatives, With(None, alternatives=given, cannot_tell=differ))
