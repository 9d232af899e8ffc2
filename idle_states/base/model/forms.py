"""Forms: the one definition of the keys of each JSON object of the output.

A form is a class whose annotations are the keys, in order, each with its type, its limits and what
it means. `report/encoder.py` writes a value by a form, `tools/schema.py` writes the JSON schema of
it. A dataclass whose fields are just the keys is a form itself (KeyName, HIDDEN and Rounded mark
fields that are written otherwise), and of its properties those are keys, too, whose annotation says
what they mean; where keys and attributes differ more,

    class State(Form[IdleState]):
        "A row of a table."
        name: str
        latency_ns: Annotated[U64, "Exit latency."]
        flags: Annotated[U32 | None, "null where unknown."] = derived(lambda state: ...)

describes how an `IdleState` is written: `name` is its attribute of that name, `flags` is computed
from the whole state; derived("where.line") would be the attribute at a path. The form of a tuple,
Form[tuple[str, int]], takes its items in turn. A final underscore is no part of a key: `from_`.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter, itemgetter
from typing import Annotated, Any, ClassVar, Generic, TypeVar, get_args, get_origin, get_type_hints

from ..dataclass import dataclass

Value = TypeVar("Value")


class Form(Generic[Value]):
    """The keys with which a Value is written. keywords: more JSON schema keywords of the object."""

    keywords: ClassVar[Mapping[str, Any]] = {}


class Limits:
    """JSON schema keywords of a type: Limits(minimum=0)."""

    def __init__(self, **keywords: Any) -> None:
        self.keywords = keywords


@dataclass(frozen=True, slots=True)
class Derived:
    """A key that is no attribute of its name: what a function makes of the whole value, or the
    attribute at a path."""

    of: Callable[[Any], Any] | str


def derived(of: Callable[[Any], Any] | str) -> Any:
    """Returns the default that marks a key as made from the whole value: by a function, or as the
    attribute at a path ("request.table")."""
    return Derived(of)


GIVEN: Any = object()
"""The default of a key that the value lacks: it is written With(value, key=...)."""


class With:
    """A value with some attributes added or replaced: With(state, index=3)."""

    def __init__(self, value: object, **attributes: Any) -> None:
        self._value = value
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._value, name)


class Rounded(Limits):
    """Marks a number that is written with so many decimals."""

    def __init__(self, decimals: int) -> None:
        super().__init__()
        self.decimals = decimals


class KeyName(Limits):
    """Marks a field of a dataclass whose key has another name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


HIDDEN = Limits()
"""Marks a field of a dataclass that is no key."""
INLINE = Limits()
"""Marks a key that is not written itself: the keys of its form are written in its place."""
OMITTED = Limits()
"""Marks a key that is left out where its value would be None."""

Count = Annotated[int, Limits(minimum=0)]
Positive = Annotated[int, Limits(minimum=1)]
U16 = Annotated[int, Limits(minimum=0, maximum=(1 << 16) - 1)]
U32 = Annotated[int, Limits(minimum=0, maximum=(1 << 32) - 1)]
U64 = Annotated[int, Limits(minimum=0, maximum=(1 << 64) - 1)]


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a form.

    kind       the annotated type
    take       the function that returns the key's value, given the value that the form writes
    attribute  path of the attribute that `take` returns, "" if the value is computed or taken by
               position
    """

    name: str
    kind: Any
    take: Callable[[Any], Any]
    attribute: str

    @property
    def marks(self) -> tuple[Any, ...]:
        return getattr(self.kind, "__metadata__", ())


def keys(form: type) -> list[Key]:
    """The keys of a form, or of a dataclass that is its own form, in order."""
    hints = get_type_hints(form, include_extras=True)
    for name, member in vars(form).items():
        if isinstance(member, property):
            kind = get_type_hints(member.fget, include_extras=True)["return"]
            hints |= {name: kind} if get_origin(kind) is Annotated else {}
    marks = {name: getattr(kind, "__metadata__", ()) for name, kind in hints.items()}
    names = [
        name
        for name in hints
        if get_origin(hints[name]) is not ClassVar and HIDDEN not in marks[name]
    ]
    by_position = get_origin(written(form)) is tuple
    found = []
    for position, name in enumerate(names):
        default = getattr(form, name, None)
        path = default.of if isinstance(default, Derived) else name
        attribute = ""
        if callable(path):
            take = path
        elif by_position and path is name:
            take = itemgetter(position)
        else:
            take, attribute = attrgetter(path), path
        key = next((mark.name for mark in marks[name] if isinstance(mark, KeyName)), name)
        found.append(Key(key.removesuffix("_"), hints[name], take, attribute))
    return found


def written(form: type) -> Any:
    """The type a form writes: IdleState for Form[IdleState], a dataclass itself for a dataclass."""
    bases = getattr(form, "__orig_bases__", ())
    return next((get_args(base)[0] for base in bases if get_origin(base) is Form), form)
