"""Writes docs/mainline.md: what audit finds on the boards of a kernel's tree, each finding judged.

    python -m tools.mainline TREE NAME      NAME: what the tree is, as "Linux 7.1"
    python -m tools.mainline                the tree of Debian's newest Linux source

The verdicts are data, docs/mainline.json: rule, file and path as patterns, verdict, reason. Errors
and warnings that none of them covers are named, and verdicts that nothing needs any more; either
exits with 1. Exits with 3 if Debian's source cannot be had.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from idle_states.base.files import write_file
from idle_states.base.model.findings import Finding, Severity
from idle_states.base.wording import joined, plural
from idle_states.change.boot.debian import Packages, Unavailable, untar
from idle_states.change.boot.parts import packages_in
from idle_states.tables.audit.answer import audit, setting_of
from idle_states.tables.audit.request import AuditRequest
from idle_states.tables.audit.summary import FleetSummary
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.releases import DEFAULT, release
from idle_states.tables.rules.catalogue import rule_named
from idle_states.tables.sources.walk import Walk
from tools.command_line import parsed

DOCS = Path(__file__).parent.parent / "docs"
PAGE, VERDICTS = DOCS / "mainline.md", DOCS / "mainline.json"
KINDS = ("true", "intended", "false")
START = "<!-- from here on written by tools.mainline -->\n"
SUITE = "trixie-backports"
"""The Debian suite whose Linux source is taken unless a tree is given."""
_ARCHIVE = "usr/src/linux-source-*.tar.xz"
_SOURCES = (
    *("*/arch/*/boot/dts/*", "*/include/dt-bindings/*", "*/scripts/dtc/include-prefixes/*"),
    "*/include/uapi/linux/input-event-codes.h",  # a link of dt-bindings leads there
)
_NAMED = 8
"""The number of files of a row that are named."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on findings. rule: its code; file, path: patterns of where they are."""

    rule: str
    file: str
    path: str
    verdict: str
    reason: str

    def covers(self, place: "Place") -> bool:
        pairs = (place.file, self.file), (place.path, self.path)
        return place.rule == self.rule and all(fnmatchcase(*pair) for pair in pairs)


