"""IS319 unimplemented-level: a state asks for a stop level that the processor does not have.

What it does
    Compares RL, and the group of levels that MTL closes, with the levels of the processor: 0, 1,
    2, 4, 5, 8 and 11 on POWER9; 0, 2, 3 and 11 on POWER10. On POWER9 MTL names a group of four
    (3, 7 or 11), on POWER10 a level. Not reported where the processor is not known.

Why is this bad
    What the hardware does with a level it lacks is not defined: it may take the next lighter one
    or none. The latency and residency beside it describe nothing.

Example
    extends: power9
    override:
      stop4: {name: stop6, psscr: {rl: 6, mtl: 7, tr: 3, ec: 1, esl: 1}}

Use instead
    -   stop4: {name: stop6, psscr: {rl: 6, mtl: 7, tr: 3, ec: 1, esl: 1}}
    +   stop4: {psscr: {rl: 4, mtl: 7, tr: 3, ec: 1, esl: 1}}

Ground
    skiboot 15d9f3199 replaced RL=3, not implemented on POWER9, in its own idle loop; hw/slw.c
    tables and hdata/test/op920.wsp.dts, p10-rainier.dts list the levels.
"""

from ...base.wording import joined
from ..linux.stop_choice import OLD_FORMAT_MASK
from .is3_control import claimed_cpu, implemented_levels
from .rows import psscr_rows
from .rule import Rule, Severity, Subject, Verdicts

RULE = Rule("IS319", "unimplemented-level", Severity.ERROR, requires=("IS306",))


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    levels = implemented_levels(subject)
    cpu = claimed_cpu(subject)
    if not levels or cpu is None:
        return
    known = joined([str(level) for level in levels])
    grouped = cpu.processor.grouped_levels
    for row in psscr_rows(subject):
        psscr = row.state.psscr
        if psscr.rl not in levels:
            message = f"{row.name} requests level {psscr.rl}; {cpu.generation} has levels {known}"
            yield row.verdict("control.rl", message)
        if row.state.mask == OLD_FORMAT_MASK:
            continue
        first = psscr.mtl & ~3 if grouped else psscr.mtl
        if not any(first <= level <= psscr.mtl for level in levels):
            yield row.verdict(
                "control.mtl",
                f"{row.name} may continue to MTL={psscr.mtl}, but {cpu.generation} has no "
                f"such level, only {known}",
            )
