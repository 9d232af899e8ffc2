"""Machines: regular ones, trees', files', and those that cannot be."""

import struct
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.lab.simulation import topology, topology_file
from idle_states.lab.simulation.topology import PRESETS, BadTopology, Shape, regular
from idle_states.lab.simulation.topology_tree import from_tree, thread_groups
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node


def cells(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *values)


ODD = st.just({}) | st.binary(max_size=7).map(lambda data: {"ibm,thread-groups": data})


def power10() -> Node:
    """Two fused cores: threads 0..7 and 8..15, L1 and L2 by halves."""

    def core(number: int) -> Node:
        threads = range(8 * number, 8 * number + 8)
        halves = (*threads[::2], *threads[1::2])
        return Node(
            f"PowerPC,POWER10@{8 * number:x}",
            {
                "device_type": b"cpu\0",
                "ibm,ppc-interrupt-server#s": cells(*threads),
                "ibm,thread-groups": cells(1, 2, 4, *halves, 2, 2, 4, *halves),
            },
        )

    return Node("", {}, (Node("cpus", {}, (core(0), core(1))),))


def power9(quads: int = 2) -> Node:
    """Cores of four threads; two lead to an L2, two L2s to an L3."""
    cores, caches = [], []
    for core in range(4 * quads):
        cores.append(
            Node(
                f"PowerPC,POWER9@{4 * core:x}",
                {
                    "device_type": b"cpu\0",
                    "ibm,ppc-interrupt-server#s": cells(*range(4 * core, 4 * core + 4)),
                    "l2-cache": cells(100 + core // 2),
                },
            )
        )
    for pair in range(2 * quads):
        properties = {"phandle": cells(100 + pair), "l2-cache": cells(200 + pair // 2)}
        caches.append(Node(f"l2-cache@{pair:x}", properties))
    for quad in range(quads):
        caches.append(Node(f"l3-cache@{quad:x}", {"phandle": cells(200 + quad)}))
    return Node("", {}, (Node("cpus", {}, (*cores, *caches)),))


def test_fused_threads_interleave() -> None:
    machine = topology.parse("smt8-fused")
    assert machine.members["core"] == (tuple(range(8)),)
    assert machine.members["small_core"] == ((0, 2, 4, 6), (1, 3, 5, 7))


def test_pairs_and_quads() -> None:
    machine = topology.parse("power9")
    assert machine.cpus == 96
    assert machine.members["pair"][1] == tuple(range(8, 16))
    assert machine.members["quad"][1] == tuple(range(16, 32))
    assert machine.count("llc") == 12


def test_cluster_document_s_machine() -> None:
    machine = topology.parse("clusters-24")
    assert [len(cpus) for cpus in machine.members["cluster"]] == [4] * 6
    assert machine.count("llc") == 1


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_say_what_they_are(name: str) -> None:
    machine = regular(PRESETS[name], name)
    again = topology.parse(topology.describe(PRESETS[name]))
    assert machine.members == again.members


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("power12", "expected a topology"),
        ("cpus=0", "cpus of 1 or more"),
        ("cpus=9000", "1 to 8192 CPUs"),
        ("cpus=6,threads=4", "multiples of 4, as a core"),
        ("cpus=12,threads=4,fused=yes", "multiples of 8, as a core"),
        ("cpus=12,pair=8", "multiples of 8, as a pair"),
        ("cpus=12,pair=2,quad=4", "multiples of 8, as a quad"),
        ("cpus=8,cluster=3", "as a cluster"),
        ("cpus=8,llc=3", "as a last-level cache"),
        ("cpus=8,threads=4,llc=2", "small core within one llc|cluster within one llc"),
        ("cpus=8,threads=4,cluster=2", "small core within one cluster"),
        ("cpus=8,cluster=8,llc=4", "cluster within one llc"),
        ("cpus=8,cpus=8", "once"),
        ("cpus=x", "a number"),
        ("fused=maybe", "fused=yes"),
        ("threads=0", "threads of 1 or more"),
    ],
)
def test_impossible_machines(text: str, words: str) -> None:
    with pytest.raises(BadTopology, match=words):
        topology.parse(text)


def test_thread_groups_of_a_tree() -> None:
    machine = from_tree(power10(), "tree")
    assert machine.members["core"] == (tuple(range(8)), tuple(range(8, 16)))
    assert machine.members["small_core"][:2] == ((0, 2, 4, 6), (1, 3, 5, 7))
    assert machine.llc == machine.small_core
    assert machine.cluster == machine.small_core


def test_caches_of_a_tree() -> None:
    machine = from_tree(power9(), "tree")
    expected = regular(Shape(cpus=32, threads=4, pair=2, quad=2, llc=16))
    assert machine.members == expected.members


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (cells(1, 2, 4, 0, 2), "expected 8 threads, found 2"),
        (cells(1, 2), "found the end"),
        (cells(1, 0, 4), "1 to 64 groups"),
        (cells(1, 1, 2, 5, 5), "in one group"),
        (b"\0\0\0", "cells of 4 bytes"),
    ],
)
def test_broken_thread_groups(data: bytes, words: str) -> None:
    with pytest.raises(BadTopology, match=words):
        thread_groups(data, "/cpus/x")


