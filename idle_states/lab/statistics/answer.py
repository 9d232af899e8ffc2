"""The comparison that a request asks for."""

from collections.abc import Sequence

from ...base.dataclass import dataclass, replace
from ...base.model.findings import UsageError, unreadable
from ...base.reading.unexpected import on_input
from .analysis import Analysis, analyse
from .files import ResultsFile, ResultsKind
from .histogram import Histogram, histogram
from .ministat import LEAST_SAMPLES, MOST_SETS
from .mmtests import MeansRow, follows, joined, table
from .percentile_blocks import BlockGroup, groups, of_samples
from .printed_histograms import PrintedHistogram, printed_histograms
from .reading import Used, named_samples, open_file, samples
from .request import (
    BLANKS,
    CONFIDENCE,
    HISTOGRAM,
    MINISTAT,
    MINISTAT_CONFIDENCE,
    MMTESTS,
    SCHBENCH,
    StatsRequest,
)
from .summary import Dataset
from .summary_rows import rows, summary_row


@dataclass(frozen=True, slots=True)
class StatsResult:
    """The result of a request.

    analysis    of the sets, None if there are none
    histograms  name of each set, and its bins
    groups      percentiles of schbench; rows: of mmtests
    inputs      files that were read, with their SHA-256
    remarks     what was repaired to read them
    printed     histograms that files have below their rows
    """

    analysis: Analysis | None
    histograms: tuple[tuple[str, Histogram | None], ...]
    groups: tuple[BlockGroup, ...]
    rows: tuple[MeansRow, ...]
    inputs: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...] = ()
    printed: tuple[PrintedHistogram, ...] = ()

    @property
    def doubtful(self) -> bool:
        """Tells whether a conclusion hangs on one sample, a percent does not follow from its means,
        or a histogram does not fit its row."""
        pairs = self.analysis.pairs if self.analysis is not None else ()
        return (
            any(pair.survives is False for pair in pairs)
            or any(follows(row, i) is False for row in self.rows for i in range(len(row.cells)))
            or any(one.misfits for one in self.printed)
        )


def stats(request: StatsRequest) -> StatsResult:
    """Executes a request. Raises UsageError, also if it does not fit the files; Unreadable,
    OSError."""
    used = Used()
    files = [open_file(name, used) for name in request.files]
    _check_kinds(request, files)
    kinds = {kind for file in files for kind in file.kinds}
    analysis: Analysis | None = None
    found: list[BlockGroup] = groups(files) if ResultsKind.SCHBENCH in kinds else []
    table: list[MeansRow] = []
    histograms: list[tuple[str, Histogram | None]] = []
    printed: list[PrintedHistogram] = []
    if request.form == MMTESTS or ResultsKind.MMTESTS in kinds:
        table = _table(request, files)
    if _has_sets(request, files):
        sets = _sets(request, files)
        if request.form == SCHBENCH:
            found = [of_samples(sets)]
        else:
            analysis = _analysis(request, sets)
            for file in files:
                printed += sorted(printed_histograms(file, sets), key=lambda one: one.line)
        if request.form == HISTOGRAM:
            histograms = [(each.name, histogram(each.values or ())) for each in sets]
    inputs = tuple((file.name, file.sha256) for file in files)
    remarks = tuple(remark for file in files for remark in file.remarks)
    return StatsResult(
        analysis, tuple(histograms), tuple(found), tuple(table), inputs, remarks, tuple(printed)
    )


def _has_sets(request: StatsRequest, files: Sequence[ResultsFile]) -> bool:
    """Tells whether there are samples or rows to summarise."""
    sets = any(file.kinds & {ResultsKind.SAMPLES, ResultsKind.ROWS} for file in files)
    return bool(sets or request.summaries) and request.form != MMTESTS


