"""Builds an IdleTable from an expanded spec. Checks every value and reports all problems."""

from ...base.model.findings import Location
from ...base.model.table import (
    PMICR_MASKS,
    PMICR_VALUES,
    PSSCR_MASK,
    U64_MAX,
    CedeRecord,
    Flag,
    IdleState,
    IdleTable,
    Partition,
    Psscr,
    ReadFrom,
    Register,
    field_mask,
)
from ...base.reading import scalars
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Mapping, Node, Scalar, Sequence
from .build_header import Beside, cpu_of, firmware_of
from .fields import expect_only, measured_of, optional_text, power_of, required_text
from .inherit import ExpandedSpec, StateSource
from .keys import OF_ACPI, OF_TREES, STATE_KEYS, STATE_OF_ACPI, STATE_OF_TREES, TOP_KEYS

SCOPES = ("thread", "core", "pair", "quad", "chip")

_OF_OTHERS = (*OF_TREES, *OF_ACPI)
_STATE_OF_OTHERS = (*STATE_OF_TREES, *STATE_OF_ACPI)
_TOP_KEYS = tuple(key for key in TOP_KEYS if key not in _OF_OTHERS)
_STATE_KEYS = tuple(key for key in STATE_KEYS if key not in _STATE_OF_OTHERS)
_CEDE = ("hint", "latency-ticks", "wake-on-irq")
_FLAGS = {flag.name: int(flag) for flag in Flag if flag.name}


def build(
    expanded: ExpandedSpec, file: str, sha256: str, problems: SpecProblems, beside: Beside
) -> IdleTable:
    """Builds the table of an expanded spec, adding to `problems`. If there are any, the values of
    the table have no meaning. beside: finds what other specs say."""
    header = expanded.header
    top = expanded.document
    for key in _OF_OTHERS:
        if key in header:
            problems.unknown_key(key, top.keys.get(key, header[key].where), _TOP_KEYS)
    name = required_text(header, "name", "a spec", top.where, problems)
    chosen = scalars.choice(header.get("register"), problems, list(Register), "a register")
    register = Register(chosen) if chosen else Register.PSSCR
    if expanded.ok:
        problems.missing(("register",), header, "a spec", top.where)
    default_mask = PSSCR_MASK if register is Register.PSSCR else 0
    if "mask" in header:
        default_mask = _mask(header["mask"], register, problems)

    states = tuple(
        _state(source, name, index, register, default_mask, problems)
        for index, source in enumerate(expanded.states)
    )
    _no_duplicate_rows(expanded, problems)
    cpu = None
    if "cpu" in header or expanded.ok:
        cpu = cpu_of(header.get("cpu"), expanded, beside, problems)
    where = {key: location.at(f"{name}:{key}") for key, location in top.keys.items()}
    where["table"] = where.get("name", top.where.at(name))
    return IdleTable(
        name=name,
        states=states,
        register=register,
        cpu=cpu,
        firmware=firmware_of(expanded, beside, problems),
        partition=_partition(header.get("partition"), problems),
        title=optional_text(header, "title", problems),
        note=optional_text(header, "note", problems),
        historical=bool(scalars.yes_no(header.get("historical"), problems)),
        read_from=ReadFrom("spec", file, sha256, where["table"]),
        where=where,
    )


def _state(
    source: StateSource,
    table: str,
    index: int,
    register: Register,
    default_mask: int,
    problems: SpecProblems,
) -> IdleState:
    entries = source.entries
    path = f"{table}:states[{index}]"
    where = {"state": source.where.at(path)}
    for key, node in entries.items():
        where[key] = node.where.at(f"{path}.{key}")
        if key in _STATE_OF_OTHERS:
            problems.unknown_key(key, source.keys.get(key, node.where), _STATE_KEYS)

    name = required_text(entries, "name", "a state", source.where, problems)
    problems.missing(("latency",), entries, "a state", source.where)
    latency = scalars.time_ns(entries.get("latency"), problems)
    era = "a state (none where the era had no such field)"
    problems.missing(("residency",), entries, era, source.where)
    residency = _residency(entries.get("residency"), problems)
    flags = _flags(entries.get("flags"), problems)
    if register is not Register.NONE:
        problems.missing(("flags",), entries, "a state", source.where)
    control = _control(entries, register, source.where, path, where, problems)
    mask = _mask(entries["mask"], register, problems) if "mask" in entries else default_mask
    cpuidle = scalars.yes_no(entries.get("cpuidle"), problems) is not False
    reason = optional_text(entries, "reason", problems)
    if not cpuidle and not reason:
        problems.missing_key("reason", "a state with cpuidle: no", where["cpuidle"])
    scope = scalars.choice(entries.get("scope"), problems, SCOPES, "a scope")
    if "control" not in where:
        where["control"] = where.get(str(register), where["state"])
    measured = measured_of(entries.get("measured"), problems)
    provenance = dict(source.provenance)
    if not measured:
        provenance.pop("measured", None)
    return IdleState(
        name=name,
        latency_ns=latency or 0,
        residency_ns=residency,
        flags=flags,
        control=control,
        mask=mask,
        scope=scope,
        cpuidle=cpuidle,
        reason=reason,
        note=optional_text(entries, "note", problems),
        measured=measured,
        power=power_of(entries.get("power"), problems),
        provenance=provenance,
        where=where,
        replaced=source.replaced,
    )


