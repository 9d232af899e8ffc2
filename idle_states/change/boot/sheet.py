"""boot, for people."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ...base.model.beyond_opal import SysfsState
from ...base.report.html.markers import RowEvent
from ...base.report.sheet import (
    NO_NUMBERS,
    Either,
    Line,
    Lines,
    Marked,
    Part,
    Picture,
    Rows,
    Section,
    Sheet,
)
from ...base.report.tables import columns
from ...base.wording import joined, plural
from ...tables.linux.grounds import driver_of, ground
from ...tables.why.ways import HELD, KEPT, LOST, drawn
from .powernv.boot import PowernvResult
from .powernv.predict import EXPORT
from .powernv.twice import BootPair
from .q35.boot import Q35Result
from .q35.machine import CPU
from .registered import with_counts
from .result import BootResult, GuestResult
from .stage import REGISTERED, USAGE, PredictedKernel, Stage
from .virt.boot import VirtResult
from .virt.machines import VIRT

_MOST_SHOWN = 10
_NONE = "No CPU registered a state."
_UNITS = {
    "firmware": "line",
    "tree": "property",
    "tables": "table",
    "survives": "kernel",
    "domains": "power domain",
    "domain-usage": "counter",
    "export": "property",
    "opal-messages": "line",
    "registered": "state",
    "linux-messages": "line",
    "selected": "decision",
    "usage": "counter",
}
_Column = tuple[str, Callable[[SysfsState, SysfsState | None], object]]
"""Head, and what a state and its counts (None: not known) have there; None is shown as a dash."""
_STATE: _Column = ("STATE", lambda state, counts: state.name)
_TIMES: _Column = (
    "LATENCY/RESIDENCY",
    lambda state, counts: f"{state.latency_us}/{state.residency_us} us",
)
_ENTERED: _Column = ("ENTERED", lambda state, counts: counts and counts.usage)
_REFUSED: _Column = ("REFUSED", lambda state, counts: counts and counts.rejected)
_DESCRIPTION: _Column = ("DESCRIPTION", lambda state, counts: state.description)
_Times = tuple[int, int]


def sheet(result: BootResult | BootPair) -> Sheet:
    """Returns what was booted, each stage's verdict, and what the guest shows."""
    if isinstance(result, BootPair):
        return _pair(result)
    model, machine, shown = "", result.request.machine, list[Part]()
    if isinstance(result, PowernvResult):
        name = result.predicted.table.name
        about = [_firmware(result), *(f"  {remark}" for remark in result.remarks)]
    elif isinstance(result, VirtResult):
        name = result.table
        about = [f"CPUs as {joined(result.places)}; {VIRT[machine].firmware}"]
        shown = list(_of_virt(result))
    else:
        assert isinstance(result, Q35Result)
        name = result.table
        about = [f"processors with the objects of {joined(result.places)}"]
        model = f" ({result.request.cpu or CPU})"
        shown = list(_of_q35(result))
    kernel = _kernel(result.predicted)
    if isinstance(result, VirtResult) or (isinstance(result, Q35Result) and result.governor):
        kernel += f", governor {result.governor}"
    verdicts = [(stage.name, _verdict(stage), _judged(stage)) for stage in result.stages]
    return _sheet(
        f"{name} on {machine}",
        [*about, kernel, f"{_qemu(result)}{model}, {result.qemu_s:.0f} s"],
        [_stages(columns(("STAGE", "VERDICT", "JUDGED"), verdicts), [result]), *shown],
        [*_differences(result), _last(result.unconfirmed, "this boot")],
        [result],
        result.directory,
    )


def _sheet(
    title: str,
    about: list[str],
    parts: list[Part],
    sections: list[Section],
    results: Sequence[BootResult],
    logs: Path,
) -> Sheet:
    """parts: sections without a title."""
    untitled = [Section("", (part,)) for part in parts]
    end = Section("", (Lines((f"Logs: {logs.as_posix()}",)),))
    first = Section(title, (Lines((*about,), first="  "),))
    return Sheet(title, (_headline(results),), (first, *untitled, *sections, end))


def _headline(results: Sequence[BootResult]) -> Line:
    judged = [stage for each in results for stage in each.stages if stage.agree is not None]
    count, differ = plural(len(judged), "stage"), [each.name for each in judged if not each.agree]
    if differ:
        verb = "differs" if len(differ) == 1 else "differ"
        return Marked(
            "error", "Not as predicted"
        ), f": {joined(differ)} {verb}, of {count} compared"
    if not all(each.agree for each in results):
        return Marked("warning", "Not confirmed"), ": not everything could be compared"
    return f"As predicted: {count} compared, and all agree"


