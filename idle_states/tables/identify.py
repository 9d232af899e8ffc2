"""The packaged table that a subject claims to be, or is nearest to, and the differences from it."""

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from ..base.dataclass import dataclass, replace
from ..base.model.stages import Lost
from ..base.model.table import (
    U32_MAX,
    IdleState,
    IdleTable,
    Psscr,
    Register,
    field_mask,
    flag_names,
)
from ..base.model.units import format_time
from ..base.wording import joined
from .pipeline import Subject
from .skiboot.export import export
from .skiboot.platform import ALL_LEVELS, Platform
from .skiboot.releases import ExportCode, skiboot_features
from .spec import registry
from .spec.library import find, packaged
from .spec.packaged import Revision, resolve_table

_Values = tuple[str | int | None, ...]
"""The values of a state, as IdleState.values() returns them."""
_MOST_STATES = 0xFF
"""skiboot counts the states it exports in a u8."""


@dataclass(frozen=True, slots=True)
class RowDifference:
    """One difference between a table and the packaged table it claims to be.

    index   row of the table, None if a row is missing
    field   what differs, as Subject.at() takes it; "state" for a whole row
    text    e.g. "exit latency 6us instead of 5us", "is missing; power9 has it first"
    wanted  the packaged table's row; None for a row that the packaged table lacks
    """

    index: int | None
    field: str
    text: str
    wanted: IdleState | None


@dataclass(frozen=True)
class Claim:
    """The packaged table a subject claims to be, or for a device tree the nearest one.

    required  rows of `table` that the subject must have
    wanted    in order, the required rows and those that the subject may have and does have
    lost      rows of `table` that firmware does not export, with the reasons
    """

    table: IdleTable
    required: tuple[IdleState, ...]
    wanted: tuple[IdleState, ...]
    lost: tuple[Lost, ...] = ()

    @cached_property
    def rows(self) -> tuple[_Values, ...]:
        """The values of the wanted rows; claims with equal rows cannot be told apart."""
        return tuple(state.values() for state in self.wanted)


def is_called(table: IdleTable, name: str) -> bool:
    """Tells whether a table is the one that a spec names; of a C table, whether its array is that
    of the packaged table of the name."""
    if table.read_from.kind != "c" or resolve_table(name) is None:
        return table.name == name
    return find(name).firmware.array == table.firmware.array != ""


@lru_cache(maxsize=4)
def claim(subject: Subject) -> Claim | None:
    """Returns the packaged table that a subject is to be compared with.

    None for a packaged spec, a table that has the name of no packaged one, and a device tree with
    no states or with more than any skiboot can export.
    """
    if subject.form == "dt":
        return _nearest(subject) if 0 < len(subject.table.states) <= _MOST_STATES else None
    reference = subject.reference
    return Claim(reference, reference.states, reference.states) if reference else None


def _nearest(subject: Subject) -> Claim | None:
    """Returns the packaged table that has the fewest differences from the tree; of equals, the
    earlier revision."""
    if subject.table.origin.form == "dt" and subject.table.origin.unknown:
        return None
    if (claims := subject.timeless.get("claims")) is None:
        claims = subject.timeless["claims"] = _claims(subject)
    rows = [state.values() for state in subject.table.states]
    return min(claims, key=lambda claimed: _distance(rows, claimed), default=None)


def _claims(subject: Subject) -> list[Claim]:
    """Exports every packaged table as skiboot would, under the tree's own stop levels."""
    levels = subject.node.stop_levels if subject.node else None
    platform = replace(
        ALL_LEVELS,
        enabled_stop_levels=U32_MAX if levels is None else levels,
        skiboot=subject.platform.skiboot,
    )
    claims: dict[tuple[object, ...], Claim] = {}
    names = frozenset(state.name for state in subject.table.states)
    for table in _candidates(subject):
        for variant in _variants(platform, _asks_hostboot(table)):
            claimed = _export_claim(table, variant, names)
            claims.setdefault(claimed.rows, claimed)
    return list(claims.values())


