"""review of a repository of specs."""

from collections.abc import Mapping

import pytest

from idle_states.base.model.findings import Severity
from idle_states.tables.spec import library
from idle_states.tables.spec.loaded import LoadedSpec
from tests.support.git_history import History
from tests.support.reviewed import only, reviewed, rules, run, spec

CHILD = "extends: base\noverride:\n  stop1: {latency: 6us}\n"


def test_specs_read_their_ancestors_at_the_same_end(history: History) -> None:
    files = {
        "specs/base.yaml": spec("base", "extends: power9\n"),
        "specs/child.yaml": spec("child", CHILD),
        "ci.yaml": "jobs: {build: {extends: nothing}}\n",
    }
    history.commit(files)
    slow = spec("base", "extends: power9\noverride:\n  stop0: {latency: 300ns}\n")
    history.commit({"specs/base.yaml": slow})
    found = only(reviewed(history, specs=True))
    assert [table.source.name for table in found.tables] == ["base", "child"]
    assert [d.path for d in found.tables[1].differences][:1] == ["states.stop0.latency"]
    [new] = [f for f in found.tables[1].outcome.new if f.rule == "IS201"]
    assert (new.location.file, new.location.line) == ("specs/base.yaml", 4)


def test_no_spelling_of_a_key_hides_a_spec(history: History) -> None:
    history.commit({"mine.yaml": spec("mine", "extends: power9\n")})
    hidden = '"n\\x61me": mine\n"\\u0065xtends": power9\noverride:\n  stop0: {latency: 300ns}\n'
    history.commit({"mine.yaml": hidden, "new.yaml": hidden.replace("mine", "new")})
    found = only(reviewed(history, specs=True))
    assert [table.source.name for table in found.tables] == ["mine", "new"]
    assert all(table.after is not None for table in found.tables)
    assert all("IS201" in rules(table.outcome.new) for table in found.tables)


def test_ancestor_that_appears_beside_replaces_the_packaged_one(history: History) -> None:
    history.commit({"mine.yaml": spec("mine", "extends: power9-dd1\n")})
    history.commit({"power9-dd1.yaml": spec("power9-dd1", "extends: power10\n")})
    history.commit({"power9-dd1.yaml": None})
    there, back = reviewed(history, "HEAD~2..HEAD", specs=True, per_commit=True).changes
    for change, names in ((there, {"mine", "power9-dd1"}), (back, {"mine", "power9-dd1"})):
        assert {table.source.name for table in change.tables} == names
    [forth] = [t for t in there.tables if t.source.name == "mine"]
    [again] = [t for t in back.tables if t.source.name == "mine"]
    assert forth.before == again.after
    assert forth.differences


def test_message_about_specs(history: History) -> None:
    rows = "extends: power9\noverride:\n  stop4: {{latency: {}}}\n  stop5: {{latency: {}}}\n"
    history.commit({"mine.yaml": spec("mine", rows.format("90us", "190us"))})
    history.commit(
        {"mine.yaml": spec("mine", rows.format("91us", "191us"))}, "Raise latency of stop4 to 92us"
    )
    found = only(reviewed(history, specs=True)).message
    assert [(f.rule, f.location.line) for f in found] == [("IS510", 5), ("IS511", 4)]


