"""Values that the states of every kind of spec may have: texts, measurements, powers."""

from collections.abc import Iterable
from collections.abc import Mapping as MappingType

from ...base.dataclass import replace
from ...base.model.findings import Location
from ...base.model.table import U64_MAX, Measurement, Power
from ...base.model.units import format_power, format_time
from ...base.reading import scalars
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Mapping, Node
from .keys import CONFIDENCES

_MEASUREMENT_KEYS = (
    "kind latency base statistic n low high confidence machine kernel source".split()
)


def required_text(
    entries: MappingType[str, Node], key: str, what: str, where: Location, problems: SpecProblems
) -> str:
    problems.missing((key,), entries, what, where)
    return scalars.text(entries.get(key), f"{what}'s {key}", problems) or ""


def optional_text(entries: MappingType[str, Node], key: str, problems: SpecProblems) -> str:
    return scalars.text(entries.get(key), "text", problems) or ""


def once(found: Iterable[tuple[str, Location]], what: str, problems: SpecProblems) -> None:
    """Reports each name that stands again."""
    first: dict[str, Location] = {}
    for name, where in found:
        earlier = first.setdefault(name, where)
        if earlier is not where:
            message = f"expected {what} once, found {name} again"
            problems.add("IS927", "broken-override", message, where, ((earlier, "first here"),))


def measured_of(node: Node | None, problems: SpecProblems) -> tuple[Measurement, ...]:
    result = []
    measurements = scalars.items(node, "a list of measurements", problems)
    for item in scalars.mappings(measurements, "a measurement as a mapping", problems):
        expect_only(item, tuple(_MEASUREMENT_KEYS), problems)
        kind = required_text(item.entries, "kind", "a measurement", item.where, problems)
        source = required_text(item.entries, "source", "a measurement", item.where, problems)
        problems.missing(("latency",), item.entries, "a measurement", item.where)
        latency = scalars.time_ns(item.entries.get("latency"), problems)
        if latency is not None:
            result.append(_detailed(Measurement(kind, latency, source), item.entries, problems))
    return tuple(result)


def _detailed(
    found: Measurement, entries: MappingType[str, Node], problems: SpecProblems
) -> Measurement:
    times = {key: scalars.time_ns(entries.get(key), problems) for key in ("base", "low", "high")}
    low, high = times["low"], times["high"]
    if low is not None and high is not None and low > high:
        bounds = f"low {format_time(low)}, high {format_time(high)}"
        problems.out_of_range("low at most high", bounds, entries["low"].where)
    what = "a number of values"
    number = scalars.integer(entries.get("n"), problems, most=U64_MAX, what=what)
    return replace(
        found,
        base_ns=times["base"],
        low_ns=low,
        high_ns=high,
        n=number,
        statistic=optional_text(entries, "statistic", problems),
        confidence=optional_text(entries, "confidence", problems),
        machine=optional_text(entries, "machine", problems),
        kernel=optional_text(entries, "kernel", problems),
    )


def power_of(written: Node | None, problems: SpecProblems) -> Power | None:
    node = scalars.mapping(written, "a power as a mapping", problems)
    if node is None:
        return None
    expect_only(node, ("low", "high", "of", "source", "confidence", "note"), problems)
    entries = node.entries
    if problems.missing(("low", "high", "source", "confidence"), entries, "a power", node.where):
        return None
    low = scalars.power(entries["low"], problems)
    high = scalars.power(entries["high"], problems)
    source = scalars.text(entries["source"], "a source", problems)
    confidence = scalars.choice(entries["confidence"], problems, CONFIDENCES, "a confidence")
    of = optional_text(entries, "of", problems)
    note = optional_text(entries, "note", problems)
    if low is None or high is None or source is None or confidence is None:
        return None
    if low[1] != high[1] or low[0] > high[0]:
        found = " and ".join(format_power(*bound) for bound in (low, high))
        problems.out_of_range("low and high in one unit, low at most high", found, node.where)
        return None
    return Power(low[0], high[0], low[1], source, confidence, of, note)


def expect_only(node: Mapping, known: tuple[str, ...], problems: SpecProblems) -> None:
    for key, where in node.keys.items():
        if key not in known:
            problems.unknown_key(key, where, known)
