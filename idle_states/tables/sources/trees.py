"""Sources from the root node of a device tree: what the formats of trees have in common."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...base.dataclass import replace
from ...base.model.findings import Finding, Location, Severity
from ...base.model.power_mgt import CELL_BYTES, NAMES, NODE, PowerMgt
from ...base.model.table import IdleTable
from ...base.wording import joined
from ..devicetree import tables
from ..devicetree.tree import Node
from ..skiboot.platform import ALL_LEVELS
from ..spec import registry
from .source import Source, with_findings

if TYPE_CHECKING:
    from ..devicetree.dts_places import Places
    from ..devicetree.lpm_levels import MainlineTree


def sources_of(
    root: Node,
    shown: str,
    kind: str,
    digest: str,
    places: "Places | None" = None,
    texts: dict[str, str] | None = None,
) -> list[Source]:
    """A source for each table of a tree: OPAL's node, or the lists of an Arm or RISC-V tree's CPUs.
    kind, places: see `tables.tables_of`.

    A tree without a table gives one source with a finding that says so.
    """
    if (early := _before_skiboot(root, shown, places or {})) is not None:
        return [Source(shown, shown, digest, None, (early,), tree=root, texts=texts or {})]
    found = [
        Source(
            table.name,
            shown,
            digest,
            table,
            tuple(_unlisted(root, table, shown, places or {})),
            node=node,
            tree=root,
            texts=texts or {},
        )
        for node, table in tables.tables_of(root, shown, kind, digest, places)
    ]
    if not found:
        from ..devicetree import idle_nodes

        for listed in idle_nodes.lists_of(root, shown, places):
            if not (listed.nodes() or listed.domains or listed.broken):
                continue
            table = idle_nodes.table_of(listed, kind, shown, digest)
            found.append(Source(table.name, shown, digest, table, tree=root, texts=texts or {}))
    if found:
        return found
    from ..devicetree import lpm_levels

    if (levels := lpm_levels.converted(root)) is not None:
        found = sources_of(levels.root, shown, kind, digest, places, texts)
        noted = [
            replace(each, table=each.table and replace(each.table, note=_LEVELS)) for each in found
        ]
        return with_findings(noted, [_converted(levels, shown)])
    findings = tuple(_nothing(root, shown, places))
    return [Source(shown, shown, digest, None, findings, tree=root, texts=texts or {})]


_BY_SKIBOOT = "opal-base-address"  # of every release since 2014


def _before_skiboot(root: Node, shown: str, places: "Places") -> Finding | None:
    """IS123 for a tree that hostboot, HDAT or a simulator gives to skiboot; None for others."""
    opal = root.child("ibm,opal")
    node = opal and opal.child("power-mgt")
    chips = any(child.name.startswith("xscom@") for child in root.children)
    if opal is None or _BY_SKIBOOT in opal.properties or not chips:
        return None
    if node and any(name in node.properties for name in (NAMES, *CELL_BYTES)):
        return None
    message = f"tree from before skiboot ran (no {_BY_SKIBOOT}): skiboot adds the idle states"
    cpu = tables.cpu_of(root)
    if cpu is not None:
        from ..skiboot.export import export
        from ..spec.library import find

        levels = PowerMgt(node.properties).stop_levels if node else None
        sleep = "fast-sleep" in root.strings("ibm,enabled-idle-states")
        platform = replace(ALL_LEVELS, enabled_stop_levels=levels, fast_sleep=sleep)
        table = find(registry.usual(cpu.processor))
        states = [table.states[index].name for index in export(table, platform).indices]
        message += f"; today's would add {joined(states) or 'none'}"
    path = NODE if node else "/ibm,opal"
    where = replace(places.get(path, {}).get("") or Location(file=shown), path=path)
    return Finding("IS123", "tree-before-skiboot", Severity.NOTE, message, where, table=shown)


_LEVELS = (
    "Qualcomm's levels as Linux's bindings have them. Linux does not read them: with this tree it "
    "has only WFI; the governor of Qualcomm's kernels is not modelled."
)


def _converted(levels: "MainlineTree", shown: str) -> Finding:
    """IS631: what is shown is not as it stands in the tree."""
    message = f"idle states in {levels.path.rpartition('/')[2]} alone, which Linux does not read; "
    message += "shown and checked as its bindings describe them"
    if levels.lost:
        message += f", which have no equivalent of {', '.join(levels.lost)}"
    where = Location(levels.path, shown)
    return Finding("IS631", "vendor-idle-states", Severity.NOTE, message, where, table=shown)


def _unlisted(root: Node, table: IdleTable, shown: str, places: "Places") -> Iterator[Finding]:
    """IS121 where the tree names a processor that is not in the registry."""
    named = tables.unlisted_processor(root)
    if named is None:
        return
    node, _, name = named.path.partition(":")
    where = replace(places.get(node, {}).get(name) or Location(file=shown), path=named.path)
    message = (
        f"unknown processor {named.name}: it is not one of {', '.join(registry.names())}, so "
        "its levels and nearest table are unknown; if you have its spec, name that too"
    )
    yield Finding("IS121", "unknown-processor", Severity.ERROR, message, where, table=table.name)


def _nothing(root: Node, shown: str, places: "Places | None") -> Iterator[Finding]:
    from ..devicetree import idle_nodes

    if not root.children or any(child.child("__overlay__") for child in root.children):
        message = "expected a machine's tree, found an overlay, or data for a boot loader alone"
        where = Location("/", shown)
        yield Finding("IS601", "no-idle-states", Severity.NOTE, message, where, table=shown)
        return
    if not idle_nodes.has_cpus(root):
        message = "expected a node /ibm,opal/power-mgt, found none"
        where = Location("/ibm,opal", shown)
        yield Finding("IS114", "missing-node", Severity.ERROR, message, where, table=shown)
        return
    message = "expected CPUs with cpu-idle-states, found none; Linux has only WFI"
    where = Location(idle_nodes.CPUS, shown)
    yield Finding("IS601", "no-idle-states", Severity.NOTE, message, where, table=shown)
    linked = idle_nodes.LinkedTree(root, shown, places)
    for node in linked.unlisted():
        message = f"no CPU or power domain lists {node.name}; Linux has only WFI"
        yield Finding("IS613", "unlisted-state", Severity.WARNING, message, node.where, table=shown)
    for each in linked.misspelt():
        yield Finding(
            "IS627", "misspelt-property", Severity.WARNING, each.fault, each.where, table=shown
        )
