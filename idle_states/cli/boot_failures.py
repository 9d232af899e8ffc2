"""The failures that end a boot before its verdict -> a message and an exit status."""

import signal
from pathlib import Path

from ..base.dataclass import dataclass
from ..base.files import standard_output_fails
from ..base.model.findings import Faulty, Unreadable
from ..base.signals import Ended
from ..change.boot.boot import BootFailure
from ..change.boot.debian import Unavailable
from ..change.boot.powernv.build import BuildFailure
from .status import UNREADABLE
from .values import say


@dataclass(slots=True)
class FailurePlace:
    """The progress of a boot. below: where logs are to go, if the user says; logs: its own
    directory, once it is to stay."""

    below: Path | None
    stage: str = "reading"
    logs: Path | None = None

    def _show(self, message: str) -> None:
        where = f"; logs: {self.logs.as_posix()}" if self.logs else ""
        say(f"boot: {self.stage}: {message}{where}")

    def report(self, error: BaseException) -> int:
        """Says what happened. Re-raises what every command tells of alike."""
        if isinstance(error, BootFailure):
            say(f"boot: {error.stage}: {error}; log: {error.log.as_posix()}")
        elif isinstance(error, BuildFailure):
            say(f"boot: build: {error}")
        elif isinstance(error, Unavailable):
            say(f"boot: {error}")
        elif isinstance(error, Faulty):
            # status 1 is kept for a boot that came out otherwise than predicted
            raise Unreadable(error.findings, error.texts) from None
        elif isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            # a full disk, say; some writes do not know their file
            where = error.filename or f"a file below {self.below or 'the cache'}"
            self._show(f"{where}: {error.strerror or error}")
            standard_output_fails()
        elif isinstance(error, KeyboardInterrupt):
            self._show("interrupted")
            return 128 + signal.SIGINT
        elif isinstance(error, Ended):
            self._show(f"ended by {error.name}")
            return 128 + error.number
        else:
            raise error
        return UNREADABLE
