"""Small source trees with the marks that tell features, and nothing else of a kernel."""

from collections.abc import Mapping
from pathlib import Path

MAKEFILE = "VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 141\nEXTRAVERSION =\n"
POWERNV = "drivers/cpuidle/cpuidle-powernv.c"
PSERIES = "drivers/cpuidle/cpuidle-pseries.c"
MENU = "drivers/cpuidle/governors/menu.c"
FILES = {
    "Makefile": MAKEFILE,
    POWERNV: "int stop_loop, psscr_mask, strscpy; int get_snooze_timeout(int i) { return i; }",
    PSERIES: 'struct row shared_states[] = {{.name = "snooze"}};',
    "kernel/sched/idle.c": "void cpuidle_idle_call(void) { call_cpuidle_s2idle(1); }",
}
POLLING = {name: f"{FILES[name]} int flags = CPUIDLE_FLAG_POLLING;" for name in (POWERNV, PSERIES)}


def tree(folder: Path, changed: Mapping[str, str] | None = None) -> Path:
    """Writes a tree with some files changed, and returns its folder."""
    for name, text in {**FILES, **(changed or {})}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder
