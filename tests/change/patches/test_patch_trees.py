"""patch for trees of sources but Linux's: U-Boot, with Linux's sources in it, and Zephyr."""

from pathlib import Path

import pytest
import yaml

from idle_states.change.patches.answer import patch
from idle_states.change.patches.plan import Plan
from idle_states.change.patches.request import PatchRequest
from tests.support.socs import BOARD, PSCI, SOC

pytestmark = pytest.mark.usefixtures("dtc")

UPSTREAM = "dts/upstream/src/arm64/maker"


def laid(top: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)


def planned(tmp_path: Path, top: Path, file: str = "arm64/maker/soc.dtsi") -> Plan:
    """With one value of a file of the tree to be another."""
    edit = {"file": file, "node": "CLUSTER_SLEEP", "field": "exit-latency-us"}
    wanted = {"name": "mine", "subject": "s", "body": "b"}
    wanted["edits"] = [{**edit, "from": "600us", "to": "700us"}]  # type: ignore[assignment]
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(wanted))
    return patch(PatchRequest(top, str(tmp_path / "mine.yaml"))).plan


@pytest.fixture
def u_boot(tmp_path: Path) -> Path:
    top = tmp_path / "u-boot"
    own = '/dts-v1/;\n#include <maker/soc.dtsi>\n/ { compatible = "a,own"; };\n'
    laid(
        top,
        {
            "include/u-boot/sha1.h": "",
            "dts/upstream/include/dt-bindings/psci.h": PSCI,
            f"{UPSTREAM}/soc.dtsi": SOC,
            f"{UPSTREAM}/one.dts": BOARD % "one",
            f"{UPSTREAM}/else.dts": '/dts-v1/;\n/ { model = "else"; };\n',
            "arch/arm64/dts/own.dts": own,
        },
    )
    return top


@pytest.mark.parametrize("file", ["arm64/maker/soc.dtsi", f"{UPSTREAM}/soc.dtsi"])
def test_u_boot_with_linux_s_sources(file: str, u_boot: Path, tmp_path: Path) -> None:
    """The patch is of U-Boot, and its own boards that include the file are built, too."""
    made = planned(tmp_path, u_boot, file)
    assert list(made.files) == [f"{UPSTREAM}/soc.dtsi"]
    assert "exit-latency-us = <700>;" in made.files[f"{UPSTREAM}/soc.dtsi"]
    (group,) = made.steps[0].tables
    assert sorted(group.boards) == ["arch/arm64/dts/own.dts", f"{UPSTREAM}/one.dts"]


def test_u_boot_s_own_file_comes_first(u_boot: Path, tmp_path: Path) -> None:
    """Both trees have a file that is called so in short; a board takes the one of its own tree."""
    laid(u_boot, {"arch/arm64/dts/maker/soc.dtsi": SOC})
    made = planned(tmp_path, u_boot)
    assert list(made.files) == ["arch/arm64/dts/maker/soc.dtsi"]
    (group,) = made.steps[0].tables
    assert group.boards == ("arch/arm64/dts/own.dts",)


def test_zephyr(tmp_path: Path) -> None:
    top = tmp_path / "zephyr"
    (top / "dts/bindings").mkdir(parents=True)
    laid(
        top,
        {
            "include/zephyr/dt-bindings/none.h": "",
            "include/dt-bindings/psci.h": PSCI,
            "dts/arm64/maker/soc.dtsi": SOC,
            "boards/maker/one/one.dts": (BOARD % "one").replace('"soc.dtsi"', "<maker/soc.dtsi>"),
        },
    )
    made = planned(tmp_path, top)
    assert list(made.files) == ["dts/arm64/maker/soc.dtsi"]
    (group,) = made.steps[0].tables
    assert group.boards == ("boards/maker/one/one.dts",)
