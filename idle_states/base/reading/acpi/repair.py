"""The repair that ACPICA makes to a _CST before a driver sees it: it checks the value of predefined
names, and repairs it in place.

Sources: drivers/acpi/acpica nspredef.c acpi_ns_check_return_value(), nsprepkg.c
acpi_ns_check_package(), nsrepair.c, nsconvert.c, nsrepair2.c acpi_ns_repair_CST(); alike from
Linux 6.1 to 7.3. Whatever the check finds, the object is returned.
"""

import re
from collections.abc import Callable, Iterator

from ...dataclass import dataclass, replace
from ...model.acpi_objects import AcpiObject

_U32_MAX, _U64_MAX = 0xFFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF
_ELEMENTS = 4
_LPI_HEAD = 3
_INTEGER_BYTES = 8
_NUMBER = re.compile(r"\s*(?:0[xX]([0-9a-fA-F]*)|(0[0-7]*)|([0-9]*))", re.ASCII)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A _CST after its evaluation.

    warnings  what ACPICA says of it: "Return Package is too small ..."
    quiet     the next evaluation says nothing
    fatal     why the kernel reads or writes memory that is not the object's; "" if it does not
    """

    cst: AcpiObject
    warnings: tuple[str, ...] = ()
    quiet: bool = False
    fatal: str = ""


def is_regular(name: str, found: AcpiObject) -> bool:
    """Tells whether an object has the kinds of elements that ACPICA expects of that name, of which
    it converts none."""
    if not isinstance(found, tuple):
        return False
    if name == "_LPI":
        head, states = found[:_LPI_HEAD], found[_LPI_HEAD:]
        return all(isinstance(number, int) for number in head) and all(
            isinstance(state, tuple)
            and all(isinstance(element, (int, bytes, str)) for element in state)
            for state in states
        )
    return bool(found) and isinstance(found[0], int) and all(map(_is_c_state, found[1:]))


def repaired(cst: AcpiObject) -> tuple[AcpiObject, list[str]]:
    """A regular _CST as ACPICA hands it over, and what it changed: elements without a value and
    C-states of type 0 are gone, the rest is sorted by type, and the number is that of the rest."""
    assert isinstance(cst, tuple)
    found = evaluated(cst).cst
    assert isinstance(found, tuple)
    done = []
    given = [element for element in cst[1:] if isinstance(element, tuple)]
    kept = [element for element in given if _kind(element)]
    if len(kept) < len(given):
        done.append("C-states of type 0 are removed")
    if kept != list(found[1:]):
        done.append("C-states are sorted by type")
    if cst[0] != found[0]:
        done.append(f"the number of C-states is {found[0]!r}, not {cst[0]!r}")
    return found, done


class _Stop(Exception):
    """The check ends with a warning; the repair goes on."""


class _Fatal(Exception):
    """The kernel leaves the object's memory."""


def evaluated(cst: AcpiObject) -> Evaluation:
    """Returns what the evaluation of a _CST, which is a package by its name, comes to."""
    return _Repair().run(cst)


