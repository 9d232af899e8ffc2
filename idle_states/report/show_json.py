"""show, for programs. The keys are a contract: schemas/output.schema.json."""

from typing import Any

from ..linux.driver_table import StopChoice
from ..pipeline import Arrival, Journey
from ..stages import Changed, Lost
from ..table import IdleState, IdleTable, flag_names
from . import energy_output


def body(journey: Journey) -> dict[str, Any]:
    table, export = journey.table, journey.export
    kernels = [_linux(arrival) for arrival in journey.arrivals]
    return {
        "table": {
            "name": table.name,
            "title": table.title,
            "register": str(table.register),
            "states": [_state(state, table) for state in table.states],
        },
        "export": None
        if export is None
        else {
            "platform": journey.platform.name,
            "states": [table.states[index].name for index in export.indices],
            "lost": [_lost(lost, lost.index) for lost in export.lost],
            "messages": [{"level": m.level, "text": m.text} for m in export.messages],
            "outcome": export.outcome,
            "chosen": export.chosen,
        },
        "energy": energy_output.table_body(table),
        "linux": kernels[0] if kernels else None,
        "kernels": kernels,
    }


def _state(state: IdleState, table: IdleTable) -> dict[str, Any]:
    # what such a source does not tell is unknown, not 0
    opal = table.held is None and table.listed is None
    return {
        "name": state.name,
        "latency_ns": state.latency_ns,
        "residency_ns": state.residency_ns,
        "flags": state.flags if opal else None,
        "flag_names": flag_names(state.flags),
        "control": state.control if opal else None,
        "mask": state.mask if opal else None,
        "scope": state.scope,
        "cpuidle": state.cpuidle,
        "provenance": {
            field: {"kind": p.kind, "source": p.source, "confidence": p.confidence, "note": p.note}
            for field, p in state.provenance.items()
        },
    }


def _linux(arrival: Arrival) -> dict[str, Any]:
    driver = arrival.driver
    return {
        "kernel": driver.kernel,
        "basis": arrival.release.basis,
        "states": [
            {
                "index": state.index,
                "name": state.name,
                "exit_latency_us": state.exit_latency_us,
                "target_residency_us": state.target_residency_us,
                "polling": state.polling,
                "timer_stop": state.timer_stop,
                "psscr": state.psscr,
                "mask": state.mask,
            }
            for state in driver.states
        ],
        "lost": [_lost(lost, row) for row, lost in arrival.lost],
        "changed": [_changed(changed, row) for row, changed in arrival.changed],
        "messages": [{"level": m.level, "text": m.text} for m in driver.messages],
        "default_stop": _choice(driver.default_stop),
        "deepest_stop": _choice(driver.deepest_stop),
        "offline": driver.offline,
        "snooze_timeout_us": driver.snooze_timeout_us,
        "fatal": driver.fatal,
    }


def _lost(lost: Lost, row: int) -> dict[str, Any]:
    return {
        "index": row,
        "state": lost.state,
        "cause": lost.cause,
        "reason": lost.reason,
        "ground": lost.ground,
    }


def _changed(changed: Changed, row: int) -> dict[str, Any]:
    return {
        "index": row,
        "state": changed.state,
        "field": changed.field,
        "before": changed.before,
        "after": changed.after,
        "reason": changed.reason,
        "ground": changed.ground,
    }


def _choice(choice: StopChoice | None) -> dict[str, int] | None:
    return None if choice is None else {"psscr": choice.psscr, "mask": choice.mask}
