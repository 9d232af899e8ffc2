"""Audits inputs that are alike in all that is judged only once.

Of a device tree's blob that part alone is read (devicetree/fdt.py, `judged`), and compared with
those before. Whatever cannot be taken so is audited on its own.
"""

import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from ...base.dataclass import replace
from ...base.reading import opening
from ...base.reading.opening import Found
from ...base.spill import Spill
from ..devicetree import fdt
from ..devicetree.machine import serial_of
from ..devicetree.tree import Node
from ..sources import File, Source, format_dtb, format_tar, read_file
from ..sources.trees import sources_of
from .audit import Setting, audit_path
from .audited import Audited
from .brief import Brief, Own, Pattern, at, brief
from .tree_shape import TreeShape

KEPT = 1024
"""The number of different audits that are kept in memory, the last ones used."""
SPILLED = 65_536
"""The number that is remembered, but not kept, once memory is full. As soon as one of these comes
again, audits are written to a temporary file: in a fleet of different tables none ever does."""

SHAPES = 256
"""The number of different shapes that are kept, likewise."""


class Common:
    """The audit that alike inputs share, and its text. Equal ones that come from other processes
    are one object: they are sent as bytes, which are unpacked once."""

    __slots__ = ("__weakref__", "_again", "_sent", "audited", "pattern")

    def __init__(
        self, audited: Audited, pattern: Pattern | None, packed: bytes | None = None
    ) -> None:
        self.audited = audited
        self.pattern = pattern
        self._sent = packed
        self._again = packed is not None

    @property
    def packed(self) -> bytes:
        if self._sent is None:
            self._sent = pickle.dumps((self.audited, self.pattern))
        return self._sent

    def __reduce__(self) -> tuple[Any, ...]:
        if self._again:
            return _received, (self.packed,)
        # most are sent once, where a fleet's tables differ: with what they share with others
        self._again = True
        return Common, (self.audited, self.pattern)


def _unpacked(packed: bytes) -> Common:
    audited, pattern = pickle.loads(packed)
    return Common(audited, pattern, packed)


@lru_cache(KEPT)
def _received(packed: bytes) -> Common:
    return _unpacked(packed)


class Alike(Sequence[Audited]):
    """The audit of an input that is alike others: a list of one, which is made when it is asked
    for.

    common  what it shares with them
    file    as of Audited, and so are sha256 and
    serial  of its machine
    """

    __slots__ = ("common", "file", "serial", "sha256")

    def __init__(self, common: Common, file: str, sha256: str, serial: str) -> None:
        self.common = common
        self.file = file
        self.sha256 = sha256
        self.serial = serial

    def __reduce__(self) -> tuple[Any, ...]:
        return Alike, (self.common, *self.own)

    @property
    def own(self) -> Own:
        return self.file, self.sha256, self.serial

    @property
    def audited(self) -> Audited:
        return at(self.common.audited, self.own)

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: Any) -> Any:
        return [self.audited][index]


