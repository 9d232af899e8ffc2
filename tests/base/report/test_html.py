"""--html: what is on the pages, that nothing of an input becomes markup, and that they last."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states import __version__
from idle_states.base.model.findings import Finding, Location, Severity
from idle_states.base.report import sheet_text
from idle_states.base.report.escapes.text import printable
from idle_states.base.report.html import page, svg
from idle_states.base.report.sheet import FindingsPart, Lines, Section, Sheet
from idle_states.base.report.style import Style
from idle_states.base.resources import resource
from idle_states.cli import main
from idle_states.lab.tune import sheet as tune_sheet
from idle_states.lab.tune.tuning import Tuning
from idle_states.tables.linux.governors import State
from idle_states.tables.linux.releases import release
from idle_states.tables.selection import sheet as select_sheet
from idle_states.tables.selection.answer import Selections
from idle_states.tables.selection.selection import TableSelection, select
from tests.support.html_pages import COMMANDS, DATA, TRACE, Node, make, make_all, parse
from tests.support.shared import once
from tests.support.thorough import examples

PICTURES = {
    "show": ["How far each state gets", "Exit latency and target residency"],
    "show-x86": ["How far each state gets", "Exit latency and target residency"],
    "show-tree": ["How far each state gets", "Exit latency and target residency"],
    "show-machine": ["How far each state gets", "Exit latency and target residency"],
    "why": ["How far each state gets"],
    "select": ["Idle length and selected state", "Exit latency and target residency"],
    "kernels": ["Releases that change something"],
    "prove": ["The history that leads to snooze", "The history that leads to stop0_lite"],
    "replay": [
        "Share of idle time by state",
        "Share of idle time by state and CPU",
        "The first 120 idle periods: states entered, and selected",
        "Idle periods whose state did not fit their length",
        "Exit latency paid, as the kernel holds it",
        "Energy, s awake",
        "Energy, s in snooze",
    ],
    "check": ["Exit latency and target residency"],
    "audit": [
        "Exit latency and target residency",
        "What is selected for steady idles that an interrupt ends",
    ],
    "fleet": ["Inputs with a finding"],
    "simulate": [
        "Wake-ups per second",
        "Wake-up to first instruction",
        "Idle periods whose state did not fit their length",
        "Share of the CPUs' time by state asked for",
        "Wake-ups: power9",
        "Wake-ups: power10",
        "Energy, s in snooze",
    ],
    "tune": [
        "Cost over the target residency of each state",
        "Energy, s awake, against p99 exit latency paid",
        "Share of idle time by state",
    ],
}


AXIS = svg.times([1000, 1_000_000], "time")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "pages", make_all)


@pytest.fixture(scope="module")
def made(folder: Path) -> dict[str, str]:
    return {name: (folder / f"{name}.html").read_text() for name in COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_complete_in_itself(name: str, made: dict[str, str], folder: Path) -> None:
    text = made[name]
    top = parse(text)
    for tag in ("img", "iframe", "object", "form", "base"):
        assert not top.all(tag), tag
    ids = [node.attributes["id"] for node in _flat(top) if "id" in node.attributes]
    assert len({*ids}) == len(ids)
    links = {link.attributes["href"] or "" for link in top.all("a")}
    within = {link for link in links if link.startswith("#")}
    assert {link.removeprefix("#") for link in within} <= {*ids}
    files = [folder / unquote(urlsplit(link).path) for link in links - within]
    assert all(file.is_file() for file in files)
    assert [link.attributes for link in top.all("link")] == [{"rel": "icon", "href": "data:,"}]
    assert "@import" not in text
    assert not re.search(r"url\((?!#h(\d|awake)\))", text)
    assert "//" not in re.sub(r"<(li|td|th|title|h1|h2|span|script)\b.*?</\1>", "", text)
    (policy,) = [
        meta.attributes["content"]
        for meta in top.all("meta")
        if meta.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    (script,) = top.all("script")
    assert script.text == resource("templates", "page.js").read_text()
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    assert policy == (
        "default-src 'none'; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; img-src data:"
    )


def test_script_makes_no_markup_of_words() -> None:
    """And asks for nothing."""
    script = resource("templates", "page.js").read_text()
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval", "Function("):
        assert word not in script
    for word in ("fetch(", "XMLHttp", "import", "://", "</", "<!--"):
        assert word not in script
    assert len(script.splitlines()) <= 250


def test_findings_lead_to_the_pages_of_their_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The links are there where the pages are known; no name of an input is taken for a rule's."""
    links = []
    for home in ("https://docs.example.org/it", ""):
        monkeypatch.setenv("IDLE_STATES_DOCS", home)
        top, _ = _page(COMMANDS["fleet"], tmp_path)
        links.append([a for a in top.all("a") if "IS" in (a.attributes["href"] or "")])
    assert {a.text for a in links[0]} == {"IS420"}
    for each in links[0]:
        assert each.attributes["href"] == f"https://docs.example.org/it/rules/{each.text}.html"
    if not resource("templates").parent.joinpath("build/site").exists():
        assert not links[1]
    monkeypatch.setenv("IDLE_STATES_DOCS", "https://docs.example.org/")
    for words in ("/IS201 x", "aIS201 x", "IS201", "IS2010 x", "IS201: x"):
        sheet = Sheet("t", (), (Section("s", (Lines((words,)),)),))
        assert len(parse(page.render("c", sheet, [])).all("a")) == 1


