"""The kernel oracles against what real kernels were seen to do, and the traps in their sources."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.oracle import skipping
from tests.oracle.linux.cases import (
    FLAGS,
    LATENCIES,
    NAMES,
    PSSCR,
    PSSCR_MASK,
    RESIDENCIES,
    DtState,
    Properties,
    cede_latencies,
    cells,
    power_mgt,
)
from tests.oracle.linux.harness import DriverState, Message
from tests.oracle.linux.powernv import DriverCase, DriverResult, PowernvOracle, StopState
from tests.oracle.linux.pseries import PseriesCase, PseriesOracle
from tests.oracle.linux.source import release
from tests.support.shared import kept

POWER8, POWER9, POWER10, POWER11 = 0x4D, 0x4E, 0x80, 0x82
FAST, DEEP = 0x100000, 0x200000
TB_STOP, LOSE_USER, LOSE_FULL = 0x2, 0x1000, 0x4000
NAP, WINKLE, SLEEP_ER1 = 0x10000, 0x40000, 0x80000
MASK = 0x3003FF
ENODEV, ENOMEM, EINVAL = -19, -12, -22

STOP0_LITE = DtState("stop0_lite", 1000, 10000)
STOP0 = DtState("stop0", 2000, 20000, FAST | LOSE_USER, 0x300330)
STOP1 = DtState("stop1", 5000, 50000, FAST | LOSE_USER, 0x300331)
STOP4 = DtState("stop4", 100000, 10000000, DEEP | LOSE_FULL | LOSE_USER, 0x300374)
STOP11 = DtState("stop11", 10000000, 100000000, DEEP | LOSE_FULL | LOSE_USER | TB_STOP, 0x3003BB)
QEMU_POWER9 = [STOP0_LITE, STOP0, STOP1]


@pytest.fixture(scope="session")
def tree() -> Path:
    from tests.oracle.debian import linux_source

    with skipping():
        return linux_source("6.1")


@pytest.fixture(scope="session")
def powernv(tree: Path) -> PowernvOracle:
    with skipping(), kept("powernv") as directory:
        return PowernvOracle(tree, directory)


@pytest.fixture(scope="session")
def pseries(tree: Path) -> PseriesOracle:
    with skipping(), kept("pseries") as directory:
        return PseriesOracle(tree, directory)


Boot = Callable[..., DriverResult]


@pytest.fixture
def boot(powernv: PowernvOracle) -> Boot:
    """Boot with states, or with properties, and check that nothing crashed."""

    def run(tables: list[DtState] | Properties | None, **case: Any) -> DriverResult:
        properties = power_mgt(tables) if isinstance(tables, list) else tables
        result = powernv.run_one(DriverCase(properties, **case))
        assert result.outcome == "ok"
        return result

    return run


def brief(states: tuple[DriverState, ...]) -> list[tuple[str, int, int]]:
    return [(s.name, s.exit_latency_us, s.target_residency_us) for s in states]


def names(result: DriverResult) -> list[str]:
    return [state.name for state in result.states]


def log(*lines: str) -> tuple[Message, ...]:
    return tuple(Message(*line.split(": ", 1)) for line in lines)


REGISTERED = "debug: powernv_idle_driver registered"
NO_LOSS = (
    "info: cpuidle-powernv: First stop level that may lose SPRs = 0x10",
    "info: cpuidle-powernv: First stop level that may lose timebase = 0x10",
)
ONLY_SNOOZE = "warn: cpuidle-powernv : Only Snooze is available"


def stop_log(which: str, psscr: int, mask: int = MASK) -> str:
    return f"info: cpuidle-powernv: {which} stop: psscr = 0x{psscr:016x},mask=0x{mask:016x}"


class TestSeenUnderQemu:
    """The values that Linux 6.1 showed on QEMU's machines with stock firmware."""

    def test_powernv9(self, boot: Boot) -> None:
        result = boot(QEMU_POWER9)
        assert brief(result.states) == [
            ("snooze", 0, 0),
            ("stop0_lite", 1, 10),
            ("stop0", 2, 20),
            ("stop1", 5, 50),
        ]
        assert result.messages == log(
            stop_log("Default", 0x330), stop_log("Deepest", 0x300331), *NO_LOSS, REGISTERED
        )
        assert [s.enter for s in result.states] == ["snooze_loop"] + 3 * ["stop_loop"]
        assert [s.polling for s in result.states] == [True, False, False, False]
        assert not any(s.timer_stop for s in result.states)
        assert [(s.psscr, s.psscr_mask) for s in result.states] == [
            (0, 0),
            (0x330, MASK),
            (0x300330, MASK),
            (0x300331, MASK),
        ]
        assert result.default_stop == StopState(0x330, MASK)
        assert result.deepest_stop == StopState(0x300331, MASK)
        assert (result.first_tb_loss_level, result.deep_spr_loss_level) == (16, 16)
        assert result.supported_flags == FAST | LOSE_USER
        assert result.power_save == "arch300_idle"
        assert all(state.valid for state in result.parsed)

    def test_powernv8(self, boot: Boot) -> None:
        nap: Properties = {
            NAMES: b"nap\0",
            LATENCIES: cells([4000], 4),
            RESIDENCIES: cells([100000], 4),
            FLAGS: cells([NAP | LOSE_USER], 4),
        }
        result = boot(nap, pvr=POWER8, arch_300=False)
        assert brief(result.states) == [("snooze", 0, 0), ("Nap", 4, 100)]
        assert result.states[1].enter == "nap_loop"
        assert result.messages == log(REGISTERED)
        assert (result.power_save, result.offline_type) == ("power7_idle", "nap")
        assert (result.default_stop, result.deepest_stop) == (None, None)
        assert not result.fastsleep_workaround

    def test_powernv10(self, boot: Boot) -> None:
        lite = DtState("stop0_lite", 1000, 10000, FAST, 0x300)
        stop0 = DtState("stop0", 10000, 100000, FAST | LOSE_USER, 0x300300)
        result = boot([lite, stop0], pvr=POWER10)
        assert brief(result.states)[1:] == [("stop0_lite", 1, 10), ("stop0", 10, 100)]
        assert result.messages[:2] == log(stop_log("Default", 0x300), stop_log("Deepest", 0x300300))


