"""show."""

from typing import Annotated, Literal

from ...base.model import acpi_objects, beyond_opal, table
from ...base.model.findings import Location
from ...base.model.forms import GIVEN, INLINE, OMITTED, U32, U64, Count, Form, Limits, With, derived
from ...base.model.stages import Changed, Lost, Message
from ...base.model.table import IdleState, IdleTable, flag_names
from ..documents.findings_document import Confidence
from ..documents.known_document import Kernel, Known
from ..linux import driver_table, suspend_parameter
from ..linux.genpd import tables as genpd_tables
from ..linux.intel_idle import origin as intel_origin
from ..pipeline import Arrival, Journey
from ..power.energy_document import TablePower
from ..power.sheet import of_spec

Bits = Annotated[str, Limits(pattern="^([A-Z][A-Z0-9_]*|0x[0-9a-f]+)$")]
Losses = Annotated[
    list[Lost], "States that did not get this far. Rows are counted from 0 as in the table."
]
Messages = Annotated[list[Message], "Lines in the log, in order."]


def _states(table: IdleTable) -> list[With]:
    """Returns the states; those of sources other than OPAL's have unknown flags etc., not 0."""
    origin = table.origin
    opal = origin.form in ("spec", "dt")
    unknown = {} if opal else {"flags": None, "control": None, "mask": None}
    count = len(table.states)
    parameters = suspend_parameter.parameters(origin) if origin.form == "nodes" else (None,) * count
    return [
        With(state, flag_names=flag_names(state.flags), parameter=parameter, **unknown)
        for state, parameter in zip(table.states, parameters, strict=True)
    ]


def _identified(table: IdleTable) -> intel_origin.HeldOrigin | None:
    return intel_origin.origin(table.origin) if table.origin.form == "sysfs" else None


def _register(row: beyond_opal.AcpiEntry) -> str | None:
    entry = row.entry
    if isinstance(entry, acpi_objects.CstEntry):
        return str(entry.register)
    found = getattr(entry, "entry", None)
    return str(found) if isinstance(found, acpi_objects.AcpiRegister) else None


class Provenance(Form[table.Provenance]):
    kind: Literal["commit", "measured", "estimate", "architecture", "file"]
    source: str
    confidence: Confidence
    note: str


class Place(Form[Location]):
    file: Annotated[str | None, "Null where the value is in no file."]
    line: Annotated[Count | None, "From 1."]
    column: Annotated[Count | None, "From 1."]


class Replaced(Form[table.Replaced]):
    text: Annotated[str, "The value as the spec writes it."]
    where: Place
    provenance: Annotated[Provenance | None, "The value's provenance; null where it is not given."]


class State(Form[IdleState]):
    name: str
    latency_ns: Annotated[U64, "Exit latency."]
    residency_ns: Annotated[U64 | None, "Target residency; null where the table has none."]
    flags: Annotated[U32 | None, "OPAL_PM_* bits; null where the source cannot tell."]
    flag_names: Annotated[
        list[Bits], "The bits' names, ascending; bits nobody defines as 0x...."
    ] = GIVEN
    control: Annotated[U64 | None, "Value of the control register, 0 where there is none."]
    mask: Annotated[U64 | None, "Bits of control that the state provides."]
    parameter: Annotated[
        suspend_parameter.Parameter | None,
        OMITTED,
        "The suspend parameter of an idle-state node, where firmware could mean it.",
    ] = GIVEN
    scope: Annotated[
        Literal["thread", "core", "pair", "quad", "chip"] | None,
        "The CPUs that the state acts on; null where unknown.",
    ]
    cpuidle: Annotated[bool, "False for a state meant for offlined CPUs only."]
    provenance: Annotated[dict[str, Provenance], "Field -> where its value comes from."]
    where: Annotated[
        dict[str, Place], "Field -> where its value stands; of a spec, in the file that says it."
    ]
    replaced: Annotated[
        dict[str, list[Replaced]],
        "Field -> the values that overrides replaced, the last one first. A field that is here and "
        "not in provenance is given without a source.",
    ]


class BuiltInState(Form[beyond_opal.BuiltInState]):
    name: str
    description: str
    exit_latency_us: U32
    target_residency_us: U32
    flags: Annotated[U32, "CPUIDLE_FLAG_* and the driver's own bits."]
    flag_names: Annotated[
        list[Bits], "The bits' names in the tree's headers, without the hint's; others as 0x...."
    ]
    mwait_hint: Annotated[U32 | None, "The hint for MWAIT, in intel_idle's arrays.", OMITTED]
    power_usage: Annotated[int, "In mW; -1 for UINT_MAX."]


