"""Tests of what boot says of bad input and of guests that go wrong, each with the stage and the
log.

The guests that go wrong are scripts in QEMU's place: what one prints is input like any other.
"""

import base64
import errno
import gzip
import hashlib
import json
import lzma
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.reading import limits
from idle_states.change.boot import console as collect
from idle_states.change.boot import run as boot_run
from idle_states.change.boot.boot import BootFailure, PreparedBoot
from idle_states.change.boot.booted import Booted
from idle_states.change.boot.parts import Parts
from idle_states.change.boot.powernv import build
from idle_states.change.boot.powernv import levels as boot_levels
from idle_states.change.boot.powernv.boot import SCRIPT
from idle_states.change.boot.powernv.image import from_tree, in_lid
from idle_states.change.boot.request import BootRequest
from idle_states.change.boot.workload import WORKLOADS, workload
from idle_states.change.patches.tree import PatchedTree
from idle_states.cli import main
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.skiboot import c_table
from idle_states.tables.sources import read_table
from idle_states.tables.spec.library import find
from tests.support.boots import boot_with, recorded_boot
from tests.support.lids import FILLER, image
from tests.support.thorough import few

Capture = pytest.CaptureFixture[str]


def test_machine_is_needed_and_firmware_is_one(capsys: Capture) -> None:
    for words in (["power9"], ["--machine", "powernv9", "--lid", "a", "--tree", "b"]):
        with pytest.raises(SystemExit, match="2"):
            main(["boot", *words])
    assert "not allowed with" in capsys.readouterr().err


# Guests that go wrong.


def section(name: str) -> str:
    text = base64.encodebytes(gzip.compress(b"x")).decode()
    return f"@@begin {name}@@\n{text}@@end {name}@@\n"


OPAL = "[    0.04,5] OPAL v7.0 starting...\n"
KERNEL = f"{OPAL}[    6.3,5] INIT: Starting kernel at 0x20010000\n"
GUESTS = {
    "says nothing": ("", "", "QEMU", "expected fdt, uname"),
    "ends in firmware": (OPAL, "", "firmware", "it ends with"),
    "panics": (f"{KERNEL}Kernel panic - not syncing", "", "kernel", "the guest's kernel panicked"),
    "prints half": (KERNEL + section("fdt"), "", "collecting", "expected uname"),
    "prints garbage": (
        f"{KERNEL}@@begin fdt@@\n\x1b]0;x\x07!!\n@@end fdt@@\n",
        "",
        "collecting",
        "expected fdt gzipped in base64",
    ),
    "ends badly": (OPAL, "exit 7", "firmware", "status 0, found 7"),
    "hangs": (KERNEL, "exec sleep 1000", "kernel", "within 2 s, found it running"),
}


def parts_with(script: str, directory: Path) -> Parts:
    program = directory / "qemu"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    for name in ("lid", "kernel", "busybox"):
        (directory / name).write_bytes(b"")
    kernel, busybox, lid = (directory / name for name in ("kernel", "busybox", "lid"))
    return Parts(program, kernel, busybox, lid=lid)


@pytest.mark.parametrize("what", few(6, GUESTS))
def test_a_guest_that_goes_wrong_is_told_with_its_stage(what: str, tmp_path: Path) -> None:
    printed, then, stage, told = GUESTS[what]
    (tmp_path / "printed").write_text(printed)
    parts = parts_with(f"cat '{tmp_path}/printed'; {then}", tmp_path)
    limit_s = 2 if what == "hangs" else 60
    with pytest.raises(BootFailure) as caught:
        boot_with(parts, BootRequest("powernv9", time_limit_s=limit_s), tmp_path / "logs")
    assert caught.value.stage == stage
    assert told in str(caught.value)
    assert str(tmp_path) not in str(caught.value)
    assert caught.value.log.read_text() == printed


def test_a_guest_that_prints_without_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONSOLE_BYTES", 1 << 20)
    parts = parts_with("yes | head -c 2000000; exec sleep 1000", tmp_path)
    with pytest.raises(BootFailure, match="at most 1048576 bytes from the guest, found more"):
        boot_with(parts, BootRequest("powernv9", time_limit_s=60), tmp_path / "logs")


