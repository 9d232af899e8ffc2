"""IS4xx: what kernels make of a table, release by release."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from idle_states.base.model import power_mgt as dt
from idle_states.base.model.findings import Finding, Severity
from idle_states.base.model.power_mgt import PowerMgt, decode, encode
from idle_states.base.model.table import Cpu, Flag, IdleState, IdleTable, Psscr, ReadFrom
from idle_states.tables.linux.releases import DEFAULT, all_releases, release, version_key
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.engine import run
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot.platform import parse_platform
from idle_states.tables.spec.library import find
from idle_states.tables.spec.packaged import current

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
DEEP_TB = int(
    Flag.DEC_STOP
    | Flag.TIMEBASE_STOP
    | Flag.LOSE_USER_CONTEXT
    | Flag.LOSE_HYP_CONTEXT
    | Flag.LOSE_FULL_CONTEXT
    | Flag.STOP_INST_DEEP
)


def edited(base: str, rows: Mapping[str, Mapping[str, object]] | None = None) -> IdleTable:
    """A packaged table with values and PSSCR fields of some rows changed."""
    table = find(base)
    states = [_changed(state, (rows or {}).get(state.name, {})) for state in table.states]
    return replace(table, states=tuple(states), read_from=ReadFrom("spec", "edited.yaml"))


def _changed(state: IdleState, values: Mapping[str, object]) -> IdleState:
    fields = {key: value for key, value in values.items() if key in Psscr.FIELDS}
    others = {key: value for key, value in values.items() if key not in fields}
    if fields:
        others["control"] = int(replace(state.psscr, **fields))  # type: ignore[arg-type]
    return replace(state, **others)  # type: ignore[arg-type]


def only(table: IdleTable, *names: str) -> IdleTable:
    return replace(table, states=tuple(state for state in table.states if state.name in names))


def subject(table: IdleTable, *kernels: str, platform: str = "all-levels") -> Subject:
    releases = tuple(release(name) for name in kernels or DEFAULT)
    return Subject(table, releases, parse_platform(platform))


def as_c(table: IdleTable, *kernels: str, platform: str = "all-levels") -> Subject:
    """The rows as C has them, which cannot say that one is not for cpuidle."""
    states = tuple(replace(state, cpuidle=True) for state in table.states)
    named = replace(
        table, states=states, name=table.firmware.array, read_from=ReadFrom("c", "slw.c")
    )
    return subject(named, *kernels, platform=platform)


def as_dt(table: IdleTable, *kernels: str, platform: str = "all-levels") -> Subject:
    """The rows that today's skiboot exports on the platform, as a tree."""
    made = subject(table, *kernels, platform=platform)
    assert made.export
    assert made.export.node
    return tree(made.export.node.properties, table.cpu, *kernels)


def tree(properties: Mapping[str, bytes], cpu: Cpu | None, *kernels: str) -> Subject:
    node = PowerMgt(properties)
    releases = tuple(release(name) for name in kernels or DEFAULT)
    return Subject(decode(node, cpu, ReadFrom("dtb")), releases, node=node)


Maker = Callable[..., Subject]
FORMS = pytest.mark.parametrize("make", [subject, as_c, as_dt])


def found(code: str, made: Subject) -> list[Finding]:
    return run(made, selection=RuleSelection((code,)))


def all_found(made: Subject) -> list[Finding]:
    """IS401 to IS412; those on governors are tried elsewhere."""
    return run(made, selection=RuleSelection(("IS40", "IS41")))


def states_of(findings: list[Finding]) -> list[str]:
    return [finding.message.split()[0] for finding in findings]


# IS401, IS402: times that the conversion to microseconds makes nothing of


