"""tune."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal

from ...base.model.forms import GIVEN, INLINE, Count, Form, With, derived
from ...base.reading import problems
from ...tables.documents.known_document import Kernel, Known
from ...tables.linux.grounds import LOOP
from ...tables.power.energy_document import NS, Bounds, BreakEven, Power, in_seconds, in_us, rounded
from . import sampling, truth, waits
from .judging import Judged
from .rivals import TunedRival
from .search import Tuned
from .tuning import Tuning


class Gaps(Form[Tuning]):
    count: Annotated[Count, "How many."] = derived("gaps")
    total_ns: Annotated[Count, "Their sum."] = derived("idle_ns")


class Shorter(Form[tuple[int, int]]):
    than_ns: Annotated[Count, "A length."]
    count: Annotated[Count, "Gaps shorter than that."]


class OpenBin(Form[tuple[int, int]]):
    from_ns: Annotated[Count, "Least length."]
    count: Annotated[Count, "Gaps of that length or longer."]


class State(Form[Any]):
    name: Annotated[str, "Name."]
    exit_latency_us: Annotated[Count, "Exit latency."]
    present_us: Annotated[Count, "Target residency as it is."]
    break_even_us: Annotated[BreakEven, "Against the state before."]
    best_us: Annotated[Count, "The residency in the best table."]
    within_1_percent_us: Annotated[
        list[int], "Lowest and highest between which each one tried costs at most 1 % more."
    ]
    tried_us: Annotated[list[int], "Least and greatest tried."]
    best_at_edge: Annotated[bool, "True if the best one is the least or the greatest tried."]


class Table(Form[Judged]):
    """A table by the objective."""

    residencies_us: Annotated[list[Count], "Target residencies of states 1, 2, ..."] = derived(
        "candidate"
    )
    usage: Annotated[list[Count], "Idle periods by state."] = derived("outcomes.usage")
    time_us: Annotated[list[Count], "Time by state."] = derived("outcomes.time_us")
    busy_us: Annotated[Count, "Time not idle in a simulation; else 0."] = derived(
        "outcomes.busy_us"
    )
    work: Annotated[Count, "Units of work counted in a simulation; else 0."] = derived(
        "outcomes.work"
    )
    energy: Annotated[
        Bounds,
        "Energy of the idle time in J or seconds of an awake CPU; in a simulation, of one unit of "
        "work, computing included, in J or seconds of a CPU in snooze.",
    ] = derived(lambda judged: in_seconds(judged.energy))
    each_wakeup: Annotated[Bounds | None, "For each idle period, likewise; null without any."] = (
        derived(lambda judged: in_seconds(judged.cost.each_wakeup))
    )
    mean_power: Annotated[
        Bounds | None, "On average over the idle time; of a simulation, over all CPU time."
    ] = derived("cost.power")
    running_power: Annotated[
        Bounds | None,
        "On average over all CPU time, running CPUs included; null where the input does not say "
        "how long they ran.",
    ] = GIVEN
    mean_latency_ns: Annotated[float, "Exit latency that a wake-up pays, on average."] = derived(
        lambda judged: rounded(judged.mean_ns, 3)
    )
    p99_latency_ns: Annotated[Count, "99th percentile of that, by nearest rank."] = derived(
        "p99_ns"
    )
    feasible: Annotated[bool, "false: the objective rules the table out."]
    regret: Annotated[
        float | None, "The cost above the best, as a share; null where the best costs nothing."
    ] = GIVEN


class Regrets(Form[tuple[Any, Any]]):
    present: Annotated[Bounds | None, "The present table."]
    break_even: Annotated[Bounds | None, "Residencies at the break-evens."]


class Wait(Form[waits.Wait]):
    state: Annotated[str, "Name."] = derived("name")
    best_us: Annotated[
        float | None, "Polling time that costs least; null: the state is never worth it."
    ] = derived(lambda wait: in_us(wait.best_ns))
    within_1_percent_us: Annotated[
        list[float | None], "From which to which it costs at most 1 % more."
    ] = derived(lambda wait: [in_us(bound) for bound in wait.near_ns])
    break_even_us: Annotated[BreakEven, "Break-even with polling."] = derived("break_even_ns")
    break_even_regret: Annotated[
        float | None, "The cost of break-even above the best, as a share."
    ] = derived(lambda wait: _regret(wait, 0))
    present_regret: Annotated[float | None, "The cost of the present time-out above the best."] = (
        derived(lambda wait: _regret(wait, 1))
    )
    cost: Annotated[float, "The cost of the best, in J or seconds of an awake CPU."] = derived(
        lambda wait: rounded(float(wait.best_cost) / NS)
    )
    cost_if_known: Annotated[float, "If every gap were known when it begins."] = derived(
        lambda wait: rounded(float(wait.known_cost) / NS)
    )


def _regret(wait: waits.Wait, which: int) -> float | None:
    found = waits.regrets(wait)
    return rounded(found[which]) if found else None


class Honest(Form[truth.HonestTable]):
    """A table with measured latencies before the governor."""

    residencies: Annotated[str, "The residencies, in words."] = derived("what")
    gain: Annotated[
        float | None, "Share of the present table's cost that it saves; null where that is 0."
    ] = derived(lambda one: rounded(one.gain))
    table: Annotated[Table, "By the objective; regret is negative where it beats the best."] = GIVEN


class Problem(Form[problems.Problem]):
    kind: Annotated[str, "Kind."]
    severity: Annotated[str, "Severity."] = derived(lambda problem: str(problem.severity))
    count: Annotated[Count, "How often."]


def _table(which: Callable[[Tuned], Judged]) -> Any:
    """A key: a table that was tried."""
    return derived(lambda tuning: _judged(which(tuning.tuned), tuning))


def _judged(judged: Judged, tuning: Tuning) -> With:
    whole = tuning.whole(judged)
    return With(
        judged, regret=rounded(tuning.tuned.regret(judged)), running_power=whole and whole.power
    )


class Governed(Form[TunedRival]):
    """The best table under one of several governors."""

    governor: Annotated[str | None, "null: every gap was taken to be known."]
    present: Annotated[Table, "The present table."] = derived(
        lambda each: _judged(each.tuning.tuned.present, each.tuning)
    )
    best: Annotated[Table, "The best that was found."] = derived(
        lambda each: _judged(each.tuning.tuned.best, each.tuning)
    )
    present_beyond: Annotated[
        float | None,
        "The cost of the present table above the best with every gap known, as a share; null for "
        "a simulation, and where that costs nothing.",
    ] = derived(lambda each: rounded(each.beyond(each.tuning.tuned.present)))
    best_beyond: Annotated[float | None, "The same of the best."] = derived(
        lambda each: rounded(each.beyond(each.tuning.tuned.best))
    )


class Tune(Form[Tuning]):
    table: Annotated[str, "Name of the table."] = derived("name")
    kernel: Annotated[str, "The Linux release."] = derived("release.name")
    known: Annotated[Known, INLINE] = derived(
        lambda tuning: Kernel(tuning.release, tuning.settings.governor if tuning.settings else LOOP)
    )
    governor: Annotated[str | None, "null: every gap was taken to be known."] = derived(
        lambda tuning: tuning.settings and tuning.settings.governor
    )
    governors: Annotated[
        list[Governed],
        "With several governors, each of them; all else here is of the first. Empty with one.",
    ] = GIVEN
    hz: Annotated[int | None, "The kernel's HZ."] = derived(
        lambda tuning: tuning.settings and tuning.settings.hz
    )
    exactness: Annotated[
        Literal["exact", "estimated", "counted", "simulated"],
        "The source of the gaps: all inputs recorded, a trace, a list without order, a simulation.",
    ] = derived("source.exactness")
    gaps: Annotated[Gaps, "Idle gaps."] = derived(lambda tuning: tuning)
    shorter: Annotated[
        list[Shorter], "Gaps of a list that are shorter than each power of two, as far as known."
    ] = derived("source.shorter")
    open_bin: Annotated[
        OpenBin | None, "The contents of a list's bin such as 1025+; null: there is none."
    ] = derived("source.open_bin")
    objective: Annotated[Literal["energy", "latency", "weighted"], "The quantity minimised."] = (
        derived("tuned.objective.kind")
    )
    latency_weight: Annotated[float, "weighted: what a ns of wake latency costs, in ns awake."] = (
        derived(lambda tuning: float(tuning.tuned.objective.weight))
    )
    tried: Annotated[Count, "Tables evaluated."] = derived("tuned.tried")
    sample: Annotated[
        sampling.IdleSample | None,
        "The idle periods searched over, on which within_1_percent_us rests; all other figures are "
        "over all idle periods. null: all were searched over.",
    ]
    evaluated: Annotated[Count, "Tables evaluated over all idle periods."] = derived(
        "tuned.evaluated"
    )
    assumptions: Annotated[list[str], "Assumptions of every figure."] = derived(
        lambda tuning: tuning.assumptions()
    )
    power: Annotated[Power, "The power of states."]
    states: Annotated[list[State], "States but the one that polls."] = derived(
        lambda tuning: _states(tuning)
    )
    present: Annotated[Table, "The present table."] = _table(lambda tuned: tuned.present)
    break_even: Annotated[Table, "Residencies at the break-evens."] = _table(
        lambda tuned: tuned.even
    )
    best: Annotated[Table, "The best that was found."] = _table(lambda tuned: tuned.best)
    best_if_low: Annotated[Table, "The best with all figures at their lower bounds."] = _table(
        lambda tuned: tuned.if_low
    )
    best_if_high: Annotated[Table, "The best with all figures at their upper bounds."] = _table(
        lambda tuned: tuned.if_high
    )
    regret_bounds: Annotated[
        Regrets,
        "The cost of tables above the best, as a share, by all figures within their bounds; null "
        "where the best costs nothing.",
    ] = derived("tuned.regrets")
    front: Annotated[
        list[Table], "Tables that no other beats in both p99 wake latency and energy."
    ] = derived(lambda tuning: [_judged(each, tuning) for each in tuning.tuned.front])
    measured: Annotated[
        list[truth.TrueLatency] | None,
        "The latencies really measured; null: those of the table are used.",
    ] = derived(lambda tuning: tuning.truth and tuning.truth.latencies)
    honest: Annotated[
        list[Honest], "Tables that advertise measured latencies; none without them or a governor."
    ] = derived(
        lambda tuning: [With(each, table=_judged(each.judged, tuning)) for each in tuning.honest]
    )
    timeout_us: Annotated[
        float | None, "How long state 0 polls at present; null: until the CPU is woken."
    ] = derived(lambda tuning: None if tuning.timeout_ns is None else tuning.timeout_ns / 1000)
    waits: Annotated[
        list[Wait], "How long to poll before a state, if the time polled alone were known."
    ]
    problems: Annotated[list[Problem], "Problems of the input, counted."] = derived(
        "source.problems"
    )


def _states(tuning: Tuning) -> Iterable[With]:
    tuned, table = tuning.tuned, tuning.table
    edges, evens = tuned.edges(), tuning.break_evens()
    for number, name in enumerate(table.names[1:]):
        yield With(
            None,
            name=name,
            exit_latency_us=table.states[number + 1].exit_ns // 1000,
            present_us=tuned.present.candidate[number],
            break_even_us=evens[number],
            best_us=tuned.best.candidate[number],
            within_1_percent_us=tuned.near(number),
            tried_us=tuned.ranges[number],
            best_at_edge=edges[number],
        )
