"""Compiles a governor's source into a program that answers, kept by its content."""

import hashlib
import os
import re
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path, PurePosixPath

from .....base.files import keep_newest
from .....base.model.findings import Unreadable, unreadable
from .....base.reading import cache, limits, opening
from .....base.reading.confined import Reach, confined
from .....base.reading.launching import Bounds, find, run
from .....base.resources import resource
from .interface import Interface
from .named import SourceFile

_FLAGS = (
    "-std=gnu11",
    "-O2",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fno-delete-null-pointer-checks",
    "-Werror=implicit-function-declaration",
    "-Werror=incompatible-pointer-types",
    "-Werror=int-conversion",
    "-static",
)
"""Options that decide what the kernel's code means, and those without which a file of another
interface would compile to nonsense."""
_OURS = ("gov_kernel.h", "gov.h", "unit.c", "serve.c")
_SEEN = ("bin", "lib", "lib32", "lib64", "libexec", "include")
_ERROR = re.compile(
    r"^(?:\S*/)?(?P<file>[^/\s:]+):(?P<line>\d+)(?::\d+)?: (?:fatal )?[Ee]rror: (.*)$", re.ASCII
)
MOST_KEPT = 100
"""Programs in the user's cache; each has about 800 KB."""
_UNDEFINED = re.compile(r"undefined reference to [`'](\w+)'", re.ASCII)
_COMPILE_S, _COMPILE_BYTES = 10, 512 * limits.MIB


def program(
    source: SourceFile, interface: Interface, hz: int, variant: tuple[str, ...] = ()
) -> Path:
    """Returns the program of a governor at a tick rate, compiled if that was not done before.

    variant  further words for the compiler
    Raises Unreadable for a file that does not compile, with its place; where there is no compiler,
    and where neither the compiler nor the governor can be confined.
    """
    compiler = _compiler()
    words = [*_FLAGS, f"-DHZ={hz}", "-DGOV_STATE_START=0"]
    words += [*(f"-D{name}" for name in interface.macros), *variant]
    parts = [compiler, *words, source.text, *sum(sorted(source.beside.items()), ())]
    parts += [*sorted(source.headers), *(ours().values())]
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
    kept = place(f"governor-{digest[:32]}")
    if kept is not None and opening.is_file(kept) and not cache.fault_of(kept):
        return kept
    with tempfile.TemporaryDirectory(prefix="idle-states-") as scratch:
        made = _compiled(source, compiler, words, Path(scratch))
        target = kept or Path(_private().name, f"governor-{digest[:32]}")
        fresh = target.with_name(f".{target.name}-{os.getpid()}")
        try:
            shutil.copyfile(made, fresh)
            fresh.chmod(0o700)
            _put(fresh, target)
        finally:
            fresh.unlink(missing_ok=True)
    for suffix in ("", ".initialised"):
        keep_newest(target.parent, f"governor-*{suffix}", suffix, MOST_KEPT)
    return target


def _put(fresh: Path, target: Path) -> None:
    """Gives a program its name in the cache. One that another process has put there meanwhile
    stays: it is the same, and a program that is replaced while it starts is out of its own reach.
    """
    try:
        os.link(fresh, target)
    except OSError:
        if not opening.is_file(target) or cache.fault_of(target):
            fresh.replace(target)


@lru_cache(maxsize=1)
def ours() -> dict[str, str]:
    """Returns file name -> text of the small kernel around a governor."""
    folder = resource("tables", "linux", "governors", "source")
    return {name: opening.read_text(folder / name) for name in _OURS}


@lru_cache(maxsize=1)
def _compiler() -> str:
    found = next((path for name in ("gcc", "cc") if (path := find(name))), None)
    if found is None:
        raise unreadable(
            "--governor",
            "expected a C compiler for a governor's source, found none; on Debian and Ubuntu: "
            "apt-get install gcc libc6-dev",
        )
    return os.path.realpath(found)


