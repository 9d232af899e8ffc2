"""How the timer events oriented (teo) governor changed over the releases.

The names T1 to T11 are those of the eras in which the changes came.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...history import Change, fold
from ..releases import Release, version_key


@dataclass(frozen=True, slots=True)
class TeoFeatures:
    """Behaviour that differs between releases. Defaults are those of 5.1, where teo begins (T1).

    Both generations
    nanoseconds        times are compared in ns; before, in us, floored, 32 bits wide
    signed             a negative sleep length is less than any residency; before, it is huge
    excludes_overhead  a wakeup's measured time is the last residency; before, the time from
                       select to reflect
    bins               second generation (teo_bins.py); before, the first (teo_hits.py)

    First generation
    late_constraint    the latency limit is applied to what was found; before, it ends the search
    recent_duration    recent idles count as short against the expected duration; before, against
                       the residency of the state found
    ring_slots         recent idles kept; the ninth is written behind the array and never read
    disabled_metrics   hits, misses and early hits of disabled states are taken into account
    short_counts       sleep lengths and idles below state 0's residency count as its own
    short_sleep        state 0 is taken at once if state 1 needs more than the sleep length

    Second generation
    recent             intercepts among the last nine wakeups count besides the decayed sums
    utilisation        a utilised CPU gets a shallower state
    lazy_timers        the sleep length is queried only if a deeper state depends on it
    tick_hits          a bin of wakeups by timers beyond the tick, if all states are below it
    queries_fallback   the sleep length is queried if intercepts led to state 0
    short_idles        it is queried, too, unless most idles are short or the limit is tight
    wakeup_flag        a wakeup counts as the timer's only if a safety net made it; before, also
                       if the time span reaches the sleep length
    tick_intercepts    intercepts compared with the tick: "sum" all of them, "beyond" the tick
                       (an inverted test), "within" the tick
    running_total      the total decays by itself; before and after, it is the sum of the bins
    decays_to_zero     a metric below 8 decays to 0; before, it stays
    tick_wakeups       wakeups by the tick: "artificial" as the safety nets they are, "dominant" a
                       hit on the deepest state if two thirds are such, "hit" always such a hit
                       unless two thirds of all are intercepts within the tick
    """

    nanoseconds: bool = False
    signed: bool = False
    excludes_overhead: bool = False
    bins: bool = False
    late_constraint: bool = False
    recent_duration: bool = False
    ring_slots: int = 9
    disabled_metrics: bool = False
    short_counts: bool = False
    short_sleep: bool = False
    recent: bool = False
    utilisation: bool = False
    lazy_timers: bool = False
    tick_hits: bool = False
    queries_fallback: bool = False
    short_idles: bool = False
    wakeup_flag: bool = False
    tick_intercepts: str = "sum"
    running_total: bool = False
    decays_to_zero: bool = False
    tick_wakeups: str = "artificial"
    early_peak: bool = False
    timer_wins: bool = False


CHANGES = (
    Change("5.4", "late_constraint", True, ""),
    Change("5.4", "recent_duration", True, ""),
    Change("5.5", "nanoseconds", True, "c1d51f684c72"),
    Change("5.5", "ring_slots", 8, ""),
    Change("5.5", "disabled_metrics", True, ""),
    Change("5.5", "excludes_overhead", True, ""),
    Change("5.13", "signed", True, ""),
    Change("5.13", "short_counts", True, ""),
    Change("5.13", "short_sleep", True, ""),
    Change("5.14", "bins", True, "77577558f25d"),
    Change("5.14", "recent", True, "77577558f25d"),
    Change("6.3", "utilisation", True, "9ce0f7c4bc64"),
    Change("6.6", "lazy_timers", True, "6da8f9ba5a87"),
    Change("6.6", "tick_hits", True, "2662342079f5"),
    Change("6.11", "utilisation", False, ""),
    Change("6.11", "recent", False, "449914398083"),
    Change("6.11", "queries_fallback", True, "4b20b07ce72f"),
    Change("6.14", "tick_hits", False, ""),
    Change("6.14", "short_idles", True, "d619b5cc6780"),
    Change("6.14", "wakeup_flag", True, "13ed5c4a6d9c"),
    Change("6.14", "tick_intercepts", "beyond", "16c8d7586c19"),
    Change("6.14", "running_total", True, ""),
    Change("6.19", "tick_intercepts", "within", ""),
    Change("6.19", "running_total", False, ""),
    Change("6.19", "timer_wins", True, ""),
    Change("6.19", "decays_to_zero", True, ""),
    Change("6.19", "tick_wakeups", "dominant", ""),
    Change("7.0", "tick_wakeups", "hit", ""),
    Change("7.0", "early_peak", True, "a971f984b845"),
)

BACKPORTS: Mapping[str, Mapping[str, Any]] = {"ubuntu-5.4.0": {"ring_slots": 8, "disabled_metrics": True}, "debian-6.12.117": {"timer_wins": True}}
"""Preset -> feature -> value: what the packaged kernels' decisions show beyond the base."""


def features(release: Release) -> TeoFeatures:
    """What the release's teo does, its distribution's backports included."""
    backports: dict[str, Any] = {}
    if release.preset is not None:
        backports = {**BACKPORTS.get(release.preset.name, {}), **release.preset.teo}
    return fold(TeoFeatures(), CHANGES, release.version, version_key, backports)
