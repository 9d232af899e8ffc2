"""Builds a skiboot.lid from a copy of a source tree: the tree itself is never written to.

The copy is kept in the cache, so that the next build of the same tree is incremental; if no file
has changed, the image built last is used again.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..patches.tree import PatchedTree
from ..reading import launching, limits
from .debian import Unavailable

CROSS = "powerpc64-linux-gnu-"
COMPILER_PACKAGE = "gcc-powerpc64-linux-gnu"
TIME_LIMIT_S = limits.MAKE_S
"""Limit for make. A build from scratch takes 75 s on two idle cores."""
_TARGET = "skiboot.lid"
_BUILT = (".o", ".d", ".a", ".lid", ".lid.xz", ".elf", ".map", ".lds", ".stb", ".i", ".dtb")
"""Endings of files that a build writes into a tree. They are not copied with the sources."""
_SCRIPT_LDS = ".lds.S"
_SHOWN = ("PATH", "TMPDIR", "CCACHE_DIR")
_LAST_LINES = 8
_UNDER_WAY = ".building"
"""Name of a file that exists in a copy while make runs there. A copy where it was left behind holds
an interrupted build and is discarded."""


class BuildFailure(Exception):
    """make failed, or took too long; the message says how, and where its log is."""


def lid_of(
    tree: PatchedTree,
    texts: Mapping[str, str],
    cache: Path,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Builds the image of a tree and returns its path.

    texts  path -> text of files that replace the tree's own
    cache  directory for the copy of the tree and the image
    say    called with what is being done
    Raises BuildFailure; debian.Unavailable if make or a cross compiler is missing; OSError.
    """
    for program in ("make", f"{CROSS}gcc"):
        if launching.find(program) is None:
            raise Unavailable(f"{program} is not installed (Debian package {COMPILER_PACKAGE})")
    contents = _contents(tree, texts)
    version = f"v{tree.version}" if tree.version else "v0"
    digest = _digest(contents, version)
    image = cache / "lids" / f"{digest}.lid"
    copy = cache / "trees" / hashlib.sha256(bytes(tree.root.resolve())).hexdigest()[:12]
    for directory in (copy.parent, image.parent):
        directory.mkdir(parents=True, exist_ok=True)
    with _locked(copy.with_name(f".{copy.name}.lock")):
        if not image.is_file():
            say("building skiboot")
            if (copy / _UNDER_WAY).exists():
                shutil.rmtree(copy)
            copy.mkdir(exist_ok=True)
            _synchronise(copy, contents, tree)
            _make(copy, version, copy.with_name(f"{copy.name}.log"))
            beside = image.with_name(f".{digest}.{os.getpid()}")
            shutil.copyfile(copy / _TARGET, beside)
            beside.replace(image)
    return image


def _contents(tree: PatchedTree, texts: Mapping[str, str]) -> dict[str, bytes]:
    """Path -> content of every source file; links lead to what is copied as well."""
    found = {
        name: tree.read(tree.root / name)
        for name in tree.names()
        if not name.endswith(_BUILT) or name.endswith(_SCRIPT_LDS)
    }
    for name, text in texts.items():
        found[name] = text.encode("utf-8", "surrogateescape")
    return found


def _digest(contents: Mapping[str, bytes], version: str) -> str:
    digest = hashlib.sha256(version.encode())
    for name, content in contents.items():
        digest.update(f"\0{name}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
        digest.update(content)
    return digest.hexdigest()[:24]


def _synchronise(copy: Path, contents: Mapping[str, bytes], tree: PatchedTree) -> None:
    """Writes `contents` to the copy and removes other sources. Unchanged files keep their
    modification time, so that make does not rebuild what depends on them."""
    manifest = copy / ".sources"
    if manifest.is_file():
        for name in manifest.read_text("utf-8", "surrogateescape").split("\0"):
            if name and name not in contents:
                (copy / name).unlink(missing_ok=True)
    manifest.write_text("\0".join(contents), "utf-8", "surrogateescape")
    for name, content in contents.items():
        target = copy / name
        if target.is_file() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755 if tree.mode(name) == "100755" else 0o644)


def _make(copy: Path, version: str, log: Path) -> None:
    words = [f"-j{os.cpu_count() or 1}", f"CROSS={CROSS}", _TARGET]
    # skiboot's make asks git for the version: git must not find a repository around the copy. The
    # tree's make is a stranger's program: it gets only the variables that a build needs
    environment = {
        **{name: os.environ[name] for name in _SHOWN if name in os.environ},
        "HOME": str(copy.resolve()),
        "SKIBOOT_VERSION": version,
        "GIT_CEILING_DIRECTORIES": str(copy.resolve().parent),
    }
    (copy / _UNDER_WAY).touch()
    program = launching.find("make") or ""
    status = launching.run_logged(
        program, words, TIME_LIMIT_S, log, directory=copy, environment=environment
    )
    if status is None:
        raise BuildFailure(f"make took longer than {TIME_LIMIT_S:g} s; see {log}")
    (copy / _UNDER_WAY).unlink()
    if status or not (copy / _TARGET).is_file():
        last = log.read_text("utf-8", "replace").splitlines()[-_LAST_LINES:]
        lines = "".join(f"\n  {line}" for line in last)
        raise BuildFailure(f"make ended with status {status}; see {log}, which ends with:{lines}")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
