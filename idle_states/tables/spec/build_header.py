"""Builds what a spec says of its processor and of firmware: `cpu` and `firmware`."""

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as MappingType
from typing import Protocol

from ...base.dataclass import replace
from ...base.model.findings import Location
from ...base.model.processors import UNKNOWN_CHIP, Processor
from ...base.model.table import Cpu, Firmware
from ...base.patterns import pattern
from ...base.reading import scalars
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Mapping, Node
from ...base.wording import suggestion
from .fields import expect_only, optional_text
from .inherit import ExpandedSpec
from .keys import CPU_KEYS, FIRMWARE_KEYS, REVISION_KEYS
from .packaged import named
from .processor import MOST_PVR, known_of, processor_of, texts_of

_EC = pattern(r"(0x[0-9a-fA-F]{1,2})(?:\.\.(0x[0-9a-fA-F]{1,2}))?")


class Beside(Protocol):
    """Other specs, packaged or beside a file, by their names."""

    def generations(self) -> Sequence[str]:
        """Names of the processors that packaged specs define."""

    def processor(self, name: str) -> Processor | None:
        """The processor that a spec defines; None if there is no such spec."""

    def firmware(self, name: str) -> Firmware | None:
        """Returns the place that firmware has a spec's table at; None if there is no such spec."""


def cpu_of(
    written: Node | None, expanded: ExpandedSpec, beside: Beside, problems: SpecProblems
) -> Cpu | None:
    """The processor of a spec and what the spec says of it; None after reporting."""
    if written is None:
        problems.missing_key("cpu", "a spec", expanded.document.where)
    node = scalars.mapping(written, "a mapping", problems)
    if node is None:
        return None
    for key, where in node.keys.items():
        if key in CPU_KEYS and key not in REVISION_KEYS:
            message = (
                f"expected {key!r} in the spec that defines the processor, beside 'versions', found"
                " it here; add versions: [{pvr: ..., chips: [...]}] if this is a new processor"
            )
            problems.add("IS920", "unknown-key", message, where)
        elif key not in CPU_KEYS:
            problems.unknown_key(key, where, CPU_KEYS)
    if expanded.processor is not None:
        processor = processor_of(expanded.processor, problems)
    else:
        processor = _named(node, beside, problems)
    return _revision(node, Cpu.of(processor), problems) if processor is not None else None


def _named(cpu: Mapping, beside: Beside, problems: SpecProblems) -> Processor | None:
    """The processor that another spec defines."""
    node = cpu.entries.get("generation")
    if node is None:
        problems.missing_key("generation", "cpu", cpu.where)
        return None
    name = scalars.text(node, "a generation", problems)
    found = beside.processor(name) if name is not None else None
    if found is None and name is not None:
        known = beside.generations()
        listed = ", ".join(known)
        message = (
            f"expected a generation ({listed}), found {name!r}{suggestion(name, known)}"
            "; of a new one say cpu: {isa: ..., versions: [{pvr: ..., chips: [...]}]}, here or in "
            f"{name}.yaml beside this file"
        )
        problems.add("IS925", "unknown-name", message, node.where)
    return found


def _revision(cpu: Mapping, usual: Cpu, problems: SpecProblems) -> Cpu:
    """Returns what a spec says of its table alone, else what holds for its processor."""
    entries = cpu.entries
    if "kernels" in entries:
        releases = texts_of(entries["kernels"], "a list of Linux releases", problems)
        usual = replace(usual, kernels=tuple(releases))
    return Cpu(
        usual.processor,
        _pvr(entries["pvr"], usual, problems) if "pvr" in entries else usual.pvr,
        tuple(_chips(entries["chips"], usual, problems)) if "chips" in entries else usual.chips,
        tuple(_levels(entries["levels"], usual, problems)) if "levels" in entries else usual.levels,
        scalars.yes_no(entries.get("supported"), problems) is not False,
        usual.kernels,
    )


