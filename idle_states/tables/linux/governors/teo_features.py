"""The changes of the timer events oriented (teo) governor over the releases.

Commits are given where known.
"""

from typing import Literal

from ....base.dataclass import dataclass
from ....base.model.history import History, Sources, rows_of
from ..releases import features_in

OLDEST = "5.1 rhel-4.18.0-240"
"""b26bf6ab716f; RHEL has the source from -193 on, which compiles from -240 on."""


@dataclass(frozen=True, slots=True)
class TeoFeatures:
    """Behaviour that differs between releases. Defaults are those of 5.1, where teo begins.

    Both generations
    nanoseconds         times are compared in ns; before, in us, floored, 32 bits wide
    signed              a negative sleep length is below every residency; before, above
    excludes_overhead   the last residency is what an idle measured; before, select to reflect
    bins                the second generation (teo_bins.py, teo_select.py); before, the first
                        (teo_hits.py)

    First generation
    late_constraint     the latency limit replaces what was found by the first state beyond it;
                        before, the search ends there, whatever its misses
    recent_duration     recent idles count as short against the expected duration; before, against
                        the found state's residency
    ring_slots          recent idles kept; the ninth is written behind the array and never read
    mixed_units         times are in us, but the latency limit and the duration expected of a state
                        of most early hits are in ns, cut to 32 bits, and compared with us
    early_hits_below    a state that misses cannot replace itself by having most early hits
    disabled_metrics    hits, misses and early hits of disabled states count for the state above
    recent_from_first   recent idles refine states below the first enabled one; before, below 0
    short_counts        sleep lengths and idles below state 0's residency count as its own

    Second generation
    recent              intercepts among the last nine wakeups count besides the decayed sums
    utilisation         a utilised CPU gets a shallower state: "any", "deep enough" if the tick is
                        stopped, "" none
    lazy_timers         timers are asked after a state was found, and only for a deep one; before,
                        they limit the search
    stopped_tick        what keeps an intercept from leading too low while the tick is stopped:
                        "span", a bin whose middle is below the tick; "residency", a state whose
                        residency is; "last", nothing, but timers are always asked and a far one
                        leads down again
    tick_hits           a bin beyond the tick, if all states are below it. A wakeup there leaves
                        its slot among the recent ones as it was: its intercept is taken off again
    timer_wins          the nearest timer leads to a shallower state; before, with the tick
                        stopped, to none with a residency below the tick
    asks_for_zero       timers are asked if intercepts, not the latency limit, led to state 0
    short_idles         timers are asked for states below 15 us, too, unless half of the idles
                        were shorter or the latency limit is
    wakeup_flag         only safety nets make an idle count as endless; before, a time span that
                        reached the sleep length, too
    tick_intercepts     what keeps the tick if it outweighs the rest: "all" intercepts; those
                        "beyond" the tick, an inverted test; those "within" it
    running_total       the total decays by itself; else it is the sum over the bins
    decays_to_zero      a metric below 8 decays to 0; before, it stays
    tick_idles          an idle the tick ended counts as "endless" if the timer was farther off, as
                        "measured", or as a hit "unless" two thirds are intercepts within the tick
    deepest_for_ticks   a tick's wakeup is a hit of the deepest state if two thirds are such
    passes_disabled     majority found at a disabled state: the lookup goes on to a shallower one;
                        before, back to the last enabled deeper one. A stopped tick excludes what is
                        shallower than the first state of a tick; before, each state of less
    two_thirds          intercepts keep the tick from two thirds of the total on; before, above
                        five eighths
    close_hits          a hit is a wakeup within half an exit latency of the timer
    peak_first          the lookup goes at least as far as the bin with most intercepts, the
                        deepest of equals
    empty_bins          with the tick stopped, intercepts lead to no state of the same residency
    """

    nanoseconds: bool = False
    signed: bool = False
    excludes_overhead: bool = False
    bins: bool = False
    late_constraint: bool = False
    recent_duration: bool = False
    ring_slots: Literal[8, 9] = 9
    mixed_units: bool = False
    early_hits_below: bool = False
    disabled_metrics: bool = False
    recent_from_first: bool = False
    short_counts: bool = False
    recent: bool = False
    utilisation: Literal["", "any", "deep enough"] = ""
    lazy_timers: bool = False
    stopped_tick: Literal["span", "residency", "last"] = "span"
    tick_hits: bool = False
    timer_wins: bool = False
    asks_for_zero: bool = False
    short_idles: bool = False
    wakeup_flag: bool = False
    tick_intercepts: Literal["all", "beyond", "within"] = "all"
    running_total: bool = False
    decays_to_zero: bool = False
    tick_idles: Literal["endless", "measured", "unless"] = "endless"
    deepest_for_ticks: bool = False
    passes_disabled: bool = False
    two_thirds: bool = False
    close_hits: bool = False
    peak_first: bool = False
    empty_bins: bool = False


