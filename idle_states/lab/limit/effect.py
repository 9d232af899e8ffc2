"""What a limit does to a trace or a workload: each with the limit and without, everything else
being the same."""

from ...tables.linux.asked import NO_LIMIT_US
from ..replay.request import ReplayRequest
from ..simulation.request import SimulateRequest
from .answer import LimitResult


def replay_request(found: LimitResult) -> ReplayRequest:
    """A replay of the request's trace without the limit, then with it. Raises UsageError."""
    request = found.request
    of = request.of
    assert request.trace is not None
    return ReplayRequest(
        (request.trace,),
        request.releases[0],
        (of.table,) if of.table is not None else (),
        of.states,
        governor=of.governor,
        hz=of.hz,
        next_timer=request.next_timer,
        platform=of.platform,
        power=request.power,
        limits_us=_limits_us(found),
    )


def simulate_request(found: LimitResult) -> SimulateRequest:
    """A simulation of the request's workload without the limit, then with it. Raises UsageError."""
    request = found.request
    of = request.of
    assert request.workload is not None
    return SimulateRequest(
        request.workload,
        request.releases[0],
        (of.table,) if of.table is not None else (),
        of.states,
        governor=of.governor,
        hz=of.hz,
        platform=of.platform,
        power=request.power,
        limits_us=_limits_us(found),
    )


def _limits_us(found: LimitResult) -> tuple[int, ...]:
    return NO_LIMIT_US, found.tables[0].limit_us
