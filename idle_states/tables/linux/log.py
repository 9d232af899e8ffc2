"""The messages of a kernel log on idle states: dmesg, with or without levels, or journalctl.

    [    0.118132] cpuidle: using governor menu
    <6>[    0.1] ...             raw, kern  :info  : [    0.1] ...  dmesg -x, [Mon ...] dmesg -T
    Nov 21 19:03:11 host kernel: cpuidle: using governor menu

Texts are given without what comes before them, so that they can be held against the model's
messages (`stages.Message`). Source of the texts: drivers/cpuidle/cpuidle-powernv.c, arch/powerpc/
platforms/powernv/idle.c, drivers/cpuidle/{cpuidle,governor}.c, init/version.c, dump_stack.c.
"""

import re
from collections import deque

from ...base.dataclass import dataclass, field
from ...base.model.stages import Logged
from ..skiboot.log import BOOTS_MAX, MESSAGES_MAX, TEXT_MAX, lines_with

_KERN = re.compile(r"(?:kern *:(\w+) *: ?|<([0-9]{1,3})>)")
_STAMP = re.compile(r"\[[ \w:.+-]{1,40}\] ?(?:\[ *[TC][0-9]+\] ?)?")
_JOURNAL = re.compile(r"(?:[^\n\[]{3,60}? |\[ *[0-9.]+\] )?\S{1,255} kernel: ?")
_NAMES = ("error", "error", "error", "error", "warning", "notice", "info", "debug")
_WORDS = {
    **dict.fromkeys(("emerg", "alert", "crit", "err"), "error"),
    "warn": "warning",
    "notice": "notice",
    "info": "info",
    "debug": "debug",
}
_ABOUT_IDLE = re.compile(
    r"cpuidle|opal: PowerMgmt Node not found|DT-PowerMgmt: |Invalid psscr 0x|xcede: "
    r"|Setting default stop psscr|Could not allocate memory for dt parsing|DT idle-states: "
    r"|CPUidle PSCI: |dt-idle-genpd: |PM: Parsing idle state node "
)
_INTERESTING = re.compile(f"{_ABOUT_IDLE.pattern}|Linux version |Hardware name: ".encode())
_VERSION = re.compile(r"Linux version (\S+)")
_GOVERNOR = re.compile(r"cpuidle: using governor (\w+)")
_STOP = re.compile(
    r"cpuidle-powernv: (Default|Deepest) stop: psscr = 0x([0-9a-f]{1,16}),mask=0x([0-9a-f]{1,16})"
)
_LOSS = re.compile(
    r"cpuidle-powernv: First stop level that may lose (SPRs|timebase) = 0x([0-9a-f]{1,16})"
)
_INVALID = re.compile(r"Invalid psscr 0x([0-9a-f]{1,16}) : (.+)")
_OFFLINE = re.compile(r"cpuidle-powernv: Offlined CPUs will stop with psscr = 0x([0-9a-f]{1,16})")
_HARDWARE = re.compile(r"Hardware name: .*?\b(POWER[0-9]+)\b.* 0x([0-9a-f]{6,8}) 0x[0-9a-f]+")
_MISSING = re.compile(r"[\w -]+: ?[mM]issing (\S+)(?: in DT)?$")
_ONLY_SNOOZE = "cpuidle-powernv : Only Snooze is available"
_NO_FULL_LOSS = "cpuidle-powernv: Disabling idle states that lose full context"


@dataclass(frozen=True, slots=True)
class LoggedStop:
    """A PSSCR that the kernel settled on, and the line that says so."""

    line: int
    psscr: int
    mask: int


@dataclass(frozen=True, slots=True)
class RefusedState:
    """A state that the kernel rejects, identified by its PSSCR; reason in the kernel's words."""

    line: int
    psscr: int
    reason: str


