"""Kernels in few words: neighbours among those asked for become a range."""

from collections.abc import Sequence

from .releases import version_key


def kernel_ranges(names: Sequence[str], known: Sequence[str]) -> str:
    """ "5.10-6.6, debian-6.1.192": neighbours among the mainline releases asked for, joined."""
    mainline = sorted(filter(is_numbered, known), key=version_key)
    runs: list[list[str]] = []
    for index, name in enumerate(mainline):
        if name not in names:
            continue
        if runs and mainline[index - 1] == runs[-1][-1]:
            runs[-1].append(name)
        else:
            runs.append([name])
    parts = [run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return ", ".join([*parts, *(name for name in names if not is_numbered(name))])


def is_numbered(name: str) -> bool:
    """Returns whether a kernel's name is a number of kernel.org's, not a distribution's, a
    candidate's or that of a source tree."""
    return "-" not in name and ":" not in name
