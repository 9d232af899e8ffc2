"""Reads git repositories without git ever reading their configuration.

`place` finds what a directory's repository consists of, `references` reads its branches and tags as
data, `private` runs git in a repository of our own that only borrows the objects, and `repository`
is what other rooms use.
"""

from .place import is_top
from .private import UNFIT, Damaged
from .repository import Commit, Entry, Repository

__all__ = ["UNFIT", "Commit", "Damaged", "Entry", "Repository", "is_top"]