def _check_kinds(request: StatsRequest, files: Sequence[ResultsFile]) -> None:
    """Raises UsageError if the request does not fit what the files hold."""
    form = request.form
    printed = [file for file in files if file.kinds & {ResultsKind.SCHBENCH, ResultsKind.MMTESTS}]
    if printed and (len({file.kinds for file in files}) > 1 or request.summaries):
        shown = ", ".join(f"{file.holds} in {file.name}" for file in files)
        raise UsageError(f"expected files of one kind, found {shown}")
    kinds = {kind for file in files for kind in file.kinds}
    others = (
        form in (MINISTAT, HISTOGRAM)
        or (form == SCHBENCH and kinds != {ResultsKind.SCHBENCH})
        or (form == MMTESTS and kinds != {ResultsKind.MMTESTS})
    )
    if printed and others:
        raise UsageError(f"expected samples or summary rows, found {files[0].holds}")
    if printed and (request.mean or request.lower_is_better):
        raise UsageError(
            f"expected samples for --mean and --lower-is-better, found {files[0].holds}"
        )
    columned = {"--column": request.column != 1, "--delimiter": request.delimiter != BLANKS}
    for option, given in columned.items():
        if given and not any(ResultsKind.SAMPLES in file.kinds for file in files):
            found = files[0].holds if files else "--summary"
            raise UsageError(f"expected samples for {option}, found {found}")
    compared = _has_sets(request, files) and form != SCHBENCH
    for option, given in {
        "--audit-outliers": request.audit_outliers,
        "--confidence": request.confidence is not None,
        "--reference": request.reference is not None,
    }.items():
        if given and not compared:
            found = files[0].holds if printed else f"--{form}"
            raise UsageError(f"expected samples or summary rows for {option}, found {found}")


def _sets(request: StatsRequest, files: Sequence[ResultsFile]) -> list[Dataset]:
    """Returns the sets, the reference first."""
    found: list[Dataset] = []
    only_samples = request.form in (HISTOGRAM, SCHBENCH)
    for file in files:
        if ResultsKind.ROWS in file.kinds:
            if only_samples:
                raise UsageError(f"expected samples, found {file.holds} in {file.name}")
            with on_input(file.name):
                found += rows(file)
            continue
        as_ministat = request.form == MINISTAT
        with on_input(file.name):
            dataset = samples(file, request.column, request.delimiter, as_ministat)
        least = LEAST_SAMPLES if as_ministat else 2
        count = len(dataset.values or ())
        if count < least:
            raise unreadable(file.name, f"expected at least {least} samples, found {count}")
        found.append(dataset)
    if request.summaries and only_samples:
        raise UsageError("expected samples, found --summary")
    for number, text in enumerate(request.summaries, 1):
        name, equals, row = text.rpartition("=")
        try:
            summary = summary_row([word.strip() for word in row.split(",")])
        except ValueError as error:
            raise UsageError(f"--summary {text}: {error}") from None
        found.append(Dataset(name if equals else f"summary {number}", None, summary))
    if request.form == MINISTAT and len(found) > MOST_SETS:
        raise UsageError(f"expected at most {MOST_SETS} sets for --ministat, found {len(found)}")
    reference = 1 if request.reference is None else request.reference
    if not 1 <= reference <= len(found):
        raise UsageError(f"expected --reference from 1 to {len(found)}, found {reference}")
    if request.reference is not None or len(files) > 1 or request.summaries:
        found = [replace(each, group=0) for each in found]
    return [found[reference - 1], *found[: reference - 1], *found[reference:]]


def _analysis(request: StatsRequest, sets: Sequence[Dataset]) -> Analysis:
    as_ministat = request.form == MINISTAT
    confidence = request.confidence or (MINISTAT_CONFIDENCE if as_ministat else CONFIDENCE)
    try:
        return analyse(sets, confidence, as_ministat, request.audit_outliers)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _table(request: StatsRequest, files: Sequence[ResultsFile]) -> list[MeansRow]:
    if any(ResultsKind.MMTESTS in file.kinds for file in files):
        return [row for file in files for row in table(file)]
    if request.summaries or any(ResultsKind.SAMPLES not in file.kinds for file in files):
        raise UsageError("expected files with lines of NAME SAMPLE... for --mmtests")
    used = Used()
    named = [(file.name, named_samples(file, request.delimiter, used)) for file in files]
    return joined(named, request.mean or "Amean", request.lower_is_better)
