"""Compares the models with kernels' own code, tree by tree, and writes docs/compared.tsv.

    python -m tools.compared DIR COUNT [SUBSYSTEM...]     DIR/4.18.0-553 ...: trees of RHEL's builds
    python -m tools.compared      the table of docs/kernels.md, from what is written

COUNT is how many random decisions, machines or trees of each source are compared (100000). Trees
whose files of a subsystem are equal are compared once; a row that is there already is kept. The
comparisons are those of the tests; what one of them prints when it fails is shown, and its row says
that some differ. Exits with 1 then.
"""

import hashlib
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from idle_states.base.files import write_file
from idle_states.tables.linux import builds
from idle_states.tables.linux.grounds import modelled
from idle_states.tables.linux.releases import place, release
from tools.command_line import parsed

DOCS = Path(__file__).parent.parent / "docs"
FILE, PAGE = DOCS / "compared.tsv", DOCS / "kernels.md"
START, END = "<!-- written by tools.compared -->\n", "<!-- up to here -->\n"
LINUX = "tests/tables/linux"
_GOVERNORS, _IDLE = "drivers/cpuidle/governors", "drivers/cpuidle"
_HEADER = "include/linux/cpuidle.h"
_PM = "drivers/base/power/domain{}.c drivers/pmdomain/{}.c"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The way in which a subsystem is compared.

    test   the test, with what -k selects of it after a blank
    files  the sources that decide, below a tree
    count  variable of the environment that says how many, and how many it counts as one
    """

    test: str
    files: str
    count: tuple[str, float] = ("CASES", 1)


def _governor(name: str) -> Comparison:
    test = f"{LINUX}/governors/test_models.py test_random_sequences and {name}"
    return Comparison(test, f"{_GOVERNORS}/{name}.c {_HEADER}", ("GOVERNOR_DECISIONS", 4))


_ACPI = "drivers/acpi/processor_idle.c drivers/acpi/acpi_processor.c"
COMPARISONS = {
    **{name: _governor(name) for name in ("menu", "teo", "ladder", "haltpoll")},
    "idle loop": Comparison(
        "tests/oracle/test_idle_loop_oracle.py random_idle_loops",
        f"kernel/sched/idle.c {_IDLE}/cpuidle.c {_IDLE}/poll_state.c {_IDLE}/driver.c",
        ("CASES", 1 / 20),
    ),
    "powernv": Comparison(
        f"{LINUX}/test_powernv_model.py random_trees and 0",
        f"{_IDLE}/cpuidle-powernv.c arch/powerpc/platforms/powernv/idle.c",
    ),
    "pseries": Comparison(f"{LINUX}/test_pseries_oracle.py random", f"{_IDLE}/cpuidle-pseries.c"),
    "dt": Comparison(
        f"{LINUX}/test_dt_idle_oracle.py test_model_is_as_the_kernel and psci",
        f"{_IDLE}/dt_idle_states.c {_IDLE}/cpuidle-arm.c {_IDLE}/cpuidle-psci.c "
        f"{_IDLE}/cpuidle-psci-domain.c {_IDLE}/dt_idle_genpd.c arch/arm64/kernel/psci.c "
        "drivers/firmware/psci.c",
    ),
    "genpd": Comparison(
        f"{LINUX}/genpd/test_oracle.py test_same_as_the_kernel",
        f"{_PM.format('', 'core')} {_PM.format('_governor', 'governor')}",
        ("GENPD_DECISIONS", 1),
    ),
    "acpi_idle x86": Comparison(
        f"{LINUX}/test_acpi_idle_oracle.py test_start_on_random_machines and x86",
        f"{_ACPI} arch/x86/kernel/acpi/cstate.c",
    ),
    "acpi_idle arm64": Comparison(
        f"{LINUX}/test_acpi_idle_oracle.py test_start_on_random_machines and arm64",
        f"{_ACPI} arch/arm64/kernel/cpuidle.c drivers/acpi/arm64/cpuidle.c",
    ),
    "intel_idle": Comparison(
        f"{LINUX}/test_intel_idle_oracle.py test_start_on_random_machines",
        "drivers/idle/intel_idle.c",
    ),
}


@dataclass(frozen=True, slots=True)
class Row:
    """The outcome of a build's sources. differing: some; the comparison ends with the first."""

    build: str
    subsystem: str
    compared: int
    differing: bool

    def __str__(self) -> str:
        return f"{self.build}\t{self.subsystem}\t{self.compared}\t{'some' if self.differing else 0}"


