"""The criteria that findings depend on beside the tables."""

from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field
from ...base.options import Annotated, LeftOut
from ..linux.request_parts import PLATFORM, all_levels, kernels
from ..rules.selection import ALL, RuleSelection

if TYPE_CHECKING:
    from ...base.model.table import IdleTable
    from ..linux.platforms import AnyPlatform
    from ..linux.releases import Release


@dataclass(frozen=True, slots=True)
class Criteria:
    """The criteria of findings beside the tables: the same of check, audit and review.

    kernels   Linux releases that the tables are modelled for
    own_time  whether check also takes those of each table's processor's own time
    own_kernel  whether a dump is judged by its machine's kernel alone, where that is known
    platform  machine that they are exported for
    rules     rules that run
    """

    kernels: Annotated[
        "tuple[Release, ...]",
        kernels("long-term", "the long-term releases, the newest, and two of Debian's"),
    ]
    platform: Annotated["AnyPlatform", PLATFORM] = field(default_factory=all_levels)
    rules: RuleSelection = ALL
    own_time: bool = False
    own_kernel: Annotated[bool, LeftOut("kernels")] = False

    def kernels_of(self, table: "IdleTable") -> "tuple[Release, ...]":
        """The releases for one table, the older ones of its own time first, without those that its
        driver is not modelled for."""
        return tuple(self.followed(table)[0])

    def followed(self, table: "IdleTable") -> "tuple[list[Release], list[Release]]":
        """Returns the releases of kernels_of(), and those that its driver is not modelled for."""
        from ..linux.grounds import followed
        from ..linux.platforms import subsystem_of
        from ..linux.releases import release

        own = own_kernels(table) if self.own_time else ()
        known = {kernel.name for kernel in self.kernels}
        kernels = (*(release(n) for n in own if n not in known), *self.judging(table))
        return followed(kernels, subsystem_of(table, self.platform))

    def judging(self, table: "IdleTable") -> "tuple[Release, ...]":
        """Returns the kernels; of a dump, where none is named, the one that its machine ran."""
        from ..linux.releases import running

        origin = table.origin
        own = running(origin.kernel) if self.own_kernel and origin.form == "sysfs" else None
        return (own,) if own else self.kernels


def own_kernels(table: "IdleTable") -> tuple[str, ...]:
    """Names of releases of a table's processor's own time; of a variant's, where the table has the
    name or the C array of the variant's packaged table."""
    from ...base.model.table import Register
    from ..spec import registry
    from ..spec.library import find

    origin = table.origin
    if table.register is Register.NONE or (origin.form == "dt" and origin.unknown):
        return ()
    if table.cpu is None:
        return registry.assumed(table.register is Register.PSSCR).kernels
    array = table.name if table.read_from.kind == "c" else table.firmware.array
    revision = table.name.partition("@")[0]
    for variant in registry.variants():
        if revision == variant.table or (array and array == variant.firmware.array):
            named = find(variant.table).cpu
            return named.kernels if named else ()
    return table.cpu.kernels
