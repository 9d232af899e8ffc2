"""How much is drawn: all of it by make test, a share where pytest runs plainly."""

from typing import Any

import pytest

THOROUGH = False
"""Set before tests are collected: whether those marked slow are wanted as well."""


def examples(plain: int, thorough: int) -> int:
    """How many of the examples of one claim to draw."""
    return thorough if THOROUGH else plain


def slow(*values: object) -> list[Any]:
    """Values of a parameter that only make test takes: the same claim at more length."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]
