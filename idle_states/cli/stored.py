"""Requests as JSON, so that a program can keep one and run it later.

    document = request_to_json(CheckRequest(("power9",), Criteria((release("6.1"),))))
    found = check(request_from_json(CheckRequest, document))

The keys are the fields of the request, and of the requests that it has as fields. A release, a
machine, a path, a severity, a decimal and a fraction are the text that the command line takes.
Of several requests that a field may have, `kind` names the one.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from ..base.annotations import types_of
from ..base.dataclass import fields, is_dataclass, is_required
from ..base.model.findings import Severity, UsageError
from ..base.wording import joined, suggestion
from ..tables.linux.intel_idle.platform import X86Platform
from ..tables.linux.platforms import parse
from ..tables.linux.releases import Release, release
from ..tables.linux.request_parts import ASSUMED_HZ, AssumedHz
from ..tables.skiboot.platform import Platform

Request = TypeVar("Request")
_TEXTS: dict[Any, tuple[Callable[[Any], str], Callable[[str], Any]]] = {
    Release: (lambda known: known.typed or known.name, release),
    Platform: (lambda machine: machine.name, parse),
    X86Platform: (lambda machine: machine.name, parse),
    Severity: (lambda severity: severity.name.lower(), lambda text: Severity[text.upper()]),
    Path: (str, Path),
    Decimal: (str, Decimal),
    Fraction: (str, Fraction),
    AssumedHz: (lambda hz: _ASSUMED, lambda text: ASSUMED_HZ),
}
"""Class -> the text of a value, and the value of a text."""
_ASSUMED = "assumed"
"""Stands for a tick rate that nobody named."""
_NUMBERS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def request_to_json(request: Any) -> dict[str, Any]:
    """Returns a request as an object of JSON. Raises UsageError for one that no text describes, as
    a release with changes left out."""
    document: dict[str, Any] = _to_json(request, type(request), type(request).__name__)
    if request_from_json(type(request), document) != request:
        raise UsageError(f"expected a {type(request).__name__} that the command line can ask for")
    return document


def request_from_json(kind: type[Request], document: object) -> Request:
    """Returns the request that request_to_json() has written. Raises UsageError, with the place,
    for an unknown or missing key and a value of another type, and what the request itself
    refuses."""
    found: Request = _from_json(document, kind, kind.__name__)
    return found


def _to_json(value: Any, kind: Any, place: str) -> Any:
    for each, (text_of, _) in _TEXTS.items():
        if isinstance(value, each):
            return text_of(value)
    if isinstance(value, tuple | list):
        return [_to_json(item, Any, place) for item in value]
    if not is_dataclass(value):
        return value
    named = {"kind": type(value).__name__} if len(_objects(kind)) > 1 else {}
    types = types_of(type(value))
    return named | {
        each.name: _to_json(getattr(value, each.name), types[each.name], f"{place}.{each.name}")
        for each in fields(value)
        if each.init
    }


def _plain(kind: Any) -> Any:
    """A type without what options say of it."""
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _members(kind: Any) -> tuple[Any, ...]:
    """The types of a union, or the one type."""
    kind = _plain(kind)
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _objects(kind: Any) -> list[Any]:
    """The classes of a union that are written as objects."""
    return [each for each in _members(kind) if is_dataclass(each) and each not in _TEXTS]


def _from_json(value: object, kind: Any, place: str) -> Any:
    expected = []
    objects = _objects(kind)
    if isinstance(value, Mapping) and objects:
        return _object(value, objects, place)
    for member in _members(kind):
        origin, args = get_origin(member), get_args(member)
        if member is NoneType and value is None:
            return None
        if origin is Literal and value in args and isinstance(value, str):
            return value
        if origin in (tuple, Sequence) and isinstance(value, list):
            return _items(value, args, place)
        if member in _TEXTS and isinstance(value, str):
            return _text(value, member, place)
        if member is float and type(value) is int:
            return float(value)
        if member is int and value == _ASSUMED:
            return ASSUMED_HZ
        if member in _NUMBERS and type(value) is member:
            return value
        expected.append(_named(member))
    raise UsageError(f"{place}: expected {joined(expected, 'or')}, found {value!r:.60}")


def _named(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return joined([repr(each) for each in get_args(kind)], "or")
    if get_origin(kind) in (tuple, Sequence):
        return "a list"
    if kind is NoneType:
        return "null"
    if kind in _TEXTS:
        return f"the text of a {kind.__name__}"
    return _NUMBERS.get(kind, "an object")


def _text(value: str, kind: Any, place: str) -> Any:
    try:
        return _TEXTS[kind][1](value)
    except (ValueError, KeyError, ArithmeticError) as error:
        wrong = f"expected {_named(kind)}, found {value!r:.60}"
        why = error if isinstance(error, UsageError) else wrong
        raise UsageError(f"{place}: {why}") from None


def _items(values: Sequence[object], args: Sequence[Any], place: str) -> tuple[Any, ...]:
    """The items of a list: of a tuple of fixed length, or all of one type."""
    if len(args) > 1 and args[1] is not ...:
        if len(args) != len(values):
            raise UsageError(f"{place}: expected {len(args)} items, found {len(values)}")
        kinds = list(args)
    else:
        kinds = [args[0]] * len(values)
    return tuple(
        _from_json(value, kind, f"{place}[{number}]")
        for number, (value, kind) in enumerate(zip(values, kinds, strict=True))
    )


def _object(value: Mapping[Any, object], kinds: Sequence[Any], place: str) -> Any:
    kind = kinds[0]
    if len(kinds) > 1:
        name2kind = {each.__name__: each for each in kinds}
        if (name := value.get("kind")) not in name2kind:
            known = joined(list(name2kind), "or")
            raise UsageError(f"{place}.kind: expected {known}, found {name!r:.60}")
        kind = name2kind[str(name)]
        value = {key: each for key, each in value.items() if key != "kind"}
    name2field = {each.name: each for each in fields(kind) if each.init}
    for key in value:
        if key not in name2field:
            hint = suggestion(str(key), name2field)
            raise UsageError(f"{place}: expected keys of {kind.__name__}, found {key!r:.60}{hint}")
    for name, each in name2field.items():
        if name not in value and is_required(each):
            raise UsageError(f"{place}: expected the key {name!r}, found none")
    types = types_of(kind)
    return kind(
        **{key: _from_json(item, types[key], f"{place}.{key}") for key, item in value.items()}
    )
