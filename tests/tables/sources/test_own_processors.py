"""Device trees of a processor that no packaged spec has: with its spec at hand, and without."""

import re
from pathlib import Path

import pytest

from idle_states.base.dataclass import replace
from idle_states.base.model.findings import Unreadable
from idle_states.base.model.table import Cpu
from idle_states.cli import main
from idle_states.tables.check.config import parse as parse_configuration
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.generate import tree_of
from idle_states.tables.skiboot.platform import ALL_LEVELS, BadPlatform, parse_platform
from idle_states.tables.spec import registry
from idle_states.tables.spec.library import find
from tests.support.commands import document, run

SPEC = """\
name: power12
extends: power10
cpu:
  generation: power12
  levels: [0, 2, 3, 11]
  versions:
    - {pvr: 0x0090, chips: [{name: P12}], linux: "7.2"}
firmware: {array: power12_cpu_idle_states}
provenance: {default: {kind: estimate, source: simulation, confidence: low}}
override:
  stop3: {latency: 60us, residency: 600us}
"""


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """POWER10's table on a CPU of PVR 0x0090, and a spec of that CPU, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    Path("power12.yaml").write_text(SPEC)
    table = replace(find("power10"), cpu=Cpu(registry.named("power10"), 0x0090, ("P10",)))
    Path("tree.dtb").write_bytes(fdt.write(tree_of(table, ALL_LEVELS)))


def rules(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, str]:
    """Rule -> a message, of warnings and errors about the tree."""
    found = document(capsys, "check", *words)["findings"]
    of_tree = (f for f in found if f["location"]["file"] == "tree.dtb")
    return {f["rule"]: f["message"] for f in of_tree if f["severity"] != "note"}


class TestWithoutItsSpec:
    def test_check_says_so_and_compares_with_no_other(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        found = rules(capsys, "tree.dtb")
        assert list(found) == ["IS121"]
        assert found["IS121"].startswith(
            "unknown processor PVR 0x00900000: it is not one of power7,"
        )

    def test_audit_has_no_nearest_table(self, capsys: pytest.CaptureFixture[str]) -> None:
        (entry,) = document(capsys, "audit", "tree.dtb")["inputs"]
        assert (entry["cpu"], entry["nearest"]) == ("", None)

    def test_show_says_so_and_what_follows_in_kernels_that_look(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        kernels = ("--kernel", "4.11", "--kernel", "6.1")
        _, out, _ = run(capsys, "show", "tree.dtb", *kernels)
        assert "Unknown processor\n  PVR 0x00900000: no packaged spec has it" in out
        assert "stop3: this kernel has no stop driver for PVR 0x0090" in out
        linux = document(capsys, "show", "tree.dtb", "--kernel", "4.11")["linux"]
        assert len(linux["states"]) == 5

    def test_import_says_what_it_assumes(self, capsys: pytest.CaptureFixture[str]) -> None:
        _, out, _ = run(capsys, "import", "tree.dtb")
        assert "No packaged spec has PVR 0x00900000; power9 is assumed." in out


class TestWithItsSpec:
    @pytest.mark.parametrize(
        "words",
        [
            ("power12.yaml", "tree.dtb"),
            ("tree.dtb", "power12.yaml"),
            ("tree.dtb", "--platform", "spec=power12.yaml"),
            (".",),
            (),
        ],
    )
    def test_check_judges_by_it(
        self, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
    ) -> None:
        found = rules(capsys, *words)
        assert list(found) == ["IS501"]
        assert "stop3 differs from power12: " in found["IS501"]

    def test_audit_compares_with_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        entries = document(capsys, "audit", "power12.yaml", "tree.dtb", "tree.dtb")["inputs"]
        for entry in entries[1:]:
            assert (entry["cpu"], entry["nearest"]) == ("power12", "power12")
            assert len(entry["differences"]) == 2

    def test_audit_finds_it_below_a_folder(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("fleet/trees").mkdir(parents=True)
        Path("fleet/specs/mine").mkdir(parents=True)
        Path("tree.dtb").rename("fleet/trees/tree.dtb")
        Path("power12.yaml").rename("fleet/specs/mine/power12.yaml")
        Path("fleet/specs/other.yaml").write_text("on: push\njobs: {}\n")
        for jobs in ("1", "2"):
            entries = document(capsys, "audit", "fleet", "--jobs", jobs)["inputs"]
            (entry,) = (each for each in entries if each["file"] == "fleet/trees/tree.dtb")
            assert (entry["cpu"], entry["nearest"]) == ("power12", "power12")

    def test_show_takes_it_from_the_platform(self, capsys: pytest.CaptureFixture[str]) -> None:
        words = ("show", "tree.dtb", "--platform", "spec=power12.yaml", "--kernel")
        assert len(document(capsys, *words, "7.2")["linux"]["states"]) == 5
        assert len(document(capsys, *words, "7.1")["linux"]["states"]) == 1

    @pytest.mark.parametrize("order", [("power12.yaml", "tree.dtb"), ("tree.dtb", "power12.yaml")])
    def test_diff_follows_both_as_it_says(
        self, order: tuple[str, str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Linux 7.2 knows the processor, by the spec alone, and so does every firmware."""
        Path("power12.yaml").write_text(SPEC.replace("{name: P12}", "{name: P12, skiboot: always}"))
        found = document(capsys, "diff", *order, "--kernel", "7.2")["differences"]
        table = ["states.stop3.latency", "states.stop3.residency"]
        assert [each["path"] for each in found if each["stage"] == "table"] == table
        registered = [each["path"] for each in found if each["stage"] != "table"]
        assert registered
        assert all("stop3" in path or path == "order" for path in registered)

    def test_another_spec_does_not_help(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("power12.yaml").write_text(SPEC.replace("0x0090", "0x0091"))
        assert list(rules(capsys, "power12.yaml", "tree.dtb")) == ["IS121"]


class TestChips:
    def test_of_the_table_itself(self, capsys: pytest.CaptureFixture[str]) -> None:
        lost = document(capsys, "show", "power12.yaml", "--platform", "chip=P12")["export"]["lost"]
        assert "skiboot does not know chip P12 " in lost[0]["reason"]

    def test_of_a_spec_that_is_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        chosen = ("--platform", "spec=power12.yaml,chip=P12")
        lost = document(capsys, "show", "power9", *chosen)["export"]["lost"]
        assert "skiboot does not know chip P12" in lost[0]["reason"]

    @pytest.mark.parametrize("table", ["power9", "tree.dtb", "power12.yaml"])
    @pytest.mark.parametrize("command", ["show", "check", "select"])
    def test_of_nobody(self, capsys: pytest.CaptureFixture[str], command: str, table: str) -> None:
        status, _, err = run(capsys, command, table, "--platform", "chip=P13")
        assert status == 2
        assert "for chip, found 'P13'; of a chip in your own spec, name that" in err


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: [\n", "wrong.yaml:"),
        ("name: wrong\n", "expected"),
        ("name: wrong\nextends: pseries-shared\n", "one of another kind"),
        (None, "No such file or directory"),
    ],
)
def test_what_is_no_spec_of_a_processor(text: str | None, problem: str) -> None:
    if text is not None:
        Path("wrong.yaml").write_text(text)
    with pytest.raises(BadPlatform, match="expected a spec of an OPAL table for spec, ") as caught:
        parse_platform("spec=wrong.yaml")
    assert problem in str(caught.value)


def test_a_configuration_names_no_file_to_read() -> None:
    with pytest.raises(Unreadable, match="expected no spec= in a configuration"):
        parse_configuration("[idle-states]\nplatform = rainier,spec=/etc/passwd\n", "setup.cfg")


@pytest.mark.parametrize("within", [False, True])
def test_many_trees_are_audited_alike(within: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Processes of their own know the spec, too, which is named or lies beside the trees."""
    Path("many").mkdir()
    for number in range(150):
        Path(f"many/{number}.dtb").write_bytes(Path("tree.dtb").read_bytes())
    Path("many/bad.yaml").write_text("name: [\nstates:\n- residency: 1us\n")
    Path("many/power12.yaml" if within else "power12.yaml").write_text(SPEC)
    status = main(["audit", *([] if within else ["power12.yaml"]), "many", "--jobs", "2"])
    assert status == 3  # one is unreadable
    assert re.search(r"150 +power12 .* power12 \+2 ", capsys.readouterr().out)
