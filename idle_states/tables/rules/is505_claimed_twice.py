"""IS505 claimed-twice: a spec claims what another spec has.

What it does
    Compares what a spec claims with the packaged specs of today, and with the other specs of the
    same check, where the later one is reported: the generation, PVRs and chips of
    a processor that it defines; the machines that it says firmware takes its table for (quirk,
    EC levels, fused cores, of the same chips); and its C array, unless `shares` declares it. A
    spec with the name of the packaged one is that revision, changed, and claims nothing twice.

Why is this bad
    skiboot takes one table for a machine. Of two that claim it, one is never used, or a patch
    writes over the array of the other.

Example
    extends: power10
    firmware: {array: power10_cpu_idle_states}

Use instead
    extends: power10
    firmware: {array: example_cpu_idle_states, ec: 0x20}

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(): one chain of conditions on the chip, quirk,
    EC level and fused cores; idle_states/tables/spec/registry.py.
"""

from collections.abc import Iterable, Iterator, Mapping

from ...base.model.findings import Location
from ...base.model.table import IdleTable
from ..spec import registry
from .rule import Rule, Severity, Subject, Verdict, Verdicts

RULE = Rule("IS505", "claimed-twice", Severity.ERROR, forms=("spec",))


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    table = subject.table
    if table.read_from.kind != "spec" or table.historical:
        return
    yield from _of_processor(subject)
    name = table.name.partition("@")[0]
    known = {other.name for other in subject.others}
    new = [each for each in subject.earlier if each.name not in known and not each.historical]
    for other in (*subject.others, *new):
        if other.name != name and other.read_from.kind == "spec":
            yield from _of_firmware(subject, other)
    yield from _of_new_processors(subject, new)


def _of_new_processors(subject: Subject, earlier: Iterable[IdleTable]) -> Verdicts:
    """Yields what the spec claims that earlier specs of the check define."""
    own = subject.table.cpu.processor if subject.table.cpu else None
    others = {each.cpu.processor.name: each.cpu.processor for each in earlier if each.cpu}
    for other in others.values():
        if own is None or own == other or registry.find(other.name) or registry.find(own.name):
            continue
        if own.name == other.name:
            claims = ["generation"]
        else:
            claims = [what for what in other.where if what.startswith(("pvr ", "chip "))]
        for what in claims:
            if what in own.where:
                claim = f"generation {own.name}" if what == "generation" else what
                message = (
                    f"expected {claim} in one spec, found it in that of {other.name}, too, with "
                    "other values; give the new processor its own"
                )
                yield Verdict(own.where[what], message, related=_related(other.where, what))


def _of_processor(subject: Subject) -> Verdicts:
    """The generation, PVRs and chips of a processor that the spec defines."""
    own = subject.table.cpu.processor if subject.table.cpu else None
    if own is None or registry.find(own.name) == own:
        return
    packaged = registry.find(own.name)
    if packaged is not None:
        where = own.where.get("generation") or subject.at(None, "cpu")
        message = (
            f"expected a generation that no packaged spec defines, found {own.name}, which is "
            "defined with other values; give the new processor another name"
        )
        yield Verdict(where, message, related=_related(packaged.where, "generation"))
    for what, other in _claims(own.name, own.where):
        message = (
            f"expected a {what.partition(' ')[0]} that no packaged spec has, found {what}, which "
            f"is {other}'s; give the new processor's own, or extend {other} without versions"
        )
        taker = registry.named(other)
        yield Verdict(own.where[what], message, related=_related(taker.where, what))


def _claims(generation: str, claimed: Mapping[str, Location]) -> Iterator[tuple[str, str]]:
    """(what is claimed, the packaged generation that has it)."""
    for other in registry.processors():
        for what in other.where:
            known = what.startswith(("pvr ", "chip "))
            if known and other.name != generation and what in claimed:
                yield what, other.name


def _related(where: Mapping[str, Location], what: str) -> tuple[tuple[Location, str], ...]:
    place = where.get(what)
    return ((place, "claimed here first"),) if place else ()


def _of_firmware(subject: Subject, other: IdleTable) -> Verdicts:
    """The array, and the machines that the table is taken for."""
    table = subject.table
    own, theirs = table.firmware, other.firmware
    where = subject.at(None, "firmware")
    first = other.where.get("firmware") or other.where.get("table")
    related = ((first, f"{other.name} claims it here"),) if first else ()
    if own.array and own.array == theirs.array and not (own.shares or theirs.shares):
        message = (
            f"expected an array of {table.name}'s own, found {own.array}, which is {other.name}'s; "
            f"write shares: {other.name} instead of array, or give the array a name of its own"
        )
        yield Verdict(where, message, related=related)
    chips = set(table.cpu.chips if table.cpu else ()) & set(other.cpu.chips if other.cpu else ())
    if chips and own.is_special and theirs.is_special and own.overlaps(theirs):
        message = (
            f"expected machines that no other table is taken for, found those of {other.name} "
            f"(chips {', '.join(sorted(chips))}); give another quirk or EC range"
        )
        yield Verdict(where, message, related=related)