class TestProperties:
    """Absent, short and long properties; counts that disagree."""

    @pytest.mark.parametrize("name", [LATENCIES, RESIDENCIES, PSSCR, PSSCR_MASK])
    @pytest.mark.parametrize("value", ["absent", "valueless", "short", "a byte short"])
    def test_missing(self, boot: Boot, name: str, value: str) -> None:
        properties: dict[str, bytes | None] = {**power_mgt(QEMU_POWER9)}
        original = power_mgt(QEMU_POWER9)[name]
        del properties[name]
        if value != "absent":
            shorter = {"valueless": None, "short": original[:8], "a byte short": original[:-1]}
            properties[name] = shorter[value]
        result = boot(properties)
        assert result.messages == log(
            f"warn: cpuidle-powernv: missing {name} in DT", ONLY_SNOOZE, REGISTERED
        )
        assert (result.platform_status, result.driver_status) == (EINVAL, 0)
        assert (result.parsed, names(result)) == ((), ["snooze"])
        assert result.power_save is None

    @pytest.mark.parametrize("value", [None, b"", b"stop0_lite\0stop0\0stop1"])
    def test_missing_names(self, boot: Boot, value: bytes | None) -> None:
        """No value, no string, or no NUL after the last wanted string."""
        result = boot({**power_mgt(QEMU_POWER9), NAMES: value})
        assert result.messages[0] == log(f"warn: cpuidle-powernv: missing {NAMES} in DT")[0]
        assert names(result) == ["snooze"]

    def test_flags_absent(self, boot: Boot) -> None:
        properties = power_mgt(QEMU_POWER9)
        del properties[FLAGS]
        result = boot(properties)
        assert result.messages == log(
            "err: Could not allocate memory for dt parsing", ONLY_SNOOZE, REGISTERED
        )
        assert result.platform_status == ENOMEM

    @pytest.mark.parametrize("extra", [1, 2, 3])
    def test_flags_of_odd_length(self, boot: Boot, extra: int) -> None:
        properties = power_mgt(QEMU_POWER9)
        result = boot({**properties, FLAGS: properties[FLAGS] + bytes(extra)})
        assert result.messages == log(
            f"err: OF: size of {FLAGS} in node /ibm,opal/power-mgt is not a multiple of 4",
            "err: Could not allocate memory for dt parsing",
            ONLY_SNOOZE,
            REGISTERED,
        )

    @pytest.mark.parametrize("name", [LATENCIES, RESIDENCIES, PSSCR, PSSCR_MASK, NAMES])
    @pytest.mark.parametrize("extra", [b"\1", b"\0\0\0\1", b"more\0more"])
    def test_long_or_odd_is_accepted(self, boot: Boot, name: str, extra: bytes) -> None:
        properties = power_mgt(QEMU_POWER9)
        longer = {**properties, name: properties[name] + extra}
        assert boot(longer) == boot(properties)

    def test_fewer_flags_drop_the_rest(self, boot: Boot) -> None:
        properties = power_mgt(QEMU_POWER9)
        result = boot({**properties, FLAGS: properties[FLAGS][:4]})
        assert names(result) == ["snooze", "stop0_lite"]

    def test_no_states(self, boot: Boot) -> None:
        result = boot([])
        assert result.messages[0] == log(f"warn: cpuidle-powernv: missing {NAMES} in DT")[0]
        assert result.platform_status == EINVAL

    def test_no_node(self, boot: Boot) -> None:
        result = boot(None)
        assert result.messages == log(
            "warn: opal: PowerMgmt Node not found", ONLY_SNOOZE, REGISTERED
        )
        assert result.platform_status == ENODEV

    def test_fewer_names_crash(self, powernv: PowernvOracle) -> None:
        good = DriverCase(power_mgt(QEMU_POWER9))
        bad = DriverCase({**power_mgt(QEMU_POWER9), NAMES: b"stop0_lite\0stop0\0"})
        first, crashed, last = powernv.run([good, bad, good])
        assert crashed.outcome == "oops"
        assert (crashed.states, crashed.messages) == ((), ())
        assert first.outcome == last.outcome == "ok"
        assert first == last

    def test_pmicr_and_isa_3_properties_are_not_read_before_isa_3(self, boot: Boot) -> None:
        nap = DtState("nap", 4000, 100000, NAP, 0)
        properties = power_mgt([nap])
        del properties[PSSCR], properties[PSSCR_MASK]
        assert names(boot(properties, pvr=POWER8, arch_300=False)) == ["snooze", "Nap"]

    def test_long_names_are_cut(self, boot: Boot) -> None:
        result = boot([DtState("a name of 20 letters", 1000, 10000), DtState("", 2000, 20000)])
        assert names(result) == ["snooze", "a name of 20 le", ""]


