"""Every install line of README, docs, workflows and messages, run in the form that works today."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from idle_states.base.extras import EXTRAS, remedy
from idle_states.base.reading.acpi import acpiexec
from idle_states.cli import main
from tests.support import ROOT
from tests.support.shared import once
from tools.wheels import PLATFORMS

LINE = re.compile(
    r"""(?:[\w./$-]+[ ]-m[ ]|[\w./$-]+/)?(?P<program>pip3?|pipx|apt|apt-get)\ install
        (?P<words>(?:\ +(?:'[^']+'|"[^"]+"|\{[^}]+\}|\$\w+|[\w./:=><*\[\]+~-]*[\w./*\]]))+)""",
    re.VERBOSE,
)
ANY = re.compile(
    r"\b(?:pip3?|pipx|apt|apt-get) install [^\W_]|\b(?:conda|dnf|uv|zypper) \w*install"
)
PACKAGE = re.compile(r"\(Debian packages? ([a-z0-9.+-]+)")
CODE = re.compile(r"```.*?\n```|`[^`]+`|(?:^    .*\n)+", re.DOTALL | re.MULTILINE)
TO_COME = "## Awaiting publication\n"
OWN = re.compile(r"^(?:\.|.*/idle-states)(?:\[[a-z,]+\])?$")
RUN_HERE = ("tools/try_wheels.py", "tools/install.py")
"""Files whose lines of pip are not for people: they run them, and tests run them."""
RENDERED = {
    "apt-get install {platform.packages}": [
        f"apt-get install {platform.packages}" for platform in PLATFORMS.values()
    ],
    "apt-get install {acpiexec.PACKAGE}": [f"apt-get install {acpiexec.PACKAGE}"],
    "apt-get install {package}": ["apt-get install debootstrap qemu-user-static"],
}
"""A message's template -> the lines that it becomes."""
INSTALLS = ("pip install .",)
IN_GITLAB = '$work/venv/bin/pip install --quiet "$work/idle-states"'
SPARING = {
    "CC": "/bin/false",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_COMPILE": "0",  # the value of the option's negation: no bytecode is written
}
"""The core is left out, and bytecode, since compiling them takes long."""
EXAMPLE = "name: mine\nextends: power9\n"
C_TABLE = (
    "struct cpu_idle_states power9_cpu_idle_states[] = {\n"
    '\t{ .name = "stop0_lite", .latency_ns = 1000, .residency_ns = 10000, .flags = 0 },\n};\n'
)


def pages() -> dict[str, str]:
    """Name -> text of what people read, without what is to come."""
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    files += [*(ROOT / ".github").rglob("*.yml"), ROOT / "action.yml"]
    return {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8").partition(TO_COME)[0]
        for path in files
        if path.name != "CHANGELOG.md"
    }


def strings(source: str) -> Iterator[str]:
    """The texts of a module, an f-string as its template."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield ast.unparse(node)[2:-1]


@cache
def modules() -> list[tuple[str, str]]:
    """Name of a module and each string that may be a message; Makefile and setup.py whole."""
    found = []
    for room in ("idle_states", "tools", "benchmarks", "tests"):
        for path in (ROOT / room).rglob("*.py"):
            source = path.read_text("utf-8")
            if path != Path(__file__) and (" install " in source or PACKAGE.search(source)):
                name = path.relative_to(ROOT).as_posix()
                found += [(name, text) for text in strings(source)]
    found += [(name, (ROOT / name).read_text("utf-8")) for name in ("Makefile", "setup.py")]
    return found


def joined(text: str) -> str:
    """Lines that a backslash, or a fold within inline code, has broken, as one."""
    return re.sub(r"\s*\\\n\s*", " ", text)


def in_pages() -> Iterator[str]:
    for text in pages().values():
        if "jobs:" in text or "runs:" in text:
            yield from (found[0] for found in LINE.finditer(joined(text)))
            continue
        for code in CODE.findall(joined(text)):
            flat = " ".join(code.split()) if not code.startswith(("```", "    ")) else code
            yield from (found[0] for found in LINE.finditer(flat))


def in_modules() -> Iterator[str]:
    for name, text in modules():
        for found in LINE.finditer(joined(text)) if not name.startswith("tests/") else ():
            if name not in RUN_HERE or found["program"] != "pip":
                yield from RENDERED.get(found[0], [found[0]])
    yield from (remedy(extra).partition(" (")[0] for extra in EXTRAS)


def wanted(line: str) -> list[str]:
    """The packages that a line installs."""
    words = shlex.split(line.partition(" install ")[2])
    return [word for word in words if not word.startswith("-")]


@cache
def lines(program: str) -> frozenset[str]:
    every = (line for line in (*in_pages(), *in_modules()) if f"{program} install " in line)
    return frozenset(line for line in every if wanted(line))


def is_ours(line: str) -> bool:
    return any(OWN.match(word) for word in wanted(line))


def test_every_line_is_found() -> None:
    """Each stands in code, where the tests below see it, and no other installer is named."""
    for name, text in pages().items():
        if not name.endswith(".yml"):
            outside = CODE.sub("", joined(text))
            assert not ANY.search(outside), name
        assert not re.search(r"\b(?:conda|dnf|pipx|uv|zypper|apt) \w*install", text), name
    assert {line for line in lines("pip") if is_ours(line)} == {*INSTALLS, IN_GITLAB}
    assert len(lines("apt-get")) > 6


def test_nothing_that_awaits_publication_is_told_elsewhere() -> None:
    here = ("tests/", *RUN_HERE)
    texts = [(name, text) for name, text in modules() if not name.startswith(here)]
    for name, text in (*pages().items(), *texts):
        assert "OWNER/" not in text, name
        for line in LINE.finditer(joined(text)):
            assert not re.search(r"(?:^|[\s'\"])idle-states\b", line["words"]), (name, line[0])
    assert TO_COME in (ROOT / "docs/releasing.md").read_text("utf-8")


# What installs idle-states itself


def copied(into: Path) -> None:
    """A clone with one commit of the files that git tracks, as they are now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("this is no clone")
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        if (ROOT / name).is_file():
            target = into / "idle-states" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
    git(into / "idle-states", "init", "-q", "-b", "main")
    git(into / "idle-states", "add", "-Af", ".")
    git(into / "idle-states", "commit", "-qm", "Everything")


def git(directory: Path, *words: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "gc.auto=0"]
    command = ["git", *identity, *words]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "clones", copied) / "idle-states"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository that uses idle-states: a table, and a change of it."""
    top = tmp_path / "project"
    (top / "hw").mkdir(parents=True)
    (top / "include").mkdir()
    (top / "include" / "skiboot.h").write_text("")
    git(top, "init", "-q", "-b", "main")
    for latency in ("1000", "2000"):
        (top / "hw" / "slw.c").write_text(C_TABLE.replace("1000,", f"{latency},", 1))
        git(top, "add", ".")
        git(top, "commit", "-qm", f"Set {latency} ns")
    git(top, "update-ref", "refs/remotes/origin/main", "HEAD~1")
    return top


def run(script: str, directory: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A shell's script. An index that does not answer skips."""
    away = {"VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME"}
    kept = {name: value for name, value in os.environ.items() if name not in away}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=directory,
        env=kept | SPARING | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    output = done.stdout + done.stderr
    if done.returncode and re.search(r"NewConnectionError|NameResolution|ProxyError", output):
        pytest.skip("the package index does not answer")
    return done


