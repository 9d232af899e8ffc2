"""Installs idle-states into the environment of the Python that runs this.

    python -m tools.install              the tool itself, following the sources
    python -m tools.install EXTRA ...    the packages of extras, once the tool is there

Every package is installed from requirements/, whose files name its version and the hashes of its
archives (`make lock`); pip refuses other archives, and builds those without a wheel with packages
of these files. Where the extras' packages cannot be installed together, each is installed alone,
and each that fails is named on one line with the reason and the remedy. The output of pip is added
to build/install.log. Exits with 1 if the tool or one of the packages of NEEDED fails, with 3 if
others do. Requires Python alone.
"""

import configparser
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.command_line import parsed

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "build" / "install.log"
LOCKS = ROOT / "requirements"
BUILD, RUN = LOCKS / "build.txt", LOCKS / "run.txt"
EXTRAS = LOCKS / "extras.txt"
CORE_MISSING = ROOT / "idle_states/tables/linux/governors/core/_core.missing"

NEEDED = ("pytest", "pytest-xdist", "hypothesis")
"""Without these no test runs."""
WITHOUT_WHEEL = "pylibfdt"
"""A package that is built on every machine, by the packages of the extra below."""
BUILDERS = "builders"
COMPILED = "a C compiler and Python.h (apt-get install gcc libc6-dev python3-dev)"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet")
PROGRAMS = str(Path(sys.executable).parent)
"""The directory of the programs that packages bring."""
HASHED = ("install", "--require-hashes", "--no-build-isolation", "-r")

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_LINE = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>[^ ;]+)(?: ; (?P<marker>[^\\]+?))? \\?\n")
_VIA = re.compile(r"^ +# via (.+)$", re.MULTILINE)
_NO_COMPILER = re.compile(r"Python\.h: No such file|No such file or directory: '[^']*(?:gcc|cc)'")
_UNBUILT = re.compile(r"(?:Failed building wheel for|Could not build wheels for) ([\w.-]+)")
_NO_WHEEL = re.compile(r"No matching distribution found|Could not find a version")
_NO_NETWORK = re.compile(r"NewConnectionError|NameResolutionError|ConnectTimeoutError|ProxyError")
_OTHER_HASH = re.compile(r"THESE PACKAGES DO NOT MATCH THE HASHES")
_ERROR = re.compile(r"^\s*(?:ERROR|error): *(.*\S)", re.MULTILINE)


class NotLocked(Exception):
    """A requirement of setup.cfg that requirements/ lacks."""


@dataclass(frozen=True, slots=True)
class Locked:
    """A package of a file of requirements/. text: its lines, the hashes among them; marker: the
    environments in which this version is installed; via: the packages that require this one."""

    name: str
    version: str
    marker: str
    via: tuple[str, ...]
    text: str


def locked(file: Path) -> list[Locked]:
    """Returns the packages of a file that tools/lock.py wrote."""
    found = []
    for text in re.split(r"^(?=[a-z0-9])", file.read_text("utf-8"), flags=re.MULTILINE):
        if match := _LINE.match(text):
            via = _VIA.search(text)
            names = via[1].split(", ") if via else []
            found.append(
                Locked(match["name"], match["version"], match["marker"] or "", (*names,), text)
            )
    return found


def name_of(requirement: str) -> str:
    """Returns the normalised name of the package that a requirement names."""
    match = _NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", match[0] if match else requirement).lower()


def closure(requirements: Sequence[str], packages: Sequence[Locked]) -> list[Locked]:
    """Returns the packages that these requirements name and all that those require."""
    wanted: set[str] = set()
    found = {name_of(requirement) for requirement in requirements}
    if missing := found - {each.name for each in packages}:
        raise NotLocked(f"requirements/ lacks {', '.join(sorted(missing))}: run make lock")
    while found:
        wanted |= found
        found = {each.name for each in packages if not wanted.isdisjoint(each.via)} - wanted
    return [each for each in packages if each.name in wanted]