def test_findings_lead_to_their_inputs_and_places(tmp_path: Path) -> None:
    """The place is in a file that is there; words of the line are its text, not markup."""
    source = tmp_path / "tables: a" / "<b>.yaml"
    source.parent.mkdir()
    line = "  residency: <i>900 ns</i> # a-b, c"
    source.write_text(f"name: a\n{line}\n")
    where = Location("a.residency", str(source), 2, 14, 13)
    related = ((Location("a.latency", str(source), 1, 1), "its latency"),)
    found = Finding("IS201", "named", Severity.ERROR, "too short", where, related=related)
    elsewhere = replace(
        found, location=replace(where, file=str(tmp_path / "none.yaml")), related=()
    )
    part = FindingsPart((found, elsewhere), {str(source): source.read_text()}, notes=False)
    sheet = Sheet("t", (), (Section("Findings", (part,)),))
    (tmp_path / "pages").mkdir()
    made = page.render("c", sheet, [(str(source), "0")], str(tmp_path / "pages/page.html"))
    links = [a for a in parse(made).all("a") if not (a.attributes["href"] or "").startswith("#")]
    address = "../tables%3A%20a/%3Cb%3E.yaml"
    text = "#:~:text=residency%3A%20%3Ci%3E900%20ns%3C%2Fi%3E%20%23%20a%2Db%2C%20c"
    assert [(a.attributes["href"], a.text) for a in links] == [
        (address, f"{source}:1:1"),
        (address + text, f"{source}:2:14"),
        (address, str(source)),
    ]
    assert [mark.text for mark in parse(made).all("mark")] == ["<i>900 ns</i>"]
    unknown = parse(page.render("c", sheet, [(str(source), "0")]))
    assert all((a.attributes["href"] or "").startswith("#") for a in unknown.all("a"))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_picture_has_words_and_a_table(name: str, made: dict[str, str]) -> None:
    top = parse(made[name])
    figures = top.all("figure")
    assert len(figures) == len(top.all("svg", "picture"))
    for figure in figures:
        (drawing,) = figure.all("svg", "picture")
        assert drawing.attributes["role"] == "img"
        assert drawing.children[0].tag == "title"
        assert drawing.children[0].text == figure.all("figcaption")[0].text
        assert drawing.children[1].tag == "desc"
        (table,) = figure.all("table")
        assert len(table.rows()) > 1
        assert len({len(row) for row in table.rows()}) == 1
    if name in PICTURES:
        assert [figure.all("figcaption")[0].text for figure in figures] == PICTURES[name]
    levels = [int(n.tag[1]) for n in _flat(top) if re.fullmatch("h[1-6]", n.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def _flat(node: Node) -> list[Node]:
    return [node, *(below for child in node.children for below in _flat(child))]


@pytest.mark.parametrize("name", COMMANDS)
def test_names_tool_and_inputs(name: str, made: dict[str, str], tmp_path: Path) -> None:
    footer = parse(made[name]).all("footer")[0].text
    assert f"idle-states {__version__}" in footer
    for word in COMMANDS[name]:
        if Path(word).is_file():
            assert hashlib.sha256(Path(word).read_bytes()).hexdigest() in footer
    if name == "fleet":
        for file in (DATA / "trees").iterdir():
            assert hashlib.sha256(file.read_bytes()).hexdigest() in footer


@pytest.mark.parametrize("name", ["show", "select", "replay", "fleet", "simulate", "tune"])
def test_same_bytes_and_same_output(
    name: str, made: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # the way from a page to a file is another in another folder
    again, before = (
        text.replace("../", "") for text in (make(name, tmp_path).read_text(), made[name])
    )
    assert again == before
    status = main([*COMMANDS[name]])
    alone = capsys.readouterr().out
    assert main([*COMMANDS[name], "--html", str(tmp_path / "again.html")]) == status
    assert capsys.readouterr().out == alone


def test_selection_is_that_of_json(
    made: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    main([*COMMANDS["select"], "--format", "json"])
    document = json.loads(capsys.readouterr().out)["map"]
    figure = parse(made["select"]).all("figure")[0]
    # every state of every range is hatched
    bands = figure.all("svg", "picture")[0].all("rect", "hatched")
    assert len(bands) == sum(1 + len(row["also"]) for row in document)
    assert [row[1:] for row in figure.all("table")[0].rows()[1:]] == [
        ["0 to 1 us", "snooze"],
        ["2 to 48 us", "stop0_lite"],
        ["49 to 52 us", "stop0_lite and stop1_lite in turn"],
        ["53 us and more", "stop1_lite"],
    ]


def test_replay_is_that_of_json(made: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    main([*COMMANDS["replay"], "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    top = parse(made["replay"])
    times = figure(top, "Share of idle time by state").all("table")[0].rows()[1:]
    tables = [("as recorded", document["observed"]), *((t["table"], t) for t in document["tables"])]
    assert [row[0] for row in times] == [label for label, _ in tables]
    for row, (_, table) in zip(times, tables, strict=True):
        states = table["total"]["states"]
        whole = sum(state["time_us"] for state in states)
        shares = [f"{100 * state['time_us'] / whole:.2f} %" for state in states]
        assert [cell for cell in row[1:] if cell != "-"] == shares
    by_cpu = figure(top, "Share of idle time by state and CPU").all("table")[0].rows()[1:]
    assert [row[0] for row in by_cpu] == [
        f"CPU {cpu}: {label}" for cpu in document["observed"]["cpus"] for label, _ in tables
    ]
    paid = figure(top, "Exit latency paid").all("table")[0].rows()[1:]
    assert [row[1] for row in paid if row[0].startswith("p99: ")] == [
        f"{table['total']['wake_latency_ns']['p99'] / 1000:g} us" for table in document["tables"]
    ]


def figure(top: Node, caption: str) -> Node:
    """The first with a caption that begins so."""
    return next(f for f in top.all("figure") if f.all("figcaption")[0].text.startswith(caption))


WORKLOAD = [*("tune", "power9", "--workload", "ping-pong"), "--power", "implied"]
TWO_TABLES = [
    *("simulate", "ping-pong", "--table", "power9-dd1@84368bbf8", "--table", "power9-dd1"),
    *("--kernel", "4.11", "--power", "implied", "--duration", "20ms"),
]


def _page(words: list[str], into: Path) -> tuple[Node, str]:
    """A command's page, and its text."""
    target, text = into / "page.html", into / "page.txt"
    assert main([*words, "--html", str(target), "-o", str(text)]) in (0, 1)
    return parse(target.read_text()), text.read_text()


def _columns(text: str, title: str) -> list[list[str]]:
    """Returns the rows of a table in the text, its head first."""
    block = text[text.index(title) :].partition("\n\n")[0]
    return [re.split(r"  +", line.strip()) for line in block.splitlines()[1:]]


def _captioned(top: Node, caption: str) -> list[list[str]]:
    (table,) = [t for t in top.all("table") if t.all("caption")[0].text.startswith(caption)]
    return table.rows()


@pytest.mark.slow
def test_tune_of_a_workload_is_that_of_its_text(tmp_path: Path) -> None:
    top, text = _page([*WORKLOAD, "--duration", "20ms"], tmp_path)
    assert text.splitlines()[0] in [item.text for item in top.all("li")]
    told = {row[0]: row[1:] for row in _columns(text, "Tables\n")}
    assert float(told["work counted"][0]) > 0
    found = {row[0]: row[1:] for row in _captioned(top, "Tables")}
    for name in ("energy per 1000 units of work, s in snooze", "work counted"):
        assert found[name] == told[name]
    plotted = figure(top, "Energy")
    points = [g for g in plotted.all("svg", "picture")[0].all("g") if g.all("title")]
    tips = [point.all("title")[0].text for point in points]
    energy = told["energy per 1000 units of work, s in snooze"][0]
    assert any(f"energy per 1000 units of work, s in snooze: {energy};" in tip for tip in tips)
    labels = [t.text for t in plotted.all("text", "tick")]
    most = max(map(float, energy.split(" to ")))
    assert max(float(t) for t in labels if re.fullmatch(r"[\d.]+", t)) >= most


def test_how_long_to_poll_is_that_of_the_text(made: dict[str, str], tmp_path: Path) -> None:
    _, text = _page(COMMANDS["tune"], tmp_path)
    head, *rows = _captioned(parse(made["tune"]), "How long to poll before a state")
    told = _columns(text, "How long to poll")
    assert [word.upper() for word in head] == [word.upper() for word in told[0]]
    assert rows == told[1:]
    assert len(rows) > 2


def test_doubts_of_tune_are_those_of_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Tuning] = []
    original = tune_sheet.sheet

    def sheet(tuning: Tuning) -> Sheet:
        seen.append(tuning)
        return original(tuning)

    monkeypatch.setattr(tune_sheet, "sheet", sheet)
    _page(COMMANDS["tune"], tmp_path)
    tuning = seen[0]
    tuned = tuning.tuned
    others = [each for each in tuned.front if each.candidate != tuned.best.candidate]
    doubtful = replace(
        tuned, if_low=others[0], if_high=others[0], even=replace(tuned.even, feasible=False)
    )
    for one, count in ((tuning, 0), (replace(tuning, tuned=doubtful), 3)):
        text = sheet_text.text(original(one), Style(False))
        doubts = re.findall("^  (with all figures .*|break-evens cost .*)$", text, re.MULTILINE)
        lines = [item.text for item in parse(page.render("tune", original(one), [])).all("li")]
        assert len(doubts) == count
        assert [line for line in lines if line.startswith(("with all", "break-evens"))] == doubts


def test_what_was_simulated_is_plotted(tmp_path: Path) -> None:
    """Energies have the ranges that their table has, and wake-ups what they waited."""
    top, _ = _page(TWO_TABLES, tmp_path)
    waited = [row[1] for row in _captioned(top, "Wake-up to first") if row[0].startswith("p99: ")]
    assert waited == ["1.903 us", "603 ns"]
    drawn = figure(top, "Energy, s in snooze")
    head, *_ = rows = _captioned(top, "Energy of the machine")
    (total,) = (row for row in rows if row[0] == "total")
    for row, cell in zip(drawn.all("table")[0].rows()[1:], total[1:], strict=True):
        low, high = sorted(map(float, cell.split(" to "))) if " to " in cell else [float(cell)] * 2
        assert [float(each) for each in row[2:]] == pytest.approx([low, high], rel=1e-4)
    assert [row[0] for row in drawn.all("table")[0].rows()[1:]] == head[1:]
    assert "exit latency" not in top.all("main")[0].text.partition("resting on this")[0]


@pytest.mark.parametrize("name", ["replay", "tune"])
def test_exit_latencies_are_called_so(name: str, made: dict[str, str]) -> None:
    top = parse(made[name])
    shown = [n.text for tag in ("figcaption", "th", "desc", "text") for n in top.all(tag)]
    assert not [words for words in shown if "wake latency" in words]
    assert any("exit latency paid, as the kernel holds it" in words.lower() for words in shown)


@pytest.mark.parametrize("words", [COMMANDS["replay"], COMMANDS["tune"], TWO_TABLES])
def test_unit_is_explained_once(words: list[str], tmp_path: Path) -> None:
    top, _ = _page(words, tmp_path)
    lines = [item.text for item in top.all("li") if re.search("energy (?:is )?in .", item.text)]
    # of a trace, idle periods alone are in s of awake CPUs, with running ones in s in snooze
    assert len(set(lines)) == len(lines) == (2 if words == COMMANDS["replay"] else 1)


def test_energies_start_at_zero(tmp_path: Path) -> None:
    for words in (TWO_TABLES, COMMANDS["tune"]):
        top, _ = _page(words, tmp_path)
        (figure,) = [f for f in top.all("figure") if "Energy" in f.all("figcaption")[0].text]
        labels = [t.text for t in figure.all("text", "tick")]
        numbers = [float(t) for t in labels if re.fullmatch(r"-?[\d.]+", t)]
        assert min(numbers) == 0
        assert len(numbers) > 2


def _hatchings(figure: Node) -> dict[str, set[str | None]]:
    """State -> the hatchings of its bands, by what a pointer is told."""
    found: dict[str, set[str | None]] = {}
    for group in figure.all("svg", "picture")[0].all("g"):
        name = group.all("title")[0].text.partition(":")[0]
        found.setdefault(name, set()).update(
            rect.attributes["fill"] for rect in group.all("rect") if "fill" in rect.attributes
        )
    return found


def test_simulated_states_have_the_kernels_numbers(tmp_path: Path) -> None:
    top, _ = _page(TWO_TABLES, tmp_path)
    times = figure(top, "Share of the CPUs' time")
    assert _legend(times) == ["awake", "0 snooze", "1 stop0_lite", "2 stop1_lite"]
    assert _hatchings(times) == {
        "awake": {"url(#hawake)"},
        "snooze": {"url(#h0)"},
        "stop0_lite": {"url(#h1)"},
        "stop1_lite": {"url(#h2)"},
    }
    patterns = top.all("pattern")
    assert [p.attributes["id"] for p in patterns] == [*(f"h{n}" for n in range(10)), "hawake"]
    paths = [[path.attributes["d"] for path in pattern.all("path")] for pattern in patterns]
    assert all(paths.count(path) == 1 for path in paths)


def test_replayed_states_have_the_numbers_of_their_table(made: dict[str, str]) -> None:
    """The legend says whose state it is where tables differ."""
    top = parse(made["replay"])
    legend = _legend(figure(top, "Share of idle time by state"))
    assert legend[:3] == [
        "0 snooze",
        "1 stop0_lite",
        "2 stop0 (as recorded; power9), stop1_lite (power9-dd1@84368bbf8)",
    ]
    assert len(legend) == 7
    times = figure(top, "Share of idle time by state")
    assert _hatchings(times)["stop1_lite"] == {"url(#h2)"}


def test_selected_states_have_the_numbers_of_their_kernel(tmp_path: Path) -> None:
    words = ["select", "power9", "--against", "power9-dd1@84368bbf8", "--kernel", "4.11,6.1"]
    figure = _page(words, tmp_path)[0].all("figure")[0]
    legend = _legend(figure)
    assert legend[1] == "1 stop0_lite"
    assert legend[2] == "2 stop0 (power9), stop1_lite (power9-dd1@84368bbf8)"
    taken = {
        group.all("title")[0].text.partition(": ")[2]: {
            rect.attributes["fill"] for rect in group.all("rect", "hatched")
        }
        for group in figure.all("svg", "picture")[0].all("g")
        if group.all("title")
    }
    assert taken["stop1_lite"] == {"url(#h2)"}


def _legend(figure: Node) -> list[str]:
    return [item.text.strip() for item in figure.all("ul", "legend")[0].all("li")]


def test_energy_without_a_total(tmp_path: Path) -> None:
    """Says so, and which figures are missing."""
    target = tmp_path / "page.html"
    words = [*("--table", "power9", "--power", "snooze=1"), "--html", str(target)]
    main(["replay", TRACE, *words, "-o", "/dev/null"])
    (section,) = [
        section
        for section in parse(target.read_text()).all("section")
        if section.all("h2")[0].text == "Energy of the idle time"
    ]
    assert not section.all("figure")
    assert "- no figures for stop" in section.text


def test_changes_are_told(made: dict[str, str]) -> None:
    top = parse(made["select-kernels"])
    title = "From power9, Linux 4.11 to power9: menu of Linux 6.1, HZ 250"
    (section,) = [s for s in top.all("section") if s.all("h2")[0].text == title]
    first = section.all("table")[0].rows()
    assert first[0] == ["Map", "Idle length or timer", "Change"]
    stopped = "Idle ended by an interrupt, timer 10 s away, tick stopped"
    assert [stopped, "0 to 9 us", "snooze -> stop5"] in first


def test_what_differs_from_the_first_kernel_is_underlined(made: dict[str, str]) -> None:
    """The marks are where the text tells of a difference; what no kernel changes is drawn once."""
    top = parse(made["select-kernels"])
    stopped = figure(top, "Idle length and selected state: interrupt, tick stopped")
    marked = [g for g in stopped.all("g") if g.all("line", "marked")]
    tips = [group.all("title")[0].text for group in marked]
    title = "From power9, Linux 4.11 to power9: menu of Linux 6.1, HZ 250"
    (section,) = [s for s in top.all("section") if s.all("h2")[0].text == title]
    maps, told = "", []
    for head, *cells in section.all("table")[0].rows()[1:]:
        maps = head or maps
        told += [": ".join(cells)] if "interrupt, timer 10 s away, tick stopped" in maps else []
    assert len(told) > 2
    assert tips[: len(told)] == told
    assert "not as Linux 4.11" in _legend(stopped)
    captions = [each.all("figcaption")[0].text for each in top.all("figure")]
    drawn = [caption for caption in captions if "and selected state" in caption]
    # 7 of 8 change by one kernel or the other
    assert [", the same in all: " in caption for caption in drawn] == [False] * 7 + [True]


def test_time_line_of_releases_is_that_of_json(
    made: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    main([*COMMANDS["kernels"], "--format", "json"])
    moves = json.loads(capsys.readouterr().out)["moves"]
    line = figure(parse(made["kernels"]), "Releases that change something")
    tips = [group.all("title")[0].text for group in line.all("g") if group.all("title")]
    places = [
        float((m.attributes["x"] or "").rstrip("%")) for g in line.all("g") for m in g.all("svg")
    ]
    names = [tip.partition(": ")[0] for tip in tips]
    (move,) = moves["moves"]
    still = [each["kernel"] for each in moves["still"]]
    assert names == [move["kernel"], *still]
    order = sorted({*names}, key=lambda name: [int(part) for part in name.split(".")])
    where = {name: 100 * number / (len(order) - 1) for number, name in enumerate(order)}
    assert places[: len(names)] == pytest.approx([where[name] for name in names], abs=0.001)
    assert "stop5 -> snooze" in tips[0]
    assert move["causes"][0]["commit"] in tips[0]
    assert len(line.all("table")[0].rows()) == len(tips) + 1


def test_states_have_the_kernels_numbers(tmp_path: Path) -> None:
    """Also where a deeper state is selected for shorter idles than a lighter one."""
    target = tmp_path / "page.html"
    words = ["--kernel", "6.1,6.6,6.12", "--governor", "teo"]
    spec = str(resource("tables", "specs", "power9.yaml"))
    main(["audit", spec, *words, "--html", str(target), "-o", "/dev/null"])
    stages, selected = parse(target.read_text()).all("figure")
    head, *rows = stages.all("table")[0].rows()
    assert head[-2:] == ["Linux 6.1", "Linux 6.6-6.12"]
    numbered = {f"{row[-1].partition(':')[0]} {row[0]}" for row in rows if row[-1] != "-"}
    legend = {item.text.strip() for item in selected.all("ul", "legend")[0].all("li")}
    assert legend == numbered | {"0 snooze"}


def test_against_another_tree(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    trees = [str(DATA / f"trees/powernv{number}.dtb") for number in (9, 10)]
    main(["audit", trees[0], "--against", trees[1], "--html", str(target), "-o", "/dev/null"])
    top = parse(target.read_text())
    titles = [heading.text for heading in top.all("h2")]
    assert f"Differs below /ibm,opal from {trees[1]}" in titles


def test_unwritable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "missing/page.html"
    assert main([*COMMANDS["select"], "--html", str(target)]) == 3
    assert "page.html" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


# Hostile names

HOSTILE = st.sampled_from(
    (
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</svg></title><script>1</script>",
        "]]><!--",
        "&lt;b&gt; &amp;",
        "{{ 7 * 7 }}{% raw %}",
        "\x00\x1b[31m\u202e\u2066",
        "\udcff",
        "'><style>*{display:none}",
    )
)


@cache
def _selection() -> TableSelection:
    states = [State(0, 0), State(1000, 10_000), State(5000, 50_000)]
    return select("menu", release("6.1"), states, 250)


def _rendered(names: tuple[str, ...], table: str, file: str) -> Node:
    selection = replace(_selection(), names=names, table=table)
    sheet = select_sheet.sheet(Selections((selection,), ()))
    text = page.render("select", sheet, [(file, "0" * 64)])
    text.encode()
    return parse(text)


@settings(max_examples=examples(15, 40), deadline=None)
@given(st.lists(HOSTILE | st.text(max_size=30), min_size=5, max_size=5, unique=True))
def test_hostile_names_stay_text(words: list[str]) -> None:
    """The page's elements are those of harmless names of the same lengths."""
    harmless = [
        f"{i}{'x' * len(printable(word))}"[: len(printable(word))] for i, word in enumerate(words)
    ]
    if len(set(harmless[:3])) < 3 or not words[3]:
        return
    found = _rendered(tuple(words[:3]), words[3], words[4])
    calm = _rendered(tuple(harmless[:3]), harmless[3], harmless[4])
    assert found.outline() == calm.outline()
    cells = [cell for table in found.all("table") for row in table.rows() for cell in row]
    assert all(f"{number} {printable(word)}" in cells for number, word in enumerate(words[:3]))
    assert found.all("footer")[0].all("li")[0].text.startswith(printable(words[4]))


# Without colour


def _colours() -> list[dict[str, str]]:
    text = resource("templates", "page.html.j2").read_text()
    blocks = re.findall(r":root \{(.*?)\}", text, re.DOTALL)
    schemes = [dict(re.findall(r"--(\w+): (#[0-9a-f]+)", block)) for block in blocks]
    assert len(schemes) == 3
    light, dark, printed = schemes
    return [light, light | dark, light | printed]


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast() -> None:
    """WCAG 2 asks for a contrast of 4.5 for text and of 3 for pictures."""
    for scheme in _colours():
        assert _contrast(scheme["ink"], scheme["paper"]) >= 7
        assert _contrast(scheme["faint"], scheme["paper"]) >= 4.5
        for number in range(10):
            fill = scheme[f"s{number}"]
            assert _contrast(scheme["ink"], fill) >= 4.5
            assert _contrast(scheme["hatch"], fill) >= 3
        for number in range(4):
            assert _contrast(scheme[f"c{number}"], scheme["paper"]) >= 3


def test_series_differ_without_colour() -> None:
    for kinds in (svg.HATCHES, svg.DASHES, svg.MARKERS):
        assert len(set(kinds)) == len(kinds)


def test_no_states_at_all(tmp_path: Path) -> None:
    """A trace judged by nothing but snooze has a page, too."""
    target = tmp_path / "page.html"
    main(["replay", TRACE, "--states", "1000/10000", "--html", str(target), "-o", "/dev/null"])
    assert "stop" not in "".join(t.text for t in parse(target.read_text()).all("table"))
