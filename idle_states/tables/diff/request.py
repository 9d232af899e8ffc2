"""The request for a comparison of two tables or machines."""

from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field
from ...base.model.findings import UsageError
from ...base.options import STANDARD_INPUT, Annotated, Argument, Option
from ..linux.governors.source.names import SOURCES
from ..linux.request_parts import ASSUMED_HZ, HZ, PLATFORM, all_levels, hz_of, kernels

if TYPE_CHECKING:
    from ..linux.platforms import AnyPlatform
    from ..linux.releases import Release


@dataclass(frozen=True, slots=True)
class DiffRequest:
    """The tables to compare. Raises UsageError where both are standard input.

    a, b      TABLE arguments; two of whole machines of Arm or RISC-V are compared as machines
    governor  whose selections are compared too; None: none are
    hz        the kernel's tick rate, for the governor
    """

    a: Annotated[str, Argument("A", "revision or file", is_table=True)]
    b: Annotated[str, Argument("B", "revision or file", is_table=True)]
    kernels: Annotated["tuple[Release, ...]", kernels(beside="governor")]
    platform: Annotated["AnyPlatform", PLATFORM] = field(default_factory=all_levels)
    governor: Annotated[
        str | None,
        Option(
            "--governor",
            f"also compare what this governor selects: menu, teo or ladder, {SOURCES}",
            metavar="G",
        ),
    ] = None
    hz: Annotated[int, HZ] = ASSUMED_HZ

    def __post_init__(self) -> None:
        object.__setattr__(self, "hz", hz_of(self.hz, self.kernels, self.a, self.platform))
        if self.a == self.b == STANDARD_INPUT:
            raise UsageError("expected standard input once")
