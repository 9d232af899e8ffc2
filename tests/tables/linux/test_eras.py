"""The driver stage for kernels no oracle is compiled from: values known from their sources."""

import pytest

from idle_states.base.model.power_mgt import (
    FLAGS,
    LATENCIES,
    NAMES,
    PSSCR,
    PSSCR_MASK,
    RESIDENCIES,
    PowerMgt,
    encode,
)
from idle_states.base.model.table import Cpu, Flag, IdleState, Register
from idle_states.tables.linux import register
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.releases import (
    DEFAULT,
    MAINLINE,
    PRESETS,
    UnknownRelease,
    all_releases,
    place,
    release,
)
from idle_states.tables.pipeline import Subject
from idle_states.tables.skiboot.platform import parse_platform
from idle_states.tables.spec import registry
from idle_states.tables.spec.library import find

POWER9 = Cpu(registry.named("power9"), 0x4E)
POWER8 = Cpu(registry.named("power8"), 0x4D)
FAST = int(Flag.STOP_INST_FAST)
DEEP = int(Flag.STOP_INST_DEEP)


def linux(table: str, kernel: str, platform: str = "all-levels,skiboot=5.11") -> DriverTable:
    return Subject(find(table), [], parse_platform(platform)).linux(release(kernel))


def rows(table: DriverTable) -> list[str]:
    return [f"{s.name} {s.exit_latency_us}/{s.target_residency_us}" for s in table.states]


def row(
    name: str, flags: int, control: int = 0x330, latency: int = 1000, residency: int = 10_000
) -> IdleState:
    return IdleState(name, latency, residency, flags, control, 0x3003FF)


def node(*states: IdleState, without: str = "") -> PowerMgt:
    properties = encode(states, Register.PSSCR)
    properties.pop(without, None)
    return PowerMgt(properties)


def texts(table: DriverTable) -> list[str]:
    return [message.text for message in table.messages]


@pytest.mark.parametrize("kernel", ["4.11", "4.14", "4.14.7", "6.1"])
def test_power9_of_2016(kernel: str) -> None:
    """Golden microseconds of the 2016-09 table: latencies were rounded down until 4.14.7. The
    driver drops what is above 200 us."""
    latencies = (0, 0, 4, 9) if kernel in ("4.11", "4.14") else (1, 1, 5, 10)
    stop0_lite, stop0, stop1_lite, stop2_lite = latencies
    assert rows(linux("power9@84368bbf8", kernel)) == [
        "snooze 0/0",
        f"stop0_lite {stop0_lite}/2",
        f"stop0 {stop0}/3",
        f"stop1_lite {stop1_lite}/49",
        "stop1 5/50",
        f"stop2_lite {stop2_lite}/99",
        "stop2 10/100",
        "stop4 100/1000",
    ]


def test_the_case_that_started_it() -> None:
    before = linux("power9-dd1@84368bbf8", "4.11", "op920")
    assert rows(before) == ["snooze 0/0", "stop0_lite 0/2", "stop1_lite 4/49"]
    assert [(lost.state, lost.cause) for lost in before.lost] == [("stop1", "over-threshold")]
    assert before.snooze_timeout_us == 2
    after = linux("power9-dd1", "4.11", "op920")
    assert rows(after) == ["snooze 0/0", "stop0_lite 1/10", "stop1_lite 4/49"]


@pytest.mark.parametrize(
    ("kernel", "expected", "offline"),
    [
        ("3.14", ["snooze 0/0", "Nap 10/100"], "nap"),
        ("3.15", ["snooze 0/0", "Nap 10/100"], "winkle"),
        ("3.18", ["snooze 0/0", "Nap 4/40"], "winkle"),
        ("3.19", ["snooze 0/0", "Nap 4/40", "FastSleep 40/400"], "winkle"),
        ("4.4", ["snooze 0/0", "Nap 4/100", "FastSleep 40/300000"], "winkle"),
        ("4.15", ["snooze 0/0", "Nap 4/100", "FastSleep 40/300000"], "winkle"),
        ("6.1", ["snooze 0/0", "Nap 4/100", "FastSleep 40/300000"], "winkle"),
    ],
)
def test_power8(kernel: str, expected: list[str], offline: str) -> None:
    table = linux("power8", kernel)
    assert rows(table) == expected
    assert table.offline == offline


@pytest.mark.parametrize(
    ("kernel", "residency_ns", "expected"),
    [
        ("4.10", 50_000, 50),
        ("4.11", 50_000, 100),
        ("4.18", 50_000, 100),
        ("4.19", 50_000, 50),
        ("4.10", None, 100),
        ("4.11", None, 0),
        ("4.18", None, 0),
    ],
)
def test_the_inverted_residency_default(
    kernel: str, residency_ns: int | None, expected: int
) -> None:
    """4.11 to 4.18 use 100 us for nap just when the tree does give a residency."""
    nap = IdleState("nap", 4000, residency_ns, int(Flag.NAP_ENABLED))
    table = register(PowerMgt(encode([nap], Register.PMICR)), POWER8, release(kernel))
    assert table.states[1].target_residency_us == expected


