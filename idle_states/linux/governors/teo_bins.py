"""teo's second generation, 5.14 on: bins between residencies, with hits and intercepts.

A bin is the range of idle times from one state's residency to the next one's. A wakeup in the bin
the timer fell into is a hit of that bin; one in a shallower bin is an intercept there. If intercepts
below the candidate outweigh everything at and above it, the candidate moves down to where more than
half of them lie.
"""

from typing import Any

from .interface import KTIME_MAX, U64_MAX, Situation, u32
from .teo_table import DECAY_SHIFT, PULSE, Choice, Table, Wakeup

RECENT = 9
SHORT_NS = 15_000
"""Below this residency, a state is not worth the query of timers (RESIDENCY_THRESHOLD_NS)."""
TIGHT_NS = SHORT_NS // 2


V={}
import collections
ST=collections.Counter()
class Bins:
    """One CPU's memory."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.features = table.features
        self.hits = [0] * table.count
        self.intercepts = [0] * table.count
        self.total = 0
        self.recent: list[int] = [-1] * RECENT
        self.next_recent = 0
        self.recents = [0]*table.count
        self.tick_hits = 0
        self.tick_intercepts = 0
        self.tick_wakeups = 0
        self.short_idles = 0
        self.utilised = False
        self.tie = 1

    def learn(self, wakeup: Wakeup) -> None:
        f, table = self.features, self.table
        self.short_idles = self._decay(self.short_idles)
        measured = self._measured(wakeup)
        timer = idle = 0
        bins = 0
        oldt=self.total
        for i in range(table.count):
            self.hits[i] = self._decay(self.hits[i])
            self.intercepts[i] = self._decay(self.intercepts[i])
            bins += self.hits[i] + self.intercepts[i]
            if table.residency[i] <= wakeup.sleep_length:
                timer = i
                if table.residency[i] <= measured:
                    idle = i
        if f.running_total:
            self.total = self._decay(self.total) + PULSE
        else:
            self.total = bins + PULSE

        prev=self.tick_intercepts
        self.tick_intercepts = self._decay(self.tick_intercepts)
        if f.tick_wakeups != "artificial":
            self.tick_wakeups = self._decay(self.tick_wakeups)
        net = wakeup.safety_net and not wakeup.poll_limit
        if f.tick_wakeups != "artificial":
            if (net if V.get("dom",0)==0 else wakeup.got_tick if V["dom"]==1 else False):
                self.tick_wakeups += PULSE
                if 3 * self.tick_wakeups > 2 * self.total:
                    self.hits[-1] += PULSE
                    return
        forced = f.tick_wakeups == "hit" and (net if V.get("h",0)==0 else wakeup.got_tick if V['h']==1 else False) and 3*(prev if V.get("p") else self.tick_intercepts) < 2*{0:self.total,1:oldt,2:bins}[V.get("T",0)]
        slot = self.next_recent
        self.next_recent = (slot + 1) % RECENT
        if self.recent[slot] >= 0:
            self.recents[self.recent[slot]] = u32(self.recents[self.recent[slot]] - 1)
        if f.tick_hits and table.residency[-1] < table.tick:
            self.tick_hits = self._decay(self.tick_hits)
            self.total += self.tick_hits
            if table.tick <= wakeup.sleep_length:
                timer = table.count
                if table.tick <= measured:
                    self.tick_hits += PULSE
                    return
        hit = timer == idle
        if f.tick_wakeups == "hit":
            close = wakeup.sleep_length - measured < table.exit[wakeup.state] // 2
            if V.get("m",0)==0: hit = hit and close
            elif V["m"]==1: hit=hit and (close or wakeup.got_tick)
            elif V["m"]==2: hit=hit and (close or wakeup.sleep_length<=table.tick)
            elif V["m"]==3: pass
            elif V["m"]==4: hit=hit and (close or (wakeup.got_tick and 3*self.tick_intercepts < 2*self.total))
            elif V["m"]==6: hit=hit and (close or (net and 3*self.tick_intercepts < 2*self.total))
            elif V["m"]==7: hit=hit and (close or (wakeup.got_tick and 3*prev < 2*self.total))
            elif V["m"]==8: hit=hit and (close or (wakeup.got_tick and 3*self.tick_intercepts <= 2*self.total))
            elif V["m"]==5: hit=hit and (close or measured>table.tick)
        if forced and V.get("deep"): timer=-1
        if f.tick_wakeups!="artificial" and wakeup.got_tick and not net: ST["tick-near"]+=1
        if f.tick_wakeups!="artificial" and net and timer!=idle and not forced: ST["net-otherbin"]+=1
        if f.tick_wakeups!="artificial" and net and timer!=idle and 3*self.tick_intercepts<2*self.total: ST["net-otherbin-few"]+=1
        if hit or forced:
            self.hits[timer] += PULSE
            self.recent[slot] = -1
        else:
            self.intercepts[idle] += PULSE
            self.recent[slot] = idle
            self.recents[idle] = u32(self.recents[idle] + 1)
            if f.tick_intercepts == "beyond" and table.tick <= measured:
                self.tick_intercepts += PULSE
            elif f.tick_intercepts == "within" and measured <= table.tick and not (V.get("noinc") and wakeup.safety_net and not wakeup.poll_limit) and not (V.get("noinc")==2 and wakeup.got_tick):
                self.tick_intercepts += PULSE

    def _decay(self, metric: int) -> int:
        step = metric >> DECAY_SHIFT
        return 0 if not step and self.features.decays_to_zero else metric - step

    def _measured(self, wakeup: Wakeup) -> int:
        """The idle itself, about half an exit latency shorter than what was measured."""
        f = self.features
        if f.tick_wakeups != "artificial":
            endless = wakeup.poll_limit or (V.get("e") and wakeup.got_tick and 3*self.tick_intercepts<2*self.total)
        elif f.wakeup_flag:
            endless = wakeup.safety_net
        else:
            endless = wakeup.time_span >= wakeup.sleep_length
        if endless:
            return U64_MAX
        exit_latency = self.table.exit[wakeup.state]
        if wakeup.residency >= exit_latency:
            measured = wakeup.residency - exit_latency // 2
            short = measured < SHORT_NS
        else:
            measured = wakeup.residency // 2
            short = True
        if short:
            self.short_idles += PULSE
        return measured

    def choose(self, situation: Situation, why: dict[str, Any]) -> Choice:
        f, table, disabled = self.features, self.table, situation.disabled
        latency = table.latency(situation.latency_req_us)
        sleep = situation.sleep_length_ns
        lazy = f.lazy_timers
        known = KTIME_MAX if lazy else sleep
        duration = known
        if table.count < 2:
            return Choice(0, duration, known, settled=lazy)
        idx = first = -1
        if 0 not in disabled:
            idx = first = 0
            if not lazy and table.residency[1] > sleep:
                return Choice(0, duration, known)
        if lazy and f.utilisation and self.utilised and table.count < 3:
            if idx == 0 and not table.polling[0] and self._deep_enough(0, situation):
                return Choice(0, duration, known, settled=True)
            return Choice(1, table.residency[1], known)
        constraint = 0
        intercept_sum = hit_sum = recent_sum = 0
        found = (0, 0, 0)
        for i in range(1, table.count):
            intercept_sum += self.intercepts[i - 1]
            hit_sum += self.hits[i - 1]
            recent_sum = u32(recent_sum+self.recents[i - 1])
            if i in disabled:
                continue
            if idx < 0:
                idx = first = i
            if not lazy and table.residency[i] > sleep:
                break
            idx = i
            if table.exit[i] <= latency:
                constraint = i
            found = (intercept_sum, hit_sum, recent_sum)
        if idx < 0:
            return Choice(0, duration, known, settled=lazy)
        intercepts, hits, recent = found
        by_intercepts = u32(2 * intercepts) > u32(self.total - hits)
        by_recent = f.recent and recent > RECENT // 2
        why |= {"deepest": idx, "intercepts": intercepts, "hits": hits, "total": self.total}
        before = idx
        if by_intercepts or by_recent:
            idx, duration = self._intercepted(
                idx, duration, by_intercepts, by_recent, intercepts, recent, situation
            )
        idx = min(idx, constraint)
        if f.utilisation and self.utilised:
            pass
        if not lazy:
            return Choice(idx, duration, known, max(first, 0))
        if f.short_idles:
            if not (f.early_peak and situation.tick_stopped) and (idx == 0 or table.residency[idx] < SHORT_NS) and (
                2 * self.short_idles >= self.total or latency < TIGHT_NS
            ):
                return Choice(idx, duration, known, settled=True)
        else:
            if idx == 0:
                if f.queries_fallback and before > 0 and by_intercepts:
                    known = sleep
                return Choice(idx, duration, known, settled=True)
            if table.polling[0] and table.residency[idx] < SHORT_NS:
                return Choice(idx, duration, known, settled=True)
        why["ti"]=(self.tick_intercepts,self.total,self.hits[:],self.intercepts[:])
        duration = known = sleep
        if f.short_idles and idx == 0:
            return Choice(idx, duration, known, settled=True)
        if table.residency[idx] > duration:
            i = table.shallower(idx, duration, disabled)
            if f.timer_wins or self._deep_enough(i, situation):
                idx = i
        if f.early_peak and situation.tick_stopped and sleep > 2 * table.tick and table.residency[idx] < table.tick:
            for i in range(constraint, idx, -1):
                if i not in disabled and table.residency[i] <= sleep:
                    idx = i
                    break
        if table.residency[idx] < table.tick:
            if f.tick_intercepts == "sum":
                sum_ = sum(self.intercepts)
            else:
                sum_ = self.tick_intercepts
            if (3*sum_ >= 2*self.total) if f.early_peak else (sum_ > self.total // 2 + self.total // 8):
                duration = table.tick // 2
        return Choice(idx, duration, known, max(first, 0))

    def _deep_enough(self, i, situation):
        return not situation.tick_stopped or self.table.residency[i] >= self.table.tick

    def _intercepted(self, idx, duration, by_intercepts, by_recent, intercepts, recent, situation):
        table = self.table
        suitable, span_s = idx, duration
        isum = rsum = 0
        lazy = self.features.lazy_timers
        if self.features.early_peak:
            top = max(range(idx), key=lambda i: (self.intercepts[i], self.tie * i))
            for i in range(idx - 1, -1, -1):
                isum += self.intercepts[i]
                if i in situation.disabled:
                    continue
                idx = i
                if i <= top and 2 * isum > intercepts:
                    break
            return idx, duration
        for i in range(idx - 1, -1, -1):
            isum += self.intercepts[i]
            rsum = u32(rsum+self.recents[i])
            span = (table.residency[i] + table.residency[i + 1]) // 2
            if lazy:
                ok = self._deep_enough(i, situation)
            else:
                ok = not situation.tick_stopped or span >= table.tick
            if (not by_recent or u32(2 * rsum) > recent) and (
                not by_intercepts or 2 * isum > intercepts
            ):
                if ok and i not in situation.disabled:
                    return i, span
                return suitable, span_s
            if i in situation.disabled:
                continue
            if not ok:
                if suitable != idx:
                    continue
                break
            suitable, span_s = i, span
        return idx, duration
