"""What findings depend on beside the tables."""

from dataclasses import dataclass

from ..linux.releases import Release
from ..rules.engine import ALL, RuleSelection
from ..skiboot.platform import ALL_LEVELS, Platform


@dataclass(frozen=True, slots=True)
class Criteria:
    """What findings depend on beside the tables: the same of check, audit and review.

    kernels   Linux releases that the tables are modelled for
    platform  machine that they are exported for
    rules     rules that run
    """

    kernels: tuple[Release, ...]
    platform: Platform = ALL_LEVELS
    rules: RuleSelection = ALL
