"""Behaviour that changed over releases: features as the fold of dated rows.

A subsystem (skiboot's export, Linux's driver, a governor) has a frozen dataclass of features whose
defaults are those of the oldest release modelled, and rows that say since when which features have
other values. A row is one change, and names the first release of each line that has it: of the
trunk, of a stable series, of a distribution. The features of a release are the fold of all rows on
its way. A feature's type is bool, a Literal, or U32, alone or with None or in a tuple, so that mypy
and the first fold both reject a value that has no meaning.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Concatenate,
    Generic,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from ..dataclass import dataclass, field, fields, replace
from ..wording import suggestion

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
else:
    DataclassInstance = object

FeaturesT = TypeVar("FeaturesT", bound=DataclassInstance)
P = ParamSpec("P")
Key = tuple[int, ...]
Place = tuple[str, Key]
"""A line of releases, "" for the trunk, and a key in the line's order."""
Values = Mapping[str, object]

U32 = Annotated[int, range(1 << 32)]
"""A whole number of 32 bits."""


class WrongRow(TypeError):
    """A row with an unknown field, value or release. The message says which row, what was expected
    and what was found.

    Not a ValueError, which says that a release lacks the subsystem.
    """


@dataclass(frozen=True, slots=True)
class Since:
    """From `releases` on, each in its own line, features have these values.

    commit: which changed them, "" if unknown.
    """

    releases: tuple[str, ...]
    commit: str
    values: Values = field(hash=False)


class Dated(NamedTuple):
    """A row on the way of a release, and the row's release that stands on this way."""

    release: str
    row: Since


@dataclass(frozen=True, slots=True)
class Sources:
    """Releases that the model was held against, in words with spaces between: "6.1.2" is one
    release, "6.6.0..6.6.150" is all from the first to the last of a series.

    compiled  the release's code was compiled, run, and does what the model does; or its text is the
              same, but for comments, as one that was
    read      the source was read
    """

    compiled: str = ""
    read: str = ""


def rows_of(features: Callable[P, object]) -> Callable[Concatenate[str, str, P], Since]:
    """Returns a constructor of rows whose keyword arguments are the dataclass's fields.

    since = rows_of(MenuFeatures); since("6.17 6.12.43", "COMMIT", rejected_is_unknown=True): in
    6.17 and later, and in the stable series 6.12.y from 6.12.43 on
    """

    def since(releases: str, commit: str, /, *args: P.args, **values: P.kwargs) -> Since:
        if args:
            raise WrongRow(f"since {releases}: expected features by name, found {args[0]!r}")
        return Since(tuple(releases.split()), commit, values)

    return since


