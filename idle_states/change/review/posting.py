"""The mailing of reviewed patches: the version of their series, the changes since the one before,
and the cover letter."""

from ...base.model.findings import UsageError
from ..patches.mail import Posting
from ..patches.plan import Plan
from ..patches.request import MailOptions
from . import choices
from . import words as words
from .planned import PreviousVersion, since
from .result import Review


def previous_of(made: Plan, options: MailOptions) -> PreviousVersion | None:
    """Returns the version that was mailed before. Raises UsageError, Unreadable, OSError."""
    if not options.previous:
        return None
    found = since(made, options.previous)
    version = options.reroll_count
    if version is not None and version <= found.version:
        raise UsageError(
            f"expected -v {found.version + 1} or later, {options.previous} being version "
            f"{found.version}, found {version}"
        )
    return found


def posting_of(found: Review, previous: PreviousVersion | None, options: MailOptions) -> Posting:
    """Returns how the patches of a review are mailed."""
    before = previous.version if previous else (options.reroll_count or 1) - 1
    return Posting(
        options.signoff,
        options.reroll_count or before + 1,
        before,
        (*options.changes.strip().splitlines(), *(previous.changes if previous else ())),
        _summary(found) if options.cover_letter else None,
    )


def _summary(found: Review) -> str:
    """Returns the review's summary of the patches, for a cover letter."""
    lines = [*words.wrapped(f"Reviewed: {words.verdict(found)}")]
    for finding in found.new:
        if finding.counts:
            lines += words.wrapped(words.sentence(finding, found), "  ")
    for change in found.changes:
        for choice in change.choices:
            lines += words.wrapped(f"another table is chosen: {choices.in_words(choice)}", "  ")
        for table in change.tables:
            for text in words.per_kernel(table.linux, "Linux", found):
                lines += words.wrapped(f"{table.source.name}: {text}", "  ")
    return "".join(f"{line}\n" for line in lines)
