"""The export model against skiboot's own add_cpu_idle_state_properties(), compiled on the host."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.power_mgt import NAMES, STOP_LEVELS
from idle_states.base.model.processors import UNKNOWN_CHIP
from idle_states.base.model.table import Cpu, IdleState, IdleTable, Register
from idle_states.tables.skiboot.export import Export, export
from idle_states.tables.skiboot.nvram import strtol_u32
from idle_states.tables.skiboot.platform import PRESETS, BadPlatform, Platform, parse_platform
from idle_states.tables.skiboot.releases import UnknownSkiboot, skiboot_features
from idle_states.tables.spec import registry
from idle_states.tables.spec.library import find, packaged
from idle_states.tables.spec.packaged import current
from tests.oracle import skipping
from tests.oracle.skiboot import ExportCase, ExportOracle, ExportResult
from tests.support.random_tables import states
from tests.support.releases import known_chips
from tests.support.shared import kept
from tests.support.thorough import few

LEVELS = {
    "PR_ERR": "error",
    "PR_WARNING": "warning",
    "PR_NOTICE": "notice",
    "PR_INFO": "info",
    "PR_DEBUG": "debug",
}
GENERATIONS = {
    "P8_MURANO": "p8",
    "P8_VENICE": "p8",
    "P8_NAPLES": "p8",
    "P9_NIMBUS": "p9",
    "P9_CUMULUS": "p9",
    "P9P": "p9",
    "P10": "p10",
}
REVISIONS = {
    "power8_cpu_idle_states": "power8",
    "nap_only_cpu_idle_states": "power8-nap-only",
    "power9_cpu_idle_states": "power9",
    "power9_mambo_cpu_idle_states": "power9-mambo",
    "power9_fusedcore_cpu_idle_states": "power9-fused",
    "power10_cpu_idle_states": "power10",
}
NVRAM = (
    None,
    None,
    None,
    "0",
    "0x0",
    "",
    "0xFFFFFFF",
    "-1",
    "010",
    "0X1",
    " 0x10000000",
    "zz",
    "+5",
    "0x180000000",
    "99999999999999999999",
    "0x03ffffff",
)


@pytest.fixture(scope="module")
def oracle(skiboot_tree: Path) -> ExportOracle:
    with skipping(), kept("export") as directory:
        return ExportOracle(skiboot_tree, directory)


def row(state: IdleState) -> dict[str, object]:
    return {
        "name": state.name,
        "latency_ns": state.latency_ns,
        "residency_ns": state.residency_ns,
        "flags": state.flags,
        "control": state.control,
        "mask": state.mask,
    }


def as_case(table: IdleTable, platform: Platform) -> ExportCase:
    chip = platform.chip or "UNKNOWN"
    return ExportCase(
        proc_gen=GENERATIONS.get(chip, "p8" if table.register is Register.PMICR else "p9"),
        chip=chip,
        ec_level=platform.ec if platform.ec is not None else 0x20,
        enabled_stop_levels=platform.enabled_stop_levels,
        wakeup_engine="present" if platform.wakeup_engine else "not_present",
        is_fused_core=platform.fused_core,
        quirks=frozenset({platform.quirk} - {""}),
        nvram=platform.nvram_disable_mask,
        enabled_idle_states=["nap", "fast-sleep"] if platform.fast_sleep else None,
        table=[row(state) for state in table.states],
    )


NEVER_WRITTEN = b"\xa5"
"""The byte that the oracle fills the heap with; the model has 0 there."""


def random_case(rng: random.Random) -> tuple[IdleTable, Platform]:
    chip = rng.choice([*GENERATIONS, "UNKNOWN"])
    pmicr = chip.startswith("P8") or (chip == "UNKNOWN" and rng.random() < 0.5)
    register = Register.PMICR if pmicr else Register.PSSCR
    table = IdleTable(
        "random",
        tuple(
            replace(state, name=state.name.ljust(16, "y")) if rng.random() < 0.1 else state
            for state in states(rng, 20, longest_name=15)
        ),
        register,
        Cpu(registry.named("power8" if pmicr else "power9"), 0, (chip,)),
    )
    platform = Platform(
        enabled_stop_levels=rng.choice([None, 0, 0xFFFFFFFF, 0xEC000000, rng.randrange(2**32)]),
        wakeup_engine=rng.random() < 0.6,
        fused_core=rng.random() < 0.2,
        quirk=rng.choice(["", "", "", "mambo"]),
        nvram_disable_mask=rng.choice(NVRAM),
        fast_sleep=rng.random() < 0.5,
        chip=chip,
        ec=rng.choice([0x10, 0x20, 0x1F]),
        skiboot="7.0",
    )
    if platform.quirk == "mambo":
        # slw_init() returns before it looks for a wakeup engine
        platform = replace(platform, wakeup_engine=False)
    return table, platform


def comparable_model(result: Export) -> dict[str, object]:
    if result.outcome != "ok":
        return {"outcome": result.outcome}
    properties = dict(result.node.properties) if result.node else {}
    properties.pop(STOP_LEVELS, None)
    return {
        "outcome": "ok",
        "properties": list(properties.items()),
        "log": [
            (message.level, message.text.encode("utf-8", "surrogateescape"))
            for message in result.messages
        ],
    }


def comparable_firmware(result: ExportResult) -> dict[str, object]:
    if result.outcome != "ok":
        return {"outcome": {"assert": "abort", "timeout": "hang"}[result.outcome]}
    return {
        "outcome": "ok",
        "properties": [
            (name, data.replace(NEVER_WRITTEN, b"\0") if name == NAMES else data)
            for name, data in result.properties.items()
        ],
        "log": [(LEVELS[level], text.encode("latin-1")) for level, text in result.log],
    }


@pytest.mark.parametrize("seed", few(1, range(4)))
def test_agrees_with_skiboot_on_random_tables(oracle: ExportOracle, seed: int) -> None:
    rng = random.Random(seed)
    cases = [random_case(rng) for _ in range(600)]
    results = oracle.run([as_case(table, platform) for table, platform in cases])
    for (table, platform), result in zip(cases, results, strict=True):
        model = export(table, platform)
        assert comparable_model(model) == comparable_firmware(result), (platform, table)
        if result.table:
            assert model.chosen == REVISIONS[result.table]


def chip_of(table: IdleTable) -> str:
    return table.cpu.chips[0] if table.cpu else UNKNOWN_CHIP


KNOWN_CHIPS = {UNKNOWN_CHIP, *known_chips("7.0")}
"""Debian's qemu has skiboot 7.0."""
PACKAGED = [
    name for name in current() if find(name).firmware.array and chip_of(find(name)) in KNOWN_CHIPS
]


