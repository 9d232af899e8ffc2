"""Which setup.cfg and which baseline tell the findings that a project has accepted."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..findings import Finding
from ..reading import opening
from .accepted import accept, mark, today
from .baseline import Baseline
from .baseline import read as read_baseline
from .config import Accepted, find
from .config import read as read_config

NO_CONFIG = "none"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Where accepted findings are listed.

    config    a setup.cfg; NO_CONFIG: none; None: the one in the current folder, or the nearest
              above it within the repository
    baseline  a file of known findings, None for none
    """

    config: str | None = None
    baseline: str | None = None

    def applied(
        self,
        findings: Sequence[Finding],
        tables: Iterable[tuple[str, str]],
        texts: dict[str, str] | None = None,
    ) -> list[Finding]:
        """The findings with accepted ones marked as suppressed, and findings about the suppressions
        themselves (unused, expired, without a reason).

        tables  (name, file) of each table that was checked
        texts   file -> text; the text of setup.cfg is added
        Raises Unreadable, OSError.
        """
        found = list(findings)
        path, entries = self._configured()
        if path is not None:
            found = accept(found, entries, tables, today())
            if texts is not None:
                texts.setdefault(path.as_posix(), opening.read_text(path))
        known = self._known()
        return found if known is None else known.apply(found)

    def marking(self) -> Callable[[Sequence[Finding]], list[Finding]]:
        """Returns a function that marks accepted findings of one input. Unlike `applied` it reports
        nothing about suppressions: one input of many cannot tell which are unused."""
        _, entries = self._configured()
        known, day = self._known(), today()

        def marked(findings: Sequence[Finding]) -> list[Finding]:
            found = mark(findings, entries, day) if entries else list(findings)
            return found if known is None else known.apply(found)

        return marked

    def _configured(self) -> tuple[Path | None, tuple[Accepted, ...]]:
        """The configuration and its suppressions."""
        if self.config == NO_CONFIG:
            return None, ()
        path = Path(self.config) if self.config else find(Path.cwd())
        if path is None:
            return None, ()
        if path.parent == Path.cwd():
            path = Path(path.name)
        return path, read_config(path)

    def _known(self) -> Baseline | None:
        return read_baseline(Path(self.baseline)) if self.baseline else None


USUAL = Acceptance()
