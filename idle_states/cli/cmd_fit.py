"""Fits exit latencies and target residencies to measurements, and holds what is advertised against
them: by --table, or by what the measured machine said of itself.

MEASURED is a file or directory of what measured: `idle-states measure`, wult, rtla, cyclictest, the
kernel's latency test and others, told by their content. STATE=FILE says which state a file is of
that does not say it, STATE@US=FILE how long it was from one wake-up to the next besides, busy=FILE
that the CPU was kept awake: what measuring takes by itself, whose middle is subtracted from the
others.

The exit latency is a quantile of the wake-ups, with the interval of order statistics. Too few
wake-ups for a quantile, or a mean alone, are refused. under-stated: the interval's lower bound is
above the advertised latency; over-stated: its upper bound is below half of it.

Exits 1 if a state is under-stated, also where a spec is written that is not."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

    from ..fit.request import FitRequest, FitResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from typing import get_args

    from ..measured import WokenBy
    from .options import add_html, add_platform

    parser.add_argument(
        "measured", metavar="MEASURED", nargs="+", help="[STATE[@US]=]FILE, busy=FILE"
    )
    parser.add_argument(
        "--table",
        metavar="T",
        help="what is advertised: a TABLE as of check (default: that of the x86 machine that "
        "--platform names, else what the measured machine said of itself)",
    )
    parser.add_argument(
        "--quantile",
        metavar="PERCENT",
        default="99.99",
        help="of the wake-ups, that an exit latency is to be (default: 99.99)",
    )
    parser.add_argument(
        "--confidence", metavar="PERCENT", default="95", help="of intervals (default: 95)"
    )
    parser.add_argument(
        "--residency",
        metavar="N",
        type=int,
        help="target residency: N times the fitted exit latency, where no energy was measured",
    )
    parser.add_argument(
        "--awake",
        metavar="US",
        default="0",
        help="how long a CPU is awake for each wake-up while energy is measured (default: 0)",
    )
    parser.add_argument(
        "--period",
        metavar="US",
        help="time between wake-ups, of files without it: STATE@US=FILE says it of one",
    )
    parser.add_argument(
        "--woken-by",
        choices=get_args(WokenBy),
        help="what ended the idle periods, of files that do not say it",
    )
    parser.add_argument(
        "--kernel", metavar="K", help="Linux release that numbers the states (default: the newest)"
    )
    add_platform(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "-o", "--output", metavar="SPEC", help="write the table with the fitted values as a spec"
    )
    parser.add_argument(
        "--tree", metavar="DIR", help="with -o: make the patch for this tree of skiboot, beside it"
    )
    add_html(parser)


def request(arguments: argparse.Namespace) -> "FitRequest":
    """Raises UsageError, UnknownRelease, BadPlatform."""
    from ..findings import UsageError
    from ..fit.importing.output import Told
    from ..fit.request import FitRequest, measured_input, period_of
    from .options import kernel, machine_table, platform

    table = arguments.table or machine_table(arguments)
    if arguments.output and table is None:
        raise UsageError("expected --table with -o: a spec needs more than latencies")
    if arguments.tree and not arguments.output:
        raise UsageError("expected -o SPEC with --tree: the patch is made of the spec")
    period = None if arguments.period is None else period_of(arguments.period)
    told = Told(period_ns=period, woken_by=arguments.woken_by)
    return FitRequest(
        tuple(measured_input(word, told) for word in arguments.measured),
        kernel(arguments),
        table,
        _decimal(arguments.quantile, "a quantile in percent"),
        _decimal(arguments.confidence, "a confidence in percent"),
        arguments.residency,
        float(1000 * _decimal(arguments.awake, "a time awake in us")),
        platform(arguments),
    )


def run(arguments: argparse.Namespace) -> int:
    from ..fit.request import fit
    from ..report import fit_text, printer
    from ..report.documents.fit import Fit
    from ..report.json_output import envelope
    from ..report.style import Style
    from .options import output

    asked = request(arguments)
    found = fit(asked)
    if arguments.format == "json":
        printer.document(envelope("fit", Fit, found, found.inputs, [asked.kernel]))
    else:
        printer.text(fit_text.text(found, Style.of()))
    if arguments.html:
        from ..report.html import fit as page

        title = f"{asked.table or 'Measured'}: advertised against measured"
        shown = page.sections(found)
        output(arguments).page("fit", title, shown, found.inputs, page.headline(found))
    if arguments.output:
        _spec(found, arguments)
    return int(found.contradicted)


def _spec(found: "FitResult", arguments: argparse.Namespace) -> None:
    """Writes the spec, and the patch that it makes of a tree."""
    from pathlib import Path

    from ..files import write_file
    from ..fit.spec import fitted_table, kept
    from ..spec.write import write
    from .options import say

    file = Path(arguments.output)
    write_file(file, write(fitted_table(found)))
    for state in found.states:
        for said in kept(state):
            say(said)
    spec = file.as_posix() if "/" in file.as_posix() else f"./{file}"
    if not arguments.tree:
        say(f"a patch of it: idle-states patch {spec} --tree DIR")
        return
    from . import cmd_patch, command_parser

    words = [spec, "--tree", arguments.tree, "-o", file.parent.as_posix()]
    cmd_patch.run(command_parser("patch").parse_args(words))


def _decimal(text: str, what: str) -> "Decimal":
    from decimal import Decimal, InvalidOperation

    from ..findings import UsageError

    try:
        value = Decimal(text)
    except InvalidOperation:
        raise UsageError(f"expected {what}, found {text!r}") from None
    if not value.is_finite():
        raise UsageError(f"expected {what}, found {text!r}")
    return value
