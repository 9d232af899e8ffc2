"""idle-states boot, for real: every machine with a table of its own in an image, and one as it is;
an invented table in a tree that is patched and rebuilt; and that nothing is left behind, whenever
it is stopped."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.model.table import IdleState, IdleTable
from idle_states.base.reading import sysfs
from idle_states.base.reading.inputs import Input
from idle_states.change.boot import parts as boot_parts
from idle_states.change.boot.boot import BootFailure
from idle_states.change.boot.powernv import build
from idle_states.change.boot.powernv.machines import POWERNV
from idle_states.change.boot.powernv.predict import STAGES
from idle_states.change.boot.request import BootRequest
from idle_states.cli import main
from idle_states.tables.skiboot import lid as lids
from idle_states.tables.skiboot.export import export
from idle_states.tables.skiboot.platform import PRESETS
from idle_states.tables.spec.library import find
from tests.base.report.test_output_schema import STRICT, Validator
from tests.oracle import skipping
from tests.support import ROOT
from tests.support.boots import CACHE, HOME, boot_with
from tests.support.trees import power_mgt_properties, registered

pytestmark = pytest.mark.slow

LOGS = ROOT / "build" / "boot"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module", autouse=True)
def home() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(HOME))
        yield


@pytest.fixture(scope="module")
def lid() -> Path:
    """Skips where a boot is not to be had."""
    with skipping():
        found = boot_parts.parts(POWERNV["powernv9"], CACHE).lid
    assert found is not None
    return found


@pytest.fixture(scope="module")
def tree(lid: Path, skiboot_tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """skiboot's sources, and on PATH a compiler that optimises little and writes no debugging
    information: that takes two thirds of the time. Skips where there is none."""
    compiler = shutil.which(f"{build.CROSS}gcc")
    if not compiler:
        pytest.skip(f"no cross compiler (Debian package {build.COMPILER_PACKAGE})")
    quick = tmp_path_factory.mktemp("bin") / f"{build.CROSS}gcc"
    quick.write_text(f'#!/bin/sh\nexec {compiler} "$@" -O1 -g0\n')
    quick.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(quick.parent), prepend=os.pathsep)
        yield skiboot_tree


def booted(capsys: Capture, *words: str) -> dict[str, Any]:
    """Returns what a boot that agrees in everything says."""
    command = ["boot", "--logs", str(LOGS), "--time-limit", "600", "--format", "json", *words]
    status = main(command)
    output = capsys.readouterr()
    assert status == 0, output.out + output.err
    return agreed(output.out)


def agreed(text: str) -> dict[str, Any]:
    """The document of a boot that agrees in everything."""
    document: dict[str, Any] = json.loads(text)
    Validator(STRICT).validate(document)
    assert [stage["stage"] for stage in document["stages"]] == list(STAGES)
    assert all(stage["agree"] for stage in document["stages"])
    assert document["decisions"]["agree"] == document["decisions"]["judged"] > 20
    return document


def latencies(document: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Name -> latency and residency in us, of CPU 0 in the guest's sysfs."""
    text = Path(document["logs"], "cpuidle.txt").read_text()
    found: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        place, _, value = line.partition(":")
        *_, cpu, _, state, attribute = place.split("/")
        if cpu == "cpu0":
            found.setdefault(state, {})[attribute] = value
    return {each["name"]: (int(each["latency"]), int(each["residency"])) for each in found.values()}


def is_as_predicted(
    document: dict[str, Any], table: IdleTable, smp: int = 1, levels: int | None = None
) -> None:
    """Asserts that each record of a boot is what the models make of the table."""
    logs, machine = Path(document["logs"]), document["machine"]
    platform = replace(PRESETS[f"qemu-{machine}"], skiboot="7.0")
    if levels is not None:
        platform = replace(platform, enabled_stop_levels=levels)
    predicted = export(table, platform)
    assert predicted.node is not None
    assert power_mgt_properties((logs / "tree.dtb").read_bytes()) == dict(predicted.node.properties)
    driver = registered(table, predicted.node, (logs / "kernel-log.txt").read_text())
    cpus = sysfs.read(Input(str(logs / "cpuidle.txt"))).cpus
    assert sorted(cpus) == list(range(smp))
    for cpu in cpus.values():
        assert [(s.name, s.latency_us, s.residency_us) for s in cpu] == [
            (s.name, s.exit_latency_us, s.target_residency_us) for s in driver.states
        ]


