"""The mails and threads of mailing lists' mirrors: public-inbox repositories, one mail a commit,
file `m`."""

import hashlib
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from pathlib import Path

_ID = re.compile(r"<([^<>\s]+)>")
_HEAD_BYTES = 65_536
_FROM = re.compile(rb"^(>*From )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Indexed:
    """A mail's place: a mirror and a commit; and the ids of the mails that it answers."""

    mirror: Path
    commit: str
    answers: tuple[str, ...]


def git(directory: Path, *words: str) -> bytes:
    """Returns the output of git. Raises subprocess.CalledProcessError."""
    return subprocess.run(
        ["git", "-C", str(directory), *words], check=True, capture_output=True
    ).stdout


def is_mirror(directory: Path) -> bool:
    """Tells whether a repository's last commit has one file `m`, as a mirror's."""
    return git(directory, "ls-tree", "--name-only", "HEAD").split() == [b"m"]


class Archive:
    """The mails of several mirrors, each once. cache: directory where mirrors' indices are kept."""

    def __init__(self, mirrors: Sequence[Path], cache: Path) -> None:
        self.mails: dict[str, Indexed] = {}
        for mirror in mirrors:
            for name, mail in _index(mirror, cache):
                self.mails.setdefault(name, mail)
        self._thread_of = _threads({name: mail.answers for name, mail in self.mails.items()})

    def content(self, name: str) -> bytes:
        """Returns a mail as the mirror has it."""
        mail = self.mails[name]
        return git(mail.mirror, "cat-file", "blob", f"{mail.commit}:m")

    def thread(self, name: str) -> tuple[str, ...]:
        """Returns the ids of a mail's thread, in the order in which the mirrors have them."""
        return self._thread_of[name]

    def box(self, names: Sequence[str]) -> bytes:
        """Returns mails as one mbox."""
        return b"".join(
            b"From archive@example.com Thu Jan  1 00:00:00 1970\n"
            + _FROM.sub(rb">\1", self.content(name)).rstrip(b"\n")
            + b"\n\n"
            for name in names
        )


def _index(mirror: Path, cache: Path) -> Iterator[tuple[str, Indexed]]:
    """Yields the mails of a mirror, the oldest first, by their ids."""
    head = git(mirror, "rev-parse", "HEAD").decode().strip()
    file = cache / f"{head}.tsv"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = ["\t".join((name, commit, *ids)) for name, commit, ids in _headers(mirror)]
        beside = file.with_suffix(".new")
        beside.write_text("\n".join(rows), "utf-8", "surrogateescape")
        beside.rename(file)
    for row in file.read_text("utf-8", "surrogateescape").splitlines():
        name, commit, *ids = row.split("\t")
        yield name, Indexed(mirror, commit, tuple(ids))


def _headers(mirror: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Yields id, commit and the ids answered of each mail that has an id."""
    commits = git(mirror, "rev-list", "--reverse", "HEAD").decode().split()
    parser = BytesHeaderParser()
    with tempfile.TemporaryFile() as wanted:
        wanted.write("".join(f"{commit}:m\n" for commit in commits).encode())
        wanted.seek(0)
        words = ["git", "-C", str(mirror), "cat-file", "--batch", "--buffer"]
        with subprocess.Popen(words, stdin=wanted, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            for commit in commits:
                told = child.stdout.readline().split()
                if len(told) != 3:
                    # a mail that the list removed
                    continue
                head = child.stdout.read(int(told[2]) + 1)[:_HEAD_BYTES]
                said = parser.parsebytes(re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0] + b"\n\n")
                own = _ID.findall(str(said["Message-ID"]))
                if own:
                    answered = f"{said['References']} {said['In-Reply-To']}"
                    yield own[0], commit, list(dict.fromkeys(_ID.findall(answered)))


def _threads(answers: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Returns the thread of each mail: all that answer the same one, directly or not."""
    above: dict[str, str] = {}

    def top(name: str) -> str:
        while above.get(name, name) != name:
            above[name] = above.get(above[name], above[name])
            name = above[name]
        return name

    for name, ids in answers.items():
        for other in ids:
            above[top(other)] = top(name)
    found: dict[str, list[str]] = {}
    for name in answers:
        found.setdefault(top(name), []).append(name)
    return {name: tuple(thread) for thread in found.values() for name in thread}


def short(name: str) -> str:
    """Returns a file's name for a mail's id."""
    return hashlib.sha1(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]