class TestPsscr:
    """Validation, and the choice of default and deepest state."""

    def test_old_firmware(self, boot: Boot) -> None:
        result = boot([DtState("stop1", 5000, 50000, FAST, 0x1, 0xF)])
        filled = StopState(0x3F03F1, 0x3F03FF)
        assert (result.default_stop, result.deepest_stop) == (filled, filled)
        assert StopState(result.states[1].psscr, result.states[1].psscr_mask) == filled

    @pytest.mark.parametrize("psscr", [0x100330, 0x200330])
    def test_esl_without_ec(self, boot: Boot, psscr: int) -> None:
        result = boot([STOP0_LITE, DtState("stop0", 2000, 20000, FAST, psscr), STOP1])
        text = f"warn: Invalid psscr 0x{psscr:016x} : ESL,EC bits unequal"
        assert result.messages[0] == log(text)[0]
        assert [state.valid for state in result.parsed] == [True, False, True]
        assert names(result) == ["snooze", "stop0_lite", "stop1"]
        assert result.states[2].psscr == STOP1.psscr

    def test_deep_without_esl(self, boot: Boot) -> None:
        result = boot([STOP0_LITE, DtState("stop4", 100000, 10000000, DEEP | LOSE_FULL, 0x74)])
        text = "warn: Invalid psscr 0x0000000000000074 : ESL cleared for deep stop-state"
        assert result.messages[0] == log(text)[0]
        assert result.deep_spr_loss_level == 4
        assert names(result) == ["snooze", "stop0_lite"]

    def test_no_fast_state(self, boot: Boot) -> None:
        result = boot([STOP4])
        text = "No suitable default stop state found. Disabling platform idle."
        assert result.messages[0] == log(f"warn: cpuidle-powernv: {text}")[0]
        assert (result.default_stop, result.power_save) == (None, None)
        assert names(result) == ["snooze", "stop4"]

    def test_no_residency_no_deepest(self, boot: Boot) -> None:
        result = boot([DtState("stop0", 1000, 0)])
        text = "No suitable stop state for CPU-Hotplug. Offlined CPUs will busy wait"
        assert result.messages[1] == log(f"warn: cpuidle-powernv: {text}")[0]
        assert result.deepest_stop is None
        assert result.snooze_timeout_us == 0

    def test_first_of_equal_residencies_is_deepest(self, boot: Boot) -> None:
        result = boot([STOP0, DtState("stop1", 1000, 20000, FAST, 0x300331)])
        assert result.deepest_stop == StopState(0x300330, MASK)

    def test_default_that_loses_context_warns(self, boot: Boot) -> None:
        result = boot([DtState("odd", 1000, 10000, FAST | LOSE_FULL, 0x300334)])
        assert result.warn_ons == 1
        assert result.default_stop == StopState(0x300334, MASK)

    def test_power10_skips_deep_states(self, boot: Boot) -> None:
        result = boot([STOP0_LITE, STOP4, STOP11], pvr=POWER10)
        assert [state.valid for state in result.parsed] == [True, False, False]
        assert names(result) == ["snooze", "stop0_lite"]
        assert result.deep_spr_loss_level == 16

    def test_power11_is_unknown(self, boot: Boot) -> None:
        result = boot(QEMU_POWER9, pvr=POWER11)
        assert result.messages == log(REGISTERED)
        assert not any(state.valid for state in result.parsed)
        assert names(result) == ["snooze"]
        assert not result.snooze_timeout_enabled


