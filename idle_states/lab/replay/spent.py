"""The energy of counted idle periods."""

from ...tables.power.energy import ZERO, PowerBounds, PowerModel, Spent, energy
from .counters import Figures


def spent(figures: Figures, model: PowerModel) -> Spent:
    """Returns the energy of counted idle periods; their time is in whole us, as counted."""
    states: list[tuple[str, PowerBounds | None]] = []
    missing, total = [], ZERO
    for state in figures.states:
        known = model.states.get(state.name)
        if known is None:
            states.append((state.name, None))
            if state.usage:
                missing.append(state.name)
            continue
        own = energy(model.awake, known, state.usage, state.time_us * 1000)
        states.append((state.name, own))
        total += own
    return Spent(
        tuple(states),
        None if missing else total,
        tuple(missing),
        figures.time_us * 1000,
        figures.usage,
    )
