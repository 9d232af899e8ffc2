"""Wheels: what is one of a release, and what is refused."""

import stat
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import ROOT
from tools import try_wheels, wheel_audit, wheels
from tools.wheels import PLATFORMS, Platform

LISTED = Path(ROOT, ".git").exists() or Path(ROOT, wheel_audit.SDIST).exists()
pytestmark = pytest.mark.skipif(not LISTED, reason="neither a clone of git nor an sdist")

WANTED = wheel_audit.expected(ROOT, ROOT / "setup.cfg") if LISTED else {}
PPC64LE = PLATFORMS["ppc64le"].machine
NAME = "idle_states-0.1.0-cp311-abi3-manylinux_2_17_ppc64le.whl"
HOME = "idle_states-0.1.0.dist-info"
MANUAL = ".data/data/share/man/man1/idle-states.1"

Files = dict[str, bytes]


def elf(machine: int, *, bits: int = 2, order: int = 1, kind: int = 3) -> bytes:
    """An ELF header's first 20 bytes. kind: e_type, a shared object if not given."""
    endian = "little" if order == 1 else "big"
    half = kind.to_bytes(2, endian) + machine.to_bytes(2, endian)
    return bytes([0x7F, *b"ELF", bits, order, 1]) + bytes(9) + half


def good() -> Files:
    files = {name: path.read_bytes() if path else elf(PPC64LE) for name, path in WANTED.items()}
    files[f"idle_states-0.1.0{MANUAL}"] = files.pop(MANUAL)
    return files | {f"{HOME}/{name}": b"" for name in wheel_audit.METADATA}


def complaints(directory: Path, files: Files, name: str = NAME) -> list[str]:
    wheel = directory / name
    with zipfile.ZipFile(wheel, "w") as archive:
        for member, content in files.items():
            archive.writestr(member, content)
    return [*wheel_audit.complaints(wheel, WANTED, PPC64LE)]


def without(name: str) -> Callable[[Files], object]:
    return lambda files: files.pop(name)


def having(name: str, content: bytes = b"") -> Callable[[Files], object]:
    return lambda files: files.update({name: content})


CORE, TREES = wheel_audit.COMPILED
BAD = {
    "no core": (without(CORE), f"it lacks {CORE}"),
    "core of x86-64": (having(CORE, elf(62)), f"{CORE}: expected ELF machine 21, found 62"),
    "big-endian": (having(TREES, elf(21, order=2)), f"{TREES} is not of a 64-bit little-endian"),
    "of 32 bits": (having(TREES, elf(20, bits=1)), f"{TREES} is not of a 64-bit little-endian"),
    "note of no core": (
        having("idle_states/tables/linux/governors/core/_core.missing"),
        "idle_states/tables/linux/governors/core/_core.missing does not belong in it",
    ),
    "a test": (
        having("tests/base/model/test_history.py"),
        "tests/base/model/test_history.py does not belong in it",
    ),
    "C": (
        having("idle_states/tables/linux/governors/core/menu.c"),
        "idle_states/tables/linux/governors/core/menu.c does not belong in it",
    ),
    "no licence": (without(f"{HOME}/licenses/LICENSE"), f"it lacks {HOME}/licenses/LICENSE"),
    "no licence of the binding": (
        without(f"{HOME}/licenses/LICENSES/GPL-2.0-only.txt"),
        f"it lacks {HOME}/licenses/LICENSES/GPL-2.0-only.txt",
    ),
    "no compiled specs": (without(wheel_audit.PREPARED), f"it lacks {wheel_audit.PREPARED}"),
    "other compiled specs": (
        having(wheel_audit.PREPARED, b"of other specs"),
        f"{wheel_audit.PREPARED} differs from ",
    ),
    "untyped": (without("idle_states/py.typed"), "it lacks idle_states/py.typed"),
    "another spec": (
        having("idle_states/tables/specs/power9.yaml", b"name: power9\n"),
        "{0} differs from {1}/{0}".format("idle_states/tables/specs/power9.yaml", ROOT),
    ),
    "no manual": (without(f"idle_states-0.1.0{MANUAL}"), f"it lacks idle_states-0.1.0{MANUAL}"),
    "no template": (
        without("idle_states/templates/table.md.j2"),
        "it lacks idle_states/templates/table.md.j2",
    ),
}


