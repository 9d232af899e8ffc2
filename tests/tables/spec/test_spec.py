"""The spec loader: values, inheritance, and every complaint with its place."""

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.model.table import (
    PSSCR_MASK,
    U32_MAX,
    U64_MAX,
    Cpu,
    IdleState,
    IdleTable,
    Psscr,
    Register,
)
from idle_states.base.model.units import format_time
from idle_states.base.resources import resource
from idle_states.tables.spec import registry
from idle_states.tables.spec.library import find, load, load_held
from idle_states.tables.spec.loaded import LoadedSpec
from idle_states.tables.spec.packaged import current, revisions
from idle_states.tables.spec.suppress import suppressions
from idle_states.tables.spec.write import write
from tests.support.thorough import examples

GOOD = """\
name: example
cpu: {generation: power9, pvr: 0x004e}
register: psscr
states:
  - name: stop0_lite
    latency: 1us
    residency: 10us
    flags: [STOP_INST_FAST]
    psscr: {rl: 0, mtl: 3, tr: 3}
"""


def loaded(tmp_path: Path, text: str, name: str = "example.yaml") -> LoadedSpec:
    file = tmp_path / name
    file.write_text(text, "utf-8")
    return load(file, name)


def complaints(tmp_path: Path, text: str) -> list[tuple[str, int | None, int | None, str]]:
    return [
        (f.rule, f.location.line, f.location.column, f.message)
        for f in loaded(tmp_path, text).findings
    ]


def test_a_good_spec(tmp_path: Path) -> None:
    table = loaded(tmp_path, GOOD).table
    assert table is not None
    assert table.states[0].values() == ("stop0_lite", 1000, 10_000, 0x100000, 0x330, PSSCR_MASK)
    where = table.states[0].where
    assert (where["latency"].line, where["latency"].column, where["latency"].length) == (6, 14, 3)
    assert where["control.mtl"].path == "example:states[0].psscr.mtl"


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("200ns", 200),
        ("2us", 2000),
        ("2.05ms", 2_050_000),
        ("0.001us", 1),
        ("4294967295ns", U32_MAX),
        ("1s", 10**9),
        ("10 ms", 10**7),
        ("0ns", 0),
    ],
)
def test_times(tmp_path: Path, text: str, nanoseconds: int) -> None:
    table = loaded(tmp_path, GOOD.replace("latency: 1us", f"latency: {text}")).table
    assert table is not None
    assert table.states[0].latency_ns == nanoseconds


@pytest.mark.parametrize(
    ("text", "rule", "message"),
    [
        ("200", "IS923", "expected a unit of ns, us, ms or s, found none"),
        (
            "200µs",
            "IS923",
            "expected a unit of ns, us, ms or s, found unit 'µs'; did you mean 'us'?",
        ),
        ("-5us", "IS923", "expected a time of 0 or more, found '-5us'"),
        ("0.0001us", "IS923", "expected a whole number of nanoseconds, found '0.0001us'"),
        (
            "soon",
            "IS923",
            "expected a time with its unit, such as 200ns, 2us or 10ms, found 'soon'",
        ),
        (
            "5s",
            "IS924",
            "expected at most 4294967295 ns (u32 in firmware), found 5s = 5000000000 ns",
        ),
        (
            "[1us]",
            "IS922",
            "expected a time with its unit, such as 200ns, 2us or 10ms, found a list",
        ),
        ("", "IS922", "expected a time with its unit, such as 200ns, 2us or 10ms, found nothing"),
    ],
)
def test_bad_times(tmp_path: Path, text: str, rule: str, message: str) -> None:
    found = complaints(tmp_path, GOOD.replace("latency: 1us", f"latency: {text}"))
    assert [(code, line, said) for code, line, _, said in found] == [(rule, 6, message)]


