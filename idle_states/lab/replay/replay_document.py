"""replay."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from ...base.model.forms import INLINE, Count, Form, With, derived
from ...base.reading import problems
from ...tables.documents.findings_document import SeverityName
from ...tables.documents.known_document import Kernel, Known
from ...tables.linux.genpd.running import DomainFigures
from ...tables.linux.grounds import LOOP
from ...tables.power.energy_document import Costs, rounded
from . import agreement, counters, results, rivals
from .answer import Replayed
from .calibrated import Calibration, StateBounds
from .consumption import of_accounts, spent
from .consumption_document import Consumption, consumption_of
from .counters import PERCENTILES, StateFigures, percentile_name
from .next_timer import CALIBRATED
from .replay import Settings
from .suspects import Suspicion


def _share(part: str) -> Callable[[counters.Figures], float | None]:
    """Returns a function for the share of the periods; None without any."""
    return lambda figures: (
        rounded(getattr(figures, part) / figures.usage, 6) if figures.usage else None
    )


class Figures(Form[counters.Figures]):
    states: Annotated[list[StateFigures], "Counters by state."]
    usage: Annotated[Count, "All periods."]
    too_deep: Annotated[float | None, "Share of the periods; null without any."] = derived(
        _share("above")
    )
    too_shallow: Annotated[float | None, "Share of the periods; null without any."] = derived(
        _share("below")
    )
    wake_latency_ns: Annotated[dict[str, int | None], "Percentile -> exit latency paid."] = derived(
        lambda figures: {percentile_name(p): figures.wake_latency_ns(p) for p in PERCENTILES}
    )


class Agreement(Form[results.Account]):
    """The number of periods that agreed."""

    periods: Annotated[Count, "Compared."] = derived("compared")
    same_state: Annotated[Count, "Agreed."] = derived("agreed")


class Compared(Form[StateFigures]):
    """Counters of a state, traced or modelled."""

    usage: Annotated[Count, "Idle periods."]
    time_us: Annotated[Count, "Time spent."]
    above: Annotated[Count, "Too deep, as the kernel counts."]
    below: Annotated[Count, "Too shallow."]


class StateAgreement(Form[agreement.StateAgreement]):
    index: Annotated[Count, "Number."] = derived("traced.index")
    name: Annotated[str, "Name."] = derived("traced.name")
    traced: Annotated[Compared, "Figures of the states entered."]
    modelled: Annotated[Compared, "Figures of the states that the model selects."]
    off: Annotated[
        float | None, "Share by which usage is modelled greater; null where none is traced."
    ] = derived(lambda held: None if held.off is None else rounded(held.off, 6))
    counted: Annotated[
        int | None, "Usage between the dumps of sysfs, which span more; null without them."
    ]


class CpuAgreement(Form[tuple[int, int]]):
    periods: Annotated[Count, "Compared."]
    same_state: Annotated[Count, "Agreed."]


class Truth(Form[agreement.Agreement]):
    """The model's results for the traced machine, beside the trace."""

    table: Annotated[str, "The traced machine's table, or the one taken for it."] = derived(
        "machine"
    )
    verdict: Annotated[str, "In words."]
    within: Annotated[bool, "Usage of every state within 10 % of the traced one."] = derived(
        lambda found: not found.untrue
    )
    periods: Annotated[Count, "Idle periods compared."]
    same_state: Annotated[
        Count, "Judged periods for which the model selects the state entered."
    ] = derived("agreed")
    cpus: Annotated[dict[str, CpuAgreement], "CPU -> how many agree."]
    states: Annotated[list[StateAgreement], "State by state, over all CPUs."]
    uncalibrated: Annotated[
        int | None, "The same_state before calibration; null where nothing was calibrated."
    ]


class Account(Form[results.Account]):
    table: Annotated[str, "The table, and the governor where there are several."] = derived(
        "machine"
    )
    decisions: Annotated[Count, "Decisions of the model; 0 where none was run."]
    agreement: Annotated[
        Agreement | None,
        "Periods in which the model selects the state recorded; null where nothing was compared.",
    ] = derived(lambda account: account if account.compared else None)
    total: Figures
    cpus: Annotated[dict[str, Figures], "CPU -> figures."]
    domains: Annotated[list[DomainFigures], "Power domains with states, the innermost first."]
    bounds: Annotated[list[StateBounds], "Bounds of a calibrated replay, by state; else empty."]


