"""What a replay takes for granted, in sentences."""

from collections.abc import Iterator, Sequence

from ...base.wording import plural
from ...tables.linux.asked import NO_LIMIT_US
from ...tables.linux.releases import Release
from .accounts import Accounts
from .calibrated import assumed_of_calibration, not_calibrated
from .domains import assumed_of_domains, assumed_of_timers
from .machine import TracedMachine
from .replay import TURN_NS, Settings
from .results import Account


def of_estimate(
    coarse: bool,
    certain: bool,
    misses: bool,
    release: Release,
    settings: Settings | None,
    machines: Sequence[TracedMachine],
    found: Accounts,
) -> tuple[str, ...]:
    """What the replay of a trace of cpu_idle rests on.

    coarse   the trace's times are whole microseconds
    certain  its machine is known
    misses   it has cpu_idle_miss
    """
    said = ["an idle period lasts from the event of its entry to that of its exit"]
    if coarse:
        said.append("the trace has whole microseconds: each period may be 1 us off")
    if not misses:
        why = (
            "the trace has no cpu_idle_miss"
            if certain
            else "no sysfs dump of the traced machine was given (--sysfs)"
        )
        said.append(f"{why}: entries that the driver refused, if any, count as idle periods")
    if release.version < (5, 1):
        said.append(
            f"Linux {release.name} does not count above and below; counted as by 5.1 to 5.4"
        )
    if settings is None:
        said.append("the states are those entered; no governor was asked (--governor)")
        return tuple(said)
    if found.calibration is not None:
        return (*said, *assumed_of_calibration(found.calibration, settings))
    if settings.calibrates:
        said.append(not_calibrated(found.others, certain=certain))
    limited = any(table.limit_us < NO_LIMIT_US for each in machines for table in each.tables)
    timer = (
        "every period ends with the next timer, which the governor knows (--next-timer gap)"
        if settings.next_timer != "far"
        else "no timer is near, every period ends by something else (--next-timer far)"
    )
    said += [
        "an idle period lasts as long as traced, whatever is selected",
        timer,
        f"the tick runs when a CPU goes idle, on whole multiples of 1/{settings.hz} s; kept, it "
        "wakes the CPU, which selects again",
        f"no latency limit{' but the one named' if limited else ''}, no task waiting for I/O, no "
        "load, no utilisation",
        "polling ends at its time limit, too, and the CPU selects again",
        f"selecting again takes {TURN_NS} ns",
    ]
    return tuple(said)


def of_domains(
    machines: Sequence[TracedMachine],
    accounts: Sequence[Account],
    release: Release,
    timers: str | None,
) -> Iterator[str]:
    """Yields what a replay assumes of power domains, in sentences. timers: as in
    assumed_of_timers()."""
    yield from assumed_of_domains(machines, accounts[0].cpus, release)
    if any(account.domains for account in accounts):
        yield from assumed_of_timers(timers)
    for account in accounts:
        if account.left:
            words = plural(account.left, "idle period")
            yield f"time goes back: {words} of the last state left out of power domains"
