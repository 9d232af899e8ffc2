"""Recorded decisions of the real kernel governors (tests/data/vectors), as tests use them.

One file is 400 successive decisions of one CPU: `menu-ubuntu5.4.0-p9-poll1.csv.gz` is governor
menu of Ubuntu's 5.4.0 on the table p9 with state 0 flagged POLLING. HZ is 250.
"""

import csv
import gzip
import re
from dataclasses import dataclass
from pathlib import Path

from idle_states.tables.linux.governors.interface import Outcome, Situation, State
from tests.support import DATA

HZ = 250
DIRECTORY = DATA / "vectors"

TABLES = {
    "p9": (
        (0, 0),
        (1_000, 10_000),
        (2_000, 20_000),
        (5_000, 50_000),
        (10_000, 100_000),
        (100_000, 10_000_000),
        (200_000, 20_000_000),
    ),
    "dd1": ((0, 0), (0, 2_000), (4_000, 49_000)),
    "cede": ((0, 0), (12_000, 120_000)),
}
"""Exit latency and target residency in ns, state by state."""

_NAME = re.compile(r"([a-z]+)-([a-z]+)([0-9.]+(?:-[0-9][0-9.]*)?)-([a-z0-9]+)-poll([01])\.csv\.gz")
_WAKE_OVERHEAD_NS = 1_000


@dataclass(frozen=True, slots=True)
class Row:
    """A decision: what it was given, what it was (state, stop_tick), and the outcome."""

    situation: Situation
    state: int
    stop_tick: bool
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Vectors:
    """One file. kernel: a preset's name, e.g. "ubuntu-5.4.0"; polling: state 0's flag."""

    governor: str
    kernel: str
    table: str
    polling: bool
    states: list[State]
    rows: list[Row]


def files(governor: str) -> list[Path]:
    """Returns the vector files of a governor, sorted by name."""
    return sorted(DIRECTORY.glob(f"{governor}-*.csv.gz"))


def table(name: str, polling: bool) -> list[State]:
    """Returns a table of TABLES. polling: whether state 0 has CPUIDLE_FLAG_POLLING."""
    return [
        State(exit_ns, residency_ns, polling and number == 0)
        for number, (exit_ns, residency_ns) in enumerate(TABLES[name])
    ]


def read(path: Path) -> Vectors:
    """A vector file. Raises ValueError if its name is not of the known form."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        raise ValueError(f"expected governor-kernel-table-pollN.csv.gz, found {path.name}")
    governor, distribution, version, name, poll = match.groups()
    with gzip.open(path, "rt", newline="") as file:
        records = csv.reader(file)
        names = next(records)
        rows = [_row(dict(zip(names, map(int, each), strict=True))) for each in records]
    polling = poll == "1"
    kernel = f"{distribution}-{version}"
    return Vectors(governor, kernel, name, polling, table(name, polling), rows)


def _row(value: dict[str, int]) -> Row:
    clock_ns = value["clock_at_select_ns"]
    residency_ns = value["residency_ns"]
    situation = Situation(
        latency_req_us=value["latency_req_us"],
        sleep_length_ns=value["sleep_length_ns"],
        delta_next_ns=value["delta_next_ns"],
        tick_stopped=bool(value["tick_stopped"]),
        nr_iowaiters=value["nr_iowaiters"],
        load=value["load"],
        clock_ns=clock_ns,
    )
    outcome = Outcome(
        state=value["state"],
        residency_ns=residency_ns,
        rejected=bool(value["rejected"]),
        got_tick=bool(value["got_tick"]),
        poll_time_limit=bool(value["poll_time_limit"]),
        clock_ns=clock_ns + residency_ns + _WAKE_OVERHEAD_NS,
    )
    return Row(situation, value["state"], bool(value["stop_tick"]), outcome)
