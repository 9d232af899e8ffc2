"""The public face: `from idle_states import ...`, as docs/policy.md promises it."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import idle_states
from tests.support import DOCS, ROOT

FACE = Path(idle_states.__file__).read_text("utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
EXAMPLE = re.compile(r"```python\n(.*?)```\n", re.DOTALL)
NAMES = sorted(idle_states._NAME2HOME)
TRACE = (
    "  <idle>-0 [000] d..2 1.000000: cpu_idle: state=1 cpu_id=0\n"
    "  <idle>-0 [000] d..2 1.000100: cpu_idle: state=4294967295 cpu_id=0\n"
)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_resolves_and_has_a_signature(name: str) -> None:
    found = getattr(idle_states, name)
    assert found.__name__ == name
    assert inspect.getdoc(found)
    # exceptions have that of all exceptions
    assert name in ("Unreadable", "UsageError") or inspect.signature(found)


def test_type_checkers_see_what_python_sees() -> None:
    block, _ = (each for each in ast.parse(FACE).body if isinstance(each, ast.If))
    imports = [each for each in block.body if isinstance(each, ast.ImportFrom)]
    seen = {alias.asname: each.module for each in imports for alias in each.names}
    assert seen == idle_states._NAME2HOME
    assert set(NAMES) <= set(dir(idle_states))


def test_no_other_name_is_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'none_such'"):
        idle_states.none_such  # noqa: B018


def test_nothing_is_loaded_before_it_is_used() -> None:
    code = "import sys; old = set(sys.modules); import idle_states; print({*sys.modules} - old)"
    # -S: packages installed for development load modules of their own
    words = [sys.executable, "-S", "-c", code]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "{'idle_states'}\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """README's prints are compared by tests/cli/test_readme.py."""
    (tmp_path / "trace.txt").write_text(TRACE)
    monkeypatch.chdir(tmp_path)
    for example in EXAMPLE.findall(page.read_text("utf-8")):
        exec(compile(example, page.name, "exec"), {})
        assert not re.search(r"idle_states\.\w+", example)


def test_there_are_examples() -> None:
    assert sum(len(EXAMPLE.findall(page.read_text("utf-8"))) for page in PAGES) == 2