@pytest.mark.parametrize("name", PACKAGED)
@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "awan"])
def test_agrees_with_skiboot_on_packaged_tables(
    oracle: ExportOracle, name: str, preset: str
) -> None:
    table = find(name)
    platform = replace(PRESETS[preset], chip=chip_of(table), skiboot="7.0")
    if table.register is Register.PMICR and platform.quirk == "mambo":
        platform = replace(platform, wakeup_engine=False)
    (result,) = oracle.run([as_case(table, platform)])
    assert comparable_model(export(table, platform)) == comparable_firmware(result)


def many(count: int, name_length: int) -> IdleTable:
    one = IdleState("n" * name_length, 1000, 10_000, 0x100000, 0x330, 0x3003FF)
    return IdleTable(
        "many", (one,) * count, Register.PSSCR, Cpu(registry.named("power9"), 0x4E, ("P9_NIMBUS",))
    )


@pytest.mark.parametrize(
    ("count", "name_length", "outcome"),
    [
        (17, 14, "ok"),
        (16, 15, "abort"),
        (17, 15, "abort"),
        (127, 1, "ok"),
        (128, 1, "abort"),
        (255, 0, "ok"),
        (256, 0, "hang"),
    ],
)
def test_name_buffer_and_loop_counters(
    oracle: ExportOracle, count: int, name_length: int, outcome: str
) -> None:
    table = many(count, name_length)
    platform = Platform(chip="P9_NIMBUS", skiboot="7.0")
    (result,) = oracle.run([as_case(table, platform)])
    model = export(table, platform)
    assert model.outcome == outcome
    assert comparable_model(model) == comparable_firmware(result)


@pytest.mark.parametrize(
    ("latency_ns", "skiboot", "printed", "property_"),
    [
        (2**24 - 1, "7.0", "exactly16letters", b"exactly16letters\0next\0"),
        (2**24 - 1, "5.2", "exactly16letters", b"exactly16letters\0next\0"),
        # strlen() goes on in the latency, strncpy() does not: two empty names in the tree
        (0x41000000, "7.0", "exactly16lettersA", b"exactly16letters\0\0next\0"),
        (0x41420043, "7.0", "exactly16lettersAB", b"exactly16letters\0\0\0next\0"),
        (0x41420043, "5.2", "exactly16lettersAB", b"exactly16lettersAB\0next\0"),
        # and in the residency; behind it lies the register, or to 5.2 the flags
        (
            0x41414141,
            "7.0",
            "exactly16lettersAAAABBBB",
            b"exactly16letters" + b"\0" * 9 + b"next\0",
        ),
        (0x41414141, "5.2", "exactly16lettersAAAABBBB", b"exactly16lettersAAAABBBB\0next\0"),
        (0x41414141, "4.1", "exactly16lettersAAAA", b"exactly16lettersAAAA\0next\0"),
    ],
)
def test_name_of_16_bytes_runs_on(
    latency_ns: int, skiboot: str, printed: str, property_: bytes
) -> None:
    one = IdleState("exactly16letters", latency_ns, 0x42424242, 0x10000, 0, 0)
    table = IdleTable(
        "two",
        (one, replace(one, name="next", latency_ns=1000)),
        Register.PMICR,
        Cpu(registry.named("power8"), 0x4D, ("P8_NAPLES",)),
    )
    found = export(table, Platform(chip="P8_NAPLES", skiboot=skiboot))
    assert found.node
    assert found.node.properties[NAMES] == property_
    names = [changed for changed in found.changed if changed.cause == "run-on"]
    assert [changed.after for changed in names] == [printed] * (printed != one.name)
    # an empty string in the property shifts the names behind it
    shifted = [changed.after for changed in found.changed if changed.cause == "shifted-name"]
    assert shifted == [""] * (b"\0\0" in property_)
    for changed in names:
        assert ("unwritten byte" in changed.reason) == (skiboot == "7.0")
    if skiboot == "7.0":
        assert f"SLW: Enabling: {printed}" in [message.text for message in found.messages]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x10", 16),
        ("010", 10),
        ("0X10", 0),
        ("+1", 0),
        ("-1", 0xFFFFFFFF),
        ("", 0),
        ("1e3", 1),
        ("0x180000000", 0x80000000),
        ("99999999999999999999", 0x630FFFFF),
        ("\v1", 0),
        ("\t 7", 7),
    ],
)
def test_skiboots_own_strtol(text: str, value: int) -> None:
    assert strtol_u32(text) == value


