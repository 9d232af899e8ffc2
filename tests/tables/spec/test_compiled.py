"""The packaged specs as they are compiled: what YAML says, and never what it said before."""

import marshal
import os
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from idle_states.base import patterns, prepared
from idle_states.base.dataclass import replace
from idle_states.cli.parsers import completion_script, parsed
from idle_states.tables.check import check as rules_findings
from idle_states.tables.check.answer import found_on
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.generate.answer import of_machine
from idle_states.tables.generate.request import Generated
from idle_states.tables.kernels.series import lines
from idle_states.tables.kernels.sheet import overview
from idle_states.tables.linux.releases import NEWEST, release
from idle_states.tables.pipeline import journey
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.sources import read_sources
from idle_states.tables.sources.source import Source
from idle_states.tables.spec import compiled, loading
from idle_states.tables.spec.library import load
from idle_states.tables.spec.loaded import LoadedSpec
from idle_states.tables.spec.packaged import Revision, current, machines, named, resolve_table
from idle_states.tables.spec.write import write as write_spec
from tests.support import ROOT


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled specs, as setup.py has them written."""
    found = tmp_path_factory.mktemp("compiled") / prepared.NAME
    words = [sys.executable, "-m", "tools.prepare", str(found)]
    subprocess.run(words, cwd=ROOT, check=True)
    return found


@pytest.fixture
def used(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of them, which is read in place of the package's."""
    copy = tmp_path / prepared.NAME
    shutil.copy(file, copy)
    monkeypatch.setattr(prepared, "NAME", str(copy))
    forget()
    yield copy
    forget()


def forget() -> None:
    for known in (prepared.opened_file, compiled._compiled, compiled.spec, compiled.registry):
        known.cache_clear()


def read(revision: Revision) -> LoadedSpec:
    return loading.Loading({}).load(revision.file, revision.file.as_posix())


@pytest.mark.parametrize("revision", named(), ids=lambda revision: revision.name)
def test_compiled_specs_are_what_yaml_says(revision: Revision, used: Path) -> None:
    found, wanted = compiled.spec(revision.file), read(revision)
    assert found == wanted
    assert found is not None
    assert list(found.sources) == list(wanted.sources)
    # places and sources of values do not count for equality
    assert repr(_places(found)) == repr(_places(wanted))
    assert (found.machine is None) == (revision not in machines())


@pytest.mark.parametrize("revision", named(), ids=lambda revision: revision.name)
def test_what_is_made_of_compiled_specs_is_the_same(revision: Revision, used: Path) -> None:
    """Nothing asks of a value whether it is the very one of a module."""
    found = compiled.spec(revision.file)
    assert found is not None
    assert _made(found) == _made(read(revision))


def _made(loaded: LoadedSpec) -> list[object]:
    if loaded.machine is not None:
        return [of_machine(Generated(form), loaded.machine) for form in ("dts", "dtb", "asl")]
    assert loaded.table is not None
    source = Source(loaded.name, "", "", loaded.table)
    return [
        write_spec(loaded.table),
        journey(source, ALL_LEVELS, [release("4.11"), release(NEWEST)]),
    ]


def _places(loaded: LoadedSpec) -> object:
    if loaded.table is None:
        return loaded.machine
    rows = [(dict(row.where), dict(row.provenance)) for row in loaded.table.states]
    return rows, dict(loaded.table.where), loaded.table.read_from, loaded.table.read_from.where


def power9() -> Revision:
    found = resolve_table("power9")
    assert found is not None
    return found


def test_the_library_takes_compiled_specs(used: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "Loading", None)
    loaded = load(power9().file)
    assert loaded.name == "power9"
    assert loaded.sources[str(power9().file)] == power9().file.read_text("utf-8")
    with pytest.raises(TypeError):
        load(power9().file, "mine.yaml")


def test_other_files_are_not_compiled(used: Path, tmp_path: Path) -> None:
    copy = tmp_path / "power9.yaml"
    shutil.copy(power9().file, copy)
    assert compiled.spec(copy) is None


