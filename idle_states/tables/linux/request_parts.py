"""Parts of requests about a kernel: the machine and the releases that are asked for, a governor,
and states given by the user as times, as a kernel would hold them, without a table.

Nothing heavy is imported here: the command line reads the options of requests before it knows
whether there is anything to do.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import UsageError
from ...base.options import Annotated, Argument, Option, Options
from ...base.patterns import pattern
from .governors.source.names import SOURCES
from .qos import NO_LIMIT_US
from .source_tree.told import PREFIX

if TYPE_CHECKING:
    from .governors.interface import State
    from .platforms import AnyPlatform
    from .releases import Release

_PAIR = pattern(r"(\d{1,15})/(\d{1,15})", re.ASCII)
FAR_NS = 10 * 1_000_000_000
"""Time to a next timer that does not end the idle period. menu corrects it in steps of a 1024th, so
it can affect idle periods longer than about a thousandth of it."""
StateNumbers: TypeAlias = tuple[int, ...]
ONE_OF_TWO = "expected a table or --states, one of the two"
_MOST = 9
"""CPUIDLE_STATE_MAX without snooze."""

PLATFORM = Option(
    "--platform",
    "op920, rainier, mambo, qemu-powernv8, qemu-powernv9, qemu-powernv10, no-homer, awan, "
    "all-levels, or key=value,..., such as psci-mode=pc (Arm without OS-initiated mode) or "
    "spec=FILE (your own spec of a processor); an x86 machine and intel_idle's parameters: skx, "
    "spr,pc6=off,acpi=c1:c6,max_cstate=2 (default: all-levels)",
    metavar="P",
    default="all-levels",
    configured=True,
)
TABLE = Argument("TABLE", "revision or file", is_table=True)
TABLE_OF_MACHINE = Argument(
    "TABLE",
    "revision, file, intel:NAME; may be left out where --platform is an x86 machine",
    is_table=True,
)
GOVERNOR = Option(
    "--governor", f"menu, teo or ladder, {SOURCES} (default: menu)", metavar="G", after="--polling"
)
HZ = Option("--hz", "HZ (default: the distribution's, else 250)", metavar="N", after="--governor")
HZ_RECORDED = Option(
    "--hz",
    "HZ (default: the recording's, else the distribution's, else 250)",
    metavar="N",
    after="--governor",
)
KERNEL_SOURCE = (
    "--kernel-source",
    PREFIX,
    "a kernel's source tree, DIR or DIR@REVISION of a git repository: its governors are compiled, "
    "other features identified",
)
KERNEL = Option(
    "--kernel",
    "Linux release (default: the newest)",
    metavar="K",
    also=KERNEL_SOURCE,
    default="newest",
    after="--governor",
)
KERNEL_RECORDED = Option(
    "--kernel",
    "Linux release (default: the recording's, else the newest)",
    metavar="K",
    also=KERNEL_SOURCE,
    after="--governor",
)

LIMIT = Option(
    "--latency-limit",
    "PM QoS latency limit such as 70us, or a value of tuned's force_latency: show which states it "
    "allows and what is selected; may be repeated (default: none)",
    "TIME",
    reads="tables.selection.limit_words.latency_limit",
    after="--platform",
)
_KEEP = "find the latency limit that keeps this state, and those as fast to leave; may be repeated"
KEEP = Option("--keep", _KEEP, "STATE", after="--latency-limit")


def kernels(
    default: str = "newest", words: str = "the newest", *, after: str = "", beside: str = ""
) -> Option:
    """Returns the option of several releases. default: as `cli/values.py` reads it; words: the
    same for people; beside: the field with the governor that `all` of them have."""
    return Option(
        "--kernel",
        "Linux release: 4.11, 6.6.93, debian-6.1.192, a machine's uname -r, all; may be repeated "
        f"(default: {words})",
        metavar="K",
        also=KERNEL_SOURCE,
        default=default,
        configured=True,
        after=after,
        beside=beside,
    )


def state_numbers(text: str) -> tuple[int, ...]:
    """Returns the numbers of 2,3. Raises UsageError."""
    words = [word for word in text.split(",") if word]
    if not all(re.fullmatch(r"\d{1,3}", word, re.ASCII) for word in words):
        raise UsageError(f"expected numbers of states such as 2,3, found {text!r}")
    return tuple(map(int, words))


def all_levels() -> "AnyPlatform":
    """Returns the usual platform: firmware exports all that a table has."""
    from ..skiboot.platform import ALL_LEVELS

    return ALL_LEVELS


def table_of(platform: "AnyPlatform") -> str | None:
    """Returns intel_idle's table of an x86 machine, as TABLE; None for others."""
    from ..skiboot.platform import Platform

    if isinstance(platform, Platform):
        return None
    from .intel_idle import PREFIX
    from .intel_idle.platform import names, spelled

    is_named = spelled(platform.name.partition(",")[0]) in names()
    return f"{PREFIX}{platform.name}" if is_named else None


def table_or_machine(table: str | None, platform: "AnyPlatform") -> str:
    """Returns TABLE, or without one intel_idle's table of an x86 machine. Raises UsageError."""
    if (found := table or table_of(platform)) is None:
        raise UsageError("expected TABLE, or an x86 machine such as skx as --platform")
    return found


