"""A request to compare benchmark results."""

from decimal import Decimal, InvalidOperation
from typing import Literal

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.options import Annotated, Argument, Option, check_choices

StatsForm = Literal["", "ministat", "histogram", "schbench", "mmtests"]
MINISTAT: StatsForm = "ministat"
HISTOGRAM: StatsForm = "histogram"
SCHBENCH: StatsForm = "schbench"
MMTESTS: StatsForm = "mmtests"
CONFIDENCE, MINISTAT_CONFIDENCE = Decimal(99), Decimal(95)
"""Default confidence in percent."""
BLANKS = " \t"
_TABLE = "with --mmtests"


@dataclass(frozen=True, slots=True)
class StatsRequest:
    """The files and summaries to compare with the first. Raises UsageError for unusable options.

    files  - is standard input
    form   "": by what files hold
    """

    files: Annotated[tuple[str, ...], Argument("FILE", "the first one is the reference")] = ()
    summaries: Annotated[
        tuple[str, ...],
        Option(
            "--summary",
            "a row in place of a file; may be repeated",
            metavar="[NAME=]N,MIN,MAX,MEDIAN,AVG,STDDEV",
        ),
    ] = ()
    confidence: Annotated[
        Decimal | None,
        Option(
            "--confidence",
            f"default: {CONFIDENCE}; with --ministat its own, {MINISTAT_CONFIDENCE}",
            metavar="PERCENT",
            short="-c",
            reads="lab.statistics.request.confidence_of",
        ),
    ] = None
    reference: Annotated[
        int | None, Option("--reference", "number of the set or row (default: 1)", metavar="N")
    ] = None
    audit_outliers: Annotated[
        bool,
        Option(
            "--audit-outliers",
            "compare again without each set's one maximum: does the conclusion survive?",
        ),
    ] = False
    form: Annotated[
        StatsForm,
        Option(
            "--ministat",
            only="form",
            switches=(
                (MINISTAT, "as ministat computes and prints it"),
                (HISTOGRAM, "ten bins of each set, too"),
                (SCHBENCH, "percentiles of samples in us as schbench has them"),
                (MMTESTS, "a table of means with percent, from files with lines of NAME SAMPLE..."),
            ),
        ),
    ] = ""
    column: Annotated[int, Option("--column", "default: 1", metavar="N", short="-C")] = 1
    delimiter: Annotated[
        str, Option("--delimiter", "default: space and tab", metavar="CHARS", short="-d")
    ] = BLANKS
    mean: Annotated[
        Literal["Amean", "Hmean"] | None,
        Option("--mean", "arithmetic, or harmonic, for rates (default: Amean)", heading=_TABLE),
    ] = None
    lower_is_better: Annotated[
        bool,
        Option("--lower-is-better", "a positive percent is less, as in mmtests", heading=_TABLE),
    ] = False

    def __post_init__(self) -> None:
        check_choices(self)
        if not self.files and not self.summaries:
            raise UsageError("expected files or --summary")
        if self.files.count("-") > 1:
            raise UsageError("expected standard input once")
        if "" in self.files:
            raise UsageError("expected files, found the empty word ''")
        if self.column < 1:
            raise UsageError(f"expected --column from 1, found {self.column}")
        if not self.delimiter:
            raise UsageError("expected characters for --delimiter, found none")
        table = {"--mean": self.mean is not None, "--lower-is-better": self.lower_is_better}
        for option, given in table.items():
            if given and self.form != MMTESTS:
                raise UsageError(f"expected {option} with --mmtests only")


def confidence_of(text: str) -> Decimal:
    """In percent. Raises UsageError."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or not 50 <= value <= Decimal("99.9999999999"):
        hint = "; 99 % is 99, not 0.99" if value.is_finite() and 0 < value < 1 else ""
        raise UsageError(
            f"expected a confidence from 50 to 99.9999999999 percent, found {text!r}{hint}"
        )
    return value