def rows() -> list[Row]:
    """The rows of docs/compared.tsv."""
    lines = FILE.read_text("utf-8").splitlines() if FILE.exists() else []
    words = (line.split("\t") for line in lines)
    return [
        Row(build, name, int(count), differing != "0") for build, name, count, differing in words
    ]


def written(found: Sequence[Row]) -> None:
    """Writes the rows, builds in their order, and the page's table."""
    names = [*COMPARISONS]
    ordered = sorted(found, key=lambda row: (place(row.build), names.index(row.subsystem)))
    write_file(FILE, "".join(f"{row}\n" for row in ordered))
    page = PAGE.read_text("utf-8")
    before, rest = page.split(START)
    write_file(PAGE, f"{before}{START}{table(ordered)}{END}{rest.split(END)[1]}")


def table(found: Sequence[Row]) -> str:
    """The page's table: a row for each line of kernels and subsystem."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in found:
        groups[place(row.build)[0], row.subsystem].append(row)
    lines = [
        "| kernels | builds | subsystem | sources | compared | differing |\n",
        "|" + "---|" * 6 + "\n",
    ]
    for (line, name), ours in groups.items():
        count = sum(row.compared for row in ours)
        differing = sum(row.differing for row in ours)
        cells = (f"{line}.0", len(builds.at_hand(line)), name, len(ours), f"{count:,}", differing)
        lines.append(f"| {' | '.join(map(str, cells))} |\n")
    return "".join(lines)


def to_compare(folder: Path, name: str) -> Iterator[Path]:
    """Yields the trees to compare a subsystem with: of equal ones the oldest."""
    seen: set[tuple[str, bytes]] = set()
    trees = (tree for tree in folder.iterdir() if re.fullmatch(r"[\d.]+-[\d.]+", tree.name))
    for tree in sorted(trees, key=lambda tree: place(f"rhel-{tree.name}")):
        files = [tree / file for file in COMPARISONS[name].files.split()]
        digest = hashlib.sha256(b"\0".join(each.read_bytes() for each in files if each.exists()))
        kernel = release(f"rhel-{tree.name}")
        known = (kernel.way[-1][0], digest.digest())
        if known not in seen and modelled(kernel, name.removesuffix(" x86").removesuffix(" arm64")):
            seen.add(known)
            yield tree


def compare(tree: Path, name: str, count: int) -> Row:
    """Runs a subsystem's test on a tree."""
    how = COMPARISONS[name]
    test, _, selected = how.test.partition(" ")
    variable, share = how.count
    kernel = f"rhel-{tree.name}"
    variables = {
        "LINUX": str(tree),
        "KERNEL": kernel,
        "RELEASE": kernel,
        variable: str(int(count * share)),
    }
    words = ["-q", "-n0", "-p", "no:cacheprovider", "-m", "", "-x", test, "-k", selected]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )
    passed = re.search(r"(\d+) passed", done.stdout)
    if done.returncode or not passed:
        print(f"{kernel} {name}:\n{done.stdout[-2000:]}", file=sys.stderr)
    return Row(kernel, name, count, bool(done.returncode or not passed))


def main() -> int:
    given = parsed(__doc__, "[DIR]", "[COUNT]", "[SUBSYSTEM...]")
    for name in (given.subsystem or COMPARISONS) if given.dir else ():
        for tree in to_compare(Path(given.dir), name):
            if any((r.build, r.subsystem) == (f"rhel-{tree.name}", name) for r in rows()):
                continue
            row = compare(tree, name, int(given.count))
            print(row, flush=True)
            written([*rows(), row])
    written(rows())
    return int(any(row.differing for row in rows()))


if __name__ == "__main__":
    sys.exit(main())
