"""review --html: the states of kernels before and after, commits, and findings by their place."""

import json
from pathlib import Path

import pytest

from idle_states.cli import main
from tests.support.git_history import History
from tests.support.html_pages import Node, parse
from tests.support.reviewed import AFTER, c_of, run

Capture = pytest.CaptureFixture[str]
KERNELS = ("--kernel", "4.11,6.1", "--runs", "0")


def page_of(history: History, capsys: Capture, into: Path, *words: str) -> Node:
    status, _ = run(capsys, history, *words, "--html", str(into / "page.html"), "-o", "/dev/null")
    assert status in (0, 1)
    return parse((into / "page.html").read_text())


def headline(page: Node) -> list[str]:
    return [line.text for line in page.all("div", "headline")[0].all("p")]


def test_what_kernels_register_differently_is_marked(
    stop0_lite: History, capsys: Capture, tmp_path: Path
) -> None:
    """In the picture and in its table, as JSON has it."""
    found = json.loads(run(capsys, stop0_lite, *KERNELS, "--format", "json")[1])
    (table,) = found["changes"][0]["tables"]
    assert len(table["linux"]) > 1
    page = page_of(stop0_lite, capsys, tmp_path, *KERNELS)
    (figure,) = page.all("figure")
    head, *rows = figure.all("tr")
    marked = {
        (kernel.text, row.children[0].text, cell.text)
        for row in rows
        for kernel, cell in zip(head.children[1:], row.children[1:], strict=True)
        if cell.all("strong")
    }
    assert marked == {
        (f"Linux {each['kernels'][0]}", moved["path"].removeprefix("states."),
         f"{moved['a']} → {moved['b']}")
        for each in table["linux"]
        for moved in each["differences"]
        if moved["path"].startswith("states.")
    }  # fmt: skip
    lines = [line.attributes["class"] for line in figure.all("line")]
    # and one of the legend
    assert lines.count("marked") == len(marked) + 1
    assert headline(page)[0] == "1 table is affected, no error."


def test_each_commit_has_a_row(stop0_lite: History, capsys: Capture, tmp_path: Path) -> None:
    stop0_lite.commit({"hw/slw.c": c_of(AFTER, "power9-mambo")}, "slw: Add mambo")
    stop0_lite.commit({"README": "nothing of states"}, "readme: Begin")
    words = ("HEAD~3..HEAD", "--per-commit", *KERNELS)
    _, told = run(capsys, stop0_lite, *words, "--format", "json")
    changes = json.loads(told)["changes"]
    _, *rows = page_of(stop0_lite, capsys, tmp_path, *words).all("table")[0].rows()
    assert [row[0].partition(" ")[2] for row in rows] == [
        "slw: Modify stop0_lite",
        "slw: Add mambo",
    ]
    for row, change in zip(rows, changes, strict=True):
        fixed = sum(len(table["fixed"]) for table in change["tables"])
        assert row[1].startswith("1 table changed: ")
        assert row[1].endswith(f", {fixed} fixed.")
    whole = page_of(stop0_lite, capsys, tmp_path, "HEAD~3..HEAD", *KERNELS)
    assert whole.all("table")[0].rows()[0] == ["Commit", "Date"]


def test_one_page_is_of_one_review(stop0_lite: History, capsys: Capture, tmp_path: Path) -> None:
    mail = tmp_path / "one.mbox"
    mail.write_text(stop0_lite.git("format-patch", "--stdout", "HEAD~1..HEAD"))
    (tmp_path / "replies").mkdir()
    words = ["review", str(mail), "--format", "reply", "-o", str(tmp_path / "replies")]
    assert main([*words, "--html", str(tmp_path / "page.html")]) == 2
    assert "found a folder of replies" in capsys.readouterr().err
