"""An auditor's questions: which machines have a finding, how many are ill, what lies behind a
digest."""

import hashlib
import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from idle_states.cli import main
from tests.support import ROOT, commands
from tests.support.html_pages import Node, parse
from tests.support.many_machines import ERRORS, MANY, faulty, made
from tests.support.shared import once


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    top = once(tmp_path_factory, "many-machines", made)
    return top / "fleet", faulty(top)


def _audit(*words: str) -> int:
    return main(["audit", *words, "--kernel", "6.12", "--config", "none"])


@pytest.fixture(scope="module")
def page(many: tuple[Path, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("page") / "many.html"
    _audit(str(many[0]), "--html", str(target), "-o", "/dev/null")
    return target


def test_few_errors_come_first_on_a_page_of_many(page: Path, many: tuple[Path, list[str]]) -> None:
    assert page.stat().st_size < 1 << 20
    top = parse(page.read_text())
    (headline,) = top.all("div", "headline")
    first = headline.all("p")[0]
    assert first.text.startswith(f"{ERRORS} of {MANY} inputs have errors: IS201 ")
    assert [span.text for span in headline.all("span")] == ["errors", "warnings", "notes"]
    section = top.all("section")[0]
    assert section.all("h2")[0].text == "Findings, by inputs that have them"
    bars = [bar for bar in section.all("rect") if "band" in str(bar.attributes["class"])]
    kinds = [str(bar.attributes["class"]).removeprefix("band ") for bar in bars]
    assert kinds == sorted(kinds, key=["error", "warning", "note"].index)
    assert kinds.count("error") == 2
    assert float(str(bars[0].attributes["width"]).rstrip("%")) > 20
    labels = [text.text for text in section.all("text", "on")]
    assert labels[0].startswith(f"{ERRORS} error IS201 ")
    # without being asked a page names the machines with errors
    both = "error IS201 sub-microsecond-latency, error IS303 user-context-flag-against-esl"
    assert _to_look_at(section) == [(file, both) for file in many[1]]


def _to_look_at(top: Node) -> list[tuple[str, str]]:
    """(file, its findings)."""
    (named,) = [t for t in top.all("table") if "to look at" in t.all("caption")[0].text]
    below = named.all("caption")[0].text.partition("below ")[2]
    return [(f"{below}/{file}", found) for file, found in named.rows()[1:]]


def test_one_input_is_seen_beside_many() -> None:
    from idle_states.base.report.html import svg

    axis = svg.counts(MANY, "")
    assert axis.at(1) > 5
    assert axis.at(MANY) == 100
    assert [label for _, label in axis.ticks] == ["1", "10", "100", "1,000", "10,000"]
    assert svg.counts(1, "").at(1) == 100


@pytest.mark.parametrize(
    "form", ["text", "json", "jsonl", "sarif", "github", "junit", "html", "sqlite", "parquet"]
)
def test_every_form_names_all_that_have_what_is_asked_for(
    form: str, many: tuple[Path, list[str]], tmp_path: Path
) -> None:
    fleet, having = many
    out = tmp_path / "out"
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    beside = form in ("html", "sqlite", "parquet")
    said = [f"--{form}", str(out), "-o", "/dev/null"] if beside else ["--format", form]
    assert (
        _audit(str(fleet), "--select", "IS201", *said, *([] if beside else ["-o", str(out)])) == 1
    )
    assert _named(form, out) == having


def _named(form: str, out: Path) -> list[str]:
    """The inputs that a report in a form says to have IS201."""
    if form == "sqlite":
        query = (
            "SELECT file FROM inputs JOIN findings USING (audit) WHERE rule = 'IS201' ORDER BY 1"
        )
        with closing(sqlite3.connect(out)) as database:
            return [file for (file,) in database.execute(query)]
    if form == "parquet":
        from pyarrow import parquet

        return [row["file"] for row in parquet.read_table(out).to_pylist() if row["rules"]]
    text = out.read_text()
    if form in ("json", "jsonl"):
        lines = text.splitlines() if form == "jsonl" else []
        inputs = [json.loads(line) for line in lines] or json.loads(text)["inputs"]
        return [
            each["file"] for each in inputs if any(f["rule"] == "IS201" for f in each["findings"])
        ]
    if form == "html":
        return [file for file, found in _to_look_at(parse(text)) if "error IS201 " in found]
    if form == "text":
        lines = text.partition("error IS201 sub-microsecond-latency:\n")[2].splitlines()
        return [line.strip() for line in lines[: lines.index("")]]
    if form == "sarif":
        places = [
            place for each in json.loads(text)["runs"][0]["results"] for place in each["locations"]
        ]
        return [
            place["physicalLocation"]["artifactLocation"]["uri"].removeprefix("file://")
            for place in places
        ]
    sign = "file=([^,]*),title=IS201" if form == "github" else 'classname="([^"]*)" name="IS201'
    return re.findall(sign, text)


def test_questions_of_the_documentation(many: tuple[Path, list[str]], tmp_path: Path) -> None:
    """Queries of docs/howto/auditing.md, as they stand there."""
    fleet, having = many
    _audit(str(fleet), "--sqlite", str(tmp_path / "fleet.db"), "-o", "/dev/null")
    page = (ROOT / "docs/howto/auditing.md").read_text()
    queries = re.findall(r'ask.py "(SELECT [^"]*)"', page)
    with closing(sqlite3.connect(tmp_path / "fleet.db")) as database:
        first, second, third = (database.execute(query).fetchall() for query in queries)
    assert [file for (file,) in first] == having
    assert second == [(MANY - ERRORS, "power9"), (ERRORS, "power9-dd1")]
    assert [file for (file,) in third] == having


def test_a_database_keeps_places_and_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine\nextends: power9-dd1@84368bbf8\n")
    (tmp_path / "bad.dtb").write_bytes(b"\xd0\x0d\xfe\xed" + bytes(40))
    os.link(tmp_path / "bad.dtb", os.fsencode(tmp_path) + b"/\xff.dtb")
    out = tmp_path / "out.db"
    assert _audit(str(tmp_path), "--sqlite", str(out), "-o", "/dev/null") == 3
    with closing(sqlite3.connect(out)) as database:
        kinds = database.execute("SELECT kind, file FROM inputs ORDER BY file").fetchall()
        places = database.execute(
            "SELECT place_file, place_line FROM findings WHERE rule = 'IS201'"
        ).fetchall()
    assert [kind for kind, _ in kinds] == ["unreadable", "unreadable", "spec"]
    assert kinds[0][1].endswith("/\\xff.dtb")
    assert all(file.endswith("power9-dd1@84368bbf8.yaml") and line for file, line in places)
    assert places


@pytest.mark.usefixtures("dtc")
@pytest.mark.parametrize(
    ("source", "included"),
    [
        ('/dts-v1/;\n/include/ "part.dtsi"\n', "/ { };\n"),
        ('/dts-v1/;\n#include "part.dtsi"\n', "/ { };\n"),
        ('/dts-v1/;\n/ { held = /incbin/("part.dtsi"); };\n', "bytes"),
        ("name: mine\nextends: part\n", "name: part\nextends: power9\n"),
    ],
    ids=["include", "preprocessor", "incbin", "parent"],
)
def test_digests_cover_what_is_included(
    source: str, included: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = "extends" in source
    top = tmp_path / ("mine.yaml" if spec else "a.dts")
    part = tmp_path / ("part.yaml" if spec else "part.dtsi")
    top.write_text(source)
    sign = "#" if spec else "//"
    found, wholes = [], []
    for text in (included, f"{included}{sign} more\n", included):
        part.write_text(text)
        _, document = commands.outcome(capsys, "audit", str(top), "--config", "none")
        found.append(document["inputs"][0]["sha256"])
        _, said, _ = commands.run(capsys, "audit", str(top), "--config", "none")
        wholes.append(said.splitlines()[-2])
    assert found[0] == found[2] != found[1]
    assert wholes[0] == wholes[2] != wholes[1]
    listed = [hashlib.sha256(each.read_bytes()).hexdigest() for each in (top, part)]
    assert found[0] == hashlib.sha256("".join(f"{one}\n" for one in listed).encode()).hexdigest()


def test_digest_of_what_includes_nothing_is_that_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    top = tmp_path / "mine.yaml"
    top.write_text("name: mine\nextends: power9\n")
    _, document = commands.outcome(capsys, "audit", str(top), "--config", "none")
    assert document["inputs"][0]["sha256"] == hashlib.sha256(top.read_bytes()).hexdigest()
