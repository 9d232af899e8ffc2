"""IS201 sub-microsecond-latency: an exit latency is below 1 us.

What it does
    Reports exit latencies of 1 to 999 ns, which no kernel can represent.

Why is this bad
    cpuidle counts in microseconds. Linux before 4.15 (of 4.14, before 4.14.7) truncates, so 200 ns
    is 0 us: the state looks as cheap as snooze, passes any latency limit, and the governor takes
    it instead of snooze nearly every time. On POWER9 DD1 that cost context_switch2 24 % of its
    throughput. Later kernels round up to 1 us, which is not what the table says either.

Example
    extends: power9
    override:
      stop0_lite: {latency: 200ns, residency: 2us}

Use instead
    -   stop0_lite: {latency: 200ns, residency: 2us}
    +   stop0_lite: {latency: 1us, residency: 10us}

Ground
    skiboot 51974cab7 corrected 200 ns to 1 us; Linux cpuidle-powernv.c
    powernv_add_idle_states() divides by 1000, rounding up since 8d4e10e9ed94.

IS202 sub-microsecond-residency: a target residency is below 1 us.

What it does
    Reports target residencies of 1 to 999 ns, which no kernel can represent.

Why is this bad
    At 0 us (Linux before 4.15) every idle period is long enough for the state. The first state's
    residency is also the time-out of snooze: at 0 us snooze is left as soon as it is entered. No
    POWER state breaks even within a microsecond; the usual cause is a unit that slipped.

Example
    extends: power9
    override:
      stop0_lite: {residency: 10ns}

Use instead
    -   stop0_lite: {residency: 10ns}
    +   stop0_lite: {residency: 10us}

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states() (rounding up since 8d4e10e9ed94) and
    get_snooze_timeout().
"""

from .is2_times import Time, converting_to_zero, latencies, residencies
from .rule import Rule, Severity, Verdicts

LATENCY = Rule("IS201", "sub-microsecond-latency", Severity.ERROR)
RESIDENCY = Rule("IS202", "sub-microsecond-residency", Severity.ERROR)
RULES = (LATENCY, RESIDENCY)


@LATENCY.of_each(latencies)
def check_latency(time: Time) -> Verdicts:
    yield from _below(time, ", as cheap as polling", "")


@RESIDENCY.of_each(residencies)
def check_residency(time: Time) -> Verdicts:
    first = time.row.number == 0
    yield from _below(time, "", "; it is the time-out of snooze as well" if first else "")


def _below(time: Time, effect: str, also: str) -> Verdicts:
    """effect: of 0 us; also: what it brings besides."""
    if not 0 < time.ns < 1000:
        return
    kernels = converting_to_zero(time)
    if kernels:
        outcome = f"which these kernels truncate to 0 us{effect}"
    else:
        outcome = (
            f"which Linux before 4.15 truncates to 0 us{effect}; later kernels round it to 1 us"
        )
    message = f"{time.row.name} has {time.kind} of {time}, {outcome}{also}; write 1us or more"
    yield time.row.verdict(time.field, message, kernels=kernels)