def test_residency_is_mandatory_from_4_19() -> None:
    nap = IdleState("nap", 4000, None, int(Flag.NAP_ENABLED))
    tree = PowerMgt(encode([nap], Register.PMICR))
    assert texts(register(tree, POWER8, release("4.19")))[0].endswith(f"missing {LATENCIES} in DT")
    assert texts(register(tree, POWER8, release("5.10")))[0].endswith(
        f"missing {RESIDENCIES} in DT"
    )


HOLE = (
    row("stop0", FAST, 0x300330),
    row("stop4", DEEP | Flag.LOSE_FULL_CONTEXT, 0x300374),
    row("stop2", FAST, 0x300332),
    row("stop8", DEEP | Flag.TIMEBASE_STOP, 0x3003B8),
)


@pytest.mark.parametrize("kernel", ["4.11", "4.12"])
def test_a_hole_shifts_the_psscr_behind_it(kernel: str) -> None:
    table = register(node(*HOLE), POWER9, release(kernel))
    assert [(s.name, s.psscr) for s in table.states] == [
        ("snooze", None),
        ("stop0", 0x300330),
        ("stop2", 0),
        ("stop8", 0x300332),
    ]
    assert [lost.cause for lost in table.lost] == ["hole"]
    assert {c.state for c in table.changed if c.field == "psscr"} == {"stop2", "stop8"}


def test_no_holes_from_4_13() -> None:
    table = register(node(*HOLE), POWER9, release("4.13"))
    assert [(s.name, s.psscr) for s in table.states[1:]] == [(s.name, s.control) for s in HOLE]


def test_4_8_fills_in_the_psscr_template() -> None:
    table = register(node(row("stop0_lite", FAST, 0)), POWER9, release("4.8"))
    assert (table.states[1].psscr, table.states[1].mask) == (0x3F03F0, 0x3F03FF)


@pytest.mark.parametrize(("kernel", "count"), [("4.11", 9), ("4.12", 0), ("4.18", 0), ("4.19", 9)])
def test_ten_states(kernel: str, count: int) -> None:
    """4.12 to 4.18 compare later arrays with the clipped count: on POWER9 nothing is left."""
    ten = [row(f"s{i}", FAST) for i in range(10)]
    table = register(node(*ten), POWER9, release(kernel))
    assert len(table.states) == 1 + count
    assert len(table.lost) == 10 - count


@pytest.mark.parametrize(
    ("kernel", "without", "said"),
    [
        ("4.10", PSSCR, "cpuidle-powernv: missing ibm,cpu-idle-states-psscr in DT"),
        ("4.11", PSSCR, "cpuidle-powernv: missing ibm,cpu-idle-state-psscr in DT"),
        ("4.11", PSSCR_MASK, "cpuidle-powernv:Missing ibm,cpu-idle-state-psscr-mask in DT"),
        (
            "4.12",
            LATENCIES,
            f"cpuidle-powernv: array sizes don't match for {FLAGS} and {LATENCIES}",
        ),
        ("4.12", NAMES, f"cpuidle-powernv: array sizes don't match for {FLAGS} and {NAMES}"),
        ("4.4", FLAGS, "cpuidle-powernv: no idle states found in the DT"),
        ("3.17", FLAGS, "DT-PowerMgmt: missing ibm,cpu-idle-state-flags"),
        ("6.1", FLAGS, "Could not allocate memory for dt parsing"),
    ],
)
def test_what_kernels_say_of_missing_properties(kernel: str, without: str, said: str) -> None:
    table = register(node(row("stop0", FAST), without=without), POWER9, release(kernel))
    assert said in texts(table)
    assert [s.name for s in table.states] == ["snooze"]


def test_builtin_psscr_of_4_11() -> None:
    deep = row("stop4", DEEP | Flag.TIMEBASE_STOP, 0x300374, residency=0)
    table = register(node(deep), POWER9, release("4.11"))
    assert table.default_stop is None, "no flag says that a fast stop state is there"
    invalid = register(node(row("stop0", FAST, 0x100330)), POWER9, release("4.11")).default_stop
    assert invalid is not None
    assert (invalid.psscr, invalid.source) == (0x3F03F0, None)
    assert (
        texts(table).count(
            "Setting default stop psscr val=0x00000000003f03f0,mask=0x00000000003f03ff"
        )
        == 2
    )
    assert register(node(deep), POWER9, release("4.12")).default_stop is None


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        ("4.12", "Requested Level (RL) value of first deep stop = 0xf"),
        ("5.1", "Requested Level (RL) value of first deep stop = 0xf"),
        ("5.2", "First stop level that may lose SPRs = 0x16"),
        ("5.10", "First stop level that may lose SPRs = 0x10"),
    ],
)
def test_first_loss_level(kernel: str, said: str) -> None:
    table = register(node(row("stop0", FAST)), POWER9, release(kernel))
    assert f"cpuidle-powernv: {said}" in texts(table)


