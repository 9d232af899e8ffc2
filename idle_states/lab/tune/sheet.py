"""The result of tune: the best residencies beside the present ones, and their assumptions."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from ...base.report.sheet import Lines, Marked, Picture, Rows, Section, Sheet, Worded, bullets
from ...base.wording import plural
from ...tables.linux.grounds import LOOP, remarks
from ...tables.power.energy import WATTS, PowerBounds
from ...tables.power.sheet import number, ranged
from ..replay.counters import PAID
from ..replay.energy_sheet import AS_HELD, each_of, unit_of
from . import drawn
from .judging import Judged
from .objective import LATENCY, WEIGHTED, Objective
from .truth import Truth
from .tuning import Tuning
from .waits import regrets

_NS = 1_000_000_000


def meaning(objective: Objective) -> str:
    """Returns an objective in words."""
    if objective.kind == LATENCY:
        return "least mean wake latency at no more than the present table's energy"
    if objective.kind == WEIGHTED:
        weight = number(objective.weight)
        return f"least energy, a ns of wake latency costing as much as {weight} ns awake"
    return "least energy"


def sheet(tuning: Tuning) -> Sheet:
    """Returns the whole result of `tune`."""
    return Sheet(
        title=_title(tuning),
        headline=tuple(_headline(tuning)),
        about=_about(tuning),
        sections=(
            Section("Cost by residency", (drawn.costs(tuning),)),
            _residencies(tuning),
            _gain(tuning),
            *_measured(tuning),
            _front(tuning),
            Section("Where idle time goes", (drawn.times(tuning),)),
            *_waits(tuning),
            _rests(tuning),
        ),
    )


def _title(tuning: Tuning) -> str:
    settings = tuning.settings
    how = "no governor" if settings is None else f"{settings.governor}, HZ {settings.hz}"
    return f"{tuning.name}, tuned: {how}, Linux {tuning.release.name}"


def _headline(tuning: Tuning) -> Iterator[str]:
    """Returns the changes of the best table, and how much they save."""
    tuned, names = tuning.tuned, tuning.table.names[1:]
    both = [tuned.present, tuned.best]
    if tuned.present.candidate == tuned.best.candidate:
        lines = [f"No table tried is better than the present one ({meaning(tuned.objective)})"]
        del both[1:]
    else:
        more = percent(tuned.regret(tuned.present))
        lines = [f"The present table costs {more} more than the best"]
    energy, _, unit = energy_of(tuning).partition(", ")
    for what, values, of in (
        (energy, [energy_text(each) for each in both], unit),
        (f"p99 {PAID}", [p99_us(each) for each in both], "us"),
    ):
        lines.append(f"{what} {' → '.join(dict.fromkeys(values))} {of}")
    changed = [
        f"{name} {before} → {now}"
        for name, before, now in zip(
            names, tuned.present.candidate, tuned.best.candidate, strict=True
        )
        if before != now
    ]
    yield "; ".join(lines)
    if changed:
        yield f"Target residencies, us: {', '.join(changed)}"
    if tuned.even.candidate == tuned.best.candidate:
        yield "The best residencies are the break-evens"
    else:
        yield f"Break-evens cost {percent(tuned.regret(tuned.even))} more than the best"


def _about(tuning: Tuning) -> Section:
    source, tuned, settings = tuning.source, tuning.tuned, tuning.settings
    how = "no governor" if settings is None else f"{settings.governor}, HZ {settings.hz}"
    lines = Lines(
        (
            f"{source.name}: {plural(tuning.gaps, 'idle gap')}, "
            f"{tuning.idle_ns / _NS:.6f} s ({source.exactness})",
            (Marked("strong", tuning.name), f": Linux {tuning.release.name}, {how}"),
            f"objective: {meaning(tuned.objective)}; {plural(tuned.tried, 'table')} tried",
        )
    )
    more = [searched] if (searched := tuning.searched()) else []
    more += [_shorter(tuning)] if source.shorter else []
    return Section("Search", (lines, Lines(tuple(more), further="  ")))


def _rests(tuning: Tuning) -> Section:
    known = remarks([tuning.release], tuning.settings.governor if tuning.settings else LOOP)
    problems = [
        (Marked(str(each.severity), str(each.severity)), f": {each.count} {each.meaning}")
        for each in tuning.source.problems
    ]
    return Section(
        "Assumptions", (bullets([*tuning.assumptions(), *known]), Lines(tuple(problems)))
    )


def _shorter(tuning: Tuning) -> str:
    """The cumulative shares of a list's gaps, one that prints as the one before left out."""
    found: dict[str, int] = {}
    for length, count in tuning.source.shorter:
        found.setdefault(f"{100 * count / tuning.gaps:.2f} %", length)
    shares = [f"{length} ns {share}" for share, length in found.items()]
    if tuning.source.open_bin is not None:
        least, count = tuning.source.open_bin
        shares.append(f"and {least} ns or longer {100 * count / tuning.gaps:.2f} %")
    return f"shorter than {', '.join(shares)}"


