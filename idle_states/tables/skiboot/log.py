"""The idle states in an OPAL message log: /sys/firmware/opal/msglog, or a console's capture.

    [   55.222333444,6] SLW: Enabling: stop0_lite

Other lines, a kernel's among them, are passed over. Source of the texts: skiboot hw/slw.c,
core/init.c, core/cpu.c; of the form: core/console-log.c.
"""

import re
from collections import deque
from collections.abc import Iterator

from ...base.dataclass import dataclass, field
from ...base.model.stages import Logged
from ...base.patterns import pattern
from ...base.reading import limits
from ..spec import registry
from .releases import NO_MASK_BEFORE, skiboot_features, version_key

LINE_MAX = limits.LOG_LINE_BYTES
"""Bytes of a line that are looked at; no firmware prints more."""
TEXT_MAX = limits.LOG_MESSAGE_CHARACTERS
"""Characters of a message that are kept."""
MESSAGES_MAX = limits.LOG_MESSAGES
"""Messages of a boot that are kept; a machine logs some twenty."""
LINES_MAX = limits.LOG_LINES
"""Lines of a log that are looked at, of those with a word of interest in them."""
BOOTS_MAX = limits.LOG_BOOTS
"""Boots of a log that are kept, the last ones."""

_LINE = pattern(r"\[ *[0-9]{1,10}\.[0-9]{9},([0-9])\] ?(.*)")
_LEVELS = {
    **dict.fromkeys("0123", "error"),
    "4": "warning",
    "5": "notice",
    "6": "info",
    **dict.fromkeys("789", "debug"),
}
_ABOUT_IDLE = pattern(
    r"SLW: |CPU idle state device tree init|NVRAM stop disable mask: |determining chip type"
    r"|creating dt node /ibm,opal/power-mgt failed|Disabling deep stop states"
)
_WORDS = pattern(rf"{_ABOUT_IDLE.pattern}| starting\.\.\.|CPU: (?:P[0-9]|Boot CPU PIR)".encode())
_START = pattern(r"(?:OPAL|SkiBoot) (\S+?)(?:-debug)? starting\.\.\.")
_CPU = pattern(r"CPU: P([0-9]{1,2}) generation processor")
_PVR = pattern(r"CPU: Boot CPU PIR is 0x[0-9a-f]+ PVR is 0x([0-9a-f]{8})")
_FORCED = " (disabled in OPAL, forced by NVRAM)"
_ENABLING, _DISABLING, _IN_OPAL = "SLW: Enabling: ", "SLW: Disabling: ", " in OPAL"
_NVRAM = pattern(r"NVRAM stop disable mask: ([0-9a-f]{1,8})")
_RELEASE = pattern(r"(?:skiboot-)?v?([0-9]{1,4}\.[0-9]{1,4}(?:\.[0-9]{1,4})?(?:-rc[0-9]{1,4})?)")
_LEVEL = pattern(r"stop([0-9]|[12][0-9]|3[01])(?:_lite)?")


@dataclass(frozen=True, slots=True)
class NamedState:
    """A state that firmware says something of, and the line."""

    line: int
    name: str


@dataclass(frozen=True, slots=True)
class OpalLog:
    """One boot of the firmware. What the log does not say is None or empty.

    version      "v6.4", "skiboot-v6.0.1"
    pvr          of the boot CPU, all 32 bits
    generation   "power9"
    enabled      states that went into the tree; forced: those of them that OPAL's own mask disables
    disabled     states that OPAL or NVRAM left out by its mask; those that the flags or the levels
                 leave out are not logged
    nvram_mask   opal-stop-state-disable-mask
    fast_sleep   what hostboot allows, on POWER8
    no_levels    "No stop levels available"
    no_deep      the self-restore of deep states could not be set up; none is disabled for it
    messages     lines about idle states, the first MESSAGES_MAX
    more         further ones, counted only
    """

    version: str | None = None
    pvr: int | None = None
    generation: str | None = None
    enabled: tuple[NamedState, ...] = ()
    forced: tuple[NamedState, ...] = ()
    disabled: tuple[NamedState, ...] = ()
    nvram_mask: int | None = None
    fast_sleep: bool | None = None
    no_levels: bool = False
    no_deep: bool = False
    messages: tuple[Logged, ...] = ()
    more: int = 0


