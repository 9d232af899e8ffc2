"""tune, for people: the best residencies beside the present ones, and what they rest on."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from ..linux.grounds import LOOP, remarks
from ..replay.energy import WATTS, PowerBounds, break_even
from ..tune.judging import LATENCY, WEIGHTED, Judged, Objective
from ..tune.truth import Truth
from ..tune.tuning import Tuning
from ..tune.waits import regrets
from ..wording import plural
from .energy_output import number, ranged, unit_of
from .escapes.text import printable
from .style import Style
from .tables import right_aligned, wrapped

_NS = 1_000_000_000


def meaning(objective: Objective) -> str:
    """Returns an objective in words."""
    if objective.kind == LATENCY:
        return "least mean wake latency at no more than the present table's energy"
    if objective.kind == WEIGHTED:
        weight = number(objective.weight)
        return f"least energy, a ns of wake latency costing as much as {weight} ns awake"
    return "least energy"


def render(tuning: Tuning, style: Style) -> str:
    source, tuned = tuning.source, tuning.tuned
    lines = [
        f"{printable(source.name)}: {plural(tuning.gaps, 'idle gap')}, "
        f"{tuning.idle_ns / _NS:.6f} s ({source.exactness})",
        f"{style('strong', printable(tuning.name))}: Linux {tuning.release.name}, "
        + (
            "no governor"
            if tuning.settings is None
            else f"{tuning.settings.governor}, HZ {tuning.settings.hz}"
        ),
        f"objective: {meaning(tuned.objective)}; {plural(tuned.tried, 'table')} tried",
    ]
    if searched := tuning.searched():
        lines += wrapped(searched, further="  ")
    if source.shorter:
        lines += wrapped(_shorter(tuning), further="  ")
    parts = [
        "\n".join(lines) + "\n\n",
        _residencies(tuning, style),
        "\n",
        _gain(tuning, style),
        "\n",
    ]
    if tuning.truth is not None:
        parts += [_measured(tuning, tuning.truth, style), "\n"]
    parts += [_front(tuning, style), "\n"]
    if tuning.waits:
        parts += [_waits(tuning, style), "\n"]
    parts += [style("strong", "All of this rests on") + "\n"]
    parts += [
        f"  - {printable(assumption)}\n" for assumption in (*tuning.assumptions(), *known(tuning))
    ]
    for problem in source.problems:
        severity = str(problem.severity)
        parts.append(f"{style(severity, severity)}: {problem.count} {problem.meaning}\n")
    return "".join(parts)


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


def known(tuning: Tuning) -> list[str]:
    """How well the kernel is known, where it was not compiled."""
    return remarks([tuning.release], tuning.settings.governor if tuning.settings else LOOP)


def p99_us(judged: Judged) -> str:
    return f"{judged.p99_ns / 1000:g}"


def mean_us(judged: Judged) -> str:
    return f"{float(judged.mean_ns) / 1000:.4g}"


def evens(tuning: Tuning) -> list[tuple[Fraction, Fraction | None] | None]:
    """Break-evens in ns of each state against the one before it, as break_even() has them."""
    model, names = tuning.power, tuning.table.names
    return [
        break_even(model.awake, model.states[before], model.states[name])
        for before, name in pairwise(names)
    ]


def residency_rows(tuning: Tuning) -> list[tuple[str, ...]]:
    """State, exit latency, present, break-even and best residency, within 1 %, tried; in us."""
    tuned, table = tuning.tuned, tuning.table
    return [
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
            zip(table.names[1:], evens(tuning), tuned.near, tuned.ranges, strict=True)
        )
    ]


def wait_rows(tuning: Tuning) -> list[tuple[str, ...]]:
    """State, best polling time before it, within 1 %, break-even; what this and the present time
    cost above the best. Times in us."""
    rows = []
    for wait in tuning.waits:
        shares = regrets(wait) or (None, None)
        times = (wait_us(wait.best_ns), between_us(wait.near_ns), break_even_us(wait.break_even_ns))
        rows.append((wait.name, *times, *map(percent, shares)))
    return rows


def _residencies(tuning: Tuning, style: Style) -> str:
    rows = [(printable(name), *cells) for name, *cells in residency_rows(tuning)]
    head = ("RESIDENCY, us", "EXIT LATENCY", "PRESENT", "BREAK-EVEN", "BEST", "WITHIN 1 %", "TRIED")
    text = style("strong", "Residencies") + "\n" + right_aligned(head, rows)
    if at_edge := edges(tuning):
        text += f"  at the edge of what was tried: {printable(', '.join(at_edge))}\n"
    return text


def _gain(tuning: Tuning, style: Style) -> str:
    tuned = tuning.tuned
    three = (tuned.present, tuned.even, tuned.best)
    rows = [
        ("costs more than the best", *(percent(tuned.regret(each)) for each in three)),
        (energy_of(tuning), *(energy_text(each) for each in three)),
        ("wake latency mean, us", *(mean_us(each) for each in three)),
        ("wake latency p99, us", *(p99_us(each) for each in three)),
    ]
    rows += _powers(tuning, three)
    if tuned.best.outcomes.work:
        rows.append(("work counted", *(str(each.outcomes.work) for each in three)))
    if any(bounds and bounds.low != bounds.high for bounds in tuned.regrets):
        shares = (*(percents(bounds) for bounds in tuned.regrets), percent(Fraction(0)))
        rows.insert(1, ("by figures within bounds", *shares))
    text = right_aligned(("", "PRESENT", "BREAK-EVEN", "BEST"), rows)
    for what, best in (("lower", tuned.if_low), ("upper", tuned.if_high)):
        if best.candidate != tuned.best.candidate:
            words = ", ".join(map(str, best.candidate))
            text += f"  with all figures at their {what} bounds, the best is {words} us\n"
    if not tuned.even.feasible:
        text += "  break-evens cost more energy than the present table\n"
    return style("strong", "Tables") + "\n" + text


def _powers(tuning: Tuning, some: Sequence[Judged]) -> list[tuple[str, ...]]:
    """What an idle period costs, and what is drawn on average, also with running CPUs where it is
    known how long they ran."""
    unit = "W" if tuning.power.unit == WATTS else "awake"
    rows = []
    if not tuning.simulated:
        each = (bounded(one.cost.each_wakeup, Fraction(1, 1000)) for one in some)
        rows.append((f"each idle gap, u{unit_of(tuning.power)}", *each))
        rows.append((f"on average, {unit}", *(bounded(one.cost.power) for one in some)))
    wholes = [whole for one in some if (whole := tuning.whole(one)) is not None]
    if wholes:
        unit = "W" if tuning.power.unit == WATTS else "of snooze"
        rows.append((f"with running CPUs, {unit}", *(bounded(whole.power) for whole in wholes)))
    return rows


def bounded(bounds: PowerBounds | None, factor: Fraction = Fraction(1)) -> str:
    return "-" if bounds is None else ranged(bounds.times(factor), 4)


TRUTH_HEAD = ("EXIT LATENCY, us", "ADVERTISED", "TYPICAL", "HONEST")
HONEST_HEAD = ("", "COST", "ENERGY", "MEAN, us", "P99, us")


def _measured(tuning: Tuning, truth: Truth, style: Style) -> str:
    """What waking up takes, and what tables gain that say so."""
    text = style("strong", "As measured") + "\n"
    text += right_aligned(TRUTH_HEAD, truth_rows(truth))
    if tuning.honest:
        text += "\n" + style("strong", "Honest latencies instead of the present table") + "\n"
        text += right_aligned(HONEST_HEAD, honest_rows(tuning))
    return text


def truth_rows(truth: Truth) -> list[tuple[str, ...]]:
    """State, advertised, typical and honest latency."""
    rows = []
    for one in truth.latencies:
        times = (one.advertised_ns, one.typical_ns, one.honest_ns)
        rows.append((one.name, *(f"{ns / 1000:.6g}" for ns in times)))
    return rows


def honest_rows(tuning: Tuning) -> list[tuple[str, ...]]:
    """The cells below HONEST_HEAD."""
    return [
        (
            f"with {each.what}",
            "-" if each.gain is None else f"{-100 * each.gain:+.3g} %",
            energy_text(each.judged),
            mean_us(each.judged),
            p99_us(each.judged),
        )
        for each in tuning.honest
    ]


def _front(tuning: Tuning, style: Style) -> str:
    rows = [
        (
            f"{p99_us(each)} us",
            energy_text(each),
            f"{mean_us(each)} us",
            " ".join(map(str, each.candidate)),
        )
        for each in tuning.tuned.front
    ]
    title = "No table tried has less of both"
    energy = energy_of(tuning).replace("energy", "ENERGY")
    head = ("P99 WAKE LATENCY", energy, "MEAN WAKE LATENCY", "RESIDENCIES, us")
    return style("strong", title) + "\n" + right_aligned(head, rows)


def _waits(tuning: Tuning, style: Style) -> str:
    rows = [(printable(name), *cells) for name, *cells in wait_rows(tuning)]
    first = printable(tuning.table.names[0])
    now = "has no time-out" if tuning.timeout_ns is None else f"for {wait_us(tuning.timeout_ns)} us"
    title = f"How long to poll before a state, the time alone being known (now {first} {now})"
    head = ("TIME, us", "BEST", "WITHIN 1 %", "BREAK-EVEN", "COSTS MORE", "NOW COSTS MORE")
    return style("strong", title) + "\n" + right_aligned(head, rows)


def edges(tuning: Tuning) -> list[str]:
    """Returns the names of states whose best residency is the lowest or highest value tried: a
    better one may lie beyond."""
    names = tuning.table.names[1:]
    return [name for name, at in zip(names, tuning.tuned.edges(), strict=True) if at]


def energy_of(tuning: Tuning) -> str:
    """Returns the name of the reported energy with its unit."""
    counted = " of 1000 counted" if tuning.tuned.best.outcomes.work else ""
    return f"energy{counted}, {unit_of(tuning.power, machine=tuning.simulated)}"


def percent(share: Fraction | None) -> str:
    return "-" if share is None else f"{100 * float(share):.3g} %"


def percents(bounds: PowerBounds | None) -> str:
    if bounds is None or bounds.low == bounds.high:
        return percent(None if bounds is None else bounds.low)
    return f"{percent(bounds.low)} to {percent(bounds.high)}"


def energy_of_judged(judged: Judged) -> PowerBounds:
    """Returns a candidate's energy in the unit that `energy_of` names."""
    return judged.energy.times(Fraction(1000 if judged.outcomes.work else 1, _NS))


def energy_text(judged: Judged) -> str:
    return ranged(energy_of_judged(judged))


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
