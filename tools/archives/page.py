"""docs/archives.md: what `review` found in the mails, beside what people found."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from idle_states.base.wording import few, joined, percent, plural
from idle_states.tables.rules.catalogue import rule_named
from tools.archives.verdicts import KINDS, Verdict, findings, is_found, is_run, needs_tree
from tools.archives.ways import NOT_MADE, Found, Outcome, Thread

PAGE = Path(__file__).parents[2] / "docs/archives.md"
START = "<!-- from here on written by tools.archives -->\n"
_MESSAGES = "IS51"
"""The beginning of codes of findings about messages: a thread has more of them than its commits."""
_CAUSE = re.compile(
    r"^.*?error: |\[IS930.*$|/\S*mails\.mbox\S*|(?<=, mail )\d+|\b\d+\b|'[^']*'|`[^`]*`|\S+/\S+"
)
GOVERNOR = "is a governor's source, which is compared only as a whole"
_UNREAD = (
    (GOVERNOR, "a governor's source: named, with the command that compares both sides"),
    ("fits nowhere", "files fit no commit of the trees"),
    ("fits no commit", "the mail fits no commit, and its own lines do not show the rest"),
    ("", "the diff alone does not show what the lines belong to"),
)
_SHOWN = 3
_WAYS = ("mail, without a tree", "mail", "thread", "commits")


def section(
    threads: Sequence[Thread],
    judged: Sequence[Verdict],
    listed: int,
    trees: int,
    versions: int = 1,
    reasons: Mapping[tuple[str, str], str] | None = None,
) -> str:
    """Returns the part of the page that is made.

    listed    number of patches asked for
    reasons   (first mail of a thread, the two ways) -> why it is right that they differ
    trees     number of trees
    versions  number of versions of the package that were run
    """
    patches = sum(len(thread.mailed) for thread in threads)
    ways = {way: len(runs) for way, runs in _by_way(threads).items()}
    sizes = (patches, patches, len(threads))
    missing = [
        f"{number - ways[way]} of {number} by {way}"
        for way, number in zip(_WAYS, sizes, strict=False)
        if number > ways[way]
    ]
    judged = [v for v in judged if is_run(v, threads)]
    parts = [
        f"{patches} of {plural(listed, 'listed mail')} in {plural(len(threads), 'thread')}; "
        f"{plural(trees, 'tree')} to apply them to.\n",
        *([f"Not run: {joined(missing)}.\n"] if missing else []),
        *([f"Runs of {versions} successive versions of `review`.\n"] if versions > 1 else []),
        *("## Faults\n", _faults(threads, judged)),
        *("## False alarms\n", _alarms(threads, judged, patches)),
        *("## Refusals\n", _refusals(threads)),
        *("## Mail, thread and commits\n", _agreement(threads, reasons or {})),
        *("## Time and memory\n", _costs(threads)),
        *("## Faults that people named\n", _named(threads, judged)),
        *("## Findings before anyone named them\n", _unnamed(threads, judged)),
    ]
    return "\n".join(parts)


def _faults(threads: Sequence[Thread], judged: Sequence[Verdict]) -> str:
    named = [v for v in judged if v.named_by and v.verdict in ("true", "missed")]
    found = sum(is_found(v, threads) for v in named)
    alone = sum(v.verdict == "true" and not v.named_by and is_found(v, threads) for v in judged)
    return (
        f"{plural(len(judged), 'verdict')} on these mails. Of {plural(len(named), 'fault')} that a "
        "person named in the thread and that the mails show, `review` finds "
        f"{found} ({percent(found, len(named))}). {plural(alone, 'true finding')} more nobody had "
        "named.\n" + _out_of_reach(threads, judged)
    )


def _out_of_reach(threads: Sequence[Thread], judged: Sequence[Verdict]) -> str:
    """Returns which verdicts are on findings that were made with another tree."""
    names = [f"`{v.message_id}` {v.rule} {v.where}" for v in judged if needs_tree(v, threads)]
    if not names:
        return ""
    return (
        f"\n{plural(len(names), 'verdict')} more than the diff's own lines show: the finding needs "
        f"a tree that the mail applies to, and none of these is one ({joined(names)}).\n"
    )


def _alarms(threads: Sequence[Thread], judged: Sequence[Verdict], patches: int) -> str:
    """By severity, the findings with each verdict, and the false ones per 100 mails."""
    counts: Counter[tuple[str, str]] = Counter()
    for name, one in findings(threads):
        verdict = next((v.verdict for v in judged if v.covers(name, one)), "not read")
        counts[one.severity, verdict] += 1
    rows = []
    for severity in ("error", "warning", "note"):
        numbers = [counts[severity, kind] for kind in (*KINDS[:-1], "not read")]
        false = counts[severity, "false"]
        rows.append((severity, *map(str, numbers), f"{100 * false / patches:.1f}"))
    head = ("severity", *KINDS[:-1], "not read by anyone", "false per 100 mails")
    return _table(head, rows)


def _refusals(threads: Sequence[Thread]) -> str:
    """Returns how many runs end with 3, and why."""
    ways = _by_way(threads)
    head = ("", *_WAYS[:3])
    wanted = [ways[way] for way in _WAYS[:3]]
    rows = [
        ("asked", *(str(len(runs)) for runs in wanted)),
        *(
            (title, *(_share(sum(map(test, runs)), len(runs)) for runs in wanted))
            for title, test in _KINDS_OF_ANSWER
        ),
    ]
    causes: dict[str, Counter[str]] = {}
    for way in _WAYS[:3]:
        for one in ways[way]:
            if one.status == 3:
                causes.setdefault(_cause(one), Counter())[way] += 1
    why = [
        (cause, *(str(counted[way]) for way in _WAYS[:3]))
        for cause, counted in sorted(causes.items(), key=lambda each: -each[1].total())
    ]
    return f"{_table(head, rows)}\n{_table(('why', *_WAYS[:3]), why)}"


_KINDS_OF_ANSWER: tuple[tuple[str, Callable[[Outcome], bool]], ...] = (
    ("refused, no answer", lambda one: bool(one.refusal)),
    (
        "an answer that leaves changed lines of tables unread",
        lambda one: bool(one.unread) and not _is_of_governor(one),
    ),
    ("a governor's source alone, which it names", lambda one: _is_of_governor(one)),
    ("an answer to all", lambda one: not one.refusal and not one.unread),
)


def _is_of_governor(one: Outcome) -> bool:
    """Tells whether all unread lines are those of governors: with a tree and --run, they are
    compiled and compared."""
    remarks = "\n".join(one.remarks)
    return bool(one.unread) and GOVERNOR in remarks and "of tables ignored" not in remarks


def _cause(one: Outcome) -> str:
    if one.refusal:
        refusal = _CAUSE.sub("", one.refusal).strip(" :,")
        return f"no answer: {re.sub(r'[ ]+', ' ', refusal)}"
    return next(cause for word, cause in _UNREAD if word in "\n".join(one.remarks))


def _agreement(threads: Sequence[Thread], reasons: Mapping[tuple[str, str], str]) -> str:
    """Returns where two ways of the same patches give other findings or changes of tables."""
    rows: list[tuple[str, ...]] = []
    counted: Counter[tuple[str, str]] = Counter()
    for thread in threads:
        for title, one, other in _pairs(thread):
            only = list(_differences(one, other))
            reason = reasons.get((thread.ids[0], title), "")
            counted[title, ("rightly" if reason else "not explained") if only else "agree"] += 1
            if only:
                rows.append((f"`{thread.ids[0]}`", title, few(only, _SHOWN), reason))
    summary = [
        (title, *(str(counted[title, how]) for how in ("agree", "rightly", "not explained")))
        for title in dict.fromkeys(title for title, _ in counted)
    ]
    why = Counter(t.commits.refusal.partition(":")[0] for t in threads if t.commits.status < 0)
    without = "".join(
        f"{plural(count, 'thread')} without commits: {cause}.\n" for cause, count in why.items()
    )
    head = ("compared", "agree", "differ rightly", "differ, not explained")
    parts = [_table(head, summary), without]
    names = ("thread", "compared", "difference", "differs rightly because")
    return "\n".join([*parts, _table(names, rows)] if rows else parts)


def _pairs(thread: Thread) -> Iterator[tuple[str, Outcome, Outcome]]:
    """Yields the ways that look at the same patches on the same commit."""
    if NOT_MADE not in (thread.commits.status, thread.whole.status):
        yield "thread, then commits", thread.whole, thread.commits
    for name, mailed in thread.mailed.items():
        alone = thread.alone[name]
        if mailed.base and mailed.base == thread.whole.base and len(thread.mailed) == 1:
            yield "mail, then thread", mailed, thread.whole
        if not (mailed.unread or alone.unread or mailed.refusal or alone.refusal):
            yield "mail with trees, then without", mailed, alone


def _differences(one: Outcome, other: Outcome) -> Iterator[str]:
    if bool(one.refusal) != bool(other.refusal):
        yield one.refusal or other.refusal
        return
    sides = [
        {*map(_described, _of_tables(way.found)), *(f"{effect}" for effect in way.effects)}
        for way in (one, other)
    ]
    for side, beside, mark in ((0, 1, "only the first"), (1, 0, "only the second")):
        for text in sorted(sides[side] - sides[beside]):
            yield f"{mark}: {text}"


def _of_tables(found: Iterable[Found]) -> Iterator[Found]:
    return (one for one in found if not one.rule.startswith(_MESSAGES))


def _described(one: Found) -> str:
    return f"{one.rule} {one.path.rpartition('/')[2] or one.file}"


def _costs(threads: Sequence[Thread]) -> str:
    rows = []
    for way, runs in _by_way(threads).items():
        seconds = sorted(one.cpu_s for one in runs)
        if seconds:
            at = (len(seconds) // 2, len(seconds) * 9 // 10, -1)
            figures = [f"{seconds[place]:.1f} s" for place in at]
            most = f"{max(one.memory for one in runs)} MiB"
            rows.append((way, str(len(runs)), *figures, most))
    head = ("", "runs", "processor time, median", "9 of 10 below", "longest", "most memory")
    return _table(head, rows)


def _by_way(threads: Sequence[Thread]) -> dict[str, list[Outcome]]:
    ways = (
        [one for thread in threads for one in thread.alone.values()],
        [one for thread in threads for one in thread.mailed.values()],
        [thread.whole for thread in threads],
        [thread.commits for thread in threads],
    )
    made = ([one for one in way if one.status != NOT_MADE] for way in ways)
    return dict(zip(_WAYS, made, strict=True))


def _named(threads: Sequence[Thread], judged: Sequence[Verdict]) -> str:
    rows = [
        (
            f"`{v.message_id}`",
            f"{v.rule} {_name(v.rule)}" if is_found(v, threads) else "not found",
            v.reason,
        )
        for v in judged
        if v.named_by and v.verdict in ("true", "missed")
    ]
    return _table(("mail", "found by", "fault"), rows)


def _unnamed(threads: Sequence[Thread], judged: Sequence[Verdict]) -> str:
    rows = [
        (f"`{v.message_id}`", f"{v.rule} {_name(v.rule)}", v.where or "-", v.verdict, v.reason)
        for v in judged
        if not v.named_by and v.rule and is_found(v, threads)
    ]
    return _table(("mail", "rule", "where", "verdict", "why"), rows)


def _name(code: str) -> str:
    loaded = rule_named(code)
    return loaded.rule.name if loaded else ""


def _share(part: int, whole: int) -> str:
    return f"{part} ({percent(part, whole)})"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in (head, *rows)]
    return "\n".join(
        [f"| {lines[0]} |", "|---" * len(head) + "|", *(f"| {line} |" for line in lines[1:]), ""]
    )
