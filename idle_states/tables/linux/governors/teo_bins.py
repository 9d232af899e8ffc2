"""The bins of hits and intercepts that teo's second generation, 5.14 on, learns.

A bin is the range of idle times from one state's residency to the next one's. A wakeup in the bin
of the timer is a hit there; one in a shallower bin is an intercept there.
"""

from .interface import KTIME_MAX, U64_MAX, s64, u32
from .teo_table import DECAY_SHIFT, PULSE, TeoTable, Wakeup

RECENT = 9
SHORT_NS = 15_000
"""An idle below this is short; timers need not be asked for a state with such a residency."""


class Bins:
    """One CPU's metrics, by bin where they are lists.

    recent           intercepts among the last nine wakeups, 32 bits wide: it wraps below 0
    slots            bins of these wakeups, -1 for hits
    total            weight of all wakeups
    tick_hits        wakeups beyond the tick, where that is a bin of its own
    tick_intercepts  intercepts within the tick (beyond it where the test is inverted)
    tick_wakeups     wakeups by the tick
    short_idles      idles below 15 us
    """

    def __init__(self, table: TeoTable) -> None:
        self.table = table
        self.features = table.features
        self.hits = [0] * table.count
        self.intercepts = [0] * table.count
        self.recent = [0] * table.count
        self.slots = [-1] * RECENT
        self.next_slot = 0
        self.total = 0
        self.tick_hits = 0
        self.tick_intercepts = 0
        self.tick_wakeups = 0
        self.short_idles = 0

    def learn(self, wakeup: Wakeup) -> None:
        endless = self._endless(wakeup)
        measured = U64_MAX if endless else self.table.idle(wakeup.residency, wakeup.state)
        latency = self.table.exit[wakeup.state]
        self._decay()
        if not endless and (measured < SHORT_NS or wakeup.residency < latency):
            self.short_idles += PULSE
        timer = self._bin(wakeup.sleep_length)
        if wakeup.got_tick and self._hit_by_tick(timer):
            return

        slot = self._free_slot()
        idle = min(timer, self._bin(measured))
        if self._has_tick_bin() and wakeup.sleep_length >= self.table.tick:
            if measured >= self.table.tick:
                self.tick_hits += PULSE
                return
            timer = self.table.count
        if timer == idle and (not self.features.close_hits or self._close(wakeup, measured)):
            self.hits[timer] += PULSE
            self.slots[slot] = -1
        else:
            self._intercept(idle, measured)
            self.slots[slot] = idle

    def _close(self, wakeup: Wakeup, measured: int) -> bool:
        """Tells whether an idle ended at the timer; the difference wraps for an endless one."""
        early = s64(wakeup.sleep_length - min(measured, KTIME_MAX))
        return early < self.table.exit[wakeup.state] // 2

    def _endless(self, wakeup: Wakeup) -> bool:
        """Nothing but the timer or a safety net ended the idle: it counts as the timer's."""
        if self.features.tick_idles != "endless":
            return wakeup.poll_limit
        if self.features.wakeup_flag:
            return wakeup.safety_net
        return wakeup.time_span >= wakeup.sleep_length

    def _hit_by_tick(self, timer: int) -> bool:
        """Tells whether a wakeup by the tick is a hit, and then it is counted. Prevailing ticks are
        compared with the total, intercepts with it less this wakeup's weight."""
        self.tick_wakeups += PULSE
        if self.features.deepest_for_ticks and 3 * self.tick_wakeups > 2 * self.total:
            self.hits[-1] += PULSE
            return True
        others = self.total - PULSE
        if self.features.tick_idles == "unless" and 3 * self.tick_intercepts < 2 * others:
            self.hits[timer] += PULSE
            return True
        return False

    def _decay(self) -> None:
        self.hits = [self._decayed(metric) for metric in self.hits]
        self.intercepts = [self._decayed(metric) for metric in self.intercepts]
        self.tick_intercepts = self._decayed(self.tick_intercepts)
        self.tick_wakeups = self._decayed(self.tick_wakeups)
        self.short_idles = self._decayed(self.short_idles)
        if self._has_tick_bin():
            self.tick_hits = self._decayed(self.tick_hits)
        if self.features.running_total:
            rest = self._decayed(self.total)
        else:
            rest = sum(self.hits) + sum(self.intercepts) + self.tick_hits
        self.total = rest + PULSE

    def _decayed(self, metric: int) -> int:
        step = metric >> DECAY_SHIFT
        return 0 if not step and self.features.decays_to_zero else metric - step

    def _bin(self, time: int) -> int:
        fitting = (i for i in range(self.table.count - 1, 0, -1) if self.table.residency[i] <= time)
        return next(fitting, 0)

    def _has_tick_bin(self) -> bool:
        return self.features.tick_hits and self.table.residency[-1] < self.table.tick

    def _free_slot(self) -> int:
        """The oldest wakeup's slot, that wakeup's intercept taken off."""
        slot = self.next_slot
        self.next_slot = (slot + 1) % RECENT
        old = self.slots[slot]
        if old >= 0:
            self.recent[old] = u32(self.recent[old] - 1)
        return slot

    def _intercept(self, idle: int, measured: int) -> None:
        self.intercepts[idle] += PULSE
        self.recent[idle] = u32(self.recent[idle] + 1)
        within = measured <= self.table.tick
        beyond = measured >= self.table.tick
        if beyond if self.features.tick_intercepts == "beyond" else within:
            self.tick_intercepts += PULSE