class MatchedCpu(Form[beyond_opal.MatchedCpu]):
    name: Annotated[str, "Its name in the kernel's headers."]
    vendor: Annotated[Count, "0 for Intel."]
    family: Count
    model: Count
    entry: Annotated[str, "The struct idle_cpu that it leads to."]
    settings: Annotated[dict[str, Count], "The members of that entry that are not 0."] = derived(
        lambda cpu: dict(cpu.settings)
    )


class TableUse(Form[beyond_opal.TableUse]):
    line: Annotated[Count, "The file's line."] = derived("where.line")
    function: Annotated[str, "Empty in a table of device ids."]
    conditions: Annotated[list[str], "The conditions around it, the outermost first."]
    text: str


class BuiltIn(Form[beyond_opal.BuiltIn]):
    driver: Annotated[str, "The driver's name; empty for an array of states."]
    governor: Annotated[str, "The governor it asks for; empty for none."]
    states: Annotated[list[BuiltInState], "All of them, by number."]
    count: Annotated[Count | None, "state_count; null where the source gives none."]
    safe: Annotated[int, "safe_state_index."]
    archs: Annotated[list[str], "Whose headers give these values; empty where all do."]
    uses: Annotated[list[TableUse], "Code that chooses, registers or changes it at run time."]
    cpus: Annotated[
        list[MatchedCpu], "The processors that use an array of intel_idle; none for other tables."
    ]


class AcpiProcessor(Form[acpi_objects.AcpiProcessor]):
    path: Annotated[str, "In the name space."]
    uid: Annotated[str | None, "By which other tables mean it; null where it is computed."] = (
        derived(lambda processor: None if processor.uid is None else str(processor.uid))
    )


class AcpiEntry(Form[beyond_opal.AcpiEntry]):
    path: Annotated[str, "The path of the object and the element in it."]
    register: Annotated[str | None, "The text in ASL; null for an integer."] = derived(_register)
    type: Annotated[U32 | None, OMITTED, "The type of a C-state of _CST: 1 for C1."] = derived(
        lambda row: getattr(row.entry, "kind", None)
    )
    enabled: Annotated[bool | None, OMITTED, "The enabled flag of a state of _LPI."] = derived(
        lambda row: getattr(row.entry, "enabled", None)
    )
    enable_parent: Annotated[
        U64 | None, OMITTED, "The deepest state of its container with this state of _LPI."
    ] = derived(lambda row: getattr(row.entry, "enable_parent", None))
    arch_flags: Annotated[U64 | None, OMITTED, "The context that a state of _LPI loses."] = derived(
        lambda row: getattr(row.entry, "arch_flags", None)
    )


class AcpiIdle(Form[beyond_opal.AcpiIdle]):
    processors: Annotated[list[AcpiProcessor], "The processors with this table."]
    arch: Annotated[
        Literal["x86", "arm64", "riscv64", ""],
        "By the processors' interrupt controllers; empty where the input does not tell.",
    ]
    evaluated: Annotated[bool, "By acpiexec; false: read as it stands in the tables."]
    depends: Annotated[bool, "It is otherwise where ports or memory of firmware's are not 0."]
    rows: Annotated[list[AcpiEntry], "The states' objects in ACPI, in their order."]
    beside: Annotated[list[AcpiEntry], "States of _LPI, where the rows are those of _CST."] = (
        derived(lambda idle: list(idle.entries(cst=False)) if idle.cst is not None else [])
    )
    fadt: Annotated[acpi_objects.Fadt | None, "null where the input has none."]


class HeldOrigin(Form[intel_origin.HeldOrigin]):
    kind: Annotated[
        Literal["native", "cst", "lpi", "acpi_idle"],
        "native: a table of intel_idle; cst, lpi: intel_idle, from ACPI's objects.",
    ]
    name: Annotated[str, "The name in reports."]
    tables: Annotated[
        list[intel_origin.NearTable], "The nearest ones; several where their figures are equal."
    ]
    cpus: Annotated[list[str], "Processors that have one of these, by the kernel's names."]
    changed: Annotated[list[str], "Times that differ from the table's, or from the driver's rule."]
    missing: Annotated[list[str], "Rows of the table that are not there."]


class Table(Form[IdleTable]):
    name: Annotated[str, "Revision, C array or node path."]
    title: str
    register: Annotated[
        Literal["psscr", "pmicr", "none"], "Control register that states are requested through."
    ]
    states: list[State] = derived(_states)
    built_in: Annotated[
        BuiltIn | None, "The origin of a table in a Linux driver's source.", OMITTED
    ] = derived(lambda table: table.origin if table.origin.form == "driver" else None)
    acpi: Annotated[AcpiIdle | None, "The objects of ACPI tables.", OMITTED] = derived(
        lambda table: table.origin if table.origin.form == "acpi" else None
    )
    identified: Annotated[HeldOrigin | None, "The origin of an x86 kernel's states.", OMITTED] = (
        derived(_identified)
    )