def test_spec_that_breaks_is_a_new_finding(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    good = spec("mine", "extends: power9\n")
    history.commit({"mine.yaml": good, "other.yaml": spec("other", "extends: power10\n")})
    history.commit({"mine.yaml": good + "  oops: [\n"})
    found = only(reviewed(history, specs=True))
    assert rules(found.new) == {"IS910"}
    assert "IS910" in run(capsys, history, "--specs", "--select", "IS2")[1]
    assert (found.tables, found.unread) == ((), ("mine.yaml",))
    history.commit({"mine.yaml": good + "drop: [stop99]\n"})
    found = only(reviewed(history, "HEAD~2..HEAD", specs=True))
    assert rules(found.new) == {"IS927"}
    [table] = found.tables
    assert table.differences == table.linux == ()
    history.commit({"mine.yaml": good})
    assert rules(only(reviewed(history, specs=True)).fixed) == {"IS927"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("specs/flow.yml", "name: flow\nextends: power9\noverride: {{stop0: {{latency: {}}}}}\n"),
        ("flow.yaml", "{{name: flow, extends: power9, override: {{stop0: {{latency: {}}}}}}}\n"),
        ("flow.yml", "# one\n---\n{{\n'extends': power9, name: flow, override: {{stop0:\n"
         "  {{latency: {}}}}}}}\n"),
        ("flow.yaml", "  name: flow\n  extends: power9\n  override: {{stop0: {{latency: {}}}}}\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("per_commit", [False, True])
def test_specs_of_every_form_are_read(
    name: str, text: str, per_commit: bool, history: History
) -> None:
    history.commit({name: text.format("2us")})
    history.commit({name: text.format("300ns")})
    found = only(reviewed(history, specs=True, per_commit=per_commit))
    [table] = found.tables
    assert (table.source.name, table.source.file) == ("flow", name)
    assert "IS201" in rules(found.new)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name: new\nextends: [\n", 2),
        ("{name: new, extends: power9,\n override: }}\n", 2),
        ("states: *a\n", 1),
    ],
)
def test_new_spec_that_cannot_be_parsed_is_an_error(text: str, line: int, history: History) -> None:
    history.commit({"a": "b"})
    history.commit({"new.yml": text})
    found = only(reviewed(history, specs=True))
    [finding] = found.new
    assert (finding.location.file, finding.location.line) == ("new.yml", line)
    assert finding.severity is Severity.ERROR
    assert found.unread == ("new.yml",)


def test_a_name_alone_makes_a_spec_beside_others_only(history: History) -> None:
    broken = "name: [\n"
    history.commit({"specs/mine.yaml": spec("mine", "extends: power9\n")})
    history.commit({"specs/bad.yaml": broken, "ci/bad.yaml": broken, "ci/x.yml": "name: CI\n"})
    assert only(reviewed(history, specs=True)).unread == ("specs/bad.yaml",)


def test_other_yaml_is_passed_over(history: History) -> None:
    history.commit({"a": "b"})
    history.commit(
        {
            "ci.yml": "build: &b {extends: x}\njob: *b\n",
            "list.yaml": "- {states: [a]}\n",
            "two.yaml": "name: a\n---\nname: b\n",
            "torn.yaml": "jobs: [\n  states: {\n",
        }
    )
    found = only(reviewed(history, specs=True))
    assert (found.tables, found.new, found.unread) == ((), [], ())


def test_suppression_silences_and_its_removal_reveals(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "extends: power9\noverride:\n  stop0:\n    latency: 300ns{}\n"
    history.commit({"mine.yaml": spec("mine", rows.format(""))})
    reason = "  # idle-states: ignore[IS201] a test"
    history.commit({"mine.yaml": spec("mine", rows.format(reason))})
    [table] = only(reviewed(history, specs=True)).tables
    assert [(f.rule, f.suppressed) for f in table.outcome.silenced] == [("IS201", "a test")]
    assert "IS201" not in rules(table.outcome.fixed)
    _, text = run(capsys, history, "--specs", "--suppressed")
    assert "  suppressed now: error IS201 sub-microsecond-latency: a test" in text.splitlines()
    back = only(reviewed(history, "HEAD..HEAD~1", specs=True))
    assert "IS201" in rules(back.new)


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "junit"])
def test_one_bad_file_never_hides_the_others(
    history: History,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    form: str,
) -> None:
    """Specs that extend themselves and each other, and one on which the tool fails."""
    history.commit({"mine.yaml": spec("mine", "extends: power9\n")})
    history.commit(
        {
            "mine.yaml": spec("mine", "extends: power9\noverride:\n  stop0: {latency: 300ns}\n"),
            "power10.yaml": spec("p10", "extends: power10\n"),
            "a.yaml": spec("a", "extends: b\n"),
            "b.yaml": spec("b", "extends: a\n"),
        }
    )
    found = only(reviewed(history, specs=True))
    [mine] = [table for table in found.tables if table.source.name == "mine"]
    assert "IS201" in rules(mine.outcome.new)
    circles = [f.location.file for table in found.tables for f in table.outcome.new]
    assert {"power10.yaml", "a.yaml", "b.yaml"} <= set(circles)

    real = library.load_held

    def load_held(path: str, contents: Mapping[str, bytes]) -> LoadedSpec:
        if path == "a.yaml":
            raise RecursionError("maximum recursion depth exceeded")
        return real(path, contents)

    monkeypatch.setattr(library, "load_held", load_held)
    status, out = run(capsys, history, "--specs", "--format", form)
    assert status == 3
    for part in ("IS990", "a.yaml", "IS201", "mine.yaml"):
        assert part in out, part
