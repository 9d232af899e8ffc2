"""Reads an x86 machine as --platform names it.

skx    spr,pc6=off,acpi=c1:c6    wcl,acpi=0x00/1:0x21/127:0x60/1048,max_cstate=2
spr,acpi=/sys/firmware/acpi/tables    spr,acpi=./acpidump.txt
icx,table=C1E:4:10,C6:150:600    (table= is the last, for its value has commas)
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from ....base.dataclass import replace
from ....base.model.table import U32_MAX
from ....base.wording import plural, suggestion
from ...skiboot.platform import BadPlatform
from .machine import X86Machine
from .platform import NamedAcpiState, X86Platform, machine_of, names, spelled
from .table_parameter import MOST_BYTES

_SWITCHES = ("yes", "no", "on", "off", "1", "0", "y", "n")


def is_x86(text: str) -> bool:
    """Tells whether a --platform is meant for a machine with an x86 processor: it begins with the
    name of one, or with x86."""
    first = spelled(text.partition(",")[0].strip())
    return first == "x86" or first in names()


def parse_machine(text: str) -> X86Platform:
    """Returns the machine that a text describes: a name of names(), or x86 for a processor by
    model=, then keys of KEYS. Raises BadPlatform."""
    head, found, table = f",{text}".partition(",table=")
    first, *parts = [part.strip() for part in head[1:].split(",")]
    first = spelled(first)
    platform = X86Platform(text, "", X86Machine(0)) if first == "x86" else machine_of(first)
    given: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if key not in KEYS or (not equals and key not in _BARE):
            raise BadPlatform(
                f"expected one of {', '.join(KEYS)}, found {part!r}{suggestion(key, KEYS)}"
            )
        if key in given:
            raise BadPlatform(f"expected {key} once, found it twice, the second time as {part!r}")
        given[key] = value if equals else "yes"
    if found:
        given["table"] = table
    if first == "x86" and "model" not in given:
        raise BadPlatform("expected x86 with model=, found none")
    owners: dict[str, dict[str, object]] = {"machine": {}, "parameters": {}, "": {}}
    for key, value in given.items():
        if key == "acpi" and _names_tables(value):
            if "lpi" in given:
                raise BadPlatform(
                    "expected no lpi= beside acpi=FILE, found one: FILE tells of _LPI"
                )
            owners[""].update(_tables(value))
            continue
        owner, fields, parse = KEYS[key]
        owners[owner].update(dict.fromkeys(fields, parse(key, value)))
    own: Any = owners.pop("")
    for owner, values in owners.items():
        changes: Any = values
        own[owner] = replace(getattr(platform, owner), **changes)
    return replace(platform, name=text, given=frozenset(given), **own)


def _switch(key: str, text: str) -> bool:
    if text.lower() not in _SWITCHES:
        raise BadPlatform(f"expected on or off for {key}, found {text!r}")
    return text.lower() in ("yes", "on", "1", "y")


def _pc6(key: str, text: str) -> int:
    return X86Machine(0).pkg_cst if _switch(key, text) else 0


def _number(key: str, text: str, most: int = U32_MAX) -> int:
    try:
        value = int(text, 0)
    except ValueError:
        raise BadPlatform(f"expected a number for {key}, found {text!r}") from None
    if not 0 <= value <= most:
        raise BadPlatform(f"expected 0 to {most} for {key}, found {text}")
    return value


def _limits(key: str, text: str) -> tuple[int, ...]:
    values = tuple(_number(key, word) for word in text.split(":"))
    if len(values) != 5:
        raise BadPlatform(
            f"expected five MSRs for {key}, of package C6 to C10, with colons between, found "
            f"{len(values)}"
        )
    return values


def _entries(key: str, text: str, fields: tuple[str, ...]) -> tuple[NamedAcpiState, ...] | None:
    """none: there is no such object that can be used."""
    if text == "none":
        return None
    entries = []
    for word in text.split(":"):
        what, *times = word.split("/")
        if not what or len(times) >= len(fields) or (times and key == "lpi" and len(times) < 2):
            form = "/".join(("HINT", *(field.partition("_")[0].upper() for field in fields[1:])))
            raise BadPlatform(
                f"expected states with colons between for {key}, each a row's name or {form}, "
                f"found {word!r}"
            )
        values = dict(zip(fields[1:], (_number(key, time) for time in times), strict=False))
        hint: int | None = None
        name = ""
        if what[:1].isdigit():
            hint = _number(key, what)
        elif what.lower() not in ("io", "hlt"):
            name = what
        entries.append(NamedAcpiState(name, hint, **values))
    return tuple(entries)


def _cst(key: str, text: str) -> tuple[NamedAcpiState, ...] | None:
    return _entries(key, text, ("hint", "latency_us"))


def _lpi(key: str, text: str) -> tuple[NamedAcpiState, ...] | None:
    return _entries(key, text, ("hint", "latency_us", "residency_us"))


def _names_tables(text: str) -> bool:
    """Tells whether acpi= names a file or directory: no name of a state and no hint has a dot or
    begins with a slash."""
    return text.startswith("/") or "." in text


@lru_cache(maxsize=4)
def _tables(path: str) -> Mapping[str, object]:
    """The fields of a platform with ACPI tables, which are read once. Raises BadPlatform,
    Unreadable."""
    from ....base.reading.acpi import files

    found, problems = files.read(path)
    arch = found[0].idle.arch
    if arch not in ("", "x86"):
        raise BadPlatform(
            f"expected tables of an x86 machine for acpi, found that {path} is of {arch}"
        )
    noted = []
    if len(found) > 1:
        first = found[0].idle.processors[0].path
        noted.append(
            f"{len(found)} kinds of processors: the first usable one is used, from {first}"
        )
    if any(each.idle.depends for each in found):
        noted.append(f"{path} depends on I/O ports or memory, read as 0 here")
    if problems:
        noted.append(f"{path} was read with {plural(len(problems), 'remark')}, which check shows")
    return {"objects": tuple(each.idle for each in found), "noted": tuple(noted)}


def _table(key: str, text: str) -> bytes:
    value = text.encode("utf-8", "surrogateescape")
    if len(value) > MOST_BYTES:
        raise BadPlatform(f"expected at most {MOST_BYTES} bytes for {key}, found {len(value)}")
    return value


KEYS: Mapping[str, tuple[str, tuple[str, ...], Callable[[str, str], object]]] = {
    # key -> of machine, parameters or the platform itself ("") these fields, and how a value is
    # read
    "model": ("machine", ("model",), _number),
    "family": ("machine", ("family",), _number),
    "cpuid5": ("machine", ("substates",), _number),
    "pc6": ("machine", ("pkg_cst",), _pc6),
    "pkg-cst": ("machine", ("pkg_cst",), _number),
    "sgx": ("machine", ("sgx", "sgx_on"), _switch),
    "sockets": ("machine", ("packages",), _number),
    "arat": ("machine", ("arat",), _switch),
    "mwait": ("machine", ("mwait",), _switch),
    "irtl": ("machine", ("irtl",), _limits),
    "ibrs": ("machine", ("kernel_ibrs",), _switch),
    "acpi": ("", ("cst",), _cst),
    "lpi": ("", ("lpi",), _lpi),
    "max_cstate": ("parameters", ("max_cstate",), _number),
    "states_off": ("parameters", ("states_off",), _number),
    "use_acpi": ("parameters", ("use_acpi",), _switch),
    "no_acpi": ("parameters", ("no_acpi",), _switch),
    "no_native": ("parameters", ("no_native",), _switch),
    "preferred_cstates": ("parameters", ("preferred_cstates",), _number),
    "force_irq_on": ("parameters", ("force_irq_on",), _switch),
    "ibrs_off": ("parameters", ("ibrs_off",), _switch),
    "idle": ("parameters", ("idle",), _switch),
    "table": ("parameters", ("table",), _table),
}
"""The keys of a platform; those of the parameters are the kernel's names."""
_BARE = tuple(key for key, (_, _, parse) in KEYS.items() if parse is _switch)
