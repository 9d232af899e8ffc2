"""intel_idle's tables and its list of processors, read from its source, against what gcc stores."""

import os
import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.beyond_opal import MatchedCpu
from idle_states.base.model.findings import UsageError
from idle_states.base.reading import opening
from idle_states.tables.linux.built_in.headers import Headers
from idle_states.tables.linux.built_in.reader import listed_cpus
from idle_states.tables.linux.intel_idle import c_rows
from idle_states.tables.linux.intel_idle.cmdline import table_argument
from idle_states.tables.linux.intel_idle.features import features as features_of
from idle_states.tables.linux.intel_idle.known import LETTERS, KnownRow, known_cpus, known_tables
from idle_states.tables.linux.intel_idle.start import start
from idle_states.tables.linux.intel_idle.states import IntelIdleData, StartedState
from idle_states.tables.linux.intel_idle.table_parameter import Adjustable, adjusted
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import Subject
from idle_states.tables.sources import Source, read_sources
from tests.oracle import skipping
from tests.oracle.debian import linux_source
from tests.oracle.linux import intel_idle_machines as machines
from tests.oracle.linux.intel_idle import DRIVER, IntelIdleOracle, Started
from tests.oracle.linux.intel_idle_strings import value
from tests.oracle.linux.source import release as tree_release
from tests.support.thorough import slow

LEAST = 18
"""Arrays of the oldest release that was compared, 5.2; 7.3 has 30."""
NEUTRAL = "pkg_cst=7 feat_ctl=0 cst=x lpi=x packages=1 cpuid_level=13"
"""A machine that asks for no change of any table: no limit of package states, one package, no ACPI
states."""


def sources_of(tree: Path) -> list[Source]:
    return read_sources(str(tree / DRIVER))


def rows(source: Source) -> list[tuple[str, str, int, int, int]]:
    assert source.table is not None
    assert source.table.origin.form == "driver"
    return [
        (each.name, each.description, each.exit_latency_us, each.target_residency_us, each.flags)
        for each in source.table.origin.states
    ]


def cpus(source: Source) -> tuple[MatchedCpu, ...]:
    assert source.table is not None
    assert source.table.origin.form == "driver"
    return source.table.origin.cpus


def machine(cpu: MatchedCpu) -> str:
    """The case of a machine that has every MWAIT hint and wishes nothing."""
    return (
        f"vendor={cpu.vendor} family={cpu.family} model={cpu.model} mwait=1 arat=1 nonstop_tsc=1 "
        f"leaf5_ecx=3 leaf5_edx=0x11111111 {NEUTRAL}"
    )


def compare(tree: Path, workdir: Path) -> int:
    """Returns how many tables were compared; fails where one differs."""
    oracle = IntelIdleOracle(tree, workdir)
    stored, found = oracle.stored(), sources_of(tree)
    assert {source.name: rows(source) for source in found} == stored.tables
    listed = [
        (cpu.vendor, cpu.family, cpu.model, cpu.entry, cpu.table, dict(cpu.settings))
        for source in found
        for cpu in cpus(source)
    ]
    # a processor without a table has ACPI's states
    kept = [cpu for cpu in stored.cpus if cpu[4]]
    assert sorted(listed, key=str) == sorted(kept, key=str)
    compare_registered(oracle, found)
    compare_packaged(found)
    return len(found)


def compare_packaged(found: list[Source]) -> None:
    """The figures that are packaged have every table of the tree, with its processors."""
    packaged = {(table.name, table.rows) for table in known_tables()}
    places = {(known.cpu.model, known.cpu.table, known.cpu.settings) for known in known_cpus()}
    name2letter = {name: letter for letter, name in LETTERS.items()}
    for source in found:
        assert source.table is not None
        assert source.table.origin.form == "driver"
        rows_of_it = tuple(
            KnownRow(
                each.name,
                each.exit_latency_us,
                each.target_residency_us,
                each.flags >> 24,
                "".join(sorted(name2letter[name] for name in each.flag_names)),
            )
            for each in source.table.origin.states
        )
        assert (source.name, rows_of_it) in packaged
        assert {(cpu.model, cpu.table, cpu.settings) for cpu in cpus(source)} <= places


