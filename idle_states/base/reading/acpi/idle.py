"""The idle states that ACPI tables give each processor: its _CST, and the _LPI of each level.

What stands in the tables as a value is read as such; what depends on more is evaluated by acpiexec.
Both give what the kernel's own ACPICA hands to its drivers.
"""

from collections.abc import Sequence

from ...dataclass import dataclass, field, replace
from ...model.acpi_objects import (
    CONTAINER_HID,
    PROCESSOR_HID,
    AcpiObject,
    AcpiProcessor,
    LpiLevel,
    kind,
)
from ...model.beyond_opal import AcpiIdle
from ...model.findings import Location, Unreadable, unreadable
from ...wording import plural
from .. import limits
from . import acpiexec
from .acpiexec import Evaluated
from .aml import Defined, NameSpace, NotUnderstood, parent, walk
from .objects import Dynamic, literal, returned
from .repair import evaluated, is_regular, repaired
from .signs import AML
from .tables import AcpiTable, fadt, madt

CST, LPI = "_CST", "_LPI"
_TELLING = ("_PDC", "_OSC")
_MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Shared:
    """The idle states that tables give some processors, and each object's place by its path."""

    idle: AcpiIdle
    where: dict[str, Location]


class NoStates(Unreadable):
    """Tables that are read, and give no processor idle states. idle: what they say of processors
    and of the FADT; None without processors."""

    def __init__(self, file: str, message: str, idle: AcpiIdle | None) -> None:
        super().__init__(unreadable(file, message).findings)
        self.message, self.idle = message, idle


@dataclass(slots=True)
class _Machine:
    names: NameSpace
    bits: int
    values: dict[str, AcpiObject] = field(default_factory=dict)
    evaluated: set[str] = field(default_factory=set)
    depending: set[str] = field(default_factory=set)
    problems: list[tuple[Location, str]] = field(default_factory=list)


def read(tables: Sequence[AcpiTable], file: str) -> tuple[list[Shared], list[tuple[Location, str]]]:
    """Returns the idle states of each group of equal processors, in the order of the processors,
    and notes on what was left out or changed on the way, each with its place.

    file  what errors name
    Raises Unreadable (IS930) if no table has AML, or if acpiexec is needed and not installed;
    NoStates, which is one, if there are no idle states.
    """
    aml = [table for table in tables if table.signature in AML]
    if not aml:
        raise unreadable(file, "expected a DSDT or an SSDT among ACPI's tables, found none")
    dsdt = next((table for table in aml if table.signature == b"DSDT"), aml[0])
    machine = _Machine(walk(aml), 64 if dsdt.revision >= 2 else 32)
    _note_gaps(machine)
    present = madt(list(tables))
    processors = [
        each for each in _processors(machine) if present is None or each.uid not in present.absent
    ]
    if any(table.signature == b"DSDT" for table in aml):
        processors = _known(machine, processors)
    if len(processors) > limits.ACPI_PROCESSORS:
        message = f"expected at most {limits.ACPI_PROCESSORS} processors"
        raise unreadable(file, f"{message}, found {len(processors)}")
    _evaluate(machine, aml, _objects(machine.names, processors), file)
    groups: dict[object, list[AcpiProcessor]] = {}
    for processor in processors:
        cst = machine.values.get(f"{processor.path}.{CST}")
        levels = _levels(machine, processor.path)
        if cst is None and not levels:
            continue
        key = (cst, tuple(level.lpi for level in levels))
        groups.setdefault(key, []).append(processor)
    facts, arch = fadt(list(tables)), present.arch if present else ""
    if not groups:
        message = f"expected {CST} or {LPI} of a processor, found none"
        bare = AcpiIdle(tuple(processors), None, (), facts, arch) if processors else None
        raise NoStates(file, f"{message} in {plural(len(processors), 'processor')}", bare)
    if len(groups) > limits.ACPI_DIFFERENT:
        message = f"expected processors with at most {limits.ACPI_DIFFERENT} different tables"
        raise unreadable(file, message)
    found = []
    for alike in groups.values():
        path = alike[0].path
        levels = _levels(machine, path)
        used = [f"{path}.{CST}", *(f"{level.path}.{LPI}" for level in levels)]
        idle = AcpiIdle(
            tuple(alike),
            machine.values.get(used[0]),
            levels,
            facts,
            arch,
            any(each in machine.evaluated for each in used),
            any(each in machine.depending for each in used),
        )
        known = machine.names.defined
        found.append(Shared(idle, {name: _place(known[name]) for name in used if name in known}))
    if len(found) > 1:
        every = tuple(each.idle for each in found)
        found = [Shared(replace(each.idle, machine=every), each.where) for each in found]
    return found, machine.problems


