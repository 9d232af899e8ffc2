"""review."""

from typing import Annotated

from ...base.model import beyond_opal
from ...base.model.forms import Count, Form, Limits, Positive, Rounded, derived
from ...lab.replay import consumption
from ...tables.check.config import Accepted
from ...tables.diff import tables as diff
from ...tables.documents.findings_document import Code, Finding, Summary
from ...tables.power.energy_document import Bounds, in_seconds
from ...tables.sources import Source
from . import choices, governors, machines, processors, result, workloads
from .claims.claim import MessageClaim

Commit = Annotated[str, Limits(pattern="^([0-9a-f]{40,64})?$")]


class Table(Form[Source]):
    name: Annotated[str, "The table's name: a C array, a spec, or the first CPU that has it."]
    file: Annotated[str, "Its file, from the repository's top."]
    sha256: Annotated[
        str, Limits(pattern="^[0-9a-f]{64}$"), "Of a board, with all that it includes."
    ]
    boards: Annotated[
        list[str], "Of device-tree sources: the boards that have the table; else empty."
    ]


class Difference(Form[diff.Difference]):
    path: Annotated[str, "What differs: states.stop4, default_stop, idle 5us to 9us, ..."]
    a: Annotated[str, "Before; absent where there was none."]
    b: Annotated[str, "After, likewise."]


class PerKernel(Form[result.PerKernel]):
    kernels: Annotated[list[str], "Kernels that have these differences in common."]
    differences: list[Difference]


class Performed(Form[workloads.Performed]):
    units_per_s: Annotated[float, Rounded(3), "Units of work."]
    wakeups_per_unit: Annotated[
        float | None,
        Rounded(4),
        "Idle periods that ended, for each unit of work; null without work.",
    ]
    awake: Annotated[
        float, Rounded(3), "CPU time outside idle states, in percent; leaving one is awake."
    ]
    median_ns: Annotated[int | None, "From a wake-up to the first instruction; null without any."]
    p99_ns: Annotated[int | None, "Its 99th percentile."]
    mean_power: Annotated[
        Bounds | None,
        "On average of all CPUs, running ones too, a CPU in snooze being 1; states draw what is "
        "likely, which `grounds` says.",
    ] = derived("spent.power")
    each_wakeup: Annotated[
        Bounds | None, "Energy for each idle period that ended, in s of a CPU in snooze."
    ] = derived(lambda p: in_seconds(p.spent.each_wakeup))
    each_unit: Annotated[
        Bounds | None, "Energy for each unit of work, likewise; null without work."
    ] = derived(lambda p: in_seconds(p.spent.each_unit))
    states: Annotated[list[workloads.Use], "In the kernel's order."]


class OnWorkload(Form[workloads.OnWorkload]):
    workload: Annotated[str, "As `simulate` takes it."]
    machine: Annotated[str, "As its --topology takes it."]
    kernel: Annotated[str, "The release."]
    unit: Annotated[str, "What the workload counts."]
    before: Performed
    after: Performed
    rate: Annotated[consumption.Change | None, "Units of work in a time; null without work."]
    power: Annotated[
        consumption.Change, "Mean of all CPUs, running ones too; states draw what is likely."
    ]
    energy: Annotated[
        consumption.Change | None, "For each unit of work, likewise; null without work."
    ]
    power_any: Annotated[consumption.Change, "As power, whatever states draw."]
    energy_any: Annotated[consumption.Change | None, "As energy, whatever states draw."]
    turning: Annotated[
        tuple[float, float] | None,
        "Least and most that all states but snooze would have to draw, in percent of snooze, for "
        "the energy of a unit to stay as it is; null if nothing does that.",
    ] = derived(
        lambda found: None if found.turning is None else [round(x, 1) for x in found.turning]
    )


class OnMachines(Form[machines.OnMachines]):
    day: Annotated[str | None, "When the change was written; null if that is not known."] = derived(
        lambda found: None if found.day is None else found.day.isoformat()
    )
    then: Annotated[
        list[str],
        "Kernels of that day: long-term, newest, next; first the one that a driver's table is "
        "built into.",
    ]
    kernels: Annotated[
        list[machines.OnKernels], "Without kernels that register the same as before."
    ]
    workloads: Annotated[list[OnWorkload], "Those that the change alters, simulated."]
    unchanged: Annotated[list[tuple[str, str]], "Kernel and workload simulated with no effect."]
    grounds: Annotated[list[str], "Assumptions of the simulated figures."]
    unsaid: Annotated[list[str], "Why something was not computed."]


class TableChange(Form[result.TableChange]):
    before: Annotated[Table | None, "null: the table is added."]
    after: Annotated[Table | None, "null: the table is removed."]
    differences: Annotated[list[diff.Difference], "In the table and in what firmware exports."]
    linux: Annotated[list[PerKernel], "In what Linux registers."]
    selection: Annotated[
        list[PerKernel],
        "In what the governor selects at the idle lengths tried: 1, 2 and 5 of each power of ten "
        "from 1us to 50ms, and residencies that changed.",
    ]
    machines: Annotated[
        OnMachines | None,
        "What the change does to machines; null: one side is missing, or "
        "nothing changed but tables beside this one.",
    ]
    new: Annotated[list[Finding], "What the change brings to this table."] = derived("outcome.new")
    fixed: Annotated[list[Finding], "What it takes away."] = derived("outcome.fixed")
    silenced: Annotated[list[Finding], "What is still there but suppressed now."] = derived(
        "outcome.silenced"
    )


