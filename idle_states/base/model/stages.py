"""The by-products of every stage: states lost, values changed, messages printed.

A state that does not reach the next stage is reported as a `Lost`, with a reason for people and the
ground: the function and commit that decide it.
"""

from typing import Annotated, Literal

from ..dataclass import dataclass
from .forms import Count, Limits


@dataclass(frozen=True, slots=True)
class Lost:
    """A state that a stage did not pass on; index: its position in the table the stage was given,
    state: its name there."""

    index: Count
    state: str
    cause: Annotated[
        str, Limits(pattern="^[a-z0-9-]+$"), "Short and stable, such as over-threshold."
    ]
    reason: Annotated[str, "For people."]
    ground: Annotated[str, "Function and commit that decide it."]


@dataclass(frozen=True, slots=True)
class Changed:
    """A value that a stage passed on altered, e.g. 200 ns becoming 0 us."""

    index: Count
    state: str
    field: str
    before: str
    after: str
    reason: str
    ground: str
    cause: Annotated[str, Limits(pattern="^[a-z0-9-]+$"), "Short and stable, such as rounded-up."]


Level = Literal["error", "warning", "notice", "info", "debug"]


@dataclass(frozen=True, slots=True)
class Message:
    """A line that firmware or kernel prints."""

    level: Level
    text: str


@dataclass(frozen=True, slots=True)
class Logged:
    """A message as a log has it. line: 1-based; level: as Message's, "" where the log has none."""

    line: int
    level: str
    text: str
