"""boot of q35, for people."""

from collections.abc import Iterator

from ..boot.q35.result import Q35Result
from ..boot.registered import with_counts
from ..wording import joined, plural
from .boot_output import modelled, rest, verdicts
from .escapes.text import printable
from .style import Style
from .tables import columns

_NONE = "-"


def text(result: Q35Result, style: Style) -> str:
    request, predicted = result.request, result.predicted
    kernel = modelled(predicted.kernel, predicted.release, predicted.placed.tables[0])
    governor = f", governor {printable(result.governor)}" if result.governor else ""
    lines = [
        style("strong", f"{printable(result.table)} on q35"),
        f"  processors with the objects of {joined([printable(name) for name in result.places])}",
        f"  {kernel}{governor}",
        f"  {result.qemu}, {plural(request.smp, 'CPU')} ({printable(request.cpu)}), "
        f"{result.qemu_s:.0f} s",
        "",
        *verdicts(result, style),
        "",
    ]
    rows = [*_states(result)]
    if rows:
        head = ("CPU", "STATE", "DESCRIPTION", "LATENCY/RESIDENCY", "ENTERED")
        lines += columns(head, rows).splitlines()
    elif result.crash:
        lines.append(f"The kernel crashed in {printable(result.crash)}.")
    else:
        lines.append("No CPU registered a state.")
    if result.messages:
        lines += ["", *(f"  {printable(message)}" for message in result.messages)]
    return "\n".join([*lines, *rest(result, style)]) + "\n"


def _states(result: Q35Result) -> Iterator[tuple[str, ...]]:
    """What the guest shows, with what was counted during the work."""
    for cpu in sorted(result.found):
        for state, counts in with_counts(result.found, result.counted, cpu):
            entered = counts and counts.usage
            yield (
                str(cpu),
                printable(state.name),
                printable(state.description),
                f"{state.latency_us}/{state.residency_us} us",
                _NONE if entered is None else str(entered),
            )
