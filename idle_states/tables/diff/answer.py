"""The comparison of two tables or machines."""

from collections.abc import Callable

from ...base.dataclass import dataclass
from ..linux.governors import not_utilised
from ..linux.grounds import remarks
from ..linux.platforms import knowing, subsystem_of
from ..linux.releases import Release
from ..pipeline import followed
from ..sources import Source, one_table, read_sources
from ..sources.machines import is_whole_machine
from .machines import diff_machines
from .request import DiffRequest
from .tables import Difference
from .tables import diff as diff_tables


@dataclass(frozen=True, slots=True)
class DiffResult:
    """The result of a comparison.

    a, b      the tables; of machines, the first of each
    machines  whether machines were compared
    kernels   those that the tables were followed to
    """

    request: DiffRequest
    a: Source
    b: Source
    machines: bool
    kernels: tuple[Release, ...]
    differences: tuple[Difference, ...]

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Returns the assumptions of the governor's selections."""
        governor = self.request.governor
        return tuple(not_utilised(governor, self.kernels)) if governor else ()

    @property
    def remarks(self) -> list[str]:
        """The remarks on how well the kernels are known."""
        tables = (source.table for source in (self.a, self.b))
        known = dict.fromkeys(subsystem_of(t, self.request.platform) for t in tables if t)
        governor = self.request.governor
        return remarks(self.kernels, *known, *([governor] if governor else []))


def diff(request: DiffRequest, say: Callable[[str], None] = lambda message: None) -> DiffResult:
    """Reads both and compares them. say: called with notes for the user. Raises UsageError,
    UnknownGovernor and what reading a table raises."""
    all_a, all_b = read_sources(request.a), read_sources(request.b)
    machines = is_whole_machine(all_a) and is_whole_machine(all_b)
    if not machines:
        all_a, all_b = [one_table(all_a, request.a)], [one_table(all_b, request.b)]
    a, b = all_a[0], all_b[0]
    kernels = tuple(request.kernels)
    for source in (a, b):
        if source.table is not None:
            kernels = followed(source.table, request.platform, kernels, say)
    how = kernels, knowing(request.platform, (a.table, b.table)), request.governor, request.hz
    found = diff_machines(all_a, all_b, *how) if machines else diff_tables(a, b, *how)
    return DiffResult(request, a, b, machines, kernels, tuple(found))
