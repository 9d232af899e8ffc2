"""The trace and the cache that tests of tune share."""

from pathlib import Path
from random import Random

import pytest

from tests.lab.traces.test_trace_readers import EXIT_STATE, line, text


@pytest.fixture(scope="session")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """600 periods on two CPUs."""
    random, now, lines = Random("tune"), 10**9, []
    for number in range(600):
        gap = int(10 ** random.uniform(3, 7))
        lines += [line(1, now, number % 2), line(EXIT_STATE, now + gap, number % 2)]
        now += gap + random.randrange(50_000)
    path = tmp_path_factory.mktemp("tune") / "trace"
    path.write_bytes(text(*lines))
    return path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "idle-states"