@FORMS
@pytest.mark.parametrize(
    ("kernel", "latency", "residency", "expected"),
    [
        ("4.13", 999, 10_000, ["exit latency 999ns"]),
        ("4.13", 1000, 999, ["target residency 999ns"]),
        ("4.13", 200, 300, ["exit latency 200ns", "target residency 300ns"]),
        ("4.13", 1000, 1000, []),
        ("4.15", 1, 1, []),
        ("4.15", 0, 10_000, ["exit latency 0ns"]),
        ("6.1", 1000, 4_294_966_296, []),
        ("6.1", 1000, 4_294_966_297, ["target residency 4294966297ns"]),
        ("4.13", 1000, 4_294_966_297, []),
    ],
)
def test_zero_microseconds(
    make: Maker, kernel: str, latency: int, residency: int, expected: list[str]
) -> None:
    table = edited("power9", {"stop0_lite": {"latency_ns": latency, "residency_ns": residency}})
    findings = found("IS401", make(table, kernel))
    assert [f.message for f in findings] == [
        f"stop0_lite has {what}, which is 0 us to this kernel" for what in expected
    ]
    assert all(f.severity is ERROR and f.kernels == (kernel,) for f in findings)
    level = found("IS402", make(table, kernel))
    assert bool(level) is any("latency" in what for what in expected)


@FORMS
def test_dd1_of_2017_before_and_after_the_conversion_changed(make: Maker) -> None:
    table = find("power9-dd1@84368bbf8")
    (finding,) = found("IS401", make(table, "4.11", "4.14", "4.14.7", "4.15"))
    assert finding.message == "stop0_lite has exit latency 200ns, which is 0 us to this kernel"
    assert finding.kernels == ("4.11", "4.14")
    assert finding.severity is ERROR
    (level,) = found("IS402", make(table, "4.11", "4.15"))
    assert level.message.startswith("stop0_lite is as cheap to leave as snooze (0 us)")
    assert "every idle period predicted at 2 us or more" in level.message
    assert (level.severity, level.kernels) == (ERROR, ("4.11",))


def test_a_residency_that_the_kernel_makes_up_of_nothing() -> None:
    """POWER8 of 2014 has no residencies; 4.11 to 4.18 then use 0."""
    table = find("power8@0768e820e")
    findings = found("IS401", subject(table, "4.8", "4.11"))
    assert [(f.message, f.kernels) for f in findings] == [
        ("nap has no target residency, which is 0 us to this kernel", ("4.11",)),
        ("fastsleep_ has no target residency, which is 0 us to this kernel", ("4.11",)),
    ]


def test_zero_is_only_looked_for_in_what_is_registered() -> None:
    lost = {"latency_ns": 0, "ec": 0}
    assert found("IS401", subject(edited("power9", {"stop2": lost}))) == []
    assert found("IS401", subject(find("pseries-shared"), "4.11")) == []
    assert found("IS402", subject(find("pseries-shared"), "4.11")) == []


# IS403


@FORMS
@pytest.mark.parametrize(
    ("kernel", "stop1", "expected", "severity"),
    [
        ("6.1", (10_000, 100_000), "an exit latency of 10 us and a target", WARNING),
        ("6.1", (9001, 99_001), "an exit latency of 10 us and a target", WARNING),
        ("6.1", (9000, 99_001), "stop1 and stop2 both have a target residency of 100 us", NOTE),
        ("6.1", (9001, 99_000), "stop1 and stop2 both have an exit latency of 10 us", NOTE),
        ("6.1", (9000, 99_000), "", None),
        ("4.13", (10_999, 100_999), "an exit latency of 10 us and a target", WARNING),
        ("4.13", (9999, 99_999), "", None),
        # equal already in the table: IS203 and IS205 say so
        ("6.1", (10_000, 50_000), "", None),
        ("6.1", (5000, 100_000), "", None),
    ],
)
def test_level_with_neighbour(
    make: Maker, kernel: str, stop1: tuple[int, int], expected: str, severity: Severity | None
) -> None:
    changes = {"latency_ns": stop1[0], "residency_ns": stop1[1]}
    findings = found("IS403", make(edited("power9", {"stop1": changes}), kernel))
    assert [f.severity for f in findings] == ([severity] if expected else [])
    assert all(expected in f.message for f in findings)


def test_neighbours_of_2016() -> None:
    findings = found("IS403", subject(find("power9@84368bbf8"), "4.13", "4.15"))
    assert {(f.message, f.kernels) for f in findings} == {
        ("stop0_lite and stop0 both have an exit latency of 0 us", ("4.13",)),
        ("stop0_lite and stop0 both have an exit latency of 1 us", ("4.15",)),
        ("stop1_lite and stop1 both have an exit latency of 5 us", ("4.15",)),
        ("stop2_lite and stop2 both have an exit latency of 10 us", ("4.15",)),
    }


# IS404


