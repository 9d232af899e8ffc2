"""A revision that a skiboot tree does not have: its array, its case where a table is chosen, and
the names of chips and generation that these need."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ...base.dataclass import dataclass
from ...base.model.findings import Faulty, Location
from ...base.model.table import IdleTable
from ...base.reading.c.lexer import UnsupportedC
from ...base.wording import joined
from ...tables.skiboot.c_table.writer import array_name
from ...tables.skiboot.choosing import (
    Choosing,
    MachineKind,
    TakenTable,
    generation_of,
    read_choosing,
)
from ...tables.skiboot.patching import EditRefused, SourceText, edit_table
from ...tables.skiboot.patching.case import (
    ArrayClaim,
    CaseRefused,
    expect_known,
    is_there,
    with_case,
)
from ...tables.skiboot.patching.declarations import (
    CHIPS,
    ENUM2HEADER,
    GENERATIONS,
    enumerators,
    with_array,
    with_enumerator,
)
from ...tables.spec.library import packaged
from .by_hand import LeftByHand, left_by_hand
from .faults import cannot_patch, refusal
from .tree import PatchedTree

_QUIRKS, _QUIRK_HEADER, _FUSED_HEADER = "proc_chip_quirks", "include/chip.h", "include/cpu.h"


@dataclass(frozen=True, slots=True)
class AddedRevision:
    """The changes that give a tree a revision.

    claim   the machines that take it
    files   path -> new text of the files that change; none where the tree has it all
    beside  the array behind which it stands
    before  the table that its machines take so far; "" for chips that the tree does not know
    array   place of the array in its file's new text, where it is new; case: of the case
    names   (header, name) of new enumerators
    left    of a new generation, what is left to be done by hand
    """

    claim: ArrayClaim
    files: Mapping[str, str]
    beside: str = ""
    before: str = ""
    array: Location | None = None
    case: Location | None = None
    names: tuple[tuple[str, str], ...] = ()
    left: tuple[LeftByHand, ...] = ()


def owner_of(arrays: Sequence[str]) -> IdleTable | None:
    """The packaged revision whose array it is; None for an array of no packaged one."""
    found = packaged(lambda revision: not revision.historical)
    having = (table for table in found if table.firmware.array in arrays)
    return next((table for table in having if not table.firmware.shares), None)


def is_unknown_to(sources: Mapping[str, SourceText], table: IdleTable) -> bool:
    """Tells whether the tree's code that chooses a table names none of a spec's chips."""
    try:
        choosing = read_choosing({name: source.text for name, source in sources.items()})
    except UnsupportedC:
        return False
    chips = table.cpu.chips if table.cpu else ()
    return choosing is not None and bool(chips) and not set(chips) & set(_named(choosing))


def is_own(table: IdleTable, owner: IdleTable, arrays: Sequence[str]) -> bool:
    """Tells whether a spec says the owner of an array anew, by the owner's or the array's name."""
    return table.name.partition("@")[0] == owner.name or table.name in arrays


def foreign(table: IdleTable, owner: IdleTable, place: Location | None) -> Faulty:
    """The refusal of a spec that names another revision's array. place: in the tree, if it has the
    array."""
    array = array_name(table)
    if table.firmware.shares:
        message = (
            f"expected the values that the tree has, because {table.name} shares {array} with "
            f"{owner.name}, found others; change them for both by a spec with name: {owner.name}, "
            f"or give {table.name} an array of its own"
        )
    else:
        own = f"{re.sub(r'[^A-Za-z0-9]+', '_', table.name)}_cpu_idle_states"
        message = (
            f"expected an array of {table.name}'s own, found {array}, which is {owner.name}'s: "
            f"write firmware: {{array: {own}}} with the machines that take it (quirk, ec, "
            f"fused-core, or cpu of chips that are new); or name: {owner.name}, if it is that "
            "revision that changes"
        )
    related = ((place, f"{array} of {owner.name}"),) if place else ()
    return Faulty([cannot_patch(message, _of_spec(table, "firmware"), table.name, related)])


def _of_spec(table: IdleTable, key: str) -> Location:
    return table.where.get(key) or table.where.get("table") or Location(table.name)


def added(tree: PatchedTree, sources: Mapping[str, SourceText], table: IdleTable) -> AddedRevision:
    """Returns the changes by which the tree chooses a table's revision for its machines alone.

    sources  the tree's files with tables, as the patches before leave them
    Raises Faulty (IS934), Unreadable.
    """
    return _Adding(tree, sources, table).made()


class _Adding:
    def __init__(
        self, tree: PatchedTree, sources: Mapping[str, SourceText], table: IdleTable
    ) -> None:
        self.tree = tree
        self.sources = dict(sources)
        self.table = table
        self.claim = ArrayClaim.of(table)
        if not self.claim.chips:
            raise self.fault("expected the chips that take the table, found none", "cpu")

    def made(self) -> AddedRevision:
        choosing = self.choosing()
        kin = self.kin(choosing)
        usual = choosing.table_for(MachineKind(kin or self.claim.chips[0]))
        home = next((n for n, s in self.sources.items() if self.claim.array in s.tables), "")
        try:
            expect_known(choosing, self.claim, usual)
            has_case = bool(home) and self.has_case(choosing, usual)
            if not has_case:
                self.expect_terms(choosing, usual, kin)
            beside = "" if home else self.beside(choosing, kin or self.claim.chips[0], usual)
            file = home or self.file_of(beside)
            files, before = {file: self.with_values(file, beside)}, usual.array
            if not has_case:
                text, where, before = self.with_case(files, kin)
                files |= text
        except CaseRefused as refused:
            raise self.fault(refused.message, "firmware", refused.where) from None
        names = dict(self.names(kin)) if not has_case else {}
        files |= {header: text for header, (text, _) in names.items()}
        changed = {n: text for n, text in files.items() if text != self.old(n)}
        alike = {generation_of(kin)} if kin else set()
        alike |= {
            generation_of(chip)
            for chip in _named(choosing)
            if kin and choosing.table_for(MachineKind(chip)).array == usual.array
        }
        chips = [chip for chip in _named(choosing) if generation_of(chip) in alike]
        return AddedRevision(
            self.claim,
            changed,
            beside,
            "" if kin else before,
            None if home else self.place_of(file, files[file]),
            None if has_case else where,
            tuple((header, name) for header, (_, new) in names.items() for name in new),
            tuple(left_by_hand(self.tree, changed, chips, self.claim.chips)) if chips else (),
        )

    def has_case(self, choosing: Choosing, usual: TakenTable) -> bool:
        """Tells whether the tree takes the array for the claim's machines; a shared one may be
        taken for others, too."""
        if usual.array != self.claim.array or not self.table.firmware.shares:
            return is_there(choosing, self.claim)
        return all(chip in _named(choosing) for chip in self.claim.chips)

    def old(self, name: str) -> str:
        return self.sources[name].text if name in self.sources else self.tree.text(name)

    def fault(self, message: str, key: str, where: Location | None = None) -> Faulty:
        """The refusal for a reason that is in the tree at `where`, or in the spec by a key."""
        spec = _of_spec(self.table, key)
        if where is None:
            return Faulty([cannot_patch(message, spec, self.table.name)])
        related = ((spec, f"{self.table.name} asks for it here"),)
        return Faulty([cannot_patch(message, where, self.table.name, related)])

    def choosing(self, files: Mapping[str, str] | None = None) -> Choosing:
        texts = {name: source.text for name, source in self.sources.items()} | dict(files or {})
        try:
            found = read_choosing(texts)
        except UnsupportedC as problem:
            raise self.unreadable(f": {problem.message}") from None
        if found is None:
            raise self.unreadable("")
        return found

    def unreadable(self, why: str) -> Faulty:
        where = Location(file="hw/slw.c")
        return self.fault(
            "expected add_cpu_idle_state_properties() with states = ARRAY, where a table is "
            f"chosen, found none that can be read{why}; add array and case by hand",
            "firmware",
            where,
        )

    def kin(self, choosing: Choosing) -> str:
        """A chip of the newest older generation that has a table of this kind in the tree; "" where
        the code knows the claim's chips."""
        named, chips = _named(choosing), self.claim.chips
        new = [chip for chip in chips if chip not in named]
        if not new:
            return ""
        if len(new) < len(chips):
            known = joined([chip for chip in chips if chip in named])
            raise self.fault(
                f"expected a spec for chips that the tree knows, or for new ones, found {known}, "
                f"which it knows, and {joined(new)}; write one for each, with cpu: {{chips: ...}}",
                "cpu",
                choosing.main.place(choosing.main.body.start),
            )
        if self.claim.is_variant:
            raise self.fault(
                f"expected chips that the tree chooses a table for, found {joined(new)}; "
                "patch in the table that these usually take first",
                "cpu",
                choosing.main.place(choosing.main.body.start),
            )
        older = [
            chip
            for chip in sorted(named, key=generation_of, reverse=True)
            if generation_of(chip) < generation_of(new[0]) and self.is_alike(choosing, chip)
        ]
        if not older:
            register = self.table.register.value.upper()
            raise self.fault(
                f"expected an older generation with tables of {register} in the tree, found none",
                "register",
                choosing.main.place(choosing.main.body.start),
            )
        return older[0]

    def is_alike(self, choosing: Choosing, chip: str) -> bool:
        array = choosing.table_for(MachineKind(chip)).array
        return any(
            array in source.tables and source.tables[array].table.register is self.table.register
            for source in self.sources.values()
        )

    def expect_terms(self, choosing: Choosing, usual: TakenTable, kin: str) -> None:
        """Raises Faulty for a case that the tree's code has no words for."""
        place = usual.function.place(usual.path[-1].start) if usual.function else None
        if not kin and not self.claim.is_variant:
            raise self.fault(
                f"expected machines that take {self.claim.array} and not {usual.array}, which the "
                f"tree takes for {self.claim}, found none said; write firmware: {{quirk: ...}}, "
                "{ec: ...} or {fused-core: yes}",
                "firmware",
                place,
            )
        if not kin and usual.array and not self.is_alike(choosing, self.claim.chips[0]):
            raise self.fault(
                f"expected a table of the same register as {usual.array}, found one of "
                f"{self.table.register.value}",
                "register",
                place,
            )
        quirks = enumerators(self.tree.text(_QUIRK_HEADER), _QUIRKS)
        if self.claim.quirk and self.claim.quirk not in quirks:
            raise self.fault(
                f"expected {self.claim.quirk} among the tree's quirks, found "
                f"{joined(quirks) or 'none'}: this skiboot cannot tell such a machine",
                "firmware",
                Location(file=_QUIRK_HEADER),
            )
        if self.claim.fused and not re.search(r"\bis_fused_core\b", self.tree.text(_FUSED_HEADER)):
            raise self.fault(
                "expected is_fused_core in struct cpu_thread, found none: this skiboot cannot tell "
                "fused cores",
                "firmware",
                Location(file=_FUSED_HEADER),
            )

    # the edits

    def beside(self, choosing: Choosing, chip: str, usual: TakenTable) -> str:
        """The last array of a chip's generation, in the file of its usual one."""
        file = self.file_of(usual.array)
        machines = [m for m in choosing.machines() if m.generation == generation_of(chip)]
        arrays = {choosing.table_for(machine).array for machine in machines}
        return [array for array in self.sources[file].tables if array in arrays][-1]

    def file_of(self, array: str) -> str:
        for name, source in self.sources.items():
            if array in source.tables:
                return name
        raise CaseRefused(f"expected the table {array or 'of its kin'} in the tree, found none")

    def place_of(self, file: str, text: str) -> Location:
        """The place of the array in the new text of its file."""
        return self.sources[file].with_text(text).tables[self.claim.array].table.where["table"]

    def with_values(self, file: str, beside: str) -> str:
        """The file with the array, its values as wanted."""
        source, array = self.sources[file], self.claim.array
        try:
            if beside:
                return with_array(source, array, self.table, beside)
            return edit_table(source, array, self.table.states)
        except EditRefused as refused:
            found = refusal(source, array, refused)
            related = ((_of_spec(self.table, "firmware"), f"{self.table.name} names it here"),)
            raise Faulty(
                [cannot_patch(found.message, found.location, array, related)], {file: source.text}
            ) from None

    def with_case(self, files: Mapping[str, str], kin: str) -> tuple[dict[str, str], Location, str]:
        """The file that chooses with the case, its place there, and what its machines took."""
        choosing = self.choosing(files)
        file, text = with_case(choosing, self.claim, kin)
        if file not in files:
            raise CaseRefused(
                f"expected the array in the file that chooses, {file}, found it elsewhere",
                Location(file=next(iter(files))),
            )
        after = self.choosing({**files, file: text})
        machines = (m for m in after.machines(self.claim.machines) if self.claim.covers(m))
        first = next(m for m in machines if after.table_for(m).array == self.claim.array)
        choice = after.table_for(first)
        assert choice.function is not None
        where = choice.function.place(choice.path[-1].start)
        return {file: text}, where, choosing.table_for(first).array

    def names(self, kin: str) -> Iterator[tuple[str, tuple[str, tuple[str, ...]]]]:
        """Header -> its text with new enumerators, and these."""
        if not kin:
            return
        generation = generation_of(self.claim.chips[0])
        wanted = {
            CHIPS: tuple(f"PROC_CHIP_{chip}" for chip in self.claim.chips),
            GENERATIONS: (f"proc_gen_p{generation}",),
        }
        for enum, header in ENUM2HEADER.items():
            text = self.tree.text(header)
            there = enumerators(text, enum)
            if not there and enum == CHIPS:
                raise self.fault(f"expected enum {enum}, found none", "cpu", Location(file=header))
            new = tuple(name for name in wanted[enum] if name not in there) if there else ()
            for name in new:
                text = with_enumerator(text, enum, name)
            if new:
                yield header, (text, new)


def _named(choosing: Choosing) -> list[str]:
    return list(dict.fromkeys(machine.chip for machine in choosing.machines()))
