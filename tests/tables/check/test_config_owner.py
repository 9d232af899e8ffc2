"""A configuration that is only found counts if it is the user's own or root's."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from idle_states.base.reading.owners import repository_of
from idle_states.tables.check.config import find, passed_over
from idle_states.tables.sources.here import tables_here
from tests.support import ROOT
from tests.support.commands import Capture, run
from tests.support.git_history import History

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of other users")
NOBODY, OTHER = 65534, 4242
SPEC = "name: mine\nextends: power9\noverride:\n  stop1: {latency: 2050us}\n"
CONFIG = "[idle-states]\nsuppress =\n  IS206 mine:* planted\n"
FAILS = ("check", "mine.yaml", "--fail-on", "warning", "--select", "IS206")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that another user may enter, below one with the mode of /tmp."""
    monkeypatch.delenv("SUDO_UID", raising=False)
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        top.chmod(0o1777)
        (top / "work").mkdir()
        monkeypatch.chdir(top / "work")
        Path("mine.yaml").write_text(SPEC)
        yield top
        monkeypatch.undo()


def given(path: Path | str, text: str = CONFIG, owner: int = NOBODY) -> Path:
    Path(path).write_text(text)
    os.lchown(path, owner, owner)
    return Path(path).absolute()


def taken(start: Path | None = None) -> Path | None:
    found = find(start or Path.cwd())
    return found and found[0]


def as_user(uid: int, asked: Callable[[], object]) -> object:
    os.seteuid(uid)
    try:
        return asked()
    finally:
        os.seteuid(0)


def test_what_another_user_planted_turns_no_verdict(here: Path, capsys: Capture) -> None:
    given(here / ".git", "")
    given(here / "setup.cfg")
    status, _, errors = run(capsys, *FAILS)
    assert status == 1
    note = "../setup.cfg is not used: it belongs to nobody (uid 65534), not to you or root"
    assert errors.count(note) == 1
    status, _, errors = run(capsys, *FAILS, "--config", "../setup.cfg")
    assert status == 0, "named, it is used"
    assert "is not used" not in errors


def test_repository_of_another_user_does_not_lead_to_what_is_above(here: Path) -> None:
    """The file is root's own, but lies where it was not meant for the folder below."""
    (here / "setup.cfg").write_text(CONFIG)
    git = given(here / ".git", "")
    assert taken() is None
    assert f"{git} belongs to nobody" in passed_over(Path.cwd())
    os.chown(git, 0, 0)
    assert taken() == here / "setup.cfg"
    assert passed_over(Path.cwd()) == ""


def test_git_of_another_user_does_not_end_the_search(here: Path) -> None:
    (here / ".git").mkdir()
    (here / "setup.cfg").write_text(CONFIG)
    given(".git", "")
    assert taken() == here / "setup.cfg"


def test_link_is_as_foreign_as_its_owner_or_its_end(here: Path) -> None:
    (here / "mine.cfg").write_text(CONFIG)
    Path("setup.cfg").symlink_to(here / "mine.cfg")
    assert taken() == Path.cwd() / "setup.cfg"
    os.lchown("setup.cfg", NOBODY, NOBODY)
    assert taken() is None
    os.lchown("setup.cfg", 0, 0)
    os.chown(here / "mine.cfg", NOBODY, NOBODY)
    assert taken() is None


def test_users_own_file_and_roots_count_whosever_the_folder_is(here: Path) -> None:
    given("setup.cfg", owner=OTHER)
    assert as_user(OTHER, taken) == Path.cwd() / "setup.cfg"
    assert as_user(NOBODY, taken) is None
    os.chown("setup.cfg", 0, 0)
    os.chown(here / "work", OTHER, OTHER)
    assert as_user(NOBODY, taken) == Path.cwd() / "setup.cfg"


def test_group_does_not_matter() -> None:
    given("setup.cfg", owner=OTHER)
    os.chown("setup.cfg", OTHER, 0)
    assert taken() is None


@pytest.mark.parametrize(("caller", "counts"), [(str(OTHER), True), ("0", False), ("x", False)])
def test_under_sudo_the_caller_counts(
    caller: str, counts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given("setup.cfg", owner=OTHER)
    monkeypatch.setenv("SUDO_UID", caller)
    assert (taken() is not None) == counts
    assert as_user(NOBODY, taken) is None, "only root is given the variable by sudo"


def test_checkout_of_another_user_as_in_a_container(capsys: Capture) -> None:
    """The root user of a container job sees that everything is the runner's."""
    Path(".git").mkdir()
    given("setup.cfg", owner=OTHER)
    for path in (Path.cwd(), Path(".git"), Path("mine.yaml")):
        os.chown(path, OTHER, OTHER)
    status, _, errors = run(capsys, *FAILS)
    assert status == 1
    assert "setup.cfg is not used: it belongs to uid 4242" in errors
    assert run(capsys, *FAILS, "--config", "setup.cfg")[0] == 0
    assert tables_here().what == "this repository: mine.yaml"


def test_planted_git_is_no_repository_to_search(here: Path) -> None:
    given(here / "strange.yaml", SPEC)
    given(here / ".git", "")
    assert repository_of(Path.cwd()) is None
    assert tables_here().what == "this folder: mine.yaml"


@pytest.mark.parametrize("bare", [False, True])
def test_planted_repository_gives_no_configuration(bare: bool, here: Path, capsys: Capture) -> None:
    """The revision is asked for, not the stranger's repository above."""
    history = History(here / "made")
    history.commit({"setup.cfg": CONFIG})
    if bare:
        for path in (here / "made/.git").iterdir():
            path.rename(here / path.name)
    else:
        (here / "made/.git").rename(here / ".git")
    for path in here.rglob("*"):
        if not path.is_relative_to(here / "work"):
            os.lchown(path, NOBODY, NOBODY)
    status, _, errors = run(capsys, *FAILS, "--config-from", "HEAD")
    assert status == 3
    assert "not a git repository" in errors
    os.chown(here, NOBODY, NOBODY)
    assert run(capsys, *FAILS, "--config-from", "HEAD")[0] == 0, "a checkout of that user's"


def test_owner_that_a_namespace_does_not_show() -> None:
    given("setup.cfg", owner=OTHER)
    code = (
        "from pathlib import Path; from idle_states.tables.check.config import find, passed_over; "
        "print(find(Path.cwd()), passed_over(Path.cwd()))"
    )
    done = subprocess.run(
        ["unshare", "--user", sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if "Operation not permitted" in done.stderr:
        pytest.skip("no user namespaces here")
    assert done.stdout.startswith("None "), done.stderr
    assert "an owner that this user namespace does not show (uid 65534)" in done.stdout