@dataclass(frozen=True, slots=True)
class LinuxLog:
    """One boot of a kernel. What the log does not say is None or empty.

    version          as uname -r has it
    governor         the one in use at the end
    default_stop, deepest_stop     as `DriverTable`'s; offline_psscr if the stop API failed later
    spr_loss_level, tb_loss_level  as printed; up to 5.2 the kernel prints decimals after 0x
    refused          states whose PSSCR is invalid
    only_snooze      no state but snooze was registered
    no_full_loss     states that lose full context were dropped
    missing          properties that the kernel did not find in the tree
    pvr              of the CPU, where a stack dump tells
    messages         lines about idle states, the first MESSAGES_MAX
    more             further ones, counted only
    """

    version: str | None = None
    governor: str | None = None
    default_stop: LoggedStop | None = None
    deepest_stop: LoggedStop | None = None
    offline_psscr: int | None = None
    spr_loss_level: int | None = None
    tb_loss_level: int | None = None
    refused: tuple[RefusedState, ...] = ()
    only_snooze: bool = False
    no_full_loss: bool = False
    missing: tuple[str, ...] = ()
    pvr: int | None = None
    messages: tuple[Logged, ...] = ()
    more: int = 0


def read(text: str | bytes) -> tuple[LinuxLog, ...]:
    """Returns the last boots in a log, in order, that say anything about idle states."""
    boots: deque[LinuxLog] = deque(maxlen=BOOTS_MAX)
    boot = _Boot()
    for number, line in lines_with(_INTERESTING, text):
        if line is None:
            boot.more += number
            break
        level, message = _message(line)
        if _VERSION.match(message):
            boots.append(boot.made())
            boot = _Boot()
        boot.take(number, level, message)
    boots.append(boot.made())
    return tuple(made for made in boots if made != LinuxLog())


def _message(line: str) -> tuple[str, str]:
    """Level ("" where there is none) and text of a line, stamps taken off."""
    level, rest = "", line.rstrip()
    match = _KERN.match(rest)
    if match:
        level = _WORDS.get(match[1] or "", "") or (_NAMES[int(match[2]) & 7] if match[2] else "")
        rest = rest[match.end() :]
    match = _JOURNAL.match(rest) or _STAMP.match(rest)
    if match:
        rest = rest[match.end() :]
    return level, rest[:TEXT_MAX]


@dataclass(slots=True)
class _Boot:
    """Collects the lines of one boot."""

    facts: dict[str, object] = field(default_factory=dict)
    refused: list[RefusedState] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    messages: list[Logged] = field(default_factory=list)
    more: int = 0

    def take(self, number: int, level: str, text: str) -> None:
        if match := _VERSION.match(text):
            self.facts["version"] = match[1]
        elif match := _HARDWARE.match(text):
            self.facts["pvr"] = int(match[2], 16)
        if not _ABOUT_IDLE.match(text):
            return
        kept = len(self.messages) < MESSAGES_MAX
        if kept:
            self.messages.append(Logged(number, level, text))
        else:
            self.more += 1
        if match := _GOVERNOR.match(text):
            self.facts["governor"] = match[1]
        elif match := _STOP.match(text):
            stop = LoggedStop(number, int(match[2], 16), int(match[3], 16))
            self.facts[f"{match[1].lower()}_stop"] = stop
        elif match := _LOSS.match(text):
            which = "spr_loss_level" if match[1] == "SPRs" else "tb_loss_level"
            self.facts[which] = int(match[2], 16)
        elif match := _INVALID.match(text):
            if kept:
                self.refused.append(RefusedState(number, int(match[1], 16), match[2]))
        elif match := _OFFLINE.match(text):
            self.facts["offline_psscr"] = int(match[1], 16)
        elif text == _ONLY_SNOOZE:
            self.facts["only_snooze"] = True
        elif text == _NO_FULL_LOSS:
            self.facts["no_full_loss"] = True
        elif kept and (match := _MISSING.match(text)):
            self.missing.append(match[1])

    def made(self) -> LinuxLog:
        return LinuxLog(
            refused=tuple(self.refused),
            missing=tuple(self.missing),
            messages=tuple(self.messages),
            more=self.more,
            **self.facts,  # type: ignore[arg-type]
        )