def pip(words: Sequence[str], given: str = "") -> str | None:
    """Runs pip. given: its standard input. Returns what it said if it failed, else None."""
    LOG.parent.mkdir(exist_ok=True)
    done = subprocess.run(
        [*PIP, *words],
        cwd=ROOT,
        env={**os.environ, "PATH": os.pathsep.join((PROGRAMS, os.environ["PATH"]))},
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(words)}\n{done.stdout}\n")
    return done.stdout if done.returncode else None


def reason(output: str) -> str:
    """Returns why pip failed and what to do about it, on one line."""
    if _OTHER_HASH.search(output):
        return "the package index has another archive than the one whose hash requirements/ holds"
    if _NO_COMPILER.search(output):
        found = _UNBUILT.search(output)
        return f"{found[1] if found else 'it'} has no wheel for this machine and needs {COMPILED}"
    if _NO_NETWORK.search(output):
        return "the package index does not answer"
    if _NO_WHEEL.search(output):
        return "there is none for this Python or machine"
    errors = _ERROR.findall(output)
    return errors[-1][:120] if errors else "pip failed"


def requirements(extras: Sequence[str]) -> Iterator[str]:
    """The packages of extras, as setup.cfg has them."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", "utf-8")
    for extra in extras:
        text = config["options.extras_require"][extra]
        lines = (line.strip() for line in text.splitlines())
        yield from (line for line in lines if line and line[0] != "#")


def tool() -> int:
    """Installs idle-states. In compat mode an editable install starts as fast as a real one."""
    editable = ("--config-settings", "editable_mode=compat", "-e", ".")
    for words in (
        (*HASHED, str(BUILD)),
        (*HASHED, str(RUN)),
        ("install", "--no-deps", "--no-build-isolation", *editable),
    ):
        if (output := pip(words)) is not None:
            why = reason(output)
            print(f"idle-states cannot be installed: {why}; see {shown(LOG)}", file=sys.stderr)
            return 1
    if CORE_MISSING.exists():
        why = CORE_MISSING.read_text("utf-8").strip()
        print(
            f"without the compiled core, which makes replays some hundred times faster: {why}; "
            "idle-states --version says what to do",
            file=sys.stderr,
        )
    return 0


def chosen(wanted: Sequence[str], packages: Sequence[Locked]) -> str | None:
    """Installs the packages that are wanted. Returns pip's output if it failed, else None."""
    lines = "".join(each.text for each in closure(wanted, packages))
    return pip([*HASHED, "/dev/stdin"], lines)


def packages(extras: Sequence[str]) -> int:
    """Installs the packages of extras. Returns the exit status."""
    wanted, known = list(requirements(extras)), locked(EXTRAS)
    builders = [*requirements([BUILDERS])]
    if all(each.name != WITHOUT_WHEEL for each in closure(wanted, known)):
        return together_or_alone(wanted, known)
    chosen(builders, known)
    try:
        return together_or_alone(wanted, known)
    finally:  # as a plugin of setuptools, setuptools-scm would take part in builds of idle-states
        pip(["uninstall", "--yes", *map(name_of, builders)])


def together_or_alone(wanted: Sequence[str], known: Sequence[Locked]) -> int:
    """Installs packages, each alone if that fails. Returns the exit status."""
    if (output := chosen(wanted, known)) is None:
        return 0
    status = 0
    for requirement in wanted:
        output = output if len(wanted) == 1 else chosen([requirement], known)
        if output is None:
            continue
        name = name_of(requirement)
        needed = name in NEEDED
        status = 1 if needed or status == 1 else 3
        lost = "no test runs without it" if needed else "what needs it is skipped"
        print(f"no {name}: {reason(output)}; {lost} (see {shown(LOG)})", file=sys.stderr)
    return status


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def main(words: Sequence[str] | None = None) -> int:
    """Installs the tool, or the packages of the extras that are named. Returns the exit status."""
    extras = parsed(__doc__, "[EXTRA...]", words=words).extra
    try:
        return packages(extras) if extras else tool()
    except NotLocked as problem:
        print(problem, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
