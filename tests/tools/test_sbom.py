"""A release's bill of materials."""

import hashlib
import json
from pathlib import Path

import pytest

from idle_states import __version__
from tools import install, sbom
from tools.lock import to_run

pytest.importorskip("cyclonedx", reason="cyclonedx-python-lib is not installed")
ITSELF = f"pkg:pypi/idle-states@{__version__}"


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sbom.Json:
    """A document of a release of one file, which CycloneDX's schema accepts."""
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / f"idle_states-{__version__}.tar.gz").write_bytes(b"sdist")
    (dist / "idle_states-0.0.1.tar.gz").write_bytes(b"of another version")
    monkeypatch.setattr(sbom, "DIST", dist)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    first, second = (tmp_path / name for name in "ab")
    assert sbom.main([str(first)]) == sbom.main([str(second)]) == 0
    assert first.read_bytes() == second.read_bytes()
    found: sbom.Json = json.loads(first.read_text())
    return found


def test_every_package_of_the_lock_has_its_scope(written: sbom.Json) -> None:
    name2scope = {each["name"]: each["scope"] for each in written["components"]}
    assert name2scope.keys() == {each.name for each in install.locked(install.EXTRAS)}
    required = {name for name, scope in name2scope.items() if scope == "required"}
    assert required == {each.name for each in install.locked(install.RUN)}
    for name, scope in (
        ("pyarrow", "optional"),
        ("pytest", "excluded"),
        ("setuptools", "excluded"),
    ):
        assert name2scope[name] == scope


def test_what_requires_what(written: sbom.Json) -> None:
    ref2needed = {each["ref"]: each["dependsOn"] for each in written["dependencies"]}
    named = {each.partition("@")[0].removeprefix("pkg:pypi/") for each in ref2needed[ITSELF]}
    assert named == {install.name_of(each) for each in to_run()}
    (jinja,) = (needed for ref, needed in ref2needed.items() if ref.startswith("pkg:pypi/jinja2@"))
    assert [each.partition("@")[0] for each in jinja] == ["pkg:pypi/markupsafe"]


def test_the_release_is_known_by_its_files(written: sbom.Json) -> None:
    about = written["metadata"]
    assert about["timestamp"] == "1970-01-02T00:00:00+00:00"
    binding, sdist = about["component"]["components"]
    assert binding["licenses"] == [{"expression": "GPL-2.0-only OR BSD-2-Clause"}]
    assert sdist["name"] == f"idle_states-{__version__}.tar.gz"
    assert sdist["hashes"][0]["content"] == hashlib.sha256(b"sdist").hexdigest()


def test_a_document_against_the_schema_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sbom, "BINDING_LICENCE", 7)
    assert sbom.main([str(tmp_path / "x")]) == 1
    assert "CycloneDX 1.6 refuses the bill of materials" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
