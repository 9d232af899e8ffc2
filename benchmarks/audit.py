"""audit: one tree, and fleets of them all distinct, with dtc, dt-validate and libfdt beside it.

The trees are POWER9's as QEMU's firmware makes it (tests/data/trees), each with another exit
latency, and as many with all times drawn at random, so that no audit of one serves for another; as
many with only what tells the processor beside the idle states; and many of few tables, each with
its own serial number, as the machines of a fleet are. dt-validate is given as many in one call.
libfdt, called by pylibfdt, walks all nodes and properties of each tree in Python, and says nothing
of them. fwts' power_mgmt test, its own C, judges the idle states and P-states of one tree a
process, as fwts does, whose own way to a tree is dtc over /proc/device-tree.

Dask's part is a fleet ten times as large, of links to those trees, on two workers of this machine,
whose start is in the figure. `python -m benchmarks.audit TIMES` makes TIMES as many and says what
of the time was whose.
"""

import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from idle_states.base.model.power_mgt import LATENCIES, NODE, RESIDENCIES, cells, u32_array
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from tools.command_line import asked

from .measuring import ROOT, TOOL, Given, Work, run
from .table import Aim
from .whole_process import SCHEMA, program

Properties = Mapping[str, bytes]
TREES, ALIKE, TABLES, MANY_TABLES = 2_000, 10_000, 5, 2_000
"""Trees that are all different; trees of few different tables; such tables; and as many that memory
does not keep all of them, which come again and again."""
LINKED = 10
"""The number of times that a cluster is given each of the latter."""
RATE = Aim("rate", 10_000, "wall")
"""Trees a second, of two processes."""
AUDIT = (*TOOL, "audit", "--config", "none")
LIBFDT = """
import sys, libfdt
from pathlib import Path
for file in sorted(Path(sys.argv[1]).iterdir()):
    tree, at, depth = libfdt.FdtRo(file.read_bytes()), 0, 0
    while depth >= 0:
        prop = tree.first_property_offset(at, libfdt.QUIET_NOTFOUND)
        while prop >= 0:
            bytes(tree.get_property_by_offset(prop))
            prop = tree.next_property_offset(prop, libfdt.QUIET_NOTFOUND)
        at, depth = tree.next_node(at, depth, libfdt.QUIET_NOTFOUND)
        if at < 0:
            break
"""
EACH = 'find "$1" -name "*.dtb" -print0 | xargs -0 -n 1 "$2"'


def with_latency(root: Node, number: int) -> Node:
    """The tree with `number` spread over its states' exit latencies."""

    def changed(properties: Properties) -> Properties:
        latencies = list(cells(properties[LATENCIES], 4))
        latencies[number % len(latencies)] += 1 + number // len(latencies)
        return {**properties, LATENCIES: u32_array(latencies)}

    return with_idle(root, changed)


def with_times(root: Node, number: int) -> Node:
    """The tree with all times of its states drawn, latencies and residencies rising mostly."""
    drawn = random.Random(number)
    node = root.find(NODE)
    assert node is not None
    count = len(cells(node.properties[LATENCIES], 4))
    latencies = sorted(drawn.randrange(100, 10 ** drawn.randrange(3, 7)) for _ in range(count))
    residencies = [latency * drawn.randrange(2, 30) for latency in latencies]
    times = {LATENCIES: u32_array(latencies), RESIDENCIES: u32_array(residencies)}
    return with_idle(root, lambda properties: {**properties, **times})


def with_idle(root: Node, change: Callable[[Properties], Properties]) -> Node:
    """The tree with other properties of its idle states' node."""

    def changed(node: Node, path: Sequence[str]) -> Node:
        if not path:
            return replace(node, properties=change(node.properties))
        children = tuple(
            changed(child, path[1:]) if child.name == path[0] else child for child in node.children
        )
        return replace(node, children=children)

    return changed(root, NODE.split("/")[1:])


