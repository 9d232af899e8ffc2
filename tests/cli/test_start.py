"""Tests of what a command imports: what it is asked for, since each module costs every run of it
time."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from idle_states.base import prepared
from tests.support import ROOT
from tests.support.git_history import History

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
_SPEC = str(ROOT / "idle_states" / "tables" / "specs" / "power9.yaml")


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
                "typing",
                "yaml",
            ),
        ),
        (
            ["--version"],
            "idle_states.base.compiled_core",
            (
                "argparse",
                "hashlib",
                "idle_states.base.reading.launching",
                "idle_states.cli.parsers",
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
            "idle_states.tables.check.answer",
            (
                "idle_states.tables.check.check",
                "idle_states.tables.rules.is421_self_perpetuating",
                "idle_states.tables.skiboot.export",
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
            ["check", _SPEC],
            "yaml",
            (
                "hashlib",
                "idle_states.base.model.beyond_opal",
                "idle_states.base.model.idle_tree",
                "idle_states.tables.spec.build_acpi",
                "idle_states.tables.spec.build_tree",
            ),
        ),
        (
            ["check", "power9"],
            "idle_states.tables.rules.is421_self_perpetuating",
            ("idle_states.tables.rules.is101_107_115_array_lengths", "yaml"),
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
            (
                "dataclasses",
                "fractions",
                "idle_states.base.model.beyond_opal",
                "idle_states.base.report.html.svg",
                "idle_states.tables.linux.genpd",
                "idle_states.tables.linux.intel_idle.origin",
                "idle_states.tables.show.origins",
                "idle_states.tables.show.show_document",
                "json",
                "yaml",
            ),
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
                "argparse",
                "idle_states.base.resources",
                "idle_states.cli.completion",
                "idle_states.cli.derive",
                "idle_states.cli.cmd_check",
                "pathlib",
                "re",
                "typing",
                "yaml",
            ),
        ),
        (
            ["select", "power9"],
            "idle_states.tables.linux.governors.menu",
            (
                "dataclasses",
                "idle_states.base.reading.launching",
                "idle_states.tables.linux.genpd",
                "idle_states.tables.linux.governors.ladder_steps",
                "idle_states.tables.linux.governors.source.model",
                "idle_states.tables.selection.limits_sheet",
                "idle_states.tables.show.sheet",
                "pickle",
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
        (
            ["replay", str(_TRACE / "mt8196-teo.idle.txt.gz"), "--states", ",".join(["1/1"] * 7)],
            "idle_states.lab.traces.text",
            (
                "fractions",
                "idle_states.base.report.html.svg",
                "idle_states.base.report.perfetto",
                "idle_states.lab.replay.drawn",
                "idle_states.lab.replay.inference",
                "idle_states.lab.replay.rivals",
                "idle_states.lab.replay.sample",
                "idle_states.lab.traces.dat_file",
                "idle_states.lab.traces.perf_data",
                "idle_states.tables.linux.dt_idle",
                "idle_states.tables.linux.genpd",
                "idle_states.tables.sources",
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


def test_a_review_imports_no_more_than_its_change_needs(specs: Path, tmp_path: Path) -> None:
    """A commit that changes no table: nothing is simulated, no mail, board or driver is read."""
    history = History(tmp_path / "skiboot")
    table = tmp_path / "slw.c"
    program = [sys.executable, "-m", "idle_states", "generate", "power9", "--to", "c", "-o", table]
    subprocess.run(program, cwd=ROOT, check=True)
    for number in range(2):
        history.commit({"hw/slw.c": f"{table.read_text()}/* {number} */\n"})
    words = ["review", "HEAD~1..HEAD", "--tree", str(history.directory)]
    found = imported(words, specs, tmp_path)
    assert "idle_states.base.reading.git.repository" in found
    not_needed = (
        "idle_states.base.reading.mail.box",
        "idle_states.change.review.boards",
        "idle_states.change.review.drivers",
        "idle_states.change.review.review_document",
        "idle_states.change.review.search",
        "idle_states.change.review.workloads",
        "idle_states.lab.simulation",
    )
    assert [name for name in not_needed if name in found] == []


def test_values_have_the_decorator_that_starts_quickly() -> None:
    files = sorted((ROOT / "idle_states").rglob("*.py"))
    standard = re.compile(r"^ *(from|import) dataclasses\b", re.M)
    found = [file.name for file in files if standard.search(file.read_text("utf-8"))]
    assert found == ["dataclass.py"]
