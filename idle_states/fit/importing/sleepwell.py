"""SleepWell's results: a directory of files, a whole number on each line, a line each measurement.

wakeup_time is ns from the HPET's interrupt (an NMI) to the first instruction;
pkg_energy_consumption is tenths of a uJ over a window of WINDOW_S. A directory of a state's name
holds what was measured with that state forced.

Source: TUD-OS/SleepWell 75e48a5.
"""

import re

from ...findings import unreadable
from ...measured import Energy, Latency, Measured, Samples, Stay
from ...reading import limits, opening
from .output import Told, ToolOutput, output_of

WINDOW_S = 0.1
WAKEUP, ENERGY, TSC = "wakeup_time", "pkg_energy_consumption", "total_tsc"
UNUSED = "package energies: which state was forced and how often CPUs were woken is not said"
NMI = "woken by the HPET's NMI with interrupts off"
_PACKAGE = re.compile(r"pkg_c([2-7])")
_STATE = re.compile(r"POLL|C[0-9]{1,2}[A-Z]{0,2}|snooze|stop[0-9]{1,2}(?:_lite)?|CEDE")


def is_result(tree: opening.Tree) -> bool:
    return tree.is_file(WAKEUP) or tree.is_file(ENERGY)


def read(tree: opening.Tree, told: Told) -> Measured:
    """Raises Unreadable (IS930)."""
    state = told.state or _named(tree)
    latencies: list[Latency] = []
    energies: list[Energy] = []
    left_out: dict[str, int] = {}
    notes = []
    wakeups, first = _numbers(tree, WAKEUP)
    if wakeups:
        samples = Samples(tuple(map(float, wakeups)))
        latencies.append(Latency(state, "timer", samples, where=first.place(1)))
        notes.append(NMI)
    consumed, second = _numbers(tree, ENERGY)
    if consumed and state is not None and told.period_ns is not None:
        energies = [
            Energy(
                state,
                told.period_ns,
                tenths * 1e-7 / WINDOW_S,
                WINDOW_S,
                domain="package",
                where=second.place(line),
            )
            for line, tenths in enumerate(consumed, 1)
        ]
    elif consumed:
        left_out[UNUSED] = len(consumed)
    source = first if wakeups else second
    if not wakeups and not consumed:
        raise unreadable(tree.shown(WAKEUP), "expected whole numbers, one a line, found none", 1)
    return source.measured(
        "SleepWell",
        *notes,
        latencies=latencies,
        energies=energies,
        stays=_stays(tree),
        left_out=left_out,
    )


def _named(tree: opening.Tree) -> str | None:
    """The state that the directory is named after."""
    name = tree.path.resolve().name
    return name if _STATE.fullmatch(name) else None


def _numbers(tree: opening.Tree, name: str) -> tuple[list[int], ToolOutput]:
    if not tree.is_file(name):
        return [], output_of(tree.shown(name), b"")
    output = output_of(tree.shown(name), tree.read(name, limits.MEASURED_BYTES))
    return [
        output.count(line.strip(), number, name)
        for number, line in output.numbered()
        if line.strip()
    ], output


def _stays(tree: opening.Tree) -> list[Stay]:
    """Shares of package states: their cycles by all cycles of the window."""
    cycles, _ = _numbers(tree, TSC)
    whole = sum(cycles)
    found = []
    for entry in sorted(entry.name for entry in tree.entries() if entry.kind == opening.FILE):
        match = _PACKAGE.fullmatch(entry)
        if match and whole:
            part, output = _numbers(tree, entry)
            if sum(part) > whole:
                message = f"expected at most the {whole} cycles of {TSC}, found {sum(part)}"
                raise output.refused(message, 1)
            found.append(Stay(f"PC{match[1]}", None, True, share=sum(part) / whole))
    return found
