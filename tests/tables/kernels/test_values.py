"""Every value that a stage changes: none is missing, and the rule that is named reports it."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from idle_states.base.model.acpi_objects import (
    FIXED_HARDWARE,
    AcpiObject,
    AcpiProcessor,
    AcpiRegister,
    LpiLevel,
)
from idle_states.base.model.beyond_opal import AcpiIdle
from idle_states.base.model.table import CedeRecord, Cpu, Flag, IdleTable, Register
from idle_states.cli import main
from idle_states.tables.devicetree import idle_nodes
from idle_states.tables.devicetree.idle_nodes import row_nodes
from idle_states.tables.kernels.causes import CAUSES, OF_FORM
from idle_states.tables.kernels.request import KernelsRequest
from idle_states.tables.kernels.values import Value, changed_values, values, values_of
from idle_states.tables.kernels.values_sheet import sentences
from idle_states.tables.linux.grounds import ACPI_IDLE, modelled
from idle_states.tables.linux.platforms import parse, subsystem_of
from idle_states.tables.linux.releases import Release, all_releases, release
from idle_states.tables.pipeline import Arrival, Journey, Subject, journey
from idle_states.tables.rules.catalogue import rule_of
from idle_states.tables.skiboot.platform import ALL_LEVELS, parse_platform
from idle_states.tables.sources import Source, read_sources, read_table
from idle_states.tables.sources.format_acpi import table_of as acpi_table
from idle_states.tables.spec import registry
from idle_states.tables.spec.packaged import machines, revisions
from tests.support import random_tables
from tests.support.random_trees import random_trees
from tests.support.thorough import examples
from tests.tables.linux.test_dt_idle import cell, cpu, state, tree
from tests.tables.rules.test_node_rules import hierarchy, level

RELEASES = list(all_releases())
CPUS = [Cpu.of(registry.named(name)) for name in ("power8", "power9", "power9", "power10")]
ACPI_RELEASES = [each for each in RELEASES if modelled(each, ACPI_IDLE)]
PACKAGED = [revision.name for revision in revisions()]


def of_packaged(name: str, *kernels: str) -> dict[tuple[str, str], list[tuple[str, str, str]]]:
    """(state, field) -> (after, kernels, rules) of what a packaged table loses on its way."""
    asked = KernelsRequest(table=name, values=True, kernels=tuple(map(release, kernels)))
    found: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for value in values(asked).values:
        if not value.judged.quiet:
            said = value.after, ", ".join(value.kernels), " ".join(value.judged.rules)
            found.setdefault((value.state, value.field), []).append(said)
    return found


def source_of(table: IdleTable) -> Source:
    return Source(table.name, "x", "", table)


def differences(way: Journey, arrival: Arrival) -> Iterator[tuple[int, str, str]]:
    """(row, field, what the kernel holds) of everything that is not the table's."""
    for row, held in arrival.registered.items():
        own = way.table.states[row]
        if held.name != own.name:
            yield row, "name", held.name
        if held.exit_latency_us * 1000 != own.latency_ns:
            yield row, "latency", f"{held.exit_latency_us} us"
        if own.residency_ns != held.target_residency_us * 1000:
            yield row, "residency", f"{held.target_residency_us} us"
        if held.psscr is not None and held.psscr != own.control:
            yield row, "psscr", f"{held.psscr:#x}"
        if held.mask is not None and held.mask != own.mask:
            yield row, "mask", f"{held.mask:#x}"
    for domain in arrival.driver.domains:
        for held_state in domain.states if not domain.dead else ():
            assert held_state.row is not None
            assert way.table.origin.form == "nodes"
            node = row_nodes(way.table.origin)[held_state.row]
            times = held_state.power_off_ns, held_state.power_on_ns, held_state.residency_ns
            names = idle_nodes.ENTRY, idle_nodes.EXIT, idle_nodes.RESIDENCY
            for name, ns in zip(names, times, strict=True):
                if (node.u32(name) or 0) * 1000 != ns:
                    yield held_state.row, name, f"{ns} ns"