def compare_registered(oracle: IntelIdleOracle, found: list[Source]) -> None:
    """Asserts that the driver registers what the model says, with all hints and no wishes."""
    cases, expected = [], []
    for source in found:
        driver = Subject.of(source, []).linux(release("6.12"))
        for cpu in cpus(source):
            cases.append(machine(cpu))
            expected.append(
                [
                    (each.name, each.exit_latency_us, each.target_residency_us)
                    for each in driver.states
                ]
            )
    results: list[Started] = oracle.run(cases)
    assert [result.status for result in results] == [0] * len(cases)
    assert [
        [(name, latency, residency) for name, _, latency, residency, *_ in result.states]
        for result in results
    ] == expected


@pytest.mark.slow
def test_same_as_the_compiler(tmp_path: Path) -> None:
    with skipping():
        named = os.environ.get("LINUX")
        tree = Path(named) if named else linux_source()
        assert compare(tree, tmp_path) >= (LEAST if named else 24)


@pytest.mark.parametrize("version", slow("6.12"))
def test_same_as_the_compiler_in_a_later_tree(version: str, tmp_path: Path) -> None:
    with skipping():
        assert compare(linux_source(version), tmp_path) >= 28


def compare_strings(tree: Path, workdir: Path, count: int) -> int:
    """Holds `count` random values of table= to the driver's parser, on tables of random processors.
    Returns how many were accepted."""
    oracle = IntelIdleOracle(tree, workdir)
    rng = random.Random(20260105)
    listed = [cpu for source in sources_of(tree) for cpu in cpus(source)]
    starts = [machine(cpu) for cpu in listed]
    before = [
        tuple(
            Adjustable(name, latency, residency) for name, _, latency, residency, *_ in one.states
        )
        for one in oracle.run(starts)
    ]
    cases, expected = [], []
    for _ in range(count):
        at = rng.randrange(len(listed))
        states = before[at]
        text = value(
            rng,
            [state.name for state in states],
            [(state.exit_latency_us, state.target_residency_us) for state in states],
        )
        cases.append(f"{starts[at]} param.table={text.hex()}")
        expected.append(adjusted(states, text))
    for case, result, outcome in zip(cases, oracle.run(cases), expected, strict=True):
        found = tuple(
            Adjustable(name, latency, residency)
            for name, _, latency, residency, *_ in result.states
        )
        assert found == outcome.states, case
        said = [(level, text) for level, text in result.messages if level in ("info", "err", "too")]
        said = [each for each in said if "reached" not in each[1]]
        levels = {"info": "info", "error": "err"}
        wanted = [
            (levels[each.level], each.text.encode("utf-8", "surrogateescape").decode("latin-1"))
            for each in outcome.messages
        ]
        assert said == ([("too", "")] if outcome.verdict == "too long" else wanted), case
    return sum(outcome.verdict == "accepted" for outcome in expected)


def compare_written(tree: Path, workdir: Path, count: int) -> int:
    """Holds values that are written for random times to the driver's parser: each must be accepted,
    and give these times. Returns how many were written."""
    oracle = IntelIdleOracle(tree, workdir)
    rng = random.Random(20261122)
    starts = [machine(cpu) for source in sources_of(tree) for cpu in cpus(source)]
    before = [
        tuple(Adjustable(name, *times) for name, _, *times in (row[:4] for row in one.states))
        for one in oracle.run(starts)
    ]
    cases, expected = [], []
    while len(cases) < count:
        at = rng.randrange(len(starts))
        wanted = {
            state.name: (latency, latency + rng.randrange(2000))
            for state in before[at][1:]
            if rng.random() < 0.5
            for latency in [state.exit_latency_us + rng.randrange(50)]
        }
        try:
            written = table_argument(before[at], wanted)
        except UsageError:
            continue
        cases.append(f"{starts[at]} param.table={written.value.encode().hex()}")
        expected.append(written.states)
    for case, result, states in zip(cases, oracle.run(cases), expected, strict=True):
        found = tuple(
            Adjustable(name, *times) for name, _, *times in (r[:4] for r in result.states)
        )
        assert found == states, case
        said = [text for level, text in result.messages if "Failed" in text]
        assert not said, case
    return len(cases)


