"""Tests of what a project's configuration sets, and what it cannot."""

from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.cli import main
from idle_states.tables.check.config import Configuration, find, parse
from tests.support.commands import outcome

SPEC = "name: mine\nextends: power9\noverride:\n  stop1: {latency: 2050us}\n"
INI = "[idle-states]\n"
TOML = "[tool.idle-states]\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(SPEC)


def checked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, set[str], set[str]]:
    """Exit status, rules found, kernels named."""
    status, body = outcome(capsys, "check", *words)
    found = body["findings"]
    return status, {f["rule"] for f in found}, {kernel for f in found for kernel in f["kernels"]}


def test_both_files_say_the_same() -> None:
    ini = parse(
        f"{INI}kernels = 4.11, 6.1\nignore =\n  IS2\n  IS4\nfail-on = note\n"
        "suppress =\n  IS206 mine:* so\n",
        "setup.cfg",
    )
    toml = parse(
        f'{TOML}kernels = ["4.11", "6.1"]\nignore = "IS2, IS4"\nfail-on = "note"\n'
        'suppress = ["IS206 mine:* so"]\n',
        "pyproject.toml",
    )

    def said(each: Configuration) -> object:
        return each.settings, [(a.rules, a.path, a.reason) for a in each.accepted]

    assert said(ini) == said(toml)
    assert ini.settings == {
        "kernel": ("4.11", "6.1"),
        "ignore": ("IS2", "IS4"),
        "fail_on": "note",
    }
    assert (ini.accepted[0].where.line, toml.accepted[0].where.line) == (8, 5)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.cfg", f"{INI}kernels = 4.11\nignore = IS206\n"),
        ("pyproject.toml", f'{TOML}kernels = "4.11"\nignore = ["IS206"]\n'),
    ],
)
def test_settings_hold_until_an_option_is_given(
    name: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, before, kernels = checked(capsys, "mine.yaml")
    assert "IS206" in before
    Path(name).write_text(text)
    _, found, only = checked(capsys, "mine.yaml")
    assert "IS206" not in found
    assert only == {"4.11"} != kernels
    _, found, only = checked(capsys, "mine.yaml", "--ignore", "IS4", "--kernel", "6.1")
    assert "IS206" in found
    assert "4.11" not in only


def test_what_is_set_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("setup.cfg").write_text(f"{INI}fail-on = warning\nplatform = op920\nformat = github\n")
    assert main(["check", "mine.yaml"]) == 1
    printed = capsys.readouterr()
    assert "::warning " in printed.out
    assert "idle-states: setup.cfg sets fail-on, platform and format\n" in printed.err
    assert main(["check", "mine.yaml", "--fail-on", "error", "--config", "none"]) == 0


def test_tables_are_what_check_looks_at(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a").mkdir()
    Path("a/one.yaml").write_text(SPEC.replace("mine", "one"))
    Path("setup.cfg").write_text(f"{INI}tables = a\n")
    main(["check"])
    printed = capsys.readouterr()
    assert "looked at a/one.yaml" in printed.err
    assert "mine" not in printed.out


@pytest.mark.parametrize(
    ("name", "text", "line", "complaint"),
    [
        ("setup.cfg", f"{INI}kernel = 4.11\n", 2, "found 'kernel'"),
        ("setup.cfg", f"{INI}\nfail-on = never\n", 3, "found 'never'"),
        ("setup.cfg", f"{INI}tables = /etc\n", 2, "found '/etc'"),
        ("setup.cfg", f"{INI}tables = a/../../b\n", 2, "found 'a/../../b'"),
        ("setup.cfg", f"{INI}output = /tmp/x\n", 2, "found 'output'"),
        ("pyproject.toml", f"{TOML}html = 'x'\n", 2, "found 'html'"),
        ("pyproject.toml", f"{TOML}kernels = [4.11]\n", 2, "found [4.11]"),
        ("pyproject.toml", f"{TOML}kernels = \n", None, "expected TOML"),
        ("pyproject.toml", "[tool]\nidle-states = 3\n", None, "expected a section"),
    ],
)
def test_what_it_may_not_say(name: str, text: str, line: int | None, complaint: str) -> None:
    with pytest.raises(Unreadable) as caught:
        parse(text, name)
    finding = caught.value.findings[0]
    assert finding.location.line == line
    assert complaint in finding.message
    Path(name).write_text(text)
    assert main(["check", "mine.yaml"]) == 3


@pytest.mark.parametrize(
    "text",
    [
        "[tool.other]\nx = 1\n",
        "# idle-states\n",
        "broken = [idle-states\n",
        "tool = 'idle-states'\n",
    ],
)
def test_other_peoples_files_are_none_of_ours(text: str) -> None:
    Path("pyproject.toml").write_text(text)
    assert find(Path.cwd()) is None


def test_ours_in_utf_16_is_not_passed_over() -> None:
    Path("setup.cfg").write_text("[other]\nignore = IS2\n", encoding="utf-16")
    assert main(["check", "mine.yaml", "--ignore", "IS"]) == 0
    Path("setup.cfg").write_text(f"{INI}ignore = IS2\n", encoding="utf-16")
    assert main(["check", "mine.yaml"]) == 3


def test_dotted_keys_are_ours() -> None:
    Path("pyproject.toml").write_text('[tool]\nidle-states.ignore = "IS206"\n')
    found = find(Path.cwd())
    assert found is not None
    assert found[0] == Path.cwd() / "pyproject.toml"


def test_two_in_one_directory_are_one_too_many() -> None:
    Path("setup.cfg").write_text(f"{INI}ignore = IS2\n")
    Path("pyproject.toml").write_text(f'{TOML}ignore = "IS3"\n')
    assert main(["check", "mine.yaml"]) == 3
    assert main(["check", "mine.yaml", "--config", "setup.cfg"]) == 0


@pytest.mark.parametrize("form", ["mine.yaml", "power9.c", "power9.dtb"])
def test_the_path_that_a_message_shows_suppresses_it(
    form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if form != "mine.yaml":
        main(["generate", "mine.yaml", "--to", form.rpartition(".")[2], "-o", form])
    Path(".git").mkdir()
    Path("deep").mkdir()
    monkeypatch.chdir("deep")
    words = ["check", f"../{form}", "--select", "IS206"]
    main(words)
    (head,) = [line for line in capsys.readouterr().out.splitlines() if line.endswith("residency]")]
    place = head.partition(": ")[2] if form == "power9.dtb" else head.partition("warning: ")[2]
    for path in (place.partition(": ")[0], f"{form}:{place.partition(': ')[0]}"):
        Path("../setup.cfg").write_text(f"{INI}suppress =\n  IS206 {path} so\n")
        main(words)
        assert "1 suppressed with a reason" in capsys.readouterr().out
