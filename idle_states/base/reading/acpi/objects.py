"""Values that AML gives as they stand: numbers, texts, buffers, packages of these."""

from ...model.acpi_objects import AcpiObject
from .. import limits
from .aml import (
    NotUnderstood,
    name_string,
    opcode,
    package_length,
    text_end,
)

_ZERO, _ONE, _ONES, _TEXT, _BUFFER, _PACKAGE, _VAR_PACKAGE = 0, 1, 0xFF, 0xD, 0x11, 0x12, 0x13
_NUMBERS = {0x0A: 1, 0x0B: 2, 0x0C: 4, 0x0E: 8}
_RETURN = 0xA4


class Dynamic(Exception):
    """A value that depends on what runs. offset: of what it depends on."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


def literal(data: bytes, at: int, end: int, bits: int = 64) -> AcpiObject:
    """The value at an offset.

    end   of the scope that it lies in
    bits  of an integer: 32 where DSDT's revision is below 2
    Raises Dynamic; NotUnderstood for what the grammar does not have.
    """
    return _Reader(data, bits).value(at, end, 0)[0]


def returned(data: bytes, at: int, end: int, bits: int = 64) -> AcpiObject:
    """The value that a method returns whose body is one Return of a value as it stands. Raises as
    `literal`."""
    code, next_at = opcode(data, at, end)
    if code != _RETURN:
        raise Dynamic(at, "a method that does more than return a value")
    value, next_at = _Reader(data, bits).value(next_at, end, 0)
    return value


class _Reader:
    def __init__(self, data: bytes, bits: int) -> None:
        self.data = data
        self.ones = (1 << bits) - 1
        self.count = 0

    def value(self, at: int, end: int, depth: int) -> tuple[AcpiObject, int]:
        self.count += 1
        if depth > limits.ACPI_DEPTH or self.count > limits.ACPI_VALUES:
            message = f"expected at most {limits.ACPI_VALUES} values in {limits.ACPI_DEPTH} levels"
            raise NotUnderstood(at, message)
        code, next_at = opcode(self.data, at, end)
        if code in (_ZERO, _ONE):
            return code, next_at
        if code == _ONES:
            return self.ones, next_at
        if code in _NUMBERS:
            return self.number(next_at, end, _NUMBERS[code])
        if code == _TEXT:
            stop = text_end(self.data, next_at, end)
            return self.data[next_at : stop - 1].decode("latin-1"), stop
        if code in (_BUFFER, _PACKAGE, _VAR_PACKAGE):
            stop, next_at = package_length(self.data, next_at, end)
            if code == _BUFFER:
                return self.buffer(next_at, stop, depth), stop
            return self.package(code, next_at, stop, depth), stop
        raise Dynamic(at, self.dynamic(at, end))

    def dynamic(self, at: int, end: int) -> str:
        """Returns a description of the name or operation that stands in place of a value."""
        try:
            name, _ = name_string(self.data, at, end)
        except NotUnderstood:
            name = ""
        return f"the name {name}" if name else f"the operation {self.data[at]:#04x}"

    def number(self, at: int, end: int, size: int) -> tuple[int, int]:
        if end - at < size:
            raise NotUnderstood(at, f"expected a number of {size} bytes, found {end - at}")
        return int.from_bytes(self.data[at : at + size], "little") & self.ones, at + size

    def buffer(self, at: int, end: int, depth: int) -> bytes:
        size, at = self.value(at, end, depth + 1)
        if not isinstance(size, int):
            raise NotUnderstood(at, "expected a buffer's size as an integer")
        if size > limits.ACPI_BUFFER_BYTES:
            message = f"expected a buffer of at most {limits.ACPI_BUFFER_BYTES} bytes, found {size}"
            raise NotUnderstood(at, message)
        found = self.data[at:end]
        return found.ljust(size, b"\0")

    def package(self, code: int, at: int, end: int, depth: int) -> tuple[AcpiObject, ...]:
        count: AcpiObject
        if code == _PACKAGE:
            count, at = self.number(at, end, 1)
        else:
            count, at = self.value(at, end, depth + 1)
        if not isinstance(count, int) or count > limits.ACPI_VALUES:
            message = f"expected a package of at most {limits.ACPI_VALUES} elements"
            raise NotUnderstood(at, message)
        found: list[AcpiObject] = []
        while at < end:
            element, at = self.value(at, end, depth + 1)
            found.append(element)
        # ACPICA drops what is more than the package holds, and leaves elements without values
        return (*found[:count], *[None] * (count - len(found)))
