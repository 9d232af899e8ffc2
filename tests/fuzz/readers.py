"""The readers: each takes bytes that may be anything, and reads or refuses.

Refused is what raises one of the two exceptions that say what was expected, found, and where.
Where a reader is there in Python and in C, both have to do the same.
"""

import hashlib
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from idle_states.base.model.findings import Faulty, Unreadable
from idle_states.base.reading import compressed, document, limits, sysfs
from idle_states.base.reading.acpi import idle as acpi_idle
from idle_states.base.reading.acpi import signs as acpi_signs
from idle_states.base.reading.acpi import tables as acpi_tables
from idle_states.base.reading.git import place as git_place
from idle_states.base.reading.git import references as git_references
from idle_states.base.reading.git.repository import Repository
from idle_states.base.reading.inputs import Input
from idle_states.base.reading.mail.box import read_mails
from idle_states.base.reading.mail.series import series_of
from idle_states.base.reading.problems import InputProblems
from idle_states.change.boot import console
from idle_states.change.boot.powernv.boot import SCRIPT
from idle_states.change.patches import description
from idle_states.lab.fit.importing import formats
from idle_states.lab.fit.importing.output import Facts, output_of
from idle_states.lab.record.convert import convert
from idle_states.lab.simulation import topology_file, workloads_file, workloads_trace
from idle_states.lab.statistics import mmtests, percentile_blocks, reading, summary_rows
from idle_states.lab.traces import (
    dat_file,
    event_formats,
    perf_data,
    perf_file,
    ring_buffer,
    trace_cmd,
)
from idle_states.lab.traces.chunks import chunks
from idle_states.lab.traces.head import head_of
from idle_states.lab.traces.recording import rows
from idle_states.lab.traces.text import TraceText
from idle_states.lab.tune import source as tune_source
from idle_states.lab.tune.results import Results
from idle_states.tables.check import baseline, config
from idle_states.tables.devicetree import (
    archive,
    dts,
    dts_includes,
    dts_places,
    dts_text,
    fdt,
    preprocessor,
)
from idle_states.tables.linux import log as linux_log
from idle_states.tables.linux.governors.core.packing import EVENT, compiled
from idle_states.tables.linux.releases import running
from idle_states.tables.skiboot import c_table, lid
from idle_states.tables.skiboot import log as opal_log
from idle_states.tables.sources import format_tar
from idle_states.tables.sources.source import File
from idle_states.tables.spec import library
from tests.support import acpi

REFUSALS = (Unreadable, Faulty)
UNPACKED_MAX = 1 << 20
PLACES = 200
"""Lines of a preprocessed source whose places are looked up."""
PROGRAM_S = 5
"""For dtc, and for trace-cmd without output: less than what a run may take."""


@cache
def _directory() -> Path:
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="fuzz-", dir=memory if memory.is_dir() else None))


def _file(data: bytes) -> Path:
    """For readers that take a file: always the same one."""
    path = _directory() / "input"
    path.write_bytes(data)
    return path


def _input(data: bytes) -> Input:
    return Input(str(_file(data)))


def outcome(read: Callable[[bytes], object], data: bytes) -> object:
    """Returns what was read; of what was refused the findings, which have to say something."""
    try:
        return read(data)
    except REFUSALS as error:
        refused = error
    assert refused.findings
    for finding in refused.findings:
        assert finding.message, finding
        assert finding.location.file is not None, finding
    return [str(finding) for finding in refused.findings]


def _same(data: bytes, one: Callable[[bytes], object], other: Callable[[bytes], object]) -> None:
    assert outcome(one, data) == outcome(other, data)


def _fdt(data: bytes) -> None:
    """A blob; what was read is written and read again."""

    def slowly(data: bytes) -> object:
        with mock.patch.object(fdt, "_fdt", None):
            return fdt.read_blob(data, "x.dtb")

    _same(data, lambda data: fdt.read_blob(data, "x.dtb"), slowly)
    blob = fdt.read_blob(data, "x.dtb")
    written = fdt.write(blob.root, blob.reservations, blob.boot_cpu)
    assert fdt.read_blob(written, "x.dtb") == blob
    with suppress(ValueError):  # of names that no source can hold
        dts_text.render(blob.root, ())


