"""Two machines of Arm or RISC-V, compared node by node: states, CPUs, power domains; and what each
kernel makes of each CPU's list.

Nodes are matched by name, where that is a node's alone in its tree, else by path.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...base.model.architectures import ARM, RISCV
from ...base.model.beyond_opal import IdleList, ListedNode
from ...base.model.idle_tree import name_of
from ..devicetree.idle_nodes import ENTRY, EXIT, RESIDENCY, TIMER_STOP, WAKEUP
from ..linux.platforms import AnyPlatform
from ..linux.releases import Release
from ..pipeline import journey
from ..sources import Source
from .tables import ABSENT, Difference, arrivals_differ

NODES = "nodes"
_TIMES = (ENTRY, EXIT, WAKEUP, RESIDENCY)
_TEXTS = ("compatible", "idle-state-name")

Facts = Mapping[str, Mapping[str, str]]
"""Kind of node -> its properties, as a person writes them."""


def diff_machines(
    a: Sequence[Source],
    b: Sequence[Source],
    kernels: Sequence[Release],
    platform: AnyPlatform,
    governor: str | None = None,
    hz: int = 250,
) -> list[Difference]:
    """Returns all differences of two machines. a, b: all tables of each; the rest as for
    `tables.diff`."""
    lists_a, lists_b = (_lists(sources) for sources in (a, b))
    found = list(_facts("states", _states(lists_a), _states(lists_b)))
    found += _alike(_facts("cpus", _cpus(lists_a), _cpus(lists_b)), _cpus(lists_a), _cpus(lists_b))
    found += _facts("domains", _domains(lists_a), _domains(lists_b))
    found += _registered(a, b, kernels, platform, governor, hz)
    return found


def _lists(sources: Sequence[Source]) -> tuple[IdleList, ...]:
    """All lists of a tree, those without states included."""
    table = sources[0].table
    assert table is not None
    assert table.origin.form == "nodes"
    return table.origin.of_tree


def _facts(what: str, a: Facts, b: Facts) -> Iterator[Difference]:
    for name in dict.fromkeys([*a, *b]):
        if name not in a or name not in b:
            left, right = (_whole(what, facts.get(name)) for facts in (a, b))
            yield Difference(NODES, f"{what}.{name}", left, right)
            continue
        for key in dict.fromkeys([*a[name], *b[name]]):
            left, right = (facts[name].get(key, ABSENT) for facts in (a, b))
            if left != right:
                yield Difference(NODES, f"{what}.{name}.{key}", left, right)


def _whole(what: str, facts: Mapping[str, str] | None) -> str:
    """A node in a few words."""
    if facts is None:
        return ABSENT
    if what != "states":
        return facts["states"]
    return "/".join(facts[name] for name in (ENTRY, EXIT, RESIDENCY)) + " us"


def _nodes(lists: Sequence[IdleList]) -> list[ListedNode]:
    """Every state node of the tree, once."""
    listed = [node for one in lists for node in (*one.flat, *one.own_domain, *one.domains)]
    of_domains = [node for one in lists for domain in one.power_domains for node in domain.states]
    unlisted = [node for one in lists for node in one.unlisted]
    return list({n.path: n for n in (*listed, *of_domains, *unlisted) if n is not None}.values())


def _states(lists: Sequence[IdleList]) -> dict[str, dict[str, str]]:
    nodes = _nodes(lists)
    counts = Counter(node.name for node in nodes)
    parameter = (RISCV if any(one.riscv for one in lists) else ARM).parameter
    return {
        node.name if counts[node.name] == 1 else node.path: _node(node, parameter) for node in nodes
    }


def _node(node: ListedNode, parameter: str) -> dict[str, str]:
    """The properties that the bindings know, by their names."""
    found = {name: _number(node.u32(name), "d") for name in _TIMES}
    found[parameter] = _number(node.u32(parameter), "#010x")
    found[TIMER_STOP] = "yes" if TIMER_STOP in node.properties else "no"
    found["status"] = " ".join(node.strings("status")) or "none"
    found |= {name: ", ".join(node.strings(name)) or "none" for name in _TEXTS}
    return found


def _number(value: int | None, form: str) -> str:
    return "none" if value is None else format(value, form)


def _names(nodes: Iterable[ListedNode | None]) -> str:
    return " ".join("nothing" if node is None else node.name for node in nodes) or "none"


def _cpus(lists: Sequence[IdleList]) -> dict[str, dict[str, str]]:
    return {
        name_of(cpu): {
            "states": _names(one.flat),
            "enable-method": one.enable_method or "none",
            "power-domain": name_of(one.first_domain) or "none",
        }
        for one in lists
        for cpu in one.cpus
    }


def _domains(lists: Sequence[IdleList]) -> dict[str, dict[str, str]]:
    return {
        name_of(domain.path): {
            "states": _names(domain.states),
            "parent": name_of(domain.parent.path) if domain.parent else "none",
        }
        for domain in lists[0].power_domains
        if domain.provides
    }


def _alike(differences: Iterable[Difference], a: Facts, b: Facts) -> Iterator[Difference]:
    """Differences of CPUs, those that several CPUs have in common as one."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for each in differences:
        _, _, path = each.path.partition(".")
        name, _, key = path.partition(".")
        groups.setdefault((key, each.a, each.b), []).append(name)
    both = [name for name in a if name in b]
    for (key, left, right), names in groups.items():
        yield Difference(NODES, _path(names, both, key), left, right)


def _path(names: Sequence[str], both: Sequence[str], key: str) -> str:
    """cpus.cpu@0,cpu@1.states; cpus.states where it is so on all CPUs that both machines have."""
    who = () if len(both) > 1 and list(names) == list(both) else (",".join(names),)
    return ".".join(("cpus", *who, *((key,) if key else ())))


def _registered(
    a: Sequence[Source],
    b: Sequence[Source],
    kernels: Sequence[Release],
    platform: AnyPlatform,
    governor: str | None,
    hz: int,
) -> Iterator[Difference]:
    """Yields differences in the states registered for the CPUs that both machines have."""
    cpu2table_a, cpu2table_b = (_tables(sources) for sources in (a, b))
    both = [cpu for cpu in cpu2table_a if cpu in cpu2table_b]
    ways = {id(source): journey(source, platform, kernels) for source in (*a, *b)}
    known: dict[tuple[int, int], list[Difference]] = {}
    groups: dict[Difference, list[str]] = {}
    for cpu in both:
        pair = id(cpu2table_a[cpu]), id(cpu2table_b[cpu])
        if pair not in known:
            arrivals = zip(ways[pair[0]].arrivals, ways[pair[1]].arrivals, strict=True)
            known[pair] = [
                each
                for left, right in arrivals
                for each in arrivals_differ(left, right, governor, hz)
            ]
        for each in known[pair]:
            groups.setdefault(each, []).append(cpu)
    for each, cpus in groups.items():
        path = each.path if cpus == both else f"{_path(cpus, both, '')}.{each.path}"
        yield Difference(each.stage, path, each.a, each.b)


def _tables(sources: Sequence[Source]) -> dict[str, Source]:
    """Name of each CPU that lists states -> its table."""
    found: dict[str, Source] = {}
    for source in sources:
        if source.table is not None and source.table.origin.form == "nodes":
            found |= {name_of(cpu): source for cpu in source.table.origin.cpus}
    return found