def hold(way: Journey) -> None:
    """Fails for a difference that no value says, and for a value that no rule reports and of which
    nothing says why."""
    for arrival in way.arrivals:
        found = list(changed_values(way, arrival))
        for row, field, after in differences(way, arrival):
            told = [
                value for value in found if value.row == row and value.field in (field, "times")
            ]
            # a row of a container may be part of several combined states
            last = told if told and told[-1].cause == "combined" else told[-1:]
            assert any(after.split()[0] in each.after for each in last), (row, field, after, told)
        subject = Subject.of(way.source, [arrival.release], way.machine or way.platform)
        for value in found:
            judged = value.judged
            assert bool(judged.rules) != bool(judged.none), value
            if judged.rules:
                assert fires(judged.rules, subject, value), (arrival.release.name, value)


def fires(codes: Sequence[str], subject: Subject, value: Value) -> bool:
    found = [each for code in codes for each in rule_of(code).rule.findings(subject)]
    # latencies out of order change places, and the rule is told of one of the rows
    return any(value.state in each.message or value.cause == "exchanged" for each in found)


def drawn_table(seed: int) -> IdleTable:
    rng = random.Random(seed)
    own = rng.choice(CPUS)
    rows = random_tables.states(rng, 9, 24 if rng.random() < 0.2 else 15)
    if rng.random() < 0.2:
        rows = [replace(row, residency_ns=None) for row in rows]
    register = Register.PMICR
    if own.generation != "power8":
        register = Register.PSSCR
        # most are valid: Linux takes them
        stop = int(rng.choice((Flag.STOP_INST_FAST, Flag.STOP_INST_FAST, Flag.STOP_INST_DEEP)))
        kept = int(Flag.LOSE_USER_CONTEXT | Flag.TIMEBASE_STOP)
        rows = [
            replace(row, flags=row.flags & kept | stop, latency_ns=row.latency_ns % 250_000)
            if rng.random() < 0.8
            else row
            for row in rows
        ]
    return IdleTable("drawn", tuple(rows), register, own)


def test_what_is_drawn_reaches_every_cause_that_opal_s_tables_know() -> None:
    found = set()
    for seed in range(600):
        kernel = random.Random(seed).choice(RELEASES)
        way = journey(source_of(drawn_table(seed)), ALL_LEVELS, [kernel])
        found |= {value.cause for arrival in way.arrivals for value in changed_values(way, arrival)}
        found |= {changed.cause for changed in way.export.changed} if way.export else set()
    assert found >= {
        "truncated",
        "rounded-up",
        "wrapped",
        "built-in",
        "own-default",
        "class-name",
        "run-on",
        "old-format",
        "mask-unread",
        "of-another-state",
        "over-threshold",
        "ticks",
        "flags",
        "unread",
    }


@given(st.integers(0, 1 << 32), st.sampled_from(RELEASES))
@example(846, release("4.11"))  # a stop state behind a first row of another class
@settings(max_examples=examples(300, 5000), deadline=None)
def test_of_opal_s_tables_no_change_is_unsaid(seed: int, kernel: Release) -> None:
    hold(journey(source_of(drawn_table(seed)), ALL_LEVELS, [kernel]))


@given(st.integers(0, 1 << 32), st.sampled_from(RELEASES), st.booleans())
@settings(max_examples=examples(200, 3000), deadline=None)
def test_of_nodes_no_change_is_unsaid(seed: int, kernel: Release, riscv: bool) -> None:
    (root,) = random_trees(random.Random(seed), riscv, 1)
    for listed in idle_nodes.lists_of(root, "x"):
        table = idle_nodes.table_of(listed, "dtb", "x", "")
        hold(journey(source_of(table), ALL_LEVELS, [kernel]))


