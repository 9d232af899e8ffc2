"""The topology in a device tree: /cpus of POWER machines, or any CPU nodes.

A CPU node is a core; ibm,ppc-interrupt-server#s lists its threads, and Linux numbers them in the
order of the nodes. ibm,thread-groups holds, for each property that threads may share: the
property's number, the number of groups, the threads in a group, and the threads. Property 1 is the
L1 cache; its groups are the cores as built that make up a fused core. Property 2 is L2 and L3; its
groups are the last-level caches. l2-cache (or next-level-cache) refers to the L2, whose node refers
to the L3: cores with the same L2 are a pair, pairs with the same L3 are a quad.

Source: Linux arch/powerpc/kernel/smp.c, parse_thread_groups(), and setup-common.c,
smp_setup_cpu_maps(); skiboot hdata/ (cache nodes).
"""

from ...base.dataclass import dataclass
from ...tables.devicetree.tree import Node
from .topology import CPUS_MAX, BadTopology, Topology, numbered

THREAD_GROUPS = "ibm,thread-groups"
THREADS = "ibm,ppc-interrupt-server#s"
SHARES_L1, SHARES_L2_L3 = 1, 2
_NEXT_CACHE = ("l2-cache", "next-level-cache")
_GROUPS_MOST = 64
_BYTES_MOST = 64 * 1024


@dataclass(frozen=True, slots=True)
class ThreadGroups:
    """Groups of threads that share property number `shared`; groups: their thread numbers."""

    shared: int
    groups: tuple[tuple[int, ...], ...]


def thread_groups(data: bytes, path: str) -> tuple[ThreadGroups, ...]:
    """Parses the value of ibm,thread-groups. Raises BadTopology."""
    if len(data) > _BYTES_MOST:
        raise BadTopology(f"{path}: expected at most {_BYTES_MOST} bytes, found {len(data)}")
    if len(data) % 4:
        raise BadTopology(f"{path}: expected cells of 4 bytes, found {len(data)} bytes")
    cells = [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4)]
    found, at = [], 0
    while at < len(cells):
        header = cells[at : at + 3]
        if len(header) < 3:
            raise BadTopology(f"{path}: expected property, groups and threads, found the end")
        shared, groups, threads = header
        if not 1 <= groups <= _GROUPS_MOST or not 1 <= threads <= _GROUPS_MOST:
            raise BadTopology(
                f"{path}: expected 1 to {_GROUPS_MOST} groups of as many threads, found {groups} "
                f"of {threads}"
            )
        listed = cells[at + 3 : at + 3 + groups * threads]
        if len(listed) < groups * threads:
            raise BadTopology(f"{path}: expected {groups * threads} threads, found {len(listed)}")
        each = tuple(tuple(listed[i : i + threads]) for i in range(0, len(listed), threads))
        if len(set(listed)) < len(listed):
            raise BadTopology(f"{path}: expected each thread in one group, found one in two")
        found.append(ThreadGroups(shared, each))
        at += 3 + groups * threads
    return tuple(found)


def from_tree(root: Node, name: str) -> Topology:
    """Raises BadTopology for a tree without CPUs, or with inconsistent threads."""
    caches = _caches(root)
    cores: list[str] = []
    small: list[object] = []
    llc: list[object] = []
    pair: list[object] = []
    quad: list[object] = []
    for path, node in _cpus(root):
        threads = _cells(node, THREADS) or [0]
        if len(cores) + len(threads) > CPUS_MAX:
            raise BadTopology(f"{name}: expected at most {CPUS_MAX} CPUs, found more")
        shared = {
            each.shared: each
            for each in thread_groups(
                node.properties.get(THREAD_GROUPS, b""), f"{path}/{THREAD_GROUPS}"
            )
        }
        levels = _levels(node, caches)
        for thread in threads:
            core = (path, _group(shared.get(SHARES_L1), thread, path))
            cores.append(path)
            small.append(core)
            # each half of a fused core has its own L2
            split = core[1] is not None
            pair.append(levels[0] if levels and not split else core)
            quad.append(levels[-1] if levels and not split else core)
            cache = _group(shared.get(SHARES_L2_L3), thread, path)
            if cache is not None:
                llc.append((path, cache))
            else:
                llc.append(levels[-1] if levels else "all")
    if not cores:
        raise BadTopology(f"{name}: expected CPUs below /cpus, found none")
    return Topology(
        name,
        numbered(cores),
        numbered(small),
        numbered(pair),
        numbered(quad),
        numbered(pair),
        numbered(llc),
    )


def _group(groups: ThreadGroups | None, thread: int, path: str) -> int | None:
    if groups is None:
        return None
    for number, members in enumerate(groups.groups):
        if thread in members:
            return number
    raise BadTopology(f"{path}: expected thread {thread} in {THREAD_GROUPS}, found it in no group")


def _cpus(root: Node) -> list[tuple[str, Node]]:
    cpus = root.find("/cpus")
    if cpus is None:
        return []
    return [
        (f"/cpus/{node.name}", node)
        for node in cpus.children
        if node.strings("device_type") == ("cpu",) or node.name.startswith("cpu@")
    ]


def _cells(node: Node, name: str) -> list[int]:
    data = node.properties.get(name, b"")
    return [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data) // 4 * 4, 4)]


def _caches(root: Node) -> dict[int, Node]:
    """Returns phandle -> cache node."""
    found = {}
    for _, node in root.walk():
        phandle = node.u32("phandle") or node.u32("linux,phandle")
        if phandle is not None:
            found[phandle] = node
    return found


def _levels(node: Node, caches: dict[int, Node]) -> list[int]:
    """Returns the phandles of the caches that a node refers to, L2 first."""
    found: list[int] = []
    at: Node | None = node
    while at is not None:
        phandle = next((value for name in _NEXT_CACHE if (value := at.u32(name))), None)
        if phandle is None or phandle in found:
            break
        found.append(phandle)
        at = caches.get(phandle)
    return found
