"""audit: one object per table, the same in JSON and in JSON Lines, and a flat row of it."""

from collections.abc import Callable
from operator import itemgetter
from types import SimpleNamespace
from typing import Annotated, Any, Literal

from ...base.model.findings import Severity
from ...base.model.forms import INLINE, OMITTED, U64, Count, Form, Limits, derived
from ..devicetree import machine
from ..documents.envelope_document import Digest, Head
from ..documents.findings_document import Code, Finding, RuleName, SeverityName, count
from ..linux import driver_table
from ..selection.select_document import Lengths
from . import audited, fwts, trees
from .groups import TableGroup
from .running import Running
from .since import EarlierAudit, by_severity
from .summary import FleetSummary

Names = list[str]


class Machine(Form[machine.MachineFacts]):
    """The machine as the tree describes it; what it does not say is empty or null."""

    model: str
    serial: str
    pvr: int | None
    revision: Annotated[str, "EC level of the chip: DD2.3."]
    processor: Annotated[str, "The first CPU's compatible."]
    cpus: Annotated[Count, "Cores."]
    threads: Annotated[Count, "Threads of the first core."]
    skiboot: str
    git_id: str
    versions: Annotated[dict[str, str], "Component -> version, of the firmware image."]


class Missing(Form[tuple[str, str]]):
    state: str
    reason: str


class State(Form[driver_table.DriverState]):
    index: Count
    name: str
    exit_latency_us: Count
    target_residency_us: Count
    polling: bool


class Registered(Form[audited.Registered]):
    """The states that these kernels register of the table; they agree in all of it."""

    kernels: Names
    states: Annotated[list[State], "Registered states; times in microseconds."]
    lost: list[Missing]
    messages: Annotated[Names, "Lines of the kernel log."]
    default_stop: Annotated[U64 | None, "PSSCR of an idle CPU before cpuidle takes over."] = (
        derived(lambda group: group.default_stop and group.default_stop.psscr)
    )
    deepest_stop: Annotated[U64 | None, "PSSCR of an offlined CPU."] = derived(
        lambda group: group.deepest_stop and group.deepest_stop.psscr
    )
    offline: Annotated[
        str,
        "The state of an offlined CPU: stop, winkle, sleep, nap or busy wait; empty: not known.",
    ]


class Range(Form[tuple[int, int | None, tuple[str, ...]]]):
    range: Annotated[Lengths, INLINE] = derived(
        lambda r: SimpleNamespace(first_ns=r[0], last_ns=r[1])
    )
    states: Annotated[Names, "The most frequent first, where the governor goes back and forth."] = (
        derived(itemgetter(2))
    )


class Selected(Form[audited.Selected]):
    kernels: Names
    map: list[Range] = derived("ranges")


class Failure(Form[tuple[str, str]]):
    label: Annotated[str, "fwts' label, op-test's message."]
    detail: str


class Verdict(Form[fwts.ToolVerdict]):
    """The verdict of another tool's rules on the tree."""

    tool: Literal["fwts", "op-test"]
    test: Literal["idle states", "pstates"]
    passed: bool
    skipped: Annotated[str, "Why the tool does not look at such a tree; empty if it does."]
    failures: list[Failure]


class Difference(Form[trees.TreeDifference]):
    path: str
    a: str | None = derived(lambda found: _hex(found.a))
    b: str | None = derived(lambda found: _hex(found.b))


def _hex(data: bytes | None) -> str | None:
    return None if data is None else data.hex()


class Audited(Form[audited.Audited]):
    """One table of an input."""

    file: str
    sha256: Digest
    table: Annotated[str, "Empty for an input without a table."]
    kind: Annotated[
        str,
        "spec, c, dtb, dts, directory, tar, lid, sysfs; log; tree or none without a table; "
        "unreadable.",
    ]
    cpu: Annotated[str, "Generation: power9; empty where unknown."]
    machine: Machine | None
    fingerprint: Annotated[
        str,
        Limits(pattern="^([0-9a-f]{12})?$"),
        "Equal for tables that are equal in every value; empty without a table.",
    ]
    nearest: Annotated[str | None, "The packaged table this one is nearest to."]
    differences: Annotated[Names, "From that table, in words."]
    states: Annotated[Names, "Names, in order."]
    missing: Annotated[
        list[Missing],
        "States that firmware withholds, or that the nearest table has beyond the tree's.",
    ]
    linux: list[Registered] = derived("registered")
    selected: Annotated[
        list[Selected],
        "With --governor: what these kernels select for steady idles that an interrupt ends.",
    ]
    verdicts: list[Verdict]
    running: Annotated[Running | None, "The running kernel of a collection beside the model."]
    facts: Annotated[dict[str, str], "Facts in a log on its machine."] = derived(
        lambda audited: dict(audited.facts)
    )
    findings: list[Finding]
    against: Annotated[
        list[Difference],
        OMITTED,
        "With --against: properties that differ, in hexadecimal; null where a side lacks it.",
    ]