@dataclass(frozen=True, slots=True)
class GivenStates:
    """States as a kernel holds them.

    text     exit latency/target residency in ns of the states after snooze, which is state 0:
             1000/10000,2000/20000
    polling  whether snooze is flagged CPUIDLE_FLAG_POLLING
    Raises UsageError for another text.
    """

    text: Annotated[
        str,
        Option(
            "--states",
            "states as the kernel holds them, instead of a table, in ns: 1000/10000,2000/20000; "
            "snooze is added as state 0",
            metavar="EXIT/RES,...",
        ),
    ]
    polling: Annotated[bool, Option("--polling", "with --states: snooze is POLLING")] = False

    def __post_init__(self) -> None:
        found = self.text.split(",")
        for word in found:
            if _PAIR.fullmatch(word.strip()) is None:
                raise UsageError(
                    f"expected EXIT/RESIDENCY in ns such as 1000/10000, found {word!r}"
                )
        if len(found) > _MOST:
            raise UsageError(f"expected at most {_MOST} states besides snooze, found {len(found)}")

    @property
    def times(self) -> tuple[tuple[int, int], ...]:
        """Returns (exit latency, target residency) of each, in ns."""
        pairs = (word.split("/") for word in self.text.split(","))
        return tuple((int(exit_ns), int(residency_ns)) for exit_ns, residency_ns in pairs)

    @property
    def states(self) -> "list[State]":
        from .governors.interface import State

        return [State(0, 0, self.polling), *(State(*pair) for pair in self.times)]


GIVEN = Options(alone="expected --polling with --states only; for a table the kernel decides")
"""The options of a request's field of GivenStates."""


def check_hz(hz: int) -> None:
    """Raises UsageError for a tick rate outside 1 to 10000. (Linux is built with 12 to 12287,
    include/linux/jiffies.h; no architecture offers more than 1200.)"""
    if not 1 <= hz <= 10_000:
        raise UsageError(f"expected --hz from 1 to 10000, found {hz}")


class AssumedHz(int):
    """A tick rate that nobody named."""


ASSUMED_HZ = AssumedHz(250)
_REVISION = pattern(r"[a-z][\w-]*", re.ASCII)


def hz_of(
    hz: int,
    kernels: "Iterable[Release]",
    table: str | None = None,
    platform: "AnyPlatform | None" = None,
) -> int:
    """Returns the tick rate: the one that was named, else that of the first kernel whose
    distribution fixes it for the machine, else 250. The machine is the one of `uname -r`, or the
    one of the platform or a packaged table; a file's is not looked for."""
    if not isinstance(hz, AssumedHz):
        return hz
    x86 = type(platform).__name__ == "X86Platform" or (table or "").startswith("intel:")
    power = table is not None and _REVISION.fullmatch(table)
    machine = "x86_64" if x86 else "ppc64le" if power else ""
    fixed = (kernel.hz_on(kernel.machine or machine) for kernel in kernels)
    return AssumedHz(next(filter(None, fixed), ASSUMED_HZ))


def beside_none(limits_us: Sequence[int]) -> tuple[int, ...]:
    """Returns the latency limits that are compared where some are asked for: none at all, and
    these. Raises UsageError for one out of range."""
    for limit_us in limits_us:
        if not 0 <= limit_us <= NO_LIMIT_US:
            raise UsageError(f"expected --latency-limit from 0 to {NO_LIMIT_US}, found {limit_us}")
    return tuple(dict.fromkeys((NO_LIMIT_US, *limits_us))) if limits_us else ()


@dataclass(frozen=True, slots=True)
class GovernorRequest:
    """A governor, and the states to select from: a kernel's states of a table, or given states;
    without either, those of intel_idle's table where the platform is an x86 machine.

    Raises UsageError for contradictory options.
    """

    governor: Annotated[str, GOVERNOR] = "menu"
    hz: Annotated[int, HZ] = ASSUMED_HZ
    table: Annotated[str | None, TABLE] = None
    states: Annotated[GivenStates | None, GIVEN] = None
    platform: Annotated["AnyPlatform", PLATFORM] = field(default_factory=all_levels)

    def __post_init__(self) -> None:
        check_hz(self.hz)
        if self.table is None and self.states is None:
            object.__setattr__(self, "table", table_of(self.platform))
        if (self.table is None) == (self.states is None):
            raise UsageError(ONE_OF_TWO)

    def at(self, kernels: "Iterable[Release]") -> "GovernorRequest":
        """Returns the request with the tick rate of kernels, where none was named."""
        return replace(self, hz=hz_of(self.hz, kernels, self.table, self.platform))


@dataclass(frozen=True, slots=True)
class NamedGovernor:
    """The options of a GovernorRequest that were named; None: as the head of a recording says.

    Raises UsageError for contradictory options.
    """

    governor: Annotated[
        str | None,
        Option(
            "--governor",
            f"menu, teo or ladder, {SOURCES} (default: the recording's, else menu)",
            metavar="G",
            after="--polling",
        ),
    ] = None
    hz: Annotated[int | None, HZ_RECORDED] = None
    table: Annotated[
        str | None, Option("--table", "revision or file", metavar="TABLE", is_table=True)
    ] = None
    states: Annotated[GivenStates | None, GIVEN] = None
    platform: Annotated["AnyPlatform", PLATFORM] = field(default_factory=all_levels)

    def __post_init__(self) -> None:
        if self.hz is not None:
            check_hz(self.hz)
        if self.table is not None and self.states is not None:
            raise UsageError(ONE_OF_TWO)