@pytest.mark.parametrize(
    ("before", "after", "rule", "line", "column", "message"),
    [
        ("latency:", "latencyy:", "IS920", 6, 5, "did you mean 'latency'?"),
        ("[STOP_INST_FAST]", "[STOP_INST_FASD]", "IS925", 8, 13, "did you mean 'STOP_INST_FAST'?"),
        ("mtl: 3", "mtl: 16", "IS924", 9, 25, "expected at most 0xf, found 16"),
        ("mtl: 3", "mtl: three", "IS922", 9, 25, "expected a number of at most 0xf, found 'three'"),
        ("rl: 0", "xx: 0", "IS920", 9, 13, "(rl, mtl, tr,"),
        ("psscr: {", "psscx: {", "IS921", 5, 5, "expected 'psscr' in a state, found none"),
        ("mtl: 3", "mt: 3", "IS920", 9, 20, "did you mean 'mtl'?"),
        ("register: psscr", "register: pscr", "IS925", 3, 11, "did you mean 'psscr'?"),
        ("generation: power9", "generation: power99", "IS925", 2, 19, "expected a generation"),
        ("    residency: 10us\n", "", "IS921", 5, 5, "expected 'residency' in a state"),
        ("name: example\n", "", "IS921", 1, 1, "expected 'name' in a spec, found none"),
        ("{rl: 0, mtl: 3, tr: 3}", "RL0", "IS922", 9, 12, "expected PSSCR fields or a value"),
        ("10us\n", "10us\n    cpuidle: no\n", "IS921", 8, 14, "expected 'reason' in a state"),
        ("10us\n", "10us\n    scope: socket\n", "IS925", 8, 12, "expected a scope"),
        ("10us\n", "10us\n    pmicr: none\n", "IS920", 8, 12, "expected psscr"),
    ],
)
def test_complaints(
    tmp_path: Path, before: str, after: str, rule: str, line: int, column: int, message: str
) -> None:
    found = complaints(tmp_path, GOOD.replace(before, after, 1))
    assert any(
        (code, at, where) == (rule, line, column) and message in said
        for code, at, where, said in found
    ), found


def test_all_complaints_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("1us", "1", 1).replace("10us", "-1us").replace("FAST", "SLOW")
    assert [rule for rule, *_ in complaints(tmp_path, text)] == ["IS923", "IS923", "IS925"]


@pytest.mark.parametrize(
    ("text", "rule", "line", "message"),
    [
        ("", "IS910", 1, "found an empty file"),
        ("- a\n", "IS910", 1, "expected a mapping, found a list"),
        ("a: [1\n\n", "IS910", 1, "did not find expected ',' or ']'"),
        ("a:\n\t- 1\n", "IS910", 2, "expected spaces as indentation, found a tab"),
        ("a: 1\na: 2\n", "IS911", 2, "found 'a' again"),
        ("a: &x 1\nb: *x\n", "IS912", 2, "expected no aliases"),
        ("a: 1\n---\nb: 2\n", "IS910", 2, "expected one document"),
        ("? [a]\n: 1\n", "IS910", 1, "expected a key, found a list"),
        ("a: " + "[" * 30 + "]" * 30, "IS912", 1, "nesting of at most"),
        ("a: " + "[" * 100_000, "IS912", 1, "nesting of at most"),
        ("- " * 100_000 + "x", "IS912", 1, "nesting of at most"),
        ("a:\n" + "- x\n" * 30_000, "IS912", 19_999, "at most 20000 values"),
        ("#" * 300_000, "IS912", 1, "expected at most 262144 bytes"),
        ("a: \x01\n", "IS910", 1, "found character 0x0001"),
    ],
)
def test_unreadable(tmp_path: Path, text: str, rule: str, line: int, message: str) -> None:
    with pytest.raises(Unreadable) as caught:
        loaded(tmp_path, text)
    (finding,) = caught.value.findings
    assert (finding.rule, finding.location.line) == (rule, line)
    assert message in finding.message


def test_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_bytes(b"name: x\ntitle: \xff\n")
    with pytest.raises(Unreadable, match="expected UTF-8, found byte 0xff") as caught:
        load(file)
    assert (caught.value.findings[0].location.line, caught.value.findings[0].location.column) == (
        2,
        8,
    )


def test_inheritance(tmp_path: Path) -> None:
    table = loaded(
        tmp_path,
        """\
name: mine
extends: power9
drop: [stop5, stop8, stop11]
override:
  stop4: {residency: 5ms}
states:
  - name: stop3
    before: stop4
    latency: 50us
    residency: 500us
    flags: [LOSE_USER_CONTEXT, STOP_INST_FAST]
    psscr: {rl: 3, mtl: 3, tr: 3, ec: 1, esl: 1}
""",
    ).table
    assert table is not None
    assert [state.name for state in table.states] == [
        "stop0_lite",
        "stop0",
        "stop1",
        "stop2",
        "stop3",
        "stop4",
    ]
    stop4 = table.states[5]
    assert stop4.residency_ns == 5_000_000
    assert stop4.latency_ns == 100_000
    assert stop4.where["residency"].file == "example.yaml"
    assert stop4.where["latency"].file == str(resource("tables", "specs", "power9.yaml"))
    assert stop4.where["latency"].path == "mine:states[5].latency"
    assert "residency" not in {
        field for field, p in stop4.provenance.items() if p.source == "skiboot 1953b41e1"
    }


