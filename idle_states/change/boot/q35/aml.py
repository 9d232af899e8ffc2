"""ACPI tables as bytes, written without a compiler: what firmware would not say can be said too."""

from collections.abc import Mapping

from ....base.model.acpi_objects import AcpiObject, AcpiReference

_HEADER_BYTES = 36
_SCOPE, _NAME, _PACKAGE, _BUFFER, _STRING = b"\x10", b"\x08", b"\x12", b"\x11", b"\x0d"
_ROOT, _MULTI_NAME, _DUAL_NAME = b"\\", b"\x2f", b"\x2e"
_SIZED = ((1, b"\x0a"), (2, b"\x0b"), (4, b"\x0c"), (8, b"\x0e"))
"""Bytes of a number, and the prefix that says so."""
_ELEMENTS_MAX = 255
"""The most elements of a package whose length is a byte."""


def ssdt(scope2names: Mapping[str, Mapping[str, AcpiObject]]) -> bytes:
    """An SSDT that puts named objects into scopes: ``{"\\\\_SB.CPUS.C000": {"_CST": (...)}}``.

    The scopes are absolute paths of objects that other tables define. Raises ValueError for a path
    name, text or package that ACPI has no bytes for, or a number beyond 64 bits.
    """
    body = b"".join(_scope(path, names) for path, names in scope2names.items())
    head = b"SSDT" + (_HEADER_BYTES + len(body)).to_bytes(4, "little") + b"\x02\0"
    head += b"IDLEST" + b"STATES  " + bytes((1, 0, 0, 0)) + b"IDLE" + bytes((1, 0, 0, 0))
    return _summed(head + body)


def _summed(table: bytes) -> bytes:
    """The table with its checksum set, by which all bytes add up to 0 (modulo 256)."""
    return table[:9] + bytes((-sum(table) & 0xFF,)) + table[10:]


def _scope(path: str, names: Mapping[str, AcpiObject]) -> bytes:
    body = b"".join(_NAME + _segment(name) + _value(value) for name, value in names.items())
    return _SCOPE + _with_length(_path(path) + body)


def _path(path: str) -> bytes:
    if not path.startswith("\\"):
        raise ValueError(f"expected a path from the root such as \\_SB.CPU0, found {path!r}")
    segments = [_segment(name) for name in path[1:].split(".")]
    if len(segments) == 1:
        return _ROOT + segments[0]
    if len(segments) == 2:
        return _ROOT + _DUAL_NAME + b"".join(segments)
    return _ROOT + _MULTI_NAME + bytes((len(segments),)) + b"".join(segments)


def _segment(name: str) -> bytes:
    if not (1 <= len(name) <= 4 and name.isascii() and name.upper() == name):
        raise ValueError(f"expected a name of up to 4 capital letters, found {name!r}")
    return name.ljust(4, "_").encode()


def _value(value: AcpiObject) -> bytes:
    if isinstance(value, int):
        return _number(value)
    if isinstance(value, str):
        if not value.isascii():
            raise ValueError(f"expected text of ASCII, found {value!r}")
        return _STRING + value.encode("ascii") + b"\0"
    if isinstance(value, bytes):
        return _BUFFER + _with_length(_number(len(value)) + value)
    if isinstance(value, AcpiReference):
        return _path(value.path)
    if value is None:
        raise ValueError("expected an element with a value before others, found one without")
    return _package(value)


def _package(values: tuple[AcpiObject, ...]) -> bytes:
    """Elements without a value can only come last: AML leaves them out."""
    given = len(values)
    if given > _ELEMENTS_MAX:
        raise ValueError(f"expected a package of at most {_ELEMENTS_MAX} elements, found {given}")
    while given and values[given - 1] is None:
        given -= 1
    elements = b"".join(_value(each) for each in values[:given])
    return _PACKAGE + _with_length(bytes((len(values),)) + elements)


def _number(value: int) -> bytes:
    if value in (0, 1):
        return bytes((value,))
    for size, prefix in _SIZED:
        if 0 <= value < 1 << 8 * size:
            return prefix + value.to_bytes(size, "little")
    raise ValueError(f"expected a number of 64 bits, found {value}")


def _with_length(body: bytes) -> bytes:
    """Preceded by PkgLength (ACPI 6.5, 20.2.4), which counts its own bytes as well."""
    if len(body) + 1 < 1 << 6:
        return bytes((len(body) + 1,)) + body
    for extra in (1, 2, 3):
        total = len(body) + 1 + extra
        if total < 1 << 4 + 8 * extra:
            rest = (total >> 4).to_bytes(extra, "little")
            return bytes((extra << 6 | total & 0xF,)) + rest + body
    raise ValueError(f"expected less than 2^28 bytes, found {len(body)}")
