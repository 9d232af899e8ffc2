"""What an audit says of one table: the machine, the table, and what came of it in every stage."""

from dataclasses import dataclass, field

from ..devicetree.machine import MachineFacts
from ..findings import Finding
from ..linux.driver_table import DriverState, StopChoice
from ..sources import Source
from .fwts import ToolVerdict
from .running import Running
from .trees import TreeDifference


@dataclass(frozen=True, slots=True)
class Registered:
    """What these kernels make of a table: they agree in all of it.

    lost     (state, reason)
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
    """What these kernels' governor selects for steady idles that an interrupt ends.

    ranges  (first, last ns or None, names of states)
    """

    kernels: tuple[str, ...]
    ranges: tuple[tuple[int, int | None, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Audited:
    """One table of an input, or an input without any.

    table        its name; "" where the input has none
    kind         spec, c, dtb, dts, directory, ...; "unreadable"
    cpu          generation: power9
    states       names, as exported
    missing      (state, reason) for the nearest table's states that firmware withholds
    nearest      the packaged table it is nearest to, None if none is
    differences  from that
    verdicts     of fwts and op-test, for trees
    registered   by kernels, those that agree together
    selected     likewise, if a governor is asked for
    fingerprint  the same for tables that are equal in every value
    running      of a collection: the machine beside the model
    facts        (what, text), of a log
    against      what its tree differs in from the setting's; None where there are no two trees
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
    source: Source | None = field(default=None, compare=False, repr=False)

    @property
    def unreadable(self) -> bool:
        return self.kind == "unreadable"

    def __getstate__(self) -> tuple[object, ...]:
        """Without the source: between processes only results travel."""
        names = self.__slots__
        return tuple(None if name == "source" else getattr(self, name) for name in names)

    def __setstate__(self, state: tuple[object, ...]) -> None:
        for name, value in zip(self.__slots__, state, strict=True):
            object.__setattr__(self, name, value)
