"""Builds a skiboot.lid from a copy of a source tree: the tree itself is never written to.

The copy is kept in the cache, so that the next build of the same tree is incremental; if no file
has changed, the image built last is used again.

Trees from 5.4 on build with compilers and assemblers that came after them: where a warning that the
tree makes an error ends make, it runs again without that, and what assemblers take no more is
rewritten in the copy. Either is said.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from ....base.dataclass import dataclass
from ....base.files import locked
from ....base.reading import launching, limits, opening
from ....base.reading.cache import fault_of
from ...patches.tree import PatchedTree
from ..debian import Unavailable

CROSS = "powerpc64-linux-gnu-"
COMPILER_PACKAGE = "gcc-powerpc64-linux-gnu"
_TARGET = "skiboot.lid"
_BUILT = (".o", ".d", ".a", ".lid", ".lid.xz", ".elf", ".map", ".lds", ".stb", ".i", ".dtb")
"""Endings of files that a build writes into a tree. They are not copied with the sources."""
_SCRIPT_LDS = ".lds.S"
_UNFIT_VERSION = re.compile(r"[^\w.+~-].*", re.ASCII | re.DOTALL)
_NO_ERROR = "CWARNS=-Wall -Wno-error"
"""skiboot's own variable for warnings, -Werror among them."""
_WARNED = "-Werror="
_HEAD = "asm/head.S"
_COMPARISON = re.compile(rb"\b(cmpl?i?[ \t]+%cr[0-7]),(%r[0-9]+,[^,\s]+)(?=\s)")
_FOUR_OPERANDS = (
    f"{_HEAD}: comparisons of three operands, which assemblers no longer accept, have four in "
    "the copy, as since skiboot 05cfe0d6a"
)
_WARNINGS_STAY = "warnings of today's compiler, errors in this tree, were allowed: -Wno-error"
_SHOWN = ("PATH", "TMPDIR", "CCACHE_DIR")
_LAST_LINES = 8
_UNDER_WAY = ".building"
"""Name of a file that exists in a copy while make runs there. A copy where it was left behind holds
an interrupted build and is discarded."""


class BuildFailure(Exception):
    """make failed, or took too long; the message says how, and where its log is."""


@dataclass(frozen=True, slots=True)
class BuiltImage:
    """The image, and what the build did otherwise than the tree says."""

    lid: Path
    remarks: tuple[str, ...]


def lid_of(
    tree: PatchedTree,
    files: Mapping[str, bytes | None],
    cache: Path,
    say: Callable[[str], None] = lambda line: None,
) -> BuiltImage:
    """Builds the image of a tree.

    files  path -> content of files that replace the tree's own; None for those left out
    cache  directory for the copy of the tree and the image
    say    called with what is being done
    Raises BuildFailure; debian.Unavailable if make or a cross compiler is missing; OSError.
    """
    for program in ("make", f"{CROSS}gcc"):
        if launching.find(program) is None:
            raise Unavailable(f"{program} is not installed (Debian package {COMPILER_PACKAGE})")
    contents = _contents(tree, files)
    remarks = _mended(contents)
    version = _UNFIT_VERSION.sub("", tree.described) or "v0"
    digest = _digest(contents, version)
    image = cache / "lids" / f"{digest}.lid"
    passed = image.with_suffix(".no-error")
    copy = cache / "trees" / hashlib.sha256(bytes(tree.root.resolve())).hexdigest()[:12]
    for directory in (copy.parent, image.parent):
        directory.mkdir(parents=True, exist_ok=True)
    for kept, kind in ((image, opening.FILE), (copy, opening.DIRECTORY)):
        if fault := fault_of(kept, kind):
            raise Unavailable(f"in the cache, {kept} {fault}; remove it")
    with locked(copy.with_name(f".{copy.name}.lock")):
        if not image.is_file():
            say("building skiboot")
            passed.unlink(missing_ok=True)
            if (copy / _UNDER_WAY).exists():
                shutil.rmtree(copy)
            copy.mkdir(exist_ok=True)
            _synchronise(copy, contents, tree)
            if not _make(copy, version, copy.with_name(f"{copy.name}.log"), say):
                passed.touch()
            beside = image.with_name(f".{digest}.{os.getpid()}")
            shutil.copyfile(copy / _TARGET, beside)
            beside.replace(image)
    return BuiltImage(image, (*remarks, *([_WARNINGS_STAY] if passed.exists() else ())))


def _contents(tree: PatchedTree, files: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """Path -> content of every source file; links lead to what is copied as well."""
    found = {
        name: tree.read(tree.root / name)
        for name in tree.names()
        if not name.endswith(_BUILT) or name.endswith(_SCRIPT_LDS)
    }
    for name, content in files.items():
        if content is None:
            found.pop(name, None)
        else:
            found[name] = content
    return found


def _mended(contents: dict[str, bytes]) -> list[str]:
    """Rewrites what assemblers of today refuse; what there is to say of it."""
    new, count = _COMPARISON.subn(rb"\1,0,\2", contents.get(_HEAD, b""))
    if not count:
        return []
    contents[_HEAD] = new
    return [_FOUR_OPERANDS]


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


def _make(copy: Path, version: str, log: Path, say: Callable[[str], None]) -> bool:
    """Runs the tree's make; without -Werror if that ended it. Whether it went as the tree says."""
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
    # the image of an earlier build must not pass for this one's
    (copy / _TARGET).unlink(missing_ok=True)

    def made(*more: str) -> int:
        status = launching.run_logged(
            launching.find("make") or "",
            [*words, *more],
            limits.MAKE_S,
            log,
            directory=copy,
            environment=environment,
        )
        if status is None:
            raise BuildFailure(f"make took longer than {limits.MAKE_S:g} s; see {log}")
        return status

    status = made()
    strict = not (status and _WARNED in log.read_text("utf-8", "replace"))
    if not strict:
        say("building skiboot, without -Werror")
        status = made(_NO_ERROR)
    (copy / _UNDER_WAY).unlink()
    if status or not (copy / _TARGET).is_file():
        last = log.read_text("utf-8", "replace").splitlines()[-_LAST_LINES:]
        lines = "".join(f"\n  {line}" for line in last)
        raise BuildFailure(f"make ended with status {status}; see {log}, which ends with:{lines}")
    return strict
