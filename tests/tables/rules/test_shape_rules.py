"""IS1xx beyond their pages: each property in turn, boundary counts, processors and kernels."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from idle_states.base.model import power_mgt as dt
from idle_states.base.model.table import IdleTable, Register
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import Subject
from idle_states.tables.spec.library import find
from tests.support.subjects import KERNELS, POWER8, POWER9, fired, node_of, rows, severities, tree

ARRAYS = (dt.NAMES, dt.LATENCIES, dt.RESIDENCIES, dt.FLAGS)
ON_POWER9 = (*ARRAYS, dt.PSSCR, dt.PSSCR_MASK)
ON_POWER8 = (*ARRAYS, dt.PMICR, dt.PMICR_MASK)
STATES_9 = 8
STATES_8 = 3


def without(properties: Mapping[str, bytes], *names: str) -> dict[str, bytes]:
    return {name: data for name, data in properties.items() if name not in names}


def cut(properties: Mapping[str, bytes], name: str, size: int) -> dict[str, bytes]:
    return {**properties, name: properties[name][:-size]}


def on_power9(properties: Mapping[str, bytes]) -> Subject:
    return tree(properties, POWER9)


def on_power8(properties: Mapping[str, bytes]) -> Subject:
    return tree(properties, POWER8)


@pytest.mark.parametrize("code", [f"IS1{number:02}" for number in range(1, 17)])
@pytest.mark.parametrize(("name", "make"), [("power9", on_power9), ("power8", on_power8)])
def test_whole_tree_is_clean(
    code: str, name: str, make: Callable[[Mapping[str, bytes]], Subject]
) -> None:
    assert fired(code, make(node_of(name))) == []


@pytest.mark.parametrize("name", [name for name in ON_POWER9 if name not in (dt.NAMES, dt.FLAGS)])
def test_short_array_on_power9(name: str) -> None:
    subject = on_power9(cut(node_of("power9"), name, dt.CELL_BYTES[name]))
    (finding,) = fired("IS101", subject)
    assert str(finding.severity) == "error"
    assert finding.location.path == f"/ibm,opal/power-mgt:{name}"
    assert f"expected {STATES_9} entries in {name}" in finding.message
    assert f"found {STATES_9 - 1}" in finding.message


def test_empty_array_is_short() -> None:
    subject = on_power9({**node_of("power9"), dt.LATENCIES: b""})
    assert "found 0" in fired("IS101", subject)[0].message


def test_short_flags_make_the_others_long() -> None:
    subject = on_power9(cut(node_of("power9"), dt.FLAGS, 4))
    assert fired("IS101", subject) == []
    assert len(fired("IS115", subject)) == len(ON_POWER9) - 1


@pytest.mark.parametrize("name", [dt.PMICR, dt.PMICR_MASK])
def test_pmicr_is_only_a_warning(name: str) -> None:
    short = on_power8(cut(node_of("power8"), name, 8))
    assert severities("IS101", short) == ["warning"]
    absent = on_power8(without(node_of("power8"), name))
    assert severities("IS102", absent) == ["warning"]


@pytest.mark.parametrize("name", ON_POWER9)
def test_missing_property_on_power9(name: str) -> None:
    (finding,) = fired("IS102", on_power9(without(node_of("power9"), name)))
    assert str(finding.severity) == "error"
    assert name in finding.message


def test_missing_flags_leave_nothing_to_count() -> None:
    subject = on_power9(without(node_of("power9"), dt.FLAGS))
    for code in ("IS101", "IS104", "IS105", "IS107", "IS115"):
        assert fired(code, subject) == [], code


@pytest.mark.parametrize(
    ("kernels", "severity", "named"),
    [
        (("4.18",), "warning", ()),
        (("4.19",), "error", ("4.19",)),
        (("4.18", "4.19", "6.1"), "error", ("4.19", "6.1")),
    ],
)
def test_missing_residency_on_power8(
    kernels: tuple[str, ...], severity: str, named: tuple[str, ...]
) -> None:
    subject = on_power8(without(node_of("power8"), dt.RESIDENCIES))
    subject.kernels = tuple(release(name) for name in kernels)
    (finding,) = fired("IS102", subject)
    assert (str(finding.severity), finding.kernels) == (severity, named)


def test_only_the_residency_of_power8_was_ever_optional() -> None:
    for subject in (
        on_power9(without(node_of("power9"), dt.RESIDENCIES)),
        on_power8(without(node_of("power8"), dt.LATENCIES)),
    ):
        subject.kernels = (release("4.18"),)
        (finding,) = fired("IS102", subject)
        assert (str(finding.severity), finding.kernels) == ("error", ())


@pytest.mark.parametrize(
    ("name", "data", "fires"),
    [
        (dt.LATENCIES, b"\0" * 31, True),
        (dt.LATENCIES, b"\0" * 32, False),
        (dt.LATENCIES, b"\0" * 33, True),
        (dt.RESIDENCIES, b"\0" * 2, True),
        (dt.FLAGS, b"\0" * 3, True),
        (dt.PSSCR, b"\0" * 60, True),
        (dt.PSSCR_MASK, b"\0" * 64, False),
        (dt.PMICR, b"\0" * 4, True),
        (dt.PMICR_MASK, b"\0", True),
        (dt.STOP_LEVELS, b"", True),
        (dt.STOP_LEVELS, b"\xff" * 3, True),
        (dt.STOP_LEVELS, b"\xff" * 4, False),
        (dt.STOP_LEVELS, b"\xff" * 8, True),
    ],
)
def test_ragged(name: str, data: bytes, fires: bool) -> None:
    subject = tree({**node_of("power9"), name: data})
    found = fired("IS103", subject)
    assert [f.location.path.partition(":")[2] for f in found] == ([name] if fires else [])


def test_ragged_flags_are_not_counted() -> None:
    subject = on_power9(cut(node_of("power9"), dt.FLAGS, 1))
    for code in ("IS101", "IS105", "IS107", "IS115"):
        assert fired(code, subject) == [], code


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({}, "expected ibm,cpu-idle-state-* properties, found none"),
        ({"ibm,pstate-min": b"\0" * 4}, "expected ibm,cpu-idle-state-* properties, found none"),
        (dict.fromkeys(ON_POWER9, b""), f"expected at least one state, found {dt.FLAGS} empty"),
        ({dt.FLAGS: b""}, f"expected at least one state, found {dt.FLAGS} empty"),
    ],
)
def test_no_states_in_a_tree(properties: dict[str, bytes], message: str) -> None:
    subject = on_power9(properties)
    assert [finding.message for finding in fired("IS104", subject)] == [message]


def test_bare_node_is_reported_once() -> None:
    assert fired("IS102", on_power9({})) == []


def test_empty_table() -> None:
    table = replace(find("power9"), states=())
    assert severities("IS104", Subject(table, KERNELS)) == ["error"]


def times(count: int) -> IdleTable:
    return rows(*((1000 * number, 10_000 * number) for number in range(1, count + 1)))


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (9, None),
        (10, "expected at most 9 states, found 10; Linux leaves out s9"),
        (12, "expected at most 9 states, found 12; Linux leaves out s9, s10, s11"),
        (40, "expected at most 9 states, found 40; Linux leaves out s9, s10, s11 and 28 more"),
    ],
)
def test_nine_states(count: int, message: str | None) -> None:
    expected = [message] if message else []
    table = times(count)
    assert [f.message for f in fired("IS105", Subject(table, KERNELS))] == expected
    subject = on_power9(dt.encode(table.states, table.register))
    assert [f.message for f in fired("IS105", subject)] == expected


def test_flags_alone_make_ten_states() -> None:
    (finding,) = fired("IS105", on_power9({dt.FLAGS: b"\0\x10\0\0" * 10}))
    assert finding.message == "expected at most 9 states, found 10"
    assert finding.location.path.endswith(f"{dt.FLAGS}[9]")


def test_stop_levels_matter_on_isa_3_only() -> None:
    assert len(fired("IS106", tree(node_of("power9")))) == 1
    assert fired("IS106", on_power8(node_of("power8"))) == []


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (b"a\0" * 7, "found 7; Linux copies the rest from a null pointer"),
        (b"a\0", "found 1; Linux copies the rest from a null pointer"),
        (b"", "found 0; Linux registers no state"),
        (b"a\0" * 8, None),
        (b"a\0" * 9, None),
    ],
)
def test_names(names: bytes, message: str | None) -> None:
    found = fired("IS107", on_power9({**node_of("power9"), dt.NAMES: names}))
    assert [f.message.partition("flags, ")[2] for f in found] == ([message] if message else [])


def named(*names: str, register: Register = Register.PSSCR) -> IdleTable:
    table = rows(*((1000, 10_000) for _ in names), register=register)
    states = zip(table.states, names, strict=True)
    return replace(table, states=tuple(replace(state, name=name) for state, name in states))


@pytest.mark.parametrize(
    ("name", "in_table", "in_tree"),
    [
        ("a" * 15, None, None),
        ("a" * 16, "skiboot exports it without its NUL", "Linux cuts it to 'aaaaaaaaaaaaaaa'"),
        ("a" * 17, "skiboot's field has 16", "Linux cuts it to 'aaaaaaaaaaaaaaa'"),
        ("\u00e9" * 8, "skiboot exports it without its NUL", None),
        ("\u00e9" * 7, None, None),
    ],
)
def test_long_names(name: str, in_table: str | None, in_tree: str | None) -> None:
    table = named(name)
    found = fired("IS108", Subject(table, KERNELS))
    assert [str(finding.severity) for finding in found] == (["error"] if in_table else [])
    if in_table:
        size = len(name.encode())
        assert found[0].message == (
            f"expected a name of at most 15 bytes, found {name!a} with {size}; {in_table}"
        )
    found = fired("IS108", on_power9(dt.encode(table.states, table.register)))
    assert [str(finding.severity) for finding in found] == (["warning"] if in_table else [])
    if in_tree:
        assert found[0].message.endswith(in_tree)


def test_long_name_before_a_great_latency() -> None:
    table = named("a" * 16)
    for latency_ns, said in ((2**24 - 1, False), (2**24, True)):
        (state, *others) = table.states
        states = (replace(state, latency_ns=latency_ns), *others)
        (found,) = fired("IS108", Subject(replace(table, states=states), KERNELS))
        assert ("takes its latency of 16777216 ns for a part of it" in found.message) == said


def test_names_of_partitions_are_no_firmware_matter() -> None:
    table = named("a" * 16, register=Register.NONE)
    assert severities("IS108", Subject(table, KERNELS)) == ["warning"]


@pytest.mark.parametrize(
    ("names", "fires_at"),
    [
        (("a" * 15,) * 15 + ("b" * 14,), None),
        (("a" * 15,) * 15 + ("b" * 14, "c"), 16),
        (("a" * 15,) * 16, 15),
        (("a" * 15,) * 17, 15),
        (("a" * 15,) * 15 + ("b" * 7, "c" * 6), None),
        (("a" * 15,) * 15 + ("b" * 7, "c" * 7), 16),
    ],
)
def test_name_buffer(names: tuple[str, ...], fires_at: int | None) -> None:
    table = named(*names)
    found = fired("IS109", Subject(table, KERNELS))
    assert [f.location.path for f in found] == (
        [] if fires_at is None else [f"table:states[{fires_at}]"]
    )
    partition = replace(table, register=Register.NONE)
    assert fired("IS109", Subject(partition, KERNELS)) == []


@pytest.mark.parametrize(("count", "fires"), [(255, False), (256, True), (300, True)])
def test_rows_for_a_u8(count: int, fires: bool) -> None:
    assert bool(fired("IS110", Subject(times(count), KERNELS))) is fires


def test_each_repetition_of_a_name() -> None:
    found = fired("IS111", Subject(named("a", "b", "a", "A", "a"), KERNELS))
    assert [f.message for f in found] == [
        "expected each name once, found 'a' as state 0 and 2",
        "expected each name once, found 'a' as state 0 and 4",
    ]
    assert found[0].related[0][0].path == "table:states[0]"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stop0", None),
        ("Shared Cede", None),
        ("~", None),
        ("", "expected a name for state 0, found ''"),
        ("  ", "expected a name for state 0, found '  '"),
        ("a\tb", "expected printable ASCII in a name, found U+0009 in 'a\\tb'"),
        ("a\0b", "expected printable ASCII in a name, found U+0000 in 'a\\x00b'"),
        ("\x7f", "expected printable ASCII in a name, found U+007F in '\\x7f'"),
        ("stop\u00e9", "expected printable ASCII in a name, found U+00E9 in 'stop\\xe9'"),
        ("a\udcff", "expected printable ASCII in a name, found byte 0xff in 'a\\udcff'"),
        ("a\udc80", "expected printable ASCII in a name, found byte 0x80 in 'a\\udc80'"),
        ("a\udd00", "expected printable ASCII in a name, found U+DD00 in 'a\\udd00'"),
        ("a\udc7f", "expected printable ASCII in a name, found U+DC7F in 'a\\udc7f'"),
    ],
)
def test_bad_names(name: str, message: str | None) -> None:
    found = fired("IS112", Subject(named(name), KERNELS))
    assert [finding.message for finding in found] == ([message] if message else [])


def test_a_nul_between_names_is_an_empty_name() -> None:
    subject = on_power9({**node_of("power9"), dt.NAMES: b"a\0\0" + b"b\0" * 6})
    (finding,) = fired("IS112", subject)
    assert finding.location.path == f"/ibm,opal/power-mgt:{dt.NAMES}[1]"


PMICR = {dt.PMICR: b"\0" * 64, dt.PMICR_MASK: b"\0" * 64}
PSSCR = {dt.PSSCR: b"\0" * 24, dt.PSSCR_MASK: b"\0" * 24}


def test_registers_of_another_processor() -> None:
    assert len(fired("IS113", on_power9({**node_of("power9"), **PMICR}))) == 2
    found = fired("IS113", on_power8({**node_of("power8"), **PSSCR}))
    assert len(found) == 2
    assert found[0].message == f"expected no {dt.PSSCR} on power8, found 24 bytes; Linux ignores it"
    assert fired("IS113", tree(node_of("power8"))) == []


@pytest.mark.parametrize("name", [name for name in ON_POWER9 if name != dt.FLAGS])
def test_extra_entries(name: str) -> None:
    properties = node_of("power9")
    extra = b"x\0" if name == dt.NAMES else b"\0" * dt.CELL_BYTES[name]
    subject = on_power9({**properties, name: properties[name] + extra})
    (finding,) = fired("IS115", subject)
    assert str(finding.severity) == "warning"
    assert finding.location.path == f"/ibm,opal/power-mgt:{name}[{STATES_9}]"
    assert f"found {STATES_9 + 1}" in finding.message


def test_absent_arrays_are_not_extra() -> None:
    assert fired("IS115", on_power9({dt.FLAGS: b""})) == []


def test_extra_entries_in_kernels_that_compare() -> None:
    properties = node_of("power8")
    for name, severity in ((dt.LATENCIES, "error"), (dt.PMICR, "warning")):
        subject = on_power8({**properties, name: properties[name] + b"\0" * 8})
        subject.kernels = tuple(release(kernel) for kernel in ("4.11", "4.12", "4.18", "4.19"))
        (finding,) = fired("IS115", subject)
        assert str(finding.severity) == severity
        assert finding.kernels == (("4.12", "4.18") if severity == "error" else ())


@pytest.mark.parametrize(
    ("names", "fires"), [(b"a\0b", True), (b"a", True), (b"a\0", False), (b"", False)]
)
def test_unterminated_names(names: bytes, fires: bool) -> None:
    subject = on_power9({**node_of("power9"), dt.NAMES: names})
    assert bool(fired("IS116", subject)) is fires


@pytest.mark.parametrize("name", ON_POWER8)
def test_every_array_is_needed_on_power8(name: str) -> None:
    subject = on_power8(without(node_of("power8"), name))
    assert [name in finding.message for finding in fired("IS102", subject)] == [True]
    assert len(find("power8").states) == STATES_8