def _pvr(node: Node, cpu: Cpu, problems: SpecProblems) -> int:
    pvr = scalars.integer(node, problems, most=MOST_PVR, what="a PVR version")
    known = [version.pvr for version in cpu.processor.versions]
    if pvr is None:
        return cpu.pvr
    if pvr not in known:
        names = [f"{value:#06x}" for value in known]
        where = _related(cpu, "versions", "it has these PVRs")
        what = f"a PVR of {cpu.generation}"
        problems.unknown_name(what, f"{pvr:#06x}", node.where, names, where)
    return pvr


def _related(cpu: Cpu, key: str, what: str) -> tuple[tuple[Location, str], ...]:
    """Returns the place of a value in a processor's spec, with words for people."""
    where = cpu.processor.where.get(key)
    return ((where, f"{what} by the spec that defines it"),) if where else ()


def _chips(node: Node, cpu: Cpu, problems: SpecProblems) -> Iterator[str]:
    for item in scalars.items(node, "a list", problems):
        chip = scalars.text(item, "a chip", problems)
        if chip in (*cpu.chips, UNKNOWN_CHIP):
            yield chip
        elif chip is not None:
            known = (*cpu.chips, UNKNOWN_CHIP)
            where = _related(cpu, "versions", "it has these chips")
            what = f"a chip of {cpu.generation}"
            problems.unknown_name(what, chip, item.where, known, where)


def _levels(node: Node, cpu: Cpu, problems: SpecProblems) -> Iterator[int]:
    for item in scalars.items(node, "a list of stop levels", problems):
        level = scalars.integer(item, problems, most=15, what="a stop level")
        if level is not None and level not in cpu.levels:
            names = [str(known) for known in cpu.levels]
            where = _related(cpu, "levels", "it has these levels")
            what = f"a stop level of {cpu.generation}"
            problems.unknown_name(what, str(level), item.where, names, where)
        elif level is not None:
            yield level


def firmware_of(expanded: ExpandedSpec, beside: Beside, problems: SpecProblems) -> Firmware:
    """Returns where firmware has the table of a spec, and for which machines."""
    node = scalars.mapping(expanded.header.get("firmware"), "a mapping", problems)
    if node is None:
        return Firmware()
    expect_only(node, FIRMWARE_KEYS, problems)
    entries = node.entries
    shares = optional_text(entries, "shares", problems)
    array = optional_text(entries, "array", problems)
    file = optional_text(entries, "file", problems)
    if shares and (found := _shared(shares, entries, beside, problems)) is not None:
        array, file = found.array, found.file
    return Firmware(
        array=array,
        file=file,
        quirk=optional_text(entries, "quirk", problems),
        fused_core=scalars.yes_no(entries.get("fused-core"), problems) is True,
        copy_of=optional_text(entries, "copy-of", problems),
        ec=_ec(entries["ec"], problems) if "ec" in entries else None,
        shares=shares,
        skiboot=known_of(entries.get("skiboot"), "skiboot", problems),
    )


def _shared(
    shares: str, entries: MappingType[str, Node], beside: Beside, problems: SpecProblems
) -> Firmware | None:
    """The firmware of the revision whose array a spec declares to share."""
    node, other = entries["shares"], beside.firmware(shares)
    if other is None or not other.array:
        what = "the name of a spec with an array" if other is None else "a spec with an array"
        message = f"expected {what} as that whose array is shared, found {shares!r}"
        known = [revision.name for revision in named()]
        problems.add("IS926", "broken-extends", message + suggestion(shares, known), node.where)
        return None
    for key in ("array", "copy-of"):
        if key in entries:
            message = f"expected no {key!r} beside 'shares', found both; remove one of them"
            problems.add("IS920", "unknown-key", message, entries[key].where)
    return other


def _ec(node: Node, problems: SpecProblems) -> tuple[int, int] | None:
    """The least and the greatest EC level of "0x10" or "0x10..0x1f"."""
    what = "an EC level or a range of them, such as 0x10 or 0x10..0x1f"
    text = scalars.text(node, what, problems)
    match = _EC.fullmatch(text) if text is not None else None
    if match is None:
        if text is not None:
            problems.wrong_type(what, repr(text), node.where)
        return None
    least, most = int(match[1], 0), int(match[2] or match[1], 0)
    if least > most:
        problems.out_of_range("the least EC level first", str(text), node.where)
    return least, most