def drawn_acpi(seed: int) -> IdleTable:
    """Two processors' _CST, or _LPI of a processor and its container; numbers of any size."""
    rng = random.Random(seed)

    def number() -> int:
        return rng.choice((rng.randrange(2000), rng.randrange(1 << 32), rng.randrange(1 << 34)))

    def entry(hint: int) -> tuple[AcpiObject, ...]:
        kind = 1 if hint == 0 else rng.choice((1, 2, 3))
        return bytes(AcpiRegister(FIXED_HARDWARE, 1, 2, 3, hint)), kind, number(), 0

    cpus = [AcpiProcessor(f"\\_SB.CPU{number}", number, is_device=True) for number in (0, 1)]
    if rng.random() < 0.7:
        count = rng.randrange(1, 5)
        objects = [
            (count, *(entry(16 * number) for number in range(count)))
            for _ in range(rng.randrange(1, 3))
        ]
        groups = tuple(
            AcpiIdle((cpu_,), cst, arch="x86") for cpu_, cst in zip(cpus, objects, strict=False)
        )
        acpi = replace(rng.choice(groups), machine=groups if len(groups) > 1 else ())
        return acpi_table(acpi, {}, "drawn")

    def level(depth: int) -> AcpiObject:
        some = range(rng.randrange(1, 4))
        register = bytes(AcpiRegister(FIXED_HARDWARE, 32, 0, 3, 1 + depth))
        return (
            0,
            depth,
            len(some),
            *(
                (
                    number(),
                    number(),
                    1,
                    0,
                    0,
                    2,
                    register if depth == 0 else n,
                    0,
                    0,
                    f"L{depth}{n}",
                )
                for n in some
            ),
        )

    levels = tuple(LpiLevel(path, level(n)) for n, path in enumerate(("\\_SB.C.P", "\\_SB.C")))
    return acpi_table(AcpiIdle((cpus[0],), lpi=levels, arch="arm64"), {}, "drawn")


@given(st.integers(0, 1 << 32), st.sampled_from(ACPI_RELEASES), st.sampled_from(["", "wcl", "spr"]))
@settings(max_examples=examples(300, 4000), deadline=None)
def test_of_acpi_s_objects_no_change_is_unsaid(seed: int, kernel: Release, machine: str) -> None:
    table = drawn_acpi(seed)
    assert table.origin.form == "acpi"
    named = parse(machine) if machine and table.origin.arch == "x86" else ALL_LEVELS
    if modelled(kernel, subsystem_of(table, named)):
        hold(journey(source_of(table), named, [kernel]))


@pytest.mark.parametrize("name", PACKAGED)
def test_of_packaged_tables_no_change_is_unsaid(name: str) -> None:
    source = read_table(name)
    for platform in ("all-levels", "op920", "rainier"):
        hold(journey(source, parse_platform(platform), RELEASES))


@pytest.mark.parametrize("name", [revision.name for revision in machines()])
def test_of_packaged_machines_no_change_is_unsaid(name: str) -> None:
    for source in read_sources(name):
        hold(journey(source, ALL_LEVELS, RELEASES))


def test_200_ns_are_0_us_to_4_14_6_and_1_us_since() -> None:
    found = of_packaged("power9@84368bbf8")
    assert found["stop0_lite", "latency"] == [
        ("0 us", "4.8 to 4.14.6", "IS201"),
        ("1 us", "4.14.7 to 7.3.4", "IS201"),
    ]
    assert found["stop1_lite", "latency"] == [
        ("4 us", "4.8 to 4.14.6", "IS212"),
        ("5 us", "4.14.7 to 7.3.4", "IS212"),
    ]
    assert ("stop1", "latency") not in found
    said = list(sentences(values(KernelsRequest(table="power9@84368bbf8", values=True))))
    assert said[0] == (
        "stop0_lite's exit latency of 200 ns becomes 0 us in Linux 4.8 to 4.14.6 and 1 us in "
        "Linux 4.14.7 to 7.3.4"
    )


def test_kernels_that_are_named_are_listed_in_their_order() -> None:
    found = of_packaged("power9@84368bbf8", "6.1", "4.11", "4.13", "debian-6.1.192")
    assert found["stop0_lite", "latency"] == [
        ("0 us", "4.11, 4.13", "IS201"),
        ("1 us", "6.1, debian-6.1.192", "IS201"),
    ]


def test_a_kernel_that_reads_no_masks_completes_the_psscr() -> None:
    found = of_packaged("power9")
    assert found["stop0_lite", "psscr"] == [("0x3f03f0", "4.8 to 4.10.17", "IS423")]
    assert found["stop0_lite", "mask"] == [("0x3f03ff", "4.8 to 4.10.17", "IS423")]


def test_times_that_old_drivers_have_built_in() -> None:
    found = of_packaged("power8")
    assert found["nap", "latency"] == [("10 us", "3.15 to 3.17.8", "IS422")]
    # ten times the latency
    assert found["nap", "residency"] == [("40 us", "3.18 to 3.19.8", "IS412")]


