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
    extends: power9
    drop: [stop8, stop11]
    override:
      stop4: {residency: 10ms}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init(), max_residency_ns, since
    4.11; 4.8 to 4.10 take the highest level.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject
from ..table import Psscr
from .is4_kernels import accepted, exported_rows, row_of, written_psscr
from .rule import Judged, Rule, per_kernel

RULE = Rule("IS411", "deepest-is-not-deepest", Severity.WARNING)


def check(subject: Subject) -> Iterator[Finding]:
    states = subject.table.states
    exported = list(exported_rows(subject))

    def judge(driver: DriverTable, release: Release) -> Iterator[Judged]:
        choice = driver.deepest_stop
        chosen = row_of(subject, choice.source) if choice else None
        if chosen is None:
            return
        depths = {
            row: _depth(written_psscr(state, release))
            for row, state in exported
            if accepted(subject, state, release)
        }
        deepest = max(depths, key=lambda row: depths[row], default=chosen)
        if chosen in depths and depths[deepest] > depths[chosen]:
            yield (
                subject.at(chosen, "residency"),
                f"offlined CPUs go to {states[chosen].name} for its residency, not to the deeper "
                f"{states[deepest].name} ({_text(depths[deepest])} against "
                f"{_text(depths[chosen])})",
            )

    for where, message, kernels in per_kernel(subject, judge):
        yield RULE.finding(subject, message, where, kernels=kernels)


def _depth(psscr: int) -> tuple[int, int]:
    fields = Psscr.from_int(psscr)
    return fields.rl, fields.esl


def _text(depth: tuple[int, int]) -> str:
    return f"level {depth[0]}, ESL={depth[1]}"
