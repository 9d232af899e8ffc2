"""@dataclass as in the standard library, in a twentieth of its time.

The standard decorator writes and compiles six methods when a class is defined: half a millisecond
for each class of each module that a command imports. Here __init__ is written when it is first
called, and the others, which differ between classes by their fields alone, are written once.
"""

import dataclasses
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True
    ) -> Any:
        """Decorates a class as dataclasses.dataclass does, with options of the same meaning."""

        def decorated(plain: type) -> type:
            return _decorated(plain, frozen, slots, eq)

        return decorated if cls is None else decorated(cls)


def _decorated(plain: type, frozen: bool, slots: bool, eq: bool) -> type:
    if any(hasattr(base, "__dataclass_params__") for base in plain.__mro__[1:]):
        # what a frozen class may inherit is the standard decorator's to check
        return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq)(plain)
    own = set(plain.__dict__) - ({"__hash__"} if plain.__hash__ is None else set())
    if plain.__doc__ is None:
        plain.__doc__ = plain.__name__  # else made of the signature, slowly
    cls: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(plain)
    fields = dataclasses.fields(cls)
    methods: dict[str, Any] = {"__repr__": _repr}
    if eq:
        methods |= {"__eq__": _eq(fields), "__hash__": _hash(fields) if frozen else None}
    if frozen:
        cls.__dataclass_params__.frozen = True
        methods |= {"__setattr__": _refuse_to_assign, "__delattr__": _refuse_to_delete}
        if slots:
            methods |= {"__getstate__": _state, "__setstate__": _set_state}
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    cls.__init__ = _first_init(cls, frozen)
    made: type = cls
    return made


_Fields = tuple[dataclasses.Field[Any], ...]


def _first_init(cls: type, frozen: bool) -> Callable[..., None]:
    """An __init__ that writes the class's own, which takes its place, and calls it."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        init = _init(cls, frozen)
        cls.__init__ = init  # type: ignore[misc]
        init(self, *values, **named)

    return __init__


def _init(cls: Any, frozen: bool) -> Callable[..., None]:
    """The __init__ that the fields ask for, compiled."""
    known: dict[str, Any] = {"__builtins__": {}, "_assign": object.__setattr__, "_absent": _ABSENT}
    parameters, body = [], []
    for field in dataclasses.fields(cls):
        name, value = field.name, field.name
        known[f"_default_{name}"] = field.default
        if field.default_factory is not dataclasses.MISSING:
            known[f"_default_{name}"] = field.default_factory
            made = f"_default_{name}()"
            value = f"{made} if {name} is _absent else {name}" if field.init else made
            parameters += [f"{name}=_absent"] if field.init else []
        elif field.default is not dataclasses.MISSING:
            value = name if field.init else f"_default_{name}"
            parameters += [f"{name}=_default_{name}"] if field.init else []
        elif field.init:
            parameters += [name]
        else:
            continue
        body += [f"_assign(self, {name!r}, {value})" if frozen else f"self.{name} = {value}"]
    body += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    lines = "\n ".join(body or ["pass"])
    exec(f"def __init__({', '.join(['self', *parameters])}):\n {lines}", known)
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


_ABSENT = object()
"""The argument for a field that a factory fills."""


def _repr(self: Any) -> str:
    shown = [field.name for field in dataclasses.fields(self) if field.repr]
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({values})"


def _eq(fields: _Fields) -> Callable[[Any, Any], bool]:
    values = _values(field.name for field in fields if field.compare)

    def __eq__(self: Any, other: Any) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(values(self) == values(other))

    return __eq__


def _hash(fields: _Fields) -> Callable[[Any], int]:
    values = _values(
        field.name for field in fields if (field.compare if field.hash is None else field.hash)
    )

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _values(names: Iterable[str]) -> Callable[[Any], Any]:
    """What reads these attributes of an object; of several, as a tuple."""
    several = tuple(names)
    return attrgetter(*several) if several else lambda _: ()


def _refuse_to_assign(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    """What is pickled of an object that has no __dict__."""
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    """To an object that nobody can assign to."""
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
