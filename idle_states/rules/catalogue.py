"""All rules there are, found by looking into this directory."""

import importlib
import re
from functools import lru_cache
from pathlib import Path

from .rule import Loaded

_FILE = re.compile(r"is[0-9]{3}_\w+")


@lru_cache(maxsize=1)
def rules() -> tuple[Loaded, ...]:
    """Every rule in the order of its code."""
    names = sorted(
        file.stem for file in Path(__file__).parent.glob("is*.py") if _FILE.fullmatch(file.stem)
    )
    return tuple(Loaded.of(importlib.import_module(f"{__package__}.{name}")) for name in names)


def rule_named(text: str) -> Loaded | None:
    """By code, in any case, or by name: "is203", "residency-tie"."""
    wanted = text.lower()
    for loaded in rules():
        if wanted in (loaded.rule.code.lower(), loaded.rule.name):
            return loaded
    return None


def known_codes() -> frozenset[str]:
    return frozenset(loaded.rule.code for loaded in rules())
