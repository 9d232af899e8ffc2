"""Shows which state a kernel's governor selects in the long run, as exact ranges of idle lengths:
ended by timers or interrupts, with the tick running or stopped, under each latency limit; for
ladder, which idles lead from state to state. With several kernels, or another table, shows only
what they change for the first one, and exits 1 if there is any.

Every idle period is like the one before. 2 to 9 us ends before 10 us; lengths with decimals are
exact to the nanosecond. A tick that is kept ends an idle period longer than it; snooze is taken to
last as long as the idle period does."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..selection.request import SelectRequest
    from ..selection.selection import Asked


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .governor_options import add_governor
    from .options import add_format, add_html

    parser.add_argument("table", metavar="TABLE", nargs="?", help="revision or file")
    parser.add_argument("--against", metavar="TABLE", help="what this table changes")
    add_governor(parser, kernels=True)
    for option, default, text in (
        ("--latency-limit", "none", "PM QoS latency limit in us"),
        ("--next-timer", "10 s", "map idles ended by an interrupt, the next timer US away"),
        ("--idle", "none", "map the next timer, for idles that an interrupt ends after US"),
    ):
        parser.add_argument(
            option,
            metavar="US",
            type=int,
            action="append",
            default=[],
            help=f"{text}; may be repeated (default: {default})",
        )
    parser.add_argument(
        "--wake",
        metavar="NS",
        type=int,
        default=0,
        help="what waking adds to the measured idle, to find ranges that lock in",
    )
    parser.add_argument(
        "--plot", metavar="FILE", help="draw the maps too: .svg or .png (needs matplotlib)"
    )
    add_html(parser)
    add_format(parser)


def request(arguments: argparse.Namespace) -> "SelectRequest":
    """Raises UsageError, UnknownRelease, BadPlatform, UnknownSkiboot."""
    from ..findings import UsageError
    from ..linux.releases import NEWEST
    from ..selection.request import SelectRequest
    from .governor_options import governor
    from .options import kernels

    if arguments.against and arguments.table is None:
        raise UsageError("expected --against with a table, not with --states")
    asked = _asked(arguments)
    releases = kernels(arguments, [NEWEST], arguments.governor)
    of = governor(arguments, arguments.table)
    return SelectRequest(of, tuple(releases), asked, arguments.against)


def run(arguments: argparse.Namespace) -> int:
    from ..report import select_changes, select_domains, select_output
    from ..report.documents.select import Select, with_changes
    from ..report.json_output import envelope
    from ..selection.request import journeys, selections
    from .missing_core import note_missing_core, of_selection
    from .options import output, say

    asked, out, plot = request(arguments), output(arguments), arguments.plot
    note_missing_core(lambda: of_selection(asked))
    _check_plot(plot)
    found = selections(asked, say)
    first, changed = found.first, found.changed
    if plot:
        from pathlib import Path

        from ..files import write_file
        from ..report.select_plot import picture

        write_file(Path(plot), picture(found.selections, plot.rpartition(".")[2]))
    if out.html:
        from ..report.html import select

        sources = found.sources
        sections = select.sections(found.selections, changed, journeys(asked, sources))
        inputs = [(source.file, source.sha256) for source in sources]
        headline = select.headline(found.selections, changed)
        out.page("select", select.title(found.selections), sections, inputs, headline)
    if out.format == "json":
        inputs = [(source.file, source.sha256) for source in found.sources]
        out.document(envelope("select", Select, with_changes(first, changed), inputs))
    else:
        text = select_changes.text(first, changed, out.style) if changed else None
        of_domains = select_domains.text(found.selections, out.style)
        out.text((text or select_output.text(first, out.style)) + of_domains)
    return int(any(maps or other.domains != first.domains for other, maps in changed))


def _asked(arguments: argparse.Namespace) -> "Asked":
    from ..findings import UsageError
    from ..linux.governors.settling import FAR_NS, NO_LIMIT_US
    from ..selection.selection import Asked

    far_us = FAR_NS // 1000
    for option, values, first, last in (
        ("--latency-limit", arguments.latency_limit, 0, NO_LIMIT_US),
        ("--next-timer", arguments.next_timer, 1, far_us - 1),
        ("--idle", arguments.idle, 0, far_us - 1),
        ("--wake", [arguments.wake], 0, FAR_NS),
    ):
        for value in values:
            if not first <= value <= last:
                raise UsageError(f"expected {option} from {first} to {last}, found {value}")
    return Asked(
        tuple(dict.fromkeys(arguments.latency_limit)) or (NO_LIMIT_US,),
        tuple(sorted({value * 1000 for value in arguments.next_timer})),
        tuple(sorted({value * 1000 for value in arguments.idle})),
        arguments.wake,
    )


def _check_plot(file: str | None) -> None:
    from ..findings import UsageError

    if file is not None and not file.endswith((".svg", ".png")):
        raise UsageError(f"expected --plot FILE.svg or FILE.png, found {file!r}")
    if file is not None:
        from ..report.select_plot import require

        require()