@pytest.mark.slow
def test_table_parameter_as_the_driver_takes_it(tmp_path: Path) -> None:
    """LINUX: a tree of 7.0 or later, as those of Debian's releases are older."""
    with skipping():
        named = os.environ.get("LINUX")
        if named is None or "cmdline_table_adjust" not in (Path(named) / DRIVER).read_text():
            pytest.skip("LINUX names no tree of 7.0 or later")
        count = int(os.environ.get("CASES", "6000"))
        assert compare_strings(Path(named), tmp_path, count) > count // 20
        assert compare_written(Path(named), tmp_path, count // 4) == count // 4
        compare_rows_of_c(Path(named), tmp_path)


def compare_rows_of_c(tree: Path, workdir: Path) -> None:
    """The driver with every array written anew stores the same."""
    oracle = IntelIdleOracle(tree, workdir)
    text = (tree / DRIVER).read_text("utf-8")
    written = workdir / "written"
    for source in sources_of(tree):
        assert source.table is not None
        old = re.search(
            rf"static struct cpuidle_state {source.name}\[\][^=]*= \{{.*?\n\}};\n", text, re.DOTALL
        )
        assert old is not None, source.name
        text = text.replace(old[0], c_rows.write(source.table))
    for entry in tree.iterdir():
        if entry.name != "drivers":
            (written / entry.name).parent.mkdir(parents=True, exist_ok=True)
            (written / entry.name).symlink_to(entry.resolve())
    target = written / DRIVER
    target.parent.mkdir(parents=True)
    target.write_text(text, "utf-8")
    assert IntelIdleOracle(written, workdir / "other").stored() == oracle.stored()


def data_of(tree: Path) -> IntelIdleData:
    source = (tree / DRIVER).read_text("utf-8")
    with opening.Tree(tree) as opened:
        defines = Headers(opened, DRIVER).definitions(source, "x86")
    return IntelIdleData(
        {each.name: tuple(StartedState(*row) for row in rows(each)) for each in sources_of(tree)},
        listed_cpus(source, DRIVER, defines=defines),
    )


def compare_machines(tree: Path, workdir: Path, count: int) -> Counter[int]:
    """Holds the model to the driver on `count` random machines. Returns how many have each number
    of states."""
    oracle, data = IntelIdleOracle(tree, workdir), data_of(tree)
    features = features_of(release(os.environ.get("RELEASE") or tree_release(tree)))
    text = (tree / DRIVER).read_text("utf-8")
    known = frozenset(re.findall(r"^module_param(?:_named|_string)?\((\w+)", text, re.M))
    rng = random.Random(20260701)
    cases, expected = [], []
    for _ in range(count):
        cpu = rng.choice(data.cpus)
        hints = machines.hints_of(data.arrays.get(cpu.table, ()))
        found, given = machines.machine(rng, [cpu], hints), machines.parameters(rng)
        if features.table_parameter and rng.random() < 0.3:
            named = data.arrays.get(cpu.table, ())
            names = [row.name for row in named] or ["C1_ACPI", "C2_ACPI"]
            given = replace(given, table=value(rng, names, [(4, 9)] * len(names)))
        cases.append(machines.line(found, given, known))
        expected.append(start(data, found, given, features))
    levels = {"info": "info", "warning": "warn", "error": "err"}
    for case, result, outcome in zip(cases, oracle.run(cases), expected, strict=True):
        assert result.status == -outcome.status, case
        states = [StartedState(*state[:5]) for state in result.states]
        assert states == list(outcome.states), case
        said = [each for each in result.messages if each[0] in ("info", "err", "warn")]
        assert said == [
            (levels[each.level], each.text.encode("utf-8", "surrogateescape").decode("latin-1"))
            for each in outcome.messages
        ], case
        assert sum(level == "tsc" for level, _ in result.messages) == outcome.tsc_unstable, case
    return Counter(len(outcome.states) for outcome in expected)


@pytest.mark.slow
def test_start_on_random_machines(tmp_path: Path) -> None:
    """RELEASE: of the tree, where its Makefile does not say it."""
    with skipping():
        named = os.environ.get("LINUX")
        tree = Path(named) if named else linux_source()
        counts = compare_machines(tree, tmp_path, int(os.environ.get("CASES", "6000")))
        assert len(counts) > 6
        assert max(counts.values()) < sum(counts.values()) * 0.6
