"""Fits exit latencies and target residencies to measurements, and holds what is advertised against
them: by --table, or by what the measured machine said of itself.

MEASURED is a file or directory of what measured: `idle-states collect --measure`, wult, rtla,
cyclictest, the kernel's latency test and others, told by their content. STATE=FILE says which state
a file is of that does not say it, STATE@TIME=FILE how long it was from one wake-up to the next
besides, busy=FILE that the CPU was kept awake: what measuring takes by itself, whose middle is
subtracted from the others.

The exit latency is a quantile of the wake-ups, with the interval of order statistics. Too few
wake-ups for a quantile, or a mean alone, are refused. under-stated: the interval's lower bound is
above the advertised latency; over-stated: its upper bound is below half of it.

Exits 1 if a state is under-stated, also where a spec is written that is not."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass, field
from ..base.model.findings import UsageError
from ..base.model.measured import WokenBy
from ..base.options import Annotated, Argument, Option
from ..tables.linux.asked import PLATFORM, all_levels, table_of
from .output import USUAL, Output

if TYPE_CHECKING:
    from decimal import Decimal

    from ..lab.fit.request import FitRequest, FitResult
    from ..tables.linux.platforms import AnyPlatform
    from ..tables.linux.releases import Release


@dataclass(frozen=True, slots=True)
class FitCommand:
    """Options of `fit`: those of FitRequest, and what becomes of the result."""

    measured: Annotated[
        tuple[str, ...], Argument("MEASURED", "[STATE[@US]=]FILE, busy=FILE", several=True)
    ]
    release: Annotated[
        "Release",
        Option(
            "--kernel",
            "Linux release that numbers the states (default: the newest)",
            metavar="K",
            default="newest",
            after="--woken-by",
        ),
    ]
    table: Annotated[
        str | None,
        Option(
            "--table",
            "what is advertised: a TABLE as of check (default: that of the x86 machine that "
            "--platform names, else what the measured machine said of itself)",
            metavar="T",
            is_table=True,
        ),
    ] = None
    quantile: Annotated[
        str,
        Option(
            "--quantile",
            "of the wake-ups, that an exit latency is to be (default: 99.99)",
            metavar="PERCENT",
        ),
    ] = "99.99"
    confidence: Annotated[
        str, Option("--confidence", "of intervals (default: 95)", metavar="PERCENT")
    ] = "95"
    residency: Annotated[
        int | None,
        Option(
            "--residency",
            "target residency: N times the fitted exit latency, where no energy was measured",
            metavar="N",
        ),
    ] = None
    awake_ns: Annotated[
        float,
        Option(
            "--awake",
            "how long a CPU is awake for each wake-up while energy is measured, such as 7.5us "
            "(default: 0)",
            metavar="TIME",
            reads="base.model.units.fractional_us",
        ),
    ] = 0.0
    period_ns: Annotated[
        float | None,
        Option(
            "--period",
            "time between wake-ups, of files without it, such as 500us: STATE@TIME=FILE says it of "
            "one",
            metavar="TIME",
            reads="lab.fit.request.period_of",
        ),
    ] = None
    woken_by: Annotated[
        WokenBy | None,
        Option(
            "--woken-by",
            "what ended the idle periods, of files that do not say it",
        ),
    ] = None
    platform: Annotated["AnyPlatform", PLATFORM] = field(default_factory=all_levels)
    spec: Annotated[
        "Path | None",
        Option("--spec", "write the table with the fitted values as a spec", metavar="FILE"),
    ] = None
    tree: Annotated[
        "Path | None",
        Option(
            "--tree",
            "with --spec: make the patch for this tree of skiboot, beside it",
            metavar="DIR",
        ),
    ] = None
    out: Output = USUAL

    def request(self) -> "FitRequest":
        """Returns the request of the room. Raises UsageError."""
        from ..lab.fit.importing.output import Told
        from ..lab.fit.request import FitRequest, measured_input

        table = self.table or table_of(self.platform)
        if self.spec and table is None:
            raise UsageError("expected --table with --spec: a spec needs more than latencies")
        if self.tree and not self.spec:
            raise UsageError("expected --spec FILE with --tree: the patch is made of the spec")
        told = Told(period_ns=self.period_ns, woken_by=self.woken_by)
        return FitRequest(
            tuple(measured_input(word, told) for word in self.measured),
            self.release,
            table,
            _decimal(self.quantile, "a quantile in percent"),
            _decimal(self.confidence, "a confidence in percent"),
            self.residency,
            self.awake_ns,
            self.platform,
        )


def run(given: FitCommand) -> int:
    from ..base.files import check_writable
    from ..lab.fit.fit_document import Fit
    from ..lab.fit.request import fit
    from ..lab.fit.said import sheet
    from ..tables.documents.json_output import envelope

    asked, out = given.request(), given.out
    for name in (out.html, out.file):
        check_writable(name)
    found = fit(asked)
    if out.format == "json":
        out.document(envelope("fit", Fit, found, found.inputs, [asked.kernel]))
    else:
        out.said(sheet(found))
    if out.html:
        out.page("fit", sheet(found), found.inputs)
    if given.spec:
        _spec(found, given.spec, given.tree)
    return int(found.contradicted)


def _spec(found: "FitResult", file: Path, tree: Path | None) -> None:
    """Writes the spec, and the patch that it makes of a tree."""
    from ..base.files import write_file
    from ..lab.fit.spec import fitted_table, kept
    from ..tables.spec.write import write
    from .values import say

    write_file(file, write(fitted_table(found)))
    for state in found.states:
        for said in kept(state):
            say(said)
    spec = file.as_posix() if "/" in file.as_posix() else f"./{file}"
    if not tree:
        say(f"a patch of it: idle-states patch {spec} --tree DIR")
        return
    from ..change.patches.request import PatchRequest
    from .cmd_patch import PatchCommand
    from .cmd_patch import run as patch

    patch(PatchCommand(PatchRequest(tree, spec), output=file.parent))


def _decimal(text: str, what: str) -> "Decimal":
    from decimal import Decimal, InvalidOperation

    from ..base.model.findings import UsageError

    try:
        value = Decimal(text)
    except InvalidOperation:
        raise UsageError(f"expected {what}, found {text!r}") from None
    if not value.is_finite():
        raise UsageError(f"expected {what}, found {text!r}")
    return value
