"""IS5xx: tables against the packaged ones they claim to be, resemble or repeat."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model import power_mgt as dt
from idle_states.base.model.findings import Confidence, Finding, Severity
from idle_states.base.model.power_mgt import PowerMgt, decode, encode
from idle_states.base.model.table import (
    Cpu,
    Firmware,
    Flag,
    IdleState,
    IdleTable,
    ReadFrom,
    Register,
)
from idle_states.base.resources import resource
from idle_states.tables.linux.releases import DEFAULT, release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.engine import run
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot.export import export
from idle_states.tables.skiboot.platform import parse_platform
from idle_states.tables.sources import read_table
from idle_states.tables.spec.library import find
from idle_states.tables.spec.packaged import current, revisions

KERNELS = tuple(release(name) for name in DEFAULT)
WARNING, NOTE = Severity.WARNING, Severity.NOTE
OPAL = tuple(name for name in current() if find(name).register is not Register.NONE)

Rows = Sequence[IdleState]
Maker = Callable[[IdleTable, Rows], Subject]


def as_spec(table: IdleTable, states: Rows) -> Subject:
    """A spec of the same name in somebody's own file, with all rows in it."""
    read_from = ReadFrom("spec", f"{table.name}.yaml")
    where = {key: place for key, place in table.where.items() if key != "extends"}
    return Subject(replace(table, states=tuple(states), read_from=read_from, where=where), KERNELS)


def as_c(table: IdleTable, states: Rows) -> Subject:
    named = replace(table, name=table.firmware.array, read_from=ReadFrom("c", "slw.c"))
    return Subject(replace(named, states=tuple(states)), KERNELS)


def as_dt(table: IdleTable, states: Rows, levels: int | None = 0xFFFF_FFFF) -> Subject:
    return tree(encode(states, table.register), table.cpu, levels)


def tree(properties: dict[str, bytes], cpu: Cpu | None, levels: int | None) -> Subject:
    """Returns a tree as a reader makes it: the processor is known by its PVR, and by nothing
    else."""
    if levels is not None:
        properties = {**properties, dt.STOP_LEVELS: levels.to_bytes(4, "big")}
    node = PowerMgt(properties)
    cpu = Cpu(cpu.processor, cpu.pvr) if cpu else None
    return Subject(decode(node, cpu, ReadFrom("dtb")), KERNELS, node=node)


def exported(table: IdleTable, platform: str = "all-levels") -> list[IdleState]:
    return [table.states[index] for index in export(table, parse_platform(platform)).indices]


def found(code: str, made: Subject) -> list[Finding]:
    return run(made, selection=RuleSelection((code,)))


def messages(made: Subject, code: str = "IS501") -> list[str]:
    return [finding.message for finding in found(code, made)]


def with_row(states: Rows, row: str, **values: object) -> list[IdleState]:
    return [
        replace(state, **values) if state.name == row else state  # type: ignore[arg-type]
        for state in states
    ]


FORMS = pytest.mark.parametrize("make", [as_spec, as_c, as_dt])


def rows_for(make: Maker, table: IdleTable) -> list[IdleState]:
    """Returns what the form has of a table: a tree only what firmware exports."""
    return exported(table) if make is as_dt else list(table.states)


# IS501


@FORMS
@pytest.mark.parametrize("name", OPAL)
def test_an_unchanged_table_has_not_drifted(make: Maker, name: str) -> None:
    table = find(name)
    assert messages(make(table, rows_for(make, table))) == []


@FORMS
@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("name", "stop02", "name 'stop02' instead of 'stop2'"),
        ("latency_ns", 10_001, "exit latency 10001ns instead of 10us"),
        ("residency_ns", 1_000_000, "target residency 1ms instead of 100us"),
        (
            "flags",
            int(Flag.STOP_INST_FAST | Flag.LOSE_HYP_CONTEXT),
            "flags 0x00102000 instead of 0x00101000 (adds LOSE_HYP_CONTEXT; lacks "
            "LOSE_USER_CONTEXT)",
        ),
        ("flags", 0x10_1004, "flags 0x00101004 instead of 0x00101000 (adds 0x4)"),
        ("control", 0x300331, "PSSCR 0x300331 instead of 0x300332 (RL=1 for 2)"),
        ("control", 0x300372, "PSSCR 0x300372 instead of 0x300332 (MTL=7 for 3)"),
        (
            "control",
            0x700331,
            "PSSCR 0x700331 instead of 0x300332 (RL=1 for 2, other bits 0x400000 for 0x0)",
        ),
        ("mask", 0x30030F, "mask 0x30030f instead of 0x3003ff (differs in MTL)"),
        ("mask", 0x4003FF, "(differs in EC, ESL and 0x400000)"),
    ],
)
def test_each_value_that_differs(make: Maker, field: str, value: object, expected: str) -> None:
    table = find("power9")
    made = make(table, with_row(rows_for(make, table), "stop2", **{field: value}))
    (finding,) = found("IS501", made)
    shown = value if field == "name" else "stop2"
    assert finding.message.startswith(f"{shown} differs from power9: ")
    assert expected in finding.message
    assert finding.severity is WARNING
    ((place, _),) = finding.related
    assert place.file == str(resource("tables", "specs", "power9.yaml"))