def p99_us(judged: Judged) -> str:
    return f"{judged.p99_ns / 1000:g}"


def mean_us(judged: Judged) -> str:
    return f"{float(judged.mean_ns) / 1000:.4g}"


def _residencies(tuning: Tuning) -> Section:
    tuned, table = tuning.tuned, tuning.table
    near = map(tuned.near, range(len(tuned.ranges)))
    rows = tuple(
        (
            name,
            str(table.states[place + 1].exit_ns // 1000),
            str(tuned.present.candidate[place]),
            break_even_us(even),
            str(tuned.best.candidate[place]),
            str(low) if low == high else f"{low} to {high}",
            f"{least} to {greatest}",
        )
        for place, (name, even, (low, high), (least, greatest)) in enumerate(
            zip(table.names[1:], tuning.break_evens(), near, tuned.ranges, strict=True)
        )
    )
    head = ("Residency, us", "Exit latency", "Present", "Break-even", "Best", "Within 1 %", "Tried")
    found = Rows(head, rows, "Target residencies", unbroken=True)
    # a better one may lie beyond the lowest or highest value tried
    edges = [name for name, at in zip(table.names[1:], tuned.edges(), strict=True) if at]
    notes = [f"at the edge of what was tried: {', '.join(edges)}"] if edges else []
    return Section("Residencies", (found, Lines(tuple(notes), first="  ")))


def _gain(tuning: Tuning) -> Section:
    tuned = tuning.tuned
    judged = [each for _, each in tuning.compared]
    rows: list[tuple[str | Worded, ...]] = [
        ("costs more than the best", *(percent(tuned.regret(each)) for each in judged)),
        (energy_of(tuning), *(energy_text(each) for each in judged)),
        (_latency("mean, us"), *(mean_us(each) for each in judged)),
        (_latency("p99, us"), *(p99_us(each) for each in judged)),
    ]
    rows += _powers(tuning, judged)
    if tuned.best.outcomes.work:
        rows.append(("work counted", *(str(each.outcomes.work) for each in judged)))
    if any(bounds and bounds.low != bounds.high for bounds in tuned.regrets):
        shares = (*(percents(bounds) for bounds in tuned.regrets), percent(Fraction(0)))
        rows.insert(1, ("by figures within bounds", *shares))
    table = Rows(("", *(name.capitalize() for name, _ in tuning.compared)), tuple(rows))
    doubts = Lines(tuple(_doubts(tuning)), first="  ")
    return Section("Tables", (table, doubts), folded=True)


def _latency(figure: str) -> Worded:
    """Returns the name of a figure of wake latency."""
    return Worded(f"wake latency {figure}", f"{PAID}, {figure}")


def _doubts(tuning: Tuning) -> Iterator[str]:
    tuned = tuning.tuned
    for what, best in (("lower", tuned.if_low), ("upper", tuned.if_high)):
        if best.candidate != tuned.best.candidate:
            words = ", ".join(map(str, best.candidate))
            yield f"with all figures at their {what} bounds, the best is {words} us"
    if not tuned.even.feasible:
        yield "break-evens cost more energy than the present table"


def _powers(tuning: Tuning, some: Sequence[Judged]) -> list[tuple[str, ...]]:
    """Returns the cost of an idle period and the mean power, also with running CPUs where their
    running time is known."""
    unit = "W" if tuning.power.unit == WATTS else "awake"
    rows = []
    if not tuning.simulated:
        each = (each_of(one.cost.each_wakeup) for one in some)
        rows.append((f"each idle gap, u{unit_of(tuning.power)}", *each))
        rows.append((f"on average, {unit}", *(bounded(one.cost.power) for one in some)))
    wholes = [whole for one in some if (whole := tuning.whole(one)) is not None]
    if wholes:
        unit = "W" if tuning.power.unit == WATTS else "of snooze"
        rows.append((f"with running CPUs, {unit}", *(bounded(whole.power) for whole in wholes)))
    return rows


def bounded(bounds: PowerBounds | None) -> str:
    return "-" if bounds is None else ranged(bounds, 4)


def _measured(tuning: Tuning) -> Iterator[Section]:
    """Returns what waking up takes, and what tables gain that say so."""
    if tuning.truth is None:
        return
    head = ("Exit latency, us", "Advertised", "Typical", "Honest")
    yield Section("As measured", (Rows(head, tuple(_truths(tuning.truth))),))
    if tuning.honest:
        rows = tuple(
            (
                f"with {each.what}",
                "-" if each.gain is None else f"{-100 * each.gain:+.3g} %",
                energy_text(each.judged),
                mean_us(each.judged),
                p99_us(each.judged),
            )
            for each in tuning.honest
        )
        table = Rows(("", "Cost", "Energy", "Mean, us", "P99, us"), rows)
        yield Section("Honest latencies instead of the present table", (table,))


def _truths(truth: Truth) -> Iterator[tuple[str, ...]]:
    for one in truth.latencies:
        times = (one.advertised_ns, one.typical_ns, one.honest_ns)
        yield one.state, *(f"{ns / 1000:.6g}" for ns in times)


def _front(tuning: Tuning) -> Section:
    """The tables of the front; plotted together with the three."""
    tuned = tuning.tuned
    some = [(f"{drawn.FRONT} {number}", each) for number, each in enumerate(tuned.front, 1)]
    energies = [energy_of(tuning).replace("energy", word) for word in ("ENERGY", "Energy")]
    head = (
        Worded("P99 WAKE LATENCY", f"P99 {PAID}"),
        Worded(*energies),
        Worded("MEAN WAKE LATENCY", f"Mean {PAID}"),
    )
    last = "Residencies, us"
    counted = ("Work counted",) if tuned.best.outcomes.work else ()
    plotted = [*tuning.compared, *some]
    rows = []
    for name, each in plotted:
        work = [str(each.outcomes.work)] if counted else []
        figures, residencies = _traded(each)
        rows.append((name, *figures, percent(tuned.regret(each)), *work, residencies))
    caption = f"Plotted tables; wake latency is the {AS_HELD}"
    everything = ("Table", *head, "Costs more", *counted, last)
    table = Rows(everything, tuple(rows), caption, unbroken=True)
    traded = (_traded(each) for each in tuned.front)
    listed = Rows((*head, last), tuple((*figures, residencies) for figures, residencies in traded))
    draw = partial(drawn.front, plotted, energy_of(tuning), rows)
    return Section("No table tried has less of both", (Picture(draw, table, listed),))


def _traded(judged: Judged) -> tuple[tuple[str, ...], str]:
    """Returns both latencies and the energy of a table, and its residencies."""
    figures = f"{p99_us(judged)} us", energy_text(judged), f"{mean_us(judged)} us"
    return figures, " ".join(map(str, judged.candidate))


def _waits(tuning: Tuning) -> Iterator[Section]:
    """Best polling time before each state, within 1 %, break-even; what this and the present time
    cost above the best. Times in us."""
    if not tuning.waits:
        return
    rows = []
    for wait in tuning.waits:
        shares = regrets(wait) or (None, None)
        times = (wait_us(wait.best_ns), between_us(wait.near_ns), break_even_us(wait.break_even_ns))
        rows.append((wait.name, *times, *map(percent, shares)))
    first = tuning.table.names[0]
    now = "has no time-out" if tuning.timeout_ns is None else f"for {wait_us(tuning.timeout_ns)} us"
    title = f"How long to poll before a state, the time alone being known (now {first} {now})"
    head = ("Time, us", "Best", "Within 1 %", "Break-even", "Costs more", "Now costs more")
    yield Section(title, (Rows(head, tuple(rows)),))


def energy_of(tuning: Tuning) -> str:
    """Returns the name of the reported energy with its unit."""
    counted = " per 1000 units of work" if tuning.tuned.best.outcomes.work else ""
    return f"energy{counted}, {unit_of(tuning.power, machine=tuning.simulated)}"


def percent(share: Fraction | None) -> str:
    return "-" if share is None else f"{100 * float(share):.3g} %"


def percents(bounds: PowerBounds | None) -> str:
    if bounds is None or bounds.low == bounds.high:
        return percent(None if bounds is None else bounds.low)
    return f"{percent(bounds.low)} to {percent(bounds.high)}"


def energy_text(judged: Judged) -> str:
    return ranged(judged.reported)


def break_even_us(bounds: "tuple[Fraction, Fraction | None] | None") -> str:
    if bounds is None:
        return "never"
    low, high = bounds
    if high is None:
        return f"{number(low / 1000, 7)} or never"
    least, most = number(low / 1000, 7), number(high / 1000, 7)
    return least if least == most else f"{least} to {most}"


def wait_us(wait_ns: int | None) -> str:
    return "never" if wait_ns is None else f"{wait_ns / 1000:g}"


def between_us(bounds: Sequence[int | None]) -> str:
    low, high = (wait_us(bound) for bound in bounds)
    return low if low == high else f"{low} to {high}"
