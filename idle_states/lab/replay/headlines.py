"""Headlines: a table's figures in a sentence, or what other tables change of the first one's."""

from collections.abc import Sequence

from ...base.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of every table. values: with their units, the first table's first."""

    what: str
    values: tuple[str, ...]


def compared(names: Sequence[str], measures: Sequence[Measure]) -> tuple[str, ...]:
    """A sentence on each table but the first: what changes, from what to what, then what stays. Of
    one table alone, its figures."""
    if len(names) == 1:
        return (f"{names[0]}: {'; '.join(f'{m.what} {m.values[0]}' for m in measures)}",)
    pairs = [_change(names, measures, number) for number in range(1, len(names))]
    return (*(text for text, _ in pairs), *(same for _, same in pairs if same))


def _change(names: Sequence[str], measures: Sequence[Measure], number: int) -> tuple[str, str]:
    changed, same = [], []
    for measure in measures:
        before, now = measure.values[0], measure.values[number]
        if before == now:
            same.append(f"{measure.what} {now}")
        else:
            changed.append(f"{measure.what} {before} → {now}")
    changes = "; ".join(changed) or "nothing changes"
    stays = f"{names[number]}, as {names[0]}: {'; '.join(same)}" if same else ""
    return f"{names[number]} instead of {names[0]}: {changes}", stays
