"""The machines for which a change of skiboot makes it choose another table."""

from collections.abc import Iterator, Sequence
from itertools import product

from ...base.dataclass import dataclass
from ...base.reading.c.lexer import UnsupportedC
from ...base.wording import joined
from ...tables.skiboot.choosing import LATEST_EC, Choosing, MachineKind
from .tree import End


@dataclass(frozen=True, slots=True)
class ChoiceChange:
    """Machines that take another table.

    machines       in words: chip, EC level, quirk, fused cores; what is not named may be any
    before, after  arrays; "" for no table
    """

    machines: tuple[str, ...]
    before: str
    after: str


def changed_choices(before: End, after: End) -> tuple[ChoiceChange, ...]:
    """The machines that are given another table, or none, those with the same change together. None
    where one of the ends has no code that chooses, or has it in a form that is not understood."""
    old, new = _choosing(before), _choosing(after)
    if old is None or new is None:
        return ()
    try:
        kinds = old.machines(new.machines(old.machines()))
    except UnsupportedC:
        return ()
    steps: dict[tuple[str, str], list[MachineKind]] = {}
    for machine in kinds:
        a, b = old.table_for(machine), new.table_for(machine)
        if a.array != b.array and a.doubt is None and b.doubt is None:
            steps.setdefault((a.array, b.array), []).append(machine)
    return tuple(
        ChoiceChange(tuple(_in_words(machines, kinds)), *step) for step, machines in steps.items()
    )


def in_words(change: ChoiceChange) -> str:
    """A line such as: chip P10, QUIRK_QEMU: power10_cpu_idle_states -> mine_cpu_idle_states."""
    arrays = [array or "no table" for array in (change.before, change.after)]
    return f"{'; '.join(change.machines)}: {' -> '.join(arrays)}"


def _choosing(end: End) -> Choosing | None:
    codes = (source.code for source in end.sources)
    return next((code.choosing for code in codes if code is not None), None)


_Key = tuple[int, frozenset[str], bool]
"""EC level, quirks, whether cores are fused."""


def _in_words(machines: Sequence[MachineKind], kinds: Sequence[MachineKind]) -> Iterator[str]:
    """Yields descriptions that together are all of these machines, of all kinds that are told
    apart; chips that are alike together."""
    chip2keys: dict[str, set[_Key]] = {}
    for machine in machines:
        key = machine.ec, machine.quirks, machine.fused
        chip2keys.setdefault(machine.chip, set()).add(key)
    whole = {(machine.ec, machine.quirks, machine.fused) for machine in kinds}
    texts2chips: dict[tuple[str, ...], list[str]] = {}
    for chip, keys in chip2keys.items():
        texts2chips.setdefault(tuple(_boxes(keys, whole)), []).append(chip)
    for texts, chips in texts2chips.items():
        for text in texts:
            yield f"chip {joined(chips)}{text}"


def _boxes(keys: set[_Key], whole: set[_Key]) -> Iterator[str]:
    """Yields keys as boxes: all combinations of some EC levels, quirks and sides."""
    left = set(keys)
    while left:
        ec, quirk, _ = min(left, key=lambda key: (-key[0], sorted(key[1]), key[2]))
        sides = {f for f in (False, True) if (ec, quirk, f) in keys}
        levels = {e for e, *_ in whole if all((e, quirk, f) in keys for f in sides)}
        quirks = {q for _, q, _ in whole if set(product(levels, [q], sides)) <= keys}
        left -= set(product(levels, quirks, sides))
        yield _levels(levels, sorted({e for e, *_ in whole})) + _rest(quirks, sides, whole)


def _levels(levels: set[int], every: Sequence[int]) -> str:
    """EC levels as ranges of those that are told apart."""
    if len(levels) == len(every):
        return ""
    runs: list[list[int]] = []
    for number, level in enumerate(every):
        if level in levels:
            if number and every[number - 1] in levels:
                runs[-1].append(level)
            else:
                runs.append([level])
    return f", EC {joined([_range(run, every) for run in runs])}"


def _range(run: Sequence[int], every: Sequence[int]) -> str:
    if run[-1] == LATEST_EC:
        return f"{run[0]:#04x} and later"
    if run[0] == every[0]:
        return f"{run[-1]:#04x} and earlier"
    return f"{run[0]:#04x}" if run[0] == run[-1] else f"{run[0]:#04x} to {run[-1]:#04x}"


def _rest(quirks: set[frozenset[str]], sides: set[bool], whole: set[_Key]) -> str:
    every, both = {q for _, q, _ in whole}, {f for _, _, f in whole}
    words = ""
    if quirks != every:
        names = sorted(name for quirk in quirks for name in quirk)
        others = sorted(name for quirk in every - quirks for name in quirk)
        words = f", without {joined(others, 'or')}" if frozenset() in quirks else ""
        words = words or f", {joined(names, 'or')}"
    if sides != both:
        words += ", fused cores" if True in sides else ", cores not fused"
    return words