class History(Generic[FeaturesT]):
    """A subsystem's features over its releases.

    oldest  features of the oldest release modelled
    rows    changes, in any order; of two for the same feature and release the later one counts. Of
            a function, what it returns when they are first asked for
    """

    def __init__(
        self, oldest: FeaturesT, rows: Sequence[Since] | Callable[[], Sequence[Since]]
    ) -> None:
        self.oldest = oldest
        self._given = rows
        self._placed: dict[str, list[tuple[Key, Dated]]] | None = None
        self._rows2folded: dict[tuple[int, ...], FeaturesT] = {}

    @cached_property
    def rows(self) -> Sequence[Since]:
        return self._given() if callable(self._given) else self._given

    def fold(
        self, way: Sequence[Place], place: Callable[[str], Place], without: Sequence[Since] = ()
    ) -> FeaturesT:
        """Features of a release: all rows on its way.

        way      the lines that led to the release, and how far each did: the trunk first
        place    returns a release's line and key, given its name; raises ValueError if it is
                 unknown
        without  rows that are left out
        Raises WrongRow; all rows are checked when the first release is asked for.
        """
        rows = [row for _, row in self.on(way, place) if row not in without]
        known = tuple(map(id, rows))
        folded = self._rows2folded.get(known)
        if folded is None:
            values: dict[str, object] = {}
            for row in rows:
                values |= row.values
            folded = self._rows2folded[known] = replace(self.oldest, **values)
        return folded

    def on(self, way: Sequence[Place], place: Callable[[str], Place]) -> Iterator[Dated]:
        """Yields the rows on a release's way in the order in which they are folded, each where it
        is met first. See fold()."""
        met: set[int] = set()
        for line, last in way:
            for since, dated in self.of_line(line, place):
                if since <= last and id(dated.row) not in met:
                    met.add(id(dated.row))
                    yield dated

    def of_line(self, line: str, place: Callable[[str], Place]) -> Sequence[tuple[Key, Dated]]:
        """Returns the rows of a line with the key that each begins at, in order. See fold()."""
        if self._placed is None:
            placed: dict[str, list[tuple[Key, Dated]]] = {}
            for (each, since), dated in sorted(self._places(place), key=lambda each: each[0][1]):
                placed.setdefault(each, []).append((since, dated))
            self._placed = placed
        return self._placed.get(line, ())

    def _places(self, place: Callable[[str], Place]) -> Iterator[tuple[Place, Dated]]:
        features = type(self.oldest)
        for row in self.rows:
            for release in row.releases:
                where = f"{features.__module__}.{features.__qualname__}, since {release}"
                try:
                    found = place(release)
                except ValueError as error:
                    raise WrongRow(f"{where}: {error}") from None
                check_values(features, row.values, where)
                yield found, Dated(release, row)


# Values


@cache
def types_of(features: type) -> dict[str, Any]:
    """A features dataclass's fields with their types, in order."""
    return {each.name: each.type for each in fields(features)}


@cache
def meanings(features: type) -> dict[str, str]:
    """Returns each field's meaning from a features dataclass's docstring: "name   text", indented
    further on the lines that follow. Empty where Python keeps no docstrings."""
    import inspect

    found: dict[str, str] = {}
    name = ""
    for line in inspect.cleandoc(features.__doc__ or "").splitlines():
        begins = re.match(r"(\w+) +(\S.*)", line)
        if begins and begins[1] in types_of(features):
            name = begins[1]
            found[name] = begins[2]
        elif name and line.startswith("  "):
            found[name] += f" {line.strip()}"
        else:
            name = ""
    return found


def check_values(features: type, values: Values, where: str) -> None:
    """Raises WrongRow for a field that the dataclass lacks, or a value that its type excludes."""
    types = types_of(features)
    for name, value in values.items():
        if name not in types:
            raise WrongRow(
                f"{where}: expected a feature ({', '.join(types)}), "
                f"found {name!r}{suggestion(name, types)}"
            )
        if not _fits(types[name], value):
            texts = [option for option in choices(types[name]) if isinstance(option, str)]
            hint = suggestion(value, texts) if isinstance(value, str) else ""
            raise WrongRow(
                f"{where}: expected {name} to be {_words(types[name])}, found {value!r}{hint}"
            )


def choices(kind: Any) -> tuple[Any, ...]:
    """The values of a Literal, in order; none for other types."""
    return get_args(kind) if get_origin(kind) is Literal else ()


def _fits(kind: Any, value: object) -> bool:
    if isinstance(kind, type):
        return type(value) is kind
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return any(type(value) is type(option) and value == option for option in args)
    if origin is Annotated:
        return type(value) is args[0] and value in args[1]
    if origin in (Union, UnionType):
        return any(_fits(option, value) for option in args)
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(args[0], each) for each in value)
    return False


def _words(kind: Any) -> str:
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return "one of " + ", ".join(repr(option) for option in args)
    if origin is Annotated:
        return f"a whole number from {args[1][0]} to {args[1][-1]}"
    if origin in (Union, UnionType):
        return " or ".join(_words(option) for option in args)
    if origin is tuple:
        return f"a tuple, each {_words(args[0])}"
    return "None" if kind is NoneType else "True or False" if kind is bool else str(kind.__name__)
