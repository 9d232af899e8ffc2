"""Tests of what RHEL's builds do: facts that no release of kernel.org's has all of, and decisions
that their own governors made.

Environment: RHEL=DIR has the builds' source trees as DIR/4.18.0-553 ...; their governors are then
compiled and decide again.
"""

import os
import re
from pathlib import Path

import pytest

from idle_states.base.model.power_mgt import PowerMgt, encode
from idle_states.base.model.table import CedeRecord, Cpu, IdleTable, Partition, Register
from idle_states.cli import main
from idle_states.tables.linux import powernv, register
from idle_states.tables.linux.governors import Governor, core
from idle_states.tables.linux.governors.haltpoll_features import features as haltpoll
from idle_states.tables.linux.governors.ladder_features import features as ladder
from idle_states.tables.linux.governors.menu_features import features as menu
from idle_states.tables.linux.governors.teo_features import features as teo
from idle_states.tables.linux.grounds import ground, remarks
from idle_states.tables.linux.idle_loop import features as idle_loop
from idle_states.tables.linux.releases import release
from idle_states.tables.linux.request_parts import GovernorRequest
from idle_states.tables.selection.request import SelectRequest
from idle_states.tables.spec import registry
from tests.oracle import skipping
from tests.oracle.linux.governors import GovernorOracle, recorded
from tests.support import DATA, vectors

RECORDED = sorted((DATA / "vectors-rhel").iterdir())


def differing(recorded: vectors.Vectors, kernel: str) -> int:
    """Returns how many recorded decisions a kernel's model makes otherwise."""
    governor = Governor.for_kernel(recorded.governor, kernel, recorded.states, vectors.HZ)
    count = 0
    for row in recorded.rows:
        decision = governor.select(row.situation)
        count += (decision.state, decision.stop_tick) != (row.state, row.stop_tick)
        governor.reflect(row.outcome)
    return count


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name[:-7])
def test_recorded_decisions(path: Path) -> None:
    recorded = vectors.read(path)
    assert len(recorded.rows) == 400
    assert differing(recorded, recorded.kernel) == 0
    packed = core.pack((row.situation, row.outcome) for row in recorded.rows)
    features = Governor.for_kernel(recorded.governor, recorded.kernel, recorded.states).features
    if core.supports(recorded.governor, features):
        found = core.run(recorded.governor, features, recorded.states, vectors.HZ, packed)
        answers = [(decision.state, decision.stop_tick) for decision in found.unpacked()]
        assert answers == [(row.state, row.stop_tick) for row in recorded.rows]


@pytest.mark.parametrize(
    ("build", "taken_as"),
    [
        ("4.18.0-80", "4.18"),
        ("4.18.0-147.3.1", "4.19"),
        ("4.18.0-240", "4.18"),
        ("4.18.0-553", "5.12"),
        ("5.14.0-503.11.1", "5.14"),
    ],
)
def test_no_other_release_decides_so(build: str, taken_as: str) -> None:
    """Neither the release that the build is numbered after, nor the next one below it."""
    own = [vectors.read(path) for path in RECORDED if f"menu-rhel{build}-" in path.name]
    assert sum(differing(recorded, taken_as) for recorded in own) > 0


ASKED = re.findall(
    r"^\| (menu|haltpoll) (rhel-\S+) \| (\S+) \| (\d+) \| (.+) \|$",
    Path("docs/kernels.md").read_text("utf-8"),
    re.M,
)
"""Rows of the page on kernels: governor, recorded from, asked as, agree as asked, suspected."""


def test_every_form_of_menu_and_haltpoll_is_asked_of() -> None:
    made = {f"{path.name.split('-rhel')[0]} {vectors.read(path).kernel}" for path in RECORDED}
    asked = {f"{governor} {build}" for governor, build, *_ in ASKED}
    assert asked == {each for each in made if each[:3] in ("men", "hal")}


