"""A tree that differs from earlier ones in times alone is audited as if it were the only one."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.model.power_mgt import LATENCIES, RESIDENCIES, u32_array
from idle_states.tables.audit import alike, tree_shape
from idle_states.tables.audit.audit import Setting, audit_path
from idle_states.tables.audit.brief import brief
from idle_states.tables.audit.tree_shape import TreeShape
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.skiboot.platform import parse_platform
from tests.support.random_tables import time_ns
from tests.support.releases import kernels_of
from tests.support.thorough import examples
from tests.tables.audit.test_audit import edited, tree
from tests.tables.linux.test_powernv_model import random_case

pytestmark = pytest.mark.skipif(fdt._fdt is None, reason="the C reader is not compiled")

POWER_MGT = "/ibm,opal/power-mgt"
CPU_VERSIONS = (0x004D0200, 0x004E1202, 0x00800200, 0x00820100, 0x12340000)
SETTINGS = {
    "default": Setting(Criteria(kernels_of(("5.10", "6.1", "6.12", "debian-6.1.192", "7.3")))),
    "old": Setting(Criteria(kernels_of(("3.14", "4.4", "4.8", "4.11", "4.14", "4.19", "5.2")))),
    "unknown": Setting(Criteria(kernels_of(("6.1", "ubuntu-6.8.0", "el9")))),
    "no wakeup engine": Setting(
        Criteria(kernels_of(("6.1",)), parse_platform("wakeup-engine=no,stop-api=no"))
    ),
}


def shaped(drawn: random.Random, count: int = 4) -> Iterator[Node]:
    """Some trees that differ in their states' times, which are of any length."""
    root = tree(drawn.choice(["powernv8", "powernv9", "powernv10"]))
    version = drawn.choice(CPU_VERSIONS)
    _, properties, _ = random_case(drawn)
    if drawn.random() < 0.3:
        properties["ibm,enabled-stop-levels"] = drawn.choice([b"\xec\0\0\0", b"\xff" * 4, b"1"])
    first = root.find("/cpus")
    assert first is not None
    if drawn.random() < 0.7:
        root = edited(
            root, f"/cpus/{first.children[0].name}", **{"cpu-version": u32_array([version])}
        )
    for number in range(count):
        for name in {LATENCIES, RESIDENCIES} & properties.keys():
            size = len(properties[name])
            times = u32_array(time_ns(drawn) for _ in range(size // 4 + 1))
            properties[name] = times[:size]
        made = edited(root, "/", **{"system-id": f"S{number}".encode()})
        opal = made.child("ibm,opal")
        assert opal is not None
        others = tuple(each for each in opal.children if each.name != "power-mgt")
        idle = replace(opal, children=(*others, Node("power-mgt", dict(properties))))
        yield replace(
            made, children=tuple(idle if each is opal else each for each in made.children)
        )


@pytest.mark.parametrize("everything", [True, False])
@pytest.mark.parametrize("name", SETTINGS)
def test_each_is_audited_as_alone(
    name: str, everything: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_shape, "WATCHED", 2)
    quick = 0
    real = TreeShape.audit

    def counted(*given: Any, **named: Any) -> Any:
        nonlocal quick
        result = real(*given, **named)
        quick += len(result)
        return result

    monkeypatch.setattr(TreeShape, "audit", counted)
    setting = replace(SETTINGS[name], everything=everything)
    drawn = random.Random(f"{name} {everything}")
    with alike.Auditor(setting) as auditor:
        for number in range(examples(8, 150)):
            for inner, root in enumerate(shaped(drawn, drawn.choice([4, 16]))):
                file = tmp_path / f"{number}-{inner}.dtb"
                file.write_bytes(fdt.write(root))
                alone = audit_path(file, setting)
                wanted = alone if everything else list(map(brief, alone))
                assert list(auditor.audit(file)) == wanted
    assert (quick > 12) == (name != "unknown")


def test_a_shape_has_no_times() -> None:
    roots = list(shaped(random.Random(3)))
    blobs = [fdt.write(root) for root in roots]
    parts = [part for blob in blobs if (part := fdt.judged(blob))]
    assert len({part.shape for part in parts}) == 1
    assert len({part.key for part in parts}) == len(parts) == 4
    for root, part in zip(roots, parts, strict=True):
        node = root.find(POWER_MGT)
        assert node is not None
        said = node.properties.get(LATENCIES), node.properties.get(RESIDENCIES)
        assert (part.latencies, part.residencies) == said


def test_only_so_many_shapes_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alike, "SHAPES", 2)
    drawn = random.Random(5)
    with alike.Auditor(SETTINGS["default"]) as auditor:
        for _ in range(4):
            for root in shaped(drawn):
                (tmp_path / "x.dtb").write_bytes(fdt.write(root))
                auditor.audit(tmp_path / "x.dtb")
            assert len(auditor._shapes) <= 2
