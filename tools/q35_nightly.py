"""Boots every table of q35_tables in QEMU's machine q35, and keeps what was confirmed.

    python -m tools.q35_nightly docs/validation-q35.json [--missing]

The file is a list of records, one for each table and Debian release whose kernel was booted; a new
result takes the place of the old. --missing leaves out what has booted already and agreed.
"""

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from idle_states.boot.boot import BootFailure
from idle_states.boot.debian import Unavailable, own_suite
from idle_states.boot.q35.objects import Placed
from idle_states.boot.q35.request import Q35Request
from idle_states.boot.q35.result import Q35Result
from idle_states.boot.q35.run import run_with
from idle_states.boot.run import Surroundings
from tools.command_line import asked

from .nightly import differences_of, is_fault, load, outcome_of, save, today
from .q35_tables import Q35Table, tables

_TIME_LIMIT_S = 150
_ATTEMPTS = 2
"""Now and then QEMU gets no time on a machine that has other work; and once in 100 boots its
emulation fails by itself: a double fault far from ACPI, with flags that no processor has."""
OTHERS = ("experimental", "trixie", "sid")
"""Debian releases whose kernels boot a part of the tables as well."""
PART = (
    *("io", "first-c2", "c1-last", "type-0", "type-4", "out-of-order", "tumbled", "eight"),
    *("too-few", "integer", "wrong-kinds", "zero", "max-cstate-0", "amd", "empty", "typeless"),
    *("second-none", "first-none", "two-latencies", "second-short", "lpi-and-cst"),
    *("ffh", "no-intel-idle"),
)
"""Names of these tables."""


def cases() -> Iterator[tuple[Q35Table, str | None]]:
    """Each table, and the Debian release whose kernel boots it; None for this machine's own."""
    every = list(tables())
    yield from ((table, None) for table in every)
    for suite in OTHERS:
        yield from ((table, suite) for table in every if table.name in PART)


def boot_table(table: Q35Table, suite: str | None, logs: Path | None = None) -> dict[str, Any]:
    """The record of a boot, "failed" for one that did not end.

    One that did not, or crashed otherwise than predicted, is tried again; "before" says what the
    first came to. Raises Unavailable.
    """
    request = Q35Request(
        table.name,
        suite=suite,
        smp=len(table.cpus),
        cpu=table.model,
        arguments=table.arguments,
        time_limit_s=_TIME_LIMIT_S,
    )
    given = Placed(("",) * len(table.cpus), table.cpus, ())
    source = table.name, hashlib.sha256(table.ssdt).hexdigest()
    outcome: dict[str, Any] = {}
    before = ""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            result = run_with(request, given, source, Surroundings(logs))
            outcome = {"attempts": attempt, "before": before, **record(result)}
            if result.agree or not result.crash:
                break
            before = f"a crash in {result.crash}"
        except BootFailure as failure:
            outcome = {"failed": str(failure)}
            before = str(failure).partition("\n")[0]
    return {
        "table": table.name,
        "why": table.why,
        "suite": suite or own_suite(),
        "model": table.model,
        "arguments": list(table.arguments),
        "date": today(),
        **outcome,
    }


def record(result: Q35Result) -> dict[str, Any]:
    predicted = result.predicted
    return {
        "qemu": result.qemu,
        "linux": predicted.kernel,
        "modelled_as": predicted.release.name if predicted.release else None,
        "driver": result.driver,
        "registered": {
            str(cpu): [
                f"{state.name} {state.description!r} {state.latency_us}/{state.residency_us}"
                for state in states
            ]
            for cpu, states in result.found.items()
        },
        "messages": list(result.messages),
        "crash": result.crash,
        "agree": result.agree,
        "stages": {stage.name: stage.agree for stage in result.stages},
        "judged": {stage.name: stage.judged for stage in result.stages},
        "entered": {
            str(cpu): [bool(state.usage) for state in states]
            for cpu, states in result.counted.items()
        },
        "differences": differences_of(result.stages),
        "unconfirmed": list(result.unconfirmed),
    }


def main(words: list[str]) -> int:
    """1 if anything differed or failed, 3 if a part could not be had."""
    given = asked(__doc__, "FILE", "--missing", words=words)
    path, missing = Path(given.file), given.missing
    name2record = {(old["table"], old["suite"]): old for old in load(path)}
    status = 0
    wanted = [(table, suite, (table.name, suite or own_suite())) for table, suite in cases()]
    try:
        for table, suite, key in wanted:
            if missing and name2record.get(key, {}).get("agree"):
                continue
            fresh = name2record[key] = boot_table(table, suite)
            save(path, [name2record[each] for _, _, each in wanted if each in name2record])
            status = max(status, int(is_fault(fresh)))
            print(f"{key[1]} {table.name}: {outcome_of(fresh)}", flush=True)
    except Unavailable as reason:
        print(f"q35_nightly: {reason}", file=sys.stderr)
        return 3
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
