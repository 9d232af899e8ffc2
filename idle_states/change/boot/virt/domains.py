"""The power domains that a guest made of its tree, and which of their states it can have entered,
beside debugfs (pm_genpd)."""

import re
from collections.abc import Iterator, Mapping

from ....base.dataclass import dataclass, field
from ....base.model.beyond_opal import IdleList
from ....tables.linux.dt_domains import is_domain_state
from ....tables.linux.dt_idle import domains_made
from ....tables.linux.dt_idle_features import features
from ....tables.linux.genpd.features import HISTORY
from ....tables.linux.qos import NO_LIMIT_US
from ....tables.linux.releases import folded
from ....tables.selection.domains import DomainSelection, domain_selections
from ..booted import Booted
from ..stage import Mismatch, Stage
from .machines import VirtMachine
from .predict import DOMAIN_USAGE, DOMAINS, VirtPredicted

_LINE = re.compile(r"(?<!\S)\S*/pm_genpd/([^/\n]+)/(\w+):(.*)", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,20}", re.ASCII)
_COUNTED = ("Usage", "Rejected", "Above", "Below")
_LONG_NS = 10_000_000
"""Both CPUs' next timers are this far away many times while a guest does nothing."""
_LONGEST_NS = 1000 * 10**9
"""A residency beyond this is longer than any timer of a guest's is away."""
_STAYS, _ENTERED = "stays", "entered"
_GENPD_DEVICE = "genpd:{index}:cpu{number}"


@dataclass(slots=True)
class FoundDomain:
    """A domain as debugfs shows it.

    states    of each, its counters by name: Usage, Rejected
    children  names of the domains within it
    devices   that are attached to it
    """

    states: list[dict[str, int]] = field(default_factory=list)
    children: set[str] = field(default_factory=set)
    devices: set[str] = field(default_factory=set)

    @property
    def shape(self) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
        return len(self.states), tuple(sorted(self.children)), tuple(sorted(self.devices))


def read_domains(text: str) -> dict[str, FoundDomain]:
    """Name -> domain, of a dump of debugfs' pm_genpd, as `grep . pm_genpd/*/*` prints it."""
    found: dict[str, FoundDomain] = {}
    columns: list[str] = []
    for name, attribute, rest in _LINE.findall(text):
        domain = found.setdefault(name, FoundDomain())
        words = rest.split()
        if attribute == "sub_domains":
            domain.children.add(rest)
        elif attribute == "devices":
            domain.devices.add(rest)
        elif attribute == "idle_states" and words[:1] == ["State"]:
            columns = [word for word in words if word in _COUNTED]
        elif attribute == "idle_states":
            numbers = words[-len(columns) :] if columns else []
            counts = [int(number) for number in numbers if _NUMBER.fullmatch(number)]
            domain.states.append(dict(zip(columns, counts, strict=False)))
    return found


def entered_domains(booted: Booted) -> tuple[tuple[str, int, int], ...]:
    """(domain, number of its state, how often it was entered during the work)."""
    before, after = (read_domains(booted.sections[f"domains_{n}"]) for n in ("before", "after"))
    return tuple(
        (name, index, counts.get("Usage", 0) - _old(before, name, index).get("Usage", 0))
        for name, domain in sorted(after.items())
        for index, counts in enumerate(domain.states)
    )


def _old(before: Mapping[str, FoundDomain], name: str, index: int) -> dict[str, int]:
    states = before.get(name, FoundDomain()).states
    return states[index] if index < len(states) else {}


def domain_stages(
    predicted: VirtPredicted, machine: VirtMachine, booted: Booted
) -> Iterator[Stage]:
    why = ""
    if predicted.release is None:
        why = f"there is no model of {predicted.kernel}"
    elif not booted.sections["domains"].strip():
        why = "the kernel shows no power domains in debugfs"
    if why:
        yield from (Stage.unjudged(name, why) for name in (DOMAINS, DOMAIN_USAGE))
        return
    yield _made(predicted, machine, read_domains(booted.sections["domains"]))
    before, after = (read_domains(booted.sections[f"domains_{n}"]) for n in ("before", "after"))
    yield _usage(predicted, before, after)


def _made(
    predicted: VirtPredicted, machine: VirtMachine, found: Mapping[str, FoundDomain]
) -> Stage:
    expected = {
        name: domain
        for table in predicted.tables[:1]
        if table.origin.form == "nodes"
        for name, domain in _expected(predicted, machine, table.origin)
    }
    differences = [
        Mismatch(name, _shown(expected.get(name)), _shown(found.get(name)))
        for name in sorted({*expected, *found})
        if name not in expected or name not in found or expected[name].shape != found[name].shape
    ]
    stage = Stage.of(DOMAINS, differences, len({*expected, *found}))
    return (
        stage if stage.judged else Stage(DOMAINS, True, note="none was predicted, none was found")
    )


