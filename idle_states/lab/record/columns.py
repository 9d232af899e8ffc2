"""Converts a decision to the columns of an exact recording."""

from ...tables.linux.governors.interface import KTIME_MAX
from ..traces.recording import COLUMNS
from .decisions import Decided
from .recorded import RecordedMachine
from .script import GOVERNORS

_NS_PER_US = 1_000
_TYPICAL_FIRST = (6, 6)
"""From this release on, menu asks for the next timer only if recent idle periods do not decide."""
_POLL_TIME_LIMIT = 1 << 2
"""Mask of poll_time_limit in the bit-fields of struct cpuidle_device."""


class Missing(Exception):
    """An input that a decision lacks, or a value out of range; the message says which."""


class Columns:
    """Converts the decisions of one recording, in order.

    without_timers  number of decisions for which the kernel did not ask for the next timer
    without_tick    number of decisions for which it did not ask whether the tick was stopped
    asks_iowait     whether the kernel has asked for the number of tasks in iowait; a kernel does so
                    in every decision or in none
    """

    def __init__(self, header: RecordedMachine) -> None:
        self.without_timers = self.without_tick = 0
        self.asks_iowait = False
        self._header = header
        self._menu = header.governor == "menu"
        self._timed = GOVERNORS[header.governor].timers

    def row(self, decided: Decided) -> tuple[int, str]:
        """Returns the clock in ns and the line of CSV with the values of COLUMNS, without newline.

        Raises Missing.
        """
        rejected = decided.rejected
        state = self._needed(decided, "is_decide")
        if not 0 <= state < len(self._header.states[decided.cpu]):
            raise Missing(f"is_decide: a state of the header, instead of {state}")
        latency_ns = self._needed(decided, "is_latency")
        if latency_ns < 0 or latency_ns % _NS_PER_US:
            raise Missing(f"is_latency: whole us, instead of {latency_ns} ns")
        sleep_ns, delta_ns = self._timers(decided) if self._timed else (KTIME_MAX, KTIME_MAX)
        tick = self._needed if self._menu and not rejected else self._optional
        bits = 0 if rejected else self._needed(decided, "is_reflect", "bits")
        clock_ns = decided.heard["is_decide"].time_ns
        values = {
            "latency_req_us": latency_ns // _NS_PER_US,
            "sleep_length_ns": sleep_ns,
            "delta_next_ns": delta_ns,
            "tick_stopped": self._optional(decided, "is_stopped"),
            "nr_iowaiters": self._iowait(decided) if self._timed else 0,
            "load": 0,
            "state": state,
            "stop_tick": self._needed(decided, "is_decide", "stop"),
            "rejected": int(rejected),
            "residency_ns": 0 if rejected else self._needed(decided, "is_reflect", "lres"),
            "got_tick": tick(decided, "is_tick"),
            "poll_time_limit": int(bool(bits & _POLL_TIME_LIMIT)),
            "clock_at_select_ns": clock_ns,
        }
        for column, value in values.items():
            least, greatest = COLUMNS[column]
            if not least <= value <= greatest:
                raise Missing(f"{column}: {least} to {greatest}, instead of {value}")
        if self._timed:
            self.without_timers += "is_sleep" not in decided.heard
            self.without_tick += "is_stopped" not in decided.heard
        return clock_ns, ",".join(str(values[column]) for column in COLUMNS)

    def _timers(self, decided: Decided) -> tuple[int, int]:
        """ns to the next timer and to the next event; KTIME_MAX for both if the kernel did not
        ask."""
        always = self._menu and self._header.version < _TYPICAL_FIRST
        if "is_sleep" in decided.heard or always:
            return self._needed(decided, "is_sleep"), self._needed(decided, "is_sleep", "delta")
        self._optional(decided, "is_sleep")
        return KTIME_MAX, KTIME_MAX

    def _iowait(self, decided: Decided) -> int:
        self.asks_iowait |= "is_iowait" in decided.heard
        return self._needed(decided, "is_iowait") if self.asks_iowait else 0

    def _needed(self, decided: Decided, event: str, key: str = "ret") -> int:
        value = decided.value(event, key)
        if value is None:
            what = event if key == "ret" else f"{key} of {event}"
            raise Missing(f"{what}: a number, which is not there")
        return value

    def _optional(self, decided: Decided, event: str) -> int:
        """An event's result; 0 if the governor did not ask, because its decision did not depend on
        it. Raises Missing if the kernel missed probes of this event."""
        if event not in decided.heard:
            if self._header.misses.get(event):
                raise Missing(f"{event}: the kernel missed some of these probes")
            return 0
        return self._needed(decided, event)
