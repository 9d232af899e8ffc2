"""The processors that the packaged specs say, and the tables that firmware takes for each.

A spec beside the packaged ones is as good: its table has its own `Processor`.

Sources of the packaged values: PVR values Linux arch/powerpc/include/asm/reg.h; chips skiboot
include/chip.h; CFAM chip ids hw/xscom.c xscom_init_chip_info() (POWER7's as of 16b7ae641^); levels
the tables of hw/slw.c and hdata/test/op920.wsp.dts, p10-rainier.dts; where the timebase stops
58913880c, and what POWER9's microcode says to a thread that wakes (open-power/hcode
import/chips/p9/procedures/ppe_closed/cme/stop_cme/p9_cme_stop_exit.c: levels 4 to 7
SOME_STATE_LOSS_BUT_NOT_TIMEBASE, from 8 on MOST_STATE_LOSS).
"""

from collections.abc import Iterator
from functools import cache

from ...base.model.processors import Chip, Processor, UnknownProcessor, Version
from . import compiled
from .loaded import Registry, TakenFor


def processors() -> tuple[Processor, ...]:
    """All processors of the packaged specs. A spec that cannot be read or has errors is left
    out."""
    if held := compiled.registry():
        return held.processors
    from . import loading  # YAML's parser is slow to import

    return loading.processors()


@cache
def variants() -> tuple[TakenFor, ...]:
    """The packaged tables that skiboot takes for some machines of their chips alone."""
    if held := compiled.registry():
        return held.variants
    from .library import packaged

    tables = packaged(lambda revision: not revision.historical)
    return tuple(TakenFor.of(each) for each in tables if each.cpu and each.firmware.is_special)


def registry() -> Registry:
    """All of it."""
    return Registry(processors(), variants())


def names() -> tuple[str, ...]:
    return tuple(processor.name for processor in processors())


def find(generation: str) -> Processor | None:
    """The processor of a generation, "power9"; None if no packaged spec says it."""
    return next((each for each in processors() if each.name == generation), None)


def named(generation: str) -> Processor:
    """Returns what `find` does. Raises UnknownProcessor where that is None."""
    found = find(generation)
    if found is None:
        raise UnknownProcessor(f"expected one of {', '.join(names())}, found {generation!r}")
    return found


def of_chip(chip: str) -> Processor | None:
    """The processor of a skiboot chip type; None if no packaged spec says it."""
    return next((each for each in processors() if each.chip(chip)), None)


@cache
def of_pvr(pvr: int) -> Processor | None:
    """The processor of a version (upper half of the PVR); None if no packaged spec says it."""
    return next((each for each in processors() if each.version(pvr)), None)


def versions() -> Iterator[Version]:
    """All versions of all processors."""
    for processor in processors():
        yield from processor.versions


def chips() -> Iterator[Chip]:
    """All chips of all processors."""
    for version in versions():
        yield from version.chips


def usual(processor: Processor, variant: str = "") -> str:
    """Name of the packaged table that skiboot takes for a processor. variant: of `TakenFor`."""
    mine = (each for each in variants() if each.generation == processor.name)
    found = (each.table for each in mine if each.variant == variant)
    return next(found, processor.table)


def assumed(isa300: bool) -> Processor:
    """The processor assumed for a table that names none: the first with its register. isa300: the
    register is PSSCR, else PMICR."""
    return named("power9" if isa300 else "power8")
