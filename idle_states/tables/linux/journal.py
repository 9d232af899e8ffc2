"""Shared by the driver models: a row of the tree, and the log of messages, losses and changes."""

from ...base.dataclass import dataclass, field
from ...base.model.stages import Changed, Level, Lost, Message
from .convert import NAME_LENGTH, conversion
from .driver_features import DriverFeatures
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
        *,
        cause: str,
    ) -> None:
        self.changed.append(
            Changed(row.index, row.name, field_name, before, after, reason, ground, cause)
        )

    def compare(self, row: TreeRow, state: DriverState, features: DriverFeatures) -> None:
        """Records every value of a registered state that differs from the tree's."""
        if state.name != row.name:
            reason, cause = "the driver names this class of state itself", "class-name"
            if row.name.startswith(state.name):
                reason, cause = f"names are cut to {len(state.name)} characters", "cut"
            elif len(state.name) > NAME_LENGTH:
                reason = f"{NAME_LENGTH + 1} characters leave no room for a NUL, and what prints "
                reason, cause = f"the name runs on into the description: {row.name}", "run-on"
            self.change(row, "name", row.name, state.name, reason, cause=cause)
        for field_name, ns, us in (
            ("latency", row.latency_ns, state.exit_latency_us),
            ("residency", row.residency_ns, state.target_residency_us),
        ):
            # of watched times (rules/watched.py), which changes no rule of OPAL's tables reads
            if isinstance(us, int) and ns != us * 1000:
                before = "none" if ns is None else f"{ns} ns"
                reason, cause = conversion(ns, us, features)
                self.change(row, field_name, before, f"{us} us", reason, cause=cause)
        for field_name, read, used in (
            ("psscr", row.psscr, state.psscr),
            ("mask", row.mask, state.mask),
        ):
            if used is not None and used != read:
                reason = "this kernel reads no masks (before 4.11) and sets the other fields itself"
                before = f"{read:#x}"
                self.change(row, field_name, before, f"{used:#x}", reason, cause="mask-unread")


class ParseFailure(Exception):
    """The kernel rejects the whole node. cause: identifies the reason in `Lost`."""

    def __init__(self, cause: str, reason: str) -> None:
        super().__init__(reason)
        self.cause = cause
        self.reason = reason


class Fatal(Exception):
    """The kernel crashes, or what it does next is undefined."""
