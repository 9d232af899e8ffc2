"""A case for a new array in the code that chooses a table, in the style of the cases beside it."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ....base.dataclass import dataclass
from ....base.model.findings import Location
from ....base.model.table import IdleTable
from ....base.reading.c.lexer import UnsupportedC
from ....base.wording import joined
from ..c_table.writer import array_name
from ..choosing import (
    LATEST_EC,
    Assigned,
    Branch,
    Choosing,
    Function,
    Junction,
    MachineKind,
    Plain,
    Statement,
    StatementBlock,
    TakenTable,
    all_within,
    atoms,
    decides,
    holds,
    quirk_macro,
    read_choosing,
)
from .rows import Replacement, replaced

_TAB = 8
_COLUMNS = 80
_VARIANT = ("quirk", "ec", "fused")
"""The keys that tell a variant from the usual machine."""


class CaseRefused(Exception):
    """A case that the code does not take. message: why; where: the place in the tree, if there is
    one."""

    def __init__(self, message: str, where: Location | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where


@dataclass(frozen=True, slots=True)
class ArrayClaim:
    """The machines that are to take an array.

    chips  without PROC_CHIP_; quirk: the macro, "" for none; fused: only with fused cores
    ec     least and greatest EC level; None: all
    """

    array: str
    chips: tuple[str, ...]
    quirk: str = ""
    fused: bool = False
    ec: tuple[int, int] | None = None

    @classmethod
    def of(cls, table: IdleTable) -> "ArrayClaim":
        """The claim of a table: as its spec says, or for no chip where it names no processor."""
        home, chips = table.firmware, table.cpu.chips if table.cpu else ()
        quirk = quirk_macro(home.quirk) if home.quirk else ""
        return cls(array_name(table), chips, quirk, home.fused_core, home.ec)

    def covers(self, machine: MachineKind) -> bool:
        return (
            machine.chip in self.chips
            and (not self.quirk or self.quirk in machine.quirks)
            and (machine.fused or not self.fused)
            and (self.ec is None or self.ec[0] <= machine.ec <= self.ec[1])
        )

    @property
    def is_variant(self) -> bool:
        return bool(self.quirk or self.fused or self.ec)

    @property
    def machines(self) -> list[MachineKind]:
        """Machines at the edges of the claim, and one of a type that no code names."""
        levels = (LATEST_EC, *(self.ec or ()))
        quirks = frozenset({self.quirk} if self.quirk else ())
        found = [MachineKind(chip, ec, quirks, self.fused) for chip in self.chips for ec in levels]
        return [*found, MachineKind("UNKNOWN")]

    def __str__(self) -> str:
        parts = [f"chip {joined(self.chips, 'or')}"]
        if self.ec:
            least, greatest = self.ec
            upto = f" to {greatest:#04x}" if greatest < LATEST_EC else " and later"
            parts.append(f"EC {least:#04x}{'' if least == greatest else upto}")
        parts += [self.quirk] if self.quirk else []
        return ", ".join([*parts, "fused cores"] if self.fused else parts)


def with_case(choosing: Choosing, claim: ArrayClaim, kin: str = "") -> tuple[str, str]:
    """The file that chooses and its text with a case for a claim; the text as it is where the
    claim's machines take the array already.

    kin  a chip that the code knows, beside whose case that of an unknown chip is put
    The result has been read again: the claim's machines take the array, but those of a more special
    case that was there, and all others take what they took. Raises CaseRefused.
    """
    made = _Made(choosing, claim, kin)
    return made.function.file, made.text()


def is_there(choosing: Choosing, claim: ArrayClaim) -> bool:
    """Tells whether the code takes the claim's array on machines that it covers. Raises
    CaseRefused where it takes it on others, too."""
    taking = [m for m in machines_of(choosing, claim) if choosing.table_for(m).array == claim.array]
    others = [machine for machine in taking if not claim.covers(machine)]
    if others:
        found = choosing.table_for(others[0])
        message = (
            f"expected {claim.array} to be taken for {claim} alone, found it taken for {others[0]}"
        )
        raise CaseRefused(message, _place(found))
    return bool(taking)


def expect_known(choosing: Choosing, claim: ArrayClaim, choice: TakenTable) -> None:
    """Raises CaseRefused where it is not known what the usual machine takes, or it takes none."""
    function = choice.function or choosing.main
    if choice.doubt is not None:
        raise CaseRefused(
            "expected conditions on chip, EC level, quirk and fused cores where a table is "
            "chosen, found another; add the case by hand",
            function.place(choice.doubt.start),
        )
    if not choice.array:
        raise CaseRefused(
            f"expected a table that this tree takes for {claim}, found none",
            function.place(function.body.start),
        )


def machines_of(choosing: Choosing, claim: ArrayClaim) -> list[MachineKind]:
    """The kinds of machines that the code or a claim tells apart. Raises CaseRefused."""
    try:
        return choosing.machines(claim.machines)
    except UnsupportedC as problem:
        raise CaseRefused(problem.message) from None


def _place(choice: TakenTable) -> Location | None:
    return choice.function.place(choice.path[-1].start) if choice.function else None


class _Made:
    def __init__(self, choosing: Choosing, claim: ArrayClaim, kin: str) -> None:
        self.choosing = choosing
        self.claim = claim
        self.machines = machines_of(choosing, claim)
        self.kin = kin
        usual = [choosing.table_for(MachineKind(chip)) for chip in ((kin,) if kin else claim.chips)]
        for choice in usual:
            expect_known(choosing, claim, choice)
        places = {choice.path[-1].start: choice for choice in usual}
        if len(places) > 1:
            arrays = joined(list(dict.fromkeys(choice.array for choice in usual)))
            raise CaseRefused(
                f"expected one case for {claim}, found the chips in several ({arrays}); "
                "write a spec for each of them",
                _place(usual[-1]),
            )
        (self.usual,) = places.values()
        assert self.usual.function is not None
        self.function: Function = self.usual.function

    @property
    def chain(self) -> list[Branch]:
        """The ifs that tell variants apart, up to the usual table, each the else of the one
        before; after one whose condition the usual machine meets there is none."""
        found: list[Branch] = []
        for at, inside in pairwise(self.usual.path):
            if not isinstance(at, Branch):
                continue
            asks_variant = any(atom.what in _VARIANT for atom in atoms(at.condition))
            if not asks_variant or self.kin:
                found = []
            elif found and found[-1].otherwise is at:
                found.append(at)
            else:
                found = [at]
            if found and inside is at.then:
                # what comes behind is not reached by a case within this one
                break
        return found

    def text(self) -> str:
        text = self.function.text
        edits = self.new_chip() if self.kin else self.variant()
        made = replaced(text, edits)
        self.verify(made)
        return made

    # a variant of chips that the code knows

    def variant(self) -> list[Replacement]:
        chain = self.chain
        own = {m for m in self.machines if self.claim.covers(m)}
        place = len(chain)
        for number, arm in reversed(list(enumerate(chain))):
            matched = {m for m in self.of_chips() if holds(arm.condition, m)}
            if matched == own:
                self.refuse_same(arm)
            if own < matched:
                place = number
        left = [m for m in own if not any(holds(arm.condition, m) for arm in chain[:place])]
        if not left:
            arm = next(a for a in chain[:place] if all(holds(a.condition, m) for m in own))
            self.refuse_same(arm)
        outside = [m for m in left if self.usual.path[-1] not in self.choosing.table_for(m).path]
        behind = chain[place:]
        if len(outside) == len(left) and not behind:
            found = self.choosing.table_for(left[0])
            raise CaseRefused(
                f"expected machines of {self.claim} that take {self.usual.array}, found that an "
                f"earlier case takes {found.array or 'no table'} for all of them",
                _place(found),
            )
        return self.arm_at(chain, place, self.condition())

    def refuse_same(self, arm: Branch) -> None:
        found = next((a.array for a in _arrays(arm.then)), "another table")
        raise CaseRefused(
            f"expected no case for {self.claim} yet, found one that takes {found}: an earlier case "
            f"leaves none of these machines to {self.claim.array}",
            self.function.place(arm.start),
        )

    def of_chips(self) -> Iterator[MachineKind]:
        """The machines of the claim's chips, and of others that meet the same cases."""
        yield from (m for m in self.machines if self.meets(m))

    def meets(self, machine: MachineKind) -> bool:
        """Tells whether a machine, as it usually is, takes the same table at the same place."""
        usual = self.choosing.table_for(MachineKind(machine.chip))
        return usual.path[-1:] == self.usual.path[-1:]

    def condition(self) -> list[str]:
        """The terms that are joined by &&."""
        claim, text = self.claim, self.function.text[self.function.body.start :]
        found = re.search(r"\b(\w+)->type\b", text)
        chip = found[1] if found else "chip"
        terms = []
        if any(m.chip not in claim.chips for m in self.of_chips()):
            tests = [f"{chip}->type == PROC_CHIP_{name}" for name in claim.chips]
            terms.append(tests[0] if len(tests) == 1 else f"({' || '.join(tests)})")
        if claim.quirk:
            terms.append(self.quirk(claim.quirk))
        if claim.ec:
            terms += _levels(f"{chip}->ec_level", *claim.ec)
        if claim.fused:
            terms.append("this_cpu()->is_fused_core")
        if len(terms) > 1:
            return [f"({term})" if re.search(r" & ", term) else term for term in terms]
        return terms

    def quirk(self, macro: str) -> str:
        """A test of a quirk, as the function has others, else as the file has most."""
        own, file = self.function.text[self.function.body.start :], self.function.text
        for text in (own[: self.function.body.end - self.function.body.start], file):
            calls, ands = text.count("chip_quirk("), len(re.findall(r"proc_chip_quirks\s*&", text))
            if calls or ands:
                return f"chip_quirk({macro})" if calls > ands else f"proc_chip_quirks & {macro}"
        return f"proc_chip_quirks & {macro}"

    def arm_at(
        self, chain: Sequence[Branch], place: int, terms: Sequence[str]
    ) -> list[Replacement]:
        """A case before the one of a number, or as the last before the usual table."""
        if not chain:
            return [self.wrapped(terms)]
        indent = self.indent(chain[0].start)
        arm = self.arm(terms, indent)
        if place < len(chain):
            at = chain[place].start
            return [Replacement(at, at, f"{arm} else ")]
        other = chain[-1].otherwise
        if other is None:
            return [Replacement(chain[-1].end, chain[-1].end, f" else {arm}")]
        return [Replacement(other.start, other.start, f"{arm} else ")]

    def arm(self, terms: Sequence[str], indent: str) -> str:
        end, array, target = self.newline, self.claim.array, self.target
        star = "*" if target.startswith("*") else ""
        return (
            f"if ({self.fitted(terms, indent)}) {{{end}{indent}\t{target} = {array};{end}"
            f"{indent}\t{star}nr_states = ARRAY_SIZE({array});{end}{indent}}}"
        )

    def fitted(self, terms: Sequence[str], indent: str) -> str:
        """Terms on one line, or where that is too long for it on one line each."""
        line = " && ".join(terms)
        room = _COLUMNS - len(indent.expandtabs(_TAB)) - len("} else if () {")
        return line if len(line) <= room else f" &&{self.newline}{indent}    ".join(terms)

    def wrapped(self, terms: Sequence[str]) -> Replacement:
        """The usual table's two statements as the last case of a new if."""
        start, end = self.pair()
        indent = self.indent(start)
        lines = self.function.text[start:end].split("\n")
        usual = "\n".join(
            f"\t{line}" if number and line.strip() else line for number, line in enumerate(lines)
        )
        made = f"{self.arm(terms, indent)} else {{{self.newline}{indent}\t{usual}"
        return Replacement(start, end, f"{made}{self.newline}{indent}}}")

    def pair(self) -> tuple[int, int]:
        """Start and end of the statements that take the usual table and its number of rows."""
        at, around = self.usual.path[-1], self.usual.path[-2]
        if isinstance(around, StatementBlock):
            number = around.inner.index(at)
            for other in around.inner[max(0, number - 1) : number + 2]:
                if isinstance(other, Plain) and other.kind == "count":
                    return min(at.start, other.start), max(at.end, other.end)
        raise CaseRefused(
            f"expected nr_states set beside states = {self.usual.array}, found it elsewhere; "
            "add the case by hand",
            self.function.place(at.start),
        )

    # a chip that the code does not know

    def new_chip(self) -> list[Replacement]:
        """A case of its own after the kin's, or where that does more than choose, a part of it."""
        path = self.usual.path
        known = [
            at
            for at, inside in pairwise(path)
            if isinstance(at, Branch)
            and inside is at.then
            and any(atom.what == "chip" for atom in atoms(at.condition))
        ]
        if not known:
            raise CaseRefused(
                f"expected a condition on PROC_CHIP_{self.kin} where {self.usual.array} is taken, "
                "found none; add the case by hand",
                _place(self.usual),
            )
        kin = known[-1]
        terms = [self.chip_test()]
        if self.claim.array == self.usual.array:
            return self.widened(kin)
        body = kin.then.inner if isinstance(kin.then, StatementBlock) else ()
        if body and all(_only_chooses(each) for each in body):
            arm = self.arm(terms, self.indent(kin.start))
            if kin.otherwise is None:
                return [Replacement(kin.end, kin.end, f" else {arm}")]
            at = kin.otherwise.start
            return [Replacement(at, at, f"{arm} else ")]
        inside = self.inner_chain(kin)
        return [*self.widened(kin), *self.arm_at(inside, 0, terms)]

    def widened(self, kin: Branch) -> list[Replacement]:
        """The kin's condition with the new chips."""
        test = kin.condition
        parts = test.parts if isinstance(test, Junction) and test.how == "any" else (test,)
        if any(
            not (atom.what == "chip" and atom.operator == "==") for p in parts for atom in atoms(p)
        ):
            raise CaseRefused(
                f"expected a condition on chips alone around {self.usual.array}, found another; "
                "add the case by hand",
                self.function.place(kin.start),
            )
        at = kin.condition_at[1]
        more = f" ||{self.newline}{self.indent(kin.start)}    {self.chip_test()}"
        return [Replacement(at, at, more)]

    def inner_chain(self, kin: Branch) -> list[Branch]:
        """The ifs within the kin's case that choose, of which the first is asked first."""
        path = self.usual.path
        inside = path[path.index(kin) + 1 :]
        return [at for at in inside if isinstance(at, Branch)][:1]

    def chip_test(self) -> str:
        found = re.search(r"\b(\w+)->type\b", self.function.text[self.function.body.start :])
        chip = found[1] if found else "chip"
        return " || ".join(f"{chip}->type == PROC_CHIP_{name}" for name in self.claim.chips)

    # the text

    @property
    def target(self) -> str:
        at = self.usual.path[-1]
        return at.target if isinstance(at, Assigned) else "states"

    @property
    def newline(self) -> str:
        return "\r\n" if "\r\n" in self.function.text else "\n"

    def indent(self, at: int) -> str:
        """The blanks at the beginning of an offset's line."""
        text = self.function.text
        line = text.rfind("\n", 0, at) + 1
        found = re.compile(r"[ \t]*").match(text, line)
        return found[0] if found else ""

    def verify(self, made: str) -> None:
        """Raises CaseRefused if some machine does not get what it is to get."""
        texts = {function.file: function.text for function in self.choosing.functions}
        try:
            after = read_choosing({**texts, self.function.file: made})
        except UnsupportedC:
            after = None
        gained = 0
        for machine in self.machines:
            old = self.choosing.table_for(machine)
            new = after.table_for(machine) if after else TakenTable()
            gained += new.array == self.claim.array and self.claim.covers(machine)
            if new.array != old.array and not (
                new.array == self.claim.array and self.claim.covers(machine)
            ):
                raise CaseRefused(
                    f"expected {machine} to take {old.array or 'no table'} after the edit, found "
                    f"{new.array or 'none'}; add the case by hand",
                    _place(old),
                )
        if not gained:
            raise CaseRefused(
                f"expected machines of {self.claim} to take {self.claim.array} after the edit, "
                "found none; add the case by hand",
                _place(self.usual),
            )


def _levels(level: str, least: int, greatest: int) -> list[str]:
    if least == greatest:
        return [f"{level} == {least:#04x}"]
    terms = [f"{level} >= {least:#04x}"] if least else []
    return [*terms, f"{level} < {greatest + 1:#04x}"] if greatest < LATEST_EC else terms


def _arrays(at: Statement) -> Iterator[Assigned]:
    yield from (each for each in all_within(at) if isinstance(each, Assigned))


def _only_chooses(at: Statement) -> bool:
    if isinstance(at, Plain):
        return at.kind == "count"
    return isinstance(at, Assigned) or (isinstance(at, Branch) and decides(at))
