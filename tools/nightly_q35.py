"""Nightly boots of q35: every table of q35_tables, a part of them with kernels of other Debian
releases as well."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from idle_states.change.boot.debian import own_suite
from idle_states.change.boot.q35.boot import Q35Result, prepared
from idle_states.change.boot.q35.machine import Q35
from idle_states.change.boot.q35.objects import Placed
from idle_states.change.boot.request import BootRequest
from idle_states.change.boot.result import BootResult
from idle_states.change.boot.run import Surroundings, run_read

from .boot_records import Key, Record, verdict, versions
from .q35_tables import Q35Table, tables

_TIME_LIMIT_S = 150
OTHERS = ("experimental", "trixie", "sid")
"""Debian releases whose kernels boot a part of the tables as well."""
PART = (
    *("io", "first-c2", "c1-last", "type-0", "type-4", "out-of-order", "tumbled", "eight"),
    *("too-few", "integer", "wrong-kinds", "zero", "max-cstate-0", "amd", "empty", "typeless"),
    *("second-none", "first-none", "two-latencies", "second-short", "lpi-and-cst"),
    *("ffh", "no-intel-idle"),
)
"""Names of these tables."""


@dataclass(frozen=True, slots=True)
class Q35Night:
    """One boot. suite: the Debian release whose kernel it is; None: this machine's own."""

    table: Q35Table
    suite: str | None = None

    @property
    def key(self) -> Key:
        return self.table.name, self.suite or own_suite()

    @property
    def name(self) -> str:
        return f"{self.suite or own_suite()} {self.table.name}"

    @property
    def attempts(self) -> int:
        """Now and then QEMU gets no time on a machine that has other work; and once in 100 boots
        its emulation fails by itself: a double fault far from ACPI, with flags that no processor
        has."""
        return 2

    def head(self) -> Record:
        table = self.table
        return {
            "table": table.name,
            "why": table.why,
            "suite": self.suite or own_suite(),
            "model": table.model,
            "arguments": list(table.arguments),
        }

    def run(self, around: Surroundings) -> BootResult:
        table = self.table
        request = BootRequest(
            Q35.name,
            table.name,
            suite=self.suite,
            smp=len(table.cpus),
            cpu=table.model,
            append=" ".join(table.arguments),
            time_limit_s=_TIME_LIMIT_S,
        )
        objects = Placed(("",) * len(table.cpus), table.cpus, ())
        source = table.name, hashlib.sha256(table.ssdt).hexdigest()
        return run_read(request, partial(prepared, request, objects, source), around)

    def seen(self, result: Q35Result) -> Record:
        return {
            **versions(result),
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
            **verdict(result),
            "entered": {
                str(cpu): [bool(state.usage) for state in states]
                for cpu, states in result.counted.items()
            },
        }

    def is_doubtful(self, result: Q35Result) -> str:
        """Doubts a crash other than predicted."""
        return f"a crash in {result.crash}" if result.crash and not result.agree else ""


def boots() -> Iterator[Q35Night]:
    every = list(tables())
    yield from map(Q35Night, every)
    for suite in OTHERS:
        yield from (Q35Night(table, suite) for table in every if table.name in PART)


def key_of(record: Record) -> Key:
    return record["table"], record["suite"]