def read(text: str | bytes) -> tuple[OpalLog, ...]:
    """Returns the last boots in a log, oldest first. Boots of which it says nothing are
    left out."""
    boots: deque[OpalLog] = deque(maxlen=BOOTS_MAX)
    boot = _Boot()
    for number, line in lines_with(_WORDS, text):
        if line is None:
            boot.more += number
            break
        match = _LINE.search(line)
        if match is None:
            continue
        message = match[2].rstrip()[:TEXT_MAX]
        if _START.match(message):
            boots.append(boot.made())
            boot = _Boot()
        boot.take(number, _LEVELS[match[1]], message)
    boots.append(boot.made())
    return tuple(made for made in boots if made != OpalLog())


def masked_by_nvram(log: OpalLog) -> Iterator[NamedState]:
    """Yields the disabled states that OPAL's own mask lets through in every release that the log
    can be of. The line of a disabled state names OPAL, whichever mask it was."""
    own = skiboot_features(_least_release(log)).opal_levels or 0
    for state in log.disabled:
        level = _LEVEL.fullmatch(state.name)
        if level and own & 1 << 31 - int(level[1]):
            yield state


def _least_release(log: OpalLog) -> str:
    """The first release that the log can be of; a later one leaves as many levels or more."""
    named = _RELEASE.match(log.version or "")
    processor = registry.find(log.generation or "")
    chips = [chip for version in processor.versions for chip in version.chips] if processor else []
    known = [chip.skiboot.release or NO_MASK_BEFORE for chip in chips if chip.skiboot]
    first = min(known, key=version_key, default=NO_MASK_BEFORE)
    return max(NO_MASK_BEFORE, first, named[1] if named else first, key=version_key)


def lines_with(words: re.Pattern[bytes], text: str | bytes) -> Iterator[tuple[int, str | None]]:
    """Number and text of each line with one of the words in its first LINE_MAX bytes.

    A log may be all newlines or one line; memory depends on neither. After LINES_MAX lines comes
    a last pair: how often the words come behind them, and None.
    """
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    number, end = 1, 0
    for _ in range(LINES_MAX):
        match = words.search(data, end)
        if match is None:
            return
        start = max(data.rfind(b"\n", end, match.start()) + 1, end)
        number += data.count(b"\n", end, start)
        end = data.find(b"\n", match.end())
        end = len(data) if end < 0 else end
        yield number, data[start : min(end, start + LINE_MAX)].decode("utf-8", "replace")
    rest = sum(1 for _ in words.finditer(data, end))
    if rest:
        yield rest, None


@dataclass(slots=True)
class _Boot:
    """Collects the lines of one boot."""

    facts: dict[str, object] = field(default_factory=dict)
    named: dict[str, list[NamedState]] = field(default_factory=dict)
    messages: list[Logged] = field(default_factory=list)
    more: int = 0

    def take(self, number: int, level: str, text: str) -> None:
        for name, form, base in (
            ("version", _START, 0),
            ("generation", _CPU, 0),
            ("pvr", _PVR, 16),
            ("nvram_mask", _NVRAM, 16),
        ):
            match = form.match(text)
            if match:
                self.facts[name] = int(match[1], base) if base else match[1]
        if not _ABOUT_IDLE.match(text):
            return
        if len(self.messages) < MESSAGES_MAX:
            self.messages.append(Logged(number, level, text))
            self._state(number, text)
        else:
            self.more += 1
        if text.startswith("SLW: HB-provided idle states property found"):
            self.facts.setdefault("fast_sleep", True)
        elif text.startswith("SLW: Sleep not enabled"):
            self.facts["fast_sleep"] = False
        elif text.startswith("SLW: No stop levels available"):
            self.facts["no_levels"] = True
        elif text.startswith("Disabling deep stop states"):
            self.facts["no_deep"] = True

    def _state(self, number: int, text: str) -> None:
        if text.startswith(_ENABLING):
            name = text.removeprefix(_ENABLING)
            if name.endswith(_FORCED):
                name = name.removesuffix(_FORCED)
                self._add("forced", number, name)
            self._add("enabled", number, name)
        elif text.startswith(_DISABLING) and text.endswith(_IN_OPAL):
            name = text.removeprefix(_DISABLING).removesuffix(_IN_OPAL)
            self._add("disabled", number, name)

    def _add(self, kind: str, number: int, name: str) -> None:
        self.named.setdefault(kind, []).append(NamedState(number, name))

    def made(self) -> OpalLog:
        facts = dict(self.facts)
        if "generation" in facts:
            facts["generation"] = f"power{facts['generation']}"
        named = {kind: tuple(states) for kind, states in self.named.items()}
        messages = tuple(self.messages)
        return OpalLog(messages=messages, more=self.more, **named, **facts)  # type: ignore[arg-type]
