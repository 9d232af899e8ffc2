"""Fixtures shared by the tests: real source trees, and the specs."""

import gc
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from idle_states.tables.linux.governors import core
from tests.oracle import skipping
from tests.support import compiled, reviews, thorough
from tests.support.expected import Expected

# The same examples in every run, so that a change is judged by itself; make fuzz draws new ones.
# Few are drawn by plain pytest, and where each costs several times what it does elsewhere.
# No example is judged by its time: machines are shared.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=60)
settings.register_profile("new", deadline=None)
settings.register_profile("few", derandomize=True, deadline=None, max_examples=15)
settings.load_profile("repeatable")


# Several processes import the tests, all of them and often.
sys.dont_write_bytecode = False


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="write the texts that tests expect in files anew"
    )


def pytest_configure(config: pytest.Config) -> None:
    """A suite started in the background of a shell ignores SIGINT, and so would the programs that
    tests interrupt."""
    thorough.THOROUGH = not config.option.markexpr
    if not thorough.THOROUGH:
        settings.load_profile("few")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """A test that is named is run here, where it can be looked at; others beside each other. Of
    those marked slow many wait, for guests and programs: one process more uses that time."""
    if config.args and all("::" in name for name in config.args):
        return 0
    return None if config.option.markexpr else len(os.sched_getaffinity(0)) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the longest tests first, so that no process has one left when the others are done."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end; the collector need not look at them again and again, nor
    as often as it does where memory is short."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Gives each run a cache of its own: what one run keeps for the next is not what the tests are
    about."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def reviewed_once() -> Iterator[None]:
    """Hundreds of tests review changes of the same few tables: what follows from the same values
    is worked out once."""
    with pytest.MonkeyPatch.context() as patch:
        reviews.share(patch)
        yield


@pytest.fixture(scope="session")
def skiboot_tree() -> Path:
    """The skiboot tree inside Debian's qemu source package."""
    from tests.oracle.debian import source_tree

    with skipping():
        return source_tree("qemu", "roms/skiboot")


@pytest.fixture(scope="session")
def linux_tree() -> Path:
    """The kernel tree that LINUX names, else what of Debian's 6.1 reads idle states."""
    from tests.oracle.linux.trees import kernel_tree

    with skipping():
        return kernel_tree()


@pytest.fixture(scope="session")
def governor_tree() -> Path:
    """The kernel tree that LINUX names, held to have governors, else Debian's 6.1."""
    from tests.oracle.linux import governors

    with skipping():
        return governors.governor_tree()


@pytest.fixture
def hangup_heeded() -> Iterator[None]:
    """Makes SIGHUP heeded in the test and in programs that it starts, though the suite itself may
    ignore it, as under nohup. A real hangup meanwhile does no harm."""
    before = signal.signal(signal.SIGHUP, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.fixture
def expected(request: pytest.FixtureRequest) -> Expected:
    """The texts in the folder `expected` beside the test."""
    return Expected(request.path.parent / "expected", request.config.getoption("--update"))


@pytest.fixture
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own directory, where it runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=["core", "reference"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the core, and without."""
    if request.param == "reference":
        monkeypatch.setattr(core, "can_replay", lambda governor: False)
        monkeypatch.setattr(core, "available", lambda: False)
    elif not core.available():
        pytest.skip(compiled.NO_CORE)


def _program(name: str, package: str) -> str:
    """Its path; where it is missing, the test skips."""
    found = shutil.which(name)
    if not found:
        pytest.skip(f"{name} is not installed (Debian package {package})")
    return found


@pytest.fixture(scope="session")
def cpp() -> str:
    """The C preprocessor."""
    return _program("cpp", "cpp")


@pytest.fixture(scope="session")
def gcc() -> str:
    """The C compiler."""
    return _program("gcc", "gcc")


@pytest.fixture(scope="session")
def iasl() -> str:
    """The compiler of ASL."""
    return _program("iasl", "acpica-tools")


@pytest.fixture(scope="session")
def acpiexec_program() -> str:
    """ACPICA's interpreter of AML."""
    return _program("acpiexec", "acpica-tools")


@pytest.fixture(scope="session")
def dtc() -> str:
    """The device-tree compiler."""
    return _program("dtc", "device-tree-compiler")