def states_of(name: str) -> tuple[IdleState, ...]:
    """States for a revision's table: times and names of our own, the 200 ns of 2017 among them."""
    if name == "power8":
        nap, *others = find(name).states
        return replace(nap, latency_ns=4999, residency_ns=123_456), *others
    lite, second, *others = find(name).states
    lite = replace(lite, latency_ns=200, residency_ns=2000)
    return lite, replace(second, name="other", latency_ns=3001), *others


@pytest.mark.parametrize(
    ("machine", "name", "states", "levels", "words"),
    [
        ("powernv8", "power8", ["Nap"], None, ["--governor", "menu", "--workload", "periodic"]),
        (
            *("powernv10", "power10", ["stop0_lite", "other", "stop2", "stop3"], 0xB0100000),
            ["--workload", "periodic", "--levels", "0xb0100000"],
        ),
    ],
)
def test_a_table_in_an_image(
    machine: str,
    name: str,
    states: list[str],
    levels: int | None,
    words: list[str],
    lid: Path,
    capsys: Capture,
    tmp_path: Path,
) -> None:
    table = replace(find(name), states=states_of(name))
    image = tmp_path / "own.lid"
    image.write_bytes(lids.replace(lid.read_bytes(), name, table))
    document = booted(capsys, "--machine", machine, "--lid", str(image), *words)
    is_as_predicted(document, table, levels=levels)
    found = latencies(document)
    assert list(found) == ["snooze", *states]
    assert found[states[0]] == ((5, 124) if name == "power8" else (1, 2))
    assert document["governor"] == "menu"
    assert document["versions"]["modelled_as"].startswith("debian-")


