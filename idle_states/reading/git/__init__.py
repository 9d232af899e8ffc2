"""Reads git repositories without git ever reading their configuration.

`place` finds what a directory's repository consists of, `references` reads its branches and tags as
data, `private` runs git in a repository of our own that only borrows the objects, and `repository`
is what other rooms use; `trees` walks the trees of its commits. `held` has commits that no
repository has, made of the contents of files.
"""

from .held import CommitReader, HeldCommits
from .place import is_top
from .private import UNFIT, DamagedObject
from .repository import FILE, LINK, Commit, Repository, TreeEntry
from .trees import AlikeFiles

__all__ = [
    "FILE",
    "LINK",
    "UNFIT",
    "AlikeFiles",
    "Commit",
    "CommitReader",
    "DamagedObject",
    "HeldCommits",
    "Repository",
    "TreeEntry",
    "is_top",
]
