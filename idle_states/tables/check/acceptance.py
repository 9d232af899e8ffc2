"""The configuration and the baseline that tell the findings a project has accepted."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from os.path import relpath
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field
from ...base.model.findings import Finding
from ...base.options import Annotated, Option

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from ...base.reading.git.repository import Repository
    from .baseline import Baseline
    from .config import Accepted, Configuration

NO_CONFIG = "none"


@dataclass(frozen=True, slots=True)
class Marking:
    """Marks findings as a configuration's entries and a baseline accept them on a day."""

    entries: "tuple[Accepted, ...]"
    known: "Baseline | None"
    day: "date"

    def __call__(self, findings: Sequence[Finding]) -> list[Finding]:
        from .accepted import mark

        found = mark(findings, self.entries, self.day) if self.entries else list(findings)
        return found if self.known is None else self.known.apply(found)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The places where accepted findings are listed.

    config    a setup.cfg or pyproject.toml; NO_CONFIG: none; None: the one in the current folder,
              or the nearest above it within the repository
    baseline  a file of known findings, None for none
    revision  a revision of the current folder's repository, whose configuration and baseline count
              instead: the files in the folder may be a stranger's change; None: none
    """

    config: Annotated[
        str | None,
        Option(
            "--config",
            "setup.cfg with a section [idle-states], or pyproject.toml with [tool.idle-states] "
            "(default: the nearest one from this folder up, within the repository; none: without "
            "one)",
            metavar="FILE",
            only="config",
            after="--baseline",
        ),
    ] = None
    baseline: Annotated[
        str | None,
        Option("--baseline", "findings in this file count as suppressed", metavar="FILE"),
    ] = None
    revision: Annotated[
        str | None,
        Option(
            "--config-from",
            "read configuration and baseline from this revision of the repository, for a checkout "
            "of somebody else's change; a change of the configuration is a finding",
            metavar="REVISION",
            only="config",
            after="--config",
        ),
    ] = None
    _read: "list[Configuration | None]" = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def applied(
        self,
        findings: Sequence[Finding],
        tables: Iterable[tuple[str, str]],
        texts: dict[str, str] | None = None,
    ) -> list[Finding]:
        """The findings with accepted ones marked as suppressed, and findings about the suppressions
        themselves (unused, expired, without a reason).

        tables  (name, file) of each table that was checked
        texts   file -> text; the configuration's text is added
        Raises Unreadable, OSError.
        """
        found = list(findings)
        configuration = self.configuration()
        if configuration is not None:
            from .accepted import accept, mark, today

            if self.revision:
                # what the change does about them is in its own file
                found = mark(found, configuration.accepted, today())
            else:
                found = accept(found, configuration.accepted, tables, today())
            if texts is not None and not self.revision:
                texts.setdefault(configuration.file, configuration.text)
        known = self._known()
        return found if known is None else known.apply(found)

    def marking(self) -> "Marking | None":
        """Returns what marks accepted findings of one input; None if nothing is accepted. Unlike
        `applied` it reports nothing about suppressions: one input of many cannot tell which are
        unused."""
        from .accepted import today

        configuration = self.configuration()
        entries = tuple(configuration.accepted) if configuration else ()
        known = self._known()
        return Marking(entries, known, today()) if entries or known else None

    def configuration(self) -> "Configuration | None":
        """Reads the configuration once; None if there is none. Raises Unreadable, OSError."""
        if not self._read:
            self._read.append(self._configuration())
        return self._read[0]

    def _configuration(self) -> "Configuration | None":
        from pathlib import Path

        from .config import find, read

        if self.revision:
            return _configuration_at(self.revision)
        if self.config == NO_CONFIG:
            return None
        if self.config:
            return read(Path(self.config))
        return _named_from_here(find(Path.cwd()))

    def passed_over(self) -> str:
        """Returns a note about a configuration that does not count because of its owner."""
        from pathlib import Path

        from .config import passed_over

        return "" if self.config or self.revision else passed_over(Path.cwd())

    def changes(self, texts: dict[str, str] | None = None) -> list[Finding]:
        """Returns the findings (IS906) about how the configuration in the current folder differs
        from the revision's. texts: file -> text; its text is added. Raises Unreadable."""
        if not self.revision:
            return []
        from pathlib import Path

        from .config import find_any
        from .config_change import changes

        now = _named_from_here(find_any(Path.cwd()))
        if now and texts is not None:
            texts.setdefault(now.file, now.text)
        return changes(self.configuration(), now)

    def _known(self) -> "Baseline | None":
        if not self.baseline:
            return None
        from pathlib import Path

        from .baseline import parse, read

        if self.revision:
            from .config_change import file_at

            with _commit(self.revision) as (repository, commit):
                data = file_at(repository, commit, relpath(self.baseline))
            if data is not None:
                return parse(data, self.baseline)
        return read(Path(self.baseline))


def _named_from_here(found: "tuple[Path, str] | None") -> "Configuration | None":
    from pathlib import Path

    from .config import parse

    return None if found is None else parse(found[1], Path(relpath(found[0])).as_posix())


def _configuration_at(revision: str) -> "Configuration | None":
    """Raises Unreadable."""
    from .config import parse
    from .config_change import configuration_at

    with _commit(revision) as (repository, commit):
        found = configuration_at(repository, commit)
        if found is None:
            return None
        return parse(found.text, relpath(found.file, repository.prefix or "."))


@contextmanager
def _commit(revision: str) -> "Iterator[tuple[Repository, str]]":
    """A context manager: the current folder's repository, and the hash of a commit. Raises
    Unreadable."""
    from pathlib import Path

    from ...base.reading.git.repository import Repository

    repository = Repository(Path.cwd())
    try:
        yield repository, repository.resolve(revision)
    finally:
        repository.close()