def bare(root: Node) -> Node:
    """Idle states and processors only."""
    keep = {"cpus", "ibm,opal"}
    opal = root.child("ibm,opal")
    assert opal is not None
    power_mgt = tuple(child for child in opal.children if child.name == "power-mgt")
    children = tuple(
        replace(child, children=power_mgt) if child.name == "ibm,opal" else child
        for child in root.children
        if child.name in keep
    )
    return replace(root, children=children)


def fleet(
    directory: Path,
    root: Node,
    count: int,
    tables: int | None = None,
    change: Callable[[Node, int], Node] = with_latency,
) -> Path:
    """tables: how many of the trees' tables are different; None: all. change: makes one by its
    number."""
    directory.mkdir()
    for number in range(count):
        serial = {"system-id": f"S{number:06}".encode() + b"\0"}
        made = change(root, number % tables if tables else number)
        made = replace(made, properties={**made.properties, **serial})
        (directory / f"{number:05}.dtb").write_bytes(fdt.write(made))
    return directory


def linked(directory: Path, files: Path, times: int) -> Path:
    """Links to each of the files, so many: copies that nobody would tell from files."""
    for copy in range(times):
        (directory / f"{copy:05}").mkdir(parents=True)
        for file in sorted(files.iterdir()):
            os.link(file, directory / f"{copy:05}" / file.name)
    return directory


CLUSTER = """
import resource, sys, time
from distributed import Client, LocalCluster
from idle_states.cli import main
if __name__ == "__main__":
    begun = time.perf_counter()
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(processes=True, **options) as cluster, Client(cluster) as client:
        worker = lambda: time.process_time()
        before, cpu, started = client.run(worker), time.process_time(), time.perf_counter()
        main([*sys.argv[1:], "--scheduler", cluster.scheduler_address])
        taken, cpu = time.perf_counter() - started, time.process_time() - cpu
        theirs = [after - before[name] for name, after in client.run(worker).items()]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"started in {started - begun:.1f} s; audited in {taken:.1f} s; CPU of each worker",
          *(f"{each:.1f} s" for each in theirs), f"and of client and scheduler {cpu:.1f} s,",
          f"whose peak is {peak:.0f} MB", file=sys.stderr)
"""


def checked(directory: Path, count: int) -> None:
    """All were read, and no two are alike: otherwise the figures mean nothing."""
    lines = run([*AUDIT, "--format", "jsonl", str(directory)]).splitlines()
    tables = {json.loads(line)["fingerprint"] for line in lines}
    assert len(tables) == count, f"expected {count} different tables, found {len(tables)}"


