"""Declarations of options: what a command line calls a field of a request, and tells of it.

    @dataclass(frozen=True, slots=True)
    class DiffRequest:
        a: Annotated[str, Argument("A", "revision or file")]
        platform: Annotated["AnyPlatform", Option("--platform", "op920, ...", metavar="P")]
        governor: Annotated[str | None, Option("--governor", "compare selections, too")] = None

The parser, its help, its refusals, completion and the manual page follow, field by field, and so
does the request that a command line makes (`cli/derive.py`). The type of a field says what may be
given: bool is a switch, a tuple may be repeated, a Literal has choices. A field whose type is a
dataclass with options has these in its place; `Options` says what is different about them there.
"""

from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from .dataclass import dataclass, fields
from .model.findings import UsageError
from .wording import joined, suggestion

if TYPE_CHECKING:
    from typing import Annotated as Annotated
else:

    class Annotated:
        """typing.Annotated, which compiles a type that is written as text: for the first one Python
        makes a class of each kind of node that a syntax tree has, a twentieth of a start."""

        __slots__ = ("__metadata__", "__origin__")

        def __class_getitem__(cls, arguments: tuple[Any, ...]) -> "Annotated":
            made = cls()
            made.__origin__, *made.__metadata__ = arguments
            return made


STANDARD_INPUT = "-"
"""The word for standard input where a file is asked for; files.STANDARD is that for output."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of the command line, on the field that it fills.

    help        its line in --help
    metavar     what its value is called; "": the name in capitals, or the choices
    short       another name of one letter: "-o"
    switches    options of the field instead of this one, each with its line in --help: --WORD
                gives it this word
    also        another option of the field, which excludes this one: its name, what stands before
                its words then, and its line in --help
    default     text that is read where it is not given; None: the field has its own default
    choices     values to choose from, where the type is no Literal
    reads       function that makes the value of the text, as "lab.replay.power.from_words" in the
                package; without it the type tells which (`cli/values.py`)
    beside      field of the same command whose text that function takes, too
    const       value where the option stands alone, as --sequence does
    several     takes several words at once
    required    must be given
    configured  may come from the project's configuration
    is_table    names a TABLE
    only        options with the same word here exclude each other
    heading     group of --help that it stands in
    after       what it directly follows in --help, where that is not the field before
    """

    name: str
    help: str = ""
    metavar: str = ""
    short: str = ""
    switches: tuple[tuple[str, str], ...] = ()
    also: tuple[str, str, str] | None = None
    default: str | None = None
    choices: tuple[str, ...] = ()
    reads: str = ""
    beside: str = ""
    const: int | None = None
    several: bool = False
    required: bool = False
    configured: bool = False
    is_table: bool = False
    only: str = ""
    heading: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Argument:
    """An operand of the command line: one word, or of a tuple any number.

    name     as --help shows it: TABLE
    help, choices, reads, is_table, after  as of an option
    several  at least one word
    fills    function that gives options that are left out their words, by the word of this one: as
             "lab.simulation.experiments.filled"
    """

    name: str
    help: str = ""
    choices: tuple[str, ...] = ()
    reads: str = ""
    several: bool = False
    is_table: bool = False
    fills: str = ""
    after: str = ""


class Options:
    """Differences of a group of options where a request has the group.

    changed  field of the group -> its option there; None: the field is not asked for
    heading  group of --help that all stand in
    alone    why options of the group that is None without its first one are refused without it; "":
             they are not
    after    what the group follows in --help, where that is not the field before
    configures  the group names the project's configuration, which gives options that are left out
    """

    __slots__ = ("after", "alone", "changed", "configures", "heading")

    def __init__(
        self,
        *,
        heading: str = "",
        alone: str = "",
        after: str = "",
        configures: bool = False,
        **changed: "Option | Argument | LeftOut | None",
    ) -> None:
        self.heading, self.alone, self.after, self.configures = heading, alone, after, configures
        self.changed = changed


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Marks a field that is True where another field of the group is not asked for by anybody."""

    field: str


@dataclass(frozen=True, slots=True)
class FromConfiguration:
    """Marks a field that only the project's configuration fills.

    attribute  of the Configuration; "": the names of those of the group's fields that it filled
    """

    attribute: str = ""


def check_choices(request: Any) -> None:
    """Raises UsageError for a word of a request that is none of those its type names."""
    for each in fields(request):
        word, choices = getattr(request, each.name), _choices(each.type)
        if choices and isinstance(word, str) and word not in choices:
            known = joined([repr(choice) for choice in choices], "or")
            close = suggestion(word, choices)
            raise UsageError(f"expected {each.name} to be {known}, found {word!r}{close}")


def _choices(kind: Any) -> list[str]:
    """The words that a type names as a Literal, alone or in a union."""
    args = get_args(kind)
    if get_origin(kind) is Literal:
        return list(args)
    if hasattr(kind, "__metadata__"):
        return _choices(kind.__origin__)
    if get_origin(kind) in (Union, UnionType):
        return [choice for member in args for choice in _choices(member)]
    return []
