"""replay, for programs. The keys are a contract: schemas/output.schema.json."""

from typing import Any

from ..linux.releases import Release
from ..reading.problems import Problem
from ..replay.counters import PERCENTILES, Figures, percentile_name
from ..replay.energy import Model, spent
from ..replay.replay import Settings
from ..replay.run import Account, Result
from . import energy_output


def body(
    result: Result, release: Release, settings: Settings | None, power: Model | None = None
) -> dict[str, Any]:
    """The keys of one replay. total, cpus: of the first table; tables: of every one. power: what
    is known of the states' power."""
    first, read = result.accounts[0], result.read
    return {
        "exactness": result.exactness,
        "assumptions": list(result.assumptions),
        "kernel": release.name,
        "basis": release.basis,
        "governor": None if settings is None else settings.governor,
        "hz": None if settings is None else settings.hz,
        "next_timer": None
        if settings is None or result.exactness == "exact"
        else settings.next_timer,
        "read": {
            "kind": str(read.kind),
            "lines": read.lines,
            "events": read.events,
            "periods": read.periods,
            "span_ns": read.span_ns,
        },
        **_account(first),
        "observed": _account(result.observed),
        "tables": [_account(account) for account in result.accounts],
        "energy": None if power is None else _energy(result, power),
        "misses": None
        if result.misses is None
        else {
            kind: {"trace": count, "recomputed": getattr(result.observed.total, kind)}
            for kind, count in result.misses.items()
        },
        "dumps": [
            {
                "cpu": row.cpu,
                "state": row.number,
                "name": row.name,
                "counter": row.counter,
                "trace": row.trace,
                "dumps": row.dumps,
                "excess": row.excess,
            }
            for row in result.bracketed
        ],
        "problems": [_problem(problem) for problem in result.problems],
    }


def _energy(result: Result, power: Model) -> dict[str, Any]:
    spents = [spent(account.total, power) for account in result.accounts]
    return energy_output.body([account.machine for account in result.accounts], spents, power)


def _account(account: Account) -> dict[str, Any]:
    return {
        "table": account.machine,
        "decisions": account.decisions,
        "agreement": None
        if not account.compared
        else {"periods": account.compared, "same_state": account.agreed},
        "total": _figures(account.total),
        "cpus": {str(cpu): _figures(figures) for cpu, figures in account.cpus.items()},
    }


def _figures(figures: Figures) -> dict[str, Any]:
    usage = figures.usage
    return {
        "states": [
            {
                "index": state.number,
                "name": state.name,
                "usage": state.usage,
                "time_us": state.time_us,
                "above": state.above,
                "below": state.below,
                "rejected": state.rejected,
            }
            for state in figures.states
        ],
        "usage": usage,
        "too_deep": _share(figures.above, usage),
        "too_shallow": _share(figures.below, usage),
        "wake_latency_ns": {
            percentile_name(percentile): figures.wake_latency_ns(percentile)
            for percentile in PERCENTILES
        },
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "kind": problem.kind,
        "severity": str(problem.severity),
        "count": problem.count,
        "meaning": problem.meaning,
        "examples": [
            {"line": example.line, "message": example.message} for example in problem.examples
        ],
    }
