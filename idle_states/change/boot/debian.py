"""Files out of Debian packages, leaving the system's apt configuration and state alone.

A download uses a throw-away apt configuration whose archive is the one the machine itself uses. It
needs no privileges: nothing is installed.
"""

import hashlib
import os
import platform
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ...base.files import locked
from ...base.model.findings import Unreadable
from ...base.reading import launching, limits, opening
from ...base.reading.cache import fault_of

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")

_APT_CONFIGURATION = """\
#clear APT::Architectures;
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear Acquire::IndexTargets::deb::DEP-11;
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Languages {{ "none"; }};
Acquire::Retries "2";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
Dir::Etc::SourceList "{directory}/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "{directory}/state";
Dir::State::status "{directory}/status";
Dir::Cache "{directory}/cache";
"""
_SHOWN = re.compile(r"(?:https?|ftp|all|no)_proxy|TMPDIR|APT_CONFIG|SSL_CERT_(?:FILE|DIR)", re.I)
_KERNEL = re.compile(r"linux-(?:image|binary)-[0-9]")
_NOT_ALL = (
    "E: Some index files failed to download. They have been ignored, or old ones used instead."
)
_CAUSES, _CAUSE_CHARACTERS = 3, 400
_BOUNDS = launching.Bounds(time_s=limits.ARCHIVE_S, output_bytes=limits.ARCHIVE_OUTPUT_BYTES)


class Unavailable(Exception):
    """A program, package or file cannot be had on this machine; the message says which and why."""


class Packages:
    """Debian packages unpacked below `cache`, each fetched once, even if processes ask at once.

    All methods raise Unavailable. A failure is remembered, so that a run without network waits only
    once for each package. So are the lists of an archive, while this object lives.
    """

    def __init__(self, cache: Path) -> None:
        self.cache = cache
        self.failures: dict[str, Unavailable] = {}
        self._apts: dict[tuple[str, str, str | None], _PrivateApt] = {}

    def source_tree(self, package: str, member: str, suite: str | None = None) -> Path:
        """The directory `member` of a source package; `suite` if not this machine's own."""

        def make(fresh: Path, scratch: Path) -> None:
            apt = self._apt("deb-src", native_architecture(), suite)
            apt.get(scratch, "source", "--download-only", "--tar-only", package)
            for archive in sorted(scratch.glob(f"{package}_*.tar.*")):
                if untar(archive, fresh, [f"*/{member}/*"], strip=1 + len(Path(member).parts)):
                    return
            raise Unavailable(f"the source package {package} has no {member}/")

        name = member.replace("/", "-")
        return self.made(f"{package}/{f'{suite}-' if suite else ''}{name}", make)

    def binary_tree(
        self,
        package: str,
        members: Sequence[str] = (),
        architecture: str | None = None,
        suite: str | None = None,
    ) -> Path:
        """An unpacked binary package, or only the `members` (patterns as of tar) of it; `suite` if
        not this machine's own.

        If the package has none of the members and exactly one dependency, or one that is a kernel,
        that is taken instead: ``linux-image-powerpc64le`` depends on the newest kernel image, which
        since 7.1 depends on ``linux-binary-*``.
        """
        architecture = architecture or native_architecture()

        def make(fresh: Path, scratch: Path) -> None:
            apt = self._apt("deb", architecture, suite)
            name, wanted = package, [f"./{member}" for member in members]
            for _ in range(3):
                if _undeb(apt.download(name, scratch), fresh, wanted):
                    return
                dependencies = apt.dependencies(name)
                images = [each for each in dependencies if _KERNEL.match(each)] or dependencies
                if len(images) != 1:
                    break
                (name,) = images
            either = " or ".join(members)
            raise Unavailable(f"the package {package} ({architecture}) has no {either}")

        kept = f"{package}_{architecture}/{f'{suite}-' if suite else ''}{digest(members)}"
        return self.made(kept, make)

    def binary_file(
        self, package: str, member: str, architecture: str | None = None, suite: str | None = None
    ) -> Path:
        """One file of a binary package. member: its path, or a pattern as of tar, whose * stands
        for slashes too, such as ``boot/vmlinux-*``."""
        tree = self.binary_tree(package, [member], architecture, suite)
        for path in sorted(tree.rglob(Path(member).name)):
            if path.is_file():
                return path
        raise Unavailable(f"the cache has {tree} without {member}; remove that folder")

    def made(self, name: str, make: Callable[[Path, Path], None]) -> Path:
        """Path of ``cache/name``. If it does not exist, `make(fresh, scratch)` fills the directory
        `fresh`, which is then renamed; `scratch` is a temporary directory."""
        target = self.cache / name
        if fault := fault_of(target, opening.DIRECTORY):
            raise Unavailable(f"in the cache, {target} {fault}; remove it")
        if target.is_dir():
            return target
        if name in self.failures:
            raise self.failures[name]
        try:
            self._make_once(target, make)
        except Unavailable as reason:
            self.failures[name] = reason
            raise
        return target

    def _apt(self, kind: str, architecture: str, suite: str | None) -> "_PrivateApt":
        key = kind, architecture, suite
        if key not in self._apts:
            directory = Path(tempfile.mkdtemp(prefix=".apt-", dir=self.cache))
            weakref.finalize(self, shutil.rmtree, directory, ignore_errors=True)
            self._apts[key] = _PrivateApt(directory, *key)
        return self._apts[key]

    def _make_once(self, target: Path, make: Callable[[Path, Path], None]) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        with locked(target.with_name(f".{target.name}.lock")):
            if not target.is_dir():
                with tempfile.TemporaryDirectory(prefix=".new-", dir=self.cache) as directory:
                    fresh, scratch = Path(directory, "fresh"), Path(directory, "scratch")
                    fresh.mkdir()
                    scratch.mkdir()
                    make(fresh, scratch)
                    fresh.rename(target)


