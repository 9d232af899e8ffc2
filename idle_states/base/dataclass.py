"""@dataclass and what belongs to it as in the standard library, in a twentieth of its time.

The standard module imports much, and its decorator writes and compiles six methods when a class is
defined: half a millisecond for each class of each module that a command imports. Here __init__ is
compiled for classes of which many objects are made, and the others, which differ between classes
by their fields alone, are written once. To the standard library's fields(), replace() and their
like these classes are dataclasses, and so they are to inspect.signature() and help(), from which
__init__ is compiled at once.
"""

from collections.abc import Callable, Collection, Iterable
from operator import attrgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import is_dataclass as is_dataclass
    from dataclasses import replace as replace
else:

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True
    ) -> Any:
        """Decorates a class as dataclasses.dataclass does, with options of the same meaning."""

        def decorated(plain: type) -> type:
            return _decorated(plain, frozen, slots, eq)

        return decorated if cls is None else decorated(cls)

    def field(**options: Any) -> Any:
        """Returns a field's options, with the parameters of dataclasses.field."""
        return Field(**options)

    def fields(kind: Any) -> "tuple[Field, ...]":
        """Returns the fields of a class or of its object, in order."""
        return tuple(kind.__dataclass_fields__.values())

    def is_dataclass(value: Any) -> bool:
        """Tells whether it is such a class or an object of one."""
        return hasattr(value, "__dataclass_fields__")

    def replace(value: Any, /, **changes: Any) -> Any:
        """An object like this one but for some fields."""
        kind = type(value)
        if (held := _HELD.get(kind)) is None:
            names = tuple(each.name for each in fields(kind) if each.init)
            held = _HELD[kind] = names, _values(names)
        names, values = held
        if len(names) == 1:
            return kind(**{names[0]: values(value)} | changes)
        return kind(**dict(zip(names, values(value), strict=True)) | changes)


_HELD: "dict[type, tuple[tuple[str, ...], Callable[[Any], Any]]]" = {}
"""Class -> the names of the fields that its __init__ takes, and what reads them."""


class _Absent:
    def __repr__(self) -> str:
        return "<factory>"


_ABSENT = _Absent()
"""The default of a field that has none, and the argument for one that a factory fills."""
_PARAMS = {frozen: SimpleNamespace(frozen=frozen, repr=True) for frozen in (False, True)}
"""The arguments of the decorator, as a class that inherits asks for it, and pprint does."""
_COMPILED_AFTER = 40
"""Objects of a class that are made before its __init__ is compiled, which takes as long."""


class Field:
    """A field as dataclasses.Field describes it. The standard library reads these, too."""

    __slots__ = ("compare", "given", "hash", "init", "kw_only", "made", "name", "repr", "type")

    def __init__(
        self,
        *,
        default: Any = _ABSENT,
        default_factory: Any = _ABSENT,
        init: bool = True,
        repr: bool = True,
        hash: bool | None = None,
        compare: bool = True,
    ) -> None:
        self.name = ""
        self.type: Any = None
        self.given, self.made = default, default_factory
        self.init, self.repr, self.compare, self.kw_only = init, repr, compare, False
        self.hash = compare if hash is None else hash

    @property
    def default(self) -> Any:
        return _or_missing(self.given)

    @property
    def default_factory(self) -> Any:
        return _or_missing(self.made)

    @property
    def _field_type(self) -> Any:
        import dataclasses

        return dataclasses._FIELD  # type: ignore[attr-defined]


def is_required(field: Any) -> bool:
    """Tells whether a Field has no default."""
    return field.given is _ABSENT and field.made is _ABSENT


def _or_missing(value: object) -> Any:
    if value is not _ABSENT:
        return value
    import dataclasses

    return dataclasses.MISSING


_Fields = tuple[Field, ...]
_Slot = type(Field.__dict__["name"])
"""The type of what fills a slot in half the time that assigning takes, which looks for its name."""


def _decorated(plain: type, frozen: bool, slots: bool, eq: bool) -> type:
    own = set(plain.__dict__) - ({"__hash__"} if plain.__hash__ is None else set())
    name2field: dict[str, Field] = {}
    for base in plain.__mro__[-1:0:-1]:
        if (params := base.__dict__.get("__dataclass_params__")) is not None:
            if params.frozen != frozen:
                raise TypeError(f"{plain.__name__} and {base.__name__}: one is frozen, one is not")
            name2field |= base.__dict__["__dataclass_fields__"]
    name2field |= _own_fields(plain)
    found = tuple(name2field.values())
    made: dict[str, Any] = {
        "__dataclass_fields__": name2field,
        "__dataclass_params__": _PARAMS[frozen],
        "__match_args__": tuple(each.name for each in found if each.init),
        "__init__": _first_init(found, frozen),
        "__repr__": _repr,
    }
    if "__init__" not in own:
        made["__signature__"] = _SIGNATURE
    if eq:
        made["__eq__"] = _eq(found)
        made["__hash__"] = _hash(found) if frozen else None
    if frozen:
        made |= {"__setattr__": _refuse_to_assign, "__delattr__": _refuse_to_delete}
        if slots:
            made |= {"__getstate__": _state, "__setstate__": _set_state}
    made = {name: value for name, value in made.items() if name not in own}
    if slots:
        return _with_slots(plain, name2field, made)
    for each in found:
        if each.given is not _ABSENT:
            setattr(plain, each.name, each.given)
        elif each.name in own:
            delattr(plain, each.name)
    for name, value in made.items():
        setattr(plain, name, value)
    return plain