def test_firmware_s_own_changes_come_first_and_are_of_every_kernel() -> None:
    source = read_table("power8")
    assert source.table is not None
    old = values_of(source, parse_platform("skiboot=4.1,chip=P8_NAPLES"))
    firmware = [value for value in old.values if value.stage == "firmware"]
    assert old.values[: len(firmware)] == tuple(firmware)
    assert not any(value.kernels for value in firmware)
    assert {(value.state, value.field, value.after) for value in firmware} == {
        ("fastsleep_", "mask", "0x2000000000"),
        *((state.name, "residency", "none") for state in source.table.states),
    }


def test_ticks_of_a_partition_s_records() -> None:
    record = CedeRecord(1, 5121, True)
    table = read_table("pseries-power10").table
    assert table is not None
    assert table.partition is not None
    partition = replace(table.partition, extended_cede=(record,))
    found = values_of(source_of(replace(table, partition=partition)), ALL_LEVELS, [release("6.1")])
    # 5121 ticks of 512 MHz are 10001.95 ns, and the last bit is lost
    assert [
        (value.field, value.before, value.after, value.cause)
        for value in found.values
        if value.field.startswith("extended")
    ] == [("extended-cede[0]", "5121 ticks", "10000 ns", "ticks-to-ns-truncated")]
    odd = replace(partition, timebase_hz=512_900_000)
    found = values_of(source_of(replace(table, partition=odd)), ALL_LEVELS, [release("6.1")])
    timeout = next(value for value in found.values if value.field == "time-out")
    assert (timeout.after, timeout.cause) == (f"{100 * 512} ticks", "ticks-truncated")


def test_entry_and_exit_latency_are_added_or_wrap() -> None:
    root = tree(
        cpu(0, [1, 2, 3]),
        state("fits", 1, entry=2**32 - 201, leave=200),
        state("wraps", 2, entry=2**32 - 200, leave=200),
        state("wakes", 3, wakeup_latency_us=cell(250)),
    )
    (listed,) = idle_nodes.lists_of(root, "x")
    source = source_of(idle_nodes.table_of(listed, "dtb", "x", ""))
    found = values_of(source, ALL_LEVELS, [release("5.4")]).values
    latencies = [(v.state, v.after, v.cause) for v in found if v.field == "latency"]
    assert latencies == [
        ("fits", "4294967295 us", "summed"),
        ("wraps", "0 us", "sum-wrapped"),
        ("wakes", "250 us", "wakeup"),
    ]
    newer = values_of(source, ALL_LEVELS, [release("6.8")]).values
    wrapped = [(v.state, v.after) for v in newer if v.cause == "wrapped-on-32-bits"]
    assert wrapped == [("fits", f"{(2**32 - 1) * 1000 % 2**32} ns")]


def test_every_cause_has_a_rule_that_there_is_or_says_why_it_needs_none() -> None:
    for judged in (*CAUSES.values(), *OF_FORM.values()):
        assert bool(judged.rules) != bool(judged.none)
        assert all(rule_of(code).rule.code == code for code in judged.rules)


def test_a_distribution_s_kernel_is_named_where_it_differs() -> None:
    """Debian's 5.10 kernels take POWER9's extended-cede records, which 5.10.67 ended."""
    record = CedeRecord(1, 1024, True)
    table = read_table("pseries-dedicated").table
    assert table is not None
    assert table.partition is not None
    partition = replace(table.partition, extended_cede=(record,))
    changed = values_of(source_of(replace(table, partition=partition)), ALL_LEVELS).values
    lowered = next(v for v in changed if (v.field, v.cause) == ("latency", "cede-records"))
    assert lowered.kernels[0] == "5.9 to 5.10.66"
    others = {preset for preset in (*lowered.kernels, *lowered.but) if "-" in preset}
    for preset in others:
        kernel = release(preset)
        assert modelled(kernel, "pseries")
        assert kernel.features.cede_power10 != release(kernel.base).features.cede_power10


