"""Reads the idle tables that an image of skiboot holds, with the offset of every value."""

import hashlib
import itertools
from collections.abc import Iterator, Mapping, Sequence

from ....base.dataclass import dataclass, replace
from ....base.model.findings import Location, unreadable
from ....base.model.table import STOP_CLASSES, Firmware, IdleState, IdleTable, ReadFrom, Register
from ....base.reading import limits
from .container import Image, is_wrapped, unwrap
from .identify import Part, named_part, parts
from .records import LAYOUTS, RecordLayout, is_name, sure_rows
from .symbols import ELF_MAGIC, TableSymbols, read_symbols

MAX_ROWS = limits.LID_ROWS
"""The most rows of all tables in one image; skiboot 7.0 has 26."""

_PROPERTY = b"ibm,cpu-idle-state-"
"""The beginning of the names of power-mgt's properties; every skiboot contains it."""
_MEMBERS = {
    "name": "name",
    "latency": "latency_ns",
    "residency": "residency_ns",
    "control": "pm_ctrl_reg_val",
    "mask": "pm_ctrl_reg_mask",
    "flags": "flags",
}


@dataclass(frozen=True, slots=True)
class LidTable:
    """A table found in an image, and where it lies there.

    table   its name is that of the packaged spec of its array, where symbols name that; else of the
            one with the same state names and stop levels; if no spec has them, it is table@OFFSET,
            and the note names the nearest spec
    offset  of its first row, in bytes from the beginning of the unpacked image
    rows    number of rows it was compiled with: its states, and unused rows after them
    layout  of the rows
    """

    table: IdleTable
    offset: int
    rows: int
    layout: RecordLayout


def looks_like_lid(data: bytes) -> bool:
    """Tells whether the bytes are an image of skiboot, or a part of one: they are in its container,
    or have a property's name or a row of a table in them."""
    return is_wrapped(data) or _PROPERTY in data or any(True for _ in sure_rows(data))


def has_rows(data: bytes) -> bool:
    """Tells whether a file's bytes are an image with a row of a table, which bytes of others have
    by chance. Raises Unreadable for one that cannot be unpacked."""
    image = unwrap(data, "").data
    return _PROPERTY in image and any(True for _ in sure_rows(image))


def read(data: bytes, name: str, symbols: TableSymbols | None = None) -> list[LidTable]:
    """Returns all tables in a file's bytes, in order of their offsets.

    data     an image, which may be signed, compressed with xz, or both; or skiboot.elf
    name     what messages and places call the file
    symbols  of the image's build, where they are known; skiboot.elf has its own
    Latencies and residencies are in ns. A residency is None where the image is older than that
    member. Raises Unreadable (IS930) for an image without tables, and for one that is cut off,
    damaged or beyond the limits.
    """
    if not data:
        raise unreadable(name, "expected an image of skiboot, found an empty file")
    if data.startswith(ELF_MAGIC):
        symbols = read_symbols(data, name)
    return tables_in(unwrap(data, name), name, hashlib.sha256(data).hexdigest(), symbols)


def tables_in(
    image: Image, name: str, sha256: str, symbols: TableSymbols | None = None
) -> list[LidTable]:
    """Like `read`, for an image that is unpacked already. sha256: of the file it came from."""
    layout, starts = _layout(image.data, name)
    runs = list(_runs(image.data, layout, starts, name))
    arrays = _arrays(runs, layout, symbols)
    note = ""
    if symbols is not None and symbols.addresses and not arrays:
        note = f"{symbols.file} is of another build: it has tables where there are no rows"
    found: list[LidTable] = []
    names: set[str] = set()
    chance: set[int] = set()
    for offset, states in runs:
        for part, array in _parts(offset, states, layout, arrays):
            start = offset + part.start * layout.size
            used = states[part.start : part.start + part.used]
            read_from = ReadFrom("lid", name, sha256)
            table = _table(part, array, used, start, layout, read_from, names)
            if note:
                table = replace(table, note="; ".join(filter(None, (table.note, note))))
            names.add(table.name)
            if not array and len(states) == 1 and part.spec is None and not states[0].latency_ns:
                # a lone row like no other that costs nothing to leave: if there are tables
                # elsewhere, these are bytes of something else that read as one
                chance.add(start)
            found.append(LidTable(table, start, part.rows, layout))
    return [each for each in found if each.offset not in chance] or found


def _arrays(
    runs: Sequence[tuple[int, list[IdleState]]],
    layout: RecordLayout,
    symbols: TableSymbols | None,
) -> dict[int, str]:
    """Offset -> array; empty unless there are rows at the address of every array."""
    rows = {offset + at * layout.size for offset, states in runs for at in range(len(states))}
    found = {} if symbols is None else {at: name for name, at in symbols.addresses.items()}
    return found if found.keys() <= rows else {}


def _parts(
    offset: int, states: Sequence[IdleState], layout: RecordLayout, arrays: Mapping[int, str]
) -> Iterator[tuple[Part, str]]:
    """The tables of a run, each with the name of its array where that is known."""
    places = [offset + at * layout.size for at in range(len(states))]
    starts = [at for at, place in enumerate(places) if place in arrays]
    for part in parts(states[: starts[0]] if starts else states):
        yield part, ""
    for start, end in itertools.pairwise([*starts, len(states)]):
        array = arrays[places[start]]
        yield named_part(start, states[start:end], array), array


