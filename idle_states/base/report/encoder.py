"""Converts values to JSON's types, each by its form (idle_states/base/model/forms.py)."""

from collections.abc import Callable
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from ..model.forms import INLINE, OMITTED, Rounded, keys

Encoder = Callable[[Any], Any]


def as_json(form: type, value: Any) -> dict[str, Any]:
    """The JSON object that a form makes of a value."""
    return _object(form)(value)  # type: ignore[no-any-return]


def _encoder(kind: Any) -> Encoder | None:
    """The function that converts values of a type; None if they are JSON values already."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        decimals = [mark.decimals for mark in inner[1:] if isinstance(mark, Rounded)]
        return _rounded(*decimals) if decimals else _encoder(inner[0])
    if origin in (Union, UnionType):
        (present,) = (each for each in inner if each is not NoneType)
        return _optional(_encoder(present))
    if origin in (list, tuple):
        return _list(_encoder(inner[0]))
    if origin is dict:
        return _dict(_encoder(inner[1]))
    if origin is Literal:
        return str if isinstance(inner[0], str) else None
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return str
    if kind in (str, int, float, bool, NoneType, Any):
        return None
    return _object(kind)


def _optional(inner: Encoder | None) -> Encoder | None:
    return inner and (lambda value: None if value is None else inner(value))


def _rounded(decimals: int) -> Encoder:
    return lambda value: None if value is None else round(value, decimals)


def _list(inner: Encoder | None) -> Encoder:
    return list if inner is None else lambda values: [inner(value) for value in values]


def _dict(inner: Encoder | None) -> Encoder:
    if inner is None:
        return dict
    return lambda values: {str(name): inner(value) for name, value in values.items()}


@cache
def _object(form: type) -> Encoder:
    """The function that converts values of a form. Its source is generated and compiled once, like
    a dataclass's methods, because a fleet has millions of objects:
    {"name": value.name, "polling": value.polling, "lost": encode_2(value.lost), ...}"""
    names: dict[str, Any] = {}
    parts = []
    for number, key in enumerate(keys(form)):
        names[f"take_{number}"] = key.take
        code = f"value.{key.attribute}" if key.attribute else f"take_{number}(value)"
        encode = _encoder(key.kind)
        encode = _optional(encode) if OMITTED in key.marks else encode
        if encode is not None:
            names[f"encode_{number}"] = encode
            code = f"encode_{number}({code})"
        parts.append(f"**{code}" if INLINE in key.marks else f"{key.name!r}: {code}")
    omitted = [key.name for key in keys(form) if OMITTED in key.marks]
    write: Encoder = eval("lambda value: {" + ", ".join(parts) + "}", names)
    return _without(write, omitted) if omitted else write


def _without(write: Encoder, omitted: list[str]) -> Encoder:
    def without(value: Any) -> Any:
        body = write(value)
        for name in omitted:
            if body[name] is None:
                del body[name]
        return body

    return without
