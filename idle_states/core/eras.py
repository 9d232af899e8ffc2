"""Writes menu_eras.h and teo_eras.h: the features of every release, for code specialised by them.

python -m idle_states.core.eras        after a change to a governor's features
"""

import textwrap
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

from ..linux.releases import all_releases
from . import TEXTS

CONSTANTS = {
    "typical_unknown": ("UNKNOWN_NEVER", "UNKNOWN_LATE", "UNKNOWN_ZEROS"),
    "early_tick": ("EARLY_KEEP", "EARLY_POLLS"),
    "tick_intercepts": ("INTERCEPTS_ALL", "INTERCEPTS_BEYOND", "INTERCEPTS_WITHIN"),
    "tick_idles": ("TICKS_ENDLESS", "TICKS_MEASURED", "TICKS_UNLESS"),
}
STOPPED_TICK = {
    "menu": ("STOPPED_ANY", "STOPPED_CAPPED", "STOPPED_EVENT", "STOPPED_TIMER"),
    "teo": ("STOPPED_SPAN", "STOPPED_RESIDENCY", "STOPPED_LAST"),
}
"""A feature that is a text -> what its values are called in menu.h and teo.h, in TEXTS' order."""
BOUNDS = {(1 << 32) - 1: "U32_MAX", (1 << 31) - 1: "INT32_MAX"}
KEYWORDS = ("signed",)
"""Fields that C would not have by these names: there they end in an underscore."""
WIDTH = 96


def header(governor: str) -> str:
    """The text of GOVERNOR_eras.h: ERA(name, initialisers) for each set of features, once."""
    lines = [
        f"/* What {governor} is in each release: {governor.capitalize()}Features, by the first "
        "release that has it. */"
    ]
    for name, chosen in _eras(governor):
        words = f"ERA(v{name}, {', '.join(_initialisers(governor, chosen))})"
        # a line never ends within an initialiser
        joined = words.replace(" = ", "\0=\0")
        wrapped = textwrap.wrap(joined, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
        lines += [line.replace("\0", " ") for line in wrapped]
    return "\n".join(lines) + "\n"


def path(governor: str) -> Path:
    return Path(__file__).with_name(f"{governor}_eras.h")


def _eras(governor: str) -> Iterator[tuple[str, Any]]:
    """Name and features; of teo the second generation only, the first is not specialised."""
    module = import_module(f"idle_states.linux.governors.{governor}_features")
    seen = set()
    for release in all_releases():
        try:
            chosen = module.features(release)
        except ValueError:
            continue
        if chosen not in seen and getattr(chosen, "bins", True):
            seen.add(chosen)
            yield release.name.replace(".", "_").replace("-", "_"), chosen


def _initialisers(governor: str, chosen: Any) -> Iterator[str]:
    for field in fields(chosen):
        value = getattr(chosen, field.name)
        texts = TEXTS[governor].get(field.name)
        name = field.name + "_" if field.name in KEYWORDS else field.name
        if texts is not None:
            number = texts.index(value)
            if field.name == "stopped_tick":
                yield f".{name} = {STOPPED_TICK[governor][number]}"
            elif field.name in CONSTANTS:
                yield f".{name} = {CONSTANTS[field.name][number]}"
            elif number:
                yield f".{name} = {number}"
        elif value:
            yield f".{name} = {BOUNDS.get(int(value), int(value))}"


def main() -> None:
    for governor in ("menu", "teo"):
        path(governor).write_text(header(governor), encoding="utf-8")


if __name__ == "__main__":
    main()
