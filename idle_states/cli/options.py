"""Options that several commands share, and what they mean."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..linux.releases import Release
    from ..rules.engine import Selection
    from ..skiboot.platform import Platform


def add_kernels(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--kernel",
        metavar="K",
        action="append",
        default=[],
        help=f"Linux release: 4.11, debian-6.1.192, all; may be repeated (default: {default})",
    )


def add_platform(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--platform",
        metavar="P",
        default="all-levels",
        help="op920, rainier, mambo, qemu-powernv8, qemu-powernv9, qemu-powernv10, no-homer, awan, "
        "all-levels, or key=value,... (default: all-levels)",
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_output(parser)


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write there instead of standard output"
    )


def kernels(arguments: argparse.Namespace, default: Sequence[str]) -> "list[Release]":
    """Releases asked for, each once, in the order given. Raises UnknownRelease."""
    from ..linux.releases import all_releases, release

    names: list[str] = []
    for text in arguments.kernel or default:
        names += text.split(",")
    found: list[Release] = []
    for name in names:
        found += all_releases() if name == "all" else [release(name)]
    for taken in dict.fromkeys(found):
        if taken.note:
            print(f"idle-states: kernel {taken.name} is {taken.note}", file=sys.stderr)
    return list(dict.fromkeys(found))


def platform(arguments: argparse.Namespace) -> "Platform":
    """Raises BadPlatform, UnknownSkiboot."""
    from ..skiboot.platform import parse_platform
    from ..skiboot.releases import skiboot_features

    chosen = parse_platform(arguments.platform)
    skiboot_features(chosen.skiboot)
    return chosen


def selection(arguments: argparse.Namespace) -> "Selection":
    """--select and --ignore. Raises UsageError for something that is no rule."""
    from ..rules.catalogue import known_codes
    from ..rules.engine import Selection

    chosen: list[tuple[str, ...]] = []
    for texts in (arguments.select, arguments.ignore):
        codes = tuple(code for text in texts for code in text.split(",") if code)
        for code in codes:
            if not any(known.startswith(code) for known in known_codes()):
                raise UsageError(f"expected a rule or the beginning of one, found {code!r}")
        chosen.append(codes)
    return Selection(*chosen)


def emit(arguments: argparse.Namespace, text: str | bytes) -> None:
    """To --output, written beside and renamed, or to standard output."""
    if arguments.output:
        write_file(Path(arguments.output), text)
    elif isinstance(text, bytes):
        sys.stdout.buffer.write(text)
    else:
        sys.stdout.write(text)


def write_file(path: Path, content: str | bytes) -> None:
    """Whole or not at all: written beside the target and renamed. Raises OSError."""
    import os
    import tempfile

    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


class UsageError(Exception):
    """A command line that cannot be meant: exit status 2."""
