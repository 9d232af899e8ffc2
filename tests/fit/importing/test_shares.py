"""Shares of time, entries, and what machines advertise: turbostat, cpupower, pepc, powertop,
idlestat."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.fit.importing import cpupower, idlestat, turbostat
from idle_states.fit.importing.output import Told
from idle_states.measured import Claimed, Stay
from tests.support.measurements import damaged, read, read_or_refused, refused

TURBOSTAT = (
    "turbostat version 2025.06.08 - somebody\nusec: 250 ms\n"
    "Core\tCPU\tBusy%\tPOLL\tC6\tC6+\tC6-\tPOLL%\tC6%\tCPU%c6\tPkg%pc6\tPkgWatt\n"
    "-\t-\t1.10\t4\t300\t0\t12\t0.02\t98.20\t90.00\t60.00\t24.00\n"
    "0\t0\t1.00\t3\t200\t0\t9\t0.01\t98.50\t91.00\t60.00\t24.00\n"
    "0\t1\t1.20\t1\t100\t0\t3\t0.03\t97.90\n"
    "Core\tCPU\tBusy%\tPOLL\tC6\tC6+\tC6-\tPOLL%\tC6%\tCPU%c6\tPkg%pc6\tPkgWatt\n"
    "-\t-\t1.10\t6\t100\t0\t8\t0.04\t96.20\t(neg)\t62.00\t26.00\n"
    "0\t0\t1.00\t6\t90\t0\t8\t0.05\t96.50\t93.00\t62.00\t26.00\n"
    "0\t1\t1.20\t0\t10\t0\t0\t0.03\t95.90\n"
)
INFO = """\
CPUidle driver: pseries_idle
CPUidle governor: menu
analyzing CPU 0:

Number of idle states: 2
Available idle states: snooze CEDE
snooze:
Flags/Description: snooze
Latency: 0
Residency: 0
Usage: 41
Duration: 52
CEDE (DISABLED) :
Flags/Description: CEDE
Latency: 12
Residency: 120
Usage: 1000
Duration: 900000
"""
PROC = (
    "analyzing CPU 3:\nactive state:            C0\nmax_cstate:              C8\n"
    "maximum allowed latency: 2000000000 usec\nstates:\n"
    "    C1:                  type[C1] promotion[--] demotion[--] latency[002] residency[00002] "
    "usage[00000041] duration[00000000000000000052]\n"
)
MONITOR = """\
              | Nehalem            || Mperf              || Idle_Stats
 PKG|CORE| CPU| C3   | C6   | PC6  || C0   | Cx   | Freq || POLL | C1
   0|   0|   0|  0.10| 88.00| 41.00||  2.50| 97.50|  2700||  0.02|  9.00
   0|   1|   1|  0.20| 87.00|******||  2.50| 97.50|  2700||  0.03|  9.50
"""
PEPC = """\
 - C1E: 'on' for CPUs 0-15 (all CPUs)
    - description: MWAIT 0x01
    - expected latency: 4 us
    - target residency: 12 us
 - C6: 'off' for CPUs 0-15 (all CPUs)
    - description: MWAIT 0x20
    - expected latency: 95 us
    - target residency: 310 us
"""
YAML = """\
cstates:
  C6:
    mechanism: sysfs
    properties:
    - {latency: 95, CPU: 0-15}
    - {residency: 310, CPU: 0-15}
"""
POWERTOP = """\
PowerTOP Report;;
____________________________________________________________________
 *  *  *   Processor Idle State Report   *  *  *

Package;0;
C2 (pc2); 10.5%
C6 (pc6); 71.0%

;CPU 0;;CPU 4;
C0 active;  0.5%;  0.1 ms;  0.6%;  0.1 ms
C6;  88.4%;  12.5 ms;  87.0%;  11.0 ms
;;
CPU;5
haltpoll idle;  12.0%;  0.0 ms
____________________________________________________________________
 *  *  *   Device Power Report   *  *  *
