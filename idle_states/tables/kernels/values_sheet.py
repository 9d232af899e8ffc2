"""kernels --values: every value of a table that a stage changes, as a sheet."""

from collections.abc import Iterator

from ...base.report.sheet import (
    NO_NUMBERS,
    Line,
    Lines,
    Marked,
    Rows,
    Section,
    Sheet,
    Worded,
)
from ...base.wording import joined, possessive
from .values import Value, Values

_WORDS = {"latency": "exit latency", "residency": "target residency"}
_TIMES = frozenset(_WORDS)


def sheet(found: Values) -> Sheet:
    """Returns times in sentences, then a row for each change, then what follows and the grounds."""
    table = found.source.name
    title = f"{table}: values that change before a governor sees them"
    loud = [value for value in found.values if not value.judged.quiet]
    lines = tuple(sentences(found))
    about = (
        Marked("strong", title),
        f"platform {found.platform}; Linux {', '.join(found.kernels)}",
    )
    if not loud:
        lines = (f"No value of {table} is lost or changed.",)
    sections = (
        Section("Times", (Lines(lines, first="  "),)),
        Section("Each change", (_changes(loud),)),
        Section("What follows, and the ground", (Lines(tuple(meanings(loud)), first="  "),)),
        Section("Converted without loss, or not read", (_quiet(found),)),
        Section(Worded("", "Assumptions"), (Lines(found.assumptions, further=""),)),
    )
    return Sheet(title, lines[:3], sections, Section("What was looked at", (Lines(about),)))


def sentences(found: Values) -> Iterator[str]:
    """Yields a sentence for each time: "stop0_lite's exit latency of 200 ns becomes 0 us in Linux
    4.8 to 4.14.6, 1 us in 4.14.7 to 7.3.4"."""
    times: dict[tuple[int | None, str, str, str], list[Value]] = {}
    for value in found.values:
        if value.field in _TIMES and not value.judged.quiet and value.cause != "over-threshold":
            times.setdefault((value.row, value.state, value.field, value.before), []).append(value)
    for (_, state, field, before), some in times.items():
        parts = [f"{each.after} in {when(each)}" for each in some]
        yield f"{possessive(state)} {_WORDS[field]} of {before} becomes {joined(parts)}"


def when(value: Value) -> str:
    """In which releases: Linux 4.8 to 4.14.6 and 4.15, but not debian-6.1.192."""
    if not value.kernels:
        return "firmware"
    but = f", but not {joined(value.but)}" if value.but else ""
    return f"Linux {joined(value.kernels)}{but}"


def reported(value: Value) -> str:
    """The rules that report a change, else that none is needed."""
    return " or ".join(value.judged.rules) or "no rule needed"


def _changes(values: list[Value]) -> Rows:
    rows = []
    last: tuple[object, ...] = ()
    for value in values:
        key = value.row, value.state, value.field, value.before
        what = (value.state, value.field, value.before) if key != last else ("", "", "")
        last = key
        rows.append((*what, value.after, value.judged.kind, reported(value), when(value)))
    head = ("State", "Value", "Before", "After", "How", "Rule", "In")
    return Rows(head, tuple(rows), numbers=NO_NUMBERS)


def meanings(values: list[Value]) -> Iterator[Line]:
    """Yields what each kind of change is, what follows, and why no rule is needed."""
    for value in dict.fromkeys(_same(value) for value in values):
        kind, stage, reason, follows, rules, none, ground = value
        why = f"reported by {rules}" if rules else f"no rule: {none}"
        yield f"{kind} by the {stage}: {reason}; {follows}; {why} [{ground}]"


_STAGES = {"firmware": "firmware", "driver": "driver", "cpuidle": "cpuidle core", "genpd": "genpd"}


def _same(value: Value) -> tuple[str, str, str, str, str, str, str]:
    judged = value.judged
    return (
        judged.kind,
        _STAGES[value.stage],
        value.reason,
        judged.follows,
        " or ".join(judged.rules),
        judged.none,
        value.ground,
    )


def _quiet(found: Values) -> Rows:
    """A row for what is converted alike in the same releases."""
    groups: dict[tuple[str, str, str, str], list[Value]] = {}
    for value in found.values:
        if value.judged.quiet:
            key = value.field, value.cause, value.judged.none, when(value)
            groups.setdefault(key, []).append(value)
    rows = []
    for (field, _, none, releases), some in groups.items():
        names = list(dict.fromkeys(value.state for value in some))
        one = f"{some[0].before} -> {some[0].after}" if len(some) == 1 else ""
        rows.append((joined(names), field, one, none, releases))
    head = ("State", "Value", "Change", "Why no rule", "In")
    return Rows(head, tuple(rows), numbers=NO_NUMBERS)
