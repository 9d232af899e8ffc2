"""An x86 machine as --platform names it: a processor, what CPUID, MSRs and firmware say there, and
intel_idle's parameters.

    skx    spr,pc6=off,acpi=c1:c6    wcl,acpi=0x00/1:0x21/127:0x60/1048,max_cstate=2
    spr,acpi=/sys/firmware/acpi/tables    spr,acpi=./acpidump.txt
    icx,table=C1E:4:10,C6:150:600    (table= is the last, for its value has commas)
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ...beyond_opal import AcpiIdle
from ...findings import UsageError
from ...skiboot.platform import BadPlatform
from ...table import U32_MAX
from ...wording import plural, suggestion
from .known import known_cpus
from .machine import AcpiState, IntelIdleParameters, X86Machine
from .states import StartedState
from .table_parameter import MOST_BYTES
from .updates import ALDER_LAKE, GOLDMONT, IVT, WITH_PC6

_LISTED = """
nhm NEHALEM           nhm-ep NEHALEM_EP       wsm WESTMERE            wsm-ep WESTMERE_EP
snb SANDYBRIDGE       snx SANDYBRIDGE_X       ivb IVYBRIDGE           ivt IVYBRIDGE_X
hsw HASWELL           hsx HASWELL_X           bdw BROADWELL           bdx BROADWELL_X
skl SKYLAKE           kbl KABYLAKE            skx SKYLAKE_X           icx ICELAKE_X
spr SAPPHIRERAPIDS_X  emr EMERALDRAPIDS_X     gnr GRANITERAPIDS_X     gnrd GRANITERAPIDS_D
srf ATOM_CRESTMONT_X  cwf ATOM_DARKMONT_X     grr ATOM_CRESTMONT      adl ALDERLAKE
adl-l ALDERLAKE_L     gmt ATOM_GRACEMONT      mtl METEORLAKE_L        ptl PANTHERLAKE_L
atom ATOM_BONNELL     byt ATOM_SILVERMONT     cht ATOM_AIRMONT        avn ATOM_SILVERMONT_D
bxt ATOM_GOLDMONT     glp ATOM_GOLDMONT_PLUS  dnv ATOM_GOLDMONT_D     snr ATOM_TREMONT_D
ehl ATOM_TREMONT      jsl ATOM_TREMONT_L      tangier ATOM_SILVERMONT_MID
knl XEON_PHI_KNL      knm XEON_PHI_KNM
"""
"""Short name and intel_idle's name of processors in its list."""
_UNLISTED = {
    "icl": ("ICELAKE_L", 0x7E),
    "tgl": ("TIGERLAKE_L", 0x8C),
    "rpl": ("RAPTORLAKE", 0xB7),
    "arl": ("ARROWLAKE", 0xC6),
    "arl-h": ("ARROWLAKE_H", 0xC5),
    "lnl": ("LUNARLAKE_M", 0xBD),
    "wcl": ("WILDCATLAKE_L", 0xD5),
}
"""Short name -> name and model (asm/intel-family.h) of some that no list has: their states are
ACPI's."""

SWITCHES = ("yes", "no", "on", "off", "1", "0", "y", "n")


@dataclass(frozen=True, slots=True)
class NamedAcpiState:
    """An entry of _CST or _LPI as the user names it.

    name          of the table's row with its MWAIT hint, or "" where `hint` says it
    hint          None for an entry that is no MWAIT (SystemIO, HLT), unless `name` says it
    latency_us    None: as the table's row has it
    residency_us  of _LPI; None: likewise
    """

    name: str = ""
    hint: int | None = None
    latency_us: int | None = None
    residency_us: int | None = None


USUAL = IntelIdleParameters()


@dataclass(frozen=True, slots=True)
class X86Platform:
    """A machine with an x86 processor of Intel.

    name        as the user named it
    processor   by the kernel's name: SKYLAKE_X; "" where only the model is known
    machine     what it answers; its `cst` and `lpi` follow from those below
    parameters  of intel_idle
    cst, lpi    entries of ACPI's objects; None where nothing is said of them
    objects     of the ACPI tables that acpi= names: those of each group of equal processors
    noted       what was noticed when these were read, in words
    given       the keys that the user named: all else is assumed
    """

    name: str
    processor: str
    machine: X86Machine
    parameters: IntelIdleParameters = USUAL
    cst: tuple[NamedAcpiState, ...] | None = None
    lpi: tuple[NamedAcpiState, ...] | None = None
    given: frozenset[str] = frozenset()
    objects: tuple[AcpiIdle, ...] = ()
    noted: tuple[str, ...] = ()

    @property
    def assumed(self) -> tuple[str, ...]:
        """What is taken for granted because the user did not say it, in words, each with the key
        that says otherwise."""
        unsaid = (
            f"{text} ({key}=)"
            for key, text in _assumptions(self.machine.model)
            if not self.given & {key, "pkg-cst" if key == "pc6" else key}
        )
        return (*unsaid, *self.noted)


