"""Reviews mails as a user would, by the command line, in the three ways in which a patch comes: by
mail, by thread, and as commits of a repository.

What came of each run is kept in a file, so that a run that is broken off goes on where it ended.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from idle_states.base.reading.mail.box import read_mails
from idle_states.base.reading.mail.series import MailedPatch, series_of, unquoted
from tools.archives.mirrors import git, short

PACKAGE = Path(__file__).parents[2] / "idle_states"
SECONDS = 900
"""After which a run is given up."""
NOT_MADE = -1
"""The status of a run that there cannot be."""
_OPTIONS = ("--runs", "0", "--kernel", "6.12", "--kernel", "6.18", "--format", "json")
_MEASURED = """\
import sys
from idle_states.cli import main
status = main(sys.argv[1:])
with open("/proc/self/status") as own:
    sys.stderr.write("\\n" + next(line for line in own if line.startswith("VmHWM")))
sys.exit(status)
"""
"""The command, and how much memory it took: what is told of a child counts its parent's."""
_LEFT_OUT = re.compile(r"^left out, as it [^:]+: ([^:]+)")
_NAMED = re.compile(r"the mail <?[^\s>]+>?|commit [0-9a-f]{7,40}|[0-9a-f]{9}\b")


@dataclass(frozen=True, slots=True)
class Found:
    """A finding. path: where it is in a table; message: without the names of commits; file: which
    is another of a mail than of a commit."""

    rule: str
    severity: str
    path: str
    message: str
    file: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run of `review`.

    status   its exit status
    cpu_s    with that of git
    memory   most of Python's process, in MiB
    found    its new findings
    effects  what changes in tables, a text each
    base     the commit that the mails were applied to; "" for none
    unread   changed lines that were not read
    refusal  why there is no answer; "" if there is one
    """

    status: int
    cpu_s: float
    memory: int
    found: tuple[Found, ...] = ()
    effects: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    base: str = ""
    unread: int = 0
    refusal: str = ""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Outcome":
        lists = {name: tuple(record[name]) for name in ("effects", "remarks")}
        return cls(**{**record, **lists, "found": tuple(Found(**each) for each in record["found"])})


@dataclass(frozen=True, slots=True)
class Thread:
    """The results of a thread.

    ids      of its mails
    alone    id of a patch -> its mail without a tree
    mailed   likewise, with the trees
    whole    all mails together, with the trees
    commits  the newest series of them as commits
    """

    ids: tuple[str, ...]
    alone: Mapping[str, Outcome]
    mailed: Mapping[str, Outcome]
    whole: Outcome
    commits: Outcome


class Runs:
    """Runs of `review`, each kept.

    trees     repositories that mails are applied to
    versions  hashes of the package's sources that were run
    """

    def __init__(self, directory: Path, trees: Sequence[Path], *, keep: bool = False) -> None:
        """keep: whether nothing is run, and what any sources of the package gave counts."""
        self.trees = [tree.resolve() for tree in trees]
        self._directory = directory.resolve()
        self._keep = keep
        self.versions: set[str] = set()
        self._digest = _digest()
        self._heads = [git(tree, "rev-parse", "HEAD").decode().strip() for tree in self.trees]

    def mailed(self, name: str, box: Callable[[], bytes], *, trees: bool = False) -> Outcome:
        """Reviews a mail or a box, which is read if it has to be. name: what it is kept by; trees:
        whether with the trees."""
        named = [word for tree in self.trees for word in ("--tree", str(tree)) if trees]

        def reviewed(scratch: str) -> Outcome:
            file = Path(scratch) / "mails.mbox"
            file.write_bytes(box())
            return _run([str(file), *named], scratch, {})

        return self._kept(f"{name} {self._heads if trees else []}", reviewed)

    def as_commits(self, name: str, box: Callable[[], bytes], mailed: Outcome) -> Outcome:
        """Reviews the newest series of a box as commits that git makes of it, on the commit that it
        was applied to as a mail."""

        def reviewed(scratch: str) -> Outcome:
            tree = next((t for t in self.trees if mailed.base and _has(t, mailed.base)), None)
            left = [m[1] for remark in mailed.remarks if (m := _LEFT_OUT.match(remark))]
            if tree is None:
                return Outcome(NOT_MADE, 0, 0, refusal="it was applied to no commit of a tree")
            try:
                head, setting = _committed(box(), tree, mailed.base, left, scratch)
            except subprocess.CalledProcessError as problem:
                lines = problem.stderr.decode("utf-8", "replace").splitlines()
                return Outcome(NOT_MADE, 0, 0, refusal=f"git: {lines[0] if lines else problem}")
            words = ["--tree", f"{scratch}/commits.git", f"{mailed.base}..{head}"]
            return _run(words, scratch, setting)

        return self._kept(f"{name} commits {mailed.base}", reviewed)

    def _kept(self, key: str, made: Callable[[str], Outcome]) -> Outcome:
        """Returns what is kept, or what is made in a new directory."""
        file = self._directory / f"{short(key)}.json"
        if file.exists():
            digest, record = json.loads(file.read_text("utf-8"))
            if self._keep or self._digest == digest:
                self.versions.add(digest)
                return Outcome.of(record)
        if self._keep:
            return Outcome(NOT_MADE, 0, 0, refusal="not run")
        with TemporaryDirectory() as scratch:
            outcome = made(scratch)
        self.versions.add(self._digest)
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(f".{threading.get_ident()}")
        beside.write_text(json.dumps([self._digest, asdict(outcome)]), "utf-8")
        beside.rename(file)
        return outcome


def _digest() -> str:
    """Returns a hash of the package's sources."""
    digest = hashlib.sha256()
    for file in sorted(PACKAGE.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _run(words: Sequence[str], where: str, setting: Mapping[str, str]) -> Outcome:
    """Runs `review` in a directory that is no repository's."""
    out, complaints = Path(where) / "out", Path(where) / "complaints"
    command = [sys.executable, "-c", _MEASURED, "review", *words, *_OPTIONS]
    environment = {**os.environ, **setting, "PYTHONPATH": str(PACKAGE.parent)}
    with out.open("wb") as output, complaints.open("wb") as error:
        child = subprocess.Popen(command, cwd=where, stdout=output, stderr=error, env=environment)
        timer = threading.Timer(SECONDS, child.kill)
        timer.start()
        _, ended, used = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(ended)
    lines = complaints.read_text("utf-8", "replace").splitlines()
    *text, last = ["", *(line for line in lines if line.strip())]
    memory = int(last.split()[1]) >> 10 if last.startswith("VmHWM") else 0
    cost = round(used.ru_utime + used.ru_stime, 2), memory
    try:
        result = json.loads(out.read_bytes())
    except ValueError:
        refusal = text[-1] if memory else last or f"given up after {SECONDS} s"
        return Outcome(child.returncode, *cost, refusal=_without(refusal.replace(where, "")))
    return Outcome(
        child.returncode,
        *cost,
        tuple(_findings(result)),
        tuple(sorted(set(_effects(result)))),
        tuple(result["remarks"]),
        result["base"],
        result["unread_lines"],
    )


def _findings(result: Mapping[str, Any]) -> Iterator[Found]:
    for one in result["findings"]:
        where = one["location"]
        file = where["file"] or ""
        path, message = _without(where["path"].replace(file, "")), _without(one["message"])
        yield Found(one["rule"], one["severity"], path, message, file)


def _effects(result: Mapping[str, Any]) -> Iterator[str]:
    for table in (table for change in result["changes"] for table in change["tables"]):
        side = table["after"] or table["before"]
        if table["before"] is None or table["after"] is None:
            yield f"{side['name']}: {'comes' if table['before'] is None else 'goes'}"
        for difference in table["differences"]:
            yield f"{side['name']}: {difference['path']} {difference['a']} -> {difference['b']}"


def _without(text: str) -> str:
    """Returns a text without the names of commits and mails."""
    return _NAMED.sub("it", text)


def _has(tree: Path, commit: str) -> bool:
    words = ["git", "-C", str(tree), "cat-file", "-e", f"{commit}^{{commit}}"]
    return not subprocess.run(words, capture_output=True, check=False).returncode


def _committed(
    box: bytes, tree: Path, base: str, left: Sequence[str], where: str
) -> tuple[str, dict[str, str]]:
    """Makes commits of the newest series of a box, by git itself. Returns the last one, and the
    setting in which the commits before are read. left: paths that the patches leave alone."""
    made = f"{where}/commits.git"
    subprocess.run(["git", "init", "-q", "--bare", made], check=True, capture_output=True)
    objects = git(tree, "rev-parse", "--path-format=absolute", "--git-path", "objects")
    setting = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": objects.decode().strip()}
    environment = {**os.environ, **setting, "GIT_DIR": made, "GIT_INDEX_FILE": f"{where}/index"}

    def run(*words: str, given: str = "", day: str = "") -> str:
        data = given.encode("utf-8", "surrogateescape")
        done = subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x", *words],
            input=data,
            env={**environment, "GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day},
            cwd=where,
            check=True,
            capture_output=True,
        )
        return done.stdout.decode().strip()

    run("read-tree", base)
    excluded = [f"--exclude={path}" for path in left]
    head = base
    for patch in _patches(box, where):
        text = unquoted(patch.mail.text)[0]
        run("apply", "--cached", "--whitespace=nowarn", *excluded, given=text)
        day = patch.mail.date.isoformat() if patch.mail.date else "2020-01-01T00:00:00+00:00"
        words = ("commit-tree", run("write-tree"), "-p", head)
        head = run(*words, given=patch.message, day=day)
    run("update-ref", "HEAD", head)
    return head, setting


def _patches(box: bytes, where: str) -> Sequence[MailedPatch]:
    file = Path(where) / "mails.mbox"
    file.write_bytes(box)
    return series_of(read_mails(str(file))[0], str(file))[-1].patches