@pytest.mark.parametrize(
    "changed", ["tables/specs/power9.yaml", "base/model/table.py", "tables/spec/loading.py"]
)
def test_what_has_changed_since_is_read_again(
    changed: str, used: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """power9-dd1 extends power9."""
    package = tmp_path / "package"
    ignored = shutil.ignore_patterns("*.pyc", "*.so", "*.c", "*.h")
    shutil.copytree(ROOT / "idle_states", package, ignore=ignored)
    monkeypatch.setattr(prepared, "located", lambda first: str(package / first))
    child = resolve_table("power9-dd1")
    assert child is not None
    assert compiled.spec(child.file) is not None
    forget()
    (package / changed).write_text((package / changed).read_text("utf-8") + "# a word\n")
    assert compiled.spec(child.file) is None


@pytest.mark.parametrize(
    "damage", ["missing", "cut", "changed", "empty", "directory", "foreign", "none"]
)
def test_a_damaged_file_is_not_used(damage: str, used: Path) -> None:
    data = used.read_bytes()
    _, start, index, _ = prepared.opened_file()
    _, _, place, size, _ = index[compiled.PRODUCT]
    end = start + place + size
    forget()
    used.unlink()
    if damage == "directory":
        used.mkdir()
    elif damage != "missing":
        changed = data[: end - 1] + b"x" + data[end:]
        damaged = {"cut": data[: end - 9], "changed": changed, "empty": b""}
        # what another Python may have written: whole, but not to be read here
        for name, content in (("foreign", b"\x80\x09."), ("none", marshal.dumps(None))):
            damaged[name] = prepared.hashed(content) + len(content).to_bytes(4, "little") + content
        used.write_bytes(damaged[damage])
    assert compiled.spec(power9().file) is None
    assert load(power9().file) == read(power9())


def test_what_reads_specs_is_known(used: Path) -> None:
    """A module that is imported late would not be among them; no packaged spec is of ACPI."""
    made_of, *_ = prepared.opened_file()[2][compiled.PRODUCT]
    files = {f"tables/spec/{f.name}" for f in (ROOT / "idle_states/tables/spec").glob("*.py")}
    files -= {
        f"tables/spec/{name}.py" for name in ("write", "write_tree", "write_acpi", "build_acpi")
    }
    others = {
        "base/model/table.py",
        "base/model/units.py",
        "base/reading/document.py",
        "base/dataclass.py",
    }
    assert files | others <= set(made_of)


def test_places_can_be_opened_wherever_the_package_lies(file: Path, tmp_path: Path) -> None:
    """Compiled where it was built, and used where it was installed."""
    package, elsewhere = tmp_path / "idle_states", tmp_path / "elsewhere"
    shutil.copytree(
        ROOT / "idle_states", package, ignore=shutil.ignore_patterns("*.pyc", prepared.NAME)
    )
    shutil.copy(file, package / prepared.NAME)
    elsewhere.mkdir()
    program = (
        "import sys; from idle_states.tables.spec import loading; loading.Loading = None; "
        "from idle_states.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", program, "check", "power9-dd1@84368bbf8", "--kernel", "4.11"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        words, cwd=elsewhere, env=environment, capture_output=True, text=True, check=False
    )
    places = re.findall(r"^(?: *= )?(/.*\.yaml):([0-9]+):([0-9]+): ", done.stdout, re.MULTILINE)
    assert {Path(place[0]).name for place in places} == {
        "power9-dd1.yaml",
        "power9-dd1@84368bbf8.yaml",
    }
    for name, line, column in places:
        assert Path(name).parent == package / "tables/specs"
        assert len(Path(name).read_text("utf-8").splitlines()[int(line) - 1]) >= int(column)


def test_what_is_prepared_is_what_commands_work_out(used: Path) -> None:
    sheet = prepared.product("kernels")
    assert sheet is not None
    assert pickle.loads(sheet) == overview(lines())
    for shell in ("bash", "zsh", "fish"):
        assert prepared.product(f"completion {shell}") == completion_script(shell).encode()
    assert prepared.product("completion tcsh") is None


def test_a_check_without_a_word_has_prepared_findings(
    used: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [source for name in current() for source in read_sources(name)]
    usual = parsed(["check"]).part(Criteria)
    found = rules_findings.check(sources, usual)
    assert len({finding.rule for finding in found}) > 3
    monkeypatch.setattr(rules_findings, "check", lambda *_: "worked out")
    assert found_on(sources, usual) == found
    assert repr(found_on(sources, usual)) == repr(found)
    others = [
        ["check", "--kernel", "6.12"],
        ["check", "--platform", "op920"],
        ["check", "--ignore", "IS206"],
    ]
    for words in others:
        assert found_on(sources, parsed(words).part(Criteria)) == "worked out"
    assert found_on(sources[1:], usual) == "worked out"
    other = replace(sources[0], sha256="0")
    assert found_on([other, *sources[1:]], usual) == "worked out"


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        (compiled.PRODUCT, "tables/specs/power12.yaml"),
        ("findings", "tables/specs/power9.yaml"),
        ("findings", "tables/rules/is104_no_states.py"),
        ("findings", "tables/rules/is999_one_more.py"),
        ("findings", "tables/linux/powernv.py"),
        ("kernels", "tables/linux/governors/teo_features.py"),
        ("kernels", "tables/linux/governors/more_features.py"),
        ("completion fish", "cli/cmd_select.py"),
        ("completion fish", "tables/specs/power12.yaml"),
    ],
)
def test_what_was_made_of_other_files_is_worked_out_again(
    name: str, changed: str, used: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other file is one that changed, or one more in a folder whose names count."""
    was = prepared.content

    def content(asked: str) -> bytes:
        return was(asked) + (
            b"# a word\n" if asked in (changed, f"{Path(changed).parent}/") else b""
        )

    assert prepared.product(name) is not None
    monkeypatch.setattr(prepared, "content", content)
    assert prepared.product(name) is None


def test_prepared_code_of_patterns_is_what_re_makes(
    used: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = marshal.loads(prepared.product(patterns.PREPARED) or b"")
    assert len(code) > 300
    monkeypatch.setattr(patterns, "_prepared", lambda: code)
    compiled = re.compile
    monkeypatch.setattr(re, "compile", None)
    for expression, flags in code:
        ours = patterns.pattern(expression, flags).match.__self__
        # they are compared by their code, too
        assert ours == compiled(expression, flags)
        assert ours.groupindex == compiled(expression, flags).groupindex


def test_code_of_another_python_is_not_used(used: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "PREPARED", "patterns of another")
    monkeypatch.setattr(patterns, "_prepared", patterns._prepared.__wrapped__)
    assert patterns._prepared() == {}
    assert patterns.pattern("a+").match("aa") is not None
