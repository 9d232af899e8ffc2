"""Options that several commands share, and what they mean."""

import argparse
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..dataclass import dataclass
from ..findings import UsageError

if TYPE_CHECKING:
    from ..linux.platforms import AnyPlatform
    from ..linux.releases import Release
    from ..report.html.page import Section
    from ..report.style import Style


TABLE_HELP = "revision, file, intel:NAME; may be left out where --platform is an x86 machine"


def add_kernels(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--kernel",
        metavar="K",
        action="append",
        default=[],
        help="Linux release: 4.11, 6.6.93, debian-6.1.192, a machine's uname -r, all; may be "
        f"repeated (default: {default})",
    )


def add_platform(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--platform",
        metavar="P",
        default="all-levels",
        help="op920, rainier, mambo, qemu-powernv8, qemu-powernv9, qemu-powernv10, no-homer, awan, "
        "all-levels, or key=value,..., such as psci-mode=pc, Arm without OS-initiated mode; an x86 "
        "machine and intel_idle's parameters: skx, spr,pc6=off,acpi=c1:c6,max_cstate=2 "
        "(default: all-levels)",
    )


def add_hz(parser: argparse.ArgumentParser, *, recorded: bool = False) -> None:
    """recorded: None where it is not given, for a recording's head."""
    default, words = (None, "the recording's, else 250") if recorded else (250, "250")
    parser.add_argument(
        "--hz", metavar="N", type=int, default=default, help=f"HZ (default: {words})"
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_output(parser)


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=lambda file: None if file == "-" else file,
        help="write there instead of standard output",
    )


def add_html(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--html", metavar="FILE", help="write a page with pictures too, complete in itself"
    )


@dataclass(frozen=True, slots=True)
class Output:
    """Where a result goes, and in which form.

    file  instead of standard output; html: a page with pictures beside it
    """

    format: str = "text"
    file: str | None = None
    html: str | None = None

    @property
    def style(self) -> "Style":
        """Of text for people."""
        from ..report.style import Style

        return Style(False) if self.file else Style.of()

    def document(self, content: str | bytes) -> None:
        """A result for programs; a file is written beside and renamed."""
        from ..report import printer

        printer.document(content, self.file)

    def text(self, content: str) -> None:
        """A result for people."""
        from ..report import printer

        printer.text(content, self.file)

    def page(
        self,
        command: str,
        title: str,
        sections: "Iterable[Section]",
        inputs: Iterable[tuple[str, str]],
        headline: Sequence[str],
    ) -> None:
        """Writes the page of --html, which must have been given. Raises OSError."""
        from ..files import write_file
        from ..report.html import page

        assert self.html
        write_file(Path(self.html), page.render(command, title, sections, inputs, headline))


def output(arguments: argparse.Namespace) -> Output:
    """What add_format(), add_output() and add_html() were given."""
    given = vars(arguments)
    return Output(given.get("format", "text"), arguments.output, given.get("html"))


def kernel(arguments: argparse.Namespace) -> "Release":
    """The one release asked for. Raises UsageError, UnknownRelease."""
    from ..linux.releases import NEWEST

    found = _releases([arguments.kernel or NEWEST], None)
    if len(found) != 1:
        raise UsageError(f"expected one kernel, found {arguments.kernel!r}")
    return found[0]


def kernels(
    arguments: argparse.Namespace, default: Sequence[str], governor: str | None = None
) -> "list[Release]":
    """Releases asked for, each once, in the order given; of all, those that have the governor.

    Raises UnknownRelease.
    """
    return _releases(arguments.kernel or default, governor)


def _releases(texts: Iterable[str], governor: str | None) -> "list[Release]":
    from ..linux.releases import PRESETS, release

    names: list[str] = []
    for text in texts:
        # a line of /proc/version has commas of its own
        names += [text] if " " in text else text.split(",")
    found: list[Release] = []
    for name in dict.fromkeys(names):
        found += _all(governor) if name == "all" else [release(name)]
    for taken in dict.fromkeys(found):
        if taken.note and taken.name not in PRESETS:
            say(f"kernel {taken.name} is {taken.note}")
    return list(dict.fromkeys(found))


def _all(governor: str | None) -> "list[Release]":
    """All releases that have the governor; says which are skipped."""
    from ..linux.governors import governor_names, known_in
    from ..linux.releases import all_releases

    releases = list(all_releases())
    if governor not in governor_names():
        return releases
    lacking = [release for release in releases if not known_in(governor, release)]
    if lacking:
        names = ", ".join(release.name for release in lacking)
        say(f"kernels without {governor} are skipped: {names}")
    return [release for release in releases if release not in lacking]


def state_numbers(text: str) -> list[int]:
    """Numbers of 2,3. Raises UsageError."""
    words = [word for word in text.split(",") if word]
    if not all(re.fullmatch(r"\d{1,3}", word, re.ASCII) for word in words):
        raise UsageError(f"expected numbers of states such as 2,3, found {text!r}")
    return [int(word) for word in words]


def platform(arguments: argparse.Namespace) -> "AnyPlatform":
    """Raises BadPlatform, UnknownSkiboot."""
    from ..linux.platforms import firmware_of, parse
    from ..skiboot.releases import skiboot_features

    chosen = parse(arguments.platform)
    skiboot_features(firmware_of(chosen).skiboot)
    return chosen


def table_or_machine(arguments: argparse.Namespace) -> str:
    """TABLE, or without one intel_idle's table of the machine that --platform names.
    Raises UsageError, BadPlatform."""
    if arguments.table is not None:
        return str(arguments.table)
    if (table := machine_table(arguments)) is None:
        raise UsageError("expected TABLE, or an x86 machine such as skx as --platform")
    return table


def machine_table(arguments: argparse.Namespace) -> str | None:
    """intel_idle's table of the x86 machine that --platform names, as TABLE; None for others.
    Raises BadPlatform also where the platform would then not be asked for."""
    from ..linux.intel_idle import PREFIX
    from ..skiboot.platform import Platform

    if isinstance(platform(arguments), Platform):
        return None
    from ..linux.intel_idle.platform import names

    machine = arguments.platform.partition(",")[0]
    return f"{PREFIX}{arguments.platform}" if machine in names() else None


def say(message: str) -> None:
    """A line on standard error."""
    from ..report import printer

    printer.say(message)
