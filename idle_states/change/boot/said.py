"""boot, for people."""

from collections.abc import Callable, Iterable, Iterator

from ...base.model.table import IdleTable
from ...base.reading.sysfs import SysfsState
from ...base.report.escapes.text import printable
from ...base.report.style import Style
from ...base.report.tables import columns
from ...base.wording import joined, plural
from ...tables.linux.grounds import driver_of, ground
from .powernv.boot import PowernvResult
from .powernv.twice import BootPair
from .q35.boot import Q35Result
from .q35.machine import CPU
from .registered import with_counts
from .result import BootResult, GuestResult
from .stage import PredictedKernel, Stage
from .virt.boot import VirtResult
from .virt.machines import VIRT

_MOST_SHOWN = 10
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
_STATE: _Column = ("STATE", lambda state, counts: printable(state.name))
_TIMES: _Column = (
    "LATENCY/RESIDENCY",
    lambda state, counts: f"{state.latency_us}/{state.residency_us} us",
)
_ENTERED: _Column = ("ENTERED", lambda state, counts: counts and counts.usage)
_VIRT_COLUMNS: tuple[_Column, ...] = (
    *(_STATE, _TIMES, _ENTERED),
    ("REFUSED", lambda state, counts: counts and counts.rejected),
)
_Q35_COLUMNS: tuple[_Column, ...] = (
    *(_STATE, ("DESCRIPTION", lambda state, counts: printable(state.description))),
    *(_TIMES, _ENTERED),
)
_Times = tuple[int, int]


def text(result: BootResult | BootPair, style: Style) -> str:
    if isinstance(result, BootPair):
        lines = _pair(result, style)
    else:
        lines = [*_about(result, style), *_differences(result, style)]
        lines += _last(result.unconfirmed, result.directory.as_posix(), "this boot", style)
    return "\n".join(lines) + "\n"


def _about(result: BootResult, style: Style) -> Iterator[str]:
    """Yields lines on what was booted, each stage's verdict, and what the guest shows."""
    if isinstance(result, PowernvResult):
        yield from _powernv(result, style)
    elif isinstance(result, VirtResult):
        yield from _virt(result, style)
    elif isinstance(result, Q35Result):
        yield from _q35(result, style)


def _powernv(result: PowernvResult, style: Style) -> Iterator[str]:
    table, request = result.predicted.table, result.request
    yield style("strong", f"{printable(table.name)} on {request.machine}")
    yield f"  {_firmware(result)}"
    yield from (f"    {remark}" for remark in result.remarks)
    yield f"  {_kernel(result.predicted, table)}"
    yield f"  {result.qemu}, {plural(request.cpus, 'CPU')}, {result.qemu_s:.0f} s"
    yield from ("", *_verdicts(result, style))


def _virt(result: VirtResult, style: Style) -> Iterator[str]:
    request, predicted = result.request, result.predicted
    places = joined([printable(name) for name in result.places])
    yield style("strong", f"{printable(result.table)} on {request.machine}")
    yield f"  CPUs as {places}; {VIRT[request.machine].firmware}"
    yield f"  {_kernel(predicted, predicted.tables[0])}, governor {printable(result.governor)}"
    yield f"  {result.qemu}, {plural(request.cpus, 'CPU')}, {result.qemu_s:.0f} s"
    yield from ("", *_verdicts(result, style), "")
    yield from _states(result, _VIRT_COLUMNS) or ["No CPU registered a state."]
    if result.domains:
        shown = [
            (printable(name), f"S{state}", str(count)) for name, state, count in result.domains
        ]
        yield from ("", *columns(("POWER DOMAIN", "STATE", "ENTERED"), shown).splitlines())


def _q35(result: Q35Result, style: Style) -> Iterator[str]:
    request, predicted = result.request, result.predicted
    places = joined([printable(name) for name in result.places])
    model = printable(request.cpu or CPU)
    governor = f", governor {printable(result.governor)}" if result.governor else ""
    yield style("strong", f"{printable(result.table)} on q35")
    yield f"  processors with the objects of {places}"
    yield f"  {_kernel(predicted, predicted.placed.tables[0])}{governor}"
    yield f"  {result.qemu}, {plural(request.cpus, 'CPU')} ({model}), {result.qemu_s:.0f} s"
    yield from ("", *_verdicts(result, style), "")
    crashed = f"The kernel crashed in {printable(result.crash)}."
    none = crashed if result.crash else "No CPU registered a state."
    yield from _states(result, _Q35_COLUMNS) or [none]
    if result.messages:
        yield from ("", *(f"  {printable(message)}" for message in result.messages))


def _states(result: GuestResult, of_state: tuple[_Column, ...]) -> list[str]:
    """Lines with what the guest shows, and what was counted during the work; none if no CPU
    registered a state."""
    rows = [
        (str(cpu), *("-" if (cell := of(*pair)) is None else str(cell) for _, of in of_state))
        for cpu in sorted(result.found)
        for pair in with_counts(result.found, result.counted, cpu)
    ]
    heads = ("CPU", *(head for head, _ in of_state))
    return columns(heads, rows).splitlines() if rows else []


def _verdicts(result: BootResult, style: Style) -> list[str]:
    """Lines with each stage's verdict."""
    rows = [(stage.name, _verdict(stage), _judged(stage)) for stage in result.stages]
    table = columns(("STAGE", "VERDICT", "JUDGED"), rows)
    return [_coloured(line, style) for line in table.splitlines()]


