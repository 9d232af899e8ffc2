"""check --fix: what is mended, what is left, and that nothing else changes."""

import difflib
from pathlib import Path

import pytest

from idle_states.cli import main
from idle_states.tables.sources import read_table

SPEC = """\
# a comment
name: mine
extends: power9
override:
  stop0: {residency: 50us}            # level with stop1
  stop1: {mask: [rl,  mtl, tr]}   # another
  stop2:
    mask: 0x3000FF
    latency: 10us
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(SPEC)


def masks(name: str) -> list[int]:
    table = read_table(name).table
    assert table is not None
    return [state.mask for state in table.states]


def changed(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "+-"]


def test_a_spec_keeps_all_but_its_masks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "mine.yaml", "--diff"]) == 1
    assert Path("mine.yaml").read_text() == SPEC
    shown = capsys.readouterr().out
    assert "+  stop1: {mask: [rl, mtl, tr, ec, esl]}   # another\n" in shown
    assert "+    mask: 0x3003ff\n" in shown
    assert main(["check", "mine.yaml", "--fix"]) == 0
    after = Path("mine.yaml").read_text()
    assert changed(SPEC, after) == [
        "-   stop1: {mask: [rl,  mtl, tr]}   # another",
        "+   stop1: {mask: [rl, mtl, tr, ec, esl]}   # another",
        "-     mask: 0x3000FF",
        "+     mask: 0x3003ff",
    ]
    out = capsys.readouterr().out
    assert "IS203" in out, "a tie is shown and left"
    assert "IS30" not in out
    assert main(["check", "mine.yaml", "--fix"]) == 0
    assert Path("mine.yaml").read_text() == after


def test_c_is_edited_by_the_patch_engine() -> None:
    main(["generate", "mine.yaml", "--to", "c", "-o", "slw.c"])
    before = Path("slw.c").read_bytes() + b"/* \xff */\n"
    Path("slw.c").write_bytes(before)
    assert main(["check", "slw.c", "--fix"]) == 0
    after = Path("slw.c").read_bytes()
    assert set(masks("slw.c")) == {0x3003FF}
    lines = changed(before.decode("latin-1"), after.decode("latin-1"))
    assert len(lines) == 4
    assert all("pm_ctrl_reg_mask" in line for line in lines)


def test_both_tables_of_a_file_are_mended() -> None:
    for name in ("one", "two"):
        Path("mine.yaml").write_text(
            SPEC.replace("mine", name) + f"firmware: {{array: {name}_cpu_idle_states}}\n"
        )
        main(["generate", "mine.yaml", "--to", "c", "-o", f"{name}.c"])
    Path("both.c").write_text(Path("one.c").read_text() + Path("two.c").read_text())
    main(["check", "both.c", "--fix"])
    for name in ("one", "two"):
        assert set(masks(f"both.c:{name}_cpu_idle_states")) == {0x3003FF}


@pytest.mark.parametrize(
    "text",
    [
        # bits beyond the fields: the value may be what is wrong
        "  stop1: {mask: [rl], psscr: 0x700331}\n",
        # where the mask stands is another file's, or nowhere
        "  stop1: {latency: 5us}\n",
        "  stop1:\n    mask:\n      - rl\n      - tr\n",
        "  # idle-states: ignore[IS308,IS307] on purpose\n  stop1: {mask: [rl]}\n",
    ],
)
def test_what_has_no_one_answer_is_left(text: str) -> None:
    spec = f"name: mine\nextends: power9\noverride:\n{text}"
    Path("mine.yaml").write_text(spec)
    main(["check", "mine.yaml", "--fix"])
    assert Path("mine.yaml").read_text() == spec


def test_what_is_left_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.yaml").write_text(SPEC + "  stop4:\n    mask:\n      - rl\n      - tr\n")
    Path("kid.yaml").write_text("name: kid\nextends: mine\n")
    assert main(["check", "kid.yaml", "mine.yaml", "--diff"]) == 1
    errors = capsys.readouterr().err
    assert "2 masks in 1 file can be corrected" in errors
    assert [row for row in errors.splitlines() if ": left: " in row] == [
        "idle-states: mine.yaml:12:7: left: --fix edits a mask on one line of a checked file whose "
        "value sets no other bits"
    ]
    # inherited: each mask stands in a file that was not given
    assert main(["check", "kid.yaml", "--fix"]) == 1
    errors = capsys.readouterr().err
    assert "nothing here can be corrected automatically" in errors
    assert [place in errors for place in ("mine.yaml:6:", "mine.yaml:8:", "mine.yaml:12:")] == [
        True
    ] * 3


def test_findings_that_are_none_of_fix_are_pointed_at(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.yaml").write_text("name: mine\nextends: power9\noverride: {stop1: {latency: 0}}\n")
    assert main(["check", "mine.yaml", "--diff"]) == 1
    assert "check without --diff shows them" in capsys.readouterr().err


def test_a_packaged_spec_is_not_taken_for_one_beside(tmp_path: Path) -> None:
    Path("specs").mkdir()
    Path("specs/power9.yaml").write_text(SPEC)
    main(["check", "power9", "--fix"])
    assert Path("specs/power9.yaml").read_text() == SPEC


def test_a_mask_that_a_macro_makes_is_left_and_the_macro_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = """\
#define MASK .pm_ctrl_reg_mask = 0xff
struct cpu_idle_states power9_cpu_idle_states[] = {
{ .name = "stop0", .latency_ns = 1000, .residency_ns = 2000, .flags = OPAL_PM_STOP_INST_FAST,
  .pm_ctrl_reg_val = 0x100331, MASK },
};
"""
    Path("slw.c").write_text(text)
    assert main(["check", "slw.c", "--fix"]) == 1
    said = "slw.c:4:32: left: the macro MASK makes it; change it by hand\n"
    assert said in capsys.readouterr().err
    assert Path("slw.c").read_text() == text
