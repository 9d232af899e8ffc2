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
_Block = list[str]
"""Lines; between blocks there is an empty one."""


def text(result: BootResult | BootPair, style: Style) -> str:
    if isinstance(result, BootPair):
        blocks = _pair(result, style)
    else:
        blocks = [*_about(result, style), *_differences(result, style)]
        blocks += _last(result.unconfirmed, result.directory.as_posix(), "this boot", style)
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _about(result: BootResult, style: Style) -> Iterator[_Block]:
    """Yields what was booted, each stage's verdict, and what the guest shows."""
    model, machine, shown = "", result.request.machine, list[_Block]()
    if isinstance(result, PowernvResult):
        table = result.predicted.table
        name = table.name
        about = [_firmware(result), *(f"  {remark}" for remark in result.remarks)]
    elif isinstance(result, VirtResult):
        name, table = result.table, result.predicted.tables[0]
        about = [f"CPUs as {_names(result.places)}; {VIRT[machine].firmware}"]
        shown = list(_of_virt(result))
    else:
        assert isinstance(result, Q35Result)
        name, table, machine = result.table, result.predicted.placed.tables[0], "q35"
        about = [f"processors with the objects of {_names(result.places)}"]
        model = f" ({printable(result.request.cpu or CPU)})"
        shown = list(_of_q35(result))
    kernel = _kernel(result.predicted, table)
    if isinstance(result, VirtResult) or (isinstance(result, Q35Result) and result.governor):
        kernel += f", governor {printable(result.governor)}"
    head = [*about, kernel, f"{_qemu(result)}{model}, {result.qemu_s:.0f} s"]
    yield [style("strong", f"{printable(name)} on {machine}"), *(f"  {line}" for line in head)]
    yield _verdicts(result, style)
    yield from shown


def _qemu(result: BootResult) -> str:
    return f"{result.qemu}, {plural(result.request.cpus, 'CPU')}"


def _names(places: Iterable[str]) -> str:
    return joined([printable(name) for name in places])


def _of_virt(result: VirtResult) -> Iterator[_Block]:
    yield _states(result, _STATE, _TIMES, _ENTERED, _REFUSED) or [_NONE]
    if result.domains:
        rows = [(name, f"S{state}", str(count)) for name, state, count in result.domains]
        yield columns(("POWER DOMAIN", "STATE", "ENTERED"), rows).splitlines()


def _of_q35(result: Q35Result) -> Iterator[_Block]:
    none = f"The kernel crashed in {printable(result.crash)}." if result.crash else _NONE
    yield _states(result, _STATE, _DESCRIPTION, _TIMES, _ENTERED) or [none]
    if result.messages:
        yield [f"  {printable(message)}" for message in result.messages]


def _states(result: GuestResult, *of_state: _Column) -> _Block:
    """Lines with what the guest shows, and what was counted during the work; none if no CPU
    registered a state."""
    rows = [
        (str(cpu), *("-" if (cell := of(*pair)) is None else str(cell) for _, of in of_state))
        for cpu in sorted(result.found)
        for pair in with_counts(result.found, result.counted, cpu)
    ]
    heads = ("CPU", *(head for head, _ in of_state))
    return columns(heads, rows).splitlines() if rows else []


def _verdicts(result: BootResult, style: Style) -> _Block:
    rows = [(stage.name, _verdict(stage), _judged(stage)) for stage in result.stages]
    return _coloured(columns(("STAGE", "VERDICT", "JUDGED"), rows), style)


def _last(unconfirmed: Iterable[str], logs: str, which: str, style: Style) -> list[_Block]:
    """What is not confirmed, and where the logs are. which: boots."""
    head = style("strong", f"What {which} cannot confirm")
    return [[head, *(f"  {printable(line)}" for line in unconfirmed)], [f"Logs: {logs}"]]


def _differences(result: BootResult, style: Style, of: str = "") -> Iterator[_Block]:
    """What is not as predicted. of: which boot, for the headings."""
    for stage in result.stages:
        if stage.differences:
            yield [style("strong", f"Differences{of}: {stage.name}"), *_differing(stage)]


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
        return stage.note
    said = plural(stage.judged, unit).replace("propertys", "properties")
    if stage.undetermined:
        said += f"; {stage.undetermined} undetermined: {stage.note}"
    elif stage.note:
        said += f"; {stage.note}"
    return said


def _coloured(table: str, style: Style) -> _Block:
    """The lines of a table of verdicts."""
    return [
        style("error", line)
        if " differ " in line
        else style("faint", line)
        if "not judged" in line
        else line
        for line in table.splitlines()
    ]


def _differing(stage: Stage) -> list[str]:
    lines = []
    for each in stage.differences[:_MOST_SHOWN]:
        lines.append(f"  {printable(each.path)}")
        lines.append(f"    predicted: {printable(each.predicted) or 'nothing'}")
        lines.append(f"    found:     {printable(each.found) or 'nothing'}")
    more = len(stage.differences) - _MOST_SHOWN
    return [*lines, f"  and {more} more"] if more > 0 else lines


def _pair(pair: BootPair, style: Style) -> list[_Block]:
    before, after = pair.before, pair.after
    lines = [*map(printable, pair.subjects), *(f"  {printable(one)}" for one in pair.remarks)]
    lines += dict.fromkeys((_firmware(before), _firmware(after)))
    lines += [f"  {remark}" for remark in dict.fromkeys((*before.remarks, *after.remarks))]
    lines.append(_kernel(before.predicted, before.predicted.table))
    lines.append(f"{_qemu(before)}, {before.qemu_s:.0f} s and {after.qemu_s:.0f} s")
    if not pair.changes_table:
        lines.append(
            f"The patches leave alone what this machine uses: the table in the place of "
            f"{after.place}"
        )
    name = printable(after.predicted.table.name)
    head = style("strong", f"{name} on {before.request.machine}, before and after")
    rows = [
        (one.name, _verdict(one), _verdict(other))
        for one, other in zip(before.stages, after.stages, strict=True)
    ]
    unconfirmed = dict.fromkeys((*before.unconfirmed, *after.unconfirmed))
    return [
        [head, *(f"  {line}" for line in lines)],
        _registered(pair),
        _coloured(columns(("STAGE", "BEFORE", "AFTER"), rows), style),
        *_differences(before, style, " before"),
        *_differences(after, style, " after"),
        *_last(unconfirmed, pair.directory.as_posix(), "these boots", style),
    ]


def _registered(pair: BootPair) -> list[str]:
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