class _PrivateApt:
    """apt with its own configuration, package lists and cache, all in `directory`."""

    def __init__(self, directory: Path, kind: str, architecture: str, suite: str | None) -> None:
        self.directory = directory
        self.configuration = directory / "apt.conf"
        for part in ("state/lists/partial", "cache/archives/partial"):
            (directory / part).mkdir(parents=True)
        (directory / "status").touch()
        source = f"{kind} [signed-by={KEYRING}] {archive(suite)} main\n"
        (directory / "sources.list").write_text(source)
        self.configuration.write_text(
            _APT_CONFIGURATION.format(directory=directory, architecture=architecture)
        )
        self.get(directory, "update")

    def get(self, into: Path, *arguments: str) -> str:
        return self._run(into, "apt-get", *arguments)

    def download(self, package: str, into: Path) -> Path:
        self.get(into, "download", package)
        # apt takes a name it does not know as a pattern, and may fetch another package
        for found in into.glob(f"{package}_*.deb"):
            return found
        raise Unavailable(f"the archive has no package {package}")

    def dependencies(self, package: str) -> list[str]:
        listed = self._run(self.directory, "apt-cache", "depends", "--important", package)
        return re.findall(r"^ *Depends: (\S+)$", listed, re.MULTILINE)

    def _run(self, folder: Path, program: str, *arguments: str) -> str:
        """Runs a program of apt with temporary files below the directory, also if it is killed."""
        words = [program, "-c", str(self.configuration), *arguments]
        return _run(words, folder, {"TMPDIR": str(self.directory)})


def archive(wanted: str | None = None) -> str:
    """Address and suite of the archive that this machine's main packages come from. wanted: another
    suite of that archive."""
    if not KEYRING.is_file():
        raise Unavailable(f"{KEYRING} is missing: not Debian, or no archive keyring")
    form = "$(RELEASE) $(COMPONENT) $(REPO_URI)"
    listed = _run(["apt-get", "indextargets", "--no-release-info", "--format", form])
    suites = {own_suite(), "oldstable", "stable", "testing", "unstable", "sid"}
    for line in listed.splitlines():
        suite, component, address = line.split(maxsplit=2)
        if component == "main" and suite in suites:
            return f"{address} {wanted or suite}"
    raise Unavailable("no Debian archive among this machine's apt sources")