@pytest.mark.parametrize(("make", "severity"), [(subject, WARNING), (as_c, NOTE), (as_dt, NOTE)])
def test_state_over_the_threshold(make: Maker, severity: Severity) -> None:
    at_limit = edited("power9", {"stop2": {"latency_ns": 200_000}})
    assert found("IS404", make(at_limit)) == []
    (finding,) = found("IS404", make(edited("power9", {"stop2": {"latency_ns": 200_001}})))
    assert finding.message.startswith("stop2 is lost: its exit latency of 200001 ns is above")
    assert finding.severity is severity
    assert finding.kernels == DEFAULT


def test_a_state_that_is_not_for_cpuidle_is_not_lost() -> None:
    meant = {"latency_ns": 200_001, "cpuidle": False, "reason": "offline CPUs only"}
    assert found("IS404", subject(edited("power9", {"stop2": meant}))) == []


@FORMS
def test_state_that_the_kernel_rejects(make: Maker) -> None:
    made = make(edited("power9", {"stop2": {"ec": 0}}), "4.10", "4.11", "6.1")
    (finding,) = [f for f in found("IS404", made) if f.message.startswith("stop2")]
    assert finding.message.startswith("stop2 is lost: its PSSCR is invalid to the kernel: ESL,EC")
    assert (finding.severity, finding.kernels) == (WARNING, ("4.11", "6.1"))


@FORMS
def test_deep_states_that_keep_the_timebase_were_holes(make: Maker) -> None:
    findings = found("IS404", make(find("power9"), "4.12", "4.13", "4.14"))
    assert states_of(findings) == ["stop4", "stop5"]
    assert {f.kernels for f in findings} == {("4.12",)}
    assert {f.severity for f in findings} == {WARNING}


def test_more_than_nine_states() -> None:
    table = find("power9@1953b41e1")
    made = tree(encode(table.states, table.register), table.cpu, "6.1")
    findings = [f for f in found("IS404", made) if f.severity is WARNING]
    assert states_of(findings) == ["stop11"]
    assert "cpuidle has room for snooze and nine" in findings[0].message


@pytest.mark.parametrize(("make", "expected"), [(subject, []), (as_c, [NOTE]), (as_dt, [NOTE])])
@pytest.mark.parametrize("kernel", ["4.4", "6.1"])
def test_winkle_is_for_offlined_cpus(make: Maker, kernel: str, expected: list[Severity]) -> None:
    findings = found("IS404", make(find("power8"), kernel))
    assert states_of(findings) == ["winkle"] * len(expected)
    assert [f.severity for f in findings] == expected


def test_a_kernel_that_reads_no_tree_is_a_note() -> None:
    findings = found("IS404", subject(find("power8"), "3.14"))
    assert states_of(findings) == ["nap", "fastsleep_"]
    assert {f.severity for f in findings} == {NOTE}


# IS405


@FORMS
@pytest.mark.parametrize(("kernel", "fires"), [("4.10", 1), ("4.12", 1), ("4.13", 0), ("6.1", 0)])
def test_psscr_behind_a_hole(make: Maker, kernel: str, fires: int) -> None:
    table = edited("power9", {"stop5": {"flags": DEEP_TB}})
    findings = found("IS405", make(table, kernel))
    assert states_of(findings) == ["stop5"] * fires
    for finding in findings:
        assert finding.severity is ERROR
        # 4.10 reads no masks, and completes even an empty entry
        wrong = "0x3f03f0 instead of 0x3f03f5" if kernel == "4.10" else "0x0 instead of 0x300375"
        assert wrong in finding.message


def test_psscr_that_the_kernel_completes_is_not_wrong() -> None:
    """Linux 4.10 completes every value, and later kernels those of the old format."""
    assert found("IS405", subject(find("power9"), "4.10", "6.1")) == []
    old = edited("power9", {"stop1": {"control": 1, "mask": 0xF}})
    assert found("IS405", subject(old, "4.11", "6.1")) == []


# IS406, IS407


