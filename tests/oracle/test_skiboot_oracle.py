"""The skiboot oracles against values known from the firmware itself."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.shared import kept

from . import skipping
from .skiboot import CompileError, ExportCase, ExportOracle, ExportResult, Row, dump_tables

#: QEMU's powernv9: stop0 and stop1 enabled, no wake-up engine.
POWERNV9 = ExportCase("p9", "P9_NIMBUS", enabled_stop_levels=0xC0000000)
ALL_LEVELS = replace(POWERNV9, enabled_stop_levels=0xFFFFFFFF, wakeup_engine="present")
POWER8 = ExportCase("p8", "P8_VENICE", wakeup_engine="present")

NAMES = "ibm,cpu-idle-state-names"
PSSCR_MASK = 0x3003FF


@pytest.fixture(scope="module")
def tables(skiboot_tree: Path) -> dict[str, list[Row]]:
    with skipping():
        return dump_tables(skiboot_tree)


@pytest.fixture(scope="module")
def oracle(skiboot_tree: Path) -> ExportOracle:
    with skipping(), kept("export") as directory:
        return ExportOracle(skiboot_tree, directory)


def row(
    name: str,
    latency_ns: int = 1000,
    residency_ns: int = 10_000,
    flags: int = 0x100000,
    control: int = 0x330,
    mask: int = PSSCR_MASK,
) -> Row:
    """A state that every ISA 3.0 platform exports if its level is enabled."""
    return {
        "name": name,
        "latency_ns": latency_ns,
        "residency_ns": residency_ns,
        "flags": flags,
        "control": control,
        "mask": mask,
    }


def run(oracle: ExportOracle, case: ExportCase) -> ExportResult:
    (result,) = oracle.run([case])
    return result


def names(result: ExportResult) -> list[str]:
    return result.properties[NAMES].decode().split("\0")[:-1]


def cells(*values: int) -> bytes:
    return struct.pack(f">{len(values)}I", *values)


def words(*values: int) -> bytes:
    return struct.pack(f">{len(values)}Q", *values)


# Tables


def test_tables_of_the_release(tables: dict[str, list[Row]]) -> None:
    assert {table: " ".join(row["name"] for row in rows) for table, rows in tables.items()} == {
        "nap_only_cpu_idle_states": "nap",
        "power8_cpu_idle_states": "nap fastsleep_ winkle",
        "power9_cpu_idle_states": "stop0_lite stop0 stop1 stop2 stop4 stop5 stop8 stop11",
        "power9_mambo_cpu_idle_states": "stop0 stop1 stop2 stop4 stop8 stop11",
        "power9_fusedcore_cpu_idle_states": "stop0_lite stop0 stop1 stop2",
        "power10_cpu_idle_states": "stop0_lite stop0 stop2 stop3",
    }


@pytest.mark.parametrize(
    ("table", "name", "values"),
    [
        ("power9", "stop0_lite", (1000, 10_000, 0x100000, 0x330, PSSCR_MASK)),
        ("power9", "stop4", (100_000, 10_000_000, 0x207000, 0x300374, PSSCR_MASK)),
        ("power9", "stop11", (10_000_000, 100_000_000, 0x207003, 0x3003BB, PSSCR_MASK)),
        ("power10", "stop3", (45_000, 450_000, 0x101000, 0x300333, PSSCR_MASK)),
        ("power8", "nap", (4000, 100_000, 0x11000, 0, 0)),
        ("power8", "fastsleep_", (40_000, 300_000_000, 0x81003, 0x2000000000, 0x3000000000)),
    ],
)
def test_values(
    tables: dict[str, list[Row]], table: str, name: str, values: tuple[int, ...]
) -> None:
    keys = ("latency_ns", "residency_ns", "flags", "control", "mask")
    expected = {"name": name, **dict(zip(keys, values, strict=True))}
    assert expected in tables[f"{table}_cpu_idle_states"]


def test_given_source_takes_the_place_of_the_tree(skiboot_tree: Path) -> None:
    name = "power9_cpu_idle_states"
    text = (
        f"static struct cpu_idle_states {name}[] = "
        '{ { .name = "exactly16letters", .latency_ns = 4294967295u, .residency_ns = 2,'
        " .flags = OPAL_PM_STOP_INST_DEEP, .pm_ctrl_reg_val = OPAL_PM_PSSCR_RL(15),"
        " .pm_ctrl_reg_mask = OPAL_PM_PSSCR_MASK } };"
    )
    with skipping():
        dumped = dump_tables(skiboot_tree, {name: text})
    values = {"latency_ns": 0xFFFFFFFF, "residency_ns": 2, "flags": 0x200000, "control": 15}
    assert dumped[name] == [row("exactly16letters", **values)]
    assert len(dumped["power10_cpu_idle_states"]) == 4
    with pytest.raises(CompileError, match="unused"):
        dump_tables(skiboot_tree, {name: text + "static int unused;"})


# Export


def test_powernv9(oracle: ExportOracle) -> None:
    result = run(oracle, POWERNV9)
    assert list(result.properties.items()) == [
        (NAMES, b"stop0_lite\0stop0\0stop1\0"),
        ("ibm,cpu-idle-state-latencies-ns", cells(0x3E8, 0x7D0, 0x1388)),
        ("ibm,cpu-idle-state-residency-ns", cells(0x2710, 0x4E20, 0xC350)),
        ("ibm,cpu-idle-state-flags", cells(0x100000, 0x101000, 0x101000)),
        ("ibm,cpu-idle-state-psscr", words(0x330, 0x300330, 0x300331)),
        ("ibm,cpu-idle-state-psscr-mask", words(*[PSSCR_MASK] * 3)),
    ]
    assert (result.outcome, result.table) == ("ok", "power9_cpu_idle_states")
    assert ("PR_INFO", "SLW: Enabling: stop1") in result.log


def test_powernv8(oracle: ExportOracle) -> None:
    result = run(oracle, replace(POWER8, wakeup_engine="not_present"))
    assert result.properties == {
        NAMES: b"nap\0",
        "ibm,cpu-idle-state-latencies-ns": cells(0xFA0),
        "ibm,cpu-idle-state-residency-ns": cells(0x186A0),
        "ibm,cpu-idle-state-flags": cells(0x11000),
        "ibm,cpu-idle-state-pmicr": words(0),
        "ibm,cpu-idle-state-pmicr-mask": words(0),
    }


def test_no_enabled_levels_gives_empty_properties(oracle: ExportOracle) -> None:
    result = run(oracle, replace(ALL_LEVELS, enabled_stop_levels=None))
    assert len(result.properties) == 6
    assert set(result.properties.values()) == {b""}
    assert [level for level, _ in result.log].count("PR_ERR") == 1


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (ALL_LEVELS, "stop0_lite stop0 stop1 stop2 stop4 stop5"),
        (replace(ALL_LEVELS, wakeup_engine="failed"), "stop0_lite stop0 stop1 stop2"),
        (replace(ALL_LEVELS, quirks=frozenset({"mambo"})), "stop0 stop1 stop2 stop4"),
        (
            replace(ALL_LEVELS, quirks=frozenset({"mambo"}), entry="slw_init"),
            "stop0 stop1 stop2",
        ),
        (replace(ALL_LEVELS, is_fused_core=True), "stop0_lite stop0 stop1 stop2"),
        (replace(ALL_LEVELS, proc_gen="p10", chip="P10"), "stop0_lite stop0 stop2 stop3"),
        (POWER8, "nap winkle"),
        (replace(POWER8, enabled_idle_states=["nap", "FAST-sleep"]), "nap fastsleep_ winkle"),
        (replace(POWER8, enabled_idle_states=["fast-sleep"], ec_level=0x1F), "nap winkle"),
    ],
)
def test_exported_states(oracle: ExportOracle, case: ExportCase, expected: str) -> None:
    assert names(run(oracle, case)) == expected.split()


@pytest.mark.parametrize(
    "case",
    [
        replace(ALL_LEVELS, chip="UNKNOWN"),
        replace(ALL_LEVELS, quirks=frozenset({"awan"}), entry="slw_init"),
    ],
)
def test_nothing_exported(oracle: ExportOracle, case: ExportCase) -> None:
    result = run(oracle, case)
    assert (result.outcome, result.properties, result.table) == ("ok", {}, None)


@pytest.mark.parametrize(
    ("nvram", "expected"),
    [
        ("0", "stop0_lite stop0 stop1 stop2 stop4 stop5 stop8 stop11"),
        ("", "stop0_lite stop0 stop1 stop2 stop4 stop5 stop8 stop11"),
        ("0xFFFFFFF", "stop0_lite stop0 stop1 stop2"),
        ("0XFFFFFFF", "stop0_lite stop0 stop1 stop2 stop4 stop5 stop8 stop11"),
        ("0x100800000 and more", "stop0_lite stop0 stop1 stop2 stop4 stop5 stop11"),
        ("-1", ""),
    ],
)
def test_nvram_mask_forces_other_levels_on(oracle: ExportOracle, nvram: str, expected: str) -> None:
    result = run(oracle, replace(ALL_LEVELS, nvram=nvram))
    assert names(result) == expected.split()
    forced = ("PR_NOTICE", "SLW: Enabling: stop11 (disabled in OPAL, forced by NVRAM)")
    assert (forced in result.log) == ("stop11" in expected)


@pytest.mark.parametrize(
    ("lengths", "outcome", "exported"),
    [
        ([15] * 15 + [14], "ok", 255),
        ([15] * 16, "assert", 0),
        ([15] * 17, "assert", 16),
    ],
)
def test_name_buffer_length_is_one_byte(
    oracle: ExportOracle, lengths: list[int], outcome: str, exported: int
) -> None:
    result = run(oracle, replace(ALL_LEVELS, table=[row("n" * length) for length in lengths]))
    assert result.outcome == outcome
    assert result.detail == ("" if outcome == "ok" else "alloced_name_buf == name_buf")
    assert len(result.properties[NAMES]) == exported


def test_name_of_16_bytes(oracle: ExportOracle) -> None:
    """It has no terminator, in the table or in the property, and shifts what follows."""
    name = "exactly16letters"
    never_written = b"\xa5"
    result = run(oracle, replace(ALL_LEVELS, table=[row(name), row("next")]))
    assert result.properties[NAMES] == name.encode() + never_written + b"next\0"
    assert result.overrun == 1
    # the name goes on in the latency, big-endian, once its first byte is not zero
    long = replace(ALL_LEVELS, table=[row(name, latency_ns=0x41420043)])
    assert run(oracle, long).log[-1] == ("PR_INFO", f"SLW: Enabling: {name}AB")


def test_one_endless_case_does_not_harm_the_others(oracle: ExportOracle) -> None:
    endless = replace(ALL_LEVELS, table=[row("stop0")] * 256)
    runaway = replace(POWER8, table=[row("nap", flags=0x10000)] * 256)
    largest = replace(ALL_LEVELS, table=[row("")] * 255)
    results = oracle.run([POWERNV9, endless, runaway, largest, POWERNV9])
    assert [result.outcome for result in results] == ["ok", "timeout", "crash", "ok", "ok"]
    assert results[0] == results[-1]


def test_values_of_a_given_table_are_exported_big_endian(oracle: ExportOracle) -> None:
    values = {"latency_ns": 0x01020304, "residency_ns": 0xF1F2F3F4, "flags": 0x87954321}
    registers = {"control": 0x1122334455667780, "mask": 0xFFEEDDCCBBAA9988}
    result = run(oracle, replace(POWERNV9, table=[row("\xe9", **values, **registers)]))
    assert result.properties == {
        NAMES: b"\xe9\0",
        "ibm,cpu-idle-state-latencies-ns": cells(values["latency_ns"]),
        "ibm,cpu-idle-state-residency-ns": cells(values["residency_ns"]),
        "ibm,cpu-idle-state-flags": cells(values["flags"]),
        "ibm,cpu-idle-state-psscr": words(registers["control"]),
        "ibm,cpu-idle-state-psscr-mask": words(registers["mask"]),
    }


def test_names_the_tree_lacks_are_refused(oracle: ExportOracle) -> None:
    with pytest.raises(ValueError, match="no chip P12; it has UNKNOWN, P8_MURANO"):
        oracle.run([replace(POWERNV9, chip="P12")])
