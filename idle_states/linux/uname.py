"""The release of a running kernel, from its uname."""

import re

from .releases import Release, UnknownRelease, release

_DISTRIBUTIONS = (
    # uname -v of Debian: #1 SMP Debian 6.1.176-1 (2026-07-02)
    ("debian", re.compile(r".*\bDebian ([0-9]+\.[0-9]+\.[0-9]+)-.*", re.DOTALL)),
    # uname -r and -v of Ubuntu: 6.8.0-31-generic #31-Ubuntu SMP ...
    ("ubuntu", re.compile(r"([0-9]+\.[0-9]+\.[0-9]+)-.* #\S*-Ubuntu\b.*", re.DOTALL)),
)
_MAINLINE = re.compile(r"([0-9]+)\.([0-9]+)")


def running(text: str) -> Release | None:
    """Returns the release that models a kernel. text: uname -r and -v.

    The distribution's preset if its series has one, otherwise the mainline release it is based on;
    None if that is not modelled either.
    """
    names = []
    for distribution, pattern in _DISTRIBUTIONS:
        match = pattern.match(text)
        if match:
            names.append(f"{distribution}-{match[1]}")
    match = _MAINLINE.match(text)
    if match:
        names.append(f"{match[1]}.{match[2]}")
    for name in names:
        try:
            return release(name)
        except UnknownRelease:
            continue
    return None
