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
        str, Limits(pattern="^[0-9a-f]{64}$"), "The SHA-256; for a board, with its includes."
    ]
    boards: Annotated[
        list[str], "The boards that have the table, in device-tree sources; else empty."
    ]


class Difference(Form[diff.Difference]):
    path: Annotated[str, "The part that differs: states.stop4, default_stop, idle 5us to 9us, ..."]
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
    workload: Annotated[str, "The WORKLOAD of `simulate`."]
    machine: Annotated[str, "The machine, in the words of simulate's --topology."]
    kernel: Annotated[str, "The release."]
    unit: Annotated[str, "The unit that the workload counts."]
    before: Performed
    after: Performed
    rate: Annotated[consumption.Change | None, "Units of work in a time; null without work."]
    power: Annotated[
        consumption.Change, "Mean of all CPUs, running ones too; states draw what is likely."
    ]
    energy: Annotated[
        consumption.Change | None, "For each unit of work, likewise; null without work."
    ]
    power_any: Annotated[consumption.Change, "The change of power, whatever states draw."]
    energy_any: Annotated[consumption.Change | None, "The change of energy, whatever states draw."]
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
    workloads: Annotated[list[OnWorkload], "Simulated workloads that the change affects."]
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
        "The effect on machines; null: one side is missing, or "
        "nothing changed but tables beside this one.",
    ]
    new: Annotated[list[Finding], "New findings on this table."] = derived("outcome.new")
    fixed: Annotated[list[Finding], "Findings that are gone."] = derived("outcome.fixed")
    silenced: Annotated[list[Finding], "Findings that are suppressed now."] = derived(
        "outcome.silenced"
    )


class Added(Form[Accepted]):
    rules: Annotated[list[Code], "Codes of rules."]
    path: Annotated[str, "Logical path in setup.cfg; empty for a comment in a spec."]
    reason: Annotated[str, "The reason given; empty: the suppression has no effect."]
    until: Annotated[str, "Last day it holds, YYYY-MM-DD; empty: always."] = derived(
        lambda added: str(added.until or "")
    )
    file: Annotated[str, "The file of the suppression."] = derived("where.file")
    line: Annotated[Positive, "Its line, counted from 1."] = derived("where.line")


class Treated(Form[beyond_opal.MatchedCpu]):
    table: Annotated[str, "The array of its states; empty: they come from ACPI."]
    entry: Annotated[str, "The struct idle_cpu that it leads to."]
    settings: Annotated[dict[str, Count], "The other members of that entry that are not 0."] = (
        derived(lambda cpu: dict(cpu.settings))
    )


class ProcessorChange(Form[processors.ProcessorChange]):
    name: Annotated[str, "Its name in the kernel's headers."]
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
    name: Annotated[str, "The name that --governor takes."]
    file: Annotated[str, "Its C file in the repository."]
    kernel: Annotated[
        str, "The tree's release: its drivers and idle loop are around both sides; empty: not run."
    ]
    hz: Annotated[Count, "The tick rate; 0: not run."]
    decisions: Annotated[Count, "Idle periods that both sides decided."]
    differ: Annotated[Count, "Idle periods for which they select different states."]
    ticks: Annotated[Count, "Idle periods for which only the decision about the tick differs."]
    judged: Annotated[
        list[governors.JudgedDecisions], "The decisions on all tables, by circumstance."
    ]
    tables: Annotated[list[governors.OnTable], "The effect on packaged tables."]
    workloads: Annotated[list[OnWorkload], "Simulated workloads that it affects."]
    unchanged: Annotated[list[str], "The other ones simulated."]
    grounds: Annotated[list[str], "Assumptions of the simulated figures."]
    unsaid: Annotated[str, "Why nothing was compared; empty where it was."]
    claims: Annotated[list[MessageClaim], "Claims of messages on its function."]


class Change(Form[result.Reviewed]):
    base: Annotated[Commit, "Commit before."]
    head: Annotated[Commit, "Commit after."]
    subject: Annotated[
        str | None, "First line of the commit's message; null for several commits in total."
    ] = derived(lambda change: None if change.commit is None else change.commit.subject)
    tables: list[TableChange]
    message: Annotated[
        list[Finding], "Disagreements of a commit's message with its change; also among findings."
    ]
    claims: Annotated[list[MessageClaim], "The numbers in the messages, in order."]
    processors: Annotated[
        list[ProcessorChange],
        "Processors of a Linux tree with another table or other settings of intel_idle.",
    ]
    choices: Annotated[list[ChoiceChange], "Machines for which skiboot chooses another table."]
    governors: Annotated[list[GovernorChange], "Governors of a Linux tree whose source changes."]
    unread: Annotated[
        list[str], "Files that could not be parsed at one end; their tables are not compared."
    ]
    suppressions: Annotated[
        list[Added], "Suppressions that the change adds; they do not hide what it brings itself."
    ]


class EarlierVersion(Form[result.EarlierVersion]):
    number: Annotated[Positive, "The version's number, from 1."]
    gone: Annotated[list[Finding], "Its findings that this version no longer has."]
    kept: Annotated[list[Finding], "Findings of this version that it had, too."]


class Review(Form[result.Review]):
    base: Annotated[Commit, "Commit before; empty before the first one."]
    head: Annotated[Commit, "Commit after."]
    commits: Annotated[Count, "How many commits lie between."]
    kernels: Annotated[list[str], "Kernels the tables were followed into."]
    governor: Annotated[str, "Whose selection was compared."]
    assumptions: Annotated[list[str], "Assumptions of the compared selections."]
    remarks: Annotated[
        list[str],
        "Remarks on mailed patches: the commit, and the tree of several, that they apply to, "
        "and how it was found; parts left out, and repairs made to read them.",
    ]
    unread_lines: Annotated[
        Count,
        "Changed lines that could not be read, of mailed patches without a tree, or of files that "
        "fit no commit of the trees.",
    ]
    findings: Annotated[
        list[Finding], "New findings that are not suppressed, with their places after the change."
    ] = derived("new")
    summary: Summary = derived("new")
    fixed: Annotated[list[Finding], "Findings that are gone, with their former places."]
    earlier: Annotated[
        EarlierVersion | None,
        "Errors and warnings of the version mailed before; null where there is none, or this one "
        "is not known as a whole.",
    ]
    changes: Annotated[
        list[Change], "One, or with --per-commit one for each commit that changes a table."
    ]