def works(given: Given) -> list[Work]:
    root = fdt.read((ROOT / "tests/data/trees/powernv9.dtb").read_bytes(), "powernv9.dtb")
    one = given.folder / "one.dtb"
    one.write_bytes(fdt.write(root))
    validate, to_source = program("dt-validate", given), "dtc, one dtb to source"
    found = [Work("audit, one dtb", [*AUDIT, str(one)], peers={to_source: None})]
    if dtc := program("dtc", given):
        words = [dtc, "-q", "-I", "dtb", "-O", "dts", "-o", str(given.folder / "x"), str(one)]
        found.append(Work(to_source, words, ours=False))
    if not (libfdt := importlib.util.find_spec("libfdt")):
        given.missing["pylibfdt"] = "not installed: pip install pylibfdt"
    if given.fwts is None:
        given.missing["fwts"] = "no program was named: make bench FWTS=PROGRAM, as make opal takes"
    sizes = given.sizes(TREES)
    for count in sizes:
        whole = fleet(given.folder / f"whole{count}", root, count)
        last = count == sizes[-1]
        theirs = f"pylibfdt, {count} trees"
        for jobs in (1, 2) if last else (1,):
            words = [*AUDIT, "--summary", "--jobs", str(jobs), str(whole)]
            series = "audit, whole trees, 1 process" if jobs == 1 else ""
            peers: Mapping[str, Aim | None] = {theirs: RATE if jobs == 2 else None}
            if count == sizes[0]:
                peers = {f"dt-validate, {count} trees": None}
            if given.fwts and last:
                peers = {**peers, f"fwts, {count} trees": None}
            name = f"audit, {count} whole trees, {jobs} process" + "es" * (jobs > 1)
            found.append(Work(name, words, count, peers, series))
        if given.fwts and last:
            words = ["sh", "-c", EACH, "sh", str(whole), str(given.fwts.resolve())]
            found.append(Work(f"fwts, {count} trees", words, count, ours=False))
        if libfdt:
            words = [sys.executable, "-c", LIBFDT, str(whole)]
            found.append(Work(theirs, words, count, {}, "pylibfdt, whole trees", False))
        if validate and count == sizes[0]:
            words = [validate, *SCHEMA, *map(str, sorted(whole.iterdir()))]
            found.append(Work(f"dt-validate, {count} trees", words, count, ours=False))
    bares = fleet(given.folder / "bare", bare(root), count)
    drawn = fleet(given.folder / "drawn", root, count, change=with_times)
    fleets = [(count, f"{count} bare trees", bares, ""), (count, f"{count} drawn trees", drawn, "")]
    for alike in given.sizes(ALIKE):
        directory = fleet(given.folder / f"alike{alike}", root, alike, TABLES)
        series = f"audit, trees of {TABLES} tables, 1 process"
        fleets.append((alike, f"{alike} trees of {TABLES} tables", directory, series))
    for trees, what, directory, series in fleets:
        for jobs in (1, 2) if trees in (count, alike) else (1,):
            words = [*AUDIT, "--summary", "--jobs", str(jobs), str(directory)]
            name = f"audit, {what}, {jobs} process" + "es" * (jobs > 1)
            beside = f"pylibfdt, {trees} trees" if directory == drawn and libfdt else ""
            peers = {beside: RATE if jobs == 2 else None}
            found.append(Work(name, words, trees, peers, series if jobs == 1 else ""))
    tables = fleet(given.folder / "tables", root, alike, MANY_TABLES)
    words = [*AUDIT, "--summary", "--jobs", "1", str(tables)]
    found.append(Work(f"audit, {alike} trees of {MANY_TABLES} tables, 1 process", words, alike))
    words = [*AUDIT, "--format", "jsonl", "--jobs", "2", str(directory)]
    found.append(Work(f"audit, {what}, as JSON lines", words, alike, {"": RATE}))
    if importlib.util.find_spec("distributed"):
        many = linked(given.folder / "many", directory, LINKED)
        words = [sys.executable, "-c", CLUSTER, *AUDIT[3:], "--summary", str(many)]
        name = f"audit, {LINKED} x {what}, on Dask"
        found.append(Work(name, words, LINKED * alike, {"": RATE}, rounds=3))
    else:
        given.missing["Dask"] = "not installed: pip install distributed"
    checked(whole, count)
    checked(drawn, count)
    return found


def main() -> int:
    """A cluster's fleet as large as is asked for."""
    times = int(asked(__doc__, "TIMES").times)
    root = fdt.read((ROOT / "tests/data/trees/powernv9.dtb").read_bytes(), "powernv9.dtb")
    with tempfile.TemporaryDirectory() as folder:
        files = fleet(Path(folder) / "files", root, ALIKE, TABLES)
        many = linked(Path(folder) / "many", files, times)
        print(f"{times * ALIKE} trees: {ALIKE} different files of {TABLES} different tables")
        words = [sys.executable, "-c", CLUSTER, *AUDIT[3:], "--summary", str(many)]
        return subprocess.run(words, stdout=subprocess.DEVNULL, cwd=ROOT).returncode


if __name__ == "__main__":
    raise SystemExit(main())
