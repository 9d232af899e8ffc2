"""Installs idle-states into the environment of the Python that runs this.

    python -m tools.install              the tool itself, following the sources
    python -m tools.install EXTRA ...    the packages of extras, once the tool is there

What cannot be installed takes nothing else with it: where extras fail together, each package is
installed by itself, and what still fails is said in one line with its remedy. What pip says goes to
build/install.log. Exits with 1 if the tool or one of the packages of NEEDED fails, with 3 if others
do. Needs nothing but Python.
"""

import configparser
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "build" / "install.log"
CORE_MISSING = ROOT / "idle_states" / "core" / "_core.missing"

NEEDED = ("pytest", "pytest-xdist", "hypothesis")
"""Without these no test runs."""
COMPILED = "a C compiler and Python.h (apt-get install gcc libc6-dev python3-dev)"
PIP = (sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input")

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_NO_COMPILER = re.compile(r"Python\.h: No such file|No such file or directory: '[^']*(?:gcc|cc)'")
_UNBUILT = re.compile(r"(?:Failed building wheel for|Could not build wheels for) ([\w.-]+)")
_NO_WHEEL = re.compile(r"No matching distribution found|Could not find a version")
_NO_NETWORK = re.compile(r"NewConnectionError|NameResolutionError|ConnectTimeoutError|ProxyError")
_ERROR = re.compile(r"^\s*(?:ERROR|error): *(.*\S)", re.MULTILINE)


def pip(words: Sequence[str]) -> str | None:
    """Runs pip install. Returns what it said if it failed, else None."""
    LOG.parent.mkdir(exist_ok=True)
    done = subprocess.run(
        [*PIP, *words],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    with LOG.open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(words)}\n{done.stdout}\n")
    return done.stdout if done.returncode else None


def reason(said: str) -> str:
    """Why pip failed and what to do about it, on one line."""
    if _NO_COMPILER.search(said):
        found = _UNBUILT.search(said)
        return f"{found[1] if found else 'it'} has no wheel for this machine and needs {COMPILED}"
    if _NO_NETWORK.search(said):
        return "the package index does not answer"
    if _NO_WHEEL.search(said):
        return "there is none for this Python or machine"
    errors = _ERROR.findall(said)
    return errors[-1][:120] if errors else "pip failed"


def requirements(extras: Sequence[str]) -> Iterator[str]:
    """The packages of extras, as setup.cfg has them."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", "utf-8")
    for extra in extras:
        text = config["options.extras_require"][extra]
        yield from (line.strip() for line in text.splitlines() if line.strip())


def tool() -> int:
    """Installs idle-states. In compat mode an editable install starts as fast as a real one."""
    said = pip(["--quiet", "--config-settings", "editable_mode=compat", "-e", "."])
    if said is not None:
        print(f"idle-states cannot be installed: {reason(said)}; see {shown(LOG)}", file=sys.stderr)
        return 1
    if CORE_MISSING.exists():
        why = CORE_MISSING.read_text("utf-8").strip()
        print(
            f"without the compiled core, which makes replays some hundred times faster: {why}; "
            "idle-states --version says what to do",
            file=sys.stderr,
        )
    return 0


def packages(extras: Sequence[str]) -> int:
    wanted = list(requirements(extras))
    if pip(["--quiet", *wanted]) is None:
        return 0
    status = 0
    for requirement in wanted:
        said = pip(["--quiet", requirement])
        if said is None:
            continue
        match = _NAME.match(requirement)
        name = match[0] if match else requirement
        needed = name in NEEDED
        status = 1 if needed or status == 1 else 3
        lost = "no test runs without it" if needed else "what needs it is skipped"
        print(f"no {name}: {reason(said)}; {lost} (see {shown(LOG)})", file=sys.stderr)
    return status


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


if __name__ == "__main__":
    sys.exit(packages(sys.argv[1:]) if sys.argv[1:] else tool())
