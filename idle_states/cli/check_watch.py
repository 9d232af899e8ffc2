"""check --watch: an answer at each save, which says what changed against the one before."""

from collections.abc import Callable, Iterator
from os.path import dirname
from typing import TYPE_CHECKING

from ..base.dataclass import replace

if TYPE_CHECKING:
    from ..tables.check.answer import Checked
    from ..tables.check.request import CheckRequest
    from .shown import Shown


def watch(
    request: "CheckRequest",
    show: "Shown",
    report: "Callable[[Checked], int]",
    status_of: "Callable[[Checked], int]",
) -> int:
    """Prints the answer and, until it is interrupted, what changes at each save.

    report     prints a whole answer, and returns its exit status
    status_of  returns the exit status of an answer
    Returns the exit status of the last answer.
    """
    from ..base.reading.watching import SaveWatch
    from ..base.report import printer
    from ..tables.check.answer import check
    from .failures import report as failed
    from .values import say

    watched = SaveWatch(request.tables)
    found = check(request)
    status = report(found)
    printer.flush()
    watched.extend(_read(request, found))
    try:
        say("waiting until a file is saved; Ctrl-C ends")
        while True:
            saved = watched.saved()
            # what is read once for a request, such as the configuration, is read again
            request = replace(request, acceptance=replace(request.acceptance))
            try:
                later = check(request)
            except Exception as error:
                if isinstance(error.__cause__, KeyboardInterrupt):
                    return status
                status = failed(error, ("check", *request.tables))
                continue
            status = status_of(later)
            if text := _difference(request, show, found, later, saved):
                printer.text(text)
                printer.flush()
            found = later
            watched.extend(_read(request, found))
    except KeyboardInterrupt:
        return status


def _read(request: "CheckRequest", found: "Checked") -> Iterator[str]:
    """The files that an answer was made of, and the directories in which others may come."""
    files = dict.fromkeys([*(source.file for source in found.sources), *found.texts])
    yield from files
    if found.what:
        yield from dict.fromkeys(dirname(file) or "." for file in files)
    configuration = request.acceptance.configuration()
    yield from [configuration.file] if configuration else []
    yield from [request.acceptance.baseline] if request.acceptance.baseline else []


def _difference(
    request: "CheckRequest", show: "Shown", before: "Checked", after: "Checked", saved: list[str]
) -> str:
    """The difference for people; "" where only the names in a directory changed."""
    from ..base.report.findings_text import render, shown, summary
    from ..base.report.style import Style
    from ..tables.check.changed import changed

    style = Style.of()
    chosen = {"notes": show.notes, "suppressed": show.suppressed}
    found = changed(shown(before.findings, **chosen), shown(after.findings, **chosen))
    files = [name for name in saved if name in after.texts or name in request.tables]
    if not (files or found.new or found.changed or found.fixed):
        return ""
    parts = [f"--- {', '.join(saved)} saved\n"]
    for word, findings in (("new", found.new), ("changed", found.changed)):
        if findings:
            parts += [
                f"{word}:\n",
                render(findings, after.texts, style, notes=True, suppressed=True),
            ]
    if found.fixed:
        gone = [replace(each, related=(), kernels=()) for each in found.fixed]
        blocks = render(gone, {}, style, notes=True, suppressed=True)
        parts += ["fixed:\n", blocks.replace("\n\n", "\n")]
    line = summary(after.findings, after.size, style, notes=show.notes)
    return "".join(parts) + f"{line}; {found.counts}\n"