def test_thread_in_no_group() -> None:
    node = Node(
        "cpu@0",
        {
            "ibm,ppc-interrupt-server#s": cells(0, 1),
            "ibm,thread-groups": cells(1, 1, 1, 0),
        },
    )
    with pytest.raises(BadTopology, match="thread 1 in ibm,thread-groups"):
        from_tree(Node("", {}, (Node("cpus", {}, (node,)),)), "tree")
    with pytest.raises(BadTopology, match="expected CPUs below /cpus"):
        from_tree(Node(""), "tree")


@given(st.data())
def test_damaged_trees(data: st.DataObject) -> None:
    """Properties of any content give a machine or a reason."""
    words = st.lists(st.integers(0, 9) | st.integers(0, (1 << 32) - 1), max_size=12)
    names = ("ibm,ppc-interrupt-server#s", "ibm,thread-groups", "l2-cache", "phandle")
    nodes = []
    for number in range(data.draw(st.integers(0, 3))):
        properties = {name: cells(*data.draw(words)) for name in names}
        nodes.append(Node(f"cpu@{number}", properties | data.draw(ODD)))
    cpus = len(nodes)
    with suppress(BadTopology):
        cpus = from_tree(Node("", {}, (Node("cpus", {}, tuple(nodes)),)), "tree").cpus
    assert cpus >= len(nodes)


def test_too_large_trees() -> None:
    many = Node("cpu@0", {"ibm,ppc-interrupt-server#s": cells(*range(9000))})
    with pytest.raises(BadTopology, match="at most 8192 CPUs"):
        from_tree(Node("", {}, (Node("cpus", {}, (many,)),)), "tree")
    with pytest.raises(BadTopology, match="at most 65536 bytes"):
        thread_groups(bytes(70_000), "/cpus/x")


def test_files(tmp_path: Path) -> None:
    blob = tmp_path / "x.dtb"
    blob.write_bytes(fdt.write(power9()))
    assert topology_file.read(blob).count("quad") == 2
    shaped = tmp_path / "shaped.yaml"
    shaped.write_text("name: two\ncpus: 16\nthreads: 4\nfused: yes\nllc: 8\n")
    found = topology_file.read(shaped)
    assert found.name == "two"
    assert found.members == topology.parse("cpus=16,threads=4,fused=yes,llc=8").members
    grouped = tmp_path / "grouped.yaml"
    grouped.write_text("groups:\n  core: [[0, 1], [2], [3]]\n  llc: [[0, 1], [2, 3]]\n")
    found = topology_file.read(grouped)
    assert found.members["small_core"] == ((0, 1), (2,), (3,))
    assert found.members["llc"] == ((0, 1), (2, 3))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("cpus: 8\nthreds: 4\n", 2, "did you mean 'threads'"),
        ("threads: 4\n", 1, "expected 'cpus'"),
        ("cpus: 6\nthreads: 4\n", 1, "multiples of 4"),
        ("cpus: many\n", 1, "a number"),
        ("groups:\n  core: [[0, 1], [1]]\n", 2, "CPU 1 in one group"),
        ("groups:\n  core: [[0], [2]]\n", 1, "CPUs 0, 1, 2"),
        ("groups:\n  core: [[0], [1]]\n  pair: [[0]]\n", 1, "CPU 1 in a pair"),
        ("groups:\n  core: [[0, 1]]\n  llc: [[0], [1]]\n", 1, "within one llc"),
        ("groups:\n  socket: [[0]]\n", 2, "a grouping"),
        ("cpus: 4\ngroups:\n  core: [[0]]\n", 1, "groups alone"),
        ("groups: [0]\n", 1, "groups of CPUs"),
    ],
)
def test_problems_have_places(tmp_path: Path, text: str, line: int, words: str) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(text)
    with pytest.raises(Unreadable, match=words) as caught:
        topology_file.read(file)
    assert caught.value.findings[0].location.line == line