def _expected(
    predicted: VirtPredicted, machine: VirtMachine, listed: IdleList
) -> Iterator[tuple[str, FoundDomain]]:
    """The domains that the driver makes of a tree. listed: any list of it."""
    assert predicted.release is not None
    known = features(predicted.release)
    made = domains_made(listed, known, machine.offers)
    lists = listed.of_tree
    attaches = any(
        driver.states and not all(domain.dead for domain in driver.domains)
        for driver in predicted.drivers.values()
    )
    for domain in listed.power_domains:
        if domain.path not in made.paths:
            continue
        off = known.reads_off_states
        states = [node for node in domain.states if node and is_domain_state(node, off=off)]
        # genpd makes a state for a domain that has none
        shape = FoundDomain(states=[{}] * (len(states) or 1))
        for other in listed.power_domains:
            linked = other.parent is not None and other.parent.path == domain.path
            if linked and other.path in made.paths and not made.problem:
                shape.children.add(_name(other.path))
        for number, path in predicted.cpus.items() if attaches else ():
            own = next((one for one in lists if path in one.cpus), None)
            if own is not None and own.attached and own.attached.path == domain.path:
                shape.devices.add(_device(predicted, path, number, machine))
        yield _name(domain.path), shape


def _device(predicted: VirtPredicted, path: str, number: int, machine: VirtMachine) -> str:
    """The device that a CPU is attached by: genpd_dev_pm_attach_by_name()."""
    node = predicted.root.find(path)
    names = node.strings("power-domain-names") if node is not None else ()
    return _GENPD_DEVICE.format(index=names.index(machine.domain_name), number=number)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _shown(domain: FoundDomain | None) -> str:
    if domain is None:
        return ""
    states, children, devices = domain.shape
    return f"states: {states}; within: {' '.join(children)}; devices: {' '.join(devices)}"


def _usage(
    predicted: VirtPredicted, before: Mapping[str, FoundDomain], after: Mapping[str, FoundDomain]
) -> Stage:
    """Each state's counters: what genpd can take grows, and something is taken for long idles."""
    possible = _possible(predicted)
    differences, judged = [], 0
    for name, domain in sorted(after.items()):
        can = possible.get(name, _NEVER)
        for index, counts in enumerate(domain.states):
            old = _old(before, name, index)
            grows = {"Usage": index in can.states, "Rejected": False}
            for counter in set(counts) & set(grows):
                judged += 1
                grown = counts[counter] - old.get(counter, 0)
                if grown and not grows[counter]:
                    path = f"{name}/S{index}/{counter}"
                    differences.append(Mismatch(path, _STAYS, f"grew by {grown}"))
        if can.often:
            judged += 1
            if not any(counts.get("Usage") for counts in domain.states):
                differences.append(Mismatch(name, _ENTERED, "never"))
    stage = Stage.of(DOMAIN_USAGE, differences, judged)
    return stage if judged else Stage(DOMAIN_USAGE, True, note="there are no power domains")


@dataclass(frozen=True, slots=True)
class _Possible:
    """The states in which a domain can be off while a guest runs.

    states  numbers of the states that it can be off in
    often   a long idle period of all its CPUs turns it off, whatever was before
    """

    states: frozenset[int]
    often: bool


_NEVER = _Possible(frozenset(), False)


def _possible(predicted: VirtPredicted) -> dict[str, _Possible]:
    """Name -> what can become of each domain that CPUs with a driver sit in."""
    assert predicted.release is not None
    deepest_children = folded(HISTORY, predicted.release).deepest_children
    found: dict[str, _Possible] = {}
    for driver in predicted.drivers.values():
        if not driver.states:
            continue
        selections = {
            each.domain.name: each
            for each in domain_selections(driver, predicted.release, [NO_LIMIT_US])
        }
        blocked = False
        for domain in driver.domains:
            possible = _NEVER
            if not (domain.dead or blocked):
                possible = _of(selections.get(domain.name))
                last = max(len(domain.states) - 1, 0)
                blocked = deepest_children and last not in possible.states
            found[domain.name] = possible
    return found


def _of(selection: DomainSelection | None) -> _Possible:
    """None: of a domain without states, which is off whenever all its CPUs are."""
    if selection is None:
        return _Possible(frozenset({0}), True)
    ranges = [
        each
        for mapped in selection.maps
        for each in (*mapped.first, *mapped.ranges)
        if each.first_ns <= _LONGEST_NS
    ]
    long = [
        each
        for each in ranges
        if each.first_ns <= _LONG_NS and (each.last_ns is None or each.last_ns >= _LONG_NS)
    ]
    states = frozenset(each.state for each in ranges if each.state is not None)
    return _Possible(states, all(each.state is not None for each in long))
