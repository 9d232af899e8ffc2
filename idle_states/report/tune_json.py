"""tune, for programs. The keys are a contract: schemas/output.schema.json."""

from fractions import Fraction
from typing import Any

from ..replay.energy import break_even
from ..tune.search import Judged, Tuned
from ..tune.tuning import Tuning
from ..tune.waits import Wait, regrets
from .energy_output import described, pair, range_us

_NS = 1_000_000_000


def body(tuning: Tuning) -> dict[str, Any]:
    """The keys of one run. Energies in J, or in seconds of an awake CPU."""
    source, tuned, table, model = tuning.source, tuning.tuned, tuning.table, tuning.power
    edges = tuned.edges()
    return {
        "table": tuning.name,
        "kernel": tuning.release.name,
        "basis": tuning.release.basis,
        "governor": None if tuning.settings is None else tuning.settings.governor,
        "hz": None if tuning.settings is None else tuning.settings.hz,
        "exactness": source.exactness,
        "gaps": {"count": tuning.gaps, "total_ns": tuning.idle_ns},
        "objective": tuned.objective.kind,
        "latency_weight": float(tuned.objective.weight),
        "tried": tuned.tried,
        "assumptions": list(tuning.assumptions()),
        "power": described(model),
        "states": [
            {
                "name": name,
                "exit_latency_us": table.states[number + 1].exit_ns // 1000,
                "present_us": tuned.present.candidate[number],
                "break_even_us": range_us(
                    break_even(model.awake, model.states[table.names[number]], model.states[name])
                ),
                "best_us": tuned.best.candidate[number],
                "within_1_percent_us": list(tuned.near[number]),
                "tried_us": list(tuned.ranges[number]),
                "best_at_edge": edges[number],
            }
            for number, name in enumerate(table.names[1:])
        ],
        "present": _judged(tuned.present, tuned),
        "break_even": _judged(tuned.even, tuned),
        "best": _judged(tuned.best, tuned),
        "best_if_low": _judged(tuned.if_low, tuned),
        "best_if_high": _judged(tuned.if_high, tuned),
        "regret_bounds": {
            "present": pair(tuned.regrets[0]),
            "break_even": pair(tuned.regrets[1]),
        },
        "front": [_judged(each, tuned) for each in tuned.front],
        "timeout_us": None if tuning.timeout_ns is None else tuning.timeout_ns / 1000,
        "waits": [_wait(wait) for wait in tuning.waits],
        "problems": [
            {"kind": problem.kind, "severity": str(problem.severity), "count": problem.count}
            for problem in source.problems
        ],
    }


def _judged(judged: Judged, tuned: Tuned) -> dict[str, Any]:
    return {
        "residencies_us": list(judged.candidate),
        "usage": list(judged.outcomes.usage),
        "time_us": list(judged.outcomes.time_us),
        "busy_us": judged.outcomes.busy_us,
        "work": judged.outcomes.work,
        "energy": pair(judged.energy, _NS),
        "mean_latency_ns": round(float(judged.mean_ns), 3),
        "p99_latency_ns": judged.p99_ns,
        "feasible": judged.feasible,
        "regret": _share(tuned.regret(judged)),
    }


def _wait(wait: Wait) -> dict[str, Any]:
    found = regrets(wait)
    return {
        "state": wait.name,
        "best_us": _us(wait.best_ns),
        "within_1_percent_us": [_us(bound) for bound in wait.near_ns],
        "break_even_us": range_us(wait.break_even_ns),
        "break_even_regret": _share(found[0] if found else None),
        "present_regret": _share(found[1] if found else None),
        "cost": round(float(wait.best_cost) / _NS, 9),
        "cost_if_known": round(float(wait.known_cost) / _NS, 9),
    }


def _us(ns: Fraction | int | None) -> float | None:
    return None if ns is None else round(float(ns) / 1000, 6)


def _share(share: Fraction | None) -> float | None:
    return None if share is None else round(float(share), 9)