class Miss(Form[tuple[int, int]]):
    trace: Annotated[Count, "Events of the trace."]
    recomputed: Annotated[Count, "The count recomputed from the table."]


class Problem(Form[problems.Problem]):
    kind: Annotated[str, "Short and stable, such as lost-events."]
    severity: SeverityName
    count: Annotated[Count, "How often."]
    meaning: Annotated[str, "The meaning of the count."]
    examples: Annotated[list[problems.Example], "The first places."]


class Replay(Form[Any]):
    exactness: Annotated[Literal["exact", "estimated"], "exact: every input was recorded."]
    assumptions: Annotated[list[str], "Assumptions of an estimate."]
    truth: Annotated[
        Truth | None,
        "How true the model is to what was traced or recorded; null where no governor was asked.",
    ] = derived("agreement")
    calibration: Annotated[
        Calibration | None, "How inputs were inferred of a trace; null where they were not."
    ]
    suspicion: Annotated[
        Suspicion | None,
        "The table or kernel that may have decided, where an exact recording agrees with no table; "
        "else null.",
    ]
    kernel: Annotated[
        str | None, "The Linux release; null for dumps alone, where they do not name it."
    ] = derived(lambda result: result.release.name if result.is_named else None)
    known: Annotated[Known, INLINE] = derived(
        lambda result: Kernel(result.release, result.governor or LOOP)
    )
    governor: Annotated[str | None, "The governor, the first of several; null where none was run."]
    hz: Annotated[int | None, "The kernel's HZ."]
    next_timer: Annotated[str | None, "The assumption on the next timer."]
    read: Annotated[results.Read, "The input that was read."]
    first: Annotated[Account, INLINE] = derived(lambda result: result.accounts[0])
    observed: Account
    tables: Annotated[list[Account], "One account a table; the first one is above, too."] = derived(
        "accounts"
    )
    governors: Annotated[
        list[rivals.GovernorRow],
        "The states traced, each of several governors, and an oracle that knows how long each idle "
        "period lasts; empty for fewer governors.",
    ]
    energy: Costs
    consumption: Annotated[
        Consumption | None,
        "The CPUs' energy with each table, running included, in J or seconds of a CPU in snooze; "
        "null without figures, and where the input does not say how long CPUs ran.",
    ]
    misses: Annotated[
        dict[str, Miss] | None,
        "The trace's own cpu_idle_miss events beside what was recomputed; null where there are "
        "none.",
    ] = derived(
        lambda result: (
            result.misses
            and {
                kind: (count, getattr(result.observed.total, kind))
                for kind, count in result.misses.items()
            }
        )
    )
    dumps: Annotated[list[results.Bracketed], "Counters of sysfs dumps around the trace."] = (
        derived("bracketed")
    )
    problems: Annotated[list[Problem], "Problems of the input, counted."]


def result_of(found: Replayed) -> With:
    """Returns the values that Replay writes."""
    result, power, settings = found.result, found.power, found.settings
    exact = settings is None or result.exactness == "exact"
    return With(
        result,
        release=found.release,
        is_named=found.is_named,
        governor=settings and settings.governor,
        hz=settings and settings.hz,
        next_timer=None if settings is None or exact else _next_timer(result, settings),
        governors=rivals.rivals(result, power),
        energy=power
        and (power, [(each.machine, spent(each.total, power)) for each in result.accounts]),
        consumption=consumption_of(
            [each.machine for each in result.accounts],
            of_accounts(result.accounts, result.read.span_ns, power),
        ),
    )


def _next_timer(result: results.ReplayResult, settings: Settings) -> str:
    """Returns the assumption that was used in the end."""
    if result.calibration is not None:
        return CALIBRATED
    return "far" if settings.next_timer == "far" else "gap"
