"""A fleet of many machines of which few have errors."""

import os
from pathlib import Path

from idle_states.cli import main

MANY, ERRORS = 10_000, 17


def made(top: Path) -> None:
    """Makes the folder `fleet`; a few of its machines have IS201 and IS303."""
    top.mkdir(exist_ok=True)
    kinds = {}
    for kind, table in (("good", "power9"), ("bad", "power9-dd1@84368bbf8")):
        kinds[kind] = top / f"{kind}.dtb"
        words = ("generate", table, "--to", "dtb", "--platform", "op920", "-o", str(kinds[kind]))
        assert main(words) == 0
    for rack in range(MANY // 100):
        (top / f"fleet/rack{rack:02}").mkdir(parents=True)
    bad = {Path(file) for file in faulty(top)}
    for number in range(MANY):
        file = _file(top, number)
        os.link(kinds["bad" if file in bad else "good"], file)


def faulty(top: Path) -> list[str]:
    """The files of the machines that have errors."""
    return [str(_file(top, 5 + number * (MANY // ERRORS))) for number in range(ERRORS)]


def _file(top: Path, number: int) -> Path:
    return top / f"fleet/rack{number // 100:02}/node{number:04}.dtb"
