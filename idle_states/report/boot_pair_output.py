"""Two boots side by side: a tree before and after patches."""

from ..boot.result import BootPair, BootResult
from ..wording import plural
from .boot_output import coloured, differences, firmware, kernel, verdict
from .escapes.text import printable
from .style import Style
from .tables import columns

_Times = tuple[int, int]


def text(pair: BootPair, style: Style) -> str:
    before, after = pair.before, pair.after
    request = before.request
    name = printable(after.predicted.table.name)
    lines = [style("strong", f"{name} on {request.machine}, before and after")]
    lines += [f"  {printable(subject)}" for subject in pair.subjects]
    lines += [f"    {printable(remark)}" for remark in pair.remarks]
    said = list(dict.fromkeys(firmware(each) for each in (before, after)))
    lines += [f"  {line}" for line in said]
    remarks = dict.fromkeys((*before.remarks, *after.remarks))
    lines += [f"    {remark}" for remark in remarks]
    lines += [
        f"  {kernel(before)}",
        f"  {before.qemu}, {plural(request.smp, 'CPU')}, {before.qemu_s:.0f} s and "
        f"{after.qemu_s:.0f} s",
    ]
    if not pair.changes_table:
        lines.append(
            f"  The patches leave alone what this machine uses: the table in the place of "
            f"{after.place}"
        )
    lines += ["", *_states(pair)]
    rows = [
        (one.name, verdict(one), verdict(other))
        for one, other in zip(before.stages, after.stages, strict=True)
    ]
    table = columns(("STAGE", "BEFORE", "AFTER"), rows)
    lines += ["", *(coloured(line, style) for line in table.splitlines())]
    lines += differences(before, style, " before")
    lines += differences(after, style, " after")
    lines += ["", style("strong", "What these boots cannot confirm")]
    unconfirmed = dict.fromkeys((*before.unconfirmed, *after.unconfirmed))
    lines += [f"  {printable(line)}" for line in unconfirmed]
    lines += ["", f"Logs: {pair.directory.as_posix()}"]
    return "\n".join(lines) + "\n"


def _states(pair: BootPair) -> list[str]:
    """What Linux registers, predicted and found, before and after; and how often it was entered."""
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


def _predicted(result: BootResult) -> dict[str, _Times]:
    driver = result.predicted.driver
    if driver is None:
        return {}
    return {
        state.name: (state.exit_latency_us, state.target_residency_us) for state in driver.states
    }


def _found(result: BootResult) -> dict[str, _Times]:
    return {state.name: (state.latency_us, state.residency_us) for state in result.found}


def _shown(times: _Times | None) -> str:
    return "-" if times is None else f"{times[0]}/{times[1]} us"