class TestStopApi:
    """Firmware that cannot restore what deep states lose."""

    def test_failure_with_a_default(self, boot: Boot) -> None:
        result = boot([*QEMU_POWER9, STOP4], stop_api=False)
        assert result.messages[-4:] == log(
            "warn: cpuidle-powernv: Disabling idle states that lose full context",
            "warn: cpuidle-powernv: Idle power-savings, CPU-Hotplug affected",
            "warn: cpuidle-powernv: Offlined CPUs will stop with psscr = 0x0000000000000330",
            REGISTERED,
        )
        assert result.deepest_stop == StopState(0x330, MASK)
        assert not result.supported_flags & LOSE_FULL
        assert names(result) == ["snooze", "stop0_lite", "stop0", "stop1"]

    def test_failure_without_a_default(self, boot: Boot) -> None:
        result = boot([STOP4], stop_api=False)
        assert result.messages[-2] == log("warn: cpuidle-powernv: Offlined CPUs will busy wait")[0]
        assert result.deepest_stop is None
        assert names(result) == ["snooze"]

    def test_not_used_without_deep_states(self, boot: Boot) -> None:
        assert boot(QEMU_POWER9, stop_api=False) == boot(QEMU_POWER9)

    def test_power8_keeps_winkle(self, boot: Boot) -> None:
        states = [
            DtState("nap", 4000, 100000, NAP),
            DtState("winkle", 10000000, 1000000000, WINKLE | LOSE_FULL),
        ]
        result = boot(states, pvr=POWER8, arch_300=False, stop_api=False)
        assert result.offline_type == "winkle"
        assert not result.supported_flags & LOSE_FULL


