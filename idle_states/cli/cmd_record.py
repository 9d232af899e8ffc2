"""Records what a running kernel's governor is given, decides and experiences.

Prints a shell script to run on the machine in question, as root:

    idle-states record --seconds 10 > record.sh
    sh record.sh > recording.txt            (there)
    idle-states record --convert recording.txt -o recording.csv

--convert makes of its output an exact recording, as conform, replay, simulate and tune do
themselves where they are given it as it is. Decisions that were not recorded completely are left
out, and counted on standard error; there is said, too, which command holds the recording against
the governor's model. Its head, in lines that begin with #, says kernel, HZ, governor and states, so
that neither conform nor replay has to be told.

Utilisation is not recorded: of the governors, only teo of 6.3 to 6.10 asks for it, and the script
refuses teo before 6.14."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_output

    parser.add_argument(
        "--arch",
        metavar="A",
        help="ppc64le, x86-64 or arm64: run there only (default: the script finds out)",
    )
    parser.add_argument(
        "--governor", metavar="G", help="menu, ladder or teo from 6.14 on (default: menu)"
    )
    parser.add_argument("--seconds", metavar="N", type=int, help="duration (default: 10)")
    parser.add_argument(
        "--buffer",
        metavar="KIB",
        type=int,
        help="memory per CPU; a decision takes about half a KiB (default: 4096)",
    )
    parser.add_argument(
        "--restart-governor",
        action="store_true",
        help="switch to another governor and back first: its memory is known then, namely empty",
    )
    parser.add_argument("--convert", metavar="RECORDING", help="- for standard input")
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    return _convert(arguments) if arguments.convert is not None else _script(arguments)


def _script(arguments: argparse.Namespace) -> int:
    from ..record.script import archs, script
    from .options import output

    text = script(
        "menu" if arguments.governor is None else arguments.governor,
        archs(arguments.arch),
        10 if arguments.seconds is None else arguments.seconds,
        4096 if arguments.buffer is None else arguments.buffer,
        arguments.restart_governor,
    )
    output(arguments).document(text)
    return 0


def _convert(arguments: argparse.Namespace) -> int:
    from ..findings import UsageError
    from ..reading.inputs import Input
    from ..record.convert import convert
    from ..record.summary import lines
    from ..report.escapes.text import printable_lines
    from .options import output, say

    given = (arguments.arch, arguments.governor, arguments.seconds, arguments.buffer)
    if arguments.restart_governor or any(value is not None for value in given):
        raise UsageError("expected --convert alone; the other options are the script's")
    converted = convert(Input(arguments.convert))
    # a machine's own texts are in its head
    output(arguments).document(printable_lines(converted.csv()))
    for line in lines(converted, arguments.convert, arguments.output):
        say(line)
    return 0