def _assumptions(model: int) -> Iterator[tuple[str, str]]:
    if any(known.cpu.model == model and known.cpu.table for known in known_cpus()):
        yield "acpi", "firmware's _CST leaves no row out"
    yield "cpuid5", "CPUID leaf 5 has every MWAIT sub-state"
    if model in WITH_PC6:
        yield "pc6", "package C6 is enabled"
    if model == IVT:
        yield "sockets", "at most 2 sockets"
    if model in GOLDMONT:
        yield "irtl", "no interrupt response limits in MSRs"
    if model in ALDER_LAKE:
        yield "preferred_cstates", "no preference between C1 and C1E"
    yield "arat", "the local timer runs in every state"


def names() -> Mapping[str, tuple[str, int]]:
    """Short name -> the kernel's name and the model of a processor of family 6; the kernel's names
    in small letters are names too: skylake-x."""
    models = {known.cpu.name: known.cpu.model for known in known_cpus()}
    words = _LISTED.split()
    short = {name: (cpu, models[cpu]) for name, cpu in zip(words[::2], words[1::2], strict=True)}
    long = {cpu.lower().replace("_", "-"): (cpu, model) for cpu, model in models.items()}
    return {**short, **_UNLISTED, **long}


def short_names() -> tuple[str, ...]:
    return (*_LISTED.split()[::2], *_UNLISTED)


def acpi_states(
    key: str, entries: Sequence[NamedAcpiState] | None, rows: Sequence[StartedState]
) -> tuple[AcpiState, ...] | None:
    """ACPI's states as a user named them. key: of --platform; rows: of the processor's table, whose
    hints and times names stand for. Raises UsageError."""
    if entries is None:
        return None
    return tuple(_acpi_state(key, each, number, rows) for number, each in enumerate(entries, 1))


def _acpi_state(
    key: str, entry: NamedAcpiState, number: int, rows: Sequence[StartedState]
) -> AcpiState:
    """Of _CST the types go up with the entries: C1, C2, and C3 for all others."""
    row = next(
        (
            row
            for row in rows
            if (row.name.lower() == entry.name.lower() if entry.name else row.hint == entry.hint)
        ),
        None,
    )
    if row is None and entry.name:
        known = ", ".join(row.name for row in rows) or "none"
        raise UsageError(f"expected a state of the table ({known}) in {key}=, found {entry.name!r}")
    hint = row.hint if row is not None else entry.hint
    latency = row.exit_latency_us if row and entry.latency_us is None else entry.latency_us
    residency = (
        row.target_residency_us if row and entry.residency_us is None else entry.residency_us
    )
    if latency is None and not rows:
        raise UsageError(
            f"expected the states in {key}= with their latencies, such as 0x00/1:0x21/127, for a "
            "processor without a table; found none"
        )
    return AcpiState(
        "ACPI IOPORT" if hint is None else f"ACPI FFH MWAIT {hint:#x}",
        hint or 0,
        latency or 0,
        min(number, 3),
        hint is not None,
        residency or 0,
    )


def machine_of(name: str) -> X86Platform:
    """The machine of a name, with all that is assumed of it. KeyError for others."""
    processor, model = names()[name]
    return X86Platform(name, processor, X86Machine(model))


def is_x86(text: str) -> bool:
    """Whether a --platform is meant for a machine with an x86 processor: it begins with the name
    of one, or with x86."""
    first = text.partition(",")[0].strip()
    return first == "x86" or first in names()


def parse_machine(text: str) -> X86Platform:
    """Returns the machine that a text describes: a name of names(), or x86 for a processor by
    model=, then keys of KEYS. Raises BadPlatform."""
    head, found, table = f",{text}".partition(",table=")
    first, *parts = [part.strip() for part in head[1:].split(",")]
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
    if text.lower() not in SWITCHES:
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
    """Whether acpi= names a file or directory: no name of a state and no hint has a dot or begins
    with a slash."""
    return text.startswith("/") or "." in text


@lru_cache(maxsize=4)
def _tables(path: str) -> Mapping[str, object]:
    """The fields of a platform with ACPI tables, which are read once. Raises BadPlatform,
    Unreadable."""
    from ...reading.acpi import files

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
            f"of {len(found)} kinds of processors the first usable one counts, from {first}"
        )
    if any(each.idle.depends for each in found):
        noted.append(f"{path} was evaluated with all ports and memory 0, on which it depends")
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
"""Those of the parameters are the kernel's names."""
_BARE = tuple(key for key, (_, _, parse) in KEYS.items() if parse is _switch)
