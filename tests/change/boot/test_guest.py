"""The parts of a boot that need no guest: archive, runner, log, packages."""

import base64
import gzip
import os
import shutil
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from idle_states.base.reading import limits
from idle_states.base.reading.launching import find
from idle_states.change.boot import console as collect
from idle_states.change.boot import guest, qemu
from idle_states.change.boot import parts as boot_parts
from idle_states.change.boot.debian import Unavailable
from idle_states.change.boot.guest import CpioEntry
from idle_states.change.boot.parts import Parts
from idle_states.change.boot.powernv.boot import SCRIPT, PowernvBoot
from idle_states.change.boot.powernv.image import BootedFirmware
from idle_states.change.boot.powernv.machines import POWERNV
from idle_states.change.boot.request import BootRequest
from idle_states.change.boot.workload import EVERYTHING
from idle_states.tables.spec.library import find as find_spec

SH = find("sh") or ""
CUT_OFF = gzip.compress(b"x" * 999, mtime=0)[:-9]
PARTS = Parts(Path("/q"), Path("/k"), Path("/b"), lid=Path("/l"))


# The guest's file system.


def test_archive_unpacks_to_what_went_in(tmp_path: Path) -> None:
    cpio = shutil.which("cpio")
    if not cpio:
        pytest.skip("cpio is not installed (Debian package cpio)")
    entries = [CpioEntry("d", 0o040755), CpioEntry("d/link", 0o120777, b"file")]
    entries += [
        CpioEntry(f"d/{'x' * size}", 0o100755 - 0o111 * (size % 2), os.urandom(size))
        for size in range(1, 10)
    ]
    command = [cpio, "-i", "-d", "--quiet"]
    subprocess.run(command, cwd=tmp_path, input=guest.archive(entries), check=True)
    assert os.readlink(tmp_path / "d/link") == "file"
    for entry in entries[2:]:
        file = tmp_path / entry.name
        assert file.read_bytes() == entry.data
        assert file.stat().st_mode == entry.mode


def test_init_is_shell_and_prints_every_section() -> None:
    script = SCRIPT.init(EVERYTHING, 1)
    subprocess.run(["sh", "-n"], input=script, text=True, check=True)
    for name in SCRIPT.sections:
        assert f"section_{name}()" in script
    assert script.startswith("#!/bin/sh\n")
    assert b"\0" not in script.encode()
    assert gzip.decompress(guest.initramfs_of(b"busybox", SCRIPT.init(EVERYTHING, 1))).startswith(
        b"070701"
    )


# The log.


def section(name: str, content: bytes, end: str = "\n") -> str:
    text = base64.encodebytes(gzip.compress(content, mtime=0)).decode().replace("\n", end)
    return f"@@begin {name}@@{end}{text}@@end {name}@@{end}"


def test_sections_come_back_whole_from_a_noisy_console() -> None:
    contents = {name: os.urandom(500) + name.encode() for name in SCRIPT.sections}
    log = "OPAL v7.0 starting...\r\n\0" + "noise\r\n".join(
        section(name, content, "\r\n") for name, content in contents.items()
    )
    assert collect.sections(log, SCRIPT.sections) == contents


def test_a_log_that_ends_early_says_what_is_missing_and_how_it_ended() -> None:
    log = section("fdt", b"x") + "Kernel panic - not syncing\n"
    with pytest.raises(collect.Incomplete) as caught:
        collect.sections(log, SCRIPT.sections)
    assert "expected uname, cpuidle, dmesg, msglog" in str(caught.value)
    assert "Kernel panic" in str(caught.value)


@pytest.mark.parametrize("text", ["", "not base64!", "AAAA", base64.b64encode(CUT_OFF).decode()])
def test_a_damaged_section_is_named(text: str) -> None:
    with pytest.raises(collect.Incomplete, match="dmesg"):
        collect.sections(f"@@begin dmesg@@\n{text}\n@@end dmesg@@\n", SCRIPT.sections)


