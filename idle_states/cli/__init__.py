"""The command line: one module per sub-command, found by looking into this directory.

A module cmd_NAME.py has SUMMARY (one line), add_arguments(parser) and run(arguments) -> exit
status. Modules import what they need inside run(), so that --help stays quick.
"""

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from .. import __version__

CLEAN, FOUND, USAGE, UNREADABLE = 0, 1, 2, 3

_EPILOG = """\
exit status: 0 clean; 1 findings at or above --fail-on, or a difference; 2 usage;
3 input that cannot be parsed at all, or a missing external program

A TABLE is a revision (see idle-states list) or a file: spec YAML, skiboot C or a whole tree of it,
skiboot.lid, dtb, dts, a directory like /proc/device-tree or a tar archive of one, a dump of cpuidle
sysfs. FILE:NAME picks one table of several.
"""


def command_names() -> list[str]:
    return sorted(file.stem[4:] for file in Path(__file__).parent.glob("cmd_*.py"))


def command(name: str) -> ModuleType:
    return importlib.import_module(f"{__package__}.cmd_{name}")


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The whole parser, or one that knows a single sub-command (which is quicker to build)."""
    top = argparse.ArgumentParser(
        prog="idle-states",
        description="OpenPOWER idle-state tables, followed from the spec to what Linux registers.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"idle-states {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in [only] if only else command_names():
        module = command(name)
        sub = commands.add_parser(
            name,
            help=module.SUMMARY,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(sub)
        sub.set_defaults(run=module.run)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # names from the field may hold what the terminal's encoding does not
            stream.reconfigure(errors="backslashreplace")
    only = words[0] if words and words[0] in command_names() else None
    arguments = parser(only).parse_args(words)
    try:
        status = int(arguments.run(arguments))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # the reader has gone away, as with | head; nothing is left to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLEAN
    except KeyboardInterrupt:
        print("idle-states: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        from .failures import report

        return report(error)
