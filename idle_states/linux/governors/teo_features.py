"""How the timer events oriented (teo) governor changed over the releases.

Commits are given where known. The sources of 5.4, 5.10, 5.11, 5.13 to 5.15, 5.19 to 6.1, 6.5, 6.8,
6.11, 6.12, 6.14 and 6.17 to 7.2 were compiled and decide alike, utilised CPUs and disabled states
included; those of 5.1 to 5.3 as 5.4's with the patch between them taken back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...history import Change, fold
from ..releases import Release, version_key

OLDEST = "5.1"
"""b26bf6ab716f"""


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
    ring_slots: int = 9
    early_hits_below: bool = False
    disabled_metrics: bool = False
    recent_from_first: bool = False
    short_counts: bool = False
    recent: bool = False
    utilisation: str = ""
    lazy_timers: bool = False
    stopped_tick: str = "span"
    tick_hits: bool = False
    timer_wins: bool = False
    asks_for_zero: bool = False
    short_idles: bool = False
    wakeup_flag: bool = False
    tick_intercepts: str = "all"
    running_total: bool = False
    decays_to_zero: bool = False
    tick_idles: str = "endless"
    deepest_for_ticks: bool = False
    passes_disabled: bool = False
    two_thirds: bool = False
    close_hits: bool = False
    peak_first: bool = False
    empty_bins: bool = False


# 6.14's came with d619b5cc6780, 13ed5c4a6d9c and 16c8d7586c19, among others.
CHANGES = (
    Change("5.4", "late_constraint", True, ""),
    Change("5.4", "recent_duration", True, ""),
    Change("5.5", "nanoseconds", True, "c1d51f684c72"),
    Change("5.5", "excludes_overhead", True, ""),
    Change("5.5", "ring_slots", 8, ""),
    Change("5.5", "early_hits_below", True, ""),
    Change("5.5", "disabled_metrics", True, ""),
    Change("5.13", "signed", True, ""),
    Change("5.13", "short_counts", True, "Adjust handling of very short idle times"),
    Change("5.13", "recent_from_first", True, 'Take negative "sleep length" values into account'),
    Change("5.14", "bins", True, "77577558f25d"),
    Change("5.14", "recent", True, "77577558f25d"),
    Change("6.3", "utilisation", "any", "9ce0f7c4bc64"),
    Change("6.6", "utilisation", "deep enough", "21d28cd2fa5f"),
    Change("6.6", "lazy_timers", True, "6da8f9ba5a87"),
    Change("6.6", "stopped_tick", "residency", "21d28cd2fa5f"),
    Change("6.6", "tick_hits", True, "2662342079f5"),
    Change("6.11", "utilisation", "", "9ce0f7c4bc64 reverted"),
    Change("6.11", "recent", False, "449914398083"),
    Change("6.11", "asks_for_zero", True, "4b20b07ce72f"),
    Change("6.14", "tick_hits", False, ""),
    Change("6.14", "asks_for_zero", False, ""),
    Change("6.14", "short_idles", True, ""),
    Change("6.14", "wakeup_flag", True, ""),
    Change("6.14", "tick_intercepts", "beyond", ""),
    Change("6.14", "running_total", True, ""),
    Change("6.19", "timer_wins", True, ""),
    Change("6.19", "tick_intercepts", "within", ""),
    Change("6.19", "running_total", False, ""),
    Change("6.19", "decays_to_zero", True, ""),
    Change("6.19", "tick_idles", "measured", ""),
    Change("6.19", "deepest_for_ticks", True, ""),
    Change("6.19", "passes_disabled", True, ""),
    Change("7.0", "tick_idles", "unless", "60836533b4c7"),
    Change("7.0", "two_thirds", True, ""),
    Change("7.0", "close_hits", True, "f36de72673ad"),
    Change("7.0", "peak_first", True, "a971f984b845"),
    Change("7.0", "empty_bins", True, "4bd2221f231d"),
    Change("7.1", "empty_bins", False, ""),
    Change("7.1", "stopped_tick", "last", ""),
)

BACKPORTS: Mapping[str, Mapping[str, Any]] = {
    # The fixes of 5.5. Only the first two can be told from its recorded decisions.
    "ubuntu-5.4.0": {"ring_slots": 8, "early_hits_below": True, "disabled_metrics": True},
    "debian-6.12.73": {"timer_wins": True},
    "debian-6.12.107": {"timer_wins": True},
    "debian-6.12.117": {"timer_wins": True},
    "debian-6.18.5": {"timer_wins": True},
    "debian-6.18.15": {"timer_wins": True},
}
"""Preset -> feature -> value: what the packaged kernels' decisions show beyond their base."""


def features(release: Release) -> TeoFeatures:
    """The release's teo, its distribution's backports included. Raises ValueError before 5.1."""
    if release.version < version_key(OLDEST):
        raise ValueError(f"expected a release from {OLDEST} on for teo, found {release.name}")
    backports: dict[str, Any] = {}
    if release.preset is not None:
        backports = {**BACKPORTS.get(release.preset.name, {}), **release.preset.teo}
    return fold(TeoFeatures(), CHANGES, release.version, version_key, backports)