def test_stop_api_failure() -> None:
    deep = row("stop4", DEEP | Flag.LOSE_FULL_CONTEXT, 0x300374, residency=10**7)
    states = node(row("stop0", FAST, 0x300330), deep)
    for kernel, names in (("4.12", ["stop0"]), ("4.13", ["stop0"]), ("6.1", ["stop0"])):
        table = register(states, POWER9, release(kernel), stop_api=False)
        assert [s.name for s in table.states[1:]] == names, kernel
    works = register(states, POWER9, release("6.1"))
    assert [s.name for s in works.states[1:]] == ["stop0", "stop4"]
    failed = register(states, POWER9, release("6.1"), stop_api=False)
    assert failed.deepest_stop == failed.default_stop


@pytest.mark.parametrize(
    ("kernel", "count"), [("5.9", 5), ("5.10", 1), ("6.18", 1), ("6.19", 5), ("7.2", 5)]
)
def test_power11_needs_a_kernel_that_knows_it(kernel: str, count: int) -> None:
    assert len(linux("power11", kernel, "rainier").states) == count


@pytest.mark.parametrize(
    ("kernel", "polling"),
    [
        ("6.1", False),
        ("6.2", True),
        ("debian-6.1.0", False),
        ("debian-6.1.175", False),
        ("debian-6.1.176", True),
        ("debian-6.1.192", True),
        ("ubuntu-5.15.0", False),
    ],
)
def test_snooze_polling(kernel: str, polling: bool) -> None:
    assert linux("power9", kernel).states[0].polling is polling


@pytest.mark.parametrize(
    ("kernel", "timeout"), [("4.1", None), ("4.2", 100), ("4.17", 100), ("4.18", 100)]
)
def test_snooze_timeout(kernel: str, timeout: int | None) -> None:
    assert linux("power8", kernel).snooze_timeout_us == timeout


def test_snooze_timeout_of_a_hole_is_zero() -> None:
    table = register(node(*HOLE[1:]), POWER9, release("4.11"))
    assert table.snooze_timeout_us == 0


@pytest.mark.parametrize(
    ("name", "kernel", "expected"),
    [
        ("pseries-dedicated", "4.4", ["snooze 0/0", "CEDE 10/100"]),
        ("pseries-dedicated", "6.1", ["snooze 0/0", "CEDE 10/100"]),
        ("pseries-shared", "4.15", ["Shared Cede 0/0"]),
        ("pseries-shared", "6.1", ["snooze 0/0", "Shared Cede 10/100"]),
        ("pseries-power10", "5.10", ["snooze 0/0", "CEDE 10/100"]),
        ("pseries-power10", "5.15", ["snooze 0/0", "CEDE 12/120"]),
    ],
)
def test_pseries(name: str, kernel: str, expected: list[str]) -> None:
    assert rows(linux(name, kernel)) == expected


def test_every_release_takes_every_table() -> None:
    """No release and no table is left out, and each exported state is registered or lost."""
    for name in ("power8", "power9", "power10", "power9@1953b41e1", "power8@0768e820e"):
        subject = Subject(find(name), all_releases())
        for kernel in subject.kernels:
            table = subject.linux(kernel)
            if table.fatal:
                continue
            seen = {s.source for s in table.states} | {lost.index for lost in table.lost}
            assert set(range(len(subject.exported_indices))) <= seen, (name, kernel.name)
            assert all(lost.reason and lost.ground for lost in table.lost)


@pytest.mark.parametrize(
    ("name", "line", "key"),
    [
        ("6.12", "", (6, 12)),
        ("6.19-rc3", "", (6, 19, -997)),
        ("6.12.85", "6.12", (6, 12, 85)),
        ("debian-6.1.176", "debian-6.1", (6, 1, 176)),
        ("ubuntu-6.8", "ubuntu-6.8", (6, 8, 0)),
        ("rhel-6.12-rc1", "rhel-6.12", (6, 12, -999)),
        ("rhel-4.18.0-553.22.1", "rhel-4.18", (4, 18, 0, 553, 22, 1)),
    ],
)
def test_a_row_names_a_release_by_line_and_key(name: str, line: str, key: tuple[int, ...]) -> None:
    assert place(name) == (line, key)


@pytest.mark.parametrize(
    "name", ["", "6", "v6.12", "6.12.1.2", "6.12.5-rc3", "99.1", "6.12-foo", "windows-6.12"]
)
def test_a_row_names_no_other_release(name: str) -> None:
    with pytest.raises(UnknownRelease, match="of SERIES, found"):
        place(name)


def test_release_names() -> None:
    assert set(DEFAULT) <= {*MAINLINE, *PRESETS}
    assert {each.name for each in all_releases()} == {*MAINLINE, *PRESETS}
    for name in (
        "6",
        "debian",
        "debian-",
        "debian-2.6.32",
        "windows-11",
        "6.1.2.3-x",
        "debian-6..1",
    ):
        with pytest.raises(UnknownRelease, match="expected"):
            release(name)