def _qemu(result: BootResult) -> str:
    return f"{result.qemu}, {plural(result.request.cpus, 'CPU')}"


def _of_virt(result: VirtResult) -> Iterator[Part]:
    yield _states(result, _NONE, _STATE, _TIMES, _ENTERED, _REFUSED)
    rows = [(name, f"S{state}", str(count)) for name, state, count in result.domains]
    if rows:
        yield _table(("POWER DOMAIN", "STATE", "ENTERED"), rows)


def _of_q35(result: Q35Result) -> Iterator[Part]:
    none = f"The kernel crashed in {result.crash}." if result.crash else _NONE
    yield _states(result, none, _STATE, _DESCRIPTION, _TIMES, _ENTERED)
    yield Lines((*result.messages,), first="  ")


def _states(result: GuestResult, none: str, *of_state: _Column) -> Part:
    """Returns the guest's states and what was counted during the work. none: said if no CPU
    registered a state."""
    rows = [
        (str(cpu), *("-" if (cell := of(*pair)) is None else str(cell) for _, of in of_state))
        for cpu in sorted(result.found)
        for pair in with_counts(result.found, result.counted, cpu)
    ]
    return _table(("CPU", *(head for head, _ in of_state)), rows) if rows else Lines((none,))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Rows:
    return Rows(head, tuple(rows), numbers=NO_NUMBERS)


def _last(unconfirmed: Iterable[str], which: str) -> Section:
    """Yields what is not confirmed. which: boots."""
    return Section(f"What {which} cannot confirm", (Lines((*unconfirmed,), first="  "),))


def _differences(result: BootResult, of: str = "") -> Iterator[Section]:
    """Yields the differences from the prediction. of: which boot, for the headings."""
    for stage in result.stages:
        if stage.differences:
            lines = Lines((*_differing(stage),), first="  ")
            yield Section(f"Differences{of}: {stage.name}", (lines,))


def _firmware(result: PowernvResult) -> str:
    """The firmware that was booted, and what it is modelled as."""
    name = result.predicted.firmware or "unknown"
    request = result.request
    words = f"skiboot: {name}"
    if result.predicted.platform.skiboot is None:
        words += " (modelled as the newest)"
    if request.table is not None:
        words += f", with the table in the place of {result.place}"
    if request.levels is not None:
        words += f", with stop levels {request.levels:#010x} enabled"
    return words


def _kernel(predicted: PredictedKernel) -> str:
    """The kernel that was booted, and what it is modelled as for the table."""
    if predicted.release is None:
        return f"{predicted.kernel}, no model of it"
    known = ground(predicted.release, driver_of(predicted.table))
    how = "" if known.kind == "compiled" else f" (its driver {known})"
    return f"{predicted.kernel}, modelled as {predicted.release.name}{how}"


def _verdict(stage: Stage) -> str:
    return {True: "agree", False: "differ", None: "not compared"}[stage.agree]


def _judged(stage: Stage) -> str:
    unit = _UNITS[stage.name]
    if stage.agree is None:
        return stage.note
    count = plural(stage.judged, unit).replace("propertys", "properties")
    if stage.undetermined:
        count += f"; {stage.undetermined} undetermined: {stage.note}"
    elif stage.note:
        count += f"; {stage.note}"
    return count


def _stages(table: str, results: Sequence[BootResult]) -> Part:
    """Returns the lines of a table of verdicts; pages have pictures in their place."""
    lines: list[Line] = [
        Marked("error", line)
        if " differ " in line
        else Marked("faint", line)
        if "not compared" in line
        else line
        for line in table.splitlines()
    ]
    titles = ("Stages, before", "Stages, after") if len(results) > 1 else ("Stages",)
    return Either((Lines((*lines,)),), tuple(map(_drawn, results, titles)))


