"""An x86 machine that a user names: a processor, what CPUID, MSRs and firmware say there, and
intel_idle's parameters."""

from collections.abc import Iterator, Mapping, Sequence

from ....base.dataclass import dataclass
from ....base.model.beyond_opal import AcpiIdle
from ....base.model.findings import UsageError
from ....base.reading.acpi.signs import OBTAINED
from .known import known_cpus
from .machine import AcpiState, IntelIdleParameters, X86Machine
from .states import StartedState
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


OF_OTHERS = (
    "; processors of AMD and others have no table of intel_idle: give their ACPI tables as TABLE, "
    f"which you get {OBTAINED}"
)
_USUAL = IntelIdleParameters()


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
    parameters: IntelIdleParameters = _USUAL
    cst: tuple[NamedAcpiState, ...] | None = None
    lpi: tuple[NamedAcpiState, ...] | None = None
    given: frozenset[str] = frozenset()
    objects: tuple[AcpiIdle, ...] = ()
    noted: tuple[str, ...] = ()

    @property
    def assumed(self) -> tuple[str, ...]:
        """The assumptions on all that the user did not say, in words, each with the key that says
        otherwise."""
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


def spelled(name: str) -> str:
    """Returns a name as names() has it: the kernel spells ADL_L and SKYLAKE_X."""
    return name.lower().replace("_", "-")


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
    """Returns an entry's state. Types of _CST go up with the entries: C1, C2, C3 for the rest."""
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
