"""Rows of a table as checks see them: each by itself, or those that repeat one another."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache

from ...base.dataclass import dataclass
from ...base.model.findings import Confidence, Location, Severity
from ...base.model.table import IdleState
from ..pipeline import Subject
from .rule import Verdict


@dataclass(frozen=True, slots=True)
class StateRow:
    """A state of a table, and its number there."""

    subject: Subject
    number: int
    state: IdleState

    @property
    def name(self) -> str:
        return self.state.name

    def at(self, field: str = "state") -> Location:
        """Returns the place of a field, as Subject.at does."""
        return self.subject.at(self.number, field)

    def verdict(
        self,
        field: str,
        message: str,
        *,
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        kernels: Iterable[str] = (),
        related: Iterable[tuple[Location, str]] = (),
    ) -> Verdict:
        """Returns a verdict on the row at a field's place."""
        return Verdict(
            self.at(field), message, severity, confidence, tuple(kernels), tuple(related)
        )


@lru_cache(maxsize=1)  # one table is checked by all rules before the next
def every_row(subject: Subject) -> tuple[StateRow, ...]:
    return tuple(
        StateRow(subject, index, state) for index, state in enumerate(subject.table.states)
    )


def opal_rows(subject: Subject) -> tuple[StateRow, ...]:
    """Returns the rows of a table that OPAL exports."""
    return every_row(subject) if subject.is_opal else ()


def psscr_rows(subject: Subject) -> tuple[StateRow, ...]:
    """Returns the rows of a table whose control register is PSSCR."""
    return every_row(subject) if subject.is_stop else ()


def repeated(
    rows: Iterable[StateRow], value: Callable[[StateRow], Hashable]
) -> Iterator[tuple[StateRow, StateRow]]:
    """Yields (first, later) for each later row that has the value of a first one. A value of None
    repeats nothing."""
    first: dict[Hashable, StateRow] = {}
    for row in rows:
        wanted = value(row)
        earlier = row if wanted is None else first.setdefault(wanted, row)
        if earlier is not row:
            yield earlier, row