def own_suite() -> str | None:
    """The codename of this machine's distribution, e.g. bookworm; None if it has none."""
    try:
        return platform.freedesktop_os_release().get("VERSION_CODENAME")
    except OSError:
        return None


def native_architecture() -> str:
    return _run(["dpkg", "--print-architecture"]).strip()


def _run(command: Sequence[str], directory: Path = Path("/"), more: Mapping[str, str] = {}) -> str:
    """Standard output of `command`. Raises Unavailable, with what it says of that, if it fails.
    more: variables of its environment beside those of this process that it is shown."""
    program, *words = command
    environment = {**_environment(), **more}
    try:
        done = launching.run(
            _program(program), words, _BOUNDS, "", directory=directory, environment=environment
        )
    except Unreadable as error:
        raise Unavailable(f"{program}: {error.findings[0].message}") from None
    if done.status:
        raise Unavailable(f"{program}: {_why(done.complaints)}")
    return done.output.decode("utf-8", "replace")


def _why(complaints: str) -> str:
    """The first of apt's errors and of its warnings behind them, which name the cause, or else the
    last line."""
    lines = complaints.strip().splitlines() or ["no message"]
    marked = [line for mark in ("E: ", "W: ") for line in lines if line.startswith(mark)]
    causes = [line for line in marked if line != _NOT_ALL] or lines[-1:]
    more = [f"and {len(causes) - _CAUSES} more"] if len(causes) > _CAUSES else []
    return "; ".join([*(line[:_CAUSE_CHARACTERS] for line in causes[:_CAUSES]), *more])


def _program(name: str) -> str:
    found = launching.find(name)
    if found is None:
        raise Unavailable(f"{name} is not installed")
    return found


def _environment() -> dict[str, str]:
    """Returns the environment variables that apt needs to reach an archive."""
    return {name: value for name, value in os.environ.items() if _SHOWN.fullmatch(name)}


def untar(archive: Path, into: Path, members: Sequence[str], strip: int = 0) -> bool:
    """Extracts `members` (patterns; () for all) and returns whether each was found. Raises
    Unavailable."""
    words = _tar(archive, into, members, strip)
    if archive.suffix == ".xz" and launching.find("xz") is None:
        raise Unavailable("xz is not installed (Debian package xz-utils)")
    try:
        return launching.run(_program("tar"), words, _BOUNDS, str(archive)).status == 0
    except Unreadable as error:
        raise Unavailable(f"tar: {error.findings[0].message}") from None


def _undeb(package: Path, into: Path, members: Sequence[str]) -> bool:
    """Like `untar`, from a binary package (.deb)."""
    name, bounds = str(package), launching.Bounds(time_s=limits.ARCHIVE_S)
    tar, deb = _program("tar"), _program("dpkg-deb")
    try:
        with (
            launching.Child(deb, ["--fsys-tarfile", name], bounds, name) as unpacked,
            launching.Child(tar, _tar("-", into, members), bounds, name, talks=True) as unpacker,
        ):
            for block in unpacked.blocks():
                unpacker.write(block)
            return (unpacked.end(), unpacker.end()) == (0, 0)
    except Unreadable as error:
        raise Unavailable(f"dpkg-deb: {error.findings[0].message}") from None


def _tar(archive: Path | str, into: Path, members: Sequence[str], strip: int = 0) -> list[str]:
    """The command line of tar. archive: "-" for standard input."""
    options = ["--no-same-owner", "--no-same-permissions", f"--strip-components={strip}"]
    return ["-x", "-f", str(archive), "-C", str(into), *options, "--wildcards", *members]


def digest(words: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:12] if words else "all"
