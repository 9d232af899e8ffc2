"""Results of tables that are kept, for a run that goes on later."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.cli import main
from idle_states.lab.tune.evaluate import Outcomes
from idle_states.lab.tune.results import Results

SOME = [Outcomes((n, 2 * n), (1, 2, n), (3, 4, 5)) for n in range(1, 5)]


def test_results_come_back(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with Results("a", path) as results:
        results.add(SOME[:3])
        results.add(SOME[2:])
        assert path.read_bytes().count(b"\n") == 5
    with Results("a", path) as results:
        assert (results.kept, list(results.found.values())) == (4, SOME)


def test_two_runs_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with Results("a", path) as first, Results("a", path) as second:
        first.add(SOME[:3])
        second.add(SOME[2:])
    with Results("a", path) as results:
        assert list(results.found.values()) == SOME


@given(data=st.data())
def test_a_cut_file_loses_its_last_line_at_most(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("cut") / "results"
    with Results("a", path) as results:
        results.add(SOME)
    whole = path.read_bytes()
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    lines = max(whole[:cut].count(b"\n") - 1, 0)
    with Results("a", path) as results:
        assert list(results.found.values()) == SOME[:lines]
        results.add(SOME)
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("content", "line_number", "message"),
    [
        (b'{"idle-states tune": 2, "digest": "b"}\n', 1, "found others'"),
        (b'{"idle-states tune": 1, "digest": "a"}\n', 1, "found others'"),
        (b"hello\n", 1, "expected results of tune"),
        (b'{"idle-states tune": 2, "digest": "a"}\n{"usage": [1]}\n', 2, "residencies_us"),
        (
            b'{"idle-states tune": 2, "digest": "a"}\n'
            b'{"residencies_us": [1], "usage": [1], "time_us": [1, 2], '
            b'"busy_us": 0, "work": 0}\n',
            2,
            "unequal length",
        ),
        (
            b'{"idle-states tune": 2, "digest": "a"}\n'
            b'{"residencies_us": ["x"], "usage": [1, 1], "time_us": [1, 2], '
            b'"busy_us": 0, "work": 0}\n',
            2,
            "among its numbers",
        ),
        (
            b'{"idle-states tune": 2, "digest": "a"}\n'
            b'{"residencies_us": [1], "usage": [1, 1], "time_us": [1, 2], '
            b'"busy_us": 0, "work": 0, "check": "12345678"}\n',
            2,
            "them altered",
        ),
        (b"precious without newline", 1, "expected results of tune"),
        (b'{"idle-states tune": 2, "digest": "b', 1, "expected results of tune"),
    ],
)
def test_results_of_something_else(
    tmp_path: Path, content: bytes, line_number: int, message: str
) -> None:
    path = tmp_path / "results"
    path.write_bytes(content)
    with pytest.raises(Unreadable) as raised:
        Results("a", path)
    finding = raised.value.findings[0]
    assert message in finding.message
    assert (finding.location.file, finding.location.line) == (str(path), line_number)
    assert path.read_bytes() == content


def test_a_result_altered_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with Results("a", path) as results:
        results.add(SOME)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"usage": [1, 2, 3]', b'"usage": [1, 2, 4]'))
    with pytest.raises(Unreadable) as raised:
        Results("a", path)
    assert raised.value.findings[0].location.line == 4
    assert "altered" in raised.value.findings[0].message


def test_without_results_there_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with Results("a", path) as results:
        results.add([])
    assert not path.exists()


# The cache, which nobody named


def garbage(path: Path, precious: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:300] + b"garbage\n" + whole[-300:])


def pipe(path: Path, precious: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def directory(path: Path, precious: Path) -> None:
    path.unlink()
    path.mkdir()


def link(path: Path, precious: Path) -> None:
    path.unlink()
    path.symlink_to(precious)


def link_to_nothing(path: Path, precious: Path) -> None:
    path.unlink()
    path.symlink_to(precious.with_name("made"))


def another_users(path: Path, precious: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give a file away")
    os.chown(path, 65534, -1)


WORDS = ("tune", "power9", "--power", "implied", "--format", "json")


@pytest.fixture(scope="module")
def ended(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The cache as a run leaves it that was ended, and what a whole one prints."""
    top = tmp_path_factory.mktemp("ended")
    words = [*WORDS, "--trace", str(trace), "-o", str(top / "printed")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(top))
        patch.setattr(Path, "unlink", lambda path, missing_ok=False: None)
        assert main(words) == 0
    return top / "idle-states", (top / "printed").read_text()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (garbage, "is damaged in line"),
        (pipe, "is a pipe, not a regular file"),
        (directory, "is a directory, not a regular file"),
        (link, "is a link"),
        (link_to_nothing, "is a link"),
        (another_users, "belongs to nobody"),
    ],
)
def test_a_strange_cache_is_set_aside(
    spoil: Callable[[Path, Path], None],
    said: str,
    ended: tuple[Path, str],
    tmp_path: Path,
    trace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    precious = tmp_path / "precious"
    precious.write_text("precious")
    cache, whole = ended
    shutil.copytree(cache, tmp_path / "idle-states")
    (kept,) = (tmp_path / "idle-states").iterdir()
    spoil(kept, precious)
    for aside in (1, 0):
        assert main([*WORDS, "--trace", str(trace)]) == 0
        out, err = capsys.readouterr()
        assert out == whole
        assert err.count("cannot be used, because it") == aside
        assert (said in err) == bool(aside)
    assert precious.read_text() == "precious"
    assert not precious.with_name("made").exists()
    assert [path.name for path in (tmp_path / "idle-states").iterdir()] == [
        f"{kept.name}.unusable-1"
    ]


def test_the_cache_of_another_is_not_used(
    tmp_path: Path,
    trace: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "idle-states").symlink_to("theirs")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert main(["tune", "power9", "--trace", str(trace), "--power", "implied"]) == 0
    err = capsys.readouterr().err
    assert "is a link; name another folder with XDG_CACHE_HOME" in err
    assert "name a file with --resume" in err
    assert list((tmp_path / "theirs").iterdir()) == []


@pytest.mark.parametrize("spoil", [pipe, directory])
def test_results_are_a_regular_file(spoil: Callable[[Path, Path], None], tmp_path: Path) -> None:
    """A file that the user names has to be one, too."""
    path = tmp_path / "results"
    path.touch()
    spoil(path, path)
    with pytest.raises((Unreadable, OSError)):
        Results("a", path)
