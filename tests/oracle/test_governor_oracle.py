"""The governor oracle against recorded decisions of real kernels, and ways to be wrong."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from idle_states.tables.linux.governors.source import running
from tests.oracle import skipping
from tests.oracle.linux import governors
from tests.oracle.linux.governors import (
    GOVERNORS,
    Cpu,
    GovernorOracle,
    Row,
    State,
    recorded,
    taken_as,
)
from tests.oracle.linux.source import OracleError
from tests.oracle.linux.trees import copied
from tests.support import vectors
from tests.support.thorough import few

NO_LIMIT = 2_000_000_000
TICK = 4_000_000
P9 = vectors.TABLES["p9"]
Build = Callable[..., GovernorOracle]


@pytest.fixture
def build(governor_tree: Path) -> Build:
    def oracle(governor: str, hz: int = 250, tree: Path = governor_tree) -> GovernorOracle:
        if not (tree / f"drivers/cpuidle/governors/{governor}.c").exists():
            pytest.skip(f"the kernel has no {governor}")
        with skipping():
            return GovernorOracle(tree, governor, hz)

    return oracle


def states(polling: bool = True, table: Sequence[tuple[int, int]] = P9) -> list[State]:
    return [State(*times, polling and i == 0) for i, times in enumerate(table)]


@pytest.mark.parametrize("governor", few(1, ["menu", "teo", "ladder"]))
def test_recorded_decisions(governor_tree: Path, build: Build, governor: str) -> None:
    name = taken_as(governor_tree).name
    names = (name, f"debian-{name}")
    paths = [path for path in vectors.files(governor) if vectors.read(path).kernel in names]
    if not paths:
        pytest.skip(f"no recorded decisions of {governor} of {name}")
    cases = [recorded(path) for path in paths]
    answers = build(governor, vectors.HZ).run([cpu for cpu, _ in cases])
    disagreeing = {
        path.name: sum(a != e for a, e in zip(answer, expected, strict=True))
        for path, answer, (_, expected) in zip(paths, answers, cases, strict=True)
    }
    assert sum(len(answer) for answer in answers) >= 2400
    assert not any(disagreeing.values()), disagreeing


class TestLadder:
    """Rules that hold in every release, so that the loop around the governor is pinned down."""

    # Idles longer than any exit latency promote every fourth time, but only if reflected on.
    LONG = Row(NO_LIMIT, TICK, TICK, residency_ns=10**9)

    def climb(self, build: Build, rows: Sequence[Row], polling: bool = False) -> list[int]:
        (decisions,) = build("ladder").run([Cpu(states(polling), rows)])
        assert all(stop_tick for _, stop_tick in decisions), "ladder leaves stop_tick alone"
        return [state for state, _ in decisions]

    def test_climbs(self, build: Build) -> None:
        assert self.climb(build, [self.LONG] * 10) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]

    def test_known_bug_short_idles_climb(self, build: Build) -> None:
        rows = [self.LONG._replace(residency_ns=1)] * 10
        assert self.climb(build, rows, polling=True) == [1, 1, 1, 2, 2, 2, 2, 3, 3, 3]

    def test_rejection_leaves_no_residency(self, build: Build) -> None:
        rows = [self.LONG._replace(rejected=True)] * 10
        assert self.climb(build, rows) == [0] * 10

    def test_latency_limit(self, build: Build) -> None:
        limit = 2  # us, as the exit latency of state 2
        rows = [self.LONG._replace(latency_req_us=limit)] * 20
        assert max(self.climb(build, rows)) == 2

    def test_disabled(self, build: Build) -> None:
        rows = [self.LONG] * 6 + [self.LONG._replace(disabled=frozenset({1}))] * 2 + [self.LONG]
        assert self.climb(build, rows) == [0, 0, 0, 0, 1, 1, 0, 0, 0]

    def test_state_beyond_the_table(self, build: Build) -> None:
        (decisions,) = build("ladder").run([Cpu([State(0, 0, True)], [self.LONG])])
        assert decisions == [(1, True)]


class TestHaltpoll:
    """No decisions were recorded; the expected ones follow from its rules."""

    STATES = (State(0, 0, True), State(10_000, 20_000))
    GROW = Row(NO_LIMIT, TICK, TICK, residency_ns=100_000)
    POLLED = GROW._replace(residency_ns=1)

    def run(self, build: Build, *rows: Row) -> list[tuple[int, bool]]:
        return build("haltpoll").run([Cpu(self.STATES, rows)])[0]

    def test_polls_after_growing_and_halts_at_the_limit(self, build: Build) -> None:
        timed_out = self.POLLED._replace(poll_time_limit=True)
        assert self.run(build, self.GROW, timed_out, self.GROW, self.POLLED, self.GROW) == [
            (1, True),
            (0, False),
            (1, True),
            (0, False),
            (0, False),
        ]

    def test_limit_means_nothing_while_halted(self, build: Build) -> None:
        halted = self.GROW._replace(poll_time_limit=True)
        assert self.run(build, halted, self.POLLED, self.POLLED) == [
            (1, True),
            (0, False),
            (0, False),
        ]

    def test_no_latency_allowed(self, build: Build) -> None:
        assert self.run(build, self.GROW._replace(latency_req_us=0)) == [(0, False)]


class TestCpus:
    """Batches, and what one CPU knows of another."""

    @pytest.fixture
    def cpus(self) -> list[Cpu]:
        paths = [path for name in ("menu", "teo") for path in vectors.files(name)[:6]]
        return [recorded(path)[0] for path in paths]

    @pytest.mark.parametrize("governor", GOVERNORS)
    def test_each_starts_as_booted(self, build: Build, cpus: list[Cpu], governor: str) -> None:
        oracle = build(governor)
        together = oracle.run([*cpus, *reversed(cpus)])
        assert together[: len(cpus)] == together[len(cpus) :][::-1]
        assert together[: len(cpus)] == [oracle.run([cpu])[0] for cpu in cpus]
        assert len({str(decisions) for decisions in together}) > 1

    def test_parts(self, build: Build, cpus: list[Cpu], monkeypatch: pytest.MonkeyPatch) -> None:
        cpus = [Cpu(cpu.states, cpu.rows[: 7 * i]) for i, cpu in enumerate(cpus)]
        oracle = build("menu")
        at_once = oracle.run(cpus)
        monkeypatch.setattr(running, "_ROWS_AT_ONCE", 50)
        assert oracle.run(cpus) == at_once
        assert [len(decisions) for decisions in at_once] == [len(cpu.rows) for cpu in cpus]

    def test_none(self, build: Build) -> None:
        assert build("menu").run([]) == []
        assert build("menu").run([Cpu(states(), [])]) == [[]]

    @pytest.mark.parametrize("count", [0, 11])
    def test_as_many_states_as_the_kernel_holds(self, build: Build, count: int) -> None:
        with pytest.raises(OracleError, match=f"not that many states \\({count}\\)"):
            build("menu").run([Cpu([State(0, 0)] * count, [])])


class TestBuild:
    """The sources that are compiled, and the configuration that decisions depend on."""

    # Eight times the same idle, the timer far: menu predicts it. 6 ms are no tick at HZ=100.
    STEADY = Row(NO_LIMIT, 10**9, 1_000_000, residency_ns=6_000_000)

    def decisions(self, oracle: GovernorOracle) -> list[tuple[int, bool]]:
        return oracle.run([Cpu(states(True, vectors.TABLES["dd1"]), [self.STEADY] * 12)])[0]

    def test_hz(self, build: Build) -> None:
        fast, slow = (self.decisions(build("menu", hz))[-1] for hz in (1000, 100))
        assert (fast[1], slow[1]) == (True, False)

    @pytest.fixture
    def copy(self, governor_tree: Path, tmp_path: Path) -> Path:
        units = governor_tree.glob("drivers/cpuidle/governors/*.[ch]")
        names = [
            "Makefile",
            "include/linux/cpuidle.h",
            *(str(unit.relative_to(governor_tree)) for unit in units),
        ]
        return copied(governor_tree, names, tmp_path)

    def test_the_tree_is_what_is_compiled(self, build: Build, copy: Path) -> None:
        """A tree whose menu wants but a tenth of a tick to stop it decides otherwise."""
        before = self.decisions(build("menu", 100, copy))
        menu = copy / "drivers/cpuidle/governors/menu.c"
        text = menu.read_text()
        for tick in ("TICK_NSEC", "TICK_USEC"):
            text = text.replace(tick, f"({tick} / 10)")
        menu.write_text(text)
        after = self.decisions(build("menu", 100, copy))
        assert (before[-1][1], after[-1][1]) == (False, True)

    def test_built_once(
        self, build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        for hz in (100, 100, 250):
            build("ladder", hz)
        assert len(list(tmp_path.glob("idle-states/governor-*"))) == 2

    def test_no_such_governor(self, governor_tree: Path) -> None:
        with pytest.raises(OracleError, match=r"tree:bpf|:bpf'"):
            GovernorOracle(governor_tree, "bpf")

    def test_does_not_compile(self, build: Build, copy: Path) -> None:
        menu = copy / "drivers/cpuidle/governors/menu.c"
        menu.write_text(menu.read_text() + "\nint broken = unheard_of();\n")
        with pytest.raises(OracleError, match="unheard_of"):
            build("menu", 250, copy)


class TestTree:
    """The kernel that a tree is taken as."""

    @pytest.fixture
    def makefile(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
        monkeypatch.delenv("KERNEL", raising=False)

        def write(version: int, patchlevel: int, sublevel: int) -> Path:
            text = f"VERSION = {version}\nPATCHLEVEL = {patchlevel}\nSUBLEVEL = {sublevel}\n"
            (tmp_path / "Makefile").write_text(text)
            return tmp_path

        return write

    @pytest.mark.parametrize(
        ("version", "name", "as_release"),
        [
            ((6, 1, 192), "6.1.192", "6.1.192"),
            ((6, 1, 200), "6.1.200", "6.1.192"),
            ((6, 1, 0), "6.1", "6.1"),
            ((6, 2, 9), "6.2.9", "6.2.9"),
        ],
    )
    def test_by_version(
        self,
        makefile: Callable[..., Path],
        version: tuple[int, int, int],
        name: str,
        as_release: str,
    ) -> None:
        found = taken_as(makefile(*version))
        assert (found.name, found.taken_as) == (name, as_release)

    def test_by_name(self, makefile: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KERNEL", "ubuntu-5.15.0")
        assert taken_as(makefile(5, 15, 99)).name == "ubuntu-5.15.0"
        monkeypatch.setenv("KERNEL", "plan9")
        with pytest.raises(OracleError, match="plan9"):
            taken_as(makefile(5, 15, 99))

    def test_no_tree(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LINUX", str(tmp_path))
        with pytest.raises(OracleError, match="Makefile"):
            governors.governor_tree()