@dataclass(slots=True)
class Place:
    """A finding, wherever boards include it. file: in the tree; path: of a node or property."""

    rule: str
    severity: Severity
    file: str
    path: str
    message: str
    boards: set[str] = field(default_factory=set)

    @property
    def node(self) -> str:
        return self.path.partition(":")[0].rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of an audit of a tree. tables: distinct ones."""

    boards: int
    unread: int
    tables: int
    places: tuple[Place, ...]


def found(tree: Path, kernels: Sequence[str] = DEFAULT) -> Findings:
    """Audits all boards of a tree with idle states. Raises UsageError."""
    request = AuditRequest((), Criteria(tuple(map(release, kernels))), trees=(str(tree),))
    summary = FleetSummary()
    places: dict[tuple[str, str, str, str], Place] = {}
    for results in audit(request, setting_of(request), Walk()):
        summary.add(results)
        for one in results:
            for finding in one.findings:
                place = _place(finding, tree)
                key = place.rule, place.file, place.path, place.message
                places.setdefault(key, place).boards.add(one.file)
    return Findings(
        summary.inputs,
        summary.unreadable_count,
        len(summary.groups),
        tuple(places[key] for key in sorted(places)),
    )


def _place(finding: Finding, tree: Path) -> Place:
    where = finding.location
    file = Path(where.file or "")
    inner = file.relative_to(tree) if file.is_relative_to(tree) else file
    path = where.path.removeprefix(f"{where.file}:")
    return Place(finding.rule, finding.severity, inner.as_posix(), path, finding.message)


def verdicts(text: str) -> tuple[Verdict, ...]:
    """The verdicts of a file. Raises ValueError for what is none."""
    made = tuple(Verdict(**entry) for entry in json.loads(text))
    for one in made:
        if one.verdict not in KINDS or rule_named(one.rule) is None or not one.reason:
            raise ValueError(f"expected a rule, {joined(KINDS, 'or')} and a reason, found {one}")
    return made


def complaints(findings: Findings, judged: Sequence[Verdict]) -> Iterator[str]:
    """Yields what is missing among the verdicts, and what is there for nothing."""
    for place in findings.places:
        verdict = _verdict(place, judged)
        if verdict is None and place.severity > Severity.NOTE:
            yield f"no verdict: {place.rule} {place.file} {place.path}: {place.message}"
        elif verdict is not None and verdict.verdict == "false":
            yield f"the rule is wrong: {place.rule} {place.file} {place.path}: {place.message}"
    for verdict in judged:
        if not any(verdict.covers(place) for place in findings.places):
            yield f"nothing found: {verdict.rule} {verdict.file} {verdict.path}"


def _verdict(place: Place, judged: Sequence[Verdict]) -> Verdict | None:
    return next((verdict for verdict in judged if verdict.covers(place)), None)


def section(findings: Findings, judged: Sequence[Verdict], name: str) -> str:
    """The part of the page that is made: figures, findings by rule, each with its verdict."""
    unread = f", {findings.unread} of them not read" if findings.unread else ", all read"
    parts = [
        f"{name}: {findings.boards} boards with idle states{unread}; "
        f"{plural(findings.tables, 'distinct table')}.\n",
        _counts(findings.places),
    ]
    for title, notes in (("Errors and warnings", False), ("Notes", True)):
        places = [p for p in findings.places if (p.severity is Severity.NOTE) == notes]
        parts += [f"## {title}\n", _rows(places, judged)]
    return "\n".join(parts)


def _counts(places: Iterable[Place]) -> str:
    by_rule: dict[tuple[str, Severity], list[Place]] = defaultdict(list)
    for place in places:
        by_rule[place.rule, place.severity].append(place)
    rows = (
        f"| {rule} {_name(rule)} | {severity} | {len(same)} | "
        f"{len(set().union(*(place.boards for place in same)))} |"
        for (rule, severity), same in sorted(by_rule.items())
    )
    return _table("| rule | severity | places | boards |", rows)


def _rows(places: Iterable[Place], judged: Sequence[Verdict]) -> str:
    """A row for each rule, file and verdict; one for all files that a verdict is of together."""
    groups: dict[tuple[str, str, Verdict | None], list[Place]] = defaultdict(list)
    for place in places:
        verdict = _verdict(place, judged)
        file = "" if verdict and verdict.file == "*" else place.file
        groups[place.rule, file, verdict].append(place)
    rows = []
    for (rule, _, verdict), same in groups.items():
        boards = len(set().union(*(place.boards for place in same)))
        judgement = f"{verdict.verdict}: {verdict.reason}" if verdict else "-"
        message = same[0].message.replace("|", "\\|")
        rows.append(f"| {rule} | {_named(same)} | {message} | {boards} | {judgement} |")
    return _table("| rule | place | finding, of several the first | boards | verdict |", rows)


def _named(places: Iterable[Place]) -> str:
    """The files, each with its nodes."""
    file2nodes: dict[str, dict[str, None]] = defaultdict(dict)
    for place in places:
        file2nodes[place.file][place.node] = None
    named = [
        f"`{file}`: " + ", ".join(f"`{node}`" for node in nodes)
        for file, nodes in file2nodes.items()
    ]
    more = [f"{len(named) - _NAMED} files more"] if len(named) > _NAMED else []
    return "; ".join(named[:_NAMED] + more)


def _name(code: str) -> str:
    loaded = rule_named(code)
    return loaded.rule.name if loaded else ""


def _table(head: str, rows: Iterable[str]) -> str:
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *rows, ""])


def newest(packages: Packages) -> tuple[Path, str]:
    """Returns the device-tree sources of Debian's newest Linux and its name. Raises Unavailable."""
    (archive,) = packages.binary_tree("linux-source", (_ARCHIVE,), suite=SUITE).glob(_ARCHIVE)
    version = archive.name.removeprefix("linux-source-").removesuffix(".tar.xz")

    def make(fresh: Path, scratch: Path) -> None:
        untar(archive, fresh, _SOURCES, strip=1)

    return packages.made(f"linux-source_dts/{SUITE}-{version}", make), f"Linux {version}"


def main(words: Sequence[str]) -> int:
    given = parsed(__doc__, "[TREE]", "[NAME]", words=words)
    if given.tree and not given.name:
        print('expected a name behind the tree, as "Linux 7.1"', file=sys.stderr)
        return 2
    try:
        tree, name = (given.tree, given.name) if given.tree else newest(packages_in())
    except Unavailable as reason:
        print(f"Debian's Linux source is not available: {reason}", file=sys.stderr)
        return 3
    findings, judged = found(Path(tree)), verdicts(VERDICTS.read_text("utf-8"))
    above = PAGE.read_text("utf-8").partition(START)[0]
    write_file(PAGE, f"{above}{START}\n{section(findings, judged, name)}")
    lines = list(complaints(findings, judged))
    print("\n".join(lines) or f"{PAGE.name}: every finding has its verdict")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
