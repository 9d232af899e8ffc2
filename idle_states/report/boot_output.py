"""boot, for people and for programs."""

from ..boot.predict import Stage
from ..boot.q35.result import Q35Result
from ..boot.result import BootResult
from ..boot.virt.result import VirtResult
from ..linux.grounds import driver_of, ground
from ..linux.releases import Release
from ..table import IdleTable
from ..wording import plural
from .escapes.text import printable
from .style import Style
from .tables import columns

AnyResult = BootResult | Q35Result | VirtResult
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


def text(result: BootResult, style: Style) -> str:
    request = result.request
    lines = [
        style("strong", f"{printable(result.predicted.table.name)} on {request.machine}"),
        f"  {firmware(result)}",
        *(f"    {remark}" for remark in result.remarks),
        f"  {kernel(result)}",
        f"  {result.qemu}, {plural(request.smp, 'CPU')}, {result.qemu_s:.0f} s",
        "",
    ]
    lines += [*verdicts(result, style), *rest(result, style)]
    return "\n".join(lines) + "\n"


def verdicts(result: AnyResult, style: Style) -> list[str]:
    """Lines with each stage's verdict."""
    rows = [(stage.name, verdict(stage), _judged(stage)) for stage in result.stages]
    table = columns(("STAGE", "VERDICT", "JUDGED"), rows)
    return [coloured(line, style) for line in table.splitlines()]


def rest(result: AnyResult, style: Style) -> list[str]:
    """Lines on what differs, what is not confirmed, and where the logs are."""
    return [
        *differences(result, style),
        "",
        style("strong", "What this boot cannot confirm"),
        *(f"  {printable(line)}" for line in result.unconfirmed),
        "",
        f"Logs: {result.directory.as_posix()}",
    ]


def differences(result: AnyResult, style: Style, of: str = "") -> list[str]:
    """Lines on what is not as predicted. of: which boot, for the headings."""
    lines: list[str] = []
    for stage in result.stages:
        if stage.differences:
            lines += ["", style("strong", f"Differences{of}: {stage.name}")]
            lines += _differences(stage)
    return lines


def firmware(result: BootResult) -> str:
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


def kernel(result: BootResult) -> str:
    """The kernel that was booted, and what it is modelled as."""
    return modelled(result.predicted.kernel, result.predicted.release, result.predicted.table)


def modelled(uname: str, release: Release | None, table: IdleTable) -> str:
    """A guest's kernel, and what it is modelled as for a table."""
    if release is None:
        return f"{printable(uname)}, no model of it"
    known = ground(release, driver_of(table))
    how = "" if known.kind == "compiled" else f" (its driver {known})"
    return f"{printable(uname)}, modelled as {release.name}{how}"


def verdict(stage: Stage) -> str:
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


def coloured(line: str, style: Style) -> str:
    if " differ " in line:
        return style("error", line)
    return style("faint", line) if "not judged" in line else line


def _differences(stage: Stage) -> list[str]:
    lines = []
    for each in stage.differences[:_MOST_SHOWN]:
        lines.append(f"  {printable(each.path)}")
        lines.append(f"    predicted: {printable(each.predicted) or 'nothing'}")
        lines.append(f"    found:     {printable(each.found) or 'nothing'}")
    more = len(stage.differences) - _MOST_SHOWN
    return [*lines, f"  and {more} more"] if more > 0 else lines
