"""The mails and threads of mailing lists' mirrors: public-inbox repositories, one mail a commit,
file `m`."""

import hashlib
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from pathlib import Path

from idle_states.base.reading import limits
from idle_states.base.reading.git.repository import Repository
from idle_states.base.reading.mail.archive import MAIL, Groups

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
    return git(directory, "ls-tree", "--name-only", "HEAD").split() == [MAIL.encode()]


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
        return git(mail.mirror, "cat-file", "blob", f"{mail.commit}:{MAIL}")

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
    parser = BytesHeaderParser()
    repository = Repository(mirror)
    try:
        mails = repository.versions("", repository.resolve("HEAD"), MAIL, limits.MAIL_BYTES)
        for commit, data in mails:
            head = re.split(rb"\r?\n\r?\n", data[:_HEAD_BYTES], maxsplit=1)[0]
            fields = parser.parsebytes(head + b"\n\n")
            own = _ID.findall(str(fields["Message-ID"]))
            if own:
                answered = f"{fields['References']} {fields['In-Reply-To']}"
                yield own[0], commit, list(dict.fromkeys(_ID.findall(answered)))
    finally:
        repository.close()


def _threads(answers: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Returns the thread of each mail: all that answer the same one, directly or not."""
    groups = Groups()
    for name, ids in answers.items():
        for other in ids:
            groups.join(name, other)
    found: dict[object, list[str]] = {}
    for name in answers:
        found.setdefault(groups.first(name), []).append(name)
    return {name: tuple(thread) for thread in found.values() for name in thread}


def short(name: str) -> str:
    """Returns a file's name for a mail's id."""
    return hashlib.sha1(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]
