"""Single faults seeded into good tables: what check notices, beside what fwts and op-test would."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from idle_states.base.model.power_mgt import (
    CELL_BYTES,
    FLAGS,
    LATENCIES,
    NAMES,
    PSSCR,
    PSSCR_MASK,
    RESIDENCIES,
    STOP_LEVELS,
    PowerMgt,
    decode,
    encode,
)
from idle_states.base.model.table import Flag, IdleTable, ReadFrom, Register
from idle_states.tables.linux.releases import DEFAULT, release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.engine import run
from idle_states.tables.skiboot.export import export
from idle_states.tables.skiboot.platform import Platform
from idle_states.tables.spec.library import find

KERNELS = [release(name) for name in DEFAULT]
GOOD = ("power8", "power9", "power9-fused", "power9-mambo", "power9-dd1", "power10")


@dataclass(frozen=True)
class Fault:
    """A faulty table, in the form of a C source or spec (table) or of a tree (node)."""

    what: str
    table: IdleTable
    node: PowerMgt | None = None


def scaled(value: int | None, factor: float) -> int:
    return min(int((value or 0) * factor), 0xFFFFFFFF)


def with_state(table: IdleTable, index: int, **changes: object) -> IdleTable:
    states = list(table.states)
    states[index] = replace(states[index], **changes)  # type: ignore[arg-type]
    return replace(table, states=tuple(states))


def digit_slip(value: int, rng: random.Random) -> int:
    """One decimal digit dropped, doubled or changed."""
    digits = str(value)
    at = rng.randrange(len(digits))
    kind = rng.randrange(3)
    if kind == 0 and len(digits) > 1:
        changed = digits[:at] + digits[at + 1 :]
    elif kind == 1:
        changed = digits[:at] + digits[at] + digits[at:]
    else:
        changed = (
            digits[:at] + str((int(digits[at]) + rng.randrange(1, 10)) % 10) + digits[at + 1 :]
        )
    result = min(int(changed), 0xFFFFFFFF)
    return result if result != value else value + 1


def value_faults(
    table: IdleTable, index: int, rng: random.Random
) -> Iterator[tuple[str, IdleTable]]:
    state = table.states[index]
    residency = state.residency_ns or 0
    for factor in (0, 0.001, 0.1, 10, 1000):
        yield (
            f"latency x{factor}",
            with_state(table, index, latency_ns=scaled(state.latency_ns, factor)),
        )
        yield (
            f"residency x{factor}",
            with_state(table, index, residency_ns=scaled(residency, factor)),
        )
    yield "latency slip", with_state(table, index, latency_ns=digit_slip(state.latency_ns, rng))
    yield "residency slip", with_state(table, index, residency_ns=digit_slip(residency, rng))
    yield (
        "times swapped",
        with_state(table, index, latency_ns=residency, residency_ns=state.latency_ns),
    )
    yield "name cut", with_state(table, index, name=state.name[:-1])
    yield "name long", with_state(table, index, name=state.name + "x" * 12)
    for flag in (*Flag, 0x40, 0x80000000):
        yield f"flag {flag:#x}", with_state(table, index, flags=state.flags ^ int(flag))
    if table.register is Register.PSSCR:
        for bit in (0, 1, 2, 3, 4, 6, 8, 16, 20, 21, 22, 40):
            yield f"psscr bit {bit}", with_state(table, index, control=state.control ^ 1 << bit)
    for mask in (0, 0xF, state.mask ^ 0x100000, state.mask | 1 << 40):
        if mask != state.mask:
            yield f"mask {mask:#x}", with_state(table, index, mask=mask)
    bswap = int.from_bytes(state.flags.to_bytes(4, "big"), "little")
    if bswap != state.flags:
        yield "flags swapped", with_state(table, index, flags=bswap)


def row_faults(table: IdleTable, index: int) -> Iterator[tuple[str, IdleTable]]:
    states = list(table.states)
    if len(states) > 1:
        yield "row dropped", replace(table, states=tuple(states[:index] + states[index + 1 :]))
        other = (index + 1) % len(states)
        moved = list(states)
        moved[index], moved[other] = moved[other], moved[index]
        yield "rows swapped", replace(table, states=tuple(moved))
        copied = list(states)
        copied[index] = replace(states[other], name=states[index].name)
        if copied[index].values() != states[index].values():
            yield "row copied", replace(table, states=tuple(copied))
    yield "row doubled", replace(table, states=(*states[: index + 1], *states[index:]))


def tree(table: IdleTable) -> PowerMgt:
    levels = (
        {STOP_LEVELS: (0xFC000000).to_bytes(4, "big")} if table.register is Register.PSSCR else {}
    )
    return PowerMgt(levels | encode(table.states, table.register))


def read_back(table: IdleTable, node: PowerMgt) -> IdleTable:
    return decode(node, table.cpu, ReadFrom("dtb"))


def node_faults(table: IdleTable) -> Iterator[tuple[str, PowerMgt]]:
    good = tree(table).properties
    for name, data in good.items():
        yield f"{name} absent", PowerMgt({k: v for k, v in good.items() if k != name})
        size = CELL_BYTES.get(name, 1)
        yield f"{name} short", PowerMgt({**good, name: data[:-size]})
        yield f"{name} ragged", PowerMgt({**good, name: data[:-1]})
        yield f"{name} long", PowerMgt({**good, name: data + data[-size:]})
        yield f"{name} empty", PowerMgt({**good, name: b""})


def exported(name: str) -> IdleTable:
    """The table as a tree carries it: what cannot be exported anywhere is not in it."""
    table = find(name)
    platform = Platform(chip=table.cpu.chips[0] if table.cpu else None)
    kept = export(table, platform).indices
    return replace(table, states=tuple(table.states[index] for index in kept))


def all_faults() -> list[Fault]:
    rng = random.Random(604)
    faults = []
    for name in GOOD:
        table = exported(name)
        for index in range(len(table.states)):
            for what, faulty in (*value_faults(table, index, rng), *row_faults(table, index)):
                faults.append(
                    Fault(
                        f"{name}[{index}] {what}",
                        replace(faulty, read_from=ReadFrom("c", "t.c"), name=table.firmware.array),
                    )
                )
                node = tree(faulty)
                faults.append(
                    Fault(f"{name}[{index}] {what} in a tree", read_back(table, node), node)
                )
        for what, node in node_faults(table):
            faults.append(Fault(f"{name} {what}", read_back(table, node), node))
    return faults


def verdicts(table: IdleTable, node: PowerMgt | None) -> set[tuple[str, str]]:
    found = run(Subject(table, KERNELS, node=node))
    return {(f.rule, f.message) for f in found}


def fwts_flags(node: PowerMgt) -> bool:
    """fwts power_mgmt_info.c: counts only, and P8/P9 only, which the trees here are."""
    count = node.count(FLAGS)
    stop = PSSCR in node.properties or STOP_LEVELS in node.properties
    wanted = [LATENCIES, RESIDENCIES, *((PSSCR, PSSCR_MASK) if stop else ())]
    if (stop and STOP_LEVELS not in node.properties) or count is None or count > 9:
        return True
    names = node.count(NAMES)
    return any(node.count(name) != count for name in wanted) or names not in (None, 0, count)


def strictly_increasing(values: tuple[int, ...]) -> bool:
    return all(a < b for a, b in itertools.pairwise(values))


def op_test_flags(node: PowerMgt) -> bool:
    """op-test DeviceTreeValidation: counts, and strictly increasing residency and latency."""
    count = node.count(FLAGS)
    if not count or count >= 10:
        return True
    stop = PSSCR in node.properties or STOP_LEVELS in node.properties
    wanted = [NAMES, LATENCIES, RESIDENCIES, *((PSSCR, PSSCR_MASK) if stop else ())]
    if any(node.count(name) != count for name in wanted):
        return True
    return not all(strictly_increasing(node.cells(name)) for name in (RESIDENCIES, LATENCIES))


@pytest.mark.slow
def test_what_is_noticed() -> None:
    faults = all_faults()
    good: dict[tuple[str, bool], set[tuple[str, str]]] = {}
    for name in GOOD:
        table = exported(name)
        as_c = replace(table, read_from=ReadFrom("c", "t.c"), name=table.firmware.array)
        good[name, False] = verdicts(as_c, None)
        node = tree(table)
        good[name, True] = verdicts(read_back(table, node), node)
    missed = []
    fwts = op_test = trees = 0
    for fault in faults:
        name = fault.what.partition("[")[0].partition(" ")[0]
        new = verdicts(fault.table, fault.node) - good[name, fault.node is not None]
        if not new:
            missed.append(fault.what)
        if fault.node is not None:
            trees += 1
            fwts += fwts_flags(fault.node)
            op_test += op_test_flags(fault.node)
    noticed = 1 - len(missed) / len(faults)
    print(
        f"{len(faults)} faults: {100 * noticed:.1f} % noticed; of {trees} trees "
        f"fwts {100 * fwts / trees:.1f} %, op-test {100 * op_test / trees:.1f} %"
    )
    for what in missed:
        print("missed:", what)
    assert len(faults) > 604
    assert noticed >= 0.95
