"""Which configuration and which baseline tell the findings that a project has accepted."""

from collections.abc import Callable, Iterable, Sequence
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING

from ..dataclass import dataclass
from ..findings import Finding
from .config import Configuration, find, parse, passed_over
from .config import read as read_config

if TYPE_CHECKING:
    from .baseline import Baseline

NO_CONFIG = "none"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Where accepted findings are listed.

    config    a setup.cfg or pyproject.toml; NO_CONFIG: none; None: the one in the current folder,
              or the nearest above it within the repository
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
        texts   file -> text; the configuration's text is added
        Raises Unreadable, OSError.
        """
        found = list(findings)
        configuration = self.configuration()
        if configuration is not None:
            from .accepted import accept, today

            found = accept(found, configuration.accepted, tables, today())
            if texts is not None:
                texts.setdefault(configuration.file, configuration.text)
        known = self._known()
        return found if known is None else known.apply(found)

    def marking(self) -> Callable[[Sequence[Finding]], list[Finding]] | None:
        """Returns a function that marks accepted findings of one input; None if nothing is
        accepted. Unlike `applied` it reports nothing about suppressions: one input of many cannot
        tell which are unused."""
        from .accepted import mark, today

        configuration = self.configuration()
        entries = configuration.accepted if configuration else ()
        known, day = self._known(), today()
        if not entries and known is None:
            return None

        def marked(findings: Sequence[Finding]) -> list[Finding]:
            found = mark(findings, entries, day) if entries else list(findings)
            return found if known is None else known.apply(found)

        return marked

    def configuration(self) -> Configuration | None:
        """Reads the configuration; None if there is none. Raises Unreadable, OSError."""
        if self.config == NO_CONFIG:
            return None
        if self.config:
            return read_config(Path(self.config))
        found = find(Path.cwd())
        return None if found is None else parse(found[1], Path(relpath(found[0])).as_posix())

    def passed_over(self) -> str:
        """Returns a note about a configuration that does not count because of its owner."""
        return "" if self.config else passed_over(Path.cwd())

    def _known(self) -> "Baseline | None":
        if not self.baseline:
            return None
        from .baseline import read

        return read(Path(self.baseline))


USUAL = Acceptance()
