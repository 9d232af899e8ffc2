"""docs/rounding.md: every value of a packaged table that changes on its way to the governor.

python -m tools.rounding          # or make rounding
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from idle_states.base.dataclass import replace
from idle_states.base.files import write_file
from idle_states.base.model.findings import UsageError
from idle_states.base.wording import joined
from idle_states.tables.kernels.causes import CAUSES, OF_FORM, ZERO, Meaning
from idle_states.tables.kernels.values import Value, Values, values_of
from idle_states.tables.kernels.values_sheet import reported, sentences, when
from idle_states.tables.linux.intel_idle.platform import names
from idle_states.tables.linux.platforms import parse
from idle_states.tables.sources import Source, read_sources
from idle_states.tables.spec.packaged import machines, revisions
from tools.command_line import parsed

PAGE = Path(__file__).parent.parent / "docs" / "rounding.md"
PLATFORMS = {
    "power7": ("all-levels",),
    "power8": ("all-levels", "qemu-powernv8", "no-homer"),
    "power9": ("all-levels", "op920", "qemu-powernv9", "no-homer", "mambo"),
    "power10": ("all-levels", "rainier", "qemu-powernv10", "no-homer"),
    "power11": ("all-levels", "rainier", "no-homer"),
}
"""Generation -> the platforms on which firmware exports different rows of its tables."""
_HEAD = """\
# Rounding: every value that changes

Made by `make rounding` from the models; not edited by hand. A table's values pass firmware, the
device tree, a Linux driver and cpuidle before a governor compares them. This page has every value
that one of these changes, for each packaged table, platform and kernel, and the rule that reports
it. Of a table of your own the same is printed by

    idle-states kernels --table TABLE --values [--kernel K] [--platform P]

## The short answer

- An exit latency of **200 ns is 0 us in Linux 4.8 to 4.14.6** (also in 4.11) **and 1 us since
  4.14.7**: older kernels truncate to microseconds, later ones round up (8d4e10e9ed94). At 0 us a
  state passes every latency limit. IS201 reports it.
- 4900 ns are 4 us before 4.14.7 and 5 us since, level with 5000 ns. IS212 reports it.
- 4294966297 ns and more wrap to 0 us since 4.14.7. IS216 reports it.
- Times of Arm and RISC-V nodes are whole microseconds and are not rounded. The sum of entry and
  exit latency wraps at 32 bits (IS624), and a 32-bit kernel wraps above 4294967 us (IS625).
- Governors compare microseconds up to 5.4, and since 5.5 nanoseconds that are the driver's
  microseconds times 1000: what was rounded stays rounded.
- Snooze ends after whole ticks of the timebase: at 512 MHz, 512 a microsecond, which is exact.

## Kinds of change