C6; 99.9%
"""
IDLESTAT = """\
C-State Table
cluster,core,cpu,C-state,min (us),max (us),avg (us),total (us),hits,over,under
cluster0
,,,core-off,1,2,2,90,4,0,0
,core0
,,cpu0
,,,WFI,1,90,20.000000,4000.000000,200,7,3
,,,core-off,100,9000,2000,80000,40,0,5
,,cpu1
,,,WFI,1,91,21,4001,201,8,4
P-State Table
cluster,core,cpu,P-state,min (us),max (us),avg (us),total (us),hits
,,cpu1,1.00GHz,1,91,21,4001,201
"""


def test_turbostat_by_cpu_and_together() -> None:
    found = read(TURBOSTAT)
    stays = {(stay.state, stay.cpu): stay for stay in found.stays}
    whole = stays["C6", None]
    assert whole.share == pytest.approx(0.972)
    assert (whole.usage, whole.above, whole.below, whole.hardware) == (400, 20, 0, False)
    assert stays["C6", 1].usage == 110
    assert stays["CC6", 0] == Stay("CC6", 0, True, share=pytest.approx(0.92))
    # invalid once, the other interval counts
    assert stays["CC6", None].share == pytest.approx(0.9)
    assert ("CC6", 1) not in stays
    assert stays["PC6", None].share == pytest.approx(0.61)
    assert found.energies == ()
    assert any("package 25.00 W" in note for note in found.notes)


def test_turbostats_power_of_a_state_that_the_caller_names() -> None:
    told = Told(state="C6", period_ns=1e6)
    assert read(TURBOSTAT, told).left_out == {turbostat.UNTIMED: 2}
    timed = "Time_Of_Day_Seconds\tCore\tCPU\tPkgWatt\n100.5\t-\t-\t20.00\n105.5\t-\t-\t22.00\n"
    found = read(timed, told)
    assert [(one.watts, one.seconds, one.domain) for one in found.energies] == [
        (22.0, 5.0, "package")
    ]
    assert found.left_out == {turbostat.UNTIMED: 1}
    asked = "turbostat version 2024.12.03 - somebody\nMeasurement interval: 5.000 seconds\n" + timed
    found = read(asked, told)
    assert [one.seconds for one in found.energies] == [5.0, 5.0]
    assert found.tool == "turbostat 2024.12.03"
    joules = "12.500000 sec\nCore\tCPU\tPkg_J\n-\t-\t250.00\n"
    (one,) = read(joules, told).energies
    assert (one.state, one.period_ns, one.watts, one.seconds) == ("C6", 1e6, 20.0, 12.5)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10_000)), min_size=1, max_size=9))
def test_turbostats_rows_that_were_written_are_read(rows: list[tuple[int, int]]) -> None:
    text = "CPU\tC6\tC6%\n-\t1\t50.00\n"
    text += "".join(
        f"{cpu}\t{count}\t{share // 100}.{share % 100:02}\n"
        for cpu, (count, share) in enumerate(rows)
    )
    stays = {stay.cpu: stay for stay in read(text).stays}
    for cpu, (count, share) in enumerate(rows):
        assert stays[cpu].usage == count
        assert stays[cpu].share == pytest.approx(share / 10_000)


def test_cpupowers_advertised_times_and_counters() -> None:
    found = read(INFO)
    assert found.claims == (Claimed("snooze", 0.0, 0.0), Claimed("CEDE", 12_000.0, 120_000.0))
    assert found.stays == (
        Stay("snooze", 0, time_ns=52_000.0, usage=41),
        Stay("CEDE", 0, time_ns=9e8, usage=1000),
    )
    assert found.notes == ("driver: pseries_idle", "governor: menu")
    old = read(PROC)
    assert old.claims == (Claimed("C1", 2000.0, 2000.0),)
    assert old.stays == (Stay("C1", 3, time_ns=52_000.0, usage=41),)


def test_cpupowers_monitor() -> None:
    found = read(MONITOR)
    stays = {(stay.state, stay.cpu): stay for stay in found.stays}
    assert set(stays) == {
        *((state, cpu) for state in ("C3", "C6", "POLL", "C1") for cpu in (0, 1)),
        ("PC6", 0),
    }
    assert stays["C6", 0].hardware
    assert not stays["C1", 0].hardware
    assert stays["C6", 1].share == pytest.approx(0.87)
    assert found.left_out == {cpupower.BROKEN: 1}


def test_pepc_says_what_is_advertised() -> None:
    assert read(PEPC).claims == (
        Claimed("C1E", 4000.0, 12_000.0),
        Claimed("C6", 95_000.0, 310_000.0),
    )
    assert read(YAML).claims == (Claimed("C6", 95_000.0, 310_000.0),)
    assert any("not measured" in note for note in read(YAML).notes)


def test_powertop_has_shares_alone() -> None:
    wanted = (
        Stay("PC2", None, True, share=pytest.approx(0.105)),
        Stay("PC6", None, True, share=pytest.approx(0.71)),
        Stay("C6", 0, share=pytest.approx(0.884)),
        Stay("C6", 4, share=pytest.approx(0.87)),
        Stay("haltpoll idle", 5, share=pytest.approx(0.12)),
    )
    assert read(POWERTOP).stays == wanted
    new = POWERTOP.replace(";", ",").replace(" *  *  *   ", "# ").replace("   *  *  *", "")
    assert read(new).stays == wanted


def test_idlestats_stays_of_cpus() -> None:
    found = read(IDLESTAT)
    assert found.left_out == {idlestat.SHARED: 1}
    assert read(IDLESTAT.replace("cluster,core,cpu,C-", ",,,C-")).stays == found.stays
    assert found.stays == (
        Stay("WFI", 0, time_ns=4e6, usage=200, above=7, below=3),
        Stay("core-off", 0, time_ns=8e7, usage=40, above=0, below=5),
        Stay("WFI", 1, time_ns=4.001e6, usage=201, above=8, below=4),
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (TURBOSTAT.replace("98.20", "-98.2"), 4, "C6%, a number"),
        (TURBOSTAT.replace("1.10\t4", "1.10\t4.5"), 4, "POLL, a whole number"),
        (TURBOSTAT.replace("97.90\n", "97.90\t1\t1\t1\t1\n"), 6, "at most 12 columns"),
        (TURBOSTAT.replace("0\t1\t1.20\t1", "0\tx\t1.20\t1"), 6, "CPU, a whole number"),
        ("CPU\tBusy%\n-\t3.0\n", 2, "columns of idle states or of power"),
        (INFO.replace("Latency: 12", "Latency: twelve"), 15, "Latency in us"),
        (INFO.replace("snooze:\nFlags", "Flags"), 8, "the name of a state above"),
        (MONITOR.replace("88.00", "n/a"), 3, "a share of C6"),
        (MONITOR.replace("|  9.00", ""), 3, "expected 11 columns, found 10"),
        (MONITOR.replace("Nehalem            ||", "Nehalem"), 2, "the names of 3 monitors"),
        (PEPC.replace("95 us", "much us"), 7, "expected latency in us"),
        (YAML.replace("latency: 95", "latency: -95"), 5, "latency in us"),
        (POWERTOP.replace("88.4%", "88,4%"), 11, "a share in %"),
        (IDLESTAT.replace("4000.000000,200", "-4000,200"), 7, "total in us"),
        (IDLESTAT.replace("200,7,3", "200,7,3,1"), 7, "at most 11 columns"),
    ],
)
def test_what_is_wrong_has_its_place(text: str, line: int, message: str) -> None:
    why, where = refused(text)
    assert message in why
    assert where == line


def test_damage_is_refused_or_read() -> None:
    for text in (TURBOSTAT, INFO, PROC, MONITOR, PEPC, YAML, POWERTOP, IDLESTAT):
        for broken in damaged(text):
            read_or_refused(broken)
