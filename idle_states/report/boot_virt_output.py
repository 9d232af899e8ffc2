"""boot of a virt machine, for people."""

from collections.abc import Iterator

from ..boot.registered import with_counts
from ..boot.virt.result import VirtResult
from ..wording import joined, plural
from .boot_output import modelled, rest, verdicts
from .escapes.text import printable
from .style import Style
from .tables import columns

_NONE = "-"


def text(result: VirtResult, style: Style) -> str:
    request, predicted = result.request, result.predicted
    machine = request.of_machine
    kernel = modelled(predicted.kernel, predicted.release, predicted.tables[0])
    lines = [
        style("strong", f"{printable(result.table)} on {request.machine}"),
        f"  CPUs as {joined([printable(name) for name in result.places])}; {machine.firmware}",
        f"  {kernel}, governor {printable(result.governor)}",
        f"  {result.qemu}, {plural(request.smp, 'CPU')}, {result.qemu_s:.0f} s",
        "",
        *verdicts(result, style),
        "",
    ]
    rows = [*_states(result)]
    if rows:
        head = ("CPU", "STATE", "LATENCY/RESIDENCY", "ENTERED", "REFUSED")
        lines += columns(head, rows).splitlines()
    else:
        lines.append("No CPU registered a state.")
    if result.domains:
        shown = [
            (printable(name), f"S{state}", str(count)) for name, state, count in result.domains
        ]
        lines += ["", *columns(("POWER DOMAIN", "STATE", "ENTERED"), shown).splitlines()]
    return "\n".join([*lines, *rest(result, style)]) + "\n"


def _states(result: VirtResult) -> Iterator[tuple[str, ...]]:
    """What the guest shows, with what was counted during the work."""
    for cpu in sorted(result.found):
        for state, counts in with_counts(result.found, result.counted, cpu):
            entered, refused = (counts.usage, counts.rejected) if counts else (None, None)
            yield (
                str(cpu),
                printable(state.name),
                f"{state.latency_us}/{state.residency_us} us",
                _NONE if entered is None else str(entered),
                _NONE if refused is None else str(refused),
            )