def _dts(data: bytes) -> None:
    """Reads the places of a source by ourselves; each lies within the text."""
    whole = dts_includes.expanded(data, str(_directory() / "x.dts"))
    text = whole.source.decode("utf-8", "replace")
    assert all(where.line for found in dts_places.places(text, "x.dts").values()
               for where in found.values())  # fmt: skip
    for line in range(1, text.count("\n") + 2):
        whole.place(line)


def _preprocessor(data: bytes) -> None:
    """A source and, each behind a NUL, the files that it includes as "0", "1", ...: made the same
    whether these were met before or not, each place written in one of them."""
    source, *files = data.split(b"\0")
    shared: dict[str, preprocessor.Sections] = {}

    def of(name: str, known: dict[str, preprocessor.Sections]) -> preprocessor.Sections:
        if name not in known:
            known[name] = preprocessor.sections(files[int(name)])
        return known[name]

    def read(known: dict[str, preprocessor.Sections] | None) -> object:
        def find(name: str, _: bool, __: str) -> tuple[str, preprocessor.Sections] | None:
            if not (name.isascii() and name.isdigit() and int(name) < len(files)):
                return None
            return name, of(name, {} if known is None else known)

        made = preprocessor.preprocess(source, "x.dts", find)
        places = [
            made.place(line, column)
            for line, text in enumerate(made.text.split("\n")[:PLACES], 1)
            for column in (1, len(text) // 2 + 1)
        ]
        assert all(file in made.shown and line > 0 for file, line, _ in places if made.text)
        return made.text, places

    # met once, kept, and taken from what is kept
    for _ in range(3):
        _same(data, lambda _: read(None), lambda _: read(shared))
    read(shared)


def _dtc(data: bytes) -> None:
    """Through dtc; what it made is written as source and compiled again."""
    with mock.patch.object(limits, "DTC_S", PROGRAM_S):
        root = dts.read(data, str(_directory() / "x.dts"))
        with suppress(ValueError):  # of names that no source can hold
            assert dts.read(dts.write(root), "x.dts") == root


def _git(data: bytes) -> None:
    """Reads references, and a commit and a directory in objects of the right names."""
    repository, directory = _repository(os.getpid())
    place = git_place.find(directory, "x", lambda data: {})
    git_place.expect_own_objects(place, "x")
    for name in ("HEAD", "packed-refs", "refs/heads/main"):
        (directory / name).write_bytes(data)
        outcome(lambda _: git_references.read(place, "x"), data)
        (directory / name).unlink()
        (directory / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    commit = _object(directory, "commit", data)
    outcome(lambda _: repository.commit(commit), data)
    outcome(lambda _: repository.entries(commit), data)
    tree = _object(directory, "tree", data)
    commit = _object(directory, "commit", b"tree %s\n\n" % tree.encode())
    for entry in repository.entries(commit):
        outcome(lambda _, entry=entry: repository.content(entry), data)  # type: ignore[misc]


@cache
def _repository(process: int) -> tuple[Repository, Path]:
    """One for each process: the programs behind it talk to one."""
    directory = _directory() / f"git-{process}"
    for name in ("objects", "refs/heads"):
        (directory / name).mkdir(parents=True)
    (directory / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    return Repository(directory), directory


def _object(directory: Path, kind: str, content: bytes) -> str:
    """Writes a loose object; returns its name."""
    whole = b"%s %d\0" % (kind.encode(), len(content)) + content
    name = hashlib.sha1(whole).hexdigest()
    (directory / "objects" / name[:2]).mkdir(exist_ok=True)
    (directory / "objects" / name[:2] / name[2:]).write_bytes(zlib.compress(whole, 1))
    return name


def _trace_dat(data: bytes) -> None:
    """Through trace-cmd, and the reader of its text."""
    with mock.patch.object(limits, "TRACE_CMD_STALL_S", PROGRAM_S):
        reader = TraceText(InputProblems(), compiled)
        for batch in reader.batches(trace_cmd.blocks(_input(data))):
            assert len(batch) == len(list(batch.events()))


def _ring_buffer(data: bytes) -> None:
    """A trace.dat by its pages."""
    _by_both(data, "x.dat", dat_file.read, ring_buffer.batches)


def _perf_data(data: bytes) -> None:
    with mock.patch.object(limits, "PERF_PART_BYTES", 1 << 16):
        _by_both(data, "perf.data", perf_file.read, perf_data.batches)


def _by_both(
    data: bytes, name: str, head: Callable[[Input], Any], events: Callable[..., Iterator[Any]]
) -> None:
    """A trace that is no text: the core's twin reads the same."""

    def read(core: Any) -> Callable[[bytes], object]:
        def found(data: bytes) -> object:
            reader = TraceText(InputProblems(), core)
            with suppress(event_formats.Beyond):
                batches = list(events(head(Input(name, held=data)), reader, core))
                packed = [list(EVENT.iter_unpack(batch.packed)) for batch in batches]
                return packed, reader.lines, reader.lost, reader.problems.listing()
            return None

        return found

    _same(data, read(None), read(compiled))


def _spec(data: bytes) -> None:
    library.load_held("x.yaml", {"x.yaml": data})


def _stats(data: bytes) -> None:
    file = reading.open_file(str(_file(data)))
    for read in (
        reading.samples,
        reading.named_samples,
        percentile_blocks.blocks,
        mmtests.table,
        summary_rows.rows,
    ):
        outcome(lambda data, read=read: read(file), data)  # type: ignore[misc]


def _tune_results(data: bytes) -> None:
    with Results("digest", _file(data)):
        pass


def _trace(data: bytes) -> None:
    """Events, and problems with the lines they are on."""

    def scanned(core: Any) -> Callable[[bytes], object]:
        def scan(data: bytes) -> object:
            problems = InputProblems()
            reader = TraceText(problems, core)
            events = []
            for batch in reader.batches(data[at : at + 1000] for at in range(0, len(data), 1000)):
                events += batch.events()
            counted = (reader.lines, reader.events, reader.lost, reader.coarse)
            return events, counted, problems.listing()

        return scan

    if compiled is not None:
        _same(data, scanned(None), scanned(compiled))
    else:
        scanned(None)(data)


def _recording(data: bytes) -> None:
    from idle_states.tables.linux.governors import core

    def by_python(data: bytes) -> object:
        return [
            (row.line, row.cpu, row.situation, row.outcome, row.state, row.stop_tick)
            for row in rows(_input(data))
        ]

    def by_core(data: bytes) -> object:
        found = []
        for parts in chunks(_input(data)):
            for part in parts:
                pairs = list(core.unpack(part.as_recorded()))
                states, stops = part.decided[::2], part.decided[1::2]
                for pair, state, stop, line in zip(pairs, states, stops, part.lines, strict=True):
                    found.append((line, part.cpu, *pair, state, bool(stop)))
        return sorted(found, key=lambda row: row[0])

    if core.available():
        _same(data, by_python, by_core)
    else:
        by_python(data)


def _head(data: bytes) -> None:
    """Reads, writes what was read and reads that again."""
    found = head_of(_input(data))
    if found is not None:
        text = "".join(f"{line}\n" for line in found.lines()).encode("utf-8", "surrogatepass")
        assert list(head_of(_input(text)).lines()) == list(found.lines())  # type: ignore[union-attr]


def _unpacked(data: bytes) -> None:
    with suppress(compressed.TooLarge, compressed.DamagedArchive):
        assert len(compressed.whole(data, UNPACKED_MAX)) <= UNPACKED_MAX


def _tar(data: bytes) -> None:
    format_tar.collected(File.open(_file(data)))
    for _, node in archive.read(data, "x.tar").walk():
        assert all(isinstance(value, bytes) for value in node.properties.values())


def _document(data: bytes) -> None:
    document.parse(document.decode(data, "x.yaml"), "x.yaml")


def _console(data: bytes) -> None:
    """Reads one section, or all, of what a guest printed."""
    log = data.decode("utf-8", "replace")
    for names in (("fdt",), SCRIPT.sections):
        with suppress(console.Incomplete):
            found = console.sections(log, names)
            assert sum(map(len, found.values())) <= limits.CONSOLE_UNPACKED_BYTES
    console.reached(log)


def _sysfs(data: bytes) -> None:
    dump = sysfs.read(_input(data))
    sysfs.difference(dump, dump)


def _baseline(data: bytes) -> None:
    """Reads, writes what was read and reads that again."""
    found = baseline.read(_file(data))
    text = found.text().encode("utf-8", "surrogatepass")
    assert baseline.read(_file(text)).known == found.known


def _acpi(data: bytes) -> None:
    """Reads tables, or acpidump's text. A blob that is read is the same as text."""
    if acpi_signs.is_dump(data):
        acpi_idle.read(acpi_tables.dumped(data, "x"), "x")
        return
    found = acpi_tables.blobs(data, "x")
    used = [table.data for table in found if table.signature in acpi_signs.USED]
    text = acpi.dump(used).encode("ascii")
    assert [table.data for table in acpi_tables.dumped(text, "x")] == used
    acpi_idle.read(found, "x")


def _aml(data: bytes) -> None:
    """Reads the definitions of a DSDT, acpiexec evaluating what needs it."""
    with mock.patch.object(limits, "ACPIEXEC_S", PROGRAM_S):
        acpi_idle.read(acpi_tables.blobs(acpi.table("DSDT", data), "x"), "x")


def _measured(data: bytes) -> None:
    """A file of any format of measurements, of which the caller knows what it may not say."""
    told = Facts(state="C1", period_ns=1e6, woken_by="timer")
    found = formats.read_output(output_of("x.txt", data), told)
    assert any((found.latencies, found.energies, found.claims, found.left_out))


READERS: dict[str, Callable[[bytes], object]] = {
    "acpi": _acpi,
    "aml": _aml,
    "baseline": _baseline,
    "c": lambda data: c_table.read(data.decode("utf-8", "replace"), "x.c"),
    "compressed": _unpacked,
    "config": lambda data: config.read(_file(data)),
    "console": _console,
    "convert": lambda data: convert(_input(data)),
    "document": _document,
    "dtc": _dtc,
    "dts": _dts,
    "fdt": _fdt,
    "head": _head,
    "git": _git,
    "lid": lambda data: lid.read(data, "x.lid"),
    "measured": _measured,
    "linux-log": linux_log.read,
    "mail": lambda data: series_of(read_mails(str(_file(data)))[0], "x.mbox"),
    "opal-log": opal_log.read,
    "patch": lambda data: description.read(_file(data), "x.yaml"),
    "preprocessor": _preprocessor,
    "recording": _recording,
    "results": _tune_results,
    "perf-data": _perf_data,
    "ring-buffer": _ring_buffer,
    "spec": _spec,
    "stats": _stats,
    "sysfs": _sysfs,
    "tar": _tar,
    "topology": lambda data: topology_file.read(_file(data)),
    "trace": _trace,
    "trace-dat": _trace_dat,
    "tune-list": lambda data: tune_source.read_list(_input(data)),
    "uname": lambda data: running(data.decode("utf-8", "replace")),
    "workload": lambda data: workloads_file.read(data, "x.yaml"),
    "workload-trace": lambda data: workloads_trace.read(_input(data)),
}


def check(name: str, data: bytes) -> None:
    """Raises whatever the reader should not."""
    outcome(READERS[name], data)
