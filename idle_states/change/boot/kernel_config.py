"""The configuration of a guest's kernel."""

import re
from collections.abc import Iterable, Iterator, Mapping

from ...base.model.findings import UsageError
from ...tables.linux.governors import governor_names

DEFAULT_GOVERNOR = "menu"
"""The default governor of guests' kernels."""
DEFAULT_HZ = 250
"""HZ of a kernel whose configuration is not known."""
_SET = re.compile(r"^CONFIG_(\w+)=(\S+)$", re.ASCII | re.MULTILINE)
_GOVERNOR_OPTION = "CPU_IDLE_GOV_{name}"


def options_in(config: str) -> dict[str, str]:
    """The options that a kernel's configuration sets, without CONFIG_."""
    return dict(_SET.findall(config))


def check_governor(governor: str, options: Mapping[str, str] | None) -> None:
    """Raises UsageError for a governor that the kernel does not have."""
    option = _option_of(governor)
    if governor and options is not None and option not in options:
        raise UsageError(
            f"expected a governor that the kernel has, found {governor}: CONFIG_{option} is not set"
        )


def hz_of(options: Mapping[str, str] | None) -> int:
    """The kernel's HZ."""
    hz = (options or {}).get("HZ", "")
    return int(hz) if hz.isdecimal() else DEFAULT_HZ


def not_set(options: Mapping[str, str] | None, wanted: Iterable[str]) -> Iterator[str]:
    """Yields a sentence for each gap that the kernel's configuration leaves in a boot's checks.

    options  as Parts.options() has them
    wanted   options that are missed if they are not set, as are those of all governors
    """
    if options is None:
        yield (
            "what the kernel's configuration lacks: it is unknown; HZ is assumed to be "
            f"{DEFAULT_HZ}"
        )
        return
    for option in (*wanted, *map(_option_of, governor_names())):
        if option not in options:
            yield f"CONFIG_{option}: not set in this kernel"


def _option_of(governor: str) -> str:
    return _GOVERNOR_OPTION.format(name=governor.upper())