def invented(path: Path, base: str, seed: int) -> dict[str, tuple[int, int]]:
    """A table with times of its own; returns the times of its stop0_lite and stop0 in us."""
    dice = random.Random(seed)
    rows = {}
    latency = dice.randrange(300, 2000)
    for name in ("stop0_lite", "stop0"):
        rows[name] = latency, latency * dice.randrange(2, 12)
        latency += dice.randrange(500, 9000)
    lines = "".join(
        f"  {name}: {{latency: {times[0]}ns, residency: {times[1]}ns}}\n"
        for name, times in rows.items()
    )
    path.write_text(f"name: invented\nextends: {base}\noverride:\n{lines}")
    return {name: (-(-times[0] // 1000), -(-times[1] // 1000)) for name, times in rows.items()}


def test_a_tree_patched_and_rebuilt(tree: Path, capsys: Capture, tmp_path: Path) -> None:
    """With a table nobody has seen, and stop levels that QEMU does not have by itself."""
    before = {path: path.stat().st_mtime_ns for path in tree.rglob("*")}
    times = invented(tmp_path / "mine.yaml", "power9", seed=os.getpid())
    document = booted(
        capsys, str(tmp_path / "mine.yaml"), "--tree", str(tree), "--machine", "powernv9",
        "--levels", "0xec000000", "--workload", "periodic",
    )  # fmt: skip
    found = latencies(document)
    assert list(found) == ["snooze", "stop0_lite", "stop0", "stop1", "stop2"]
    assert {name: found[name] for name in times} == times
    assert {path: path.stat().st_mtime_ns for path in tree.rglob("*")} == before


def test_a_tree_before_and_after_a_patch(tree: Path, capsys: Capture, tmp_path: Path) -> None:
    """On each of two CPUs."""
    words = [
        "--tree",
        str(tree),
        "--patch",
        "stop0-lite-15us",
        "--machine",
        "powernv9",
        "--smp",
        "2",
    ]
    command = ["boot", "--logs", str(tmp_path), "--time-limit", "600", "--format", "json", *words]
    assert main(command) == 0
    document = json.loads(capsys.readouterr().out)
    Validator(STRICT).validate(document)
    assert document["changes_table"]
    found = [latencies(document[side])["stop0_lite"] for side in ("before", "after")]
    assert found == [(1, 10), (1, 15)]
    before = find("power9")
    lite, *others = before.states
    after = replace(before, states=(replace(lite, residency_ns=15_000), *others))
    is_as_predicted(document["before"], before, smp=2)
    is_as_predicted(document["after"], after, smp=2)
    assert sorted(path.name for path in Path(document["logs"]).iterdir()) == ["after", "before"]


def test_a_table_that_does_not_fit_and_a_signed_image(
    lid: Path, capsys: Capture, tmp_path: Path
) -> None:
    words = ["boot", "--logs", str(tmp_path), "--machine", "powernv9"]
    assert main([*words, "power9@84368bbf8"]) == 3
    assert "expected 1 to 8 rows, as compiled in, found 9" in capsys.readouterr().err
    assert main([*words, "power8"]) == 3
    assert "psscr" in capsys.readouterr().err
    signed = tmp_path / "signed.lid"
    signed.write_bytes(bytes.fromhex("17082011") + bytes(4092) + lid.read_bytes())
    assert main([*words, "power9", "--lid", str(signed)]) == 3
    assert "signature" in capsys.readouterr().err
    assert main([*words, "--lid", str(tmp_path / "none")]) == 3
    assert [path.name for path in tmp_path.glob("powernv*")] == []


def test_a_kernel_that_is_none(lid: Path, capsys: Capture, tmp_path: Path) -> None:
    kernel = tmp_path / "vmlinux"
    kernel.write_bytes(b"\x7fELF" + os.urandom(1 << 16))
    words = ["--vmlinux", str(kernel), "--time-limit", "30", "--logs", str(tmp_path)]
    assert main(["boot", "--machine", "powernv9", *words]) == 3
    errors = capsys.readouterr().err
    assert errors.startswith(("idle-states: boot: kernel: ", "idle-states: boot: firmware: "))
    assert f"log: {tmp_path}/powernv9-" in errors


def test_a_guest_that_panics(lid: Path, tmp_path: Path) -> None:
    """For want of a program that could be its first process."""
    parts = boot_parts.parts(POWERNV["powernv9"], CACHE)
    broken = tmp_path / "busybox"
    broken.write_bytes(os.urandom(4096))
    request = BootRequest("powernv9", time_limit_s=600)
    with pytest.raises(BootFailure, match="the guest's kernel panicked") as caught:
        boot_with(replace(parts, busybox=broken), request, tmp_path)
    assert caught.value.stage == "kernel"
    assert "Kernel panic" in caught.value.log.read_text(errors="replace")


# Stopped, and side by side.


def command(directory: Path, *words: str) -> list[str]:
    program = [
        sys.executable,
        "-c",
        "import sys; from idle_states.cli import main; sys.exit(main())",
    ]
    return [*program, "boot", "--logs", str(directory), *words]


def running(directory: Path) -> Iterator[int]:
    """Processes that have to do with a directory of logs."""
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes()
            log = os.readlink(entry / "fd/1") if entry.name.isdecimal() else ""
        except OSError:
            continue
        if b"qemu-system" in words and (str(directory).encode() in words or str(directory) in log):
            yield int(entry.name)


@pytest.mark.usefixtures("hangup_heeded")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_left_when_it_is_stopped_at_any_moment(
    number: int, lid: Path, tmp_path: Path
) -> None:
    moment = random.Random().uniform(0.2, 6)
    with subprocess.Popen(
        command(tmp_path, "--machine", "powernv9", "--workload", "idle"), stderr=subprocess.PIPE
    ) as process:
        time.sleep(moment)
        process.send_signal(number)
        _, said = process.communicate(timeout=300)
    assert process.returncode in (-number, 128 + number), said
    for _ in range(600):
        if not list(running(tmp_path)):
            break
        time.sleep(0.1)
    assert list(running(tmp_path)) == [], f"stopped after {moment} s"


def test_two_boots_at_once(lid: Path, tmp_path: Path) -> None:
    """The two boot one machine, as it is and with the table of 2017 in an image, which itself is
    left alone: 200 ns and 2 us become 1 us and 2 us in this kernel, and it has fewer rows."""
    own = tmp_path / "own.lid"
    own.write_bytes(lid.read_bytes())
    words = ["--machine", "powernv9", "--time-limit", "600", "--format", "json"]
    as_it_is = ["--governor", "ladder", "--workload", "periodic"]
    name = "power9-dd1@84368bbf8"
    with_table = [name, "--lid", str(own), "--workload", "storm"]
    both = [
        subprocess.Popen(command(tmp_path, *words, *more), stdout=subprocess.PIPE)
        for more in (as_it_is, with_table)
    ]
    outputs = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    here, table = (agreed(output.decode()) for output in outputs)
    assert here["logs"] != table["logs"]
    assert list(latencies(here)) == ["snooze", "stop0_lite", "stop0", "stop1"]
    assert here["governor"] == "ladder"
    assert here["versions"]["modelled_as"].startswith("debian-")
    assert latencies(table)["stop0_lite"] == (1, 2)
    is_as_predicted(table, find(name))
    assert own.read_bytes() == lid.read_bytes()
    assert any(line.startswith("stop1: when it is selected") for line in table["unconfirmed"])
