"""Where a project keeps the findings it has accepted, as it is asked for."""

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
    """config: a setup.cfg; NO_CONFIG: no suppressions; None: that of the current folder, or the
    nearest above within the repository. baseline: a file of known findings."""

    config: str | None = None
    baseline: str | None = None

    def applied(
        self,
        findings: Sequence[Finding],
        tables: Iterable[tuple[str, str]],
        texts: dict[str, str] | None = None,
    ) -> list[Finding]:
        """The findings, those that are accepted marked as suppressed, and what is wrong with
        suppressions.

        tables: (name, file) of all that was checked. Adds the configuration's text to texts.
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
        """The same for one input of many, where nothing can be said of unused suppressions."""
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
