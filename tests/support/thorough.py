"""How much is drawn: all of it by make test, a share where pytest runs plainly."""

THOROUGH = False
"""Set before tests are collected: whether those marked slow are wanted as well."""


def examples(plain: int, thorough: int) -> int:
    """How many of the examples of one claim to draw."""
    return thorough if THOROUGH else plain
