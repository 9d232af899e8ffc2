"""Values as keys of caches by identity: where comparing them takes as long as the work saved."""

from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")

TREES = 32
"""How many trees are kept in a cache that has one entry, or a few, for each."""


class Identical(Generic[Value], Hashable):
    """A value that equals itself alone; held, so that no other takes its place."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identical) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)
