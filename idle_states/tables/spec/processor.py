"""Builds the processor that a spec defines: its `cpu` with `versions`."""

from collections.abc import Iterator

from ...base.dataclass import dataclass
from ...base.model.findings import Location
from ...base.model.processors import ALWAYS, Chip, Known, Processor, Version
from ...base.patterns import pattern
from ...base.reading import scalars
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Mapping, Node
from .fields import expect_only, optional_text, required_text
from .keys import CHIP_KEYS, CPU_KEYS, VERSION_KEYS

_ISA = pattern(r"([0-9]{1,2})\.([0-9]{1,2})(?:B|C)?")
_KNOWN = pattern(r"v?([0-9]+(?:\.[0-9]+){1,2}(?:-rc[0-9]+)?)(?:[ ]+(\S{1,64}))?")
_NAME = pattern(r"[a-z][a-z0-9_.-]{0,63}")
MOST_PVR = 0xFFFF
_MOST_LEVEL = 15


def processor_of(cpu: Mapping, problems: SpecProblems) -> Processor | None:
    """The processor of a mapping that defines one; None after reporting."""
    expect_only(cpu, CPU_KEYS, problems)
    return _Definition(cpu, problems, {}).build()


@dataclass(slots=True)
class _Definition:
    cpu: Mapping
    problems: SpecProblems
    where: dict[str, Location]

    def build(self) -> Processor | None:
        entries, problems = self.cpu.entries, self.problems
        name = required_text(entries, "generation", "cpu", self.cpu.where, problems)
        if name and not _NAME.fullmatch(name):
            what = "a generation as skiboot and Linux would name it, such as power12"
            problems.wrong_type(what, repr(name), entries["generation"].where)
        self.where |= {key: node.where for key, node in entries.items()}
        isa = self._isa()
        versions = tuple(self._versions())
        if not name or isa is None or not versions:
            return None
        usual = self._number("pvr", MOST_PVR, "a PVR: the upper 16 bits of the register")
        if usual is not None and all(version.pvr != usual for version in versions):
            known = [f"{version.pvr:#06x}" for version in versions]
            where = entries["pvr"].where
            problems.unknown_name("one of the PVRs of versions", f"{usual:#06x}", where, known)
        stops = self._number("timebase-stops-from", _MOST_LEVEL, "a stop level")
        return Processor(
            name,
            isa,
            usual or versions[0].pvr,
            versions,
            tuple(levels_of(entries.get("levels"), problems)),
            self._yes("grouped-levels"),
            stops,
            self._yes("fast-sleep"),
            self._yes("linux-restores"),
            optional_text(entries, "boost-state", problems),
            optional_text(entries, "machine", problems),
            tuple(texts_of(entries.get("kernels"), "a list of Linux releases", problems)),
            self.where,
        )

    def _isa(self) -> tuple[int, int] | None:
        node = self.cpu.entries.get("isa")
        if node is None:
            self.problems.missing_key("isa", "cpu with versions", self.cpu.where)
            return None
        what = "a version of the Power ISA, such as 3.1"
        text = scalars.text(node, what, self.problems)
        match = _ISA.fullmatch(text) if text else None
        if text and match is None:
            self.problems.wrong_type(what, repr(text), node.where)
        return (int(match[1]), int(match[2])) if match else None

    def _yes(self, key: str) -> bool:
        return scalars.yes_no(self.cpu.entries.get(key), self.problems) is True

    def _number(self, key: str, most: int, what: str) -> int | None:
        return scalars.integer(self.cpu.entries.get(key), self.problems, most=most, what=what)

    def _versions(self) -> Iterator[Version]:
        written = self.cpu.entries["versions"]
        items = scalars.items(written, "a list of versions", self.problems)
        if not items:
            self.problems.missing_key("pvr", "versions: one version at least", written.where)
        for item in scalars.mappings(items, "a version as a mapping", self.problems):
            expect_only(item, VERSION_KEYS, self.problems)
            entries = item.entries
            of = "a version of a processor"
            if self.problems.missing(("pvr", "chips"), entries, of, item.where):
                continue
            what = "a PVR: the upper 16 bits of the register"
            pvr = scalars.integer(entries["pvr"], self.problems, most=MOST_PVR, what=what)
            chips = tuple(self._chips(entries["chips"]))
            if pvr is None or not chips:
                continue
            self._once(f"pvr {pvr:#06x}", entries["pvr"].where)
            linux = known_of(entries.get("linux"), "Linux", self.problems)
            testers = texts_of(entries.get("testers"), "a list of programs", self.problems)
            yield Version(pvr, chips, linux, tuple(testers))

    def _chips(self, written: Node) -> Iterator[Chip]:
        items = scalars.items(written, "a list of chips", self.problems)
        if not items:
            self.problems.missing_key("name", "chips: one chip at least", written.where)
        for item in scalars.mappings(items, "a chip as a mapping with its name", self.problems):
            expect_only(item, CHIP_KEYS, self.problems)
            entries = item.entries
            name = required_text(entries, "name", "a chip", item.where, self.problems)
            numbers = {
                key: scalars.integer(entries.get(key), self.problems, most=0xFF, what=what)
                for key, what in (
                    ("cfam-id", "the low byte of a CFAM chip id"),
                    ("sleeps-from-ec", "an EC level such as 0x20"),
                )
            }
            skiboot = known_of(entries.get("skiboot"), "skiboot", self.problems)
            if name:
                self._once(f"chip {name}", entries["name"].where)
                cfam, ec = numbers.get("cfam-id"), numbers.get("sleeps-from-ec")
                yield Chip(name, cfam, skiboot, ec or 0)

    def _once(self, what: str, where: Location) -> None:
        first = self.where.setdefault(what, where)
        if first is not where:
            self.problems.add(
                "IS924",
                "out-of-range",
                f"expected each {what.partition(' ')[0]} once in versions, found {what} twice; "
                "remove one of them",
                where,
                related=((first, "given here first"),),
            )


def known_of(node: Node | None, of: str, problems: SpecProblems) -> Known | None:
    """The first release that knows something: "RELEASE COMMIT", always, or none. of: skiboot or
    Linux."""
    if node is None:
        return None
    what = f"the first release of {of} and its commit, such as 7.0 1cb7b37c9, or always, or none"
    text = scalars.text(node, what, problems)
    if text in (None, "none"):
        return None
    if text == "always":
        return ALWAYS
    match = _KNOWN.fullmatch(str(text))
    if match is None:
        problems.wrong_type(what, repr(text), node.where)
        return None
    return Known(match[1], match[2] or "")


def texts_of(node: Node | None, what: str, problems: SpecProblems) -> Iterator[str]:
    for item in scalars.items(node, what, problems):
        text = scalars.text(item, "a name", problems)
        if text is not None:
            yield text


def levels_of(node: Node | None, problems: SpecProblems) -> Iterator[int]:
    for item in scalars.items(node, "a list of stop levels", problems):
        level = scalars.integer(item, problems, most=_MOST_LEVEL, what="a stop level")
        if level is not None:
            yield level
