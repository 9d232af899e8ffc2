"""Options of the commands whose result is findings, and what becomes of the findings."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from ..dataclass import dataclass, replace
from ..findings import Finding, Severity, UsageError, worst
from ..reading.unexpected import failed
from ..wording import joined
from .options import add_kernels, add_output, add_platform, kernels, platform, say
from .status import UNREADABLE

if TYPE_CHECKING:
    from ..audit.request import AuditRequest
    from ..check.acceptance import Acceptance
    from ..check.config import Configuration
    from ..check.criteria import Criteria
    from ..check.request import CheckRequest
    from ..report.style import Style
    from ..rules.engine import RuleSelection

_Request = TypeVar("_Request", "CheckRequest", "AuditRequest")


def add_criteria(
    parser: argparse.ArgumentParser,
    default: str = "the long-term releases, the newest, and two of Debian's",
) -> None:
    """default: the kernels where none is given, in words."""
    add_kernels(parser, default)
    add_platform(parser)
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


def add_accepted(parser: argparse.ArgumentParser, *, revision: bool = True) -> None:
    """revision: whether the configuration may be a revision's."""
    parser.add_argument(
        "--baseline", metavar="FILE", help="findings in this file count as suppressed"
    )
    one = parser.add_mutually_exclusive_group()
    one.add_argument(
        "--config",
        metavar="FILE",
        help="setup.cfg with a section [idle-states], or pyproject.toml with [tool.idle-states] "
        "(default: the one here, or the nearest above within the repository; none: none)",
    )
    if revision:
        one.add_argument(
            "--config-from",
            metavar="REVISION",
            help="configuration and baseline as a revision of the repository has them, for a "
            "checkout of somebody else's change; what differs in the first is a finding",
        )


def add_fail_on(
    parser: argparse.ArgumentParser, what: str = "exit 1 if there are findings as bad as this"
) -> None:
    parser.add_argument(
        "--fail-on",
        choices=("error", "warning", "note"),
        default="error",
        help=f"{what} (default: error)",
    )


def add_severities(parser: argparse.ArgumentParser) -> None:
    add_fail_on(parser)
    parser.add_argument("--notes", action="store_true", help="show notes too")


def add_report(parser: argparse.ArgumentParser, more: Sequence[str] = ()) -> None:
    """more: forms of the output that the command has besides."""
    add_severities(parser)
    parser.add_argument(
        "--suppressed", action="store_true", help="show suppressed findings with their reasons"
    )
    parser.add_argument(
        "--format", choices=("text", *more, "json", "sarif", "github", "junit"), default="text"
    )
    add_output(parser)


def criteria(arguments: argparse.Namespace) -> "Criteria":
    """What add_criteria() was given. Raises UsageError, UnknownRelease, BadPlatform,
    UnknownSkiboot."""
    from ..check.criteria import Criteria
    from ..linux.releases import DEFAULT

    found = tuple(kernels(arguments, DEFAULT))
    return Criteria(found, platform(arguments), selection(arguments))


def selection(arguments: argparse.Namespace) -> "RuleSelection":
    """--select and --ignore; says where the latter alone leaves no rule. Raises UsageError for
    something that is no rule, and where none is left of those selected."""
    from ..rules.catalogue import known_codes
    from ..rules.engine import RuleSelection

    chosen: list[tuple[str, ...]] = []
    for texts in (arguments.select, arguments.ignore):
        codes = tuple(code for text in texts for code in text.split(",") if code)
        for code in codes:
            if not any(known.startswith(code) for known in known_codes()):
                raise UsageError(f"expected a rule or the beginning of one, found {code!r}")
        chosen.append(codes)
    left = RuleSelection(*chosen)
    if not any(map(left.takes, known_codes())):
        select, ignore = (",".join(codes) for codes in chosen)
        if select:
            asked = f"--select {select} and --ignore {ignore}"
            raise UsageError(f"expected a rule to be left, found none with {asked}")
        say(f"--ignore {ignore} leaves no rule: only what cannot be read is reported")
    return left