def test_node_that_cannot_be_parsed() -> None:
    table = edited("power9", {"stop2": {"residency_ns": None}})
    for made in (subject(table, "5.7", "5.8"), as_c(table, "5.7", "5.8")):
        findings = found("IS406", made)
        # the message names the wrong property up to 5.7, so the kernels do not merge
        assert [f.kernels for f in findings] == [("5.7",), ("5.8",)]
        assert "latencies-ns in DT" in findings[0].message
        assert "residency-ns in DT" in findings[1].message
        assert all(f.severity is ERROR for f in findings)
        assert all("residency-ns is absent" in f.message for f in findings)
        assert found("IS404", made) == found("IS410", made) == []


@pytest.mark.parametrize(
    ("name", "cut", "fires"),
    [
        (dt.PSSCR, 1, True),
        (dt.PSSCR_MASK, 8, True),
        (dt.FLAGS, 1, True),
        (dt.LATENCIES, 4, True),
        (dt.FLAGS, 4, False),
    ],
)
def test_short_arrays_of_a_tree(name: str, cut: int, fires: bool) -> None:
    table = find("power10")
    properties = encode(table.states, table.register)
    properties[name] = properties[name][:-cut]
    findings = found("IS406", tree(properties, table.cpu, "6.1"))
    assert bool(findings) is fires
    assert len(findings) < 2


def test_ten_states_lose_all_between_4_12_and_4_18() -> None:
    table = find("power9@1953b41e1")
    made = tree(encode(table.states, table.register), table.cpu, "4.11", "4.12", "4.18", "4.19")
    (finding,) = found("IS406", made)
    assert finding.kernels == ("4.12", "4.18")


def test_fewer_names_than_states_crash_the_kernel() -> None:
    table = find("power10")
    properties = encode(table.states, table.register)
    properties[dt.NAMES] = b"stop0_lite\0stop0\0stop2\0"
    made = tree(properties, table.cpu, "6.1", "6.12")
    (finding,) = found("IS407", made)
    assert "has 3 names for 4 states" in finding.message
    assert (finding.severity, finding.kernels) == (ERROR, ("6.1", "6.12"))
    assert dt.NAMES in finding.location.path
    assert found("IS404", made) == found("IS406", made) == found("IS410", made) == []


def test_table_that_overruns_an_old_driver() -> None:
    table = find("power9@1953b41e1")
    (finding,) = found("IS407", subject(table, "4.4", "4.7", "4.8"))
    assert finding.kernels == ("4.4", "4.7")
    assert finding.location == subject(table).at(None)
    made = tree(encode(table.states, table.register), table.cpu, "4.4")
    (finding,) = found("IS407", made)
    assert finding.location == made.at(None)
    assert found("IS407", subject(find("power9"), "4.4")) == []


# IS408


@pytest.mark.parametrize("make", [subject, as_dt])
def test_processor_that_the_kernel_does_not_know(make: Maker) -> None:
    (finding,) = found("IS408", make(find("power11"), "5.9", "5.10", "6.18", "6.19", "7.2"))
    assert "PVR 0x0082 (power11)" in finding.message
    assert (finding.severity, finding.kernels) == (NOTE, ("5.10", "6.18"))
    assert found("IS408", make(find("power10"), "5.10")) == []
    (finding,) = found("IS408", make(find("power9"), "4.7", "4.8"))
    assert finding.kernels == ("4.7",)
    assert found("IS408", make(find("power8"), "4.4")) == []


@pytest.mark.parametrize("make", [subject, as_dt])
def test_an_unknown_processor_is_reported_once(make: Maker) -> None:
    """Not again as lost states or a missing default stop."""
    findings = all_found(make(find("power11"), "6.12", "4.4"))
    assert [f.rule for f in findings] == ["IS408", "IS408"]


# IS409


def test_boost_test_and_what_loses_its_stop5() -> None:
    table = find("power9")
    assert found("IS409", subject(table)) == []
    assert found("IS409", as_dt(table, platform="op920")) == []
    (finding,) = found("IS409", subject(table, "4.12", "4.13"))
    assert "is not registered: this driver accepts only fast states" in finding.message
    assert (finding.severity, finding.kernels) == (NOTE, ("4.12",))
    (finding,) = found("IS409", subject(table, platform="no-homer"))
    assert "is not exported on no-homer: a deep state needs a wakeup engine" in finding.message
    too_slow = edited("power9", {"stop5": {"latency_ns": 200_001}})
    for make in (subject, as_c, as_dt):
        (finding,) = found("IS409", make(too_slow))
        assert "200001 ns is above" in finding.message
    # IS408 says it
    assert found("IS409", subject(table, "4.4")) == []


