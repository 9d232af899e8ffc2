"""The result of auditing one table: the machine, the table, and the result of every stage."""

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import Finding
from ..devicetree.machine import MachineFacts
from ..linux.driver_table import DriverState, StopChoice
from ..sources import Source
from .fwts import ToolVerdict
from .running import Running
from .trees import TreeDifference

UNREADABLE = "unreadable"
NOT_LOOKED_AT = "not looked at"
"""The kind of an input for which nobody was left: the cluster went away."""


@dataclass(frozen=True, slots=True)
class Registered:
    """The states that several kernels register of a table, all alike.

    lost     (state, reason) for each state that is not registered
    offline  what an offlined CPU does
    """

    kernels: tuple[str, ...]
    states: tuple[DriverState, ...]
    lost: tuple[tuple[str, str], ...]
    messages: tuple[str, ...]
    default_stop: StopChoice | None
    deepest_stop: StopChoice | None
    offline: str


@dataclass(frozen=True, slots=True)
class Selected:
    """The selections of several kernels' governor, all alike, for equal idle periods that an
    interrupt ends.

    ranges  (first, last ns or None, names of states)
    """

    kernels: tuple[str, ...]
    ranges: tuple[tuple[int, int | None, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Audited:
    """One table of an input, or an input without any.

    table        name of the table; "" where the input has none
    kind         kind of input: spec, c, dtb, dts, directory, ...; UNREADABLE, NOT_LOOKED_AT
    cpu          generation, such as power9
    states       names of the exported states
    missing      (state, reason) for the nearest table's states that firmware withholds
    nearest      name of the nearest packaged table, None if there is none
    differences  differences from that table, in words
    verdicts     verdicts of fwts and op-test, for device trees
    registered   what kernels register; kernels that agree share an entry
    selected     what the governor selects, likewise; empty if no governor was asked for
    fingerprint  equal for tables that are equal in every value
    running      for a collection: differences between the running machine and the model
    facts        for a log: (subject, text) that it says of the machine
    alike        of boards of a tree of sources: see Source.alike
    against      differences from the setting's tree; None unless both trees exist
    """

    file: str
    sha256: str
    table: str
    kind: str
    machine: MachineFacts | None = None
    cpu: str = ""
    states: tuple[str, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    nearest: str | None = None
    differences: tuple[str, ...] = ()
    verdicts: tuple[ToolVerdict, ...] = ()
    registered: tuple[Registered, ...] = ()
    selected: tuple[Selected, ...] = ()
    findings: tuple[Finding, ...] = ()
    fingerprint: str = ""
    running: Running | None = None
    facts: tuple[tuple[str, str], ...] = ()
    against: tuple[TreeDifference, ...] | None = None
    alike: str = ""
    source: Source | None = field(default=None, compare=False, repr=False)

    @property
    def unreadable(self) -> bool:
        return self.kind in (UNREADABLE, NOT_LOOKED_AT)

    def __getstate__(self) -> tuple[object, ...]:
        """Everything; of the source what reports show of it."""
        values = (getattr(self, name) for name in self.__slots__[:-1])
        source = self.source
        return *values, source and replace(source, tree=None, machine=None, beside=None)

    def __setstate__(self, state: tuple[object, ...]) -> None:
        for name, value in zip(self.__slots__, state, strict=True):
            object.__setattr__(self, name, value)