@pytest.mark.parametrize(
    ("text", "rule", "message"),
    [
        ("extends: powr9\n", "IS926", "found 'powr9'; did you mean 'power9'?"),
        ("extends: ../power9\n", "IS926", "found '../power9'"),
        ("extends: power9\ndrop: [stop9]\n", "IS927", "found 'stop9'"),
        ("extends: power9\noverride: {stop99: {latency: 1us}}\n", "IS927", "found 'stop99'"),
        ("extends: power9\noverride: [stop4]\n", "IS922", "found a list"),
        ("extends: power9\ndrop: stop4\n", "IS922", "found a scalar"),
    ],
)
def test_broken_inheritance(tmp_path: Path, text: str, rule: str, message: str) -> None:
    result = loaded(tmp_path, "name: mine\n" + text)
    assert result.table is None
    assert any(f.rule == rule and message in f.message for f in result.findings), result.findings


@pytest.mark.parametrize(
    ("files", "cycle"),
    [
        # whatever a spec calls itself, and however long the way round
        ({"a": "name: a\nextends: b\n", "b": "name: b\nextends: a\n"}, "a -> b -> a"),
        ({"a": "name: x\nextends: b\n", "b": "name: y\nextends: a\n"}, "a -> b -> a"),
        ({"a": "extends: a\n"}, "a -> a"),
        ({f"a{n}": f"extends: a{(n + 1) % 30}\n" for n in range(30)}, "a0 -> a1 -> a2"),
        ({"s": "extends: a\n", "a": "extends: b\n", "b": "extends: a\n"}, "a -> b -> a"),
        (
            {"power9": "name: p9b\nextends: power9\n"},
            "power9 -> power9; to extend the packaged power9, give the file another name",
        ),
    ],
)
def test_cycle(tmp_path: Path, files: dict[str, str], cycle: str) -> None:
    for name, text in files.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    held = {f"dir/{name}.yaml": text.encode() for name, text in files.items()}
    first = next(iter(files))
    for result in (load(tmp_path / f"{first}.yaml"), load_held(f"dir/{first}.yaml", held)):
        assert result.table is None
        found = [f for f in result.findings if f.rule == "IS926"]
        assert len(found) == 1, result.findings
        assert f"found a cycle: {cycle}" in found[0].message
        assert found[0].location.line is not None


def test_cycle_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("extends: b\n")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    (finding,) = [f for f in load(tmp_path / "a.yaml").findings if f.rule == "IS926"]
    assert "found a cycle: a -> a" in finding.message


def test_own_name_is_no_cycle(tmp_path: Path) -> None:
    """A spec may call itself what the packaged spec is called that it extends."""
    assert loaded(tmp_path, "name: power9\nextends: power9\n").table is not None


@pytest.mark.parametrize(("count", "fits"), [(33, True), (34, False)])
def test_ancestors_are_counted(tmp_path: Path, count: int, fits: bool) -> None:
    for number in range(1, count):
        parent = "power9" if number == count - 1 else f"a{number + 1}"
        (tmp_path / f"a{number}.yaml").write_text(f"name: a{number}\nextends: {parent}\n")
    result = load(tmp_path / "a1.yaml")
    messages = [f.message for f in result.findings if f.rule == "IS926"]
    assert bool(result.table) is fits or not messages
    assert messages == [] if fits else "expected at most 32 specs" in messages[0]


def test_a_second_inherited_row_is_a_slip(tmp_path: Path) -> None:
    text = GOOD.replace("name: example", "name: example\nextends: power9")
    result = loaded(tmp_path, text)
    assert [f.rule for f in result.findings] == ["IS927"]


def test_packaged_specs_load_without_complaint() -> None:
    for revision in revisions():
        result = load(revision.file)
        assert result.findings == ()
        assert result.table is not None
        assert result.table.name == revision.name == revision.file.stem
        assert result.table.historical == revision.historical


def test_the_revisions_scripts_rely_on() -> None:
    promised = (
        "power7 power8 power8-nap-only power9 power9-dd1 power9-fused power9-mambo power10 power11 "
        "pseries-dedicated pseries-power10 pseries-shared"
    ).split()
    assert [name for name in current() if name in promised] == promised
    assert {revision.name for revision in revisions() if revision.historical} >= {
        "power8@0768e820e",
        "power9-dd1@84368bbf8",
        "power9@1953b41e1",
        "power9@51974cab7",
        "power9@84368bbf8",
    }


def test_every_value_of_a_current_table_has_a_source() -> None:
    for name in current():
        table = find(name)
        for state in table.states:
            wanted = {"latency", "residency"}
            if table.register is not Register.NONE:
                wanted |= {"flags", str(table.register)}
            assert wanted <= set(state.provenance), (name, state.name)


NAMES = st.text(
    st.characters(min_codepoint=1, max_codepoint=0x2FFF, exclude_categories=["Cs", "Cc"]),
    max_size=20,
)
TIMES = st.integers(0, U32_MAX)
STATES = st.builds(
    IdleState,
    name=NAMES.filter(bool),
    latency_ns=TIMES,
    residency_ns=TIMES | st.none(),
    flags=st.integers(0, U32_MAX),
    control=st.integers(0, U64_MAX),
    mask=st.integers(0, U64_MAX),
    scope=st.sampled_from([None, "thread", "quad"]),
    note=NAMES,
)