def test_boost_test_of_tables_that_dropped_stop5() -> None:
    dropped = only(edited("power9"), "stop0_lite", "stop0", "stop1", "stop2", "stop4")
    for make in (subject, as_c, as_dt):
        (finding,) = found("IS409", make(dropped))
        assert finding.message.startswith("stop5 of power9 is missing")
    for name in ("power9-fused", "power9-mambo", "power9-dd1", "power10", "power8"):
        for make in (subject, as_c):
            assert found("IS409", make(find(name))) == []


# IS410


@FORMS
def test_no_valid_fast_state(make: Maker) -> None:
    table = only(edited("power9", {"stop0_lite": {"ec": 1}}), "stop0_lite", "stop4", "stop5")
    (finding,) = found("IS410", make(table, "4.11", "4.12", "6.1"))
    assert finding.message == "there is no default stop state: stop0_lite not valid"
    # 4.11 falls back to a built-in value
    assert (finding.severity, finding.kernels) == (ERROR, ("4.12", "6.1"))
    with_second = only(edited("power9", {"stop0_lite": {"ec": 1}}), "stop0_lite", "stop0")
    assert found("IS410", make(with_second)) == []


def test_platform_without_a_fast_level() -> None:
    made = subject(find("power9"), "6.1", platform="enabled-stop-levels=0x0c000000")
    (finding,) = found("IS410", made)
    assert finding.message == "there is no default stop state: no STOP_INST_FAST state exported"


def test_no_default_stop_is_not_reported_twice() -> None:
    # IS317 has it
    assert found("IS410", subject(only(edited("power9"), "stop4", "stop5"))) == []
    # nothing is exported, which is the platform's doing
    assert found("IS410", subject(find("power9"), platform="awan")) == []
    assert found("IS410", subject(find("power8"))) == []


# IS411


@FORMS
@pytest.mark.parametrize(
    ("stop4_ns", "expected"),
    [(19_999_999, []), (20_000_000, ["stop4"]), (20_000_001, ["stop4"])],
)
def test_deepest_by_residency(make: Maker, stop4_ns: int, expected: list[str]) -> None:
    table = only(edited("power9", {"stop4": {"residency_ns": stop4_ns}}), "stop0", "stop4", "stop5")
    findings = found("IS411", make(table, "4.10", "4.11", "6.1"))
    assert [f.message.split()[4] for f in findings] == expected
    for finding in findings:
        assert "not to the deeper stop5 (level 5, ESL=1 against level 4, ESL=1)" in finding.message
        # 4.8 to 4.10 go by the level
        assert (finding.severity, finding.kernels) == (WARNING, ("4.11", "6.1"))


def test_deepest_counts_only_what_the_kernel_accepts() -> None:
    invalid = edited("power9", {"stop5": {"ec": 0}})
    assert found("IS411", subject(invalid)) == []
    # POWER10 has no driver for what loses full context
    deep = edited("power10", {"stop3": {"flags": DEEP_TB}})
    assert found("IS411", subject(deep, "6.1")) == []
    long = edited("power10", {"stop2": {"residency_ns": 500_000}})
    (finding,) = found("IS411", subject(long, "6.1"))
    assert "not to the deeper stop3" in finding.message
    # 0xf: the kernel makes EC of it itself
    old = {"mask": 0xF, "control": 0x200005, "residency_ns": 9_000_000}
    (finding,) = found("IS411", subject(edited("power9", {"stop5": old}), "6.1"))
    assert "not to the deeper stop5" in finding.message


def test_a_lite_state_is_lighter_than_its_level() -> None:
    table = edited("power9-dd1", {"stop1": {"residency_ns": 49_000}})
    (finding,) = found("IS411", subject(table, "6.1"))
    assert "stop1_lite" in finding.message
    assert "level 1, ESL=1 against level 1, ESL=0" in finding.message


# IS412


@FORMS
@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("3.17", "100 us"),
        ("3.18", "40 us"),
        ("4.10", ""),
        ("4.11", "100 us"),
        ("4.18", "100 us"),
        ("4.19", ""),
    ],
)
def test_residency_of_the_drivers_own(make: Maker, kernel: str, expected: str) -> None:
    table = edited("power8", {"nap": {"residency_ns": 50_000}})
    findings = [f for f in found("IS412", make(table, kernel)) if f.message.startswith("nap")]
    assert len(findings) == bool(expected)
    for finding in findings:
        assert finding.message == (
            f"nap's residency of 50us is not used; this kernel has {expected}"
        )
        assert finding.severity is NOTE


