"""simulate, for programs. The keys are a contract: schemas/output.schema.json."""

from collections.abc import Sequence
from typing import Any

from ..replay.counters import total
from ..replay.energy import Model, spent
from ..simulation.setup import SCOPES, WAKE_PERCENTILES, Costs, Run, Setup
from ..simulation.summary import Spread, Summary
from . import energy_output


def body(found: Sequence[Summary], power: Model | None = None) -> dict[str, Any]:
    """The keys of one simulation; tables: one for each. power: None where nothing says."""
    setup = found[0].setup
    return {
        "workload": {
            "name": setup.workload.name,
            "tasks": len(setup.workload.tasks),
            "counts": setup.workload.counts,
        },
        "topology": {
            "name": setup.topology.name,
            "cpus": setup.topology.cpus,
            "cores": setup.topology.count("core"),
            "small_cores": setup.topology.count("small_core"),
            "pairs": setup.topology.count("pair"),
            "quads": setup.topology.count("quad"),
            "clusters": setup.topology.count("cluster"),
            "last_level_caches": setup.topology.count("llc"),
        },
        "placement": {
            "recent_used_cpu": setup.policy.recent,
            "smt": setup.policy.smt,
            "cluster": setup.policy.cluster,
        },
        "kernel": setup.release.name,
        "basis": setup.release.basis,
        "governor": setup.governor,
        "hz": setup.hz,
        "duration_ns": setup.duration_ns,
        "parameters": {name: getattr(setup.costs, name) for name in Costs.__dataclass_fields__},
        "tables": [_table(each) for each in found],
        "energy": None
        if power is None
        else energy_output.body(
            [each.setup.name for each in found],
            [spent(each.figures, power) for each in found],
            power,
        ),
    }


def _table(found: Summary) -> dict[str, Any]:
    setup = found.setup
    return {
        "table": setup.name,
        "states": [
            {
                "index": number,
                "name": state.name,
                "disabled": number in setup.table.disabled,
                "exit_ns": effect.exit_ns,
                "scope": SCOPES[effect.scope],
                "holds_core": effect.holds,
                "usage": _spread(state.usage),
                "time_us": _spread(state.time_us),
                "share": _spread(state.share),
                "above": _spread(state.above),
                "below": _spread(state.below),
                "reached": _spread(state.reached),
            }
            for number, (state, effect) in enumerate(zip(found.states, setup.effects, strict=True))
        ],
        "wake_latency_ns": {
            name: None if value is None else _spread(value)
            for name, value in found.latency_ns.items()
        },
        "switches_per_s": _spread(found.switches_per_s),
        "counted_per_s": _spread(found.counted_per_s),
        "bistable": None if found.bistable is None else list(found.bistable),
        "runs": [_run(setup, run) for run in found.runs],
    }


def _run(setup: Setup, run: Run) -> dict[str, Any]:
    return {
        "seed": run.seed,
        "events": run.events,
        "digest": f"{run.digest:016x}",
        "switches": run.switches,
        "counted": run.counted,
        "total": {"states": _states(total(list(run.cpus)).states)},
        "cpus": {str(cpu): {"states": _states(each.states)} for cpu, each in enumerate(run.cpus)},
        "reached": list(run.reached),
        "scopes_ns": {
            scope: {
                "awake": times[0],
                "states": [
                    {"name": name, "time_ns": time}
                    for name, time in zip(setup.table.names, times[1:], strict=True)
                ],
            }
            for scope, times in zip(SCOPES, run.scope_ns, strict=True)
        },
        "wake_latency_ns": {
            f"p{percentile:g}" if percentile < 100 else "max": run.latency_ns(percentile)
            for percentile in WAKE_PERCENTILES
        },
    }


def _states(states: Sequence[Any]) -> list[dict[str, Any]]:
    return [
        {
            "index": state.number,
            "name": state.name,
            "usage": state.usage,
            "time_us": state.time_us,
            "above": state.above,
            "below": state.below,
            "rejected": state.rejected,
        }
        for state in states
    ]


def _spread(value: Spread) -> dict[str, float]:
    return {
        "mean": round(value.mean, 6),
        "min": round(value.least, 6),
        "max": round(value.greatest, 6),
    }
