"""Idle-state tables of OpenPOWER firmware, followed from the spec to what Linux selects.

Programs import the names below from here (docs/policy.md); each is loaded when it is first used.
"""

__version__ = "0.2.0"

TYPE_CHECKING = False
"""The same name as typing's, whose import would cost more than all the rest."""
if TYPE_CHECKING:
    from .base.model.findings import Unreadable as Unreadable
    from .base.model.findings import UsageError as UsageError
    from .base.model.table import IdleState as IdleState
    from .base.model.table import IdleTable as IdleTable
    from .change.boot.request import BootRequest as BootRequest
    from .change.boot.run import run_boot as run_boot
    from .change.patches.answer import patch as patch
    from .change.patches.request import PatchRequest as PatchRequest
    from .change.review.answer import review as review
    from .change.review.request import ReviewRequest as ReviewRequest
    from .cli.stored import request_from_json as request_from_json
    from .cli.stored import request_to_json as request_to_json
    from .lab.fit.answer import fit as fit
    from .lab.fit.request import FitRequest as FitRequest
    from .lab.replay.answer import replay as replay
    from .lab.replay.conform import conform as conform
    from .lab.replay.conform_request import ConformRequest as ConformRequest
    from .lab.replay.request import ReplayRequest as ReplayRequest
    from .lab.simulation.answer import prepare_simulation as prepare_simulation
    from .lab.simulation.answer import run_simulation as run_simulation
    from .lab.simulation.request import SimulateRequest as SimulateRequest
    from .lab.simulation.workload_request import WorkloadRequest as WorkloadRequest
    from .lab.statistics.answer import stats as stats
    from .lab.statistics.request import StatsRequest as StatsRequest
    from .lab.tune.answer import tune as tune
    from .lab.tune.objective import Objective as Objective
    from .lab.tune.request import TuneRequest as TuneRequest
    from .tables.audit.answer import audit as audit
    from .tables.audit.request import AuditRequest as AuditRequest
    from .tables.check.answer import check as check
    from .tables.check.criteria import Criteria as Criteria
    from .tables.check.request import CheckRequest as CheckRequest
    from .tables.diff.answer import diff as diff
    from .tables.diff.request import DiffRequest as DiffRequest
    from .tables.generate.answer import generate as generate
    from .tables.generate.request import Generated as Generated
    from .tables.generate.request import GenerateRequest as GenerateRequest
    from .tables.linux.governors import Decision as Decision
    from .tables.linux.governors import Governor as Governor
    from .tables.linux.governors import Outcome as Outcome
    from .tables.linux.governors import Situation as Situation
    from .tables.linux.governors import State as State
    from .tables.linux.releases import release as release
    from .tables.linux.request_parts import GivenStates as GivenStates
    from .tables.linux.request_parts import GovernorRequest as GovernorRequest
    from .tables.pipeline import journey as journey
    from .tables.prove.answer import prove as prove
    from .tables.prove.request import ProveRequest as ProveRequest
    from .tables.selection.answer import select as select
    from .tables.selection.limit_words import latency_limit as latency_limit
    from .tables.selection.request import SelectRequest as SelectRequest
    from .tables.show.answer import show as show
    from .tables.show.request import ShowRequest as ShowRequest
    from .tables.skiboot.platform import parse_platform as parse_platform
    from .tables.sources import read_table as read_table

_HOME2NAMES = {
    "base.model.findings": "Unreadable UsageError",
    "base.model.table": "IdleState IdleTable",
    "change.boot.request": "BootRequest",
    "change.boot.run": "run_boot",
    "change.patches.answer": "patch",
    "change.patches.request": "PatchRequest",
    "change.review.answer": "review",
    "change.review.request": "ReviewRequest",
    "cli.stored": "request_from_json request_to_json",
    "lab.fit.answer": "fit",
    "lab.fit.request": "FitRequest",
    "lab.replay.answer": "replay",
    "lab.replay.conform": "conform",
    "lab.replay.conform_request": "ConformRequest",
    "lab.replay.request": "ReplayRequest",
    "lab.simulation.answer": "prepare_simulation run_simulation",
    "lab.simulation.request": "SimulateRequest",
    "lab.simulation.workload_request": "WorkloadRequest",
    "lab.statistics.answer": "stats",
    "lab.statistics.request": "StatsRequest",
    "lab.tune.answer": "tune",
    "lab.tune.objective": "Objective",
    "lab.tune.request": "TuneRequest",
    "tables.audit.answer": "audit",
    "tables.audit.request": "AuditRequest",
    "tables.check.answer": "check",
    "tables.check.criteria": "Criteria",
    "tables.check.request": "CheckRequest",
    "tables.diff.answer": "diff",
    "tables.diff.request": "DiffRequest",
    "tables.generate.answer": "generate",
    "tables.generate.request": "Generated GenerateRequest",
    "tables.linux.request_parts": "GivenStates GovernorRequest",
    "tables.linux.governors": "Decision Governor Outcome Situation State",
    "tables.linux.releases": "release",
    "tables.pipeline": "journey",
    "tables.prove.answer": "prove",
    "tables.prove.request": "ProveRequest",
    "tables.selection.answer": "select",
    "tables.selection.limit_words": "latency_limit",
    "tables.selection.request": "SelectRequest",
    "tables.show.answer": "show",
    "tables.show.request": "ShowRequest",
    "tables.skiboot.platform": "parse_platform",
    "tables.sources": "read_table",
}
_NAME2HOME = {name: home for home, names in _HOME2NAMES.items() for name in names.split()}


if not TYPE_CHECKING:  # which knows the names, and reports others

    def __getattr__(name: str) -> object:
        if name not in _NAME2HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = getattr(import_module(f"{__name__}.{_NAME2HOME[name]}"), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAME2HOME})