def _processors(machine: _Machine) -> list[AcpiProcessor]:
    """The processors of the name space, in its order. A device of another table, which is not
    given, is taken for one if it has a _CST, or a _LPI and no processor within."""
    names = machine.names
    found = []
    owners = {parent(path) for path in names.defined if path.endswith((f".{CST}", f".{LPI}"))}
    for path, each in list(names.defined.items()):
        if each.kind == "processor":
            number, block, size = each.numbers
            uid = _constant(machine, f"{path}._UID")
            shown = uid if isinstance(uid, (int, str)) else number
            found.append(AcpiProcessor(path, shown, block, size))
        elif each.kind in ("device", "external") and (
            _hid(machine, path) == PROCESSOR_HID
            or (each.kind == "external" and path in owners and not _holds(owners, path))
        ):
            uid = _constant(machine, f"{path}._UID")
            shown_uid = uid if isinstance(uid, (int, str)) else None
            found.append(AcpiProcessor(path, shown_uid, is_device=True))
    known = {each.path for each in found}
    for path in sorted(owners - known - names.defined.keys()):
        # its scope was opened without a word of what it is
        if not _holds(owners, path):
            found.append(AcpiProcessor(path))
    return found


def _known(machine: _Machine, processors: list[AcpiProcessor]) -> list[AcpiProcessor]:
    """The processors that a table defines, where any is: with the DSDT given, a scope of another
    is of none that the machine has."""
    defined = machine.names.defined
    kinds = ("processor", "device")
    found = [
        each for each in processors if each.path in defined and defined[each.path].kind in kinds
    ]
    return found or processors


def _holds(owners: set[str], path: str) -> bool:
    return any(other.startswith(f"{path}.") for other in owners)


def _levels(machine: _Machine, path: str) -> tuple[LpiLevel, ...]:
    """The _LPI of a processor and of the containers above it; () if the processor has none."""
    own = machine.values.get(f"{path}.{LPI}")
    if own is None:
        return ()
    found = [LpiLevel(path, own)]
    while (path := parent(path)) and _is_container(machine, path):
        found.append(LpiLevel(path, machine.values.get(f"{path}.{LPI}")))
    return tuple(found)


def _is_container(machine: _Machine, path: str) -> bool:
    hid = _hid(machine, path)
    known = machine.names.defined.get(path)
    if hid or known is None or known.kind == "device":
        return hid == CONTAINER_HID
    return f"{path}.{LPI}" in machine.names.defined


def _hid(machine: _Machine, path: str) -> str:
    found = _constant(machine, f"{path}._HID")
    # as ACPICA hands it over
    return found.upper().removeprefix("*") if isinstance(found, str) else ""


def _constant(machine: _Machine, path: str) -> AcpiObject:
    """The value of a name or of a method that returns one as it stands; None for others."""
    each = machine.names.defined.get(path)
    if each is None:
        return None
    try:
        return _static(machine, each)
    except (Dynamic, NotUnderstood):
        return None


def _static(machine: _Machine, each: Defined) -> AcpiObject:
    """Raises Dynamic, NotUnderstood."""
    if each.conditional:
        raise Dynamic(each.start, "a definition below an If")
    read_it = returned if each.kind == "method" else literal
    return read_it(each.table.data, each.start, each.end, machine.bits)


def _objects(names: NameSpace, processors: Sequence[AcpiProcessor]) -> list[str]:
    """Paths of the _CST and _LPI of processors and of all that they lie in, each once."""
    found: dict[str, None] = {}
    for processor in processors:
        found[f"{processor.path}.{CST}"] = None
        path = processor.path
        while path.count(".") > 0:
            found[f"{path}.{LPI}"] = None
            path = parent(path)
    return [path for path in found if path in names.defined]