def test_the_drivers_own_value_may_coincide() -> None:
    assert found("IS412", subject(find("power8"), "4.11")) == []
    rounded = edited("power8", {"nap": {"residency_ns": 50_001}})
    assert found("IS412", subject(rounded, "4.10", "4.19")) == []


# all of them


def refused_by(table: IdleTable) -> tuple[str, ...]:
    """The default kernels older than the first that takes the table's processor."""
    version = table.cpu.processor.version(table.cpu.pvr) if table.cpu else None
    first = version.linux.release if version and version.linux else ""
    return tuple(k for k in DEFAULT if first and release(k).version < version_key(first))


@pytest.mark.parametrize("name", tuple(current()))
def test_what_fires_on_todays_tables(name: str) -> None:
    refused = refused_by(find(name))
    for made in (subject(find(name)), as_c(find(name))):
        findings = all_found(made)
        if made.form == "c" and name in ("power8", "power9-dd1"):
            # C cannot say that a state is for offlined CPUs only
            assert [(f.rule, f.severity) for f in findings] == [("IS404", NOTE)]
        elif refused and made.form == "spec":
            assert [(f.rule, f.severity) for f in findings] == [("IS408", NOTE)]
            assert findings[0].kernels == refused
        else:
            assert findings == []


@pytest.mark.parametrize("name", tuple(current()))
def test_no_kernel_and_no_form_upsets_the_rules(name: str) -> None:
    """Every release is run, and errors come from none of today's tables."""
    kernels = [kernel.name for kernel in all_releases()]
    findings = all_found(subject(find(name), *kernels))
    assert max((f.severity for f in findings), default=NOTE) < ERROR
    assert all(set(f.kernels) <= set(kernels) for f in findings)


@pytest.mark.parametrize("cut", range(1, 9))
@pytest.mark.parametrize("name", [dt.NAMES, *dt.CELL_BYTES])
def test_damaged_trees_are_judged_without_mishap(name: str, cut: int) -> None:
    """The kernel may know of more states than the table has rows."""
    table = find("power9")
    properties = encode(table.states, table.register)
    if name in properties:
        properties[name] = properties[name][:-cut]
    for finding in all_found(tree(properties, table.cpu, "4.4", "4.12", "6.1")):
        assert finding.location.path


# IS422, IS423


@FORMS
@pytest.mark.parametrize(("kernel", "fires"), [("3.15", 1), ("3.17", 1), ("3.18", 0), ("6.1", 0)])
def test_latency_that_the_driver_has_built_in(make: Maker, kernel: str, fires: int) -> None:
    findings = found("IS422", make(find("power8"), kernel))
    # from 3.19 on there is fast sleep with the workaround; its 40 us are the table's
    assert states_of(findings) == ["nap"] * fires
    assert all(
        "of 4us, which this kernel does not use: it has 10 us" in f.message for f in findings
    )
    equal = edited("power8", {"nap": {"latency_ns": 10_000}})
    assert found("IS422", make(equal, kernel)) == []
    rounded = edited("power8", {"nap": {"latency_ns": 10_999}})
    assert found("IS422", make(rounded, kernel)) == []


@FORMS
@pytest.mark.parametrize(("kernel", "fires"), [("4.7", 0), ("4.8", 1), ("4.10", 1), ("4.11", 0)])
def test_mask_that_the_kernel_does_not_read(make: Maker, kernel: str, fires: int) -> None:
    table = only(find("power9"), "stop0_lite", "stop1")
    assert states_of(found("IS423", make(table, kernel))) == ["stop0_lite", "stop1"] * fires
    whole = edited("power9", {"stop1": {"control": 0x3F03F1, "mask": 0x3F03FF}})
    assert found("IS423", make(only(whole, "stop1"), kernel)) == []
    narrower = edited("power9", {"stop1": {"control": 0x3F03F1, "mask": 0x3003FF}})
    assert states_of(found("IS423", make(only(narrower, "stop1"), kernel))) == ["stop1"] * fires
