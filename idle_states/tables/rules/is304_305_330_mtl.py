"""IS304 mtl-below-rl: the maximum transition level is below the requested level.

What it does
    Compares MTL and RL of each PSSCR value. A mask of 0xf is left out: there the kernel sets
    MTL.

Why is this bad
    MTL is how far the hardware may go from RL by itself; below RL it has no meaning. Mostly the
    two were exchanged, or RL was raised in a copied row.

Example
    extends: power9
    override:
      stop5: {psscr: {rl: 5, mtl: 4, tr: 3, ec: 1, esl: 1}}

Use instead
    -   stop5: {psscr: {rl: 5, mtl: 4, tr: 3, ec: 1, esl: 1}}
    +   stop5: {psscr: {rl: 5, mtl: 7, tr: 3, ec: 1, esl: 1}}

Ground
    Power ISA 3.0B, PSSCR, RL and MTL. Every table in skiboot's history has MTL >= RL.

IS305 mtl-crosses-loss-level: the hardware may take a state to a level that loses more.

What it does
    Finds the lowest level from which Linux takes SPRs for lost (RL of the first state with
    LOSE_FULL_CONTEXT or TIMEBASE_STOP) and the timebase for stopped (TIMEBASE_STOP). A state
    requested below one of them must have its MTL below it too.

Why is this bad
    Linux saves SPRs by the level it requests, and restores by the level it was in. A CPU that asked
    for stop2 and was taken on to level 4 wakes with its SPRs gone and nothing saved:
    BUG_ON(!sprs_saved). If the timebase stops under a state without that flag, its timer stops too
    and nothing was arranged to wake the CPU.

Example
    extends: power9
    override:
      stop2: {psscr: {rl: 2, mtl: 7, tr: 3, ec: 1, esl: 1}}

Use instead
    -   stop2: {psscr: {rl: 2, mtl: 7, tr: 3, ec: 1, esl: 1}}
    +   stop2: {psscr: {rl: 2, mtl: 3, tr: 3, ec: 1, esl: 1}}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c power9_idle_stop(), deep_spr_loss_state and
    pnv_first_tb_loss_level, since 10d91611f426 (5.2). Concluded from the code; no report of the
    crash is known.

IS330 mtl-outside-group: MTL does not close the group of levels that RL belongs to.

What it does
    Expects MTL 3, 7 or 11 for RL 0-3, 4-7 and 8-11 on POWER9, and MTL = RL on POWER10 and POWER11.
    MTL below RL is left to IS304, a mask of 0xf to IS309. Not reported where the processor is not
    known.

Why is this bad
    The hardware may go on from RL to MTL by itself. Every table lets it use its group and no
    more: a smaller MTL forgoes savings, a greater one may cost latency or context that the row
    does not admit.

Example
    extends: power9
    override:
      stop1: {psscr: {rl: 1, mtl: 2, tr: 3, ec: 1, esl: 1}}

Use instead
    -   stop1: {psscr: {rl: 1, mtl: 2, tr: 3, ec: 1, esl: 1}}
    +   stop1: {psscr: {rl: 1, mtl: 3, tr: 3, ec: 1, esl: 1}}

Ground
    skiboot hw/slw.c: all POWER9 tables since 739063fb7, POWER10's since 1cb7b37c9.
"""

from ...base.model.table import Flag
from ...base.wording import joined
from .is3_control import claimed_cpu, stop_rows
from .rows import StateRow, every_row
from .rule import Rule, Severity, Subject, Verdicts

BELOW = Rule("IS304", "mtl-below-rl", Severity.ERROR, requires=("IS306", "IS319"))
CROSSING = Rule("IS305", "mtl-crosses-loss-level", Severity.ERROR)
OUTSIDE = Rule(
    "IS330", "mtl-outside-group", Severity.WARNING, requires=("IS304", "IS305", "IS306", "IS319")
)
RULES = (BELOW, CROSSING, OUTSIDE)
_SPR_LOSS = Flag.LOSE_FULL_CONTEXT | Flag.TIMEBASE_STOP
_DEEPEST = 11


@BELOW.of_each(stop_rows)
def check_order(row: StateRow) -> Verdicts:
    psscr = row.state.psscr
    if psscr.mtl < psscr.rl:
        found = f"MTL={psscr.mtl} below RL={psscr.rl} in PSSCR {row.state.control:#x}"
        yield row.verdict("control.mtl", f"{row.name} has {found}")


@CROSSING.of_table
def check_losses(subject: Subject) -> Verdicts:
    losses = [
        (first, what)
        for flags, what in ((_SPR_LOSS, "loses SPRs"), (Flag.TIMEBASE_STOP, "stops the timebase"))
        if (first := _first(subject, flags)) is not None
    ]
    for row in stop_rows(subject):
        psscr = row.state.psscr
        crossed = [each for each in losses if psscr.rl < each[0].state.level <= psscr.mtl]
        if not crossed:
            continue
        levels = [f"level {first.state.level}, which {what}" for first, what in crossed]
        place2remark = {first.at("flags"): f"by {first.name}" for first, _ in crossed}
        yield row.verdict(
            "control.mtl",
            f"{row.name} requests level {psscr.rl}, but MTL={psscr.mtl} lets it reach "
            + joined(levels),
            related=place2remark.items(),
        )


def _first(subject: Subject, flags: int) -> StateRow | None:
    """Row with the lowest level among those with one of the flags."""
    having = (row for row in every_row(subject) if row.state.flags & flags)
    return min(having, key=lambda row: row.state.level, default=None)


@OUTSIDE.of_each(stop_rows)
def check_group(row: StateRow) -> Verdicts:
    cpu, psscr = claimed_cpu(row.subject), row.state.psscr
    if cpu is None or psscr.rl > _DEEPEST or psscr.mtl < psscr.rl:
        return
    expected = psscr.rl | 3 if cpu.processor.grouped_levels else psscr.rl
    if psscr.mtl != expected:
        yield row.verdict(
            "control.mtl",
            f"{row.name} has RL={psscr.rl} and MTL={psscr.mtl}; {cpu.generation} tables have "
            f"MTL={expected}",
        )