class _Repair:
    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.changed = False

    def run(self, cst: AcpiObject) -> Evaluation:
        if cst is None:
            return Evaluation(None)
        elements: list[AcpiObject]
        if isinstance(cst, tuple):
            elements = [each for each in cst if each is not None]
        else:
            elements, self.changed = [cst], True
        fails, fatal = False, ""
        try:
            try:
                self.check(elements)
            except _Stop as stop:
                self.warnings.append(str(stop))
            fails = self.repair(elements)
        except _Fatal as why:
            fatal = str(why)
        quiet = fails or self.changed
        return Evaluation(tuple(elements), tuple(self.warnings), quiet, fatal)

    def check(self, elements: list[AcpiObject]) -> None:
        """acpi_ns_check_package() of a number and as many packages. Raises _Stop."""
        if not elements:
            raise _Stop("Return Package has no elements (empty)")
        first = self.converted(elements, 0, _integer, "Integer")
        expected = first & _U32_MAX if isinstance(first, int) else 0
        if expected >= len(elements):
            raise _Stop(_too_small("Package", len(elements), expected))
        for index in range(expected):
            self.check_entry(elements, index)

    def check_entry(self, elements: list[AcpiObject], index: int) -> None:
        entry = elements[index + 1]
        inner: list[AcpiObject] = list(entry) if isinstance(entry, tuple) else [entry]
        if not isinstance(entry, tuple):
            # wrapped in a package, which is then dropped
            self.changed = True
        if len(inner) < _ELEMENTS:
            raise _Stop(_too_small(f"SubPackage[{index}]", len(inner), _ELEMENTS))
        try:
            self.converted(inner, 0, _buffer, "Buffer")
            for at in range(1, _ELEMENTS):
                self.converted(inner, at, _integer, "Integer")
        finally:
            elements[index + 1] = tuple(inner)

    def converted(
        self,
        elements: list[AcpiObject],
        at: int,
        convert: Callable[[AcpiObject], AcpiObject],
        wanted: str,
    ) -> AcpiObject:
        """An element as the type that is wanted; put in its place. Raises _Stop."""
        found = elements[at]
        made = convert(found)
        if made is None:
            text = f"found {_type_name(found)}, expected {wanted}"
            raise _Stop(f"Return Package type mismatch at index {at} - {text}")
        if found is None:
            self.warnings.append("Found unexpected NULL package element")
        if type(made) is not type(found):
            self.changed = True
        elements[at] = made
        return made

    def repair(self, elements: list[AcpiObject]) -> bool:
        """acpi_ns_repair_CST(): leaves out entries of type 0, puts the others in the order of their
        types. Returns whether it fails."""
        if not elements:
            raise _Fatal("an empty _CST is read beyond its end")
        index = 0
        while index < len(elements) - 1:
            reason = self.needless(elements[index + 1])
            if reason:
                self.warnings.append(f"SubPackage[{index}] - removing entry due to {reason}")
                del elements[index + 1]
            else:
                index += 1
        if not isinstance(elements[0], int):
            raise _Fatal("the number of C-states is written into an object of another type")
        elements[0] = len(elements) - 1
        return self.sort(elements)

    def needless(self, entry: AcpiObject) -> str:
        """Returns the reason to leave an entry out; "" if it stays."""
        if isinstance(entry, (int, str)) or entry == ():
            # no package has a count of 0 there, where nothing was ever written
            return "zero count"
        if not isinstance(entry, tuple):
            raise _Fatal(f"an entry that is a {_type_name(entry)} is read as a package")
        kind = entry[1] if len(entry) > 1 else None
        if kind is None:
            raise _Fatal("an entry without a type is read through a null pointer")
        if not isinstance(kind, int):
            raise _Fatal(f"a type that is a {_type_name(kind)} is read as an integer")
        return "invalid Type(0)" if not kind & _U32_MAX else ""

    def sort(self, elements: list[AcpiObject]) -> bool:
        """acpi_ns_check_sorted_list(). Returns whether it fails."""
        entries = [each for each in elements[1:] if isinstance(each, tuple)]
        if not entries:
            return True
        last = 0
        for entry in entries:
            if len(entry) < _ELEMENTS:
                return True
            kind = _kind(entry)
            if kind < last:
                elements[1:] = [*sorted(entries, key=_kind)]
                self.changed = True
                return False
            last = kind & _U32_MAX
        return False


def again(before: Evaluation) -> Evaluation:
    """The next evaluation of the same name: the object stays repaired."""
    found = evaluated(before.cst)
    quiet = before.quiet or found.quiet
    return replace(found, warnings=() if before.quiet else found.warnings, quiet=quiet)


def _too_small(what: str, found: int, expected: int) -> str:
    return f"Return {what} is too small - found {found} elements, expected {expected}"


def _kind(entry: tuple[AcpiObject, ...]) -> int:
    kind = entry[1]
    assert isinstance(kind, int)
    return kind


def _integer(found: AcpiObject) -> AcpiObject:
    """acpi_ns_convert_to_integer(); None where it fails."""
    if found is None:
        return 0
    if isinstance(found, str):
        return _number(found)
    if isinstance(found, bytes):
        return int.from_bytes(found, "little") if len(found) <= _INTEGER_BYTES else None
    return found if isinstance(found, int) else None


def _buffer(found: AcpiObject) -> AcpiObject:
    """acpi_ns_convert_to_buffer(); None where it fails."""
    if found is None:
        return b""
    if isinstance(found, int):
        return found.to_bytes(_INTEGER_BYTES, "little")
    if isinstance(found, str):
        return found.encode("utf-8", "surrogateescape")
    if isinstance(found, tuple):
        return b"".join(_dwords(found)) if all(isinstance(e, int) for e in found) else None
    return found if isinstance(found, bytes) else None


def _dwords(found: tuple[AcpiObject, ...]) -> Iterator[bytes]:
    for each in found:
        assert isinstance(each, int)
        yield (each & _U32_MAX).to_bytes(4, "little")


def _number(text: str) -> int:
    """acpi_ut_strtoul64(): 0x for hexadecimal, 0 for octal numbers; it ends where digits do."""
    match = _NUMBER.match(text)
    assert match
    digits = next((at for at in range(1, 4) if match[at]), None)
    if digits is None:
        return 0
    return int(match[digits], (16, 8, 10)[digits - 1]) & _U64_MAX


def _type_name(found: AcpiObject) -> str:
    """acpi_ut_get_object_type_name()."""
    names = ((int, "Integer"), (str, "String"), (bytes, "Buffer"), (tuple, "Package"))
    return next((name for kind, name in names if isinstance(found, kind)), "Reference")


def _is_c_state(element: AcpiObject) -> bool:
    if element is None:
        return True
    return (
        isinstance(element, tuple)
        and len(element) >= 4
        and isinstance(element[0], bytes)
        and all(isinstance(number, int) for number in element[1:4])
        and _kind(element) <= _U32_MAX
    )