def test_what_a_wheel_has() -> None:
    """Every kind of file is wanted, at its place in a wheel, and none of the makers'."""
    assert {
        "idle_states/tables/specs/power9.yaml",
        "idle_states/schemas/powerpc/opal-power-mgt.yaml",
        "idle_states/schemas/output.schema.json",
        "idle_states/skiboot_patches/mambo-stop4.yaml",
        "idle_states/tables/linux/governors/menu.py",
    } <= WANTED.keys()
    package = WANTED.keys() - {MANUAL}
    assert len(package) == len(WANTED) - 1
    assert all(name.startswith("idle_states/") for name in package)
    assert {Path(name).suffix for name in package} == {
        *".py .typed .yaml .json .j2 .js .md .so .marshal .c .h".split()
    }
    compiled_later = {Path(name).parent.name for name in package if name.endswith((".c", ".h"))}
    assert compiled_later == {"source"}


def test_a_whole_wheel_is_accepted(tmp_path: Path) -> None:
    assert complaints(tmp_path, good()) == []


@pytest.mark.parametrize("name", BAD)
def test_a_damaged_wheel_is_refused(name: str, tmp_path: Path) -> None:
    damage, said = BAD[name]
    files = good()
    damage(files)
    (complaint,) = complaints(tmp_path, files)
    assert complaint.startswith(said)


@pytest.mark.parametrize("tag", ["cp311-abi3-linux_ppc64le", "cp312-cp312-manylinux_2_17_ppc64le"])
def test_a_wheel_for_few_is_refused(tag: str, tmp_path: Path) -> None:
    """One for this machine's glibc alone, or for one Python."""
    (complaint,) = complaints(tmp_path, good(), f"idle_states-0.1.0-{tag}.whl")
    assert complaint.startswith("expected cp311, abi3 and manylinux in the name")


def test_sources_are_those_of_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that git does not track stay out, and modes do not depend on the maker's umask."""
    root, copy = tmp_path / "root", tmp_path / "copy"
    root.mkdir()
    for name, mode in (("a.py", 0o600), ("b.sh", 0o700), ("stray", 0o644)):
        (root / name).write_text(name, "utf-8")
        (root / name).chmod(mode)
    for words in (("init", "-q"), ("add", "a.py", "b.sh")):
        subprocess.run(["git", *words], cwd=root, check=True)
    monkeypatch.setattr(wheels, "ROOT", root)
    wheels.copy_sources(copy)
    name2mode = {path.name: stat.S_IMODE(path.stat().st_mode) for path in copy.iterdir()}
    assert name2mode == {"a.py": 0o644, "b.sh": 0o755}


def test_specs_are_compiled_to_the_same_bytes_whatever_the_hash_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = set()
    for seed in "12":
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        found.add(wheel_audit.prepared(ROOT, tmp_path / seed).read_bytes())
    assert len(found) == 1


def test_a_missing_compiler_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unknown = Platform("vax", "vax", "vax-linux-gnu", 75)
    monkeypatch.setitem(PLATFORMS, "vax", unknown)
    assert wheels.main(["vax"]) == 3
    errors = capsys.readouterr().err
    assert "apt-get install gcc-vax-linux-gnu libc6-dev-vax-cross" in errors


def test_an_unknown_platform_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    for main in (wheels.main, try_wheels.main):
        with pytest.raises(SystemExit, match="2"):
            main(["ppc64el"])
        assert capsys.readouterr().err == "expected x86_64 or ppc64le or aarch64, found ppc64el\n"


def test_machines_are_recognised_by_their_programs() -> None:
    """qemu-user is asked for programs of the platform, not for this machine's."""
    magic, mask = (part.format(machine=PPC64LE) for part in try_wheels._MAGIC)
    wanted, counts = (
        part.encode("ascii").decode("unicode_escape").encode("latin-1") for part in (magic, mask)
    )
    for machine, same in ((PPC64LE, True), (PLATFORMS["x86_64"].machine, False)):
        for executable in (2, 3):
            head = elf(machine, kind=executable)
            assert (bytes(a & b for a, b in zip(head, counts, strict=True)) == wanted) is same
