"""Results of an audit on disk, from which a run that was interrupted goes on: the lines that
`--format jsonl` writes, each added as soon as its input is done.

A result stands for an input of the same bytes, in a run with the same options, and the results of
all inputs in an archive for the archive. Audited again are inputs that cannot be read; those that
other files have a part in (sources with includes, directories), for only reading them again tells
which; and the last one, whose lines may not all be there.
"""

import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Self

from ...base.files import appended, naming
from ...base.model.findings import Finding, Rejected, Severity, Unreadable, unreadable
from ...base.reading import limits, opening
from ...base.reading.opening import Found
from ...base.spill import Spill, name_key
from ...base.wording import plural
from ..devicetree.machine import MachineFacts
from ..sources import File, format_tar
from .audit import Setting
from .audited import NOT_LOOKED_AT, UNREADABLE, Audited
from .brief import Brief, finding, verdict
from .json_report import setting_digest, texts, writer

_ANEW = {UNREADABLE, NOT_LOOKED_AT, "directory"}
_TEXTS = {"spec", "c", "driver", "none"}
_INCLUDING = {"dts", "tree"}
"""Kinds of which a text may name other files: the latter by words for an inclusion alone."""
_INCLUSIONS = b"include", b"/incbin/"
_MOST, _HEAD = limits.FILE_BYTES, 4096


class KeptAudits(Brief):
    """Audits of an input that an earlier run made."""


class AuditResults:
    """The results in a file. say: is told how many were found, and how many are left behind.

    Raises Unreadable for a file of other options or with a line that is none of audit; OSError.
    """

    def __init__(self, path: Path, setting: Setting, say: Callable[[str], None]) -> None:
        self._path, self._say = path, say
        self._of, self._write = setting_digest(setting), writer("line", setting)
        self._found = Spill("sha256", "start", "bytes")
        self._source: Any = None
        self.count = 0
        with suppress(FileNotFoundError):
            self._source = io.BufferedReader(opening.open_file(path))
            os.truncate(path, self._read())
        if self.count:
            say(f"continuing from {plural(self.count, 'result')} in {path}")
        self._file = appended(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        if kind is not None and self.count:
            many = plural(self.count, "result")
            self._say(f"{many} kept in {self._path}; the same command line continues")
        for file in (self._source, self._file):
            if file is not None:
                file.close()

    def _read(self) -> int:
        """Finds the results of each input. Returns where the last one's begin, which are left
        out."""
        at = start = part = 0
        top = last = digest = ""
        tables = set[tuple[str, str]]()
        for number, line in enumerate(iter(partial(self._source.readline, _MOST), b""), 1):
            if not line.endswith(b"\n"):
                break
            try:
                entry = json.loads(line)
                file, sha256, of = entry["file"], entry["sha256"], entry["setting"]
                table = file, entry["table"]
            except (ValueError, KeyError, TypeError, RecursionError):
                raise self._other(number, "lines of audit --format jsonl, found another") from None
            if of != self._of:
                what = "kernels, rules, governor, configuration or version of the tool"
                raise self._other(number, f"results of these options, found others' ({what})")
            # of one input are its tables, and FILE:1, FILE:2
            following = last == f"{top}:{part}" and file == f"{top}:{part + 1}"
            if sha256 != digest or table in tables or not (following or file == last):
                self._put(top if part > 1 else last, digest, start, at - start)
                top, digest, start, part = file.removesuffix(":1"), sha256, at, 1
                tables.clear()
            part, last = part + following, file
            tables.add(table)
            at += len(line)
        return start

    def _put(self, name: str, *values: str | int) -> None:
        if name:
            self.count += 1
            self._found.put(name_key(name), *values)

    def _other(self, line: int, wanted: str) -> Unreadable:
        return unreadable(str(self._path), f"expected {wanted}; name another file", line)

    def known(self, paths: Iterable[Path | Found]) -> Iterator[Path | Found | KeptAudits]:
        """Yields each input, or what is known of it."""
        rows = "SELECT 1 FROM t WHERE key = ? OR key > ? AND key < ? LIMIT 1"
        for path in paths:
            key = name_key(path.as_posix())
            given = (key, key + b":", key + b";")
            known = self.count and next(self._found.query(rows, given), None)
            yield (self._again(path) or path) if known else path

    def _again(self, path: Path | Found) -> KeptAudits | None:
        """Returns what is known of an input; None if that is not certain."""
        lines, entries = list[str](), list[dict[str, Any]]()
        try:
            file = File.open(path)
            given = format_tar.inputs_in(file) or [file]
        except Rejected:
            return None
        for each in given:
            row = self._found.get(name_key(each.shown))
            if not each.data or row is None or row[0] != each.sha256:
                return None
            self._source.seek(row[1])
            more = self._source.read(row[2]).decode().splitlines(keepends=True)
            anew = _ANEW if b"\0" in each.data[:_HEAD] else _ANEW | _TEXTS
            if any(word in each.data for word in _INCLUSIONS):
                anew |= _INCLUDING
            again = [json.loads(line) for line in more]
            if anew & {entry["kind"] for entry in again}:
                return None
            lines += more
            entries += again
        found = KeptAudits(map(_audited, entries))
        found.texts = tuple(lines)
        return found

    def passed(self, results: Iterable[Sequence[Audited]]) -> Iterator[Sequence[Audited]]:
        """Yields the results, those that are new once they are in the file."""
        for found in results:
            if not isinstance(found, KeptAudits) and found[0].kind != NOT_LOOKED_AT:
                with naming(self._path):
                    self._file.write("".join(texts(found, self._write)).encode())
                    self._file.flush()
                self.count += 1
            yield found


def _audited(entry: dict[str, Any]) -> Audited:
    """Returns what `brief` leaves of the audit that a line is of."""
    names = ("file", "sha256", "table", "kind", "cpu", "nearest", "fingerprint")
    values = {name: entry[name] for name in names}
    if machine := entry["machine"]:
        machine = MachineFacts(**{name: machine[name] for name in MachineFacts.__slots__})
    return Audited(
        **values,
        machine=machine,
        states=tuple(entry["states"]),
        missing=tuple((each["state"], each["reason"]) for each in entry["missing"]),
        differences=tuple(entry["differences"]),
        verdicts=tuple(
            verdict(each["tool"], each["test"], bool(each["failures"]), each["skipped"])
            for each in entry["verdicts"]
        ),
        findings=tuple(map(_finding, entry["findings"])),
    )


def _finding(entry: dict[str, Any]) -> Finding:
    kept = entry["suppressed"] or {"reason": None, "in": ""}
    severity = Severity[entry["severity"].upper()]
    return finding(entry["rule"], entry["name"], severity, kept["reason"], kept["in"])