def _last(unconfirmed: Iterable[str], logs: str, which: str, style: Style) -> list[str]:
    """Lines on what is not confirmed, and where the logs are. which: boots."""
    return [
        "",
        style("strong", f"What {which} cannot confirm"),
        *(f"  {printable(line)}" for line in unconfirmed),
        "",
        f"Logs: {logs}",
    ]


def _differences(result: BootResult, style: Style, of: str = "") -> list[str]:
    """Lines on what is not as predicted. of: which boot, for the headings."""
    lines: list[str] = []
    for stage in result.stages:
        if stage.differences:
            lines += ["", style("strong", f"Differences{of}: {stage.name}")]
            lines += _differing(stage)
    return lines


def _firmware(result: PowernvResult) -> str:
    """The firmware that was booted, and what it is modelled as."""
    name = printable(result.predicted.firmware) or "unknown"
    request = result.request
    words = f"skiboot: {name}"
    if result.predicted.platform.skiboot is None:
        words += " (modelled as the newest)"
    if request.table is not None:
        words += f", with the table in the place of {result.place}"
    if request.levels is not None:
        words += f", told of stop levels {request.levels:#010x}"
    return words


def _kernel(predicted: PredictedKernel, table: IdleTable) -> str:
    """The kernel that was booted, and what it is modelled as for a table."""
    if predicted.release is None:
        return f"{printable(predicted.kernel)}, no model of it"
    known = ground(predicted.release, driver_of(table))
    how = "" if known.kind == "compiled" else f" (its driver {known})"
    return f"{printable(predicted.kernel)}, modelled as {predicted.release.name}{how}"


def _verdict(stage: Stage) -> str:
    return {True: "agree", False: "differ", None: "not judged"}[stage.agree]


def _judged(stage: Stage) -> str:
    unit = _UNITS[stage.name]
    if stage.agree is None:
        return printable(stage.note)
    said = plural(stage.judged, unit).replace("propertys", "properties")
    if stage.undetermined:
        said += f"; {stage.undetermined} undetermined: {printable(stage.note)}"
    elif stage.note:
        said += f"; {printable(stage.note)}"
    return said


def _coloured(line: str, style: Style) -> str:
    if " differ " in line:
        return style("error", line)
    return style("faint", line) if "not judged" in line else line


def _differing(stage: Stage) -> list[str]:
    lines = []
    for each in stage.differences[:_MOST_SHOWN]:
        lines.append(f"  {printable(each.path)}")
        lines.append(f"    predicted: {printable(each.predicted) or 'nothing'}")
        lines.append(f"    found:     {printable(each.found) or 'nothing'}")
    more = len(stage.differences) - _MOST_SHOWN
    return [*lines, f"  and {more} more"] if more > 0 else lines


def _pair(pair: BootPair, style: Style) -> list[str]:
    before, after = pair.before, pair.after
    request = before.request
    name = printable(after.predicted.table.name)
    lines = [style("strong", f"{name} on {request.machine}, before and after")]
    lines += [f"  {printable(subject)}" for subject in pair.subjects]
    lines += [f"    {printable(remark)}" for remark in pair.remarks]
    said = list(dict.fromkeys(_firmware(each) for each in (before, after)))
    lines += [f"  {line}" for line in said]
    remarks = dict.fromkeys((*before.remarks, *after.remarks))
    lines += [f"    {remark}" for remark in remarks]
    lines += [
        f"  {_kernel(before.predicted, before.predicted.table)}",
        f"  {before.qemu}, {plural(request.cpus, 'CPU')}, {before.qemu_s:.0f} s and "
        f"{after.qemu_s:.0f} s",
    ]
    if not pair.changes_table:
        lines.append(
            f"  The patches leave alone what this machine uses: the table in the place of "
            f"{after.place}"
        )
    lines += ["", *_registered(pair)]
    rows = [
        (one.name, _verdict(one), _verdict(other))
        for one, other in zip(before.stages, after.stages, strict=True)
    ]
    table = columns(("STAGE", "BEFORE", "AFTER"), rows)
    lines += ["", *(_coloured(line, style) for line in table.splitlines())]
    lines += _differences(before, style, " before")
    lines += _differences(after, style, " after")
    unconfirmed = dict.fromkeys((*before.unconfirmed, *after.unconfirmed))
    return lines + _last(unconfirmed, pair.directory.as_posix(), "these boots", style)


def _registered(pair: BootPair) -> list[str]:
    """Returns what Linux registers, predicted and found, and how often it was entered."""
    both = (pair.before, pair.after)
    columns_of = [(_predicted(each), _found(each)) for each in both]
    names = dict.fromkeys(name for pair in columns_of for times in pair for name in times)
    heads = ["STATE", "BEFORE: PREDICTED", "FOUND", "AFTER: PREDICTED", "FOUND"]
    rows = [
        [printable(name), *(_shown(times.get(name)) for pair in columns_of for times in pair)]
        for name in names
    ]
    counted = [each.entered for each in both if each.entered is not None]
    if len(counted) == len(both):
        heads += ["ENTERED BEFORE", "AFTER"]
        for name, row in zip(names, rows, strict=True):
            row += [str(entered.get(name, "-")) for entered in counted]
    return columns(tuple(heads), [tuple(row) for row in rows]).splitlines()


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
