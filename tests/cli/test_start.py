"""Tests of what a command imports: what it is asked for, since each module costs every run of it
time."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from idle_states.base import prepared
from tests.support import ROOT

_RUN = """
import atexit, runpy, sys
specs = sys.argv.pop(1)
if not {"--help", "--version"} & {*sys.argv}:
    from idle_states.base import prepared
    prepared.NAME = specs
sys.argv[0] = "idle-states"
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
runpy.run_module("idle_states", run_name="__main__")
"""
_TRACE = ROOT / "tests" / "data" / "traces"
_DTB = str(ROOT / "tests" / "data" / "trees" / "powernv9.dtb")


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The products that an installation prepares."""
    found = tmp_path_factory.mktemp("compiled") / prepared.NAME
    subprocess.run([sys.executable, "-m", "tools.prepare", found], cwd=ROOT, check=True)
    return found


def imported(words: list[str], specs: Path, folder: Path) -> set[str]:
    """The modules that a command line has imported at its end."""
    program = [sys.executable, "-c", _RUN, specs, *words]
    found = subprocess.run(program, capture_output=True, text=True, check=True, cwd=folder)
    assert found.stdout
    return set(found.stderr.split("\n")[-2].split())


@pytest.mark.parametrize(
    ("words", "needed", "not_needed"),
    [
        (
            ["--help"],
            "idle_states.cli.commands",
            (
                "dataclasses",
                "idle_states.cli.cmd_check",
                "idle_states.base.report.fitting",
                "json",
                "locale",
                "pathlib",
                "tempfile",
                "textwrap",
                "threading",
                "yaml",
            ),
        ),
        (
            ["--version"],
            "idle_states.base.compiled_core",
            (
                "hashlib",
                "idle_states.base.reading.launching",
                "idle_states.tables",
                "subprocess",
                "tempfile",
            ),
        ),
        (
            ["check", "--help"],
            "idle_states.cli.cmd_check",
            ("dataclasses", "idle_states.base.resources", "locale", "pathlib", "yaml"),
        ),
        (
            ["check", _DTB, "--engine", "native"],
            "idle_states.tables.devicetree.fdt",
            (
                "idle_states.base.model.beyond_opal",
                "idle_states.tables.devicetree.idle_nodes",
                "idle_states.tables.linux.acpi_idle",
                "idle_states.tables.linux.intel_idle.features",
                "idle_states.tables.linux.dt_idle",
                "idle_states.tables.linux.genpd.tables",
                "idle_states.tables.linux.powernv_early",
                "idle_states.base.model.idle_tree",
                "idle_states.base.reading.acpi.tables",
                "idle_states.tables.rules.is601_no_idle_states",
                "idle_states.tables.rules.is109_110_firmware_counts",
                "idle_states.tables.rules.is421_self_perpetuating",
                "idle_states.tables.rules.is901_to_906_acceptance",
                "idle_states.tables.sources.walk",
                "idle_states.base.model.verdicts",
                "configparser",
                "dataclasses",
                "datetime",
                "graphlib",
                "inspect",
                "pickle",
                "json",
                "select",
                "shutil",
                "textwrap",
                "threading",
                "tomllib",
                "yaml",
                "zlib",
            ),
        ),
        (
            ["check"],
            "idle_states.tables.rules.is421_self_perpetuating",
            (
                "dataclasses",
                "graphlib",
                "hashlib",
                "idle_states.base.model.beyond_opal",
                "idle_states.base.model.idle_tree",
                "idle_states.tables.devicetree.tree",
                "idle_states.base.report.fitting",
                "idle_states.tables.sources.format_acpi",
                "idle_states.tables.spec.keys",
                "idle_states.tables.linux.governors.settling",
                "idle_states.tables.rules.is101_107_115_array_lengths",
                "yaml",
            ),
        ),
        (
            ["check", "arm64-generic"],
            "idle_states.tables.rules.is605_bad_suspend_parameter",
            (
                "idle_states.tables.rules.is301_302_303_329_esl",
                "idle_states.tables.rules.is501_drift_from_reference",
                "idle_states.tables.skiboot.export",
            ),
        ),
        (
            ["show", "power9"],
            "idle_states.tables.show.sheet",
            ("dataclasses", "fractions", "json", "idle_states.tables.show.show_document", "yaml"),
        ),
        (
            ["kernels"],
            "idle_states.base.prepared",
            ("idle_states.tables.kernels.sheet", "idle_states.tables.selection.selection", "yaml"),
        ),
        (
            ["--completion", "bash"],
            "idle_states.base.prepared",
            (
                "idle_states.cli.completion",
                "idle_states.cli.derive",
                "idle_states.cli.cmd_check",
                "yaml",
            ),
        ),
        (
            ["select", "power9"],
            "idle_states.tables.linux.governors.menu",
            (
                "dataclasses",
                "idle_states.base.reading.launching",
                "idle_states.tables.linux.governors.source.model",
                "yaml",
            ),
        ),
        (
            [
                "replay",
                str(_TRACE / "mt8196-teo.idle.txt.gz"),
                str(_TRACE / "mt8196-teo.sysfs-before.txt"),
            ],
            "idle_states.lab.traces.text",
            (
                "hashlib",
                "idle_states.base.reading.launching",
                "idle_states.lab.record.convert",
                "idle_states.lab.replay.suspects",
                "tempfile",
                "yaml",
            ),
        ),
    ],
)
def test_no_more_is_imported_than_is_asked_for(
    words: list[str], needed: str, not_needed: tuple[str, ...], specs: Path, tmp_path: Path
) -> None:
    found = imported(words, specs, tmp_path)
    assert needed in found
    assert [name for name in not_needed if name in found] == []


def test_values_have_the_decorator_that_starts_quickly() -> None:
    files = sorted((ROOT / "idle_states").rglob("*.py"))
    standard = re.compile(r"^ *(from|import) dataclasses\b", re.M)
    found = [file.name for file in files if standard.search(file.read_text("utf-8"))]
    assert found == ["dataclass.py"]
