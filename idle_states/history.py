"""Behaviour that changed over releases: features as the fold of dated rows.

A subsystem (skiboot's export, Linux's driver, a governor) has a frozen dataclass of features whose
defaults are those of the oldest release modelled, and rows that say since when which features have
other values. The features of a release are the fold of all rows up to it. A feature's type is bool,
a Literal, or U32, alone or with None or in a tuple, so that mypy and the first fold both reject a
value that has no meaning.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from .wording import suggestion

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FeaturesT = TypeVar("FeaturesT", bound="DataclassInstance")
P = ParamSpec("P")
Key = tuple[int, ...]
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
    """From `release` on, features have these values. commit: which changed them, "" if unknown."""

    release: str
    commit: str
    values: Values


def rows_of(features: Callable[P, object]) -> Callable[Concatenate[str, str, P], Since]:
    """Returns a constructor of rows whose keyword arguments are the dataclass's fields.

    since = rows_of(MenuFeatures); since("5.13", "COMMIT", stopped_tick="timer")
    """

    def since(release: str, commit: str, /, *args: P.args, **values: P.kwargs) -> Since:
        if args:
            raise WrongRow(f"since {release}: expected features by name, found {args[0]!r}")
        return Since(release, commit, values)

    return since


def values_of(features: Callable[P, object]) -> Callable[P, dict[str, object]]:
    """Returns a dict() that takes only the dataclass's fields as keywords, for backports."""

    def values(*args: P.args, **named: P.kwargs) -> dict[str, object]:
        if args:
            raise WrongRow(f"expected features by name, found {args[0]!r}")
        return dict(named)

    return values


class History(Generic[FeaturesT]):
    """A subsystem's features over its releases.

    oldest     features of the oldest release modelled
    rows       changes, in any order; of two for the same feature and release the later one counts
    backports  name of a distribution's kernel -> features in which it differs from its mainline
               release
    """

    def __init__(
        self,
        oldest: FeaturesT,
        rows: Sequence[Since],
        backports: Mapping[str, Values] | None = None,
    ) -> None:
        self.oldest = oldest
        self.rows = rows
        self.backports = backports or {}
        self._dated: list[tuple[Key, Values]] | None = None

    def fold(
        self,
        key: Key,
        place: Callable[[str], Key],
        kernel: str = "",
        kernels: Collection[str] = (),
    ) -> FeaturesT:
        """Features of a release: all rows up to it, then what was backported.

        key      the release's place in the order of releases
        place    returns the key of a release, given its name; raises ValueError if it is unknown
        kernel   name of a distribution's kernel, "" for a mainline release
        kernels  names of all distributions' kernels
        Raises WrongRow; all rows are checked when the first release is asked for.
        """
        if self._dated is None:
            self._check_backports(kernels)
            self._dated = sorted(self._placed(place), key=lambda dated: dated[0])
        values: dict[str, object] = {}
        for since, changed in self._dated:
            if since <= key:
                values |= changed
        values |= self.backports.get(kernel, {})
        return replace(self.oldest, **values)

    def _placed(self, place: Callable[[str], Key]) -> Iterator[tuple[Key, Values]]:
        for row in self.rows:
            where = f"{self._name}, since {row.release}"
            try:
                key = place(row.release)
            except ValueError as error:
                raise WrongRow(f"{where}: {error}") from None
            check_values(type(self.oldest), row.values, where)
            yield key, row.values

    def _check_backports(self, kernels: Collection[str]) -> None:
        for kernel, values in self.backports.items():
            where = f"{self._name}, backports of {kernel}"
            if kernel not in kernels:
                hint = suggestion(kernel, kernels)
                raise WrongRow(f"{where}: expected a listed kernel, found {kernel!r}{hint}")
            check_values(type(self.oldest), values, where)

    @property
    def _name(self) -> str:
        features = type(self.oldest)
        return f"{features.__module__}.{features.__qualname__}"


# Values


@cache
def types_of(features: type) -> dict[str, Any]:
    """A features dataclass's fields with their types, in order."""
    return get_type_hints(features, include_extras=True)


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
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return any(type(value) is type(option) and value == option for option in args)
    if origin is Annotated:
        return type(value) is args[0] and value in args[1]
    if origin in (Union, UnionType):
        return any(_fits(option, value) for option in args)
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(args[0], each) for each in value)
    return type(value) is kind


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
