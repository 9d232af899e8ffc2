"""audit: one tree, and fleets of them, with dtc, dt-validate and libfdt beside it.

The trees are those of stream.py: all distinct; of few tables, as the machines of a fleet are; and
of more tables than audit once remembered, which come again and again. libfdt opens each tree and
checks it whole (fdt_check_full), called from Python, and says nothing of it. fwts' power_mgmt test,
its own C, judges the idle states and P-states of one tree a process, as fwts does. Dask's part is
two workers on this machine, whose start is in the figure.
"""

import sys
from pathlib import Path

from .measuring import ROOT, TOOL, Missing, Run, Work, absent, named, program, python
from .start import SCHEMA
from .stream import Trees

DISTINCT, ALIKE = 2_000, 5_000
TABLES = {"equal": 5, "recurring": 1_500}
FEW = 20
"""Trees for dt-validate."""
AUDIT = (*TOOL, "audit", "--config", "none")
LIBFDT = """
import sys, libfdt
from pathlib import Path
for file in Path(sys.argv[1]).iterdir():
    data = file.read_bytes()
    if libfdt.FdtRo(data).totalsize() != len(data) or libfdt.fdt_check_full(data, len(data)):
        sys.exit(f"{file}: no device tree")
"""
EACH = 'find "$1" -name "*.dtb" -print0 | xargs -0 -n 1 "$2"'
CLUSTER = """
import sys
from distributed import LocalCluster
from idle_states.cli import main
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        sys.exit(main([*sys.argv[1:], "--scheduler", cluster.scheduler_address]))
"""


def fleet(folder: Path, count: int, tables: int | None = None) -> Path:
    """tables: how many of the trees' tables are different; None: all."""
    folder.mkdir()
    trees = Trees()
    for number in range(count):
        tree = trees.tree(number, number % tables if tables else number)
        (folder / f"{number:05}.dtb").write_bytes(tree)
    return folder


def works(folder: Path, scale: float) -> list[Work]:
    one = ROOT / "tests/data/trees/powernv9.dtb"
    words = ("-q", "-I", "dtb", "-O", "dts", "-o", str(folder / "x"), str(one))
    found = [
        Work("audit, one dtb", [*AUDIT, str(one)]),
        Work("dtc, one dtb to source", program("dtc", *words)),
    ]
    fleets = {"distinct": fleet(folder / "distinct", count := round(DISTINCT * scale))}
    for name, tables in TABLES.items():
        fleets[name] = fleet(folder / name, round(ALIKE * scale), tables)
    for name, trees in fleets.items():
        of = count if name == "distinct" else round(ALIKE * scale)
        for jobs in ("1",) if name == "recurring" else ("1", "2"):
            run = [*AUDIT, "--summary", "--jobs", jobs, str(trees)]
            found.append(Work(f"audit, {name} trees, --jobs {jobs}", run, of))
    distinct, equal = fleets["distinct"], fleets["equal"]
    found.append(Work("audit, equal trees, jsonl", [*AUDIT, "--format", "jsonl", str(equal)], of))
    cluster: Run = absent("distributed") or [sys.executable, "-c", CLUSTER, *AUDIT[3:], str(equal)]
    found.append(Work("audit, equal trees, Dask", cluster, of, rounds=3))
    found.append(Work("libfdt, distinct trees", python("libfdt", LIBFDT, str(distinct)), count))
    fwts = named("FWTS")
    each: Run = (
        fwts if isinstance(fwts, Missing) else ["sh", "-c", EACH, "", str(distinct), str(fwts)]
    )
    few = map(str, sorted(distinct.iterdir())[:FEW])
    validate = program("dt-validate", *SCHEMA, *few)
    return [
        *found,
        Work("fwts, distinct trees", each, count, rounds=3),
        Work("dt-validate, distinct trees", validate, FEW, rounds=3),
    ]
