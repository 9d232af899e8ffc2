"""A stage of a boot: what the models predict beside what the guest shows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Protocol

from ...base.dataclass import dataclass, replace
from ...base.model.beyond_opal import SysfsState
from ...base.model.table import IdleTable
from ...base.reading import sysfs
from ...base.reading.inputs import Input
from ...tables.linux.releases import Release

REGISTERED, LINUX = "registered", "linux-messages"
SELECTED, USAGE = "selected", "usage"


class PredictedKernel(Protocol):
    """The prediction for a guest's kernel.

    kernel   output of uname
    release  the kernel release modelled; None: there is no model of this kernel
    table    what the machine has; of several tables, the first
    """

    @property
    def kernel(self) -> str: ...
    @property
    def release(self) -> Release | None: ...
    @property
    def table(self) -> IdleTable: ...


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One value that is not as predicted."""

    path: Annotated[str, "The subject: a property, a line, cpuN/stateN, a line of recording.csv."]
    predicted: Annotated[str, "By the models; empty for nothing."]
    found: Annotated[str, "In the guest; empty for nothing."]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage's prediction held against reality.

    agree         None: nothing could be judged, see note
    judged        how many values, lines or decisions were compared
    undetermined  how many could not be, for want of inputs
    """

    name: str
    agree: bool | None
    differences: tuple[Mismatch, ...] = ()
    judged: int = 0
    undetermined: int = 0
    note: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        differences: Iterable[Mismatch],
        judged: int,
        undetermined: int = 0,
        note: str = "",
    ) -> "Stage":
        found = tuple(differences)
        return cls(name, (not found) if judged else None, found, judged, undetermined, note)

    @classmethod
    def unjudged(cls, name: str, why: str) -> "Stage":
        return cls(name, None, note=why)


def compared_lines(
    name: str, predicted: Sequence[tuple[str, str]], found: Sequence[tuple[str, str]]
) -> Stage:
    """A stage of messages: predicted and found lines are compared in order."""
    count = max(len(predicted), len(found))
    differences = []
    for at in range(count):
        wanted = " ".join(predicted[at]).strip() if at < len(predicted) else ""
        line = " ".join(found[at]).strip() if at < len(found) else ""
        if wanted != line:
            differences.append(Mismatch(f"line {at + 1}", wanted, line))
    note = "" if count else "no line was predicted, and none was found"
    stage = Stage.of(name, differences, count, note=note)
    return stage if count else replace(stage, agree=True)


def held(dump: str) -> Mapping[int, tuple[SysfsState, ...]]:
    """CPU -> its states, from a dump of cpuidle attributes. Raises Unreadable."""
    return sysfs.read(Input("cpuidle.txt", held=dump.encode())).cpus


def shown(name: str) -> str:
    """A state's name as the reader of sysfs returns it."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
