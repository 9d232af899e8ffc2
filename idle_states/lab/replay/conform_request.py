"""The request that `conform` makes."""

from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field
from ...base.model.findings import UsageError
from ...base.options import Annotated, Argument, Option
from ...tables.linux.request_parts import (
    KERNEL_RECORDED,
    GovernorRequest,
    NamedGovernor,
    StateNumbers,
)

if TYPE_CHECKING:
    from ...tables.linux.releases import Release


@dataclass(frozen=True, slots=True)
class ConformRequest:
    """A comparison with a governor's model; None: as the recording's head says. Raises
    UsageError for contradictory options."""

    vectors: Annotated[str, Argument("VECTORS", "a recording, - for standard input")]
    of: NamedGovernor | GovernorRequest = field(default_factory=NamedGovernor)
    release: Annotated["Release | None", KERNEL_RECORDED] = None
    disabled: Annotated[
        "StateNumbers | None",
        Option(
            "--disabled",
            "states that were switched off (default: the recording's)",
            metavar="N,...",
        ),
    ] = None
    skip: Annotated[
        int | None,
        Option(
            "--skip",
            "do not judge the first N decisions of each CPU: the recording began in the middle "
            "(default: the recording's, else 0)",
            metavar="N",
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.skip is not None and self.skip < 0:
            raise UsageError(f"expected 0 or more decisions to skip, found {self.skip}")
