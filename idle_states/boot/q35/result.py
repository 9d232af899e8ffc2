"""What came of a boot of q35."""

from ...dataclass import dataclass
from ..guest_result import GuestResult
from .predict import Q35Predicted
from .request import Q35Request


@dataclass(frozen=True, slots=True)
class Q35Result(GuestResult):
    """The objects of `places` are those that the machine's processors have.

    driver    the guest's; "" if its kernel crashed
    messages  what the kernel says of C-states
    crash     where the kernel crashed; "" if it did not
    """

    predicted: Q35Predicted
    request: Q35Request
    driver: str
    messages: tuple[str, ...]
    crash: str
