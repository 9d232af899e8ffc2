"""Machine topology: which CPUs are threads of a core, and which resources cores share.

A topology is made from a preset, from key=value words, from a device tree (topology_tree.py) or
from YAML (topology_file.py).
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

from ...base.dataclass import dataclass

CPUS_MAX = 8192
GROUPINGS = ("core", "small_core", "pair", "quad", "cluster", "llc")
SCOPED = ("small_core", "pair", "quad")
"""The groups on which states act beyond a thread: a core as built, a pair, a quad."""


class BadTopology(ValueError):
    """An impossible machine; the message says what was expected and what was found."""


@dataclass(frozen=True)
class Topology:
    """For every grouping: CPU -> number of its group; groups are numbered from 0 by first CPU.

    core        core as the kernel shows it; two fused SMT4 cores are one core of eight threads
    small_core  core as built: its threads share execution resources and stop together
    pair        small cores that share an L2 (POWER9: levels from 8 on stop it)
    quad        pairs that share an L3 slice (POWER9: level 11 stops it)
    cluster     group over which cluster scheduling spreads, or into which it packs
    llc         last-level cache: the CPUs in which a wake-up looks for an idle one
    """

    name: str
    core: tuple[int, ...]
    small_core: tuple[int, ...]
    pair: tuple[int, ...]
    quad: tuple[int, ...]
    cluster: tuple[int, ...]
    llc: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 1 <= self.cpus <= CPUS_MAX:
            raise BadTopology(f"expected 1 to {CPUS_MAX} CPUs, found {self.cpus}")
        for grouping in GROUPINGS:
            groups = getattr(self, grouping)
            if len(groups) != self.cpus:
                raise BadTopology(f"expected a {grouping} for each of {self.cpus} CPUs")
            if groups != numbered(groups):
                raise BadTopology(f"expected {grouping} numbers 0, 1, 2 ... by first CPU")
        for inner, outer in (
            ("small_core", "core"),
            ("small_core", "pair"),
            ("pair", "quad"),
            ("small_core", "cluster"),
            ("small_core", "llc"),
            ("cluster", "llc"),
        ):
            self._check_within(inner, outer)

    def _check_within(self, inner: str, outer: str) -> None:
        first: dict[int, int] = {}
        for cpu, (small, large) in enumerate(
            zip(getattr(self, inner), getattr(self, outer), strict=True)
        ):
            other = first.setdefault(small, cpu)
            if getattr(self, outer)[other] != large:
                words = inner.replace("_", " "), outer.replace("_", " ")
                raise BadTopology(
                    f"expected each {words[0]} within one {words[1]}, found CPUs {other} and "
                    f"{cpu} of one {words[0]} in two"
                )

    @property
    def cpus(self) -> int:
        return len(self.core)

    @cached_property
    def members(self) -> Mapping[str, tuple[tuple[int, ...], ...]]:
        """Returns grouping -> group -> its CPUs, ascending."""
        found = {}
        for grouping in GROUPINGS:
            groups: list[list[int]] = [[] for _ in range(max(getattr(self, grouping)) + 1)]
            for cpu, group in enumerate(getattr(self, grouping)):
                groups[group].append(cpu)
            found[grouping] = tuple(map(tuple, groups))
        return found

    def count(self, grouping: str) -> int:
        return len(self.members[grouping])


def numbered(groups: Sequence[object]) -> tuple[int, ...]:
    """Returns group numbers for group names, CPU by CPU, numbered from 0 by first CPU."""
    numbers: dict[object, int] = {}
    return tuple(numbers.setdefault(group, len(numbers)) for group in groups)


@dataclass(frozen=True, slots=True)
class Shape:
    """A regular machine.

    threads   threads of a core as built
    fused     whether the kernel shows two such cores as one, with interleaved threads: 0,2,4,6 and
              1,3,5,7
    pair      cores that share an L2; quad: pairs that make a quad
    cluster   CPUs of a cluster; 0: the CPUs of a pair
    llc       CPUs that share the last-level cache; 0: all
    """

    cpus: int = 8
    threads: int = 1
    fused: bool = False
    pair: int = 1
    quad: int = 1
    cluster: int = 0
    llc: int = 0


PRESETS: Mapping[str, Shape] = {
    "clusters-24": Shape(cpus=24, pair=2, quad=2, cluster=4, llc=24),
    "power8": Shape(cpus=48, threads=8),
    "power9": Shape(cpus=96, threads=4, pair=2, quad=2, llc=8),
    "power9-fused": Shape(cpus=96, threads=4, fused=True, pair=2, quad=2, llc=8),
    "power10": Shape(cpus=120, threads=4, fused=True, llc=8),
    "lpar-smt8": Shape(cpus=64, threads=4, fused=True, llc=8),
    "smt4": Shape(cpus=4, threads=4),
    "smt8": Shape(cpus=8, threads=8),
    "smt8-fused": Shape(cpus=8, threads=4, fused=True),
}
"""clusters-24: 24 CPUs in six clusters of four. The others: one chip's worth of cores."""


