"""What every stage hands on beside its result: states lost, things said, values changed.

A state that does not reach the next stage is never just missing: it is a `Lost` with the
reason a person can act on and the ground (function and commit) that makes it so.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lost:
    """A state that a stage did not pass on.

    index   position in the table the stage was given
    state   its name there
    cause   short stable identifier, e.g. "over-threshold"; rules and tests match on it
    reason  one sentence for people
    ground  function and commit (or header) that decides it
    """

    index: int
    state: str
    cause: str
    reason: str
    ground: str


@dataclass(frozen=True, slots=True)
class Changed:
    """A value that a stage passed on altered, e.g. 200 ns becoming 0 us."""

    index: int
    state: str
    field: str
    before: str
    after: str
    reason: str
    ground: str


@dataclass(frozen=True, slots=True)
class Message:
    """A line that firmware or kernel prints. level: error, warning, notice, info or debug."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Logged:
    """A message as a log has it. line: 1-based; level: as Message's, "" where the log has none."""

    line: int
    level: str
    text: str
