"""Results of an audit on disk, from which a run that was interrupted goes on: the lines that
`--format jsonl` writes, each added as soon as its input is done.

A result stands for an input of the same bytes, in a run with the same options. Audited again are
inputs that cannot be read, those that other files have a part in (sources with includes,
directories), and the last one, whose lines may not all be there.
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
from ..sources import File
from .audit import Setting
from .audited import NOT_LOOKED_AT, UNREADABLE, Audited
from .brief import Brief, finding, verdict
from .said_json import setting_digest, texts, writer

_ANEW = {UNREADABLE, NOT_LOOKED_AT, "directory"}
_TEXTS = {"spec", "c", "dts", "tree", "none"}
"""Kinds of which a text may name other files."""
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
            say(f"going on from {plural(self.count, 'result')} in {path}")
        self._file = appended(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        if kind is not None and self.count:
            many = plural(self.count, "result")
            self._say(f"{many} kept in {self._path}; the same command line goes on")
        for file in (self._source, self._file):
            if file is not None:
                file.close()

    def _read(self) -> int:
        """Finds the results of each input. Returns where the last one's begin, which are left
        out."""
        at = start = many = 0
        name = digest = ""
        for number, line in enumerate(iter(partial(self._source.readline, _MOST), b""), 1):
            if not line.endswith(b"\n"):
                break
            try:
                entry = json.loads(line)
                file, sha256, of = entry["file"], entry["sha256"], entry["setting"]
            except (ValueError, KeyError, TypeError, RecursionError):
                raise self._other(number, "lines of audit --format jsonl, found another") from None
            if of != self._of:
                what = "kernels, rules, governor, configuration or version of the tool"
                raise self._other(number, f"results of these options, found others' ({what})")
            # FILE:1, FILE:2 are of one input
            top = name.removesuffix(":1") if many == 1 else name
            if (many > 1 or top != name) and (file, sha256) == (f"{top}:{many + 1}", digest):
                name, many = top, many + 1
            else:
                if many:
                    self.count += 1
                    self._found.put(name_key(name), digest, start, at - start)
                name, digest, start, many = file, sha256, at, 1
            at += len(line)
        return start

    def _other(self, line: int, wanted: str) -> Unreadable:
        return unreadable(str(self._path), f"expected {wanted}; name another file", line)

    def known(self, paths: Iterable[Path | Found]) -> Iterator[Path | Found | KeptAudits]:
        """Yields each input, or what is known of it."""
        for path in paths:
            row = self._found.get(name_key(path.as_posix())) if self.count else None
            yield self._again(path, *row) if row else path

    def _again(
        self, path: Path | Found, sha256: str, start: int, size: int
    ) -> Path | Found | KeptAudits:
        """Returns what is known of an input; its path if that is not certain."""
        try:
            file = File.open(path)
        except Rejected:
            return path
        self._source.seek(start)
        lines = [line.decode() for line in self._source.read(size).splitlines(keepends=True)]
        entries = [json.loads(line) for line in lines]
        anew = _ANEW if b"\0" in file.data[:_HEAD] else _ANEW | _TEXTS
        if not file.data or file.sha256 != sha256 or anew & {entry["kind"] for entry in entries}:
            return path
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
