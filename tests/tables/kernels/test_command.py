"""kernels on the command line."""

import json

import pytest
from jsonschema import Draft202012Validator

from idle_states.base.resources import resource
from idle_states.cli import main
from idle_states.tables.linux.governors import core
from idle_states.tables.linux.releases import SERIES2LAST
from tests.support.commands import outcome

SCHEMA = Draft202012Validator(json.loads(resource("schemas", "output.schema.json").read_text()))
needs_core = pytest.mark.skipif(not core.available(), reason="some hundred times slower without")


def document(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> dict:  # type: ignore[type-arg]
    exited, found = outcome(capsys, "kernels", *words)
    assert exited == status
    SCHEMA.validate(found)
    assert isinstance(found, dict)
    return found


@pytest.mark.slow
def test_a_line_for_each_series(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kernels", "--governor", "menu"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (at,) = (n for n, line in enumerate(lines) if line.startswith(f"6.6 to {SERIES2LAST['6.6']} "))
    text = " ".join(line.strip() for line in lines[at : at + 3])
    assert "menu .93 .103 .115 .117 .120 .128" in text
    heads = [line.split()[0] for line in lines if line and not line.startswith(" ")]
    assert "ubuntu-6.17.0" in heads
    assert heads[-1].startswith("rhel-6.12.0-55")


def test_one_series(capsys: pytest.CaptureFixture[str]) -> None:
    (series, *distributions) = document(capsys, "6.1")["series"]
    last = SERIES2LAST["6.1"]
    assert (series["first"], series["last"], series["guessed"]) == ("6.1", last, False)
    assert {each["name"].partition("-")[0] for each in distributions} == {"debian"}
    (menu,) = (each for each in series["subsystems"] if each["name"] == "menu")
    assert [(each["first"], each["last"]) for each in menu["ranges"]] == [
        ("6.1", "6.1.140"),
        ("6.1.141", "6.1.156"),
        ("6.1.157", "6.1.157"),
        ("6.1.158", last),
    ]
    assert {ground["basis"] for each in menu["ranges"] for ground in each["grounds"]} == {
        "compiled",
        "bracketed",
    }


def test_a_kernel_that_is_a_guess_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = document(capsys, "5.14.0-999.el9.ppc64le")["series"]
    assert line["guessed"]
    assert line["taken_as"] == "rhel-5.14.0-570.32.1"
    assert main(["kernels", "5.14.0-999.el9.ppc64le"]) == 0
    assert (
        "not known itself: shown for rhel-5.14.0-570.32.1 and 7.3.4"
        in capsys.readouterr().out.splitlines()[0]
    )


def test_two_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "6.6.92", "6.6.93", "--governor", "menu", status=1)["comparison"]
    assert not found["equal"]
    (difference,) = found["differences"]
    assert (difference["feature"], difference["a"], difference["b"]) == (
        "typical_maximum", False, True,
    )  # fmt: skip
    assert difference["origins"] == [{"side": "b", "release": "6.6.93", "commit": "85975daeaa4d"}]
    same = document(capsys, "6.6.92", "6.6.88")["comparison"]
    assert same["equal"]
    assert same["differences"] == []
    assert document(capsys, "4.8", "4.14", status=1)["comparison"]["only_in"] == []
    assert main(["kernels", "6.6", "6.6.9"]) == 0
    assert "no difference in" in capsys.readouterr().out


@pytest.mark.slow
@needs_core
def test_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "6.6", "--table", "power9")
    (move,) = found["moves"]["moves"]
    assert (move["before"], move["kernel"]) == ("6.6.127", "6.6.128")
    assert [cause["commit"] for cause in move["causes"]] == ["80606f4eb8d7"]
    assert [each["name"] for each in found["releases"]] == ["6.6.128"]
    # as select has it
    main(["select", "power9", "--kernel", "6.6.127", "--kernel", "6.6.128", "--format", "json"])
    selected = json.loads(capsys.readouterr().out)["changes"]
    keys = ("tick", "ended_by", "from_ns", "to_ns", "a", "b")
    assert [[each[key] for key in keys] for each in move["map"]] == [
        [each[key] for key in keys] for each in selected
    ]
    # two kernels differ for the table, or do not
    assert main(["kernels", "6.6", "6.6.127", "--table", "power9"]) == 0
    assert main(["kernels", "6.6", "6.6.128", "--table", "power9"]) == 1


def test_a_known_build_of_debian_is_noted_with_debians_changes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["kernels", "debian-6.1.170", "debian-6.1.176", "--governor", "menu"])
    notes = capsys.readouterr().err
    for number in ("6.1.170", "6.1.176"):
        assert f"debian-{number} is Linux {number} with Debian's known changes" in notes
    assert "taken as" not in notes
