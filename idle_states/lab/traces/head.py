"""The head of an exact recording: the machine it is of, in comment lines before the columns.

    # idle-states decisions 1
    # release: 6.1.0-50-powerpc64le
    # version: #1 SMP Debian 6.1.176-1 (2026-07-02)
    # hz: 250
    # driver: powernv_idle
    # governor: menu
    # skip: 20
    # state: cpus=0-1 state=0 latency=0 residency=0 disable=0 name=snooze
    # state: cpus=0-1 state=1 latency=1 residency=10 disable=0 name=stop0_lite

Every line but the first may be left out; what is not said is not known. Lines with other keys are
passed over.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NoReturn

from ...base.dataclass import dataclass, field
from ...base.model.beyond_opal import SysfsState
from ...base.model.findings import unreadable
from ...base.patterns import pattern
from ...base.reading.cpu_lists import cpu_list, cpus_in
from ...base.reading.inputs import HEAD_MARK, Input
from ...base.reading.problems import quoted
from ...tables.linux.brackets import chosen_end
from ...tables.linux.releases import Release, UnknownRelease, release

FORMAT = f"{HEAD_MARK.decode()}1"
SCRIPT_FORMAT = "# idle-states recording 1"
"""First line of what the recording script prints, before `record --convert`."""
HZ_MAX, SKIP_MAX = 10_000, 1_000_000
TIME_MAX_US = (1 << 32) - 1
"""The kernel keeps a state's times in us as unsigned int."""
TEXT_MAX = 500
"""Characters of a text; a kernel's are at most 64 each, /proc/version_signature a line."""

_TEXTS = ("release", "version", "signature", "driver", "governor")
_PAIR = pattern(r"\b(\w++)=(\d{1,20})(?!\S)", re.ASCII)
_CPUS = pattern(r"cpus=([\d,-]{1,60000})(?!\S)", re.ASCII)


@dataclass(frozen=True, slots=True)
class RecordingHead:
    """The head of a recording: the machine it was made on. Texts are "" where not known.

    release    uname -r
    version    uname -v
    signature  /proc/version_signature, which Ubuntu's kernels have
    hz         tick rate; None: not known
    driver     cpuidle driver
    governor   cpuidle governor
    skip       decisions of each CPU that depend on what went before the recording
    states     CPU -> its states as sysfs showed them; empty: not known
    """

    release: str = ""
    version: str = ""
    signature: str = ""
    hz: int | None = None
    driver: str = ""
    governor: str = ""
    skip: int = 0
    states: Mapping[int, tuple[SysfsState, ...]] = field(default_factory=dict)

    def kernel(self) -> Release | None:
        """The kernel recorded; None where its release is not said. Raises UnknownRelease for one
        that is not modelled."""
        if not self.release:
            return None
        try:
            return chosen_end(
                release(" ".join(filter(None, (self.release, self.version, self.signature))))
            )
        except UnknownRelease:
            series = re.match(r"\d+\.\d+", self.release, re.ASCII)
            return chosen_end(release(series[0] if series else self.release))

    def lines(self) -> Iterator[str]:
        """The head as it is written, line by line."""
        yield FORMAT
        for key in _TEXTS:
            if text := getattr(self, key)[:TEXT_MAX].strip():
                yield f"# {key}: {text}"
        if self.hz is not None:
            yield f"# hz: {self.hz}"
        if self.skip:
            yield f"# skip: {self.skip}"
        alike: dict[tuple[SysfsState, ...], list[int]] = {}
        for cpu, states in sorted(self.states.items()):
            alike.setdefault(states, []).append(cpu)
        for states, cpus in alike.items():
            for number, state in enumerate(states):
                yield (
                    f"# state: cpus={cpu_list(cpus)} state={number} latency={state.latency_us} "
                    f"residency={state.residency_us} disable={int(state.disabled)} "
                    f"name={state.name}"
                )


def head_of(source: Input) -> RecordingHead | None:
    """The head of an exact recording; None if it has none. Raises Unreadable naming the line."""
    if not source.head:
        return None
    if source.head[0] != FORMAT.encode():
        raise unreadable(source.name, f"expected {FORMAT!r}, found {quoted(source.head[0])}", 1)
    given: dict[str, str] = {}
    numbers: dict[str, int] = {}
    states = _States(source.name)
    for line, text in enumerate(source.head[1:], 2):
        key, _, value = text[1:].decode("utf-8", "backslashreplace").strip().partition(": ")
        if key == "state":
            states.add(value, line)
        elif key in given or key in numbers:
            raise unreadable(source.name, f"expected one line {key}, found another", line)
        elif key in _TEXTS:
            given[key] = value.strip()
            if not 0 < len(given[key]) <= TEXT_MAX:
                message = f"expected a {key} of 1 to {TEXT_MAX} characters, found {len(value)}"
                raise unreadable(source.name, message, line)
        elif key in ("hz", "skip"):
            least, most = (1, HZ_MAX) if key == "hz" else (0, SKIP_MAX)
            found = int(value) if re.fullmatch(r"\d{1,9}", value, re.ASCII) else -1
            if not least <= found <= most:
                message = f"expected {key} from {least} to {most}, found {value!r:.40}"
                raise unreadable(source.name, message, line)
            numbers[key] = found
    return RecordingHead(
        **given, hz=numbers.get("hz"), skip=numbers.get("skip", 0), states=states.by_cpu()
    )


class _States:
    """Gathers lines of states: those of CPUs that are alike stand together, in order."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._groups: dict[str, list[SysfsState]] = {}
        self._cpus: dict[int, str] = {}

    def add(self, value: str, line: int) -> None:
        numbers, _, name = value.partition(" name=")
        cpus = _CPUS.match(numbers)
        if cpus is None:
            self._refuse(f"expected cpus=0-3,5 of a state, found {value!r:.60}", line)
        rows = self._groups.get(cpus[1])
        if rows is None:
            rows = self._groups[cpus[1]] = []
            self._claim(cpus[1], line)
        pairs = pairs_in(numbers)
        missing = [key for key in ("state", "latency", "residency", "disable") if key not in pairs]
        if missing:
            self._refuse(f"expected {missing[0]} of a state, found {value!r:.80}", line)
        if pairs["state"] != len(rows):
            message = f"expected states in their order, found state {pairs['state']}"
            self._refuse(f"{message} after {len(rows)} states", line)
        times = pairs["latency"], pairs["residency"]
        if max(times) > TIME_MAX_US:
            self._refuse(f"expected up to {TIME_MAX_US} us, found {max(times)}"[:100], line)
        rows.append(SysfsState(name, "", *times, disabled=pairs["disable"] != 0))

    def by_cpu(self) -> dict[int, tuple[SysfsState, ...]]:
        rows = {text: tuple(states) for text, states in self._groups.items()}
        return {cpu: rows[text] for cpu, text in sorted(self._cpus.items())}

    def _claim(self, text: str, line: int) -> None:
        try:
            for cpu in cpus_in(text):
                if cpu in self._cpus:
                    self._refuse(f"expected each CPU in one list, found CPU {cpu} twice", line)
                self._cpus[cpu] = text
        except ValueError as error:
            self._refuse(str(error), line)

    def _refuse(self, message: str, line: int) -> NoReturn:
        raise unreadable(self._name, message, line)


def pairs_in(text: str) -> dict[str, int]:
    """Key -> whole number, of each key=number between blanks."""
    return {key: int(digits) for key, digits in _PAIR.findall(text)}
