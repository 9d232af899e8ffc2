"""Results of tables that are kept, for a run that goes on later."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.findings import Unreadable
from idle_states.tune.evaluate import Outcomes
from idle_states.tune.results import Results

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