def configured(arguments: argparse.Namespace) -> "Configuration | None":
    """Gives the options that the command line left out the values that the project's configuration
    has for them, and says which. Raises Unreadable."""
    accepted = acceptance(arguments)
    configuration = accepted.configuration()
    if note := accepted.passed_over():
        say(note)
    settings = configuration.settings if configuration else {}
    given = vars(arguments)
    taken = [name for name in settings if name in given and not given[name]]
    for name in taken:
        value = settings[name]
        given[name] = list(value) if isinstance(value, tuple) else value
    if configuration and taken:
        names = joined([name.replace("_", "-") for name in taken])
        where = f" of {accepted.revision}" if accepted.revision else ""
        say(f"{configuration.file}{where} sets {names}")
    for name, default in _DEFAULTS.items():
        if name in given and given[name] is None:
            given[name] = default
    given["rules_set"] = [name for name in ("select", "ignore") if name in taken]
    return configuration


def unconfigured(arguments: argparse.Namespace, asked: _Request) -> _Request | None:
    """Returns the request with the rules of the command line alone and no configuration; None where
    the configuration chooses no rules."""
    from ..check.acceptance import NO_CONFIG

    if not arguments.rules_set:
        return None
    rules = replace(asked.criteria.rules, **dict.fromkeys(arguments.rules_set, ()))
    acceptance = replace(asked.acceptance, config=NO_CONFIG, revision=None)
    return replace(asked, criteria=replace(asked.criteria, rules=rules), acceptance=acceptance)


_DEFAULTS = {"platform": "all-levels", "fail_on": "error", "format": "text"}


def acceptance(arguments: argparse.Namespace) -> "Acceptance":
    """Where accepted findings are listed, by the options of add_accepted()."""
    from ..check.acceptance import Acceptance

    revision = vars(arguments).get("config_from")
    return Acceptance(arguments.config, arguments.baseline, revision)


@dataclass(frozen=True, slots=True)
class Shown:
    """Which findings are shown to people, and which count.

    fail_on     as bad as this makes the exit status 1
    notes       are shown too; suppressed: likewise, with their reasons
    statistics  counts by rule, notes included, instead of findings
    """

    fail_on: Severity
    notes: bool
    suppressed: bool
    statistics: bool = False

    def text(
        self,
        findings: Sequence[Finding],
        texts: Mapping[str, str],
        what: str,
        style: "Style",
        remarks: Sequence[str] = (),
    ) -> str:
        """Findings for people, with closing lines: what was looked at, and remarks."""
        from ..report.findings_text import render, statistics, summary

        if self.statistics:
            body = statistics(findings)
        else:
            body = render(findings, texts, style, notes=self.notes, suppressed=self.suppressed)
        line = summary(findings, what, style, notes=self.notes)
        return "\n".join([*([body] if body else []), line, *remarks]) + "\n"

    def annotated(self, form: str, findings: Sequence[Finding]) -> Sequence[Finding]:
        """The findings that a form has: GitHub's annotations are those of the text."""
        from ..report.findings_text import shown

        return shown(findings, notes=self.notes) if form == "github" else findings

    def status(self, found: Severity | None) -> int:
        """Of the worst severity that counts: 1 if it is as bad as fail_on."""
        return int(found is not None and found >= self.fail_on)

    def hidden(self, findings: Iterable[Finding]) -> int:
        """Returns how many findings would count for the exit status but for the configuration's
        suppressions."""
        return sum(f.kept_in == "config" and f.severity >= self.fail_on for f in findings)

    def failing(self, findings: Iterable[Finding]) -> int:
        """Returns how many findings count for the exit status."""
        return sum(f.counts and f.severity >= self.fail_on for f in findings)

    def status_of(self, findings: Sequence[Finding]) -> int:
        """Returns the exit status for findings: 3 if the tool failed on one of the inputs."""
        return UNREADABLE if failed(findings) else self.status(worst(findings))


def turned(hidden: int, accepted: "Acceptance") -> str:
    """Returns a closing line about findings that the configuration hides, where the exit status
    would be 1 with them."""
    configuration = accepted.configuration() if hidden else None
    if configuration is None:
        return ""
    of = f" of {accepted.revision}" if accepted.revision else ""
    many = "1 finding is" if hidden == 1 else f"{hidden} findings are"
    return (
        f"{many} hidden by {configuration.file}{of}; the exit status would be 1 with --config none"
    )


def shown(arguments: argparse.Namespace) -> Shown:
    """What add_severities() or add_report() was given."""
    fail_on = Severity[arguments.fail_on.upper()]
    notes = arguments.notes or fail_on is Severity.NOTE
    given = vars(arguments)
    return Shown(fail_on, notes, given.get("suppressed", False), given.get("statistics", False))