class Auditor:
    """Audits one input after the other, with the same settings. Used as a context manager."""

    def __init__(self, setting: Setting, write: Callable[[Audited], str] | None = None) -> None:
        """write: returns the JSON that is wanted of each."""
        self._setting = setting
        self._whole = setting.everything or setting.accepted is not None
        self._write, self._shapes_whole = write, self._whole or write is not None
        self._known_kernels = not any(kernel.ends for kernel in setting.criteria.kernels)
        self._usual = setting.redact or setting.against is not None
        self._key2common: OrderedDict[bytes, Common | None] = OrderedDict()
        self._spilled: Spill | None = None
        self._left: set[int] = set()
        self._shapes: OrderedDict[bytes, TreeShape] = OrderedDict()
        self._beside: opening.Tree | None = None
        self._place: tuple[Path, str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the directory that is kept open for the next input of it."""
        if self._beside is not None:
            self._beside.close()
        self._beside = self._place = None

    def audit(self, where: Path | Found) -> Sequence[Audited]:
        """The audits of a file or directory, as `audit_path` returns them, with accepted findings
        marked, or what is wanted of them; one that is alike others is an Alike. Never raises."""
        found = self._found(where)
        if self._setting.accepted is not None:
            mark = self._setting.accepted
            found = [replace(each, findings=tuple(mark(each.findings))) for each in found]
        if self._setting.everything or isinstance(found, Alike):
            return found
        briefs = Brief(map(brief, found))
        if self._write:
            briefs.texts = tuple(map(self._write, found))
        return briefs

    def _found(self, where: Path | Found) -> Sequence[Audited]:
        if self._usual:
            return audit_path(where, self._setting)
        try:
            file = self._open(where)
            judged = fdt.judged(file.data) if _is_blob(file.data) else None
        except Exception:
            # audit_path says what is wrong
            return audit_path(where, self._setting)
        if judged is None:
            return audit_path(where, self._setting, file)
        key = hashlib.sha256(judged.key).digest()
        common = self._kept(key)
        if common is _NEW:
            shaped = self._of_shape(file, judged)
            results = shaped or audit_path(where, self._setting, file, _judged_alone)
            is_brief = bool(shaped) and not self._shapes_whole
            common = Common(results[0], None) if is_brief else self._common(results)
            self._key2common[key] = common
            self._shed()
            if common is not None and judged.shape not in self._shapes:
                self._begin_shape(judged.shape, results[0])
            if common is None or self._whole:
                return results
        if common is None:
            return audit_path(where, self._setting, file)
        return Alike(common, file.shown, file.sha256, _serial(judged))

    def _kept(self, key: bytes) -> Common | None:
        """Returns what is kept of a key, _NEW if nothing is."""
        if key in self._key2common:
            self._key2common.move_to_end(key)
            return self._key2common[key]
        if self._spilled is None and hash(key) in self._left:
            self._spilled = Spill("packed")
            self._left.clear()
        if self._spilled is None or (row := self._spilled.get(key)) is None:
            return _NEW
        common = self._key2common[key] = _unpacked(row[0]) if row[0] else None
        self._shed()
        return common

    def _shed(self) -> None:
        """Moves what was not used for the longest time out of memory."""
        if len(self._key2common) <= KEPT:
            return
        key, common = self._key2common.popitem(last=False)
        if self._spilled is not None:
            self._spilled.put(key, common.packed if common else b"")
        elif len(self._left) < SPILLED:
            self._left.add(hash(key))

    def _of_shape(self, file: File, judged: fdt.JudgedPart) -> list[Audited]:
        """The audit of a blob that differs from one before in times alone; empty if it does not."""
        if (shape := self._shapes.get(judged.shape)) is None:
            return []
        self._shapes.move_to_end(judged.shape)
        with suppress(Exception):
            # audit_path says what is wrong
            return shape.audit(file, judged, _serial(judged))
        return []

    def _begin_shape(self, shape: bytes, first: Audited) -> None:
        if self._known_kernels:
            self._shapes[shape] = TreeShape(first, self._setting, whole=self._shapes_whole)
        if len(self._shapes) > SHAPES:
            self._shapes.popitem(last=False)

    def _open(self, where: Path | Found) -> File:
        if not isinstance(where, Found):
            return File.open(where)
        place = where.top, where.directory
        if self._place != place:
            self.close()
            with opening.Tree(where.top) as top:
                self._beside = top.below(where.directory)
            self._place = place
        return File.open(where, self._beside)

    def _common(self, results: Sequence[Audited]) -> Common | None:
        """Returns what an audit has in common with those of equal keys. None where one may differ
        in what the key does not hold: a finding of the reader, which names a processor, or one of
        another file."""
        if len(results) != 1:
            return None
        (audited,) = results
        source = audited.source
        if source is None or source.table is None or not source.table.states or source.findings:
            return None
        own = audited.file, source.file
        if any(finding.location.file not in own for finding in audited.findings):
            return None
        if self._whole:
            kept = replace(source, tree=None) if self._setting.sources else None
            return Common(replace(audited, source=kept), None)
        pattern = Pattern(audited, self._write) if self._write else None
        return Common(brief(audited), pattern)


_NOWHERE = Path()
_NEW = Common(Audited("", "", "", ""), None)


def _is_blob(data: bytes) -> bool:
    """Whatever its name. An archive may begin as a blob does."""
    return format_dtb.recognises(data, _NOWHERE) and not format_tar.recognises(data, _NOWHERE)


def _judged_alone(file: File) -> list[Source]:
    """The tables of a blob of which a part is judged, read from that part. Of one without states
    all is read: whether skiboot has run stands elsewhere in it."""
    found = sources_of(fdt.judged_nodes(file.data, file.shown), file.shown, "dtb", file.sha256)
    return found if found[0].table and found[0].table.states else read_file(file)


def _serial(judged: fdt.JudgedPart) -> str:
    values = {"system-id": judged.system_id, "serial-number": judged.serial_number}
    return serial_of(Node("", {name: value for name, value in values.items() if value is not None}))