def test_a_workload_needs_its_sections_too(tmp_path: Path) -> None:
    (tmp_path / "printed").write_text(KERNEL + "".join(map(section, SCRIPT.sections)))
    parts = parts_with(f"cat '{tmp_path}/printed'", tmp_path)
    assert boot_with(parts, BootRequest("powernv9"), tmp_path).recorded is None
    with pytest.raises(BootFailure, match="expected before, after, recorder, recording"):
        boot_with(parts, BootRequest("powernv9", workload=workload("idle")), tmp_path)


@given(st.data())
def test_what_firmware_and_kernel_say_amid_a_section_does_no_harm(data: st.DataObject) -> None:
    contents = {name: os.urandom(99) for name in SCRIPT.sections}
    log = KERNEL + "".join(
        f"@@begin {name}@@\n{base64.encodebytes(gzip.compress(content)).decode()}@@end {name}@@\n"
        for name, content in contents.items()
    )
    place = st.integers(len(KERNEL), len(log))
    places = sorted([data.draw(place), data.draw(place)], reverse=True)
    intruders = (
        "[   31.014821378,3] SBE: Timer stuck, falling back to OPAL pollers.\n",
        "[   23.568909] watchdog: BUG: soft lockup - CPU#0 stuck\r\n",
    )
    for at, intruder in zip(places, intruders, strict=True):
        log = log[:at] + intruder + log[at:]
    assert collect.sections(log, SCRIPT.sections) == contents


@pytest.mark.parametrize("name", WORKLOADS)
@pytest.mark.parametrize("smp", [1, 2])
def test_every_workload_is_shell(name: str, smp: int, tmp_path: Path) -> None:
    import shutil
    import subprocess

    script = SCRIPT.init(workload(name), smp, recorded=True)
    for shell in (["sh"], ["busybox", "sh"]):
        if shutil.which(shell[0]):
            subprocess.run([*shell, "-n"], input=script, text=True, check=True)
    for kind in workload(name).kinds:
        assert re.search(rf"^    load \d+ {kind}$", script, re.MULTILINE)
    assert "section_recording" not in SCRIPT.init(workload("idle"), 1)


# Stop levels changed in memory.


def answered(connection: socket.socket, memory: bytearray, junk: bytes) -> None:
    """A stub over `memory`, as far as it is asked here; junk: answered instead."""
    received = b""
    while part := connection.recv(4096):
        received += part
        while match := re.search(rb"\$([^#]*)#..", received):
            received = received[match.end() :]
            answer = junk or stub_answer(match[1], memory)
            connection.sendall(b"+$%s#%02x" % (answer, sum(answer) & 0xFF))


def stub_answer(words: bytes, memory: bytearray) -> bytes:
    start = boot_levels.TREE_ADDRESS
    if words[:1] == b"m":
        at, size = (int(word, 16) for word in words[1:].split(b","))
        return memory[at - start : at - start + size].hex().encode()
    if words[:1] == b"M":
        place, data = words[1:].split(b":")
        at, size = (int(word, 16) for word in place.split(b","))
        memory[at - start : at - start + size] = bytes.fromhex(data.decode())
    return b"OK"


@pytest.fixture
def stub(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, bytearray]]:
    """Socket and memory. Its parameter: the memory's content, and what is answered instead."""
    content, junk = request.param
    memory = bytearray(content)
    path = tmp_path / "stub"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                if junk is not None:
                    answered(connection, memory, junk)

        thread = threading.Thread(target=serve)
        thread.start()
        yield path, memory
        thread.join()


def tree(properties: dict[str, bytes]) -> bytes:
    node = Node("power-mgt", properties)
    return fdt.write(Node("", {"x": b"\xc0\0\0\0"}, (Node("ibm,opal", {}, (node,)),)))


LEVELS = {"ibm,enabled-stop-levels": b"\xc0\0\0\0"}


@pytest.mark.parametrize("stub", [(tree(LEVELS), b"")], indirect=True)
def test_only_the_propertys_bytes_change(stub: tuple[Path, bytearray]) -> None:
    path, memory = stub
    boot_levels.enable(path, 0x12345678)
    assert bytes(memory) == tree({"ibm,enabled-stop-levels": b"\x12\x34\x56\x78"})