def regular(shape: Shape, name: str = "") -> Topology:
    """Raises BadTopology if CPUs, cores and groups do not divide evenly."""
    for word in ("cpus", "threads", "pair", "quad"):
        if getattr(shape, word) < 1:
            raise BadTopology(f"expected {word} of 1 or more, found {getattr(shape, word)}")
    if shape.cluster < 0 or shape.llc < 0:
        raise BadTopology("expected cluster and llc of 0 or more")
    if shape.cpus > CPUS_MAX:
        raise BadTopology(f"expected 1 to {CPUS_MAX} CPUs, found {shape.cpus}")
    per_core = shape.threads * (2 if shape.fused else 1)
    per_pair = shape.threads * shape.pair
    per_quad = per_pair * shape.quad
    cluster = shape.cluster or max(per_pair, per_core)
    llc = shape.llc or shape.cpus
    for what, size in (
        ("a core", per_core),
        ("a pair", per_pair),
        ("a quad", per_quad),
        ("a cluster", cluster),
        ("a last-level cache", llc),
    ):
        if shape.cpus % size:
            raise BadTopology(
                f"expected CPUs in multiples of {size}, as {what} has, found {shape.cpus}"
            )

    def small(cpu: int) -> int:
        if not shape.fused:
            return cpu // shape.threads
        return cpu // per_core * 2 + cpu % 2

    smalls = [small(cpu) for cpu in range(shape.cpus)]
    return Topology(
        name or describe(shape),
        numbered([cpu // per_core for cpu in range(shape.cpus)]),
        numbered(smalls),
        numbered([core // shape.pair for core in smalls]),
        numbered([core // (shape.pair * shape.quad) for core in smalls]),
        numbered([cpu // cluster for cpu in range(shape.cpus)]),
        numbered([cpu // llc for cpu in range(shape.cpus)]),
    )


def describe(shape: Shape) -> str:
    """Returns the words that parse() reads as this shape."""
    default = Shape()
    words = [f"cpus={shape.cpus}"]
    for word in ("threads", "fused", "pair", "quad", "cluster", "llc"):
        value = getattr(shape, word)
        if value != getattr(default, word):
            words.append(f"{word}={'yes' if value is True else value}")
    return ",".join(words)


def parse(text: str) -> Topology:
    """A preset's name, or words: cpus=16,threads=4,fused=yes,pair=2,quad=2,cluster=8,llc=16. Raises
    BadTopology."""
    if text in PRESETS:
        return regular(PRESETS[text], text)
    values: dict[str, int | bool] = {}
    for word in text.split(","):
        key, equals, value = word.partition("=")
        if not equals or key not in Shape.__dataclass_fields__:
            known = ", ".join(PRESETS)
            raise BadTopology(
                f"expected a topology ({known}), a file, or words such as "
                f"cpus=16,threads=4,fused=yes,pair=2,quad=2,llc=16, found {word!r}"
            )
        if key in values:
            raise BadTopology(f"expected {key} once, found it again in {text!r}")
        if key == "fused":
            if value not in ("yes", "no"):
                raise BadTopology(f"expected fused=yes or fused=no, found {value!r}")
            values[key] = value == "yes"
        elif value.isascii() and value.isdigit() and len(value) <= 6:
            values[key] = int(value)
        else:
            digits = " of at most 6 digits" if value.isdigit() else ""
            raise BadTopology(f"expected a number{digits} for {key}, found {value!r}")
    return regular(Shape(**values))  # type: ignore[arg-type]
