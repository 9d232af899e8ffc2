"""The processors that a change gives other states: those of intel_idle's list."""

from collections.abc import Iterator, Mapping, Sequence

from ...base.dataclass import dataclass
from ...base.model.beyond_opal import MatchedCpu
from ...base.wording import joined
from .tree import End

NOT_LISTED = "not listed"
BY_ACPI = "ACPI's states"


@dataclass(frozen=True, slots=True)
class ProcessorChange:
    """A processor that the list treats otherwise.

    name    as the kernel's headers call it, after the change if it is listed then
    before  None: it was not listed
    after   None: it is listed no more
    """

    name: str
    before: MatchedCpu | None
    after: MatchedCpu | None


def changed_processors(befores: Sequence[End], after: End) -> tuple[ProcessorChange, ...]:
    """The processors of which the list has another table or other settings, in the order of
    CPUID's numbers. befores: the parents; of a merge, only what no parent has counts."""
    first, *others = (dict(_changes(_known(end), _known(after))) for end in befores)
    return tuple(first[key] for key in sorted(first) if all(key in each for each in others))


def in_words(change: ProcessorChange) -> str:
    """Returns the list's treatment of a processor, before and after; where its table stays, the
    settings that change."""
    old, new = change.before, change.after
    if old is None or new is None or old.table != new.table:
        return f"{_treated(old)} -> {_treated(new)}"
    before, after = _settings(old), _settings(new)
    parts = [f"gains {text}" for text in after if text not in before]
    parts += [f"loses {text}" for text in before if text not in after]
    return f"{new.table or BY_ACPI}, {joined(parts)}"


def _treated(cpu: MatchedCpu | None) -> str:
    return NOT_LISTED if cpu is None else ", ".join((cpu.table or BY_ACPI, *_settings(cpu)))


def _settings(cpu: MatchedCpu) -> list[str]:
    return [name if value == 1 else f"{name} {value:#x}" for name, value in cpu.settings]


_Key = tuple[int, int, int]
"""Vendor, family, model."""


def _known(end: End) -> dict[_Key, MatchedCpu]:
    """The kernel takes the first row that fits."""
    found: dict[_Key, MatchedCpu] = {}
    for cpu in end.cpus:
        found.setdefault((cpu.vendor, cpu.family, cpu.model), cpu)
    return found


def _changes(
    before: Mapping[_Key, MatchedCpu], after: Mapping[_Key, MatchedCpu]
) -> Iterator[tuple[_Key, ProcessorChange]]:
    for key in before.keys() | after.keys():
        old, new = before.get(key), after.get(key)
        listed = new or old
        if listed is not None and _treated(old) != _treated(new):
            yield key, ProcessorChange(listed.name, old, new)
