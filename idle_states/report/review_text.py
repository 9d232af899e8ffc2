"""A review as plain text, fit for a reply by mail: 72 columns, the verdict in the first line."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from ..diff import Difference
from ..findings import Finding, Severity
from ..linux.grounds import remarks
from ..linux.releases import release
from ..review.claims.claim import ClaimVerdict, MessageClaim
from ..review.review import PerKernel, Review, Reviewed, TableChange
from ..review.suppressions import Added
from ..wording import plural
from .escapes.text import printable
from .kernel_ranges import kernel_ranges
from .review_machines import entries, is_shown

WIDTH = 72
SHOWN = 12
"""Lines of one kind for one table; the rest is counted."""


def render(review: Review, *, notes: bool, suppressed: bool) -> str:
    """Returns a review as text of 72 columns.

    notes       show notes as well
    suppressed  show suppressed findings with their reasons
    """
    lines = list(_wrapped(_verdict(review), ""))
    where = f"{_short(review.base)}..{_short(review.head)}"
    looked = f"{where}, {plural(review.commits, 'commit')}, Linux {', '.join(review.kernels)}"
    lines += _wrapped(looked, "")
    for remark in remarks([release(name) for name in review.kernels], "powernv", review.governor):
        lines += _wrapped(remark, "")
    for said in review.remarks:
        lines += _wrapped(printable(said), "")
    for change in review.changes:
        if change.commit is not None:
            lines += [
                "",
                *_wrapped(f"{change.commit.short} {printable(change.commit.subject)}", ""),
            ]
        lines += _change(change, review, notes, suppressed)
    if grounds := _grounds(review):
        lines += ["", "The simulated figures rest on", *_limited(grounds)]
    if review.assumptions:
        lines += ["", *(line for said in review.assumptions for line in _wrapped(said, ""))]
    return "\n".join(lines) + "\n"


def _grounds(review: Review) -> list[str]:
    """What the simulated figures that are shown rest on, each once."""
    seen = (table.machines for change in review.changes for table in change.tables)
    shown = (m for m in seen if m is not None and any(map(is_shown, m.workloads)))
    return list(dict.fromkeys(ground for machines in shown for ground in machines.grounds))


def _verdict(review: Review) -> str:
    tables = {table.source.name for change in review.changes for table in change.tables}
    new = [finding for finding in review.new if finding.counts]
    if not tables and not new and not review.fixed:
        unread = any(change.unread for change in review.changes)
        return "No table is compared." if unread else "No table changes."
    counts = [
        plural(number, str(severity))
        for severity in reversed(Severity)
        if (number := sum(finding.severity is severity for finding in new))
    ]
    brought = (
        f"{plural(len(new), 'new finding')} ({', '.join(counts)})" if new else "no new finding"
    )
    every = [table for change in review.changes for table in change.tables]
    changed = {table.source.name for table in every if table.is_changed}
    exported = {table.source.name for table in every if table.differences} - changed
    beside = len(tables - changed - exported)
    what = f"{plural(len(changed), 'table')} changed"
    what += f", {len(exported)} exported otherwise" if exported else ""
    what += f", which concerns {plural(beside, 'other')}" if beside else ""
    return f"{what}: {brought}, {len(review.fixed)} fixed."


def _change(change: Reviewed, review: Review, notes: bool, suppressed: bool) -> Iterator[str]:
    for table in change.tables:
        yield ""
        yield from _table(table, review, notes, suppressed)
    if change.unread:
        yield ""
        yield from _wrapped(
            f"Not compared, not readable at one end: {', '.join(change.unread)}", ""
        )
        yield from _findings("new", change.files.new, review, notes)
        yield from _findings("fixed", change.files.fixed, review, notes)
    if change.suppressions:
        yield ""
        yield "Suppressions that the change adds"
        yield from _limited(_added(one) for one in change.suppressions)
    if change.message:
        yield ""
        yield "The message and the change"
        yield from _findings("", change.message, review, notes)
    if change.claims:
        yield ""
        yield from _claims(change.claims, notes)


def _claims(claims: Sequence[MessageClaim], everything: bool) -> Iterator[str]:
    """How many numbers there are in messages, and what became of them; everything: each of them."""
    counts = [
        f"{sum(claim.verdict is verdict for claim in claims)} {said}"
        for verdict, said in (
            (ClaimVerdict.HOLDS, "agree"),
            (ClaimVerdict.CONTRADICTED, "contradicted"),
            (ClaimVerdict.NOT_CHECKED, "not checked"),
        )
    ]
    more = "" if everything else " (--notes lists them)"
    yield from _wrapped(f"Numbers in the message: {', '.join(counts)}{more}", "")
    if everything:
        for claim in claims:
            said = f"line {claim.line}, {claim.verdict}: {claim.text!r}: {claim.against}"
            yield from _wrapped(printable(said), "  ")


def _added(one: Added) -> str:
    until = f" until {one.until}" if one.until else ""
    of = f" {one.path}" if one.path else ""
    rules = ",".join(one.rules)
    return f"{one.where.file}:{one.where.line}: {rules}{of}{until}: {one.reason or 'no reason'}"


def _table(table: TableChange, review: Review, notes: bool, suppressed: bool) -> Iterator[str]:
    yield from _wrapped(_title(table), "")
    yield from _limited(_rows(table.differences))
    yield from _limited(_per_kernel(table.linux, "Linux", review))
    yield from _limited(_per_kernel(table.selection, f"{review.governor} on Linux", review))
    if table.machines is not None:
        yield from _limited(entries(table.machines, review.governor))
    yield from _findings("new", table.outcome.new, review, notes)
    yield from _findings("fixed", table.outcome.fixed, review, notes)
    if suppressed:
        for finding in table.outcome.silenced:
            text = f"suppressed now: {_tag(finding)}: {finding.suppressed}"
            yield from _wrapped(printable(text), "  ")


def _title(table: TableChange) -> str:
    before, after = table.before, table.after
    name = printable(f"{table.source.name} ({table.source.file})")
    if before is None:
        return f"{name}, added"
    if after is None:
        return f"{name}, removed"
    notes = []
    if before.name != after.name:
        notes.append(f"was {printable(before.name)}")
    if before.file != after.file:
        notes.append(f"moved from {printable(before.file)}")
    return ", ".join([name, *notes])


def _rows(differences: Sequence[Difference]) -> Iterator[str]:
    """One entry for a state, with all its fields."""
    by_state: dict[str, list[str]] = {}
    for difference in differences:
        stage, path = difference.stage, difference.path
        if stage == "table" and path.startswith("states."):
            name, _, field = path.removeprefix("states.").partition(".")
            label = f"{field} " if field else ""
        else:
            on_machine = stage == "export" and path.startswith("on ")
            name = "firmware exports" if stage == "export" else path
            name += f" {path}" if on_machine else ""
            label = "" if on_machine or path in ("states", "order") else f"{path} "
        by_state.setdefault(name, []).append(f"{label}{difference.a} -> {difference.b}")
    for name, parts in by_state.items():
        yield f"{name}: {', '.join(parts)}"


def _per_kernel(groups: Iterable[PerKernel], what: str, review: Review) -> Iterator[str]:
    """One entry for kernels with the same differences."""
    for group in groups:
        kernels = kernel_ranges(group.kernels, review.kernels)
        said = [f"{d.path.removeprefix('states.')}: {d.a} -> {d.b}" for d in group.differences]
        more = len(said) - SHOWN
        rest = [f"and {more} more, see --format json"] if more > 0 else []
        yield f"{what} {kernels}: {'; '.join([*said[:SHOWN], *rest])}"


def _findings(
    label: str, findings: Iterable[Finding], review: Review, notes: bool
) -> Iterator[str]:
    shown = [f for f in findings if f.counts and (notes or f.severity is not Severity.NOTE)]
    hidden = sum(f.counts for f in findings) - len(shown)
    entries = []
    for finding in shown:
        kernels = kernel_ranges(finding.kernels, review.kernels) if finding.kernels else ""
        where = finding.location
        place = f"{where.file}:{where.line}: " if where.line is not None else ""
        on = f" (on Linux {kernels})" if kernels else ""
        head = f"{label} " if label else ""
        if label == "fixed":
            place = ""
        entries.append(f"{head}{_tag(finding)}: {place}{finding.message}{on}")
    yield from _limited(entries)
    if hidden:
        yield f"  {label} {plural(hidden, 'note')}, --notes shows them"


def _tag(finding: Finding) -> str:
    return f"{finding.severity} {finding.rule} {finding.name}"


def _limited(entries: Iterable[str]) -> Iterator[str]:
    everything = list(entries)
    for entry in everything[:SHOWN]:
        yield from _wrapped(printable(entry), "  ")
    if len(everything) > SHOWN:
        yield f"  and {len(everything) - SHOWN} more, see --format json"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _short(name: str) -> str:
    return name[:9] or "nothing"
