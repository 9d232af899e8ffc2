"""Calls made by threads."""

import threading

import pytest

from idle_states.base.reading.threads import Threads


def test_results_come_as_they_are_asked_for() -> None:
    with Threads(3) as threads:
        results = [threads.call(pow, number, 2) for number in range(50)]
        assert [result() for result in reversed(results)] == [n * n for n in reversed(range(50))]


def test_calls_run_beside_each_other() -> None:
    meet = threading.Barrier(2, timeout=30)
    with Threads(2) as threads:
        results = [threads.call(meet.wait) for _ in range(2)]
        assert {result() for result in results} == {0, 1}


def test_an_error_is_raised_where_the_result_is_asked_for() -> None:
    with Threads(1) as threads:
        failed, good = threads.call(int, "x"), threads.call(int, "7")
        assert good() == 7
        with pytest.raises(ValueError, match="'x'"):
            failed()


def test_what_was_given_is_done_at_the_end() -> None:
    done: list[int] = []
    before = threading.active_count()
    with Threads(2) as threads:
        for number in range(20):
            threads.call(done.append, number)
    assert sorted(done) == list(range(20))
    assert threading.active_count() == before
