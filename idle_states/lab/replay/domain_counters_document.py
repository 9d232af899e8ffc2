"""Counters of power domains, of replay and simulate."""

from typing import Annotated, Any, Literal

from ...base.model.forms import Count, Form, derived
from ...tables.linux.genpd import running


class DomainStateCounters(Form[Any]):
    """Counters of a power domain's state."""

    index: Annotated[Count, "Number."] = derived("number")
    name: Annotated[str, "Name."]
    usage: Annotated[Count, "Times that ended."]
    time_us: Annotated[Count, "Until a CPU of the domain was awake."]
    above: Annotated[Count, "Too deep: for less than its min-residency-us."]
    below: Annotated[
        Count, "Too shallow: without the exit latency, for the next state's or longer."
    ]


class DomainCounters(Form[running.DomainFigures]):
    """What became of a power domain."""

    name: Annotated[str, "Its node's."]
    level: Annotated[Literal["CPU", "cluster", "system"], "Of what."]
    cpus: Annotated[list[Count], "Numbers of its CPUs that take part, the tree's first being 0."]
    stayed_on: Annotated[
        Count, "Times that all its CPUs were in their last state, and it stayed on."
    ]
    states: Annotated[list[DomainStateCounters], "The shallowest first."]
