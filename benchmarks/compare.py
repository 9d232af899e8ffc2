"""The changes between two tables of benchmarks, by Student's t on the samples of each work.

    python -m benchmarks.compare A B [--confidence 99] [--clock wall]

A and B are of `make bench OUTPUT=FILE`, of two commits on one machine. Exit status: 1 if a work got
slower, 3 if a file is none of these.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.table import columns, duration  # noqa: E402
from idle_states.lab.statistics import student  # noqa: E402
from idle_states.lab.statistics.comparison import Comparison, TVerdict, compare  # noqa: E402
from idle_states.lab.statistics.summary import summarise  # noqa: E402

VERDICTS = {TVerdict.HIGHER: "slower", TVerdict.LOWER: "faster", TVerdict.NONE: "-"}
MACHINE = ("machine", "python", "core")


@dataclass(frozen=True)
class Change:
    """A work in both tables: averages in seconds, and None with a reason if not comparable."""

    name: str
    a: float
    b: float
    found: Comparison | None
    why: str = ""


def changes(
    a: Mapping[str, Any], b: Mapping[str, Any], confidence: Decimal, clock: str
) -> list[Change]:
    """All works that both tables have, in the order of the second."""
    name2work = {work["name"]: work for work in a["works"]}
    made = []
    for work in b["works"]:
        before = name2work.get(work["name"])
        if before is None:
            continue
        old, new = before[f"{clock}_s"], work[f"{clock}_s"]
        averages = sum(old) / len(old), sum(new) / len(new)
        if before["count"] != work["count"]:
            why = f"of {before['count']:,} and of {work['count']:,}"
        elif min(len(old), len(new)) < 2:
            why = "one sample"
        else:
            found = compare(summarise(old), summarise(new), partial(student.quantile, confidence))
            made.append(Change(work["name"], *averages, found))
            continue
        made.append(Change(work["name"], *averages, None, why))
    return made


def cells(found: Sequence[Change]) -> list[list[str]]:
    made = [["work", "A", "B", "change", "+-", "verdict"]]
    for change in found:
        line = [change.name, duration(change.a), duration(change.b)]
        if change.found is None:
            made.append([*line, "", "", change.why])
            continue
        percent, error = change.found.percent, change.found.percent_error
        shown = "" if percent is None else f"{percent:+.1f} %"
        within = "" if error is None else f"{error:.1f} %"
        made.append([*line, shown, within, VERDICTS[change.found.verdict]])
    return made


def read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text())
        assert all(work["cpu_s"] and work["wall_s"] and work["name"] for work in found["works"])
    except (OSError, ValueError, KeyError, TypeError, AssertionError) as error:
        print(f"{file}: expected a table of make bench, found {error!r}", file=sys.stderr)
        raise SystemExit(3) from None
    return dict(found)


def confidence(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal(0)
    if not 0 < value < 100:
        raise argparse.ArgumentTypeError(f"expected percent between 0 and 100, found {text}")
    return value


def main() -> int:
    parser = argparse.ArgumentParser("python -m benchmarks.compare", description=__doc__)
    parser.add_argument("a", type=Path)
    parser.add_argument("b", type=Path)
    parser.add_argument("--confidence", type=confidence, default=Decimal(99), help="percent (99)")
    parser.add_argument("--clock", choices=("cpu", "wall"), default="cpu")
    given = parser.parse_args()
    a, b = read(given.a), read(given.b)
    for key in MACHINE:
        if a.get(key) != b.get(key):
            print(f"not the same {key}: {a.get(key)}; {b.get(key)}", file=sys.stderr)
    found = changes(a, b, given.confidence, given.clock)
    print(f"A {a.get('commit')}, B {b.get('commit')}: average {given.clock} time, ", end="")
    print(f"Student's t at {given.confidence} %: by chance, that share of works seems changed not")
    print(columns(cells(found)))
    names = [{work["name"] for work in table["works"]} for table in (a, b)]
    for what, only in (("A", names[0] - names[1]), ("B", names[1] - names[0])):
        for name in sorted(only):
            print(f"only in {what}: {name}")
    verdicts = [change.found.verdict for change in found if change.found]
    slower, faster = verdicts.count(TVerdict.HIGHER), verdicts.count(TVerdict.LOWER)
    print(f"{slower} slower, {faster} faster, {len(found) - slower - faster} not told apart")
    return 1 if slower else 0


if __name__ == "__main__":
    raise SystemExit(main())
