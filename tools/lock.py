"""Renews requirements/: python -m tools.lock, or make lock

extras.txt   every package that setup.cfg and pyproject.toml name and all that those require: the
             newest version for each Python from the oldest that setup.cfg supports, and the hashes
             of all its archives
run.txt      those of them that idle-states needs to run
build.txt    those that build it

Environment markers make each file serve every Python and machine. The versions are uv's resolution;
the package index is the one that uv is configured for, and no file names it.
"""

import configparser
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence

from idle_states.base.files import write_file
from tools.command_line import parsed
from tools.install import BUILD, EXTRAS, LOCKS, ROOT, RUN, requirements

OLDEST = "3.11"
HEAD = "# {}; made by make lock, not edited by hand\n"


def lines(text: str) -> list[str]:
    """Returns the requirements of an option of setup.cfg."""
    stripped = (line.strip() for line in text.splitlines())
    return [line for line in stripped if line and line[0] != "#"]


def to_run() -> list[str]:
    """Returns the requirements of the tool itself."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", "utf-8")
    return lines(config["options"]["install_requires"])


def to_build() -> list[str]:
    """Returns the requirements of the build that are not the tool's own."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return [each for each in settings["build-system"]["requires"] if each not in to_run()]


def of_extras() -> Iterator[str]:
    """Yields the requirements of all extras."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", "utf-8")
    yield from requirements([*config["options.extras_require"]])


def resolved(requirements: Sequence[str], *options: str) -> str:
    """Returns pinned requirements, each with the hashes of its archives."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal"]
    command += ["--python-version", OLDEST, "--generate-hashes", "--no-header", "--no-config"]
    command += ["--no-emit-index-url", "--no-emit-find-links", *options, "-"]
    done = subprocess.run(
        command, input="\n".join(requirements), text=True, check=True, stdout=subprocess.PIPE
    )
    return done.stdout


def main(words: Sequence[str] | None = None) -> int:
    """Writes the three files. Returns the exit status."""
    parsed(__doc__, words=words)
    LOCKS.mkdir(exist_ok=True)
    every = [*to_run(), *to_build(), *of_extras()]
    what = "The packages of idle-states, its build and its extras, and by what each is required"
    write_file(EXTRAS, HEAD.format(what) + resolved(every, "--annotation-style", "line"))
    for file, wanted, what in (
        (RUN, to_run(), "The packages that idle-states needs to run"),
        (BUILD, to_build(), "The packages that build idle-states"),
    ):
        # the versions are those above
        text = resolved(wanted, "--no-annotate", "--constraint", str(EXTRAS))
        write_file(file, HEAD.format(what) + text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