class Added(Form[Accepted]):
    rules: Annotated[list[Code], "Codes of rules."]
    path: Annotated[str, "Logical path in setup.cfg; empty for a comment in a spec."]
    reason: Annotated[str, "As given; empty: without effect."]
    until: Annotated[str, "Last day it holds, YYYY-MM-DD; empty: always."] = derived(
        lambda added: str(added.until or "")
    )
    file: Annotated[str, "Where it stands."] = derived("where.file")
    line: Annotated[Positive, "Its line, counted from 1."] = derived("where.line")


class Treated(Form[beyond_opal.MatchedCpu]):
    table: Annotated[str, "The array of its states; empty: they come from ACPI."]
    entry: Annotated[str, "The struct idle_cpu that it leads to."]
    settings: Annotated[dict[str, Count], "The other members of that entry that are not 0."] = (
        derived(lambda cpu: dict(cpu.settings))
    )


class ProcessorChange(Form[processors.ProcessorChange]):
    name: Annotated[str, "As the kernel's headers call it."]
    before: Annotated[Treated | None, "null: not listed."]
    after: Annotated[Treated | None, "null: listed no more."]


class ChoiceChange(Form[choices.ChoiceChange]):
    machines: Annotated[
        list[str],
        "In words: chip, EC level, quirk, fused cores; what is not named may be any of those that "
        "the code tells apart.",
    ]
    before: Annotated[str, "Array; empty: no table."]
    after: Annotated[str, "Likewise."]


class GovernorChange(Form[governors.GovernorChange]):
    name: Annotated[str, "As --governor takes it."]
    file: Annotated[str, "Its C file in the repository."]
    kernel: Annotated[
        str, "The tree's release: its drivers and idle loop are around both sides; empty: not run."
    ]
    hz: Annotated[Count, "The tick rate; 0: not run."]
    decisions: Annotated[Count, "Idle periods that both sides decided."]
    differ: Annotated[Count, "Those for which they select different states."]
    ticks: Annotated[Count, "Those for which only what they decide about the tick differs."]
    judged: Annotated[
        list[governors.JudgedDecisions], "The decisions on all tables, by circumstance."
    ]
    tables: Annotated[list[governors.OnTable], "What it does to packaged tables."]
    workloads: Annotated[list[OnWorkload], "Those simulated on which something changes."]
    unchanged: Annotated[list[str], "The other ones simulated."]
    grounds: Annotated[list[str], "Assumptions of the simulated figures."]
    unsaid: Annotated[str, "Why nothing was compared; empty where it was."]
    claims: Annotated[list[MessageClaim], "What messages say of its function."]


class Change(Form[result.Reviewed]):
    base: Annotated[Commit, "Commit before."]
    head: Annotated[Commit, "Commit after."]
    subject: Annotated[
        str | None, "First line of the commit's message; null for several commits in total."
    ] = derived(lambda change: None if change.commit is None else change.commit.subject)
    tables: list[TableChange]
    message: Annotated[
        list[Finding], "Where a commit's message and its change disagree; also among findings."
    ]
    claims: Annotated[list[MessageClaim], "The numbers in the messages, in order."]
    processors: Annotated[
        list[ProcessorChange],
        "Of a Linux tree: those that intel_idle's list gives another table or other settings.",
    ]
    choices: Annotated[
        list[ChoiceChange], "Of skiboot: the machines for which another table is chosen."
    ]
    governors: Annotated[
        list[GovernorChange], "Of a Linux tree: the governors whose source changes."
    ]
    unread: Annotated[
        list[str],
        "Files that could not be parsed at one end; their tables are not compared.",
    ]
    suppressions: Annotated[
        list[Added], "Suppressions that the change adds; they do not hide what it brings itself."
    ]


class EarlierVersion(Form[result.EarlierVersion]):
    number: Annotated[Positive, "Of the version, from 1."]
    gone: Annotated[list[Finding], "Of its findings, those that this version does not have."]
    kept: Annotated[list[Finding], "Those of this version that it had as well."]


class Review(Form[result.Review]):
    base: Annotated[Commit, "Commit before; empty before the first one."]
    head: Annotated[Commit, "Commit after."]
    commits: Annotated[Count, "How many commits lie between."]
    kernels: Annotated[list[str], "Kernels the tables were followed into."]
    governor: Annotated[str, "Whose selection was compared."]
    assumptions: Annotated[list[str], "What the compared selections rest on."]
    remarks: Annotated[
        list[str],
        "Of mailed patches: the commit, and of several trees the tree, that they were applied to, "
        "and by what it was found; what was left out, and what was repaired to read them.",
    ]
    unread_lines: Annotated[
        Count,
        "Changed lines that could not be read, of mailed patches without a tree, or of files that "
        "fit no commit of the trees.",
    ]
    findings: Annotated[
        list[Finding],
        "What the change brings, with places as they are after it; suppressed ones are left out.",
    ] = derived("new")
    summary: Summary = derived("new")
    fixed: Annotated[list[Finding], "What is gone, with places as they were."]
    earlier: Annotated[
        EarlierVersion | None,
        "Of mailed patches, errors and warnings of the version before; null where there is none, "
        "or this one is not known as a whole.",
    ]
    changes: Annotated[
        list[Change], "One, or with --per-commit one for each commit that changes a table."
    ]
