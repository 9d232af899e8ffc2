"""Reads git repositories without git ever reading their configuration.

`place` finds what a directory's repository consists of, `references` reads its branches and tags as
data, `private` runs git in a repository of our own that only borrows the objects, and `repository`
is what other rooms use.
"""

from .place import is_top
from .private import UNFIT, DamagedObject
from .repository import Commit, Repository, TreeEntry

__all__ = ["UNFIT", "Commit", "DamagedObject", "Repository", "TreeEntry", "is_top"]
