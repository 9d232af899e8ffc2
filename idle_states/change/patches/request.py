"""The request for patches."""

from typing import TYPE_CHECKING

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.options import Annotated, Argument, Option

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class PatchRequest:
    """The patches to apply, and the tree. Raises UsageError for values that make no sense.

    tree    skiboot's source tree, or one with device-tree sources
    series  as library.series() takes it, or a TABLE that is to replace the tree's
    """

    tree: Annotated[
        "Path", Option("--tree", "tree of the source, with or without git", metavar="DIR")
    ]
    series: Annotated[
        str | None,
        Argument(
            "SERIES|TABLE",
            "descriptions, or a table; --check without any uses all current revisions",
        ),
    ] = None
    check: Annotated[
        bool,
        Option("--check", "show the difference and write nothing", only="mode", after="--apply"),
    ] = False
    force: Annotated[
        bool,
        Option(
            "--force",
            "continue even if the tree has uncommitted changes, or review would refuse the patches",
            after="--list",
        ),
    ] = False
    file: Annotated[
        str,
        Option(
            "--file",
            "for device-tree sources: edit this file until all boards that include it have TABLE",
            metavar="FILE",
        ),
    ] = ""

    def __post_init__(self) -> None:
        if not self.series and not self.check:
            raise UsageError("expected a SERIES or TABLE (see --list and idle-states list)")
        if self.file and not self.series:
            raise UsageError("expected a TABLE that boards are to have, with --file")


@dataclass(frozen=True, slots=True)
class MailOptions:
    """The options for mailing patches. Raises UsageError for values that make no sense."""

    signoff: Annotated[
        bool, Option("--signoff", "sign the patches off, as their author", short="-s")
    ] = False
    reroll_count: Annotated[
        int | None,
        Option(
            "--reroll-count",
            "version of the series (default: 1, or one more than that of --previous)",
            metavar="N",
            short="-v",
        ),
    ] = None
    previous: Annotated[
        str | None,
        Option(
            "--previous",
            "the previous version, as mailed: changes since it are listed",
            metavar="FILE",
        ),
    ] = None
    changes: Annotated[
        str,
        Option(
            "--changes",
            "changes since the previous version, one per line; listed before those of --previous",
            metavar="TEXT",
        ),
    ] = ""
    cover_letter: Annotated[
        bool,
        Option(
            "--cover-letter",
            "write a cover letter with the changes and the verdict of review",
        ),
    ] = False

    def __post_init__(self) -> None:
        version = self.reroll_count
        if version is not None and not 1 <= version <= 999:
            raise UsageError(f"expected -v from 1 to 999, found {version}")
        if self.changes and not self.previous and (version or 1) == 1:
            raise UsageError("expected -v 2 or later with --changes")
