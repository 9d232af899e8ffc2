"""Shared by the driver models: a row of the tree, and the log of messages, losses and changes."""

from ...base.dataclass import dataclass, field
from ...base.model.stages import Changed, Level, Lost, Message
from .driver_table import DriverState

DRIVER = "drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states()"
PLATFORM = "arch/powerpc/platforms/powernv/idle.c"


@dataclass(slots=True)
class TreeRow:
    """A state of the tree as a kernel processes it; psscr and mask may be rewritten.

    residency_ns  None if this kernel reads none
    invalid       why the platform code rejects it; "" if it does not
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
    """Kernel messages, lost states and changed values, collected while a model runs."""

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
        """Records every value of a registered state that differs from the tree's."""
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
    """The kernel rejects the whole node. cause: identifies the reason in `Lost`."""

    def __init__(self, cause: str, reason: str) -> None:
        super().__init__(reason)
        self.cause = cause
        self.reason = reason


class Fatal(Exception):
    """The kernel crashes, or what it does next is undefined."""