def _candidates(subject: Subject) -> Iterator[IdleTable]:
    table = subject.table

    def wanted(revision: Revision) -> bool:
        # names of revisions begin with the generation, so others are skipped without being read
        own = table.cpu is None or revision.name.startswith(table.cpu.generation)
        return own and not revision.historical

    for candidate in (*packaged(wanted), *subject.platform.specs):
        if candidate.register is not table.register or not candidate.cpu:
            continue
        if table.cpu is None or candidate.cpu.generation == table.cpu.generation:
            yield candidate


def _asks_hostboot(table: IdleTable) -> bool:
    """Tells whether fast sleep matters to what firmware exports of a packaged table."""
    return table.cpu is not None and table.cpu.processor.fast_sleep


@lru_cache(maxsize=64)
def _variants(platform: Platform, sleeps: bool) -> tuple[Platform, ...]:
    """The platform with and without wakeup engine and, where it matters, fast sleep: a tree does
    not tell which."""
    return tuple(
        replace(platform, wakeup_engine=wakeup_engine, fast_sleep=fast_sleep)
        for wakeup_engine in (True, False)
        for fast_sleep in ((True, False) if sleeps else (True,))
    )


@lru_cache(maxsize=1024)
def _export_claim(table: IdleTable, platform: Platform, names: frozenset[str]) -> Claim:
    """Returns what skiboot exports of a spec's table, as a claim. names: of the states in the tree,
    which may include states that only NVRAM settings bring back."""
    code = None
    if table.cpu is not None and registry.find(table.cpu.generation) is None:
        # some skiboot knows it, for it made the tree
        code = ExportCode(skiboot_features(platform.skiboot), frozenset(table.cpu.chips))
        platform = replace(platform, skiboot=None)
    exported = export(table, platform, code)
    # NVRAM may bring back what OPAL's own mask takes away
    masked = {lost.index for lost in exported.lost if lost.cause == "disabled-by-opal"}
    optional = {index for index in masked if table.states[index].name in names}
    wanted = sorted({*exported.indices, *optional})
    return Claim(
        table,
        tuple(table.states[index] for index in exported.indices),
        tuple(table.states[index] for index in wanted),
        exported.lost,
    )


@lru_cache(maxsize=4)
def drift(subject: Subject) -> tuple[RowDifference, ...]:
    """The differences between a subject and the packaged table it claims to be or is nearest to."""
    claimed = claim(subject)
    return tuple(compare(subject.table, claimed)) if claimed else ()


def compare(table: IdleTable, claimed: Claim) -> list[RowDifference]:
    """The differences between a table and its claim: in fields, in rows, and in their order."""
    found, wanted, who = table.states, claimed.wanted, claimed.table.name
    pairs = _pairs([state.values() for state in found], claimed.rows)
    by_row = sorted((index, at) for at, index in pairs.items())
    result = [
        RowDifference(index, field, text, wanted[at])
        for index, at in by_row
        for field, text in field_differences(found[index], wanted[at], table.register)
    ]
    kept = _longest_run([at for _, at in by_row])
    for index, at in by_row:
        if at not in kept:
            text = f"is out of order; {who} has it {_position(at, wanted)}"
            result.append(RowDifference(index, "state", text, wanted[at]))
    for at, row in enumerate(wanted):
        if at not in pairs:
            text = f"is missing; {who} has it {_position(at, wanted)}"
            result.append(RowDifference(None, "state", text, row))
    names = {row.name for row in wanted}
    for index in sorted(set(range(len(found))) - set(pairs.values())):
        again = found[index].name in names
        text = f"appears again; {who} has it once" if again else f"is not a state of {who}"
        result.append(RowDifference(index, "state", text, None))
    return result


def _distance(rows: Sequence[_Values], claimed: Claim) -> int:
    """The number of differences that `compare` finds of a table with these rows."""
    wanted = claimed.rows
    pairs = _pairs(rows, wanted)
    fields = sum(
        one != other
        for at, index in pairs.items()
        if rows[index] != wanted[at]
        for one, other in zip(rows[index], wanted[at], strict=True)
    )
    moved = len(pairs) - len(
        _longest_run([at for _, at in sorted((i, at) for at, i in pairs.items())])
    )
    return fields + moved + len(wanted) + len(rows) - 2 * len(pairs)


