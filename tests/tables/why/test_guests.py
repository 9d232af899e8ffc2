"""Causes planted in guests of QEMU, and the reasons that `why` gives for each: in the collections
that are kept, and in guests that are booted anew."""

import io
import re
import shlex
import tarfile
from pathlib import Path

import pytest

from idle_states.change.boot.machines import MACHINES
from idle_states.change.boot.parts import parts
from idle_states.cli import main
from idle_states.tables.why.answer import why
from idle_states.tables.why.request import WhyRequest
from tests.oracle import skipping
from tests.support import DATA, DOCS, ROOT
from tests.support.boots import CACHE
from tests.support.expected import Expected
from tests.support.why_guests import Planted, boot, trimmed
from tests.tables.why.guest_causes import GUESTS, PLANTED

KEPT = DATA / "why"
BOOTED = ["q35", "q35-max-cstate", "powernv9-levels", "arm64", "arm64-refused"]
PAGE, BEGIN, END = "why-guests.md", "<!-- causes -->", "<!-- end of causes -->"


def is_explained(cause: Planted, machine: Path) -> None:
    """The reasons are those of the cause, on just the CPUs that it was planted on."""
    found = why(WhyRequest(cause.state, str(machine))).explained
    reasons = {each.cpus: each.reasons for each in found}
    assert [each.kind for each in reasons[tuple(cause.cpus)]] == list(cause.kinds)
    first = reasons[tuple(cause.cpus)][0]
    assert cause.words in first.because
    assert first.where
    assert first.next
    for cpus, others in reasons.items():
        if cpus != tuple(cause.cpus):
            assert {each.kind for each in others} <= {"left-at-once"}


@pytest.mark.parametrize("name", PLANTED)
def test_kept_collection_tells_the_planted_cause(name: str) -> None:
    is_explained(PLANTED[name], KEPT / f"{name}.tar.gz")


def test_no_collection_is_kept_without_a_cause() -> None:
    assert {file.name.removesuffix(".tar.gz") for file in KEPT.glob("*")} == PLANTED.keys()


def planted_in(name: str) -> str:
    """The cause in a cell of the page's table."""
    cause = PLANTED[name]
    guest = GUESTS[cause.guest]
    levels = "" if guest.levels is None else f"stop levels {guest.levels:#x}"
    table = "" if guest.table in ("", "io", "retention") else guest.why
    parts = (f"`{guest.words}`" if guest.words else "", levels, table)
    return "; ".join(filter(None, (*parts, f"`{cause.shell}`" if cause.shell else ""))) or "none"


def answered(name: str) -> str:
    """The first reason in a cell of the page's table."""
    found = why(WhyRequest(PLANTED[name].state, str(KEPT / f"{name}.tar.gz"))).explained
    (first,) = (each.reasons[0] for each in found if each.cpus == tuple(PLANTED[name].cpus))
    return f"`{first.kind}`: {first.because}"


def test_page_shows_causes_and_screens(
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`pytest --update` writes the page anew."""

    def screen(block: re.Match[str]) -> str:
        assert main(shlex.split(block[1])[1:]) == 0
        return f"```text\n$ {block[1]}\n{capsys.readouterr().out}```"

    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    rows = [
        f"| {GUESTS[each.guest].machine} | {planted_in(name)} | {each.state} | {answered(name)} |\n"
        for name, each in PLANTED.items()
    ]
    table = (
        f"{BEGIN}\n\n| guest | planted | asked for | answer |\n|---|---|---|---|\n{''.join(rows)}"
    )
    page = Expected(DOCS, request.config.getoption("--update"))
    text = (DOCS / PAGE).read_text("utf-8")
    text = re.sub(rf"{BEGIN}.*?(?=\n{END})", lambda _: table, text, flags=re.DOTALL)
    page.check(PAGE, re.sub(r"```text\n\$ (.*?)\n.*?```", screen, text, flags=re.DOTALL))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """All guests are booted where their collections are made anew, else some of each machine."""
    if metafunc.function is test_guest_tells_the_planted_cause:
        renewed = metafunc.config.getoption("--update")
        metafunc.parametrize("name", list(GUESTS) if renewed else BOOTED)


@pytest.mark.slow
def test_guest_tells_the_planted_cause(name: str, expected: Expected, tmp_path: Path) -> None:
    """`pytest --update` keeps the collections. A copy of /sys and /proc tells the same."""
    guest = GUESTS[name]
    with skipping():
        having = parts(MACHINES[guest.machine], CACHE, suite=guest.suite)
    copied, *collections = boot(name, guest, PLANTED, having, tmp_path)
    for cause, collection, said in collections:
        file = tmp_path / f"{cause}.tar"
        file.write_bytes(collection)
        if expected.update:
            kept = trimmed(collection, acpi=PLANTED[cause].acpi)
            (KEPT / f"{cause}.tar.gz").write_bytes(kept)
        assert "machine.txt" not in said
        # how long CPUs were idle depends on the load of the machine that the guest runs on
        if expected.update or not PLANTED[cause].timed:
            is_explained(PLANTED[cause], file)
    first = PLANTED[collections[0][0]]
    if not first.timed:
        with tarfile.open(fileobj=io.BytesIO(copied[1])) as tar:
            tar.extractall(tmp_path / "copy")
        is_explained(first, tmp_path / "copy")
