"""IS411 deepest-is-not-deepest: offlined CPUs stop at a lighter level than the tree offers.

What it does
    Compares the state a kernel picks for offlined CPUs with the deepest of the exported states
    it accepts: by level, at the same level by ESL.

Why is this bad
    Linux takes the greatest target residency for the greatest depth, the first of equals.
    A residency out of order, or a tie, sends offlined CPUs to a lighter state: they save less,
    and as POWER9 pairs and quads go as deep as their lightest core, hold back their neighbours.

Example
    extends: power9
    drop: [stop8, stop11]
    override:
      stop4: {residency: 30ms}

Use instead
    -   stop4: {residency: 30ms}
    +   stop4: {residency: 10ms}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init(), max_residency_ns, since
    4.11; 4.8 to 4.10 take the highest level.
"""

from ...base.model.table import Psscr
from .is4_kernels import accepted, exported_rows, row_of, written_psscr
from .rows import every_row
from .rule import KernelView, Rule, Severity, Verdicts

RULE = Rule("IS411", "deepest-is-not-deepest", Severity.WARNING)


@RULE.of_each_driver
def check(view: KernelView) -> Verdicts:
    subject, choice = view.subject, view.driver.deepest_stop
    chosen = row_of(subject, choice.source) if choice else None
    if chosen is None:
        return
    depths = {
        row.number: _depth(written_psscr(row.state, view.release))
        for row in exported_rows(subject)
        if accepted(subject, row.state, view.release)
    }
    deepest = max(depths, key=lambda row: depths[row], default=chosen)
    if chosen in depths and depths[deepest] > depths[chosen]:
        rows = every_row(subject)
        row, deeper = rows[chosen], rows[deepest]
        yield row.verdict(
            "residency",
            f"offlined CPUs go to {row.name} for its residency, not to the deeper {deeper.name} "
            f"({_text(depths[deepest])} against {_text(depths[chosen])})",
        )


def _depth(psscr: int) -> tuple[int, int]:
    fields = Psscr.from_int(psscr)
    return fields.rl, fields.esl


def _text(depth: tuple[int, int]) -> str:
    return f"level {depth[0]}, ESL={depth[1]}"