class Export(Form[Journey]):
    platform: Annotated[str, "The machine, as --platform named it."] = derived("platform.name")
    states: list[str] = derived(
        lambda way: [way.table.states[index].name for index in way.export.indices]
    )
    lost: Losses = derived("export.lost")
    changed: Annotated[list[Changed], "Names that the node has otherwise than the table."] = (
        derived("export.changed")
    )
    messages: Messages = derived("export.messages")
    outcome: Annotated[
        Literal["ok", "abort", "hang"], "abort: an assert stops the boot; hang: a loop never ends."
    ] = derived("export.outcome")
    chosen: Annotated[
        str | None,
        "Revision whose table skiboot would take by itself on this platform; null if it takes "
        "none.",
    ] = derived("export.chosen")


class DriverState(Form[driver_table.DriverState]):
    index: Annotated[Count, "N of cpuidle/stateN in sysfs."]
    name: str
    exit_latency_us: U32
    target_residency_us: U32
    polling: Annotated[bool, "CPUIDLE_FLAG_POLLING: snooze."]
    timer_stop: Annotated[bool, "CPUIDLE_FLAG_TIMER_STOP: the decrementer stops."]
    off: Annotated[bool, "CPUIDLE_FLAG_OFF: disabled until the user enables it."]
    psscr: Annotated[U64 | None, "The PSSCR written to enter the state; null where none is."]
    mask: U64 | None


class Linux(Form[Arrival]):
    kernel: str = derived("driver.kernel")
    known: Annotated[Known, INLINE] = derived(
        lambda arrival: Kernel(arrival.release, arrival.subsystem)
    )
    states: Annotated[
        list[DriverState], "Registered states; none if the driver does not register."
    ] = derived("driver.states")
    lost: Losses = derived(lambda arrival: [With(lost, index=row) for row, lost in arrival.lost])
    changed: Annotated[list[Changed], "Values the kernel holds otherwise than the table."] = (
        derived(lambda arrival: [With(changed, index=row) for row, changed in arrival.changed])
    )
    messages: Messages = derived("driver.messages")
    domains: Annotated[
        list[genpd_tables.CpuDomain],
        "Power domains that the table's CPUs sit in (Arm, RISC-V), the innermost first. Their "
        "states are genpd's, not cpuidle's.",
    ] = derived("driver.domains")
    domain_notes: Annotated[
        list[str], "Assumptions on these domains that neither tree nor release confirms."
    ] = derived("driver.domain_notes")
    driver: Annotated[
        str | None, "The driver that registers ACPI's states, and why not another."
    ] = derived(lambda arrival: arrival.driver.driver or None)
    assumptions: Annotated[
        list[str], "Assumptions on an x86 machine, with the key that changes each."
    ] = derived("driver.assumptions")
    default_stop: Annotated[
        driver_table.StopChoice | None,
        "The state of an idle CPU before cpuidle takes over; null: none.",
    ] = derived("driver.default_stop")
    deepest_stop: Annotated[
        driver_table.StopChoice | None, "The state of an offlined CPU; null: see offline."
    ] = derived("driver.deepest_stop")
    offline: Annotated[
        Literal["stop", "winkle", "sleep", "nap", "cede", "busy wait", ""],
        "How an offlined CPU waits; empty where nothing is known of it.",
    ] = derived("driver.offline")
    snooze_timeout_us: Annotated[
        U32 | None, "How long snooze polls with every state enabled; null: until woken."
    ] = derived("driver.snooze_timeout_us")
    fatal: Annotated[str | None, "Why the kernel crashes; null if it does not."] = derived(
        "driver.fatal"
    )


class Show(Form[Journey]):
    table: Table
    export: Annotated[
        Export | None,
        "Firmware's device tree; null where firmware has no say: a tree already "
        "exported, or a partition.",
    ] = derived(lambda way: None if way.export is None else way)
    energy: Annotated[
        TablePower | None, "The power of states by their spec; null without figures."
    ] = derived(lambda way: of_spec(way.table))
    linux: Annotated[Linux | None, "The first of kernels."] = derived(
        lambda way: way.arrivals[0] if way.arrivals else None
    )
    kernels: Annotated[list[Linux], "States that each kernel registers."] = derived("arrivals")