@pytest.mark.parametrize(
    "stub",
    [
        (tree({}), b""),
        (tree({"ibm,enabled-stop-levels": b"\xc0\0"}), b""),
        (b"\0" * 64, b""),
        (b"\xff" * 64, b""),
        (b"\0\0\0\0\0\0\0\x40" + b"\x55" * 56, b""),
        (tree(LEVELS), b"E22"),
        (tree(LEVELS), b"zz"),
        (tree(LEVELS), None),
    ],
    indirect=True,
)
def test_a_stub_that_does_not_do_its_part_is_told(stub: tuple[Path, bytearray]) -> None:
    with pytest.raises(boot_levels.StubError, match=r"expected"):
        boot_levels.enable(stub[0], 0xFFFFFFFF)


# Firmware that cannot be made.


@pytest.mark.slow
def test_a_tree_that_is_none_and_one_without_the_table(tmp_path: Path, skiboot_tree: Path) -> None:
    from idle_states.base.model.findings import Faulty, Unreadable

    with pytest.raises(Unreadable, match="expected a skiboot tree"):
        from_tree(PatchedTree(tmp_path), "powernv9", None, tmp_path / "cache")
    (tmp_path / "hw").mkdir()
    text = (skiboot_tree / "hw/slw.c").read_text()
    without = text.replace("power9_cpu_idle_states[]", "other_states[]")
    (tmp_path / "hw/slw.c").write_text(without)
    (tmp_path / "include").symlink_to(skiboot_tree / "include")
    with pytest.raises(Unreadable, match=r"expected .* power9_cpu_idle_states|outside it"):
        from_tree(PatchedTree(tmp_path), "powernv9", None, tmp_path / "cache")
    with pytest.raises((Unreadable, Faulty)):
        from_tree(PatchedTree(tmp_path), "powernv9", read_table("power9"), tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_an_image_without_tables(tmp_path: Path) -> None:
    from idle_states.base.model.findings import Unreadable

    image = tmp_path / "skiboot.lid"
    image.write_bytes(os.urandom(4096))
    with pytest.raises(Unreadable):
        in_lid(image, "powernv9", None, tmp_path)


def test_a_tree_that_does_not_build_names_the_log(tmp_path: Path) -> None:
    import shutil

    if not shutil.which(f"{build.CROSS}gcc") or not shutil.which("make"):
        pytest.skip(f"no cross compiler (Debian package {build.COMPILER_PACKAGE})")
    (tmp_path / "tree/hw").mkdir(parents=True)
    (tmp_path / "tree/hw/slw.c").write_text(
        "static struct cpu_idle_states power9_cpu_idle_states[] = {\n"
        '    { .name = "stop0", .latency_ns = 1, .residency_ns = 2, .flags = 1 },\n};\n'
    )
    (tmp_path / "tree/Makefile").write_text("skiboot.lid:\n\t@echo of no use; false\n")
    before = sorted(path.name for path in (tmp_path / "tree").rglob("*"))
    with pytest.raises(build.BuildFailure, match=r"\w+\.log, which ends with:\n  of no use"):
        from_tree(PatchedTree(tmp_path / "tree"), "powernv9", None, tmp_path / "cache")
    assert sorted(path.name for path in (tmp_path / "tree").rglob("*")) == before


def test_a_directory_of_logs_that_cannot_be_is_named(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "file").write_text("")
    logs = tmp_path / "file" / "logs"
    assert main(["boot", "--machine", "powernv9", "--logs", str(logs)]) == 3
    assert capsys.readouterr().err.startswith("idle-states: boot: ")


# The command, with a script in QEMU's place or a boot that has been recorded.


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A command line whose QEMU is tmp_path/qemu: hangs in the kernel unless replaced."""
    (tmp_path / "printed").write_text(KERNEL)
    hangs = f"cat '{tmp_path}/printed'; exec sleep 1000"
    parts = parts_with(f"[ $1 = --version ] || {{ {hangs}; }}", tmp_path)
    assert parts.lid is not None
    parts.lid.write_bytes(FILLER + image(find("power9").states) + FILLER)
    monkeypatch.setattr(boot_run.boot_parts, "parts", lambda *_, **__: parts)
    return ["boot", "--machine", "powernv9", "--logs", str(tmp_path / "logs")]


def boots(monkeypatch: pytest.MonkeyPatch, then: Callable[[], object] = lambda: None) -> None:
    """Every boot is the recorded one, and then something happens."""

    def recorded(prepared: PreparedBoot, *_: object) -> Booted:
        then()
        return recorded_boot(prepared.request.machine, prepared.directory)

    monkeypatch.setattr(boot_run, "boot", recorded)


@pytest.mark.usefixtures("hangup_heeded")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_told_with_stage_and_logs(
    number: signal.Signals, words: list[str], tmp_path: Path, capsys: Capture
) -> None:
    ended = threading.Event()

    def send() -> None:
        while not ended.is_set():
            if any(KERNEL in log.read_text() for log in tmp_path.glob("logs/*/powernv9.log")):
                ended.wait(0.3)
                break
            time.sleep(0.05)
        if not ended.is_set():
            os.kill(os.getpid(), number)

    thread = threading.Thread(target=send)
    thread.start()
    status: object = None
    try:
        status = main(words)
    except SystemExit as end:
        status = end.code
    ended.set()
    thread.join()
    assert status == 128 + number
    (logs,) = (tmp_path / "logs").glob("powernv9-*")
    said = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
    assert capsys.readouterr().err == f"idle-states: boot: kernel: {said}; logs: {logs}\n"


def test_a_failure_names_its_log_once(words: list[str], capsys: Capture) -> None:
    assert main([*words, "--time-limit", "3"]) == 3
    err = capsys.readouterr().err
    assert err.startswith("idle-states: boot: kernel: expected the guest to end within 3 s")
    assert err.count("powernv9.log") == 1


@pytest.mark.parametrize("change", ["edited", "removed"])
def test_a_table_is_read_before_the_boot_only(
    change: str,
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("name: mine\nextends: power9\n")
    digest = hashlib.sha256(mine.read_bytes()).hexdigest()
    boots(monkeypatch, lambda: mine.write_text("x") if change == "edited" else mine.unlink())
    assert main([*words, str(mine), "--format", "json"]) in (0, 1)
    inputs = json.loads(capsys.readouterr().out)["inputs"]
    assert [each["sha256"] for each in inputs if each["file"] == str(mine)] == [digest]


def test_a_result_that_cannot_be_written_leaves_the_logs(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    boots(monkeypatch)
    missing = tmp_path / "none" / "out.txt"
    assert main([*words, "-o", str(missing)]) == 3
    (logs,) = (tmp_path / "logs").glob("powernv9-*")
    where = f"{missing}: No such file or directory; logs: {logs}"
    assert capsys.readouterr().err == f"idle-states: boot: writing the result: {where}\n"
    full = Path("/dev/full")
    if full.exists():
        with full.open("w") as stream:
            monkeypatch.setattr("sys.stdout", stream)
            assert main(words) == 3
            monkeypatch.undo()
            stream.close = lambda: None  # type: ignore[method-assign]
        err = capsys.readouterr().err
        assert err.startswith("idle-states: boot: writing the result: standard output: No space")


def test_a_file_of_the_logs_that_cannot_be_written_is_named(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    boots(monkeypatch, lambda: monkeypatch.setattr(Path, "write_bytes", full))
    assert main(words) == 3
    (logs,) = (tmp_path / "logs").glob("powernv9-*")
    where = f"{logs}/tree.dtb: No space left on device; logs: {logs}"
    assert capsys.readouterr().err == f"idle-states: boot: QEMU: {where}\n"


def test_firmware_that_does_not_take_the_table_is_no_difference(
    words: list[str], tmp_path: Path, capsys: Capture
) -> None:
    """Status 1 says that a boot came out otherwise than predicted."""
    plain = (tmp_path / "lid").read_bytes()
    assert main([*words, "power9@84368bbf8"]) == 3
    assert "expected 1 to 8 rows, as compiled in, found 9" in capsys.readouterr().err
    wrapped = {
        "signature": bytes.fromhex("17082011") + bytes(4092) + plain,
        "xz": lzma.compress(plain),
    }
    for told, data in wrapped.items():
        (tmp_path / "lid").write_bytes(data)
        assert main([*words, "power9"]) == 3
        assert told in capsys.readouterr().err


def test_a_tree_without_the_table_is_named(
    words: list[str], tmp_path: Path, capsys: Capture
) -> None:
    old = tmp_path / "old"
    (old / "hw").mkdir(parents=True)
    (old / "hw/slw.c").write_text(c_table.write([find("power8")]))
    assert main([*words, "power9", "--tree", str(old)]) == 3
    warned, _, error = capsys.readouterr().err.partition("\n")
    assert warned.endswith("runs this tree's make as you: build only a tree that you trust")
    assert error.startswith(f"{old}: error: ")
