"""Runs git in a repository of our own, which borrows the objects of another and nothing else.

The other's configuration is never read by git: so there are no filters, hooks, aliases, includes,
file-system monitors, remotes, helpers or promisors, whatever it says. Branches and tags are handed
over as data (`references`). Nothing is fetched, no object is replaced by another.
"""

import os
import re
import tempfile
from pathlib import Path

from ...dataclass import dataclass
from ...model.findings import Unreadable, unreadable
from ...patterns import pattern
from .. import launching, limits, opening, owners
from ..git_am import UNFIT
from . import place, references

_CONFIG = """\
[core]
\trepositoryformatversion = 1
\tbare = true
\tcommitGraph = false
\tmultiPackIndex = false
\tfsmonitor = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
\tpackedGitWindowSize = 32m
\tpackedGitLimit = 512m
[extensions]
\tobjectFormat = {format}
"""
"""Caches of the repository that could contradict its objects are left aside."""
_BOUNDS = launching.Bounds(
    time_s=limits.GIT_S,
    memory_bytes=limits.GIT_MEMORY_BYTES,
    output_bytes=limits.GIT_OUTPUT_BYTES,
)
_ENVIRONMENT = {
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_FORMATS = ("sha1", "sha256")
_EXTENSIONS = frozenset(
    "noop noop-v1 preciousobjects partialclone worktreeconfig objectformat compatobjectformat "
    "refstorage relativeworktrees submodulepathconfig".split()
)
_OF_THE_USER = pattern(
    r"HOME|XDG_CONFIG_HOME|GIT_CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+|PARAMETERS)",
    re.ASCII,
)
_HASH = pattern(r"\b(?:[0-9a-f]{40}|[0-9a-f]{64})\b")
_HASHES = pattern(r"^[0-9a-f]{40}(?:[0-9a-f]{24})?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class User:
    """The user's identity in git, "" where unknown. is_conditional: the user's configuration
    includes others for some repositories, which are not looked at. is_unfit: the repository's own
    name or address cannot stand in a mail, and is left out."""

    name: str
    email: str
    is_conditional: bool
    is_unfit: bool


class DamagedObject(Unreadable):
    """An object of the repository is missing, or not what its name says."""


class Private:
    """A repository of our own over the objects of the one that `directory` is, or lies in.

    place    where the parts of that one lie
    settings its configuration, as data: key -> value
    format   "sha1" or "sha256"
    notes    what it says that is not followed, for the user to know
    shallow  commits whose parents it lacks
    """

    def __init__(self, directory: Path, shown: str) -> None:
        """Raises Unreadable (IS930)."""
        program = launching.find("git")
        if program is None:
            raise unreadable(shown, "expected the program git, found none")
        if not directory.is_dir():
            message = "expected a git repository, found no directory"
            if opening.is_file(directory):
                message += "; of a bundle, make one first: git clone FILE DIRECTORY"
            raise unreadable(shown, message)
        self._program = program
        self._shown = shown
        self._made = tempfile.TemporaryDirectory(
            prefix="idle-states-git-", ignore_cleanup_errors=True
        )
        try:
            self._own = Path(self._made.name)
            self._environment: dict[str, str] = {"GIT_DIR": self._made.name, **_ENVIRONMENT}
            self.format = "sha1"
            self.notes: list[str] = []
            self.shallow: frozenset[str] = frozenset()
            self.settings: dict[str, str] = {}
            self._lay_out()
            self.place = place.find(directory, shown, self._configuration)
            place.expect_own_objects(self.place, shown)
            self._fill()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._made.cleanup()

    def run(self, *words: str) -> launching.Done:
        """Raises Unreadable (IS930) only where a limit is passed."""
        return launching.run(
            self._program, words, _BOUNDS, self._shown, environment=self._environment
        )

    def talking(self, *words: str) -> launching.Child:
        """git as a process that answers what is written to it."""
        bounds = launching.Bounds(
            stall_s=limits.GIT_ANSWER_S,
            memory_bytes=limits.GIT_MEMORY_BYTES,
            cpu_s=limits.GIT_S,
        )
        return launching.Child(
            self._program, words, bounds, self._shown, talks=True, environment=self._environment
        )

    def output(self, *words: str) -> bytes:
        """Returns git's output. Raises Damaged (IS930) with its complaint where it fails."""
        done = self.run(*words)
        if done.status:
            raise self.failed(done)
        return done.output

    def text(self, *words: str) -> str:
        return self.output(*words).decode("utf-8", "surrogateescape")

    def failed(self, done: launching.Done) -> DamagedObject:
        # the last word is the fatal one, which need not name the object
        complaints = [re.sub(r"^\w+: ", "", line) for line in done.complaints.strip().splitlines()]
        named = next((line for line in reversed(complaints) if _HASH.search(line)), None)
        found = named or (complaints[-1] if complaints else f"exit status {done.status}")
        return self.damaged(f"expected git to read the repository, found: {found}")

    def damaged(self, message: str) -> DamagedObject:
        return DamagedObject(self._bad(f"{message}{self._incomplete()}").findings)

    @property
    def is_partial(self) -> bool:
        return "extensions.partialclone" in self.settings or any(
            key.startswith("remote.") and key.endswith((".promisor", ".partialclonefilter"))
            for key in self.settings
        )

    def user(self) -> "User":
        """user.name and user.email as git has them: the repository's, else the user's own."""
        own = {name: text for name, text in os.environ.items() if _OF_THE_USER.fullmatch(name)}
        environment = {**own, "GIT_DIR": self._made.name}
        wanted = r"^(user\.(name|email)|includeif\..*)$"
        words = ("config", "--includes", "--null", "--get-regexp", wanted)
        done = launching.run(self._program, words, _BOUNDS, self._shown, environment=environment)
        found = _listed(done.output)
        return User(
            found.get("user.name", ""),
            found.get("user.email", ""),
            any(key.startswith("includeif.gitdir") for key in found),
            any(UNFIT.search(self.settings.get(f"user.{key}", "")) for key in ("name", "email")),
        )

    def _lay_out(self) -> None:
        for name in ("objects", "refs"):
            (self._own / name).mkdir()
        (self._own / "HEAD").write_text("ref: refs/heads/none\n")
        (self._own / "config").write_text(_CONFIG.format(format=self.format))

    def _fill(self) -> None:
        """With what the other repository says, each value looked at before it is written."""
        with opening.Tree(self.place.common) as common:
            read = b""
            if common.is_file("config"):
                read = common.read("config", limits.GIT_CONFIGURATION_BYTES)
            cut = b""
            if common.is_file("shallow"):
                cut = common.read("shallow", limits.GIT_REFERENCES_BYTES)
            grafted = common.kind_of("info/grafts") is not None
        self.settings = self._configuration(read)
        unknown = _unknown(self.settings)
        if unknown:
            raise self._bad(
                f"expected a repository of a known form, found {unknown}: git would refuse it, too"
            )
        self.format = self.settings.get("extensions.objectformat", "sha1").lower()
        stored = self.settings.get("extensions.refstorage", "files").lower()
        if self.format not in _FORMATS:
            raise self._bad(f"expected objects named by sha1 or sha256, found {self.format!r:.40}")
        if stored != "files":
            raise self._bad(
                f"expected references in files, found them in {stored!r:.40}: make a clone that "
                "has them in files (git clone --ref-format=files, git 2.45), and name that"
            )
        own = _CONFIG.format(format=self.format) + "[user]\n"
        author = {key: self.settings.get(f"user.{key}", "") for key in ("name", "email")}
        stranger = owners.stranger_at(self.place.common / "config")
        if stranger and any(author.values()):
            self.notes.append(
                f"its user.name and user.email are not used: they belong to {stranger}"
            )
            author = {}
        for key, value in author.items():
            if value and not UNFIT.search(value):
                escaped = value.replace("\\", "\\\\").replace('"', '\\"')
                own += f'\t{key} = "{escaped}"\n'
        (self._own / "config").write_bytes(os.fsencode(own))
        self.shallow = frozenset(_HASHES.findall(cut.decode("ascii", "replace")))
        if self.shallow:
            (self._own / "shallow").write_text("".join(f"{x}\n" for x in sorted(self.shallow)))
        self._hand_over(references.read(self.place, self._shown))
        if grafted:
            self.notes.append("its grafts are not followed")
        self._environment["GIT_OBJECT_DIRECTORY"] = str(self.place.objects)
        named = os.pathsep.join(map(str, place.named_objects()))
        if named:
            self._environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = named

    def _hand_over(self, found: references.References) -> None:
        lines = "".join(f"{value} {name}\n" for name, value in sorted(found.names.items()))
        (self._own / "packed-refs").write_bytes(os.fsencode(lines))
        for name, value in found.heads.items():
            (self._own / name).write_bytes(os.fsencode(f"{value}\n"))
        if found.replaced:
            objects = "object is" if found.replaced == 1 else "objects are"
            self.notes.append(
                f"{found.replaced} {objects} read as committed; its replace refs are ignored"
            )

    def _configuration(self, data: bytes) -> dict[str, str]:
        """Returns a configuration file's settings, without includes. The last of several counts."""
        file = self._own / "data"
        file.write_bytes(data)
        done = self.run("config", "--file", str(file), "--no-includes", "--null", "--list")
        if done.status:
            lines = done.complaints.strip().replace(str(file), "config").splitlines()
            raise self._bad(f"expected a git configuration, found: {lines[0] if lines else 'none'}")
        return _listed(done.output)

    def _bad(self, message: str) -> Unreadable:
        return unreadable(self._shown, message)

    def _incomplete(self) -> str:
        if self.shallow:
            return "; the clone is shallow: fetch more of its history (git fetch --deepen=N)"
        if self.is_partial:
            return "; the clone is partial, and nothing is fetched: clone it without --filter"
        return ""


def _unknown(settings: dict[str, str]) -> str:
    """Returns what of a repository's form git does not know either; "" for nothing."""
    version = settings.get("core.repositoryformatversion", "0")
    if version not in ("0", "1"):
        return f"core.repositoryformatversion {version!r:.40}"
    names = (key.removeprefix("extensions.") for key in settings if key.startswith("extensions."))
    # where the version is 0, git takes those of old for what they are, and leaves others alone
    found = sorted(set(names) - _EXTENSIONS) if version == "1" else []
    return f"extensions.{found[0]!s:.40}" if found else ""


def _listed(output: bytes) -> dict[str, str]:
    pairs = (os.fsdecode(entry).partition("\n") for entry in output.split(b"\0") if entry)
    return {key: value for key, _, value in pairs}
