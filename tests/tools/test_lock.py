"""requirements/: a hashed version of every requirement, for every Python and machine."""

import re
from collections.abc import Iterator
from itertools import product

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from tests.support import ROOT
from tools import install, lock

MACHINES = ("x86_64", "aarch64", "ppc64le")
PYTHONS = ("3.11.0", "3.11.9", "3.12.3", "3.13.5", "3.14.0")
FILES = {
    install.EXTRAS: [*lock.to_run(), *lock.to_build(), *lock.of_extras()],
    install.RUN: lock.to_run(),
    install.BUILD: lock.to_build(),
}
BLOCK = re.compile(
    r"[a-z0-9-]+==[^ ;\n]+( ; [^\\\n]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+\n"
    r"(    # via [a-z0-9, -]+\n)?"
)


def environments() -> Iterator[dict[str, str]]:
    """Yields what the markers of a supported Python on a supported machine are."""
    for machine, version in product(MACHINES, PYTHONS):
        yield {
            "platform_machine": machine,
            "python_version": version.rpartition(".")[0],
            "python_full_version": version,
            "sys_platform": "linux",
            "platform_python_implementation": "CPython",
            "implementation_name": "cpython",
        }


def test_pythons_are_those_of_setup_cfg() -> None:
    text = (ROOT / "setup.cfg").read_text("utf-8")
    assert f"python_requires = >={lock.OLDEST}\n" in text
    assert {*re.findall(r"Python :: (3\.\d+)", text)} <= {
        each.rpartition(".")[0] for each in PYTHONS
    }


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_line_has_hashes_and_none_an_address(file: install.Path) -> None:
    head, _, rest = file.read_text("utf-8").partition("\n")
    assert head.startswith("# ")
    assert BLOCK.sub("", rest) == ""
    assert "://" not in head


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_requirement_has_one_version_that_satisfies_it(file: install.Path) -> None:
    packages = install.locked(file)
    for environment in environments():
        here = [
            each
            for each in packages
            if not each.marker or Marker(each.marker).evaluate(environment)
        ]
        name2version = {each.name: each.version for each in here}
        assert len(name2version) == len(here)
        for requirement in map(Requirement, FILES[file]):
            if requirement.marker is None or requirement.marker.evaluate(environment):
                version = name2version[install.name_of(requirement.name)]
                assert requirement.specifier.contains(version), (requirement, environment)


def test_files_agree() -> None:
    every = {(each.name, each.version) for each in install.locked(install.EXTRAS)}
    for file in (install.RUN, install.BUILD):
        assert {(each.name, each.version) for each in install.locked(file)} <= every


def test_no_package_is_there_for_nothing() -> None:
    """All that extras.txt has is named by setup.cfg, or required by what is."""
    packages = install.locked(install.EXTRAS)
    assert install.closure(FILES[install.EXTRAS], packages) == packages