def test_all_sections_have_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CONSOLE_UNPACKED_BYTES", 1000)
    whole = {name: bytes(200) for name in SCRIPT.sections}
    assert collect.sections("".join(map(section, whole, whole.values())), SCRIPT.sections) == whole
    for large in ({"fdt": bytes(100_000)}, dict.fromkeys(SCRIPT.sections, bytes(201))):
        with pytest.raises(collect.Incomplete, match="at most 1000 bytes in all sections"):
            collect.sections("".join(map(section, large, large.values())), SCRIPT.sections)


def test_sections_that_nobody_asked_for_are_not_unpacked() -> None:
    contents = dict.fromkeys(SCRIPT.sections, b"x")
    large = section("other", bytes(1 << 20))
    peaks = []
    for log in ("", large * 200, "@@begin fdt@@\n!!\n@@end fdt@@\n"):
        tracemalloc.start()
        asked = "".join(map(section, contents, contents.values()))
        assert collect.sections(log + asked, SCRIPT.sections) == contents
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + (2 << 20)


@pytest.mark.parametrize(
    "part",
    ["@@begin fdt@@\n", "@@begin a@@\n", "@@end fdt@@\n", "[1.123456] ", "[", "[1.", "\n", "a "],
)
def test_a_log_of_marks_is_read_in_time_that_grows_with_it(part: str) -> None:
    """A quadratic reader would need hours."""
    log = section("uname", b"Linux") + part * (limits.CONSOLE_BYTES // len(part))
    with pytest.raises(collect.Incomplete) as caught:
        collect.sections(log, SCRIPT.sections)
    assert len(str(caught.value)) < 3000


# QEMU.


def test_command_line() -> None:
    request, firmware = (
        BootRequest("powernv9", smp=2),
        BootedFirmware(Path("/l"), find_spec("power9"), "power9"),
    )
    given = PowernvBoot(request, PARTS, (), Path("/d"), firmware).given(Path("/s"))
    words = qemu.command(PARTS, request, Path("i"), given)
    assert words[0] == "/q"
    assert words[words.index("-bios") + 1] == "/l"
    assert words[words.index("-smp") + 1] == "2"


def test_output_is_kept_and_a_bad_end_is_told(tmp_path: Path) -> None:
    log = tmp_path / "log"
    qemu.run([SH, "-c", "echo out; echo err >&2"], log, 20)
    assert sorted(log.read_text().split()) == ["err", "out"]
    with pytest.raises(qemu.GuestFailure, match="status 0, found 7"):
        qemu.run([SH, "-c", "exit 7"], log, 20)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_guest_that_hangs_is_killed_and_reaped(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with pytest.raises(qemu.GuestFailure, match="within 2 s"):
        qemu.run([SH, "-c", "echo $$; exec sleep 1000"], log, 2)
    assert gone(int(log.read_text()))


@pytest.mark.parametrize("signal", ["INT", "TERM", "KILL"])
def test_no_guest_outlives_the_program(signal: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = (
        "from idle_states.change.boot import qemu; from pathlib import Path; "
        f"qemu.run([{SH!r}, '-c', 'echo $$; exec sleep 1000'], Path({str(log)!r}), 1000)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL) as runner:
        until(lambda: log.is_file() and log.read_text().endswith("\n"))
        runner.send_signal(getattr(__import__("signal"), f"SIG{signal}"))
        runner.wait(300)
    pid = int(log.read_text())
    until(lambda: gone(pid) or zombie(pid))


def zombie(pid: int) -> bool:
    """Dead, though whoever inherited it has not asked yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def until(condition: object) -> None:
    assert callable(condition)
    for _ in range(6000):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("waited 300 s in vain")


# The parts.


def test_a_part_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Unavailable, match=r"qemu-system-ppc64 is not installed \(Debian package"):
        boot_parts.parts(POWERNV["powernv9"])
    assert boot_parts.main() == 3
    assert "powernv9: missing: qemu-system-ppc64 is not installed" in capsys.readouterr().err


def test_own_files_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qemu_there = tmp_path / POWERNV["powernv9"].program
    qemu_there.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match=r"expected a file, found no /nowhere/skiboot\.lid"):
        boot_parts.parts(POWERNV["powernv9"], tmp_path, lid=Path("/nowhere/skiboot.lid"))