def _layout(data: bytes, name: str) -> tuple[RecordLayout, list[int]]:
    """Returns the layout of an image's rows, and the offsets of those rows that are certain.

    All rows of an image have one layout: the one that most rows are certain in. Rows of the other
    byte order are searched for too, because some flag words are the same in both; they count where
    two lie back to back, a single one may be chance. Raises Unreadable if there are more of them
    than of the right order, or no rows at all.
    """
    found = _by_layout(data, name)
    layout = max(LAYOUTS, key=lambda layout: len(found[layout]))
    swapped = _by_layout(data, name, little_endian=True)
    sequences = (len(starts) for each, starts in swapped.items() if _sequence(each, starts))
    most = max(sequences, default=0)
    if most > len(found[layout]):
        message = "expected big-endian rows of struct cpu_idle_states, found little-endian ones"
        raise unreadable(name, message)
    if not found[layout]:
        message = (
            "expected rows of struct cpu_idle_states, found none "
            f"in the {len(data)} bytes of the image"
        )
        raise unreadable(name, message)
    return layout, found[layout]


def _sequence(layout: RecordLayout, starts: Sequence[int]) -> bool:
    """Tells whether two rows lie back to back."""
    return any(second - first == layout.size for first, second in itertools.pairwise(starts))


def _by_layout(
    data: bytes, name: str, *, little_endian: bool = False
) -> dict[RecordLayout, list[int]]:
    found: dict[RecordLayout, list[int]] = {layout: [] for layout in LAYOUTS}
    for layout, start in sure_rows(data, little_endian=little_endian):
        found[layout].append(start)
        if len(found[layout]) > MAX_ROWS:
            raise unreadable(name, f"expected at most {MAX_ROWS} rows of idle states, found more")
    return found


def _runs(
    data: bytes, layout: RecordLayout, starts: Sequence[int], name: str
) -> Iterator[tuple[int, list[IdleState]]]:
    """Yields each run of adjacent rows: the offset of the first one, and all of them decoded.

    starts: offsets of the rows that are certain. A run goes on from these, in both directions, over
    rows with a valid name and padding of 0, and forwards over one row with a damaged name if a
    valid one follows. Raises Unreadable if there are more than MAX_ROWS.
    """
    size = layout.size
    left = 0
    sure = set(starts)

    def plausible(offset: int) -> bool:
        if not left <= offset <= len(data) - size:
            return False
        return offset in sure or (
            is_name(data[offset : offset + 16]) and layout.padding_is_zero(data, offset)
        )

    total = 0
    for anchor in starts:
        if anchor < left:
            continue
        begin = anchor
        while plausible(begin - size):
            begin -= size
        end = anchor + size
        while plausible(end) or (end not in sure and plausible(end + size)):
            end += size
        left = end
        total += (end - begin) // size
        if total > MAX_ROWS:
            raise unreadable(name, f"expected at most {MAX_ROWS} rows of idle states, found more")
        yield begin, [layout.decode(data[at : at + size]) for at in range(begin, end, size)]


def _table(
    part: Part,
    array: str,
    states: Sequence[IdleState],
    offset: int,
    layout: RecordLayout,
    read_from: ReadFrom,
    used: set[str],
) -> IdleTable:
    spec = part.spec
    name, note = f"table@{offset:#x}", ""
    if spec and (array or not part.strange):
        name = spec.name if spec.name not in used else f"{spec.name}@{offset:#x}"
    elif array:
        name = array if array not in used else name
    if spec and part.strange:
        which = f"in the place of {spec.name}" if array else f"nearest to {spec.name}"
        note = f"{which}; of {part.used} rows {part.strange} have another name or level"
    stops = any(state.flags & STOP_CLASSES for state in states)
    where = Location(f"@{offset:#x}:{name}", read_from.file)
    return IdleTable(
        name=name,
        states=tuple(
            replace(
                state, where=_places(name, index, offset + index * layout.size, layout, read_from)
            )
            for index, state in enumerate(states)
        ),
        register=spec.register if spec else Register.PSSCR if stops else Register.PMICR,
        cpu=spec.cpu if spec else None,
        firmware=spec.firmware if spec else Firmware(array=array),
        note=note,
        read_from=replace(read_from, where=where),
        where={"table": where, "name": where},
    )


def _places(
    name: str, index: int, offset: int, layout: RecordLayout, read_from: ReadFrom
) -> dict[str, Location]:
    """Field -> offset in the image and logical path: @0x264118:power9[0].latency_ns."""
    row = f"{name}[{index}]"
    where = {"state": Location(f"@{offset:#x}:{row}", read_from.file)}
    for field, member in _MEMBERS.items():
        at = offset + (layout.offset(field) if field in layout.fields else 0)
        where[field] = Location(f"@{at:#x}:{row}.{member}", read_from.file)
    return where