def names(table: str, platform: str) -> list[str]:
    result = export(find(table), parse_platform(platform))
    return [find(table).states[index].name for index in result.indices]


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("op920,skiboot=5.3", ["stop0_lite", "stop0", "stop1", "stop2"]),
        ("op920,skiboot=5.8", ["stop0_lite", "stop0", "stop1", "stop2"]),
        ("op920,skiboot=5.9", ["stop0_lite", "stop0", "stop1", "stop2", "stop4", "stop5"]),
        ("op920,skiboot=6.0-rc1", ["stop0_lite", "stop0", "stop1", "stop2"]),
        ("op920,skiboot=6.0", ["stop0_lite", "stop0", "stop1", "stop2", "stop4", "stop5"]),
        ("mambo,skiboot=5.10", []),
        ("op920,skiboot=5.2", []),
        ("all-levels,skiboot=6.0", ["stop0_lite", "stop0", "stop1", "stop2", "stop4", "stop5"]),
        (
            "all-levels,skiboot=5.11",
            ["stop0_lite", "stop0", "stop1", "stop2", "stop4", "stop5", "stop8", "stop11"],
        ),
    ],
)
def test_eras(platform: str, expected: list[str]) -> None:
    assert names("power9", platform) == expected


def test_every_state_is_exported_or_lost_with_a_reason() -> None:
    rng = random.Random(99)
    for _ in range(500):
        table, platform = random_case(rng)
        result = export(table, platform)
        if result.outcome != "ok":
            continue
        seen = sorted([*result.indices, *(lost.index for lost in result.lost)])
        assert seen == list(range(len(table.states)))
        assert all(lost.reason and lost.ground for lost in result.lost)


def test_hostboots_word_matters_to_chips_that_ask_it_alone() -> None:
    """The nearest table of a tree is looked for on machines of these chips, with the word and
    without."""
    rng = random.Random(7)
    asked = set()
    for _ in range(300):
        _, platform = random_case(rng)
        for table in packaged(lambda revision: not revision.historical):
            if table.cpu is None or table.register is Register.NONE:
                continue
            ways = [replace(platform, chip="", fast_sleep=fast) for fast in (True, False)]
            with_it, without = (export(table, way) for way in ways)
            if table.cpu.processor.fast_sleep:
                asked.add(with_it.indices != without.indices)
            else:
                assert with_it == without, (table.name, platform)
    assert True in asked


@pytest.mark.parametrize(
    ("skiboot", "missing", "found"),
    [
        ("4.1.1", "notice", "warning"),
        ("5.4.12", "notice", "warning"),
        ("5.5-rc1", "warning", "notice"),
        ("7.1", "warning", "notice"),
    ],
)
def test_log_levels_of_hostboots_word(skiboot: str, missing: str, found: str) -> None:
    """The levels are those that hw/slw.c has at these tags."""
    for fast, level in ((False, missing), (True, found)):
        platform = replace(parse_platform("all-levels"), fast_sleep=fast, skiboot=skiboot)
        messages = export(find("power8"), platform).messages
        (said,) = (each for each in messages if " HB" in each.text)
        assert said.level == level


def test_bad_platforms_say_what_was_expected() -> None:
    with pytest.raises(BadPlatform, match="expected a platform"):
        parse_platform("nowhere")
    with pytest.raises(BadPlatform, match="expected yes or no for wakeup-engine"):
        parse_platform("op920,wakeup-engine=perhaps")
    with pytest.raises(UnknownSkiboot, match="expected a skiboot release"):
        skiboot_features("tomorrow")
