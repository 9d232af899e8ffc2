"""show --provenance: each value's place, spec, source and what it replaced."""

import re
from pathlib import Path

from tests.support.commands import Capture, run
from tests.support.html_pages import parse

PARENT = """\
name: parent
extends: power10
firmware: {quirk: one}
override:
  stop2: {residency: 300us, latency: 25us}
"""
CHILD = """\
name: child
extends: parent
firmware: {quirk: two}
override:
  stop2:
    residency: 400us
    provenance:
      residency: {kind: measured, source: a lab, confidence: high}
"""


def rows(capsys: Capture, *words: str) -> dict[tuple[str, ...], str]:
    """(state, value) -> the rest of its row; a row's further lines are added to it."""
    status, out, err = run(capsys, "show", *words, "--kernel", "6.12", "--provenance")
    assert status == 0, err
    _, _, table = out.partition("Every value\n")
    found: dict[tuple[str, ...], str] = {}
    key: tuple[str, ...] = ()
    for line in table.splitlines()[1:]:
        if line[:1].strip():
            key = tuple(line.split()[:2])
            found[key] = line
        elif key:
            found[key] += line
    return found


def test_through_two_specs(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "parent.yaml").write_text(PARENT)
    (tmp_path / "child.yaml").write_text(CHILD)
    found = rows(capsys, str(tmp_path / "child.yaml"))
    residency, latency = found["stop2", "residency"], found["stop2", "latency"]
    assert f"{tmp_path}/child.yaml:6:16" in residency
    assert " child " in residency
    assert "a lab (measured)" in residency
    first, second = residency.split("300us at")[1], residency.split("200us at")[1]
    assert f"{tmp_path}/parent.yaml:5:22" in first
    assert "power10.yaml:38:16" in second
    assert f"{tmp_path}/parent.yaml:5:38" in latency
    assert " parent " in latency
    assert "none given" in latency
    assert "20us at" in latency
    assert " power10 " in found["stop2", "flags"]


def test_each_value_of_a_packaged_spec_has_a_row(capsys: Capture) -> None:
    found = rows(capsys, "power9")
    states = {state for state, _ in found}
    assert {"stop0_lite", "stop5"} <= states
    for state in states:
        assert {(state, value) for value in ("latency", "residency", "flags", "PSSCR")} <= set(
            found
        )
    assert not [row for row in found.values() if "none given" in row]


def test_only_when_asked(capsys: Capture) -> None:
    _, out, _ = run(capsys, "show", "power9", "--kernel", "6.12")
    assert "Every value" not in out


def test_a_page_has_every_value_without_the_option(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "parent.yaml").write_text(PARENT)
    (tmp_path / "child.yaml").write_text(CHILD)
    spec, page = str(tmp_path / "child.yaml"), tmp_path / "page.html"
    assert run(capsys, "show", spec, "--kernel", "6.12", "--html", str(page))[0] == 0
    *_, table = parse(page.read_text()).all("table")
    head, *body = table.rows()
    assert head == ["State", "Value", "Place", "Spec", "Source", "Replaces"]
    found = {(state, value): rest for state, value, *rest in body}
    assert found.keys() == rows(capsys, spec).keys()
    place, own, source, replaced = found["stop2", "residency"]
    assert (place, own, source) == (f"{spec}:6:16", "child", "a lab (measured)")
    assert re.match(rf"300us at {tmp_path}/parent.yaml:5:22; 200us at ", replaced)
