"""What the driver models work with: a row of the tree, and the journal of what befalls it."""

from dataclasses import dataclass, field

from ..stages import Changed, Level, Lost, Message
from .driver_table import DriverState

DRIVER = "drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states()"
PLATFORM = "arch/powerpc/platforms/powernv/idle.c"


@dataclass(slots=True)
class TreeRow:
    """One state of the tree while a kernel works on it; psscr and mask may be rewritten.

    residency_ns  None where this kernel reads none
    invalid       why the platform code does not use it; "" if it does
    """

    index: int
    name: str
    flags: int
    latency_ns: int = 0
    residency_ns: int | None = None
    psscr: int = 0
    mask: int = 0
    invalid: str = ""


@dataclass(slots=True)
class Journal:
    """What is said, lost and altered on the way."""

    messages: list[Message] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    changed: list[Changed] = field(default_factory=list)

    def say(self, level: Level, text: str) -> None:
        self.messages.append(Message(level, text))

    def lose(self, row: TreeRow, cause: str, reason: str, ground: str = DRIVER) -> None:
        self.lost.append(Lost(row.index, row.name, cause, reason, ground))

    def change(
        self,
        row: TreeRow,
        field_name: str,
        before: str,
        after: str,
        reason: str,
        ground: str = DRIVER,
    ) -> None:
        self.changed.append(Changed(row.index, row.name, field_name, before, after, reason, ground))

    def compare(self, row: TreeRow, state: DriverState, rounding: str) -> None:
        """Notes every value of a registered state that is not the tree's."""
        if state.name != row.name:
            reason = "the driver names this class of state itself"
            if row.name.startswith(state.name):
                reason = f"names are cut to {len(state.name)} characters"
            self.change(row, "name", row.name, state.name, reason)
        if state.exit_latency_us * 1000 != row.latency_ns:
            self.change(
                row, "latency", f"{row.latency_ns} ns", f"{state.exit_latency_us} us", rounding
            )
        if row.residency_ns is not None and state.target_residency_us * 1000 != row.residency_ns:
            converted = {row.residency_ns // 1000, -(-row.residency_ns // 1000)}
            reason = rounding
            if state.target_residency_us not in converted:
                reason = "this kernel's driver does not use the tree's value"
            self.change(
                row,
                "residency",
                f"{row.residency_ns} ns",
                f"{state.target_residency_us} us",
                reason,
            )


class ParseFailure(Exception):
    """The kernel gives up on the node. cause identifies why, for `Lost`."""

    def __init__(self, cause: str, reason: str) -> None:
        super().__init__(reason)
        self.cause = cause
        self.reason = reason


class Fatal(Exception):
    """The kernel crashes, or what it does next is undefined."""
