"""The kernel's interface that a governor's source is written for, found from its text.

What changed between 4.4 and today: select() has been given the tick to decide since 4.17
(45f1ff59e27c), tick_nohz_get_sleep_length() has returned the next tick through a pointer since then
(296bb1e51a48), times are in ns since 5.5 (c1d51f684c72), and signed since 5.13 (7ca81b690e59).
"""

import re

from .....base.dataclass import dataclass

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_IN_NS = re.compile(r"\b(?:exit_latency_ns|target_residency_ns|last_residency_ns)\b")
_STOP_TICK = re.compile(r"\bbool\s*\*\s*\w+")
_SLEEP_LENGTH = re.compile(r"\btick_nohz_get_sleep_length\s*\(\s*(\S)")
_BELOW_ZERO = re.compile(r"\b(?:delta|delta_tick|delta_next|duration_ns|sleep_length_ns)\s*<\s*0")
_MEMBER = re.compile(r"\b(s64|u64)\s+(?:exit_latency_ns|target_residency_ns)\b")
_UTILISATION = re.compile(r"\bsched_cpu_util\s*\(")


@dataclass(frozen=True, slots=True)
class Interface:
    """The interface between a governor and its kernel.

    in_ns         times of states, latency limits and residencies are in ns, else in us
    signed_ns     those of states are s64, else u64
    stop_tick     select() says whether the tick is to be stopped
    delta_next    the time to the next tick comes with the sleep length
    utilisation   it asks how much the CPU is used
    assumed       sentences: what the text does not tell
    """

    in_ns: bool
    signed_ns: bool
    stop_tick: bool
    delta_next: bool
    utilisation: bool = False
    assumed: tuple[str, ...] = ()

    @property
    def macros(self) -> tuple[str, ...]:
        """The macros of gov_kernel.h that say so."""
        found = {
            "GOV_IN_NS": self.in_ns,
            "GOV_SIGNED_NS": self.signed_ns,
            "GOV_STOP_TICK": self.stop_tick,
            "GOV_DELTA_NEXT": self.delta_next,
        }
        return tuple(name for name, holds in found.items() if holds)

    @property
    def era(self) -> str:
        """The releases that have this interface, in words."""
        if not self.stop_tick:
            return "Linux 4.4 to 4.16"
        if not self.in_ns:
            return "Linux 4.17 to 5.4"
        return "Linux 5.13 and later" if self.signed_ns else "Linux 5.5 to 5.12"


def interface_of(text: str, header: str = "") -> Interface:
    """Tells the interface of a governor's source. header: its kernel's include/linux/cpuidle.h, ""
    where that is not at hand."""
    code, declared = _COMMENT.sub(" ", text), _COMMENT.sub(" ", header)
    in_ns = _IN_NS.search(declared or code) is not None
    member = _MEMBER.search(declared)
    assumed: tuple[str, ...] = ()
    if member is not None:
        signed = member[1] == "s64"
    else:
        signed = in_ns and _BELOW_ZERO.search(code) is not None
        if in_ns and not signed:
            signed = True
            assumed = (
                "times of states are signed, as since Linux 5.13: neither the source nor an "
                "include/linux/cpuidle.h of its tree says so",
            )
    call = _SLEEP_LENGTH.search(code)
    stop_tick = _STOP_TICK.search(code) is not None
    return Interface(
        in_ns,
        signed,
        stop_tick,
        call[1] != ")" if call else stop_tick,
        _UTILISATION.search(code) is not None,
        assumed,
    )
