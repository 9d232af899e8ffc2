"""The request that `why` makes."""

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.options import Annotated, Argument, Option
from ...base.patterns import pattern
from ...base.reading import opening

_FILE_NAME = pattern(r"\.[a-z]+$")


@dataclass(frozen=True, slots=True)
class WhyRequest:
    """A question about a state of a machine. Raises UsageError for two words of one kind, and for a
    sample of another machine.

    state     its name, or its number in sysfs; None: each that is hardly used
    machine   a collection, a dump of sysfs, or a directory with a machine's sys and proc in it; an
              existing path that is given as the state is the machine
    """

    state: Annotated[
        str | None, Argument("STATE", "as sysfs calls it (default: each that is hardly used)")
    ] = None
    machine: Annotated[
        str | None,
        Argument("FROM", "a collection, a sysfs dump, a machine's directory (default: this one)"),
    ] = None
    seconds: Annotated[
        int | None,
        Option("--for", "sample this machine's idle periods so long, as root", metavar="SECONDS"),
    ] = None
    recording: Annotated[
        str | None, Option("--recording", "the sample of FROM, by collect --record --wake-ups")
    ] = None

    def __post_init__(self) -> None:
        words = [word for word in (self.state, self.machine) if word is not None]
        paths = [word for word in words if opening.longest_file(word)[0]]
        states = [word for word in words if word not in paths]
        if missing := [word for word in states if "/" in word or _FILE_NAME.search(word)]:
            raise UsageError(f"{missing[0]}: no such file or directory")
        if len(paths) > 1 or len(states) > 1:
            what = "one state and one existing file or directory"
            raise UsageError(f"expected {what}, found {' and '.join(words)}")
        if self.seconds is not None and (paths or self.recording):
            raise UsageError("expected --for alone: it samples this machine; others are recorded")
        if self.recording and not paths:
            raise UsageError("expected FROM beside --recording: the machine that it is of")
        object.__setattr__(self, "state", states[0] if states else None)
        object.__setattr__(self, "machine", paths[0] if paths else "/")
