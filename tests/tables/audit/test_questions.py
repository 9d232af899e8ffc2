"""An auditor's questions: which machines have a finding, how many are ill, what lies behind a
digest."""

import hashlib
from pathlib import Path

import pytest

from idle_states.cli import main
from tests.support import commands
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
    assert _below(section, "error IS201 sub-microsecond-latency:") == many[1]


def _below(section: Node, head: str) -> list[str]:
    lines = [line.text for part in section.all("ul", "lines") for line in part.all("li")]
    return lines[lines.index(head) + 1 :][:ERRORS]


def test_one_input_is_seen_beside_many() -> None:
    from idle_states.base.report.html import svg

    axis = svg.counts(MANY, "")
    assert axis.at(1) > 5
    assert axis.at(MANY) == 100
    assert [label for _, label in axis.ticks] == ["1", "10", "100", "1,000", "10,000"]
    assert svg.counts(1, "").at(1) == 100


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
        wholes.append(said.splitlines()[-1])
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