def _pairs(found: Sequence[_Values], wanted: Sequence[_Values]) -> dict[int, int]:
    """Pairs rows: position in `wanted` -> position in `found`. Equal rows are paired first, then
    rows of equal names, then rows equal but for the name."""
    pairs: dict[int, int] = {}
    left, free = [*range(len(wanted))], [*range(len(found))]
    for key in (slice(None), slice(1), slice(1, None)):
        rows = [(index, found[index][key]) for index in free]
        for at in left:
            values = wanted[at][key]
            for pair in rows:
                if pair[1] == values:
                    pairs[at] = pair[0]
                    rows.remove(pair)
                    break
        left = [at for at in left if at not in pairs]
        free = [index for index, _ in rows]
        if not left or not free:
            break
    return pairs


def _longest_run(order: Sequence[int]) -> list[int]:
    """Returns a longest ascending subsequence; the rows outside it have been moved."""
    if sorted(order) == order:
        return [*order]
    runs: list[list[int]] = [[]]
    for at in order:
        before = [run for run in runs if not run or run[-1] < at]
        runs.append([*max(before, key=lambda run: len(run)), at])
    return max(runs, key=lambda run: len(run))


def _position(at: int, wanted: Sequence[IdleState]) -> str:
    return f"after {wanted[at - 1].name}" if at else "first"


def field_differences(
    found: IdleState, wanted: IdleState, register: Register
) -> Iterator[tuple[str, str]]:
    """(field, text) for each value in which two rows differ."""
    if found.name != wanted.name:
        yield "name", f"name {found.name!a} instead of {wanted.name!a}"
    if found.latency_ns != wanted.latency_ns:
        times = (format_time(found.latency_ns), format_time(wanted.latency_ns))
        yield "latency", "exit latency {} instead of {}".format(*times)
    if found.residency_ns != wanted.residency_ns:
        texts = (_residency(found.residency_ns), _residency(wanted.residency_ns))
        yield "residency", "target residency {} instead of {}".format(*texts)
    if found.flags != wanted.flags:
        yield "flags", _flags(found.flags, wanted.flags)
    if found.control != wanted.control:
        yield _control(found.control, wanted.control, register)
    if found.mask != wanted.mask:
        fields = _fields(found.mask ^ wanted.mask) if register is Register.PSSCR else []
        detail = f" (differs in {joined(fields)})" if fields else ""
        yield "mask", f"mask {found.mask:#x} instead of {wanted.mask:#x}{detail}"


def _residency(nanoseconds: int | None) -> str:
    return "none" if nanoseconds is None else format_time(nanoseconds)


def _flags(found: int, wanted: int) -> str:
    changes = [
        f"{verb} {joined(flag_names(bits))}"
        for verb, bits in (("adds", found & ~wanted), ("lacks", wanted & ~found))
        if bits
    ]
    return f"flags {found:#010x} instead of {wanted:#010x} ({'; '.join(changes)})"


def _control(found: int, wanted: int, register: Register) -> tuple[str, str]:
    text = f"{str(register).upper()} {found:#x} instead of {wanted:#x}"
    if register is not Register.PSSCR:
        return "control", text
    one, other = Psscr.from_int(found), Psscr.from_int(wanted)
    names = [name for name in Psscr.FIELDS if getattr(one, name) != getattr(other, name)]
    changes = [f"{name.upper()}={getattr(one, name)} for {getattr(other, name)}" for name in names]
    if one.other != other.other:
        changes.append(f"other bits {one.other:#x} for {other.other:#x}")
    field = f"control.{names[0]}" if len(names) == len(changes) == 1 else "control"
    return field, f"{text} ({', '.join(changes)})"


def _fields(bits: int) -> list[str]:
    names = [name.upper() for name in Psscr.FIELDS if bits & field_mask([name])]
    others = bits & ~field_mask(Psscr.FIELDS)
    return [*names, hex(others)] if others else names
