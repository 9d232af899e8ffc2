"""What the IS5xx rules share: the tables that describe the same states as a subject's."""

from collections.abc import Iterator

from ...base.model.table import IdleTable
from ..identify import is_called, is_main
from ..pipeline import Subject
from .is3_control import claimed_cpu, home


def siblings(subject: Subject) -> Iterator[IdleTable]:
    """Tables whose rows the subject's should equal where the names are the same."""
    own = home(subject)
    cpu = claimed_cpu(subject)
    chips = set(cpu.chips) if cpu else set()
    special = bool(own.quirk or own.fused_core)
    for sibling in subject.others:
        if sibling.name in (subject.table.name, _reference_name(subject)):
            continue
        if sibling.register is not subject.table.register or not sibling.cpu:
            continue
        same_chips = bool(chips & set(sibling.cpu.chips))
        shares = own.array != "" and own.array == sibling.firmware.array
        if (
            (special and is_main(sibling) and same_chips)
            or (shares and not same_chips)
            or is_called(sibling, own.copy_of)
        ):
            yield sibling


def _reference_name(subject: Subject) -> str:
    return subject.reference.name if subject.reference else ""