def _evaluate(machine: _Machine, aml: Sequence[AcpiTable], paths: Sequence[str], file: str) -> None:
    dynamic: dict[str, tuple[Location, str]] = {}
    for path in paths:
        each = machine.names.defined[path]
        name = path.rpartition(".")[2]
        try:
            value = _static(machine, each)
        except Dynamic as needs:
            dynamic[path] = each.table.at(needs.offset, path), str(needs)
            continue
        except NotUnderstood as problem:
            raise unreadable(each.table.at(problem.offset, path), str(problem)) from None
        if name == LPI and not is_regular(LPI, value) and acpiexec.program() is not None:
            dynamic[path] = each.table.at(each.start, path), "a value of other kinds than ACPI's"
            continue
        if name == CST:
            value, done = _repaired(value)
            machine.problems += [
                (_place(each), f"expected {CST} as ACPI defines it; {what}") for what in done
            ]
        machine.values[path] = value
    if dynamic:
        _run(machine, aml, dynamic, file)


def _repaired(cst: AcpiObject) -> tuple[AcpiObject, list[str]]:
    """A _CST as the kernel's ACPICA hands it over, and what it said or changed."""
    if is_regular(CST, cst):
        value, done = repaired(cst)
        return value, [f"ACPICA repairs it: {what}" for what in done]
    found = evaluated(cst)
    if found.fatal:
        return cst, [f"a kernel that repairs it writes outside its memory: {found.fatal}"]
    warnings = [f"ACPICA says: {warning}" for warning in found.warnings]
    return found.cst, warnings or ["ACPICA converts values of another type"]


def _run(
    machine: _Machine,
    aml: Sequence[AcpiTable],
    dynamic: dict[str, tuple[Location, str]],
    file: str,
) -> None:
    """Evaluates by acpiexec what is dynamic. dynamic: path -> place and what it depends on."""
    path, (where, why) = next(iter(dynamic.items()))
    if acpiexec.program() is None:
        message = (
            f"{path} can only be read by running its code ({why}), and "
            f"{acpiexec.PROGRAM} is not installed"
        )
        raise unreadable(where, f"{message}; on Debian: apt-get install {acpiexec.PACKAGE}")
    if not any(table.signature == b"DSDT" for table in aml):
        message = f"expected the DSDT too: {path} can only be read by running its code ({why})"
        raise unreadable(where, message)
    telling = [
        path
        for path, each in machine.names.defined.items()
        if each.kind == "method"
        and path.rpartition(".")[2] in _TELLING
        and f"{parent(path)}.{CST}" in machine.names.defined
    ]
    announced = acpiexec.announcements(telling)
    try:
        answers = acpiexec.evaluate(aml, list(dynamic), file, announced)
    except Unreadable as error:
        if not announced:
            raise
        announced = []
        answers = acpiexec.evaluate(aml, list(dynamic), file)
        message = f"expected {acpiexec.PROGRAM} to tell firmware what the kernel can do, found: "
        message += f"{error.findings[0].message}; evaluated without"
        machine.problems.append((where, message))
    others = acpiexec.evaluate(aml, list(dynamic), file, announced, fill=0xFF)
    machine.depending |= {path for path in answers if answers[path] != others[path]}
    alike: dict[tuple[Evaluated, Evaluated], list[str]] = {}
    for path in sorted(machine.depending, key=list(answers).index):
        alike.setdefault((answers[path], others[path]), []).append(path)
    for (_, other), (path, *more) in alike.items():
        message = "the value depends on I/O ports or on "
        message += "memory that firmware fills, all read as 0 here; with all bits set it is "
        message += other.error or kind(other.value)
        message += f"; the same of {plural(len(more), 'other processor')}" if more else ""
        machine.problems.append((dynamic[path][0], message))
    for path, answer in answers.items():
        if answer.error:
            message = f"expected a value, {acpiexec.PROGRAM} found: {answer.error}"
            machine.problems.append((dynamic[path][0], message))
        elif answer.value is None:
            message = "expected a value, found a method that returns none"
            machine.problems.append((dynamic[path][0], message))
        machine.values[path] = answer.value
        machine.evaluated.add(path)


def _note_gaps(machine: _Machine) -> None:
    names = machine.names
    noted = [
        (gap.table.at(gap.offset, gap.path), f"{gap.message}: the rest of {gap.path} is not read")
        for gap in names.gaps
    ] + [
        (_place(each), f"expected {each.path} to be defined once; the first definition counts")
        for each in names.again
        if each.path.endswith((f".{CST}", f".{LPI}"))
    ]
    machine.problems += noted[:_MOST_PROBLEMS]
    if len(noted) > _MOST_PROBLEMS:
        more = len(noted) - _MOST_PROBLEMS
        machine.problems.append((noted[-1][0], f"... and {plural(more, 'more place')} like these"))


def _place(each: Defined) -> Location:
    return each.table.at(each.start, each.path)