@pytest.mark.parametrize(("governor", "build", "kernel", "agree", "suspected"), ASKED)
def test_conform_suspects_the_build(
    governor: str,
    build: str,
    kernel: str,
    agree: str,
    suspected: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = "p9" if governor == "menu" else "cede"
    name = f"{governor}-{build.replace('rhel-', 'rhel')}-{table}-poll1.csv.gz"
    made = vectors.read(DATA / "vectors-rhel" / name)
    times = ",".join(f"{state.exit_ns}/{state.residency_ns}" for state in made.states[1:])
    words = ["--kernel", kernel, "--governor", governor, "--polling", "--states", times]
    status = main(["conform", str(DATA / "vectors-rhel" / name), *words])
    output = capsys.readouterr().out
    if suspected == "nothing":
        assert (status, agree) == (0, "400")
        assert "400 of 400 decisions agree" in output
        return
    assert status == 1
    assert f"suspected: Linux {suspected}" in output
    assert f"with which 400 of 400 decisions agree, {agree} as asked" in output


@pytest.mark.slow
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name[:-7])
def test_the_kernel_s_own_code_decides_so(path: Path) -> None:
    if "RHEL" not in os.environ:
        pytest.skip("RHEL names no directory of source trees")
    made = vectors.read(path)
    tree = Path(os.environ["RHEL"], made.kernel.removeprefix("rhel-"))
    with skipping():
        oracle = GovernorOracle(tree, made.governor, vectors.HZ)
    cpu, expected = recorded(path)
    (answers,) = oracle.run([cpu])
    assert answers == expected


@pytest.mark.parametrize(
    ("build", "governor", "like"),
    [
        ("4.18.0-80.11.2", menu, "4.19"),
        ("4.18.0-147", menu, "4.19"),
        ("4.18.0-147.8.1", menu, "4.19.86"),
        ("4.18.0-193.28.1", menu, "5.3"),
        ("4.18.0-240", menu, "5.5"),
        ("4.18.0-372.32.1", menu, "5.12"),
        ("5.14.0-70.13.1", menu, "5.13"),
        ("5.14.0-427.42.1", menu, "6.5"),
        ("5.14.0-503.11.1", menu, "6.6"),
        ("5.14.0-570.32.1", menu, "6.12"),
        ("6.12.0-55.24.1", menu, "6.12"),
        ("5.14.0-284.30.1", teo, "5.15"),
        ("5.14.0-362.8.1", teo, "6.3"),
        ("5.14.0-570.32.1", teo, "6.6"),
        ("6.12.0-55.9.1", teo, "6.12"),
        ("4.18.0-147.3.1", haltpoll, "5.4"),
        ("4.18.0-240", haltpoll, "5.5"),
        ("5.14.0-503.40.1", haltpoll, "6.8"),
        ("5.14.0-570.12.1", haltpoll, "6.9"),
        ("4.18.0-193", ladder, "5.4"),
        ("4.18.0-240", ladder, "5.5"),
    ],
)
def test_a_governor_is_as_a_release_of_mainline(build: str, governor, like: str) -> None:
    assert governor(release(f"rhel-{build}")) == governor(release(like))


def test_menu_from_8_7_on_is_as_no_release() -> None:
    """-425 took 5.13's answer to negative times, but not the signed types it came with."""
    found, mainline = menu(release("rhel-4.18.0-553")), menu(release("5.13"))
    assert not found.signed_event
    assert mainline.signed_event
    assert (found.negative_is_zero, found.stopped_tick) == (True, "timer")


