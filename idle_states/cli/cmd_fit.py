"""Fits exit latencies and target residencies to measurements, and compares them with the advertised
ones: those of --table, or of the measured machine itself.

MEASURED is a file or directory from `idle-states collect --measure`, wult, rtla, cyclictest, the
kernel's latency test or others, recognised by content. STATE=FILE names the state of a file that
does not record it; STATE@TIME=FILE also gives the time between wake-ups. busy=FILE was measured on
a busy CPU: the overhead of measuring, whose median is subtracted from the others.

The exit latency is a quantile of the wake-ups, with a confidence interval from order statistics.
Too few wake-ups for a quantile, or only a mean, give no estimate. under-stated: the whole interval
lies above the advertised latency; over-stated: below half of it.

Exits 1 if a state is under-stated, even if a spec with corrected values is written."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass
from ..base.model.findings import UsageError
from ..base.options import Annotated, Option
from ..lab.fit.request import FitRequest
from .output import USUAL, Output

if TYPE_CHECKING:
    from ..lab.fit.answer import FitResult


@dataclass(frozen=True, slots=True)
class FitCommand:
    """Options of `fit`: the request, and what becomes of the result."""

    request: FitRequest
    spec: Annotated[
        "Path | None",
        Option("--spec", "write the table with the fitted values as a spec", metavar="FILE"),
    ] = None
    tree: Annotated[
        "Path | None",
        Option(
            "--tree",
            "with --spec: also write the patch for this skiboot tree",
            metavar="DIR",
        ),
    ] = None
    out: Output = USUAL

    def __post_init__(self) -> None:
        if self.spec and self.request.table is None:
            raise UsageError("expected --table with --spec: a spec needs more than latencies")
        if self.tree and (not self.spec or self.spec == Path("-")):
            raise UsageError("expected --spec FILE with --tree: the patch is made of the spec")
        self.out.expect_apart("--spec", self.spec)


def run(given: FitCommand) -> int:
    from ..base.files import check_writable
    from ..lab.fit.answer import fit
    from ..lab.fit.sheet import sheet

    request, out = given.request, given.out
    for name in (out.html, out.file):
        check_writable(name)
    found = fit(request)
    if out.format == "json":
        from ..lab.fit.fit_document import Fit
        from ..tables.documents.json_output import envelope

        out.document(envelope("fit", Fit, found, found.inputs, [request.kernel]))
    else:
        out.print_sheet(sheet(found))
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
        for remark in kept(state):
            say(remark)
    if file == Path("-"):
        return
    spec = file.as_posix() if "/" in file.as_posix() else f"./{file}"
    if not tree:
        say(f"a patch of it: idle-states patch {spec} --tree DIR")
        return
    from ..change.patches.request import PatchRequest
    from .cmd_patch import PatchCommand
    from .cmd_patch import run as patch

    patch(PatchCommand(PatchRequest(tree, spec), output=file.parent))
