"""The objects that ACPI gives intel_idle: by acpi_processor_evaluate_cst(), and from 7.3 on
acpi_processor_evaluate_lpi()."""

from collections.abc import Sequence

from ....base.dataclass import dataclass, replace
from ....base.model.beyond_opal import AcpiIdle
from ....base.model.stages import Level, Message
from ..intel_idle.machine import AcpiState
from ..intel_idle.platform import X86Platform
from ..releases import Release
from .cst import CstEvaluation, EvaluatedCst
from .features import features
from .lpi import Flattened, flatten
from .machine import AcpiIdleParameters, AcpiMachine
from .slots import CstateSlot


@dataclass(frozen=True, slots=True)
class GivenToIntelIdle:
    """The states of some processors' objects.

    evaluated, slots  what _CST came to, and its states
    flattened         what _LPI came to
    cst, lpi          the same as intel_idle sees them; None where there is none that it can use
    messages          what the kernel says of _CST
    """

    evaluated: EvaluatedCst
    slots: Sequence[CstateSlot]
    flattened: Flattened
    cst: tuple[AcpiState, ...] | None
    lpi: tuple[AcpiState, ...] | None
    messages: tuple[Message, ...]


def on(machine: AcpiMachine, platform: X86Platform) -> AcpiMachine:
    """The machine with what is known of it as a platform."""
    known = platform.machine
    return replace(
        machine,
        vendor=known.vendor,
        family=known.family,
        model=known.model,
        monitor_ecx=known.monitor_ecx if known.mwait else 0,
        substates=known.substates,
        arat=known.arat,
        nonstop_tsc=known.nonstop_tsc,
        claims=known.claims,
    )


def given(machine: AcpiMachine, release: Release) -> GivenToIntelIdle:
    """Returns what a release gives intel_idle of the machine's objects."""
    known = features(release)
    messages: list[Message] = []

    def say(level: Level, text: str) -> None:
        messages.append(Message(level, text))

    evaluated = CstEvaluation(machine, AcpiIdleParameters(), known, say).run(machine.acpi.cst)
    slots = evaluated.slots[1 : evaluated.count + 1] if evaluated.count is not None else []
    cst = tuple(
        AcpiState(slot.description, slot.address, slot.latency_us, slot.kind, slot.method == "ffh")
        for slot in slots
    )
    flattened = flatten(machine, known, lambda *_: None, strict=True)
    lpi = tuple(
        AcpiState(
            state.description, state.address, state.latency_us, residency_us=state.residency_us
        )
        for state in flattened.states
    )
    return GivenToIntelIdle(
        evaluated,
        slots,
        flattened,
        cst if evaluated.count is not None else None,
        None if flattened.refused else lpi,
        tuple(messages),
    )


def objects_of(platform: X86Platform, release: Release) -> GivenToIntelIdle | None:
    """Returns the objects that a release gives intel_idle of the platform's ACPI tables: those of
    the first processors whose _CST can be used, else of the first. None if it names none."""
    groups: Sequence[AcpiIdle] = platform.objects
    found = [given(on(AcpiMachine(replace(g, arch="x86")), platform), release) for g in groups]
    return next((each for each in found if each.cst is not None), found[0] if found else None)
