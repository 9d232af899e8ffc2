"""Histories that are reviewed, and what tests ask of a review."""

from typing import Any

import pytest

from idle_states.base.model.findings import Finding
from idle_states.base.model.table import IdleTable
from idle_states.base.reading.git.repository import Repository
from idle_states.change.review.result import Review, Reviewed
from idle_states.change.review.review import Yardstick, ends, review
from idle_states.cli import main
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.releases import release
from idle_states.tables.skiboot import c_table
from idle_states.tables.sources import Source
from idle_states.tables.spec.library import find
from tests.support.git_history import History

KERNELS = tuple(release(name) for name in ("4.11", "5.10", "6.6"))
BEFORE, AFTER = "power9@84368bbf8", "power9@51974cab7"
MESSAGE = "slw: Modify stop0_lite\n\nRaise its exit latency from 200ns to 1us."
Told = set[tuple[str, str, tuple[str, ...], str]]


def c_of(*tables: IdleTable | str) -> str:
    return c_table.write([find(t) if isinstance(t, str) else t for t in tables])


def spec(name: str, text: str) -> str:
    return f"name: {name}\n{text}"


def source(table: IdleTable) -> Source:
    [read] = c_table.read(c_table.write([table]), "hw/slw.c")
    return Source(read.name, "hw/slw.c", "", read)


def reviewed(history: History, text: str | None = None, **options: Any) -> Review:
    repository = Repository(history.directory)
    try:
        base, head = ends(repository, text)
        return review(repository, base, head, Yardstick(Criteria(KERNELS)), **options)
    finally:
        repository.close()


def run(capsys: pytest.CaptureFixture[str], history: History, *words: str) -> tuple[int, str]:
    status = main(["review", "--tree", str(history.directory), "--config", "none", *words])
    return status, capsys.readouterr().out


def only(found: Review) -> Reviewed:
    [change] = found.changes
    return change


def rules(findings: list[Finding] | tuple[Finding, ...]) -> set[str]:
    return {finding.rule for finding in findings}


def told(*groups: tuple[Finding, ...]) -> Told:
    return {
        (f.rule, f.location.path, f.kernels, f.message) for findings in groups for f in findings
    }
