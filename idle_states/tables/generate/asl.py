"""ACPI objects as an SSDT in ASL, which iasl compiles.

Scan, then generate: everything that ASL cannot say is found before anything is made.
"""

from collections.abc import Iterator, Sequence

from ...base.model.acpi_objects import (
    CONTAINER_HID,
    PROCESSOR_HID,
    SPACES,
    AcpiObject,
    AcpiReference,
    AcpiRegister,
    Malformed,
)
from ...base.model.beyond_opal import AcpiIdle
from ...base.model.findings import CannotGenerate, Finding, Location, cannot_generate
from ...base.resources import template

_OWN_SPACES = range(0x80, 0x100)
_LONG = 10_000_000
"""From here on a number is no time, and is written in hexadecimal."""
_ESCAPES = {"\\": "\\\\", '"': '\\"'}


def render(idles: Sequence[AcpiIdle], about: Sequence[str], *, declared: bool) -> str:
    """The source of an SSDT with the objects of all processors.

    about     lines of a comment at the top
    declared  the processors and containers are those of another table, the DSDT; else this one
              defines them
    Raises CannotGenerate (IS933) for values that ASL has no word for.
    """
    problems = [problem for idle in idles for problem in _problems(idle)]
    if problems:
        raise CannotGenerate(problems)
    scopes: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    uids: dict[str, str] = {}
    for idle in idles:
        for processor in idle.processors:
            above = {level.path: level.lpi for level in idle.lpi[1:]}
            for path, lpi in reversed(above.items()):
                if path not in scopes:
                    scopes[path] = _named("_LPI", lpi) if lpi is not None else []
                    kinds[path] = "container"
            own = scopes.setdefault(processor.path, [])
            kinds[processor.path] = "device" if processor.is_device else "processor"
            uids[processor.path] = _uid(processor.uid)
            own += _named("_CST", idle.cst) if idle.cst is not None else []
            if idle.lpi and idle.lpi[0].lpi is not None:
                own += _named("_LPI", idle.lpi[0].lpi)
    made = []
    for number, (path, lines) in enumerate(scopes.items()):
        if declared:
            made.append({"head": f"Scope ({path})", "lines": lines})
            continue
        is_container = kinds[path] == "container"
        identity = [
            f'Name (_HID, "{CONTAINER_HID if is_container else PROCESSOR_HID}")',
            f"Name (_UID, {uids.get(path, str(number))})",
        ]
        made.append({"head": f"Device ({path})", "lines": [*identity, *lines]})
    externals = [
        (path, "ProcessorObj" if kinds[path] == "processor" else "DeviceObj")
        for path in scopes
        if declared
    ]
    return template("acpi.asl.j2").render(
        about=[line.replace("*/", "* /") for line in about], externals=externals, scopes=made
    )


def _uid(uid: int | str | None) -> str:
    return _text(uid) if isinstance(uid, str) else str(uid or 0)


def _named(name: str, found: AcpiObject) -> list[str]:
    """The lines of Name (name, found), an element a line."""
    if not isinstance(found, tuple):
        return [f"Name ({name}, {_written(found)})"]
    given = list(found)
    while given and given[-1] is None:
        given.pop()
    lines = [f"    {_written(element)}," for element in given]
    if lines:
        lines[-1] = lines[-1][:-1]
    return [f"Name ({name}, Package ({len(found)})", "{", *lines, "})"]


def _written(found: AcpiObject) -> str:
    """A value in ASL. Raises Malformed for what there is no word for."""
    if isinstance(found, int):
        return str(found) if found < _LONG else f"{found:#x}"
    if isinstance(found, str):
        return _text(found)
    if isinstance(found, bytes):
        return _buffer(found)
    if isinstance(found, tuple):
        given = list(found)
        while given and given[-1] is None:
            given.pop()
        return f"Package ({len(found)}) {{{', '.join(_written(element) for element in given)}}}"
    what = f"a reference to {found.path}" if isinstance(found, AcpiReference) else "no value"
    raise Malformed(f"expected a value that ASL can write, found {what}")


def _buffer(found: bytes) -> str:
    try:
        register = AcpiRegister.of(found)
    except Malformed:
        register = None
    is_known = register and (register.space in SPACES or register.space in _OWN_SPACES)
    if register and is_known and bytes(register) == found:
        return f"ResourceTemplate () {{{register}}}"
    return f"Buffer ({len(found)}) {{{', '.join(f'{byte:#04x}' for byte in found)}}}"


def _text(found: str) -> str:
    shown = "".join(
        _ESCAPES.get(char, char) if " " <= char <= "~" else f"\\x{ord(char):02X}" for char in found
    )
    return f'"{shown}"'


def _problems(idle: AcpiIdle) -> Iterator[Finding]:
    processor = idle.processors[0].path
    objects = [(f"{processor}._CST", idle.cst)]
    objects += [(f"{level.path}._LPI", level.lpi) for level in idle.lpi]
    for path, found in objects:
        if found is None:
            continue
        try:
            _named(path, found)
        except Malformed as error:
            yield cannot_generate(str(error), Location(path=path))