class Line(Head):
    """The beginning of a line of JSON Lines, before the keys of its audit."""

    setting: Annotated[
        str,
        Limits(pattern="^[0-9a-f]{12}$"),
        "Equal for audits by the same version with the same options and configuration.",
    ]


class Group(Form[TableGroup]):
    fingerprint: str
    cpu: str
    nearest: str | None
    states: Names
    differences: Names
    count: Count
    outlier: Annotated[
        bool, "At most a twentieth of its processor's tables, where another table has half."
    ]
    examples: Annotated[Names, "Up to three files."]
    boards: Annotated[Names, "With --tree: all files that have the table."]


class Found(Form[tuple[str, str, str, int]]):
    rule: Code
    name: RuleName
    severity: SeverityName
    inputs: Count


def _of(severity: str) -> Callable[[FleetSummary], int]:
    return lambda summary: sum(n for found, n in summary.found.items() if found[2] == severity)


class Moved(Form[tuple[tuple[str, str, str], list[str]]]):
    rule: Code = derived(lambda moved: moved[0][0])
    name: RuleName = derived(lambda moved: moved[0][1])
    severity: SeverityName = derived(lambda moved: moved[0][2])
    inputs: Names = derived(lambda moved: moved[1])


class SinceForm(Form[EarlierAudit]):
    earlier: str
    new: Names
    gone: Names
    changed: Annotated[Names, "With other tables than then."]
    appeared: Annotated[list[Moved], "Findings, with the inputs that had them not."] = derived(
        lambda since: by_severity(since.appeared)
    )
    fixed: Annotated[list[Moved], "Findings, with the inputs that have them no longer."] = derived(
        lambda since: by_severity(since.fixed)
    )


class Summary(Form[FleetSummary]):
    error: Count = derived(_of("error"))
    warning: Count = derived(_of("warning"))
    note: Count = derived(_of("note"))
    inputs: Count
    tables: Count
    unreadable: Count = derived("unreadable_count")
    without_table: Count
    since: Annotated[SinceForm | None, OMITTED, "With --since: what differs from then."]
    groups: Annotated[list[Group], "Equal tables."]
    rules: Annotated[list[Found], "How many inputs have such a finding."] = derived(
        lambda summary: [(*found, count) for found, count in sorted(summary.found.items())]
    )


class Audit(Form[Any]):
    inputs: list[Audited]
    summary: Annotated[
        Summary, "A summary of the inputs. error, warning and note count inputs per rule."
    ]


def _fact(name: str) -> Callable[[audited.Audited], str]:
    """Returns a getter of a fact of the machine, "" where there is no machine."""
    return lambda audited: getattr(audited.machine or machine.MachineFacts(), name)


class Row(Form[audited.Audited]):
    """A flat row, for tables of a fleet."""

    file: str
    sha256: str
    table: str
    kind: str
    cpu: str
    revision: str = derived(_fact("revision"))
    model: str = derived(_fact("model"))
    serial: str = derived(_fact("serial"))
    skiboot: str = derived(_fact("skiboot"))
    fingerprint: str
    nearest: str = derived(lambda audited: audited.nearest or "")
    states: Names
    missing: Names = derived(lambda audited: [state for state, _ in audited.missing])
    differences: Names
    rules: Names = derived(lambda audited: sorted({f.rule for f in audited.findings if f.counts}))
    errors: int = derived(lambda audited: count(audited.findings, Severity.ERROR))
    warnings: int = derived(lambda audited: count(audited.findings, Severity.WARNING))
    notes: int = derived(lambda audited: count(audited.findings, Severity.NOTE))
    failed_by: Names = derived(
        lambda audited: sorted(
            {f"{v.tool}: {v.test}" for v in audited.verdicts if not v.passed and not v.skipped}
        )
    )
