"""Texts that tests expect, in files beside the tests; `pytest --update` writes them anew."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Expected:
    """The texts of one folder of tests. update: they are written, not compared."""

    folder: Path
    update: bool

    def check(self, name: str, text: str) -> None:
        """Compares a text with the one in a file."""
        file = self.folder / name
        if self.update:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        assert text == file.read_text(), f"pytest --update writes {file} anew"
