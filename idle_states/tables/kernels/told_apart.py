"""Kernels that are not known apart."""

from ..linux.releases import Release
from ..linux.uname import parsed


def same_here(a: Release, b: Release) -> str:
    """Says why two kernels that are not the same cannot be compared: they are followed as the same
    release; "" where they can."""
    followed = [[end.way for end in each.ends] or [each.way] for each in (a, b)]
    alike = a.guessed and b.guessed and followed[0] == followed[1]
    if not alike or a.name == b.name:
        return ""
    as_one = a.taken_as if not a.ends else _base(a)
    named = parsed(a.name), parsed(b.name)
    if named[0] and named[1] and named[0].build and named[0].distribution == named[1].distribution:
        assert named[0].distribution is not None
        builds = [f"-{'.'.join(map(str, each.build))}" for each in named if each is not None]
        whose = f"{named[0].distribution.title}'s {builds[0]} and {builds[1]}"
    else:
        whose = f"{a.name} and {b.name}"
    return f"Cannot compare: {whose} are both known here only as Linux {as_one}."


def _base(kernel: Release) -> str:
    series = kernel.ends[0].version[:2]
    return ".".join(map(str, series))