@lru_cache(maxsize=1)
def _private() -> tempfile.TemporaryDirectory[str]:
    """Returns a folder for programs where there is no cache; it goes with this process."""
    return tempfile.TemporaryDirectory(prefix="idle-states-governors-")


def place(name: str) -> Path | None:
    """Returns the path of a file in the user's cache; None where there can be none."""
    try:
        return cache.own_cache() / name
    except OSError:
        return None


def _compiled(source: SourceFile, compiler: str, words: list[str], scratch: Path) -> Path:
    named = PurePosixPath(source.file).name
    files = {f"ours/{name}": text for name, text in ours().items() if name != "gov.h"}
    files |= {f"given/{name}": text for name, text in source.beside.items()}
    files |= {f"include/{name}": '#include "gov_kernel.h"\n' for name in source.headers}
    files |= {f"given/{named}": source.text, "late/gov.h": ours()["gov.h"]}
    for name, text in files.items():
        target = scratch / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8", "surrogateescape"))
    made = scratch / "program"
    line = [
        compiler,
        *words,
        f'-DGOV_SOURCE="{named}"',
        *(f"-I{scratch / name}" for name in ("given", "ours", "include", "late")),
        "-o",
        str(made),
        *(str(scratch / "ours" / name) for name in ("unit.c", "serve.c")),
    ]
    if source.confined:
        prefix = os.path.dirname(os.path.dirname(compiler))
        seen = dict.fromkeys(f"{root}/{name}" for root in (prefix, "/usr", "") for name in _SEEN)
        line = confined(line, Reach(read=tuple(seen), write=(str(scratch),), starts=True))
    bounds = Bounds(
        time_s=_COMPILE_S * limits.WAITING,
        cpu_s=_COMPILE_S,
        memory_bytes=_COMPILE_BYTES,
        output_bytes=limits.MIB,
    )
    environment = {"TMPDIR": str(scratch)}
    done = run(line[0], line[1:], bounds, source.file, directory=scratch, environment=environment)
    if done.status:
        raise _refused(source, named, done.complaints)
    return made


def _refused(source: SourceFile, named: str, complaints: str) -> Unreadable:
    if complaints.startswith("not confined: "):
        raise unreadable(
            source.file,
            f"a governor's source cannot be confined here ({complaints[14:].strip()}); to run a "
            f"file that you trust anyway: --governor unconfined:{source.name}",
        )
    for line in complaints.splitlines():
        if (match := _ERROR.match(line)) is not None:
            place = int(match["line"]) if match["file"] == named else None
            message = match[3] if place else f"{match['file']}:{match['line']}: {match[3]}"
            if match["file"].endswith(".s"):
                # of the compiler's own temporary file
                message = f"{match[3]} (in its assembly)"
            return unreadable(source.file, _explained(message), place)
    last = f"compiling it takes more than {_COMPILE_S} s or {_COMPILE_BYTES // limits.MIB} MB"
    missing = _UNDEFINED.search(complaints)
    if "cannot find -lc" in complaints:
        last = "the C library is missing as a static one; on Debian and Ubuntu: libc6-dev"
    elif "gov_initcall" in complaints:
        last = (
            "it registers no governor: nothing calls cpuidle_register_governor() from "
            "postcore_initcall() or module_init()"
        )
    elif missing is not None:
        last = f"it calls {missing[1]}(), which the small kernel around a governor does not have"
    elif "rror:" in complaints and "terminated program" not in complaints:
        last = complaints.strip().splitlines()[-1]
    return unreadable(source.file, _explained(last))


def _explained(message: str) -> str:
    found = f"expected a cpuidle governor of Linux 4.4 or later, found: {message:.300}"
    if "incompatible-pointer-types" in message:
        return (
            f"{found}; known are the interfaces select(driver, device) up to 4.16, and "
            "select(driver, device, stop_tick) since"
        )
    return f"{found}; compare it with a kernel's drivers/cpuidle/governors/menu.c"