@pytest.mark.parametrize(
    "text",
    [
        "name: mine\nextends: power9\nfirmware: {array: power9_cpu_idle_states}\n"
        "override:\n  stop0_lite: {latency: 1500ns, residency: 15us}\n"
        "drop: [stop8, stop11]\n",
        "name: power9-mambo\nextends: power9\nfirmware: {array: power9_mambo_cpu_idle_states}\n"
        "drop: [stop4]\n",
    ],
)
def test_what_a_spec_declares_is_no_drift(text: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    table = read_table(str(file)).table
    assert table is not None
    assert messages(Subject(table, KERNELS)) == []
    assert messages(as_c(table, table.states)) != [], "as C nothing says that it was meant"


def test_places_of_a_psscr() -> None:
    """One field that differs is pointed at, several are at the register."""
    table = find("power9")
    stop2 = table.states[3]
    for control, leaf in ((0x300331, "control.rl"), (0x300321, "control"), (0x700332, "control")):
        (finding,) = found(
            "IS501", as_spec(table, with_row(table.states, "stop2", control=control))
        )
        assert finding.location == stop2.where[leaf]
        ((place, _),) = finding.related
        assert place == stop2.where[leaf]


def test_a_renamed_row_is_recognised_by_its_values() -> None:
    table = find("power9")
    both = with_row(table.states, "stop2", name="stop3", latency_ns=10_001)
    assert set(messages(as_spec(table, both))) == {
        "stop3 is not a state of power9",
        "stop2 is missing; power9 has it after stop1",
    }


def test_two_values_are_two_findings() -> None:
    table = find("power9")
    made = as_spec(table, with_row(table.states, "stop2", latency_ns=1, residency_ns=2))
    assert len(messages(made)) == 2


@pytest.mark.parametrize("name", OPAL)
@FORMS
def test_no_single_change_of_a_value_goes_unseen(make: Maker, name: str) -> None:
    table = find(name)
    rows = rows_for(make, table)
    for row in rows:
        for field, value in (
            ("name", f"{row.name}x"),
            ("latency_ns", row.latency_ns + 1),
            ("residency_ns", (row.residency_ns or 0) - 1),
            ("flags", row.flags ^ Flag.DEC_STOP),
            ("control", row.control ^ 1),
            ("mask", row.mask ^ 1),
        ):
            assert messages(make(table, with_row(rows, row.name, **{field: value}))), (row, field)


@FORMS
def test_missing_extra_repeated_and_moved_rows(make: Maker) -> None:
    table = find("power9")
    rows = rows_for(make, table)
    lite, stop0, stop1, stop2, *deep = rows

    assert messages(make(table, [lite, stop0, stop2, *deep])) == [
        "stop1 is missing; power9 has it after stop0"
    ]
    extra = replace(stop1, name="stop1_lite", control=0x331, flags=int(Flag.STOP_INST_FAST))
    assert messages(make(table, [lite, stop0, extra, stop1, stop2, *deep])) == [
        "stop1_lite is not a state of power9"
    ]
    made = make(table, [lite, stop0, stop1, stop1, stop2, *deep])
    (again,) = found("IS501", made)
    assert again.message == "stop1 appears again; power9 has it once"
    assert again.location == made.at(3)
    (exchanged,) = messages(make(table, [stop0, lite, stop1, stop2, *deep]))
    assert exchanged in (
        "stop0_lite is out of order; power9 has it first",
        "stop0 is out of order; power9 has it after stop0_lite",
    )
    made = make(table, [lite, stop1, stop2, *deep, stop0])
    (moved,) = found("IS501", made)
    assert moved.message == "stop0 is out of order; power9 has it after stop0_lite"
    assert moved.location == made.at(len(rows) - 1)


def test_first_row_missing() -> None:
    table = find("power10")
    for make in (as_spec, as_c):
        assert messages(make(table, table.states[1:])) == [
            "stop0_lite is missing; power10 has it first"
        ]


def test_a_residency_that_is_not_there() -> None:
    table = find("power8")
    made = as_c(table, with_row(table.states, "nap", residency_ns=None))
    assert messages(made) == ["nap differs from power8: target residency none instead of 100us"]


def test_what_has_no_reference_has_not_drifted() -> None:
    table = find("power9")
    changed = with_row(table.states, "stop2", latency_ns=1)
    unknown = replace(table, name="mine", firmware=Firmware())
    assert messages(as_spec(unknown, changed)) == []
    assert messages(Subject(table, KERNELS)) == []
    assert messages(Subject(find("power9@84368bbf8"), KERNELS)) == []


@pytest.mark.parametrize("name", OPAL)
@pytest.mark.parametrize(
    "platform",
    [
        "all-levels",
        "op920",
        "rainier",
        "mambo",
        "qemu-powernv8",
        "qemu-powernv9",
        "no-homer",
        "no-homer,fast-sleep=no",
        "enabled-stop-levels=0x80000000",
        "nvram-disable-mask=0x0",
        "awan",
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_what_skiboot_exports_has_not_drifted(name: str, platform: str, known: bool) -> None:
    """On every platform, with or without a PVR in the tree."""
    table = find(name)
    node = export(table, parse_platform(platform)).node
    assert node
    made = tree(dict(node.properties), table.cpu if known else None, None)
    assert messages(made) == []


def test_levels_decide_which_rows_a_tree_must_have() -> None:
    table = find("power9")
    without_stop5 = [state for state in exported(table) if state.name != "stop5"]
    (finding,) = found("IS501", as_dt(table, without_stop5))
    assert finding.message == "stop5 is missing; power9 has it after stop4"
    # NVRAM may have taken it
    assert finding.confidence is Confidence.MEDIUM
    assert messages(as_dt(table, without_stop5, levels=0xE800_0000)) == []
    (finding,) = found("IS501", as_spec(table, [s for s in table.states if s.name != "stop5"]))
    assert finding.confidence is Confidence.HIGH


def test_a_tree_without_enabled_levels_is_held_to_all() -> None:
    table = find("power10")
    assert messages(as_dt(table, table.states, levels=None)) == []
    assert messages(as_dt(table, table.states[:-1], levels=None)) == [
        "stop3 is missing; power10 has it after stop2"
    ]


def test_a_tree_is_held_to_its_own_processor() -> None:
    """POWER9's rows on POWER10 are not what skiboot exports there."""
    rows = exported(find("power9"), "op920")
    assert messages(as_dt(find("power9"), rows, levels=0xEC00_0000)) == []
    assert messages(as_dt(find("power10"), rows, levels=0xEC00_0000))


def test_a_tree_that_no_skiboot_can_export_is_not_compared() -> None:
    states = [replace(find("power9").states[0], name=f"s{number}") for number in range(256)]
    assert messages(as_dt(find("power9"), states)) == []
    assert messages(as_dt(find("power9"), states[:255]))
    assert messages(as_dt(find("power9"), [])) == []


def test_the_stop0_lite_of_2017_is_drift_today() -> None:
    old = find("power9-dd1@84368bbf8")
    made = as_c(find("power9-dd1"), old.states)
    assert messages(made) == [
        "stop0_lite differs from power9-dd1: exit latency 200ns instead of 1us",
        "stop0_lite differs from power9-dd1: target residency 2us instead of 10us",
        "stop1_lite differs from power9-dd1: flags 0x00101000 instead of 0x00100000 (adds "
        "LOSE_USER_CONTEXT)",
    ]


# IS502


@pytest.mark.parametrize("make", [as_spec, as_c])
def test_mambos_stop4_and_nothing_else(make: Maker) -> None:
    mambo, power9 = find("power9-mambo"), find("power9")
    (finding,) = found("IS502", make(mambo, mambo.states))
    assert finding.message == (
        "stop4 differs from power9's: target residency 1ms instead of 10ms; flags 0x00207003 "
        "instead of 0x00207000 (adds DEC_STOP and TIMEBASE_STOP)"
    )
    assert finding.severity is WARNING
    assert finding.location == mambo.states[3].where["residency"]
    stop4 = power9.state("stop4")
    assert stop4
    agreed = [stop4 if state.name == "stop4" else state for state in mambo.states]
    assert messages(make(mambo, agreed), "IS502") == []


@pytest.mark.parametrize("make", [as_spec, as_c])
def test_siblings(make: Maker) -> None:
    """Fused cores, declared copies and shared arrays are; another chip revision is not."""
    fused = find("power9-fused")
    assert messages(make(fused, fused.states), "IS502") == []
    slow = with_row(fused.states, "stop2", latency_ns=11_000)
    assert messages(make(fused, slow), "IS502") == [
        "stop2 differs from power9's: exit latency 11us instead of 10us"
    ]
    nap_only = find("power8-nap-only")
    slow = with_row(nap_only.states, "nap", latency_ns=5000)
    assert messages(make(nap_only, slow), "IS502") == [
        "nap differs from power8's: exit latency 5us instead of 4us"
    ]
    for name in ("power9-dd1", "power9", "power8", "power7"):
        table = find(name)
        slow = [replace(state, latency_ns=state.latency_ns + 1) for state in table.states]
        assert messages(make(table, slow), "IS502") == []


def test_power11_shares_power10s_array() -> None:
    power11 = find("power11")
    slow = with_row(power11.states, "stop3", latency_ns=46_000)
    (message,) = messages(as_spec(power11, slow), "IS502")
    assert message.startswith("stop3 differs from power10's")
    assert message.endswith(": exit latency 46us instead of 45us")


# IS503


@pytest.mark.parametrize("make", [as_spec, as_c])
def test_copies_of_a_prefix(make: Maker) -> None:
    fused = find("power9-fused")
    (finding,) = found("IS503", make(fused, fused.states))
    assert finding.message == (
        "power9_fusedcore_cpu_idle_states repeats the first 4 rows of power9_cpu_idle_states "
        "(power9)"
    )
    # IS502 names the one that a correction forgets
    assert (finding.severity, finding.confidence) == (NOTE, Confidence.HIGH)
    (finding,) = found("IS503", make(fused, fused.states[:2]))
    assert "the first 2 rows" in finding.message
    assert (finding.severity, finding.confidence) == (NOTE, Confidence.HIGH)
    (finding,) = found("IS503", make(fused, fused.states[:1]))
    assert "repeats the first row of power9_cpu_idle_states (power9)" in finding.message
    assert (finding.severity, finding.confidence) == (NOTE, Confidence.LOW)
    assert messages(make(fused, fused.states[1:]), "IS503") == []
    assert messages(make(fused, []), "IS503") == []
    changed = with_row(fused.states, "stop2", latency_ns=11_000)
    assert messages(make(fused, changed), "IS503") == []


@pytest.mark.parametrize("make", [as_spec, as_c])
def test_one_array_may_be_used_in_part(make: Maker) -> None:
    """The same array with a smaller count is no copy, nor is an equal table of as many rows."""
    power9 = find("power9")
    assert messages(make(power9, power9.states[:3]), "IS503") == []
    assert messages(make(power9, power9.states[:4]), "IS503") == []
    power10 = find("power10")
    other = replace(power10, firmware=Firmware(array="other_cpu_idle_states"))
    assert messages(make(other, power10.states), "IS503") == []
    (finding,) = found("IS503", make(other, power10.states[:3]))
    assert (finding.severity, finding.confidence) == (WARNING, Confidence.HIGH)


def test_copies_without_a_home_in_skiboot() -> None:
    """A C array has its name; a spec that names no array is no copy of one."""
    bare = replace(find("power9"), firmware=Firmware(), cpu=None, name="mine_cpu_idle_states")
    bare = replace(bare, states=bare.states[:3])
    spec = replace(bare, read_from=ReadFrom("spec", "mine.yaml"))
    assert messages(Subject(spec, KERNELS)) == []
    assert found("IS503", Subject(spec, KERNELS)) == []
    in_c = replace(bare, read_from=ReadFrom("c", "slw.c"))
    (message,) = messages(Subject(in_c, KERNELS), "IS503")
    assert message.startswith("mine_cpu_idle_states repeats the first 3 rows of power9_cpu_idle_")


# IS504


def test_revisions_that_skiboot_dropped() -> None:
    dd1, power9 = find("power9-dd1"), find("power9")
    for make in (as_spec, as_c, as_dt):
        (finding,) = found("IS504", make(dd1, rows_for(make, dd1)))
        assert "no longer carries power9" in finding.message
        assert finding.severity is NOTE
        assert messages(make(power9, rows_for(make, power9)), "IS504") == []
    # a tree that only resembles it is not called by its name
    rows = with_row(dd1.states, "stop0_lite", latency_ns=1001)
    assert messages(as_dt(dd1, rows), "IS504") == []


def test_c_array_of_a_dropped_revision_without_its_processor() -> None:
    dd1 = replace(find("power9-dd1"), cpu=None)
    assert messages(as_c(dd1, dd1.states), "IS504") == ["skiboot no longer carries power9-dd1"]


FIRES_TODAY = {
    "power8-nap-only": [("IS503", NOTE)],
    "power9-dd1": [("IS504", NOTE)],
    "power9-fused": [("IS503", NOTE)],
    "power9-mambo": [("IS502", WARNING)],
}


@pytest.mark.parametrize("name", tuple(current()))
def test_what_fires_on_todays_tables(name: str) -> None:
    findings = found("IS5", Subject(find(name), KERNELS))
    assert [(f.rule, f.severity) for f in findings] == FIRES_TODAY.get(name, [])


def test_revisions_are_named_after_their_generation() -> None:
    """IS501 passes over those of other generations by their names."""
    for revision in revisions():
        cpu = find(revision.name).cpu
        assert cpu is None or revision.name.startswith((cpu.generation, "pseries"))
