"""The amount that is drawn: all of it by make test, a share where pytest runs plainly."""

import os
from collections.abc import Iterable
from typing import Any

import pytest

THOROUGH = False
"""Set before tests are collected: whether those marked slow are wanted as well."""


def examples(plain: int, thorough: int) -> int:
    """Returns how many of a claim's examples to draw: all by `make test`, a share by plain
    pytest."""
    return thorough if THOROUGH else plain


def drawn(plain: int, thorough: int) -> int:
    """Returns how many random cases to hold a model to: as many as CASES of the environment says,
    else as examples()."""
    return int(os.environ.get("CASES") or examples(plain, thorough))


def slow(*values: object) -> list[Any]:
    """Returns a parameter's values, marked so that only `make test` takes them."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


def few(plain: int, values: Iterable[Any]) -> list[Any]:
    """Returns a parameter's values, or tuples of several parameters', all but the first `plain`
    of them marked so that only `make test` takes them."""
    known = list(values)
    return [
        *known[:plain],
        *(
            pytest.param(*(value if isinstance(value, tuple) else [value]), marks=pytest.mark.slow)
            for value in known[plain:]
        ),
    ]