def _residency(node: Node | None, problems: SpecProblems) -> int | None:
    if isinstance(node, Scalar) and node.text == "none":
        return None
    return scalars.time_ns(node, problems)


def _flags(node: Node | None, problems: SpecProblems) -> int:
    value = 0
    for item in scalars.items(node, "a list of flag names", problems):
        if isinstance(item, Scalar) and item.text[:2] in ("0x", "0X"):
            value |= scalars.integer(item, problems, most=0xFFFF_FFFF, what="a flag bit") or 0
            continue
        name = scalars.choice(item, problems, _FLAGS, "a flag")
        value |= _FLAGS[name] if name else 0
    return value


def _control(
    entries: dict[str, Node],
    register: Register,
    state_where: Location,
    path: str,
    where: dict[str, Location],
    problems: SpecProblems,
) -> int:
    """The register's value. Adds the place of each PSSCR field to `where`, as control.FIELD."""
    for other in Register:
        if other != register and other in entries:
            problems.add(
                "IS920",
                "unknown-key",
                f"expected {register} (the table's register), found {str(other)!r}",
                where[other],
            )
    if register is Register.NONE:
        return 0
    node = entries.get(register)
    if node is None:
        problems.missing_key(register, "a state", state_where)
        return 0
    where["control"] = node.where.at(f"{path}.{register}")
    if register is Register.PMICR:
        if isinstance(node, Scalar) and node.text in PMICR_VALUES:
            return PMICR_VALUES[node.text]
        if isinstance(node, Scalar) and not node.text[:1].isdigit():
            problems.unknown_name("a PMICR setting", node.text, node.where, PMICR_VALUES)
            return 0
        return scalars.integer(node, problems, most=U64_MAX, what="a PMICR value") or 0
    if not isinstance(node, Mapping):
        return scalars.integer(node, problems, most=U64_MAX, what="PSSCR fields or a value") or 0
    fields = {}
    for key, value in node.entries.items():
        where[f"control.{key}"] = value.where.at(f"{path}.psscr.{key}")
        if key == "other":
            fields[key] = (
                scalars.integer(value, problems, most=U64_MAX, what="a number, of other bits") or 0
            )
        elif key in Psscr.FIELDS:
            most = (1 << Psscr.FIELDS[key][1]) - 1
            what = f"a number of at most {most:#x}"
            fields[key] = scalars.integer(value, problems, most=most, what=what) or 0
        else:
            problems.unknown_key(key, node.keys[key], (*Psscr.FIELDS, "other"))
    return int(Psscr(**fields))


def _mask(node: Node, register: Register, problems: SpecProblems) -> int:
    if isinstance(node, Sequence) and register is Register.PSSCR:
        names = [
            scalars.choice(item, problems, Psscr.FIELDS, "a PSSCR field") for item in node.items
        ]
        return field_mask(name for name in names if name)
    if isinstance(node, Scalar) and register is Register.PMICR and node.text in PMICR_MASKS:
        return PMICR_MASKS[node.text]
    expected = "a list of PSSCR fields or a value" if register is Register.PSSCR else "a mask"
    return scalars.integer(node, problems, most=U64_MAX, what=expected) or 0


def _partition(written: Node | None, problems: SpecProblems) -> Partition | None:
    node = scalars.mapping(written, "a mapping", problems)
    if node is None:
        return None
    expect_only(node, ("processors", "timebase-hz", "extended-cede"), problems)
    modes, hz = ("dedicated", "shared"), node.entries.get("timebase-hz")
    mode = scalars.choice(node.entries.get("processors"), problems, modes, "a processor mode")
    timebase = scalars.integer(hz, problems, most=U64_MAX, what="a frequency")
    return Partition(
        shared=mode == "shared",
        timebase_hz=timebase or 512_000_000,
        extended_cede=tuple(_cede(node.entries.get("extended-cede"), problems)),
    )


def _cede(node: Node | None, problems: SpecProblems) -> list[CedeRecord]:
    records = []
    written = scalars.items(node, "a list of extended-cede records", problems)
    for item in scalars.mappings(written, "a record as a mapping", problems):
        expect_only(item, _CEDE, problems)
        entries = item.entries
        if problems.missing(_CEDE, entries, "an extended-cede record", item.where):
            continue
        hint = scalars.integer(entries["hint"], problems, most=0xFF, what="a hint")
        ticks = scalars.integer(entries["latency-ticks"], problems, most=U64_MAX, what="ticks")
        wake = scalars.yes_no(entries["wake-on-irq"], problems)
        records.append(CedeRecord(hint or 0, ticks or 0, bool(wake)))
    return records


def _no_duplicate_rows(expanded: ExpandedSpec, problems: SpecProblems) -> None:
    """Reports states that are both inherited and written again: `override` is meant for that."""
    first: dict[str, StateSource] = {}
    for source in expanded.states:
        earlier = first.setdefault(source.name, source)
        if earlier is not source and earlier.where.file != source.where.file:
            problems.add(
                "IS927",
                "broken-override",
                f"expected override for the inherited state {source.name!r}, found a second one",
                source.where,
                related=((earlier.where, "inherited from here"),),
            )