def test_json_has_the_values_and_text_the_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["kernels", "--table", "power9@84368bbf8", "--values", "--kernel", "4.11,6.1"]
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["values"]
    first = next(value for value in found["values"] if value["cause"] == "truncated")
    assert (first["state"], first["before"], first["after"]) == ("stop0_lite", "200 ns", "0 us")
    assert (first["kernels"], first["rules"], first["none"]) == (["4.11"], ["IS201"], "")
    assert first["ground"].startswith("drivers/cpuidle/cpuidle-powernv.c")
    assert main(words) == 0
    output = capsys.readouterr().out
    assert "stop0_lite's exit latency of 200 ns becomes 0 us in Linux 4.11 and 1 us" in output


@pytest.mark.parametrize(
    "words",
    [["--values"], ["--table", "power9", "--values", "6.1"], ["--kernel", "6.1"]],
)
def test_values_need_a_table_and_nothing_else(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main(["kernels", *words]))
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("residency_ns", "after", "cause", "rules"),
    [
        (4_294_966_296, "4294967 us", "rounded-up", ("IS212",)),
        (4_294_966_297, "0 us", "wrapped", ("IS216",)),
    ],
)
def test_the_last_residency_that_rounds_up_and_the_first_that_wraps(
    residency_ns: int, after: str, cause: str, rules: tuple[str, ...]
) -> None:
    table = read_table("power9").table
    assert table is not None
    rows = (replace(table.states[0], residency_ns=residency_ns), *table.states[1:])
    way = journey(source_of(replace(table, states=rows)), ALL_LEVELS, [release("6.1")])
    (value,) = [
        value
        for value in changed_values(way, way.arrivals[0])
        if (value.row, value.field) == (0, "residency")
    ]
    assert (value.after, value.cause, value.judged.rules) == (after, cause, rules)
    hold(way)


def test_each_time_of_a_power_domain_wraps_up_to_6_4() -> None:
    root = hierarchy(state("sleep", 1), level("off", 2, 4294968, 4294969, 4294970), cluster=[2])
    (listed,) = idle_nodes.lists_of(root, "x")
    source = source_of(idle_nodes.table_of(listed, "dtb", "x", ""))
    old = values_of(source, ALL_LEVELS, [release("6.1.38")]).values
    assert {v.field: v.after for v in old if v.cause == "wrapped"} == {
        idle_nodes.ENTRY: "704 ns",
        idle_nodes.EXIT: "1704 ns",
        idle_nodes.RESIDENCY: "2704 ns",
    }
    assert all(v.stage == "genpd" for v in old if v.cause == "wrapped")
    new = values_of(source, ALL_LEVELS, [release("6.1.39")]).values
    assert not [v for v in new if v.cause == "wrapped"]


@pytest.mark.parametrize(
    ("machine", "latency", "wraps"),
    [
        ("", 0x7FFF_FFFF, False),
        ("", 0x8000_0000, True),
        ("wcl", 0x5555_5555, False),
        ("wcl", 0x5555_5556, True),
    ],
)
def test_a_residency_made_of_a_latency_wraps(machine: str, latency: int, wraps: bool) -> None:
    """acpi_idle takes twice the latency, intel_idle three times."""
    rows = ((0, 1, 1), (0x21, 2, latency))
    cst = tuple(
        (bytes(AcpiRegister(FIXED_HARDWARE, 1, 2, 3, hint)), kind, us, 0) for hint, kind, us in rows
    )
    acpi = AcpiIdle((AcpiProcessor("\\_SB.CPU0", 0, is_device=True),), (2, *cst), arch="x86")
    named = parse(machine) if machine else ALL_LEVELS
    way = journey(source_of(acpi_table(acpi, {}, "drawn")), named, [release("7.2")])
    found = {v.row: v.cause for v in changed_values(way, way.arrivals[0]) if v.field == "residency"}
    assert found == {0: "by-latency", 1: "by-latency-wrapped" if wraps else "by-latency"}
    hold(way)


def test_what_a_kernel_replaces_is_the_tree_s() -> None:
    asked = KernelsRequest(table="power9", values=True, kernels=(release("4.10"),))
    unread = [value for value in values(asked).values if value.cause == "mask-unread"]
    assert ("mask", "0x3003ff") in {(value.field, value.before) for value in unread}
    assert ("psscr", "0x330") in {(value.field, value.before) for value in unread}
