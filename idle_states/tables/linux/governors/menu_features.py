"""The changes of the menu governor over the releases."""

from typing import Literal

from ....base.dataclass import dataclass
from ....base.model.history import U32, History, Sources, rows_of
from ..releases import features_in
from .interface import U32_MAX

S32_MAX = (1 << 31) - 1
OLDEST = "4.4"


@dataclass(frozen=True, slots=True)
class MenuFeatures:
    """Behaviour that differs between releases. Defaults are those of the oldest modelled, 4.4.

    What earlier code makes of its inputs is left to them: a resume latency of 0 restricts
    nothing before 4.15, and Situation.latency_req_us says what remains.

    Units
    nanoseconds           times are in ns; before, in us cut to 32 bits. The history is always in us
    long_bits             width of C's long; 32: a typical interval in ns is cut to 32 bits, and
                          samples whose variance exceeds 32 bits have no standard deviation

    Predicting
    rejected_is_unknown   after a select() without residency, e.g. a rejected entry, the history
                          gets an unknown interval
    tick_wakeup           woken by the tick, timer beyond it: counts as 45 ms idle
    poll_limit            polling ended by its limit: counts as idle until the timer
    halves_short          up to twice the exit latency, half counts as idle; before, all of
                          what does not exceed the exit latency, which is deducted from the rest
    negative_is_zero      a negative sleep length counts as 0
    signed_event          a negative time to the next event is below every residency; before, above
                          if times are in ns
    typical_first         timers are asked only if the typical interval exceeds 15 us
    stopped_asks_timers   with the tick stopped, timers are asked whatever the typical interval
    typical_replaces      a typical interval that ends before the timer is the prediction; else the
                          lesser of it and the corrected time to the timer
    typical_deviation     typical interval: samples are alike by their standard deviation in whole
                          us; else by their variance
    trims_both_ends       typical interval: outliers are cut from both ends, variance in one pass
    typical_maximum       typical interval: of four to six unlike samples the greatest is taken
    typical_ceiling       typical interval: greater samples are left out
    typical_unknown       no typical interval "" as long as there are samples, "late" if none of
                          them is below the timer's prediction, "zeros" if all are 0

    Limits
    iowait                tasks waiting for I/O choose other correction factors and divide the limit
    load                  the run queue's load divides the limit
    predicted_limit       the exit latency must not exceed the prediction, divided for tasks
                          waiting for I/O and for load; from 4.17 with the tick running only
    stopped_tick          tick stopped, prediction below a tick: "" no rule, else the prediction is
                          "capped" time to the next event, a tick at most, "event" this time,
                          "timer" the time to the next timer, or "kept" as it is
    stopped_margin        tick stopped, the prediction is replaced only if the timer is more than
                          two ticks away

    Searching
    polling_loop          state 0 is the architecture's polling loop whatever its flags: x86, never
                          powerpc
    skips_polling         the search starts at state 1 if state 0 polls and the timer is far enough
    none_fits             state 0 has to fit as any other, unless it is enabled and the timer is
                          more than 5 us away: there may be no state (NO_STATE)
    zero_disabled         state 0 may be disabled; before, it is what no other state improves on
    scan_stops            the search ends at the first state that does not fit
    early_return          state 0 at once if the timer or the latency limit exclude state 1
    polling_override      a polling state yields to the next one if that fits before the timer
    override_in_limit     a polling state yields only to an exit latency within the limit
    override_in_time      a polling state yields only to an exit latency within the prediction
    override_short        a polling state yields only to a residency below 15 us
    latency_first         exit latencies are looked at before residencies
    latency_shortens      a search ended by an exit latency predicts the residency reached
    shallow_escape        with predictions beyond a tick, what is too deep is not the end: tick
                          running, it is kept to look again; stopped, a state until then is taken
    io_waiters            while tasks wait for I/O: "" no rule; "first": the search ends at a state
                          that does not poll; "tick": a running tick is kept, and no residency may
                          exceed the latency limit

    Tick
    decides_tick          the governor says whether the tick stops
    early_tick            on returning state 0 early: "keep" the tick, or only if state 0 "polls"
    stopped_tick_stays    with the tick stopped, it is not asked for again
    stopped_shallower     with the tick stopped, too, a state deeper than the time to the next event
                          yields to a shallower one, if the tick is asked for again
    """

    nanoseconds: bool = False
    long_bits: Literal[32, 64] = 64
    rejected_is_unknown: bool = False
    tick_wakeup: bool = False
    poll_limit: bool = False
    halves_short: bool = False
    negative_is_zero: bool = False
    signed_event: bool = False
    typical_first: bool = False
    stopped_asks_timers: bool = False
    typical_replaces: bool = True
    typical_deviation: bool = True
    trims_both_ends: bool = False
    typical_maximum: bool = False
    typical_ceiling: U32 = U32_MAX
    typical_unknown: Literal["", "late", "zeros"] = ""
    iowait: bool = True
    load: bool = True
    predicted_limit: bool = True
    stopped_tick: Literal["", "capped", "event", "timer", "kept"] = ""
    stopped_margin: bool = False
    polling_loop: bool = False
    skips_polling: bool = False
    none_fits: bool = True
    zero_disabled: bool = False
    scan_stops: bool = False
    early_return: bool = False
    polling_override: bool = False
    override_in_limit: bool = True
    override_in_time: bool = False
    override_short: bool = False
    latency_first: bool = False
    latency_shortens: bool = False
    shallow_escape: bool = False
    io_waiters: Literal["", "first", "tick"] = ""
    decides_tick: bool = False
    early_tick: Literal["keep", "polls"] = "keep"
    stopped_tick_stays: bool = False
    stopped_shallower: bool = False

    @property
    def heeds_waiters(self) -> bool:
        """Tells whether tasks that wait for I/O make a difference."""
        return self.iowait or self.io_waiters != ""


