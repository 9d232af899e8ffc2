"""What came of a boot of a virt machine."""

from ...dataclass import dataclass
from ..guest_result import GuestResult
from .predict import VirtPredicted
from .request import VirtRequest


@dataclass(frozen=True, slots=True)
class VirtResult(GuestResult):
    """domains: (name of a power domain, number of its state, how often it was entered during the
    work)."""

    predicted: VirtPredicted
    request: VirtRequest
    domains: tuple[tuple[str, int, int], ...]