@settings(max_examples=examples(37, 75), deadline=None)
@given(
    states=st.lists(STATES, max_size=12, unique_by=lambda state: state.name),
    register=st.sampled_from([Register.PSSCR, Register.PMICR]),
)
def test_writing_and_reading_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, states: list[IdleState], register: Register
) -> None:
    table = IdleTable("t", tuple(states), register, Cpu(registry.named("power9"), 0x4E))
    file = tmp_path_factory.mktemp("spec") / "t.yaml"
    file.write_text(write(table), "utf-8")
    result = load(file)
    assert result.findings == ()
    assert result.table is not None
    assert result.table.same_values(table)
    assert [state.note for state in result.table.states] == [state.note for state in states]


@pytest.mark.parametrize("name", [revision.name for revision in revisions()])
def test_packaged_specs_survive_writing(tmp_path: Path, name: str) -> None:
    table = find(name)
    again = loaded(tmp_path, write(table), f"{name}.yaml").table
    assert again == table
    assert [state.provenance for state in again.states] == [
        dict(state.provenance) for state in table.states
    ]


@settings(max_examples=examples(75, 150), deadline=None)
@given(
    text=st.text(max_size=200)
    | st.lists(st.sampled_from(GOOD.splitlines(keepends=True)), max_size=14).map("".join)
)
def test_no_text_crashes_the_loader(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.mktemp("spec") / "x.yaml"
    file.write_bytes(text.encode("utf-8", "replace"))
    try:
        result = load(file)
    except Unreadable:
        return
    assert result.table is not None or result.findings


@given(value=st.integers(0, U64_MAX))
def test_psscr_fields_cover_the_register(value: int) -> None:
    assert int(Psscr.from_int(value)) == value


@given(nanoseconds=TIMES)
def test_times_are_spelt_exactly(nanoseconds: int) -> None:
    from idle_states.base.model.findings import Location
    from idle_states.base.reading.complaints import SpecProblems
    from idle_states.base.reading.document import Scalar
    from idle_states.base.reading.scalars import time_ns

    problems = SpecProblems()
    assert time_ns(Scalar(format_time(nanoseconds), False, Location()), problems) == nanoseconds
    assert not problems.findings


def test_no_suppression_takes_long() -> None:
    started = time.process_time()
    [found] = suppressions(f"a: 1 # idle-states: ignore[IS203]  a{' ' * 200_000}b  ", "a.yaml")
    assert found.reason == f"a{' ' * 200_000}b"
    assert time.process_time() - started < 2


def block_after(lines: list[str], comment: int) -> tuple[int, int]:
    """The lines that a suppression covers, as its documentation says: the block that begins on the
    next line with a value."""
    values = [
        number
        for number, line in enumerate(lines, start=1)
        if line.strip() and line.strip()[0] != "#"
    ]
    following = [number for number in values if number > comment]
    if not following:
        return comment, comment
    first = last = following[0]
    indent = len(lines[first - 1]) - len(lines[first - 1].lstrip())
    for number in following[1:]:
        if len(lines[number - 1]) - len(lines[number - 1].lstrip()) <= indent:
            break
        last = number
    return first, last


COMMENT = "# idle-states: ignore[IS203] reason"


@given(st.lists(st.sampled_from(["a: 1", "  b: 1", "    c: 1", "  # d", "", COMMENT]), max_size=12))
def test_a_suppression_of_its_own_line_covers_the_next_block(lines: list[str]) -> None:
    found = suppressions("\n".join(lines), "a.yaml")
    assert [each.where.line for each in found] == [
        number for number, line in enumerate(lines, start=1) if line == COMMENT
    ]
    for each in found:
        assert each.where.line is not None
        assert (each.first_line, each.last_line) == block_after(lines, each.where.line)


def test_many_suppressions_do_not_take_long() -> None:
    started = time.process_time()
    found = suppressions(f"{COMMENT}\n" * 7_000 + "a:\n" + "  b: 1\n" * 7_000, "a.yaml")
    assert {(each.first_line, each.last_line) for each in found} == {(7_001, 14_001)}
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "more",
    [
        "override:\n  stop0_lite: {latency: 2us}\n",
        "drop: [stop8]\n",
        "states:\n  - {name: a, before: stop5, latency: 1us, residency: 2us, psscr: {rl: 0}, "
        "flags: [STOP_INST_FAST]}\n",
    ],
)
def test_a_slip_in_extends_is_one_finding(more: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"name: mine\nextends: powr9\n{more}")
    (finding,) = load(file).findings
    assert finding.rule == "IS926"
    assert finding.message.endswith("did you mean 'power9'?")
