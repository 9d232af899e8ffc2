"""The places of a skiboot tree that name a generation, and may have to name a new one, too."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ...base.dataclass import dataclass
from ...base.patterns import pattern
from ...tables.skiboot.choosing import generation_of
from .tree import PatchedTree

_ENDINGS = (".c", ".h", ".S")
_LINE = pattern(r"[^\n]*\n?")


@dataclass(frozen=True, slots=True)
class LeftByHand:
    """Lines of a file of the tree, as it is after the patch, that name the kin of a new generation
    and not the new one."""

    file: str
    lines: tuple[int, ...]


def left_by_hand(
    tree: PatchedTree, changed: Mapping[str, str], kin: Sequence[str], new: Sequence[str]
) -> Iterator[LeftByHand]:
    """Yields the files, in the order of the tree, with the lines that name the kin's chips,
    generation or PVRs and are not beside a line that names the new generation's.

    changed   path -> text of the files that the patch changes
    kin, new  chips
    """
    number, own = generation_of(kin[0]), generation_of(new[0])
    old = re.compile(
        rf"\bPROC_CHIP_(?:{'|'.join(kin)})\b|\bproc_gen_p{number}\b|\bPVR_TYPE_P{number}\w*"
        rf'|"P{number}\w*"',
        re.ASCII,
    )
    ours = re.compile(rf"\bPROC_CHIP_(?:{'|'.join(new)})\b|\bproc_gen_p{own}\b", re.ASCII)
    for name in tree.names():
        if not name.endswith(_ENDINGS):
            continue
        text = changed.get(name)
        if text is None:
            text = tree.read(tree.root / name).decode("utf-8", "replace")
        if old.search(text):
            lines = [match[0] for match in _LINE.finditer(text)]
            found = tuple(
                at
                for at, line in enumerate(lines, 1)
                if old.search(line) and not any(map(ours.search, lines[max(0, at - 2) : at + 4]))
            )
            if found:
                yield LeftByHand(name, found)