since = rows_of(MenuFeatures)

CHANGES = (
    since("4.5", "efddfd90", halves_short=True),
    since("4.5", "Fix menu_select() for CPUIDLE_DRIVER_STATE_START == 0", none_fits=False),
    since("4.6", "e132b9b3", typical_replaces=False),
    since("4.6", "avoid expensive square root calculation", typical_deviation=False),
    since("4.11", "8e37e1a2a329", scan_stops=True),
    since("4.13 suse-4.12.14", "3ed09c94580d", zero_disabled=True),
    since("4.14", "dc2251bf98c6", skips_polling=True),
    since("4.17", "45f1ff59e27c", decides_tick=True, latency_shortens=True, tick_wakeup=True),
    since("4.17", "87c9fe6ee495", stopped_tick="capped"),
    since("4.19 4.18.7 ubuntu-4.18.0 rhel-4.18.0-80", "5ef499cd571c", stopped_tick="event"),
    since("4.19 4.18.7 ubuntu-4.18.0 rhel-4.18.0-80", "757ab15c3f49", shallow_escape=True),
    since("4.19 4.18.7 ubuntu-4.18.0 rhel-4.18.0-80", "5ef499cd571c", stopped_tick_stays=True),
    since("4.20 rhel-4.18.0-193", "a7fe5190c03f", load=False),
    since("4.20 4.19.86 rhel-4.18.0-147.3.1", "5f26bdceb9c0", poll_limit=True),
    since(
        "4.20 rhel-4.18.0-193", "", early_return=True, skips_polling=False, polling_override=True
    ),
    since("4.20 rhel-4.18.0-193", "", typical_unknown="late"),
    since("5.1 rhel-4.18.0-193", "814b8797f9bd", typical_ceiling=S32_MAX),
    since(
        "5.4 rhel-4.18.0-240",
        "Allow tick to be stopped if PM QoS is used",
        early_tick="polls",
        latency_shortens=False,
    ),
    since("5.5 rhel-4.18.0-240", "c1d51f684c72", nanoseconds=True),
    since(
        "5.13 rhel-4.18.0-425.3.1", "Take negative sleep length into account", negative_is_zero=True
    ),
    since("5.13", "Use s64 as exit_latency_ns and target_residency_ns", signed_event=True),
    since(
        "5.13 rhel-4.18.0-425.3.1", "Take negative sleep length into account", stopped_tick="timer"
    ),
    since("6.6 rhel-5.14.0-503.11.1", "5484e31bbbff", typical_first=True, typical_unknown="zeros"),
    since("6.13 6.12.44 6.6.103", "38f83090f515", iowait=False),
    since("6.15", "8de7606f0f", trims_both_ends=True),
    since(
        "6.15 6.12.31 6.6.93 6.1.141 5.15.185 5.10.238 5.4.294 ubuntu-6.8.0-88",
        "85975daeaa4d",
        typical_maximum=True,
    ),
    since(
        "6.17-rc2 6.16.2 6.15.11 6.12.43 6.6.103 6.1.157 5.15.190 5.10.241 ubuntu-6.8.0-88",
        "fa3fa55de0d6",
        rejected_is_unknown=True,
    ),
    since(
        "6.17-rc3 6.12.44 6.6.103",
        "779b1a1cb13a",
        latency_first=True,
        predicted_limit=False,
        override_in_limit=False,
    ),
    since(
        "6.18-rc3 6.17.6 6.12.56 6.6.115 6.1.158 5.15.196 5.10.246 5.4.301",
        "10fad4012234",
        typical_maximum=False,
    ),
    since("6.18-rc4 6.17.8 6.12.58 6.6.117", "db86f55bf81a", override_in_time=True),
    since("6.19 6.18.3 6.12.64 6.6.120", "07d815701274", override_short=True),
    since("7.0 6.19.6 6.18.14 6.12.75 6.6.128", "80606f4eb8d7", stopped_asks_timers=True),
    since("7.1", "e57c2bf2e89d", stopped_margin=True),
    since("suse-5.14.21", "SUSE's own", io_waiters="tick"),
    since("suse-6.12.0", "38f83090f515", iowait=False),
    since("suse-6.12.0", "8de7606f0f", trims_both_ends=True),
    since("suse-6.12.0", "07d815701274", override_short=True),
    since(
        "suse-6.12.0",
        "SUSE's own",
        io_waiters="first",
        stopped_tick="kept",
        stopped_tick_stays=False,
        stopped_shallower=True,
    ),
)

HISTORY = History(MenuFeatures(), CHANGES)
features = features_in(HISTORY, OLDEST, "menu")
SOURCES = Sources(
    compiled="4.4.. ubuntu-4.15.0 ubuntu-4.18.0 ubuntu-5.0.0 ubuntu-5.4.0 ubuntu-5.15.0 "
    "ubuntu-6.8.0 ubuntu-6.14.0 ubuntu-6.17.0 rhel-4.18.. rhel-5.14.. rhel-6.12.. "
    "ubuntu-5.4.0-58.. ubuntu-5.15.0-47.. ubuntu-6.8.0-32..ubuntu-6.8.0-49 ubuntu-6.8.0-90 "
    "ubuntu-6.11.. "
    "suse-4.12.14 suse-5.14.21 suse-6.12.0",
    read="ubuntu-6.8..",
)
