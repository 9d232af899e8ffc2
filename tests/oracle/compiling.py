"""C compiled for the oracles by the host's gcc, once for all runs."""

import hashlib
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import OracleError, Unavailable


class CompileError(OracleError):
    """The host compiler rejects the C text; the message is the compiler's."""


def digest(texts: Iterable[str]) -> str:
    """Returns what the name of a program has for the texts it is made of."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def made(program: Path, build: Callable[[Path], Path]) -> Path:
    """Returns `program`: what `build` makes in a new directory, unless it is there already."""
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=program.parent) as scratch:
            build(Path(scratch)).rename(program)
    return program


def write_all(directory: Path, texts: Mapping[str, str]) -> None:
    """Writes files: path below `directory` -> text."""
    for name, text in texts.items():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def gcc(*words: str | Path) -> None:
    """Runs gcc. Raises CompileError, Unavailable without a compiler."""
    try:
        done = subprocess.run(["gcc", "-std=gnu11", *words], capture_output=True, text=True)
    except FileNotFoundError as error:
        raise Unavailable("gcc is not installed") from error
    if done.returncode:
        raise CompileError(f"does not compile:\n{done.stderr[:4000]}")


def answers(program: Path, cases: Sequence[str]) -> list[str]:
    """Returns what a program prints of lines of input: of the first half, and, run beside it, of
    the second."""

    def answer(part: Sequence[str]) -> str:
        text = "".join(f"{case}\n" for case in part)
        return subprocess.run(
            [program], input=text, capture_output=True, text=True, check=True
        ).stdout

    half = len(cases) // 2
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(answer, (cases[:half], cases[half:])))
