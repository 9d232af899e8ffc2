"""Runs prove on every packaged table and every table of intel_idle, with every governor and every
distinct behaviour that releases give it: python -m tools.proven [GOVERNOR ...]

Prints, by governor: how many pairs of states and behaviour there are, how many states have a
witness, how many are proven never to be selected, and which are undecided; and the CPU time.
Exits 1 if a state is undecided.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from idle_states.base.model.findings import Unreadable, UsageError
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.governors import Governor, State, governor_names, known_in, states_of
from idle_states.tables.linux.intel_idle.platform import short_names
from idle_states.tables.linux.releases import Release, all_releases
from idle_states.tables.linux.request_parts import GovernorRequest
from idle_states.tables.pipeline import held_by
from idle_states.tables.prove.answer import proven
from idle_states.tables.prove.request import ProveRequest
from idle_states.tables.sources import read_sources
from idle_states.tables.spec.packaged import machines, revisions
from tools.command_line import parsed

HZ = 250


@dataclass
class Sweep:
    """The outcome of one governor.

    pairs      different states of a driver, each with a behaviour
    counts     states with a witness, never selected, and undecided
    never      the sentences by which states are never selected
    undecided  where a state is undecided
    """

    pairs: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    never: Counter[str] = field(default_factory=Counter)
    undecided: list[str] = field(default_factory=list)


def tables() -> Iterator[str]:
    """Every packaged table and every one of intel_idle, as a TABLE."""
    yield from (revision.name for revision in revisions())
    for machine in machines():
        yield from (f"{machine.name}:{source.name}" for source in read_sources(machine.name))
    yield from (f"intel:{name}" for name in short_names())


def behaviours(governor: str) -> list[list[Release]]:
    """Releases by the governor's behaviour, the oldest first."""
    found: dict[object, list[Release]] = {}
    for release in all_releases():
        if known_in(governor, release):
            model = Governor.for_kernel(governor, release, [State(0, 0)], HZ)
            found.setdefault(model.features, []).append(release)
    return list(found.values())


def sweep(governor: str, wanted: Sequence[str]) -> Sweep:
    """Proves for each of the tables under each behaviour, with the first release of it that
    registers the table."""
    result = Sweep()
    seen: set[object] = set()
    for number, releases in enumerate(behaviours(governor)):
        for table in wanted:
            of = GovernorRequest(governor, HZ, table)
            found = _first(of, releases)
            if found is None:
                continue
            release, held = found
            key = number, states_of(held), held.off, held.states[0].enter == "snooze"
            if key in seen:
                continue
            seen.add(key)
            result.pairs += 1
            for proof in proven(ProveRequest(of, release), held).proofs:
                if proof.witness is not None:
                    result.counts["witness"] += 1
                elif proof.unreachable is not None:
                    result.counts["never"] += 1
                    result.never[proof.unreachable.because] += 1
                else:
                    result.counts["undecided"] += 1
                    result.undecided.append(f"{table} {release.name} {proof.name}")
    return result


def _first(of: GovernorRequest, releases: Sequence[Release]) -> tuple[Release, DriverTable] | None:
    for release in releases:
        try:
            held = held_by(release, of)
        except (UsageError, Unreadable):
            continue
        if isinstance(held, DriverTable):
            return release, held
    return None


def main(words: Sequence[str]) -> int:
    governors = parsed(__doc__, "[GOVERNOR...]", words=words).governor
    wanted, undecided = [*tables()], 0
    for governor in governors or governor_names():
        began = time.process_time()
        found = sweep(governor, wanted)
        counts = ", ".join(f"{count} {what}" for what, count in sorted(found.counts.items()))
        seconds = time.process_time() - began
        print(f"{governor}: {len(behaviours(governor))} behaviours, {found.pairs} pairs; {counts}")
        print(f"  {seconds:.1f} s of CPU time")
        for because, count in sorted(found.never.items()):
            print(f"  {count} x {because}")
        for each in found.undecided:
            print(f"  undecided: {each}")
        undecided += len(found.undecided)
    return int(undecided > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