@pytest.mark.parametrize(
    ("build", "governor", "expected"),
    [
        ("4.18.0-193.28.1", teo, "from rhel-4.18.0-240 on"),
        ("4.18.0-147.0.3", haltpoll, "from rhel-4.18.0-147.3.1 on"),
    ],
)
def test_what_a_build_lacks_is_refused(build: str, governor, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        governor(release(f"rhel-{build}"))


@pytest.mark.parametrize(
    ("build", "polls", "capped", "rejected"),
    [
        ("4.18.0-147", "sixteenth", False, False),
        ("4.18.0-147.3.1", "last", True, False),
        ("4.18.0-240", "first", True, False),
        ("4.18.0-348", "capped", True, True),
        ("5.14.0-70.13.1", "capped", True, True),
    ],
)
def test_polling(build: str, polls: str, capped: bool, rejected: bool) -> None:
    found = idle_loop(release(f"rhel-{build}"))
    assert (found.poll_limit, found.poll_limit_kept, found.rejected) == (polls, capped, rejected)


@pytest.mark.parametrize(
    ("build", "times", "polling"),
    [
        ("4.18.0-240", (10, 100), False),
        ("4.18.0-305", (10, 100), False),
        ("4.18.0-305.25.1", (12, 120), False),
        ("4.18.0-553", (12, 120), True),
        ("5.14.0-70.13.1", (12, 120), False),
        ("5.14.0-362.8.1", (12, 120), True),
    ],
)
def test_cede_of_a_partition_on_power10(build: str, times: tuple[int, int], polling: bool) -> None:
    """The hypervisor's lowest latency is 0x1800 ticks of 512 MHz, 12 us."""
    partition = Partition(False, 512_000_000, (CedeRecord(1, 0x1800, True),))
    cpu = Cpu(registry.named("power10"), 0x80)
    table = IdleTable("partition", (), Register.NONE, cpu=cpu, partition=partition)
    snooze, cede = register(None, cpu, release(f"rhel-{build}"), table).states
    assert (cede.exit_latency_us, cede.target_residency_us) == times
    assert snooze.polling is polling


def test_power10_is_known_from_8_4_on() -> None:
    assert [release(f"rhel-4.18.0-{build}").features.pvrs for build in (240, 305)] == [
        *(None, (0x4E, 0x80))
    ]


@pytest.mark.parametrize(
    ("kernel", "said"), [("4.18", 1), ("4.19", 0), ("rhel-4.18.0-80", 0), ("rhel-4.18.0-193", 0)]
)
def test_rhel_8_does_nothing_for_power9_of_revision_1(kernel: str, said: int) -> None:
    properties = encode([], Register.PSSCR)
    cpu = Cpu(registry.named("power9"), 0x4E)
    found = powernv.register(PowerMgt(properties), cpu, release(kernel), dd1=True)
    assert sum("sibling PACA" in message.text for message in found.messages) == said


@pytest.mark.parametrize(
    ("kernel", "table", "hz"),
    [
        ("4.18.0-553.el8_10.ppc64le", "power9", 100),
        ("5.14.0-427.13.1.el9_4.aarch64+64k", "./board.dtb", 100),
        ("5.14.0-427.13.1.el9_4.x86_64", "./ssdt.aml", 1000),
        ("rhel-5.14.0-427.13.1", "power10", 100),
        ("rhel-5.14.0-427.13.1", "intel:skx", 1000),
        ("rhel-5.14.0-427.13.1", "./ssdt.aml", 250),
        ("6.1", "power9", 250),
        ("6.8.0-49-generic", "power9", 250),
        ("5.10.0-3.el8.x86_64", "power9", 250),
    ],
)
def test_the_tick_rate_is_the_kernel_s_where_its_distribution_fixes_it(
    kernel: str, table: str, hz: int
) -> None:
    of = GovernorRequest(table=table)
    assert SelectRequest(of, (release(kernel),)).of.hz == hz
    assert SelectRequest(GovernorRequest(hz=300, table=table), (release(kernel),)).of.hz == 300


def test_what_rhel_does_not_build_is_said() -> None:
    for governor in ("teo", "ladder"):
        (said,) = remarks([release("rhel-4.18.0-553")], governor)
        assert said == (
            f"RHEL does not build {governor} into rhel-4.18.0-553: its source would decide as shown"
        )
        assert remarks([release("6.1")], governor) == []
    assert remarks([release("rhel-4.18.0-553")], "menu") == []


def test_a_kernel_after_the_last_known_is_no_fact() -> None:
    later = release("5.14.0-611.5.1.el9_7.ppc64le")
    assert later.guessed
    assert "rhel-5.14.0-570.32.1" in later.note
    assert ground(later, "menu").kind not in ("compiled", "read")
