"""Specs of Arm and RISC-V machines as TABLE: what commands say of them, and of the same tree."""

import json
from pathlib import Path
from typing import Any

import pytest

from idle_states.tables.sources import read_sources
from idle_states.tables.sources.here import tables_here
from idle_states.tables.spec.packaged import current, machines
from tests.support.commands import Capture, run
from tests.support.machines import FLAT, MACHINES
from tests.support.thorough import few

PACKAGED = [revision.name for revision in machines()]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in MACHINES.items():
        Path(f"{name}.yaml").write_text(text)


def good(capsys: Capture, *words: str) -> str:
    status, out, errors = run(capsys, *words)
    assert (status, errors) == (0, "")
    return out


def values(capsys: Capture, *words: str) -> Any:
    """Returns what a command says in JSON, without what names the file and where a value comes
    from."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            left_out = ("inputs", "location", "provenance", "where", "sha256", "file", "related")
            return {key: plain(held) for key, held in value.items() if key not in left_out}
        return [plain(held) for held in value] if isinstance(value, list) else value

    status, out, _ = run(capsys, *words, "--format", "json")
    assert status in (0, 1)
    return plain(json.loads(out))


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("form", few(1, ["dts", "dtb"]))
def test_a_spec_and_its_tree_have_the_same_results(name: str, form: str, capsys: Capture) -> None:
    good(capsys, "generate", "--to", form, f"{name}.yaml", "-o", f"tree.{form}")
    good(capsys, "import", f"tree.{form}", "-o", "again.yaml")
    cpus = [source.name for source in read_sources(f"{name}.yaml")]
    assert [source.name for source in read_sources(f"tree.{form}")] == cpus
    kernels = ("--kernel", "6.12", "--kernel", "5.4")
    for spec in (f"{name}.yaml", "again.yaml"):
        assert values(capsys, "check", spec) == values(capsys, "check", f"tree.{form}")
        for cpu in cpus:
            of_spec, of_tree = f"{spec}:{cpu}", f"tree.{form}:{cpu}"
            shown = values(capsys, "show", of_spec, *kernels)
            assert shown == values(capsys, "show", of_tree, *kernels)
            assert shown["kernels"][0]["states"]
            words = ("--governor", "menu", "--kernel", "6.12")
            selected = values(capsys, "select", of_spec, *words)
            assert selected.pop("table") == of_spec
            other = values(capsys, "select", of_tree, *words)
            assert other.pop("table") == of_tree
            assert selected == other


def test_simulations_of_a_spec_and_its_tree(capsys: Capture) -> None:
    good(capsys, "generate", "--to", "dtb", "flat.yaml", "-o", "flat.dtb")
    results = []
    for table in ("flat.yaml:cpu@0", "flat.dtb:cpu@0"):
        words = ("--table", table, "--governor", "menu", "--kernel", "6.12")
        out = good(capsys, "simulate", "schbench", *words)
        results.append(out.replace("flat.yaml", "T").replace("flat.dtb", "T"))
    assert results[0] == results[1]


def test_findings_are_placed_in_the_spec(capsys: Capture) -> None:
    Path("bad.yaml").write_text(FLAT.replace("parameter: 0x01010000", "parameter: 0x81010000"))
    status, out, _ = run(capsys, "check", "bad.yaml", "--format", "json")
    found = [f for f in json.loads(out)["findings"] if f["severity"] == "error"]
    assert status == 1
    line = next(n for n, text in enumerate(FLAT.splitlines(), 1) if "0x01010000" in text)
    assert {(f["location"]["file"], f["location"]["line"]) for f in found} == {("bad.yaml", line)}


def test_importing_a_spec_makes_it_flat(capsys: Capture) -> None:
    Path("mine.yaml").write_text(
        "name: mine\nextends: nested\noverride:\n  cpu-sleep: {residency: 5ms}\n"
    )
    text = good(capsys, "import", "mine.yaml:cpu@1", "--name", "whole")
    assert text.startswith("name: whole\n")
    assert "extends" not in text
    Path("whole.yaml").write_text(text)
    shown = values(capsys, "show", "whole.yaml:cpu@0")
    assert [s["residency_ns"] for s in shown["table"]["states"]] == [5000000, 4000000, 9987000]
    assert good(capsys, "generate", "--to", "yaml", "whole.yaml") == text


def test_an_import_names_file_and_line(capsys: Capture) -> None:
    good(capsys, "generate", "--to", "dts", "flat.yaml", "-o", "flat.dts")
    text = good(capsys, "import", "flat.dts")
    lines = Path("flat.dts").read_text().splitlines()
    line = next(n for n, text in enumerate(lines, 1) if "cpu-sleep-1 {" in text)
    assert f'source: "flat.dts:{line}"' in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--to", "c", "flat.yaml"), "expected --to dts, dtb, yaml or asl for a machine of Arm"),
        (("--to", "md", "flat.yaml"), "expected --to dts, dtb, yaml or asl for a machine"),
        (("--to", "dts", "--versioned", "flat.yaml"), "expected --versioned with a table of OPAL"),
        (("--to", "dtb", "--as", "overlay", "flat.yaml"), "expected --as with --to dts only"),
        (("--to", "dts", "--as", "include", "power9"), "expected --as with a machine of Arm or"),
    ],
)  # fmt: skip
def test_forms_that_a_machine_has_none_of(
    words: tuple[str, ...], message: str, capsys: Capture
) -> None:
    status, _, errors = run(capsys, "generate", *words)
    assert status == 2
    assert message in errors


@pytest.mark.parametrize("name", PACKAGED)
def test_packaged_machines_are_sound(name: str, capsys: Capture) -> None:
    found = values(capsys, "check", name)["findings"]
    assert [finding["rule"] for finding in found if finding["severity"] != "note"] == []
    for source in read_sources(name):
        word = f"{name}:{source.name.rpartition('/')[2]}"
        shown = values(capsys, "show", word, "--kernel", "6.12")
        assert shown["linux"]["lost"] == []
        assert len(shown["linux"]["states"]) > 1


def test_packaged_machines_are_listed_and_not_taken_unasked(capsys: Capture) -> None:
    for name in MACHINES:
        Path(f"{name}.yaml").unlink()
    assert [source.name for source in tables_here().sources] == list(current())
    listed = json.loads(good(capsys, "list", "--format", "json"))["tables"]
    assert [table["name"] for table in listed if table["architecture"]] == PACKAGED
    status, _, errors = run(capsys, "show", f"{PACKAGED[0]}:cpu@99")
    assert status == 2
    assert f"expected a table of {PACKAGED[0]} (/cpus/cpu@0" in errors


def test_a_folder_with_specs_of_machines(capsys: Capture) -> None:
    assert {source.file for source in tables_here().sources} == {f"{n}.yaml" for n in MACHINES}
