"""Makes patches from descriptions, for a skiboot tree or a tree of device-tree sources (Linux,
U-Boot, Zephyr); for skiboot also from a table that its own is to become.

SERIES is a description, a directory of them, or a packaged one (--list). Only changed values are
touched; a value that is already as wanted stays, one that is neither old nor new is an error.
Without an option, patches are written as by git format-patch, for git am. --check writes nothing
and exits 1 if tree and series, or tree and specs, differ.

For a TABLE whose revision the tree lacks, the patch adds its array, its case where a table is
chosen, and the names of a new generation, and lists what is left to do by hand. Another revision's
array is never touched: a spec that names one is refused.

A description of device-tree source says how properties and nodes of a .dtsi or .dts change. All
boards that include the file are built before and after: if one would change in an unintended way,
it is named and nothing is written. With --file the edits are computed so that the boards of that
file get the states of TABLE: a spec, a dtb or another tree.

Patches that review would refuse are not written: the findings are shown, and the exit status is 1.
--force writes them anyway."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..base.dataclass import dataclass
from ..base.model.findings import Severity, UsageError
from ..base.options import Annotated, Option
from ..change.patches.request import MailOptions, PatchRequest
from .shown import severity_option

if TYPE_CHECKING:
    from ..base.model.findings import Finding
    from ..change.patches.mail import Posting
    from ..change.patches.plan import Plan
    from ..change.review.result import Review


@dataclass(frozen=True, slots=True)
class PatchCommand:
    """Options of `patch`.

    request       None without --tree
    output        directory for the patches; stdout: a mailbox there; apply: edit the tree instead
    list          the packaged descriptions instead
    fail_on       patches that bring findings as bad as this are refused
    mail          how they are mailed
    """

    request: PatchRequest | None = None
    output: Annotated[
        "Path | None",
        Option(
            "--output",
            "write the patches there (default: here)",
            metavar="DIR",
            short="-o",
            only="mode",
        ),
    ] = None
    stdout: Annotated[
        bool, Option("--stdout", "write the patches to standard output", only="mode")
    ] = False
    apply: Annotated[bool, Option("--apply", "edit the tree's files in place", only="mode")] = False
    list: Annotated[
        bool, Option("--list", "list the packaged descriptions", only="mode", after="--check")
    ] = False
    fail_on: Annotated[
        Severity, severity_option("refuse patches that bring findings of this severity or worse")
    ] = Severity.ERROR
    mail: MailOptions = MailOptions()
    format: Annotated[Literal["text", "json"], Option("--format")] = "text"

    def checked(self) -> PatchRequest:
        """Returns the request of the room. Raises UsageError."""
        if self.request is None:
            raise UsageError(
                "expected --tree DIR: skiboot's source, or a tree of device-tree sources"
            )
        if self.mail.previous and (self.request.check or self.apply):
            raise UsageError(
                "expected --previous where patches are written, not with --check, --apply"
            )
        if self.stdout and self.format == "json":
            raise UsageError("expected --stdout without --format json; a mailbox is no JSON")
        return self.request


def run(given: PatchCommand) -> int:
    from ..base.report import printer
    from ..base.report.style import Style
    from ..change.patches import sheet as patch_output
    from ..change.patches.answer import patch
    from ..change.patches.patch_document import Planned, planned
    from ..change.review.planned import refusing, review_of
    from ..change.review.posting import posting_of, previous_of
    from ..tables.documents.json_output import envelope
    from .values import say

    if given.list:
        return _list(given.format)
    request = given.checked()
    prepared = patch(request)
    made = prepared.plan
    _note_unknown_release(made)
    previous = previous_of(made, given.mail)
    written: list[str] = []
    bad: list[Finding] = []
    if not request.check:
        found = review_of(made)
        bad = refusing(found, given.fail_on)
        _say_findings(bad, found, forced=request.force)
        if not bad or request.force:
            posting = posting_of(found, previous, given.mail)
            apart = None if given.stdout else given.output or Path(".")
            written = _applied(made) if given.apply else _mailed(made, posting, apart)
        for note in made.tree.notes:
            say(f"{made.tree.root.as_posix()}: {note}")
    is_refused = bool(bad) and not request.force
    if given.format == "json":
        came = planned(made, list(prepared.absent), written, bad)
        inputs = [*prepared.inputs, *(previous.inputs if previous else ())]
        printer.document(envelope("patch", Planned, came, inputs))
    elif request.check:
        printer.text(patch_output.check_text(made, list(prepared.absent), Style.of()))
    elif not is_refused:
        tell = printer.say_text if given.stdout else printer.text
        tell(patch_output.done_text(made, written))
    return int(is_refused or (request.check and bool(made.made)))


def _note_unknown_release(made: "Plan") -> None:
    """Nothing else would tell that a patch's bounds could not be looked at."""
    from ..change.patches.sheet import meant_for
    from .values import say

    if made.tree.version:
        return
    for step in made.made:
        if step.patch.since or step.patch.until:
            message = f"the release of this tree is unknown; the patch is {meant_for(step.patch)}"
            say(f"{step.patch.name}: {message}")


def _say_findings(bad: Sequence["Finding"], found: "Review", *, forced: bool) -> None:
    """Prints the findings for which patches are refused, on standard error."""
    import sys

    from ..base.report import printer
    from ..base.report.findings_text import render
    from ..base.report.style import Style
    from ..base.wording import plural
    from .values import say

    if bad:
        brought = f"review finds {plural(len(bad), 'finding')} in these patches"
        outcome = "written by --force" if forced else "nothing is written without --force"
        say(f"{brought}; {outcome}")
        printer.say_text(render(bad, found.texts, Style.of(sys.stderr), notes=True))


def _list(form: str) -> int:
    from ..base.report import printer
    from ..change.patches import sheet as patch_output
    from ..change.patches.library import DTS_DIRECTORY, packaged
    from ..change.patches.patch_document import Packaged
    from ..tables.documents.json_output import envelope

    patches = [*packaged(), *packaged(DTS_DIRECTORY)]
    if form == "json":
        inputs = [(patch.file, patch.sha256) for patch in patches]
        printer.document(envelope("patch", Packaged, patches, inputs))
    else:
        printer.text(patch_output.list_text(patches))
    return 0


def _applied(made: "Plan") -> list[str]:
    """The tree's files that were changed."""
    from ..change.patches.write import write

    write(made.tree, made.files)
    return [(made.tree.root / name).as_posix() for name in made.files]


def _mailed(made: "Plan", posting: "Posting", directory: Path | None) -> list[str]:
    """The patches, to a directory or standard output; the files that were written."""
    from ..base.files import naming, write_file
    from ..base.report import printer
    from ..change.patches.mail import mails

    rendered = mails(made, posting)
    if directory is None:
        with naming("standard output"):
            printer.document(b"".join(content for _, content in rendered))
            printer.flush()
        return []
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in rendered:
        write_file(directory / name, content, named=False)
    return [(directory / name).as_posix() for name, _ in rendered]
