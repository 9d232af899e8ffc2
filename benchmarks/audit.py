"""audit: one tree, and fleets of them all distinct, with dtc and dt-validate beside it.

    make bench          or: python benchmarks/audit.py [--runs 5] [--trees 10000]

The trees are POWER9's as QEMU's firmware makes it (tests/data/trees), each with another exit
latency, so that nothing computed for one serves for another; as many with only what tells the
processor beside the idle states; and as many of few tables, each with its own serial number, as
the machines of a fleet are. Every figure is the median of several runs, taken in turn.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from whole_process import ROOT, TOOL, peak_megabytes, seconds

sys.path.insert(0, str(ROOT))

from idle_states.devicetree import fdt
from idle_states.devicetree.tree import Node
from idle_states.power_mgt import LATENCIES, cells, u32_array

FEW = 101
TABLES = 5
"""Different tables of the fleet whose trees are alike."""


def with_latency(root: Node, number: int) -> Node:
    """The tree with `number` spread over its states' exit latencies."""

    def changed(node: Node, path: Sequence[str]) -> Node:
        if path:
            children = tuple(
                changed(child, path[1:]) if child.name == path[0] else child
                for child in node.children
            )
            return replace(node, children=children)
        latencies = list(cells(node.properties[LATENCIES], 4))
        latencies[number % len(latencies)] += 1 + number // len(latencies)
        return replace(node, properties={**node.properties, LATENCIES: u32_array(latencies)})

    return changed(root, ("ibm,opal", "power-mgt"))


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


def fleet(directory: Path, root: Node, count: int, tables: int | None = None) -> Path:
    """tables: how many of the trees' tables are different; None: all."""
    directory.mkdir()
    for number in range(count):
        serial = {"system-id": f"S{number:06}".encode() + b"\0"}
        made = with_latency(root, number % tables if tables else number)
        made = replace(made, properties={**made.properties, **serial})
        (directory / f"{number:05}.dtb").write_bytes(fdt.write(made))
    return directory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--trees", type=int, default=10_000)
    given = parser.parse_args()
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    root = fdt.read((ROOT / "tests/data/trees/powernv9.dtb").read_bytes(), "powernv9.dtb")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        one = work / "one.dtb"
        one.write_bytes(fdt.write(root))
        few = fleet(work / "few", root, FEW)
        whole = fleet(work / "whole", root, given.trees)
        small = fleet(work / "small", bare(root), given.trees)
        alike = fleet(work / "alike", root, given.trees, TABLES)
        audit = [*TOOL, "audit", "--config", "none"]
        measures: dict[str, tuple[int, Callable[[], float]]] = {
            "audit, one dtb": (1, lambda: seconds([*audit, str(one)])),
            f"audit, {FEW} dtbs, one process": (
                FEW,
                lambda: seconds([*audit, "--summary", "--jobs", "1", str(few)]),
            ),
        }
        for jobs in (1, 2):
            for what, directory, form in (
                ("whole", whole, ["--summary"]),
                ("bare", small, ["--summary"]),
                (f"of {TABLES} tables", alike, ["--summary"]),
                (f"of {TABLES} tables, jsonl", alike, ["--format", "jsonl"]),
            ):
                words = [*audit, *form, "--jobs", str(jobs), str(directory)]
                measures[f"audit, {given.trees} {what}, {jobs} processes"] = (
                    given.trees,
                    lambda words=words: seconds(words),
                )
        if dtc := shutil.which("dtc"):
            to_source = [dtc, "-q", "-I", "dtb", "-O", "dts", "-o", str(work / "x"), str(one)]
            measures["dtc, one dtb to source"] = (1, lambda: seconds(to_source))
        beside = Path(sys.executable).parent / "dt-validate"
        if validate := shutil.which("dt-validate") or (str(beside) if beside.exists() else None):
            schema = ["-s", str(ROOT / "schemas"), "-l", "opal-power-mgt"]
            measures["dt-validate, one dtb"] = (
                1,
                lambda: seconds([validate, *schema, str(one)]),
            )
            measures[f"dt-validate, {FEW} dtbs"] = (
                FEW,
                lambda: seconds([validate, *schema, *map(str, sorted(few.iterdir()))]),
            )
        report(measures, given.runs)
        for what, directory in (("whole", whole), (f"of {TABLES} tables", alike)):
            memory = peak_megabytes([*audit, "--summary", str(directory)])
            print(f"peak memory of a process, {given.trees} trees {what}: {memory:.0f} MB")
        check(audit, whole, given.trees)


def report(measures: dict[str, tuple[int, Callable[[], float]]], runs: int) -> None:
    samples: dict[str, list[float]] = {what: [] for what in measures}
    for number in range(runs + 1):
        for what, (_, measure) in measures.items():
            taken = measure()
            if number:
                samples[what].append(taken)
    middle = {what: statistics.median(taken) for what, taken in samples.items()}
    print(f"{f'median of {runs}':44} {'ms':>8} {'trees/s':>9}")
    for what, taken in middle.items():
        count = measures[what][0]
        print(f"{what:44} {1000 * taken:8.0f} {count / taken:9.0f}")
    first = middle["audit, one dtb"]
    further = (middle[f"audit, {FEW} dtbs, one process"] - first) / (FEW - 1)
    print(f"each further dtb: {1000 * further:.2f} ms")


def check(audit: list[str], directory: Path, count: int) -> None:
    """All were read, and no two are alike: otherwise the figures mean nothing."""
    begun = time.perf_counter()
    done = subprocess.run(
        [*audit, "--format", "jsonl", str(directory)], capture_output=True, check=False
    )
    tables = {json.loads(line)["fingerprint"] for line in done.stdout.splitlines()}
    assert len(tables) == count, f"expected {count} different tables, found {len(tables)}"
    print(f"as JSON lines: {count / (time.perf_counter() - begun):.0f} trees/s, reading them too")


if __name__ == "__main__":
    main()
