"""The table of limits, and the page that shows it."""

from pathlib import Path

from idle_states.base.reading import limits
from tools.limits import PAGE, with_limits


def test_the_page_shows_the_table() -> None:
    text = PAGE.read_text("utf-8")
    assert with_limits(text) == text, "run make limits"


def test_every_limit_is_in_the_table_and_used() -> None:
    """A name here that nothing reads would be a promise nobody keeps."""
    names = [
        name for name, value in vars(limits).items()
        if name.isupper() and isinstance(value, int) and name not in ("KIB", "MIB", "GIB")
    ]  # fmt: skip
    assert len(names) == len(limits.TABLE)
    top = Path(limits.__file__).parents[2]
    text = "".join(path.read_text() for path in top.rglob("*.py"))
    assert [name for name in names if f"limits.{name}" not in text] == []


def test_values_are_shown_in_their_units() -> None:
    shown = [limits.Limit("", "", value, unit).shown for value, unit in (
        (64 << 20, "bytes"), (255, "bytes"), (1 << 30, "bytes"), (30, "s"), (500_000, ""),
    )]  # fmt: skip
    assert shown == ["64 MiB", "255 bytes", "1 GiB", "30 s", "500,000"]