since = rows_of(TeoFeatures)

# 6.14's came with d619b5cc6780, 13ed5c4a6d9c and 16c8d7586c19, among others.
CHANGES = (
    since("5.4 5.3.4 5.2.19 rhel-4.18.0-240", "", late_constraint=True, recent_duration=True),
    since("5.5", "c1d51f684c72", nanoseconds=True),
    since("5.5", "", excludes_overhead=True),
    since("5.5 5.4.4 5.3.17 ubuntu-5.4.0 rhel-4.18.0-240", "", disabled_metrics=True),
    since("5.5-rc7 5.4.14 ubuntu-5.4.0", "", ring_slots=8),
    since("5.5 5.4.18 ubuntu-5.4.0 rhel-4.18.0-240", "", early_hits_below=True),
    since("rhel-4.18.0-240", "", mixed_units=True),
    since("5.13", "", signed=True),
    since("5.13", "Adjust handling of very short idle times", short_counts=True),
    since("5.13", 'Take negative "sleep length" values into account', recent_from_first=True),
    since("5.14", "77577558f25d", bins=True, recent=True),
    since("6.3 rhel-5.14.0-362.8.1", "9ce0f7c4bc64", utilisation="any"),
    since("6.6 rhel-5.14.0-503.11.1", "21d28cd2fa5f", utilisation="deep enough"),
    since("6.6 rhel-5.14.0-503.11.1", "6da8f9ba5a87", lazy_timers=True),
    since("6.6 rhel-5.14.0-503.11.1", "21d28cd2fa5f", stopped_tick="residency"),
    since("6.6 rhel-5.14.0-503.11.1", "2662342079f5", tick_hits=True),
    since("6.11", "9ce0f7c4bc64 reverted", utilisation=""),
    since("6.11", "449914398083", recent=False),
    since("6.11", "4b20b07ce72f", asks_for_zero=True),
    since(
        "6.14",
        "",
        tick_hits=False,
        asks_for_zero=False,
        short_idles=True,
        wakeup_flag=True,
        tick_intercepts="beyond",
        running_total=True,
    ),
    since("6.19 6.18.3 6.12.64 6.6.120", "a03b2011808a", timer_wins=True),
    since(
        "6.19",
        "",
        tick_intercepts="within",
        running_total=False,
        decays_to_zero=True,
        tick_idles="measured",
        deepest_for_ticks=True,
        passes_disabled=True,
    ),
    since("7.0", "60836533b4c7", tick_idles="unless"),
    since("7.0", "", two_thirds=True),
    since("7.0", "f36de72673ad", close_hits=True),
    since("7.0", "a971f984b845", peak_first=True),
    since("7.0", "4bd2221f231d", empty_bins=True),
    since("7.1", "", empty_bins=False, stopped_tick="last"),
)

HISTORY = History(TeoFeatures(), CHANGES)
features = features_in(HISTORY, OLDEST, "teo")
SOURCES = Sources(
    compiled="5.1.15.. 5.13 ubuntu-5.4.0 ubuntu-5.15.0 ubuntu-6.8.0 ubuntu-6.14.0 ubuntu-6.17.0 "
    "rhel-4.18.0-240.. rhel-5.14.. rhel-6.12.. ubuntu-5.4.0-58.. ubuntu-5.15.0-47.. ubuntu-6.8.. "
    "ubuntu-6.11.."
)