| what is done | cause | what follows | rule |
|---|---|---|---|
"""
_FORMS = {"pseries": "partitions", "nodes": "Arm, RISC-V", "acpi": "ACPI"}


def page() -> str:
    """The whole page."""
    parts = [_HEAD + "".join(f"| {' | '.join(row)} |\n" for row in _kinds())]
    for title, historical in (("Packaged tables", False), ("Historical tables", True)):
        parts.append(f"## {title}\n")
        for revision in revisions():
            if revision.historical == historical:
                for source in read_sources(revision.name):
                    parts.append(_table(revision.name, source))
    parts.append("## Arm and RISC-V machines\n")
    for machine in machines():
        parts.append(_together(machine.name, read_sources(machine.name)))
    parts.append(
        "## intel_idle's tables\n\nValues that differ from the first release with the "
        "table (from 5.6 on); of all other tables none does.\n"
    )
    parts.append("".join(_intel()))
    return "\n".join(parts)


def _kinds() -> Iterator[tuple[str, ...]]:
    """A row for each cause."""
    rows: list[tuple[str, str, Meaning]] = []
    for cause, found in CAUSES.items():
        if cause in ("truncated", "rounded-up"):
            for field, code in (("latency", "IS201"), ("residency", "IS202")):
                below = f"{cause}, {field} below 1 us"
                follows = f"to 0 us: {ZERO[field]}" if cause == "truncated" else found.follows
                rows.append((below, "", replace(found, follows=follows, rules=(code,))))
        rows.append((cause, "", found))
        rows += [
            (cause, _FORMS[form], other) for (form, of), other in OF_FORM.items() if of == cause
        ]
    for cause, form, found in rows:
        what = f"{cause} ({form})" if form else cause
        rule = " or ".join(found.rules) or f"no rule: {found.none}"
        yield found.kind, _plain(what), _plain(found.follows), _plain(rule)


def _plain(text: str) -> str:
    """A text of our own as Markdown, in which numbers can be searched for as they are printed."""
    return text.replace("|", "\\|").replace("_", "\\_").replace("<", "&lt;")


def _table(name: str, source: Source) -> str:
    """A table's section: its times in sentences, then each change with its platforms."""
    assert source.table is not None
    table = source.table
    platforms: tuple[str, ...] = ("all-levels",)
    if table.partition is None and table.cpu is not None:
        platforms = PLATFORMS.get(table.cpu.generation, platforms)
    platform2values = {each: values_of(source, parse(each)) for each in platforms}
    lines = [f"### {name}\n"]
    first = platform2values[platforms[0]]
    lines += [f"- {_plain(sentence)}" for sentence in sentences(first)]
    value2platforms: dict[Value, list[str]] = {}
    for platform, found in platform2values.items():
        for value in found.values:
            value2platforms.setdefault(value, []).append(platform)
    loud = [value for value in value2platforms if not value.judged.quiet]
    if len(lines) > 1:
        lines.append("")
    if loud:
        heads = ["state", "value", "before", "after", "how", "rule", "in"]
        heads += ["platforms"] * (len(platforms) > 1)
        lines += [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
        for value in sorted(loud, key=lambda each: (each.row is None, each.row, each.field)):
            cells = [value.state, value.field, value.before, value.after, value.judged.kind]
            cells += [reported(value), when(value)]
            if len(platforms) > 1:
                on = value2platforms[value]
                cells.append("all" if len(on) == len(platforms) else ", ".join(on))
            lines.append(f"| {' | '.join(map(_plain, cells))} |")
        lines.append("")
        lines += [f"- {_plain(line)}" for line in _why(loud)]
    else:
        lines.append("Nothing is lost or changed.")
    lines.append("")
    lines += [f"- {_plain(line)}" for line in _quiet(first)]
    return "\n".join(lines) + "\n"


def _why(loud: Sequence[Value]) -> Iterator[str]:
    """Yields why what no rule reports needs none, and why the rest changes: a line for each
    cause."""
    seen = dict.fromkeys((each.cause, each.reason, each.judged.none) for each in loud)
    for cause, reason, none in seen:
        yield f"{cause}: {reason}{f'; no rule: {none}' if none else ''}"


def _quiet(found: Values) -> Iterator[str]:
    """A line for what is converted alike."""
    groups: dict[tuple[str, str, str], list[Value]] = {}
    for value in found.values:
        if value.judged.quiet:
            key = value.field, when(value), value.judged.none
            groups.setdefault(key, []).append(value)
    for (field, releases, none), some in groups.items():
        states = joined(list(dict.fromkeys(value.state for value in some)))
        changes = joined(list(dict.fromkeys(f"{v.before} -> {v.after}" for v in some)))
        yield f"{states}: {field} {changes} in {releases}; no rule: {none}"


def _together(name: str, sources: Iterable[Source]) -> str:
    """A machine's section: CPUs whose values are equal are told once."""
    shared: dict[str, list[str]] = {}
    for source in sources:
        found = values_of(source, parse("all-levels"))
        lines = [*sentences(found), *_quiet(found)]
        shared.setdefault("\n".join(f"- {_plain(line)}" for line in lines), []).append(source.name)
    parts = [f"### {name}\n"]
    parts += [f"{_plain(joined(cpus))}:\n\n{text}\n" for text, cpus in shared.items()]
    return "\n".join(parts)


def _intel() -> Iterator[str]:
    yield "| table | state | value | before | after | in |\n|---|---|---|---|---|---|\n"
    for name in names():
        for value in _of_intel(name):
            cells = (name, value.state, value.field, value.before, value.after, when(value))
            yield f"| {' | '.join(map(_plain, cells))} |\n"


def _of_intel(name: str) -> list[Value]:
    """The values of a processor's table that change; none where its states are ACPI's."""
    try:
        (source,) = read_sources(f"intel:{name}")
    except UsageError:
        return []
    return [each for each in values_of(source, parse("all-levels")).values if not each.judged.quiet]


if __name__ == "__main__":
    parsed(__doc__)
    write_file(PAGE, page())