def _drawn(result: BootResult, title: str) -> Picture:
    """Draws each stage's verdict, and what becomes of the states of the first CPU."""
    marks, cpu = {True: KEPT, False: LOST, None: HELD}, min(result.found, default=0)
    entered: Mapping[str, int | None] = {}
    ways = dict[str, list[RowEvent]]()
    for stage in result.stages:
        differ = plural(len(stage.differences), "difference") if stage.differences else ""
        words = differ or _judged(stage) or _verdict(stage)
        ways.setdefault("Verdicts", []).append(RowEvent(stage.name, words, *marks[stage.agree]))
    if isinstance(result, PowernvResult):
        entered, exported = result.entered or {}, result.predicted.export.indices
        for row, state in enumerate(result.predicted.table.states):
            event = ("exported", *KEPT) if row in exported else ("not exported", *HELD)
            ways[state.name] = [RowEvent(EXPORT, *event)]
    elif isinstance(result, GuestResult):
        entered = {each.name: each.usage for each in result.counted.get(cpu, ())}
    wrong = {each.path: each for stage in result.stages for each in stage.differences}
    for number, shown in enumerate(result.found.get(cpu, ())):
        words, mark = f"{shown.latency_us}/{shown.residency_us} us", KEPT
        if differs := wrong.get(f"cpu{cpu}/state{number}"):
            words, mark = f"predicted {differs.predicted}, found {differs.found}", LOST
        way = ways.setdefault(shown.name, [])
        way.append(RowEvent(REGISTERED, words, *mark))
        if (count := entered.get(shown.name)) is not None:
            way.append(RowEvent(USAGE, f"entered {count} times", *KEPT))
    legend = {KEPT[0]: "as predicted", HELD[0]: "not compared, or shut out", LOST[0]: "differs"}
    return drawn(ways, title, legend)


def _differing(stage: Stage) -> Iterator[str]:
    for each in stage.differences[:_MOST_SHOWN]:
        yield each.path
        yield f"  predicted: {each.predicted or 'nothing'}"
        yield f"  found:     {each.found or 'nothing'}"
    if (more := len(stage.differences) - _MOST_SHOWN) > 0:
        yield f"and {more} more"


def _pair(pair: BootPair) -> Sheet:
    before, after = both = pair.before, pair.after
    lines = [*pair.subjects, *(f"  {one}" for one in pair.remarks)]
    lines += dict.fromkeys((_firmware(before), _firmware(after)))
    lines += [f"  {remark}" for remark in dict.fromkeys((*before.remarks, *after.remarks))]
    lines.append(_kernel(before.predicted))
    lines.append(f"{_qemu(before)}, {before.qemu_s:.0f} s and {after.qemu_s:.0f} s")
    if before.place != after.place:
        lines.append(f"With the patches this machine uses {after.place} in place of {before.place}")
    elif not pair.changes_table:
        lines.append(
            "The patches do not change the table that this machine uses, in the place of "
            f"{after.place}"
        )
    verdicts = [
        (one.name, _verdict(one), _verdict(other))
        for one, other in zip(before.stages, after.stages, strict=True)
    ]
    unconfirmed = dict.fromkeys((*before.unconfirmed, *after.unconfirmed))
    return _sheet(
        f"{after.predicted.table.name} on {before.request.machine}, before and after",
        lines,
        [_registered(pair), _stages(columns(("STAGE", "BEFORE", "AFTER"), verdicts), both)],
        [
            *_differences(before, " before"),
            *_differences(after, " after"),
            _last(unconfirmed, "these boots"),
        ],
        both,
        pair.directory,
    )


def _registered(pair: BootPair) -> Rows:
    """Returns what Linux registers, predicted and found, and how often it was entered."""
    both = (pair.before, pair.after)
    columns_of = [(_predicted(each), _found(each)) for each in both]
    names = dict.fromkeys(name for pair in columns_of for times in pair for name in times)
    heads = ["STATE", "BEFORE: PREDICTED", "FOUND", "AFTER: PREDICTED", "FOUND"]
    rows = [
        [name, *(_shown(times.get(name)) for pair in columns_of for times in pair)]
        for name in names
    ]
    counted = [each.entered for each in both if each.entered is not None]
    if len(counted) == len(both):
        heads += ["ENTERED BEFORE", "AFTER"]
        for name, row in zip(names, rows, strict=True):
            row += [str(entered.get(name, "-")) for entered in counted]
    return _table(tuple(heads), map(tuple, rows))


def _predicted(result: PowernvResult) -> dict[str, _Times]:
    driver = result.predicted.driver
    if driver is None:
        return {}
    return {
        state.name: (state.exit_latency_us, state.target_residency_us) for state in driver.states
    }


def _found(result: PowernvResult) -> dict[str, _Times]:
    return {state.name: (state.latency_us, state.residency_us) for state in result.registered}


def _shown(times: _Times | None) -> str:
    return "-" if times is None else f"{times[0]}/{times[1]} us"
