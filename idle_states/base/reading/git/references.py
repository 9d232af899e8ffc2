"""A repository's branches, tags and HEAD, read as data.

Forms: gitrepository-layout(5) "refs", "packed-refs", "HEAD"; git-check-ref-format(1).
"""

from collections.abc import Iterator, Mapping
from typing import Final

from ...dataclass import dataclass
from ...model.findings import unreadable
from ...patterns import pattern
from .. import limits, opening
from .place import Place

_NAME = pattern(r"refs(?:/(?!\.)[^\x00-\x20\x7f~^:?*\[\\/]+(?<!\.lock))+")
_HASH = pattern(r"(?:[0-9a-f]{40}|[0-9a-f]{64})(?=\s|$)")
_SYMBOLIC: Final = "ref:"
_REPLACING = "refs/replace/"
_OTHER_HEADS = ("ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_OWN = ("refs/worktree/", "refs/bisect/", "refs/rewritten/")
"""References of one work tree each."""
_FILE_BYTES = 4096
_DEPTH = 5
"""Names that stand for names, as git follows them; also, fivefold, directories in refs/."""


@dataclass(frozen=True, slots=True)
class References:
    """names  "refs/heads/main" -> hash
    heads     "HEAD" and the like -> hash, or "ref: refs/heads/main"
    replaced  number of objects that the repository would have replaced by others
    """

    names: Mapping[str, str]
    heads: Mapping[str, str]
    replaced: int


def read(place: Place, shown: str) -> References:
    """Raises Unreadable (IS930) where HEAD is missing or damaged. A name or hash that git would
    not take does not count."""
    refs: dict[str, str] = {}
    heads = {}
    with opening.Tree(place.common) as common:
        if common.is_file("packed-refs"):
            refs |= _packed(common.read("packed-refs", limits.GIT_REFERENCES_BYTES, shown=shown))
        refs |= _loose(common, shown)
    with opening.Tree(place.git_dir) as own:
        if place.git_dir != place.common:
            refs = {name: value for name, value in refs.items() if not name.startswith(_OWN)}
            refs |= _loose(own, shown)
        for name in ("HEAD", *_OTHER_HEADS):
            if own.is_file(name):
                heads[name] = _text(own, name, shown, limits.GIT_REFERENCES_BYTES)
    names = {name: found for name in refs if (found := _followed(refs, refs[name]))}
    replaced = sum(name.startswith(_REPLACING) for name in names)
    names = {name: found for name, found in names.items() if not name.startswith(_REPLACING)}
    heads = {name: found for name in heads if (found := _head(heads[name]))}
    if "HEAD" not in heads:
        raise unreadable(shown, "expected a git repository with a HEAD, found none")
    return References(names, heads, replaced)


def _head(text: str) -> str:
    """Returns the head in its normal form; "" for text that is neither name nor hash."""
    if text.startswith(_SYMBOLIC):
        target = text.removeprefix(_SYMBOLIC).strip()
        return f"ref: {target}" if _is_name(target) else ""
    match = _HASH.match(text)
    return match[0] if match else ""


def _packed(data: bytes) -> Iterator[tuple[str, str]]:
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        value, _, name = line.partition(" ")
        if not line.startswith(("#", "^")) and _is_name(name):
            yield name, value


def _loose(tree: opening.Tree, shown: str) -> Iterator[tuple[str, str]]:
    waiting = ["refs"] if tree.kind_of("refs", follow=False) == opening.DIRECTORY else []
    count = 0
    while waiting:
        below = waiting.pop()
        for entry in tree.entries(below, follow=False):
            name = f"{below}/{entry.name}"
            count += 1
            if count > limits.GIT_REFERENCES:
                raise unreadable(shown, f"expected at most {limits.GIT_REFERENCES} files in refs/")
            if entry.kind == opening.DIRECTORY and name.count("/") < _DEPTH * _DEPTH:
                waiting.append(name)
            elif entry.kind == opening.FILE and _is_name(name):
                yield name, _text(tree, name, shown, _FILE_BYTES)


def _text(tree: opening.Tree, name: str, shown: str, limit: int) -> str:
    read = tree.read(name, limit, shown=shown, follow=False)
    return read.decode("utf-8", "surrogateescape")


def _followed(refs: Mapping[str, str], value: str) -> str:
    """The hash that a reference stands for; "" for none."""
    for _ in range(_DEPTH):
        if not value.startswith(_SYMBOLIC):
            match = _HASH.match(value)
            return match[0] if match else ""
        value = refs.get(value.removeprefix(_SYMBOLIC).strip(), "")
    return ""


def _is_name(text: str) -> bool:
    return bool(_NAME.fullmatch(text)) and ".." not in text and "@{" not in text