def with_pip(top: Path) -> str:
    """A fresh environment's directory of programs, first in PATH."""
    venv.create(top / "venv", with_pip=True)
    return f"{top / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.slow
def test_idle_states_is_installed(clone: Path, project: Path, tmp_path: Path) -> None:
    """A C table needs no extra."""
    path = with_pip(tmp_path)
    (tmp_path / "mine.yaml").write_text(EXAMPLE)
    for line in INSTALLS:
        done = run(f"{line} --quiet", clone, PATH=path)
        assert done.returncode == 0, done.stderr
        assert run("idle-states check mine.yaml", tmp_path, PATH=path).returncode == 0
        read = run("idle-states show hw/slw.c", project, PATH=path)
        assert read.returncode == 0, read.stderr


def blocks(page: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text("utf-8")
    return [
        re.sub(r"^    ", "", found, flags=re.M)
        for found in re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.M)
    ]


@pytest.mark.slow
def test_gitlab_job(clone: Path, project: Path, tmp_path: Path) -> None:
    (text,) = [b for b in blocks("ci.md") if "script:" in b]
    job = yaml.safe_load(text)
    script = "\n".join(job["idle-states"]["script"])
    commit = git(clone, "rev-parse", "HEAD")
    done = run(
        script,
        project,
        IDLE_STATES_REPOSITORY=str(clone),
        IDLE_STATES_COMMIT=commit,
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main",
        TMPDIR=str(tmp_path),
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert "<testsuite" in (project / "idle-states.xml").read_text("utf-8")


def test_github_example(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The action lies where the example checks it out (tests/cli runs its steps), and the command
    is one."""
    (text,) = [block for block in blocks("ci.md") if "uses:" in block and "steps:" in block]
    steps = yaml.safe_load(text)["steps"]
    checkouts = [step["with"] for step in steps if step["uses"].startswith("actions/checkout@")]
    (own,) = [step for step in steps if step["uses"].startswith("./")]
    (copy,) = [each for each in checkouts if "path" in each]
    assert own["uses"] == f"./{copy['path']}"
    assert (copy["repository"], copy["ref"]) == tuple(
        f"${{{{ vars.IDLE_STATES_{name} }}}}" for name in ("REPOSITORY", "COMMIT")
    )
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    assert {*own["with"]} <= {*inputs}
    words = own["with"]["command"].replace("${{ github.base_ref }}", "main").split()
    words[words.index(".")] = str(project)
    assert main([*words, "--fail-on", own["with"]["fail-on"], "--format", "json"]) in (0, 1)
    assert "power9_cpu_idle_states" in capsys.readouterr().out


@pytest.mark.slow
def test_pre_commit_hooks(clone: Path, project: Path, tmp_path: Path) -> None:
    pytest.importorskip("pre_commit", reason="pre-commit is not installed (the extra lint)")
    (text,) = [b for b in blocks("ci.md") if "hooks:" in b]
    (entry,) = yaml.safe_load(text)
    assert (entry["repo"], entry["rev"]) == ("../idle-states", "COMMIT")
    entry |= {"repo": str(clone), "rev": git(clone, "rev-parse", "HEAD")}
    (project / "specs").mkdir()
    (project / "specs/power9.yaml").write_text("name: mine\nextends: power8\n")
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [entry]}))
    git(project, "add", ".")
    words = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--verbose"]
    done = run(shlex.join(words), project, PRE_COMMIT_HOME=str(tmp_path / "home"))
    assert "idle-states-check" in done.stdout, done.stdout + done.stderr
    assert "[IS" in done.stdout, done.stdout
    # the second hook has the file that its spec generates, and none is there
    assert "hw/power9.c" in done.stdout, done.stdout


# What installs packages of others


@pytest.mark.slow
def test_the_index_has_what_lines_install(tmp_path: Path) -> None:
    """pip finds each, and a version that fits; nothing is installed."""
    others = [line for line in lines("pip") if not is_ours(line)]
    found = sorted({word for line in others for word in wanted(line)})
    assert {"pyarrow>=14"} <= {*found}
    words = shlex.join(["--dry-run", "--no-deps", "--ignore-installed", *found])
    done = run(f"{shlex.quote(sys.executable)} -m pip install {words}", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Would install" in done.stdout


@pytest.mark.slow
def test_debian_has_what_lines_install(tmp_path: Path) -> None:
    if shutil.which("apt-get") is None:
        pytest.skip("this is no Debian")
    lists = run("apt-cache show gcc", tmp_path)
    if lists.returncode:
        pytest.skip("apt has no lists of packages")
    together = sorted({word for line in lines("apt-get") for word in wanted(line)})
    done = run(f"apt-get install --simulate {shlex.join(together)}", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_debian_has_the_packages_that_messages_name(tmp_path: Path) -> None:
    script = (ROOT / "tests/install-packages.sh").read_text("utf-8")
    named = " ".join(re.findall(r'^need \S+ "?([^"\n]+)"?', script, re.MULTILINE)).split()
    assert len(named) > 15
    for _, text in modules():
        named += PACKAGE.findall(text)
    if shutil.which("apt-cache") is None or run("apt-cache show gcc", tmp_path).returncode:
        pytest.skip("this is no Debian, or apt has no lists of packages")
    known = run("apt-cache pkgnames", tmp_path).stdout.split()
    assert {*named} - {*known} == set()