class TestDriver:
    """The rows that become cpuidle states."""

    def test_more_than_nine(self, boot: Boot) -> None:
        states = [DtState(f"s{i}", 1000 * i, 10000 * i, FAST, 0x300330) for i in range(1, 12)]
        result = boot(states)
        text = "warn: cpuidle-powernv: discovered idle states more than allowed"
        assert result.messages[-2] == log(text)[0]
        assert names(result) == ["snooze", *(f"s{i}" for i in range(1, 10))]
        assert len(result.parsed) == 11

    @pytest.mark.parametrize(("latency_ns", "kept"), [(200000, True), (200001, False)])
    def test_latency_threshold(self, boot: Boot, latency_ns: int, kept: bool) -> None:
        result = boot([STOP0_LITE, DtState("stop5", latency_ns, 20000000, DEEP, 0x300375)])
        assert ("stop5", 200, 20000) in brief(result.states) or not kept
        assert len(result.states) == 2 + kept
        assert result.deepest_stop == StopState(0x300375, MASK)

    @pytest.mark.parametrize(
        ("residency_ns", "residency_us"),
        [(0, 0), (1, 1), (1000, 1), (1001, 2), (4294966296, 4294967), (4294966297, 0)],
    )
    def test_rounding(self, boot: Boot, residency_ns: int, residency_us: int) -> None:
        """Up, in 32 bits: from 4294966297 ns on it wraps."""
        result = boot([DtState("stop0", 1, residency_ns)])
        assert brief(result.states)[1] == ("stop0", 1, residency_us)
        assert result.snooze_timeout_us == residency_us

    def test_first_state_decides_about_stop(self, boot: Boot) -> None:
        result = boot([DtState("odd", 1000, 10000, LOSE_USER), STOP0, STOP1])
        assert all(state.valid for state in result.parsed)
        assert names(result) == ["snooze"]

    def test_timebase_stop(self, boot: Boot) -> None:
        result = boot([STOP0, DtState("stop4", 100000, 10000000, DEEP | TB_STOP, 0x300374)])
        assert [s.timer_stop for s in result.states] == [False, False, True]
        assert (result.first_tb_loss_level, result.deep_spr_loss_level) == (4, 4)

    def test_power8_with_sleep(self, boot: Boot) -> None:
        states = [
            DtState("nap", 4000, 100000, NAP | LOSE_USER),
            DtState("fastsleep_", 40000, 300000000, SLEEP_ER1 | TB_STOP | LOSE_USER),
            DtState("winkle", 10000000, 1000000000, WINKLE | TB_STOP | LOSE_FULL),
        ]
        result = boot(states, pvr=POWER8, arch_300=False)
        assert brief(result.states)[1:] == [("Nap", 4, 100), ("FastSleep", 40, 300000)]
        assert [s.enter for s in result.states[1:]] == ["nap_loop", "fastsleep_loop"]
        assert result.states[2].timer_stop
        assert result.offline_type == "winkle"
        assert (result.fastsleep_workaround, result.fastsleep_control) == (True, True)
        assert boot(states[:2], pvr=POWER8, arch_300=False).offline_type == "sleep"

    def test_powersave_off(self, boot: Boot) -> None:
        result = boot(QEMU_POWER9, powersave_off=True)
        assert (result.platform_status, result.driver_status) == (0, ENODEV)
        assert (result.states, result.messages, result.snooze_timeout_us) == ((), (), None)

    def test_snooze_timeout(self, boot: Boot) -> None:
        """The next enabled state's residency; a tick if there is none, which is then not used."""
        result = boot(QEMU_POWER9)
        assert (result.snooze_timeout_enabled, result.snooze_timeout_us) == (True, 10)
        assert result.snooze_timeouts_us == (10, 20, 10, 10)
        result = boot([STOP0_LITE], hz=100)
        assert result.snooze_timeouts_us == (10, 10000)
        for hz, tick_us in ((100, 10000), (250, 4000), (300, 3333), (1000, 1000)):
            result = boot(None, hz=hz)
            assert (result.snooze_timeout_enabled, result.snooze_timeout_us) == (False, tick_us)


