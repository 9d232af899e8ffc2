"""The kernel tree that the oracles are compiled from."""

import os
from collections.abc import Iterable
from pathlib import Path

from idle_states.tables.linux.releases import Release
from idle_states.tables.linux.releases import release as known_release

from ..debian import linux_source
from .source import OracleError, release

__all__ = ["copied", "distributed_as", "kernel_tree", "spare_tree"]


def kernel_tree(needed: Iterable[str] = ("Makefile",)) -> Path:
    """The kernel tree that LINUX names in the environment; else that of Debian's 6.1.

    needed: files without which it is none. Raises OracleError if LINUX names no kernel tree,
    Unavailable if Debian's cannot be had.
    """
    named = os.environ.get("LINUX")
    if not named:
        return linux_source("6.1")
    tree = Path(named)
    for name in needed:
        if not (tree / name).exists():
            raise OracleError(f"LINUX={named}: expected a kernel tree, found no {name}")
    return tree


def spare_tree() -> Path | None:
    """Debian's 6.1 beside a tree that LINUX names, for what that has elsewhere; None without it."""
    return linux_source("6.1") if os.environ.get("LINUX") else None


def distributed_as(tree: Path) -> Release:
    """The release that kernel_tree() gave: KERNEL in the environment, else by its Makefile.

    Debian's tree is Debian's release, whose own patches change drivers.
    """
    distribution = "" if os.environ.get("LINUX") else "debian-"
    return known_release(os.environ.get("KERNEL") or f"{distribution}{release(tree)}")


def copied(tree: Path, names: Iterable[str], to: Path) -> Path:
    """Returns `to`, where the files of these names now are that the tree has."""
    for name in names:
        if (tree / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            (to / name).write_bytes((tree / name).read_bytes())
    return to
