"""The effects of a change to skiboot's export code, by machine: states that appear or vanish."""

from collections.abc import Iterator

from ...base.dataclass import replace
from ...base.model.processors import Processor
from ...base.wording import joined
from ...tables.diff.tables import ABSENT, Difference
from ...tables.skiboot.export import Export, export
from ...tables.skiboot.platform import ALL_LEVELS, PRESETS, Platform
from ...tables.skiboot.releases import ExportCode
from ...tables.sources import Source
from ...tables.spec import registry
from ...tables.spec.library import packaged

_FUSED = replace(ALL_LEVELS, name="fused-core", fused_core=True)
_DD1 = replace(ALL_LEVELS, name="dd1", ec=0x10)
_GENERATION = {"op920": "power9", "rainier": "power10", "dd1": "power9", "fused-core": "power9"}


def exported_otherwise(before: Source, after: Source, usual: Platform) -> list[Difference]:
    """The states that appear or vanish on the machines that take the table, where the code that
    exports it changes; machines with the same effect together.

    usual: the platform whose export is compared anyway
    """
    if before.code is None or after.code is None or before.code == after.code:
        return []
    if usual.skiboot is not None:
        return []
    effects: dict[tuple[str, str], list[str]] = {}
    for machine in _machines(before.code, after.code):
        if machine == usual:
            continue
        old, new = _names(before, machine), _names(after, machine)
        for effect in (
            (_list(name for name in old if name not in new), ABSENT),
            (ABSENT, _list(name for name in new if name not in old)),
        ):
            if effect != (ABSENT, ABSENT):
                effects.setdefault(effect, []).append(machine.name)
    return [Difference("export", f"on {joined(on)}", *effect) for effect, on in effects.items()]


def _machines(before: ExportCode, after: ExportCode) -> Iterator[Platform]:
    """The machines that exports are compared on: the presets, and those for which either code has a
    case of its own."""
    yield from PRESETS.values()
    features = before.features, after.features
    if any(each.fused_core for each in features):
        yield _FUSED
    if any(each.dd1 for each in features):
        yield _DD1
    for chip in sorted(before.chips ^ after.chips):
        yield replace(ALL_LEVELS, name=f"chip {chip}", chip=chip)


def _list(names: Iterator[str]) -> str:
    return " ".join(names) or ABSENT


def _names(source: Source, machine: Platform) -> tuple[str, ...]:
    """The states that a machine has of a table; none if it takes another."""
    table = source.table
    if table is None or table.cpu is None or not _fits(machine, table.cpu.processor):
        return ()
    made: Export = export(table, machine, source.code)
    if made.chosen not in _revisions(source):
        return ()
    return tuple(table.states[index].name for index in made.indices)


def _fits(machine: Platform, processor: Processor) -> bool:
    if machine.name.startswith("qemu-"):
        return machine.name == f"qemu-{processor.machine}"
    return _GENERATION.get(machine.name, processor.name) == processor.name


def _revisions(source: Source) -> set[str]:
    """The packaged revisions that a table is in this tree: by its role, or by its array's name."""
    table = source.table
    assert table is not None
    array = table.firmware.array
    found = {known.name for known in packaged() if known.firmware.array == array != ""}
    role = dict(source.code.roles).get(array) if source.code else None
    if role is not None:
        chips = filter(None, map(registry.of_chip, role.chips))
        found |= {registry.usual(processor, role.variant) for processor in chips}
    return found