class TestPseries:
    """CEDE's latency, from the hypervisor or built in."""

    def test_power10(self, pseries: PseriesOracle) -> None:
        result = pseries.run_one(
            PseriesCase(rtas_buffer=cede_latencies((1, 0x1800, 1), (2, 0x3C00, 0)))
        )
        assert brief(result.states) == [("snooze", 0, 0), ("CEDE", 12, 120)]
        assert [s.enter for s in result.states] == ["snooze_loop", "dedicated_cede_loop"]
        assert result.messages == log(
            "info: xcede: xcede_record_size = 10",
            "info: xcede: Record 0 : hint = 1, latency = 0x1800 tb ticks, Wake-on-irq = 1",
            "info: xcede: Record 1 : hint = 2, latency = 0x3c00 tb ticks, Wake-on-irq = 0",
            "info: cpuidle: Skipping the 2 Extended CEDE idle states",
            "info: cpuidle: Fixed up CEDE exit latency to 12 us",
            "debug: pseries_idle_driver registered",
        )
        assert (result.snooze_timeout_enabled, result.snooze_timeout_us) == (True, 120)

    @pytest.mark.parametrize(
        "case",
        [
            PseriesCase(pvr=POWER9, arch_31=False, rtas_buffer=cede_latencies((1, 0x1800, 1))),
            PseriesCase(rtas_status=1, rtas_buffer=cede_latencies((1, 0x1800, 1))),
            PseriesCase(rtas_buffer=cede_latencies((1, 0x1800, 1), size=9)),
            PseriesCase(rtas_buffer=cede_latencies((1, 1, 1))),
            PseriesCase(rtas_buffer=cede_latencies()),
        ],
        ids=["power9", "rtas error", "record size", "no time", "no record"],
    )
    def test_built_in_latency(self, pseries: PseriesOracle, case: PseriesCase) -> None:
        result = pseries.run_one(case)
        assert brief(result.states) == [("snooze", 0, 0), ("CEDE", 10, 100)]
        assert (result.outcome, result.snooze_timeout_us) == ("ok", 100)

    def test_messages_of_failures(self, pseries: PseriesOracle) -> None:
        failed, odd, zero = pseries.run(
            [
                PseriesCase(rtas_status=1),
                PseriesCase(rtas_buffer=cede_latencies(size=9)),
                PseriesCase(rtas_buffer=cede_latencies((7, 1, 1))),
            ]
        )
        assert failed.messages[0] == log("err: xcede: Error parsing CEDE_LATENCY_TOKEN")[0]
        text = "err: xcede: Expected record-size 10. Observed size 9."
        assert odd.messages[0] == log(text)[0]
        text = "warn: cpuidle: Skipping xcede record 0 [hint=7]. Exit latency = 0us"
        assert zero.messages[-2] == log(text)[0]

    def test_compatibility_mode(self, pseries: PseriesOracle) -> None:
        """POWER10 hardware counts, even if the partition runs as an older processor."""
        buffer = cede_latencies((1, 0x1800, 1))
        result = pseries.run_one(PseriesCase(pvr=POWER10, arch_31=False, rtas_buffer=buffer))
        assert result.states[1].exit_latency_us == 12

    def test_shared(self, pseries: PseriesOracle) -> None:
        result = pseries.run_one(
            PseriesCase(shared=True, rtas_buffer=cede_latencies((1, 0x1800, 1)))
        )
        assert brief(result.states) == [("snooze", 0, 0), ("Shared Cede", 10, 100)]
        assert result.records == 0

    @pytest.mark.parametrize("case", [PseriesCase(splpar=False), PseriesCase(powersave_off=True)])
    def test_no_driver(self, pseries: PseriesOracle, case: PseriesCase) -> None:
        result = pseries.run_one(case)
        assert (result.status, result.states) == (ENODEV, ())
        assert result.snooze_timeout_us is None

    @pytest.mark.parametrize(("length", "records"), [(172, 17), (65535, 6553), (0, 429496729)])
    def test_length_beyond_the_buffer(
        self, pseries: PseriesOracle, length: int, records: int
    ) -> None:
        result = pseries.run_one(
            PseriesCase(rtas_buffer=cede_latencies((1, 0x1800, 1), length=length))
        )
        assert (result.outcome, result.records) == ("overrun", records)

    def test_sixteen_records_fit(self, pseries: PseriesOracle) -> None:
        buffer = cede_latencies(*((i, 512 * (16 - i), 1) for i in range(16)))
        result = pseries.run_one(PseriesCase(rtas_buffer=buffer))
        assert (result.outcome, result.records) == ("ok", 16)
        assert result.states[1].exit_latency_us == 1


def test_release(tree: Path) -> None:
    assert release(tree).startswith("6.1.")


def test_batches_keep_their_order(powernv: PowernvOracle) -> None:
    cases = [DriverCase(power_mgt([DtState(f"stop{i}", 1000, 1000 * i)])) for i in range(300)]
    results = powernv.run(cases)
    assert [result.parsed[0].name for result in results] == [f"stop{i}" for i in range(300)]
