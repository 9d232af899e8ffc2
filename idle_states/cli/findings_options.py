"""Options of the commands whose result is findings, and what becomes of the findings."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..check.baseline import Baseline
    from ..check.config import Accepted
    from ..findings import Finding


def add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--select",
        metavar="RULES",
        action="append",
        default=[],
        help="only these rules, by code or its beginning: IS203,IS4",
    )
    parser.add_argument(
        "--ignore", metavar="RULES", action="append", default=[], help="not these rules"
    )


def add_accepted(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--baseline", metavar="FILE", help="findings in this file count as suppressed"
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="suppressions: setup.cfg with a section [idle-states] (default: the one here, or the "
        "nearest above within the repository; none: no suppressions)",
    )


def add_severities(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning", "note"),
        default="error",
        help="exit 1 if there are findings as bad as this (default: error)",
    )
    parser.add_argument("--notes", action="store_true", help="show notes too")


def add_report(parser: argparse.ArgumentParser) -> None:
    from .options import add_output

    add_severities(parser)
    parser.add_argument(
        "--suppressed", action="store_true", help="show suppressed findings with their reasons"
    )
    parser.add_argument(
        "--format", choices=("text", "json", "sarif", "github", "junit"), default="text"
    )
    add_output(parser)


def accepted(
    arguments: argparse.Namespace,
    findings: "Sequence[Finding]",
    tables: Iterable[tuple[str, str]],
    texts: dict[str, str],
) -> "list[Finding]":
    """The findings, those of the configuration and the baseline marked as suppressed.

    tables: (name, file) of all that was checked. Adds the configuration's text to texts.
    """
    from ..check.accepted import accept, today
    from ..reading import opening

    found = list(findings)
    path, entries = _configured(arguments)
    if path is not None:
        found = accept(found, entries, tables, today())
        texts.setdefault(path.as_posix(), opening.read_text(path))
    baseline = _baseline(arguments)
    return found if baseline is None else baseline.apply(found)


def marking(arguments: argparse.Namespace) -> "Callable[[Sequence[Finding]], list[Finding]]":
    """The same for one input of many, where nothing can be said of unused suppressions."""
    from ..check.accepted import mark, today

    _, entries = _configured(arguments)
    baseline, day = _baseline(arguments), today()

    def apply(findings: "Sequence[Finding]") -> "list[Finding]":
        found = mark(findings, entries, day) if entries else list(findings)
        return found if baseline is None else baseline.apply(found)

    return apply


def _configured(arguments: argparse.Namespace) -> "tuple[Path | None, tuple[Accepted, ...]]":
    """The configuration and its suppressions. Raises Unreadable."""
    from ..check.config import find, read

    if arguments.config == "none":
        return None, ()
    path = Path(arguments.config) if arguments.config else find(Path.cwd())
    if path is None:
        return None, ()
    if path.parent == Path.cwd():
        path = Path(path.name)
    return path, read(path)


def _baseline(arguments: argparse.Namespace) -> "Baseline | None":
    """What --baseline names. Raises Unreadable, OSError."""
    from ..check.baseline import read

    return read(Path(arguments.baseline)) if arguments.baseline else None


def text(
    arguments: argparse.Namespace,
    findings: "Sequence[Finding]",
    texts: Mapping[str, str],
    what: str,
) -> str:
    """Findings for people, with a closing line that says what was looked at."""
    from ..report.findings_text import render, summary
    from ..report.style import Style

    style = Style(False) if arguments.output else Style.of()
    notes = arguments.notes or arguments.fail_on == "note"
    body = render(findings, texts, style, notes=notes, suppressed=arguments.suppressed)
    line = summary(findings, what, style, notes=notes)
    return f"{body}{chr(10) if body else ''}{line}\n"


def status(arguments: argparse.Namespace, findings: "Iterable[Finding]") -> int:
    """1 if a finding that counts is as bad as --fail-on."""
    from ..findings import Severity, worst

    worst_found = worst(findings)
    return int(worst_found is not None and worst_found >= Severity[arguments.fail_on.upper()])
