"""Walks the trees of commits, each tree object once however many paths lead to it.

A commit of thirty objects can hold 10^20 paths. So whatever goes through paths asks first how many
there are (`TreeWalker.listed`), and whatever compares commits goes through distinct trees alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...dataclass import dataclass
from ...model.findings import Unreadable
from .. import limits

DIRECTORY, SYMLINK = b"40000", b"120000"
Entry = tuple[bytes, str]
"""Mode and hash of what a tree holds."""
Tree = Mapping[str, Entry]
_Node = tuple[str, ...]
"""A directory at each of some commits: the hash of its tree, "" where there is none."""


@dataclass(frozen=True, slots=True)
class AlikeFiles:
    """Files that have the same content as each other, at each of some commits, and in whose
    directories the same files lie beside them, as far as they are wanted.

    hashes  of the content at each commit, "" where there are no such files
    paths   of all of them, or of the first alone if there are more than limits.GIT_COPIES
    count   number of all
    beside  the wanted files in their directories: name -> hashes
    """

    hashes: tuple[str, ...]
    paths: tuple[str, ...]
    count: int
    beside: Mapping[str, tuple[str, ...]]


def is_file(mode: bytes) -> bool:
    return mode.startswith(b"100")


class TreeWalker:
    """read: what a tree object holds; refused: makes the error that says what is too large."""

    def __init__(self, read: Callable[[str], Tree], refused: Callable[[str], Unreadable]) -> None:
        self._read = read
        self._refused = refused
        self._same: dict[tuple[str, ...], set[tuple[str, str]]] = {}
        self._sizes: dict[str, tuple[int, int]] = {}

    def find(self, top: str, path: str) -> tuple[str, bytes, str] | None:
        """Path, mode and hash of what lies at a path, or stands in its way; None for nothing."""
        done, mode, name = "", DIRECTORY, top
        for word in path.split("/") if top else ():
            found = self._read(name).get(word)
            if found is None:
                return None
            mode, name = found
            done = f"{done}/{word}" if done else word
            if mode != DIRECTORY:
                break
        return (done, mode, name) if done else None

    def directory(self, top: str, path: str) -> str:
        """The tree of a directory; "" for none. path: "" for the top."""
        if not path:
            return top
        found = self.find(top, path)
        return found[2] if found and found[:2] == (path, DIRECTORY) else ""

    def listed(self, top: str, below: str = "") -> Iterator[tuple[str, Entry]]:
        """Path and entry of every file, link and submodule of a tree.

        below  what the paths begin with
        Raises Unreadable (IS930) before the first one if there are too many.
        """
        self._expect_few(top)
        waiting: list[tuple[str, Entry]] = [(below.rstrip("/"), (DIRECTORY, top))]
        while waiting:
            path, entry = waiting.pop()
            if entry[0] != DIRECTORY:
                yield path, entry
            elif entry[1]:
                slash = "/" if path else ""
                held = self._read(entry[1])
                waiting += [(f"{path}{slash}{name}", held[name]) for name in reversed([*held])]

    def _expect_few(self, top: str) -> None:
        waiting = [top] if top else []
        while waiting:
            name = waiting[-1]
            below = self._below((name,))
            missing = [each[0] for each in below.values() if each[0] not in self._sizes]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            held = self._read(name)
            count, characters = len(held), sum(map(len, held))
            for path, each in below.items():
                count += self._sizes[each[0]][0]
                characters += self._sizes[each[0]][1] + (len(path) + 1) * self._sizes[each[0]][0]
            self._sizes[name] = count, characters
        count, characters = self._sizes.get(top, (0, 0))
        if count > limits.GIT_ENTRIES or characters > limits.GIT_PATHS_CHARACTERS:
            most = f"{limits.GIT_ENTRIES} files and directories"
            raise self._refused(
                f"expected at most {most} with paths of {limits.GIT_PATHS_CHARACTERS} characters "
                f"in all, found {count} with {characters}; name a directory of the repository "
                "that holds less"
            )

    def alike(
        self, tops: _Node, suffixes: tuple[str, ...], below: str = "", *, alone: bool = False
    ) -> list[AlikeFiles]:
        """The files whose names end so, those with the same contents together.

        tops   a tree of each commit, "" for none
        below  what their paths begin with
        alone  whether it does not matter what lies beside them
        """
        count_at: dict[_Node, int] = {tops: 1}
        paths_to: dict[_Node, list[str]] = {tops: [below]}
        kinds: dict[object, int] = {}
        found: dict[tuple[_Node, int], tuple[list[str], list[int], Mapping[str, _Node]]] = {}
        characters = 0
        for node, directories in self._ordered(tops):
            count, paths = count_at[node], paths_to[node]
            wanted = {
                name: hashes
                for name, hashes in self._files(node).items()
                if name.endswith(suffixes)
            }
            kind = 0 if alone else kinds.setdefault(tuple(wanted.items()), len(kinds))
            for name, hashes in wanted.items():
                some, number, _ = found.setdefault((hashes, kind), ([], [0], wanted))
                number[0] += count
                some += [path + name for path in paths][: limits.GIT_COPIES - len(some)]
            for name, under in directories.items():
                count_at[under] = count_at.get(under, 0) + count
                some = paths_to.setdefault(under, [])
                more = [f"{path}{name}/" for path in paths][: limits.GIT_COPIES - len(some)]
                some += more
                characters += sum(map(len, more))
                if characters > limits.GIT_PATHS_CHARACTERS or len(paths[0]) > limits.GIT_PATH:
                    most = f"{limits.GIT_PATHS_CHARACTERS} characters of the directories' paths"
                    raise self._refused(
                        f"expected at most {most}, and {limits.GIT_PATH} of one, found more"
                    )
        return [
            AlikeFiles(
                hashes,
                tuple(some if number[0] <= limits.GIT_COPIES else some[:1]),
                number[0],
                beside,
            )
            for (hashes, _), (some, number, beside) in found.items()
        ]

    def differ(self, before: str, after: str, suffixes: tuple[str, ...]) -> bool:
        """Tells whether a file whose name ends so differs between two trees."""
        same = self._same.setdefault(suffixes, set())
        seen = {(before, after)}
        waiting = [(before, after)]
        while waiting:
            node = waiting.pop()
            if node[0] == node[1] or node in same:
                continue
            for name, hashes in self._files(node).items():
                if hashes[0] != hashes[1] and name.endswith(suffixes):
                    return True
            for below in self._below(node).values():
                pair = below[0], below[1]
                if pair not in seen:
                    seen.add(pair)
                    waiting.append(pair)
            self._expect_steps(len(seen))
        if len(same) > limits.GIT_HELD_ENTRIES:
            same.clear()
        same |= seen
        return False

    def differ_at(self, before: str, after: str, paths: "WantedPaths") -> bool:
        """Tells whether one of the paths has another content in two trees."""
        waiting = [(before, after, paths)]
        while waiting:
            old, new, wanted = waiting.pop()
            if old == new:
                continue
            left, right = (self._read(name) if name else {} for name in (old, new))
            for name, below in wanted.below.items():
                a, b = left.get(name), right.get(name)
                if a != b:
                    if below.is_end:
                        return True
                    ends = [e[1] if e is not None and e[0] == DIRECTORY else "" for e in (a, b)]
                    waiting.append((ends[0], ends[1], below))
        return False

    def _files(self, node: _Node) -> dict[str, tuple[str, ...]]:
        """Name -> hashes of the files in a directory."""
        return self._hashes(node, is_file)

    def _below(self, node: _Node) -> dict[str, _Node]:
        """Name -> directory of those in a directory."""
        return self._hashes(node, lambda mode: mode == DIRECTORY)

    def _hashes(self, node: _Node, wanted: Callable[[bytes], bool]) -> dict[str, tuple[str, ...]]:
        held = [self._read(name) if name else {} for name in node]
        if len(set(node)) == 1:
            return {n: (e[1],) * len(node) for n, e in held[0].items() if wanted(e[0])}
        names = dict.fromkeys(n for each in held for n, e in each.items() if wanted(e[0]))
        return {
            name: tuple(
                e[1] if (e := each.get(name)) is not None and wanted(e[0]) else "" for each in held
            )
            for name in names
        }

    def _ordered(self, tops: _Node) -> list[tuple[_Node, Mapping[str, _Node]]]:
        """The directories, each with those in it and before all that lie in it."""
        found: list[tuple[_Node, Mapping[str, _Node]]] = []
        done: set[_Node] = set()
        waiting: list[tuple[_Node, Mapping[str, _Node] | None]] = [(tops, None)]
        while waiting:
            node, below = waiting.pop()
            if below is not None:
                found.append((node, below))
            elif node not in done:
                done.add(node)
                self._expect_steps(len(done))
                below = self._below(node)
                waiting.append((node, below))
                waiting += [(each, None) for each in reversed(below.values()) if each not in done]
        return found[::-1]

    def _expect_steps(self, count: int) -> None:
        if count > limits.GIT_ENTRIES:
            raise self._refused(
                f"expected at most {limits.GIT_ENTRIES} different directories, found more"
            )


class WantedPaths:
    """WantedPaths as a tree of their names.

    below   name -> what begins with it
    is_end  whether a path ends here
    """

    def __init__(self, paths: Sequence[str] = ()) -> None:
        self.below: dict[str, WantedPaths] = {}
        self.is_end = False
        for path in paths:
            at = self
            for name in path.split("/"):
                at = at.below.setdefault(name, WantedPaths())
            at.is_end = True