def _own_fields(plain: type) -> dict[str, Field]:
    fields = {}
    for name, kind in plain.__annotations__.items():
        if not isinstance(kind, type) and getattr(kind, "__origin__", None) is ClassVar:
            continue
        given = plain.__dict__.get(name, _ABSENT)
        own = given if isinstance(given, Field) else Field(default=given)
        if type(own.given).__hash__ is None:
            raise ValueError(f"expected a factory for {name}, found {own.given!r}")
        own.name, own.type = name, kind
        fields[name] = own
    return fields


def _with_slots(plain: type, names: Collection[str], made: dict[str, Any]) -> type:
    """The class made again, for slots cannot be added to one."""
    inherited = {name for base in plain.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    without = {*names, "__dict__", "__weakref__"}
    namespace = {name: value for name, value in plain.__dict__.items() if name not in without}
    namespace["__slots__"] = tuple(name for name in names if name not in inherited)
    again = type(plain)(plain.__name__, plain.__bases__, namespace | made)
    again.__qualname__ = plain.__qualname__
    return again


def _first_init(found: _Fields, frozen: bool) -> Callable[..., None]:
    """An __init__ for some objects, until the compiled one takes its place; that one also says what
    is wrong with arguments."""
    assign = object.__setattr__ if frozen else setattr
    calls = 0

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > _COMPILED_AFTER or not _assigned(self, found, values, named, assign):
            owners = (each for each in type(self).__mro__ if vars(each).get("__init__") is __init__)
            owner: Any = next(owners, type(self))
            init = _init(owner, found, frozen)
            if vars(owner).get("__init__") is __init__:
                owner.__init__ = init
            init(self, *values, **named)
        elif hasattr(self, "__post_init__"):
            self.__post_init__()

    return __init__


def _assigned(
    self: object,
    found: _Fields,
    values: tuple[Any, ...],
    named: dict[str, Any],
    assign: Callable[[Any, str, Any], None],
) -> bool:
    """Assigns an object's fields; False where arguments are wrong."""
    left, unnamed, given = len(values), len(named), iter(values)
    for each in found:
        name = each.name
        if each.init and left:
            left -= 1
            assign(self, name, next(given))
        elif each.init and name in named:
            unnamed -= 1
            assign(self, name, named[name])
        elif each.made is not _ABSENT:
            assign(self, name, each.made())
        elif each.given is not _ABSENT:
            assign(self, name, each.given)
        elif each.init:
            return False
    return not left and not unnamed


def _init(cls: type, found: _Fields, frozen: bool) -> Callable[..., None]:
    """The __init__ that the fields ask for, compiled."""
    known: dict[str, Any] = {"__builtins__": {}, "_assign": object.__setattr__, "_absent": _ABSENT}
    parameters, body = [], []
    for each in found:
        name, value = each.name, each.name
        known[f"_default_{name}"] = each.given
        if each.made is not _ABSENT:
            known[f"_default_{name}"] = each.made
            made = f"_default_{name}()"
            value = f"{made} if {name} is _absent else {name}" if each.init else made
            parameters += [f"{name}=_absent"] if each.init else []
        elif each.given is not _ABSENT:
            value = name if each.init else f"_default_{name}"
            parameters += [f"{name}=_default_{name}"] if each.init else []
        elif each.init:
            parameters += [name]
        else:
            continue
        slot: Any = getattr(cls, name, None)
        if not frozen:
            body += [f"self.{name} = {value}"]
        elif type(slot) is _Slot:
            known[f"_fill_{name}"] = slot.__set__
            body += [f"_fill_{name}(self, {value})"]
        else:
            body += [f"_assign(self, {name!r}, {value})"]
    body += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    lines = "\n ".join(body or ["pass"])
    exec(f"def __init__({', '.join(['self', *parameters])}):\n {lines}", known)
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


class _Signature:
    """The attribute by which inspect.signature() knows a class: it compiles __init__ at once."""

    def __get__(self, value: object, kind: type) -> Any:
        owner: Any = next(each for each in kind.__mro__ if "__init__" in vars(each))
        if value is not None or vars(owner).get("__signature__") is not self:
            raise AttributeError("__signature__")
        from inspect import signature

        from .annotations import types_of

        written = owner.__init__.__annotations__
        if not written or "self" in written:
            # compiled without types, or not compiled yet
            found = tuple(owner.__dataclass_fields__.values())
            owner.__init__ = _init(owner, found, owner.__dataclass_params__.frozen)
            owner.__init__.__annotations__ = types_of(owner) | {"return": None}
        whole = signature(owner.__init__)
        return whole.replace(parameters=list(whole.parameters.values())[1:])


_SIGNATURE = _Signature()


def _repr(self: Any) -> str:
    shown = [each.name for each in self.__dataclass_fields__.values() if each.repr]
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({values})"


def _eq(found: _Fields) -> Callable[[Any, Any], bool]:
    values = _values(each.name for each in found if each.compare)

    def __eq__(self: Any, other: Any) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(values(self) == values(other))

    return __eq__


def _hash(found: _Fields) -> Callable[[Any], int]:
    values = _values(each.name for each in found if each.hash)

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _values(names: Iterable[str]) -> Callable[[Any], Any]:
    """Returns a function that reads these attributes of an object; several as a tuple."""
    several = tuple(names)
    return attrgetter(*several) if several else lambda _: ()


def _refuse_to_assign(self: Any, name: str, value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    """Returns the field values to pickle of an object that has no __dict__."""
    return [getattr(self, name) for name in self.__dataclass_fields__]


def _set_state(self: Any, state: list[Any]) -> None:
    """To an object that nobody can assign to."""
    for name, value in zip(self.__dataclass_fields__, state, strict=True):
        object.__setattr__(self, name, value)
