"""audit --redact: no serial number and no MAC address in any form of report."""

import base64
import hashlib
import json
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.findings import Finding, Location, Severity
from idle_states.cli import main
from idle_states.tables.audit.audit import Setting, audit_path
from idle_states.tables.audit.audited import Audited
from idle_states.tables.audit.redact import redacted
from idle_states.tables.audit.trees import TreeDifference
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from tests.support import DATA
from tests.support.releases import kernels_of

TREES = DATA / "trees"
SETTING = Setting(Criteria(kernels_of(("6.12",))), redact=True)
OWN, THEIRS = "SN00004ZQ", "SN00002ZQ"
MAC = bytes([0x02, 0xDE, 0xAD, 0xBE, 0x00, 0x01])


def machine(serial: str, **opal: bytes) -> Node:
    """A tree with that serial number and properties of /ibm,opal ("__" for "-")."""
    root = fdt.read((TREES / "powernv9.dtb").read_bytes(), "powernv9")
    named = {name.replace("__", "-"): value for name, value in opal.items()}
    children = tuple(
        replace(node, properties=node.properties | named) if node.name == "ibm,opal" else node
        for node in root.children
    )
    properties = {**root.properties, "system-id": f"{serial}\0".encode()}
    return replace(root, properties=properties, children=children)


def written(path: Path, node: Node) -> Path:
    path.write_bytes(fdt.write(node))
    return path


def differing(tmp_path: Path, **opal: bytes) -> dict[str, TreeDifference]:
    """The redacted difference of a tree with these properties from one without."""
    path = written(tmp_path / "own.dtb", machine(OWN, **opal))
    [audited] = audit_path(path, replace(SETTING, against=machine(THEIRS)))
    return {found.path.removeprefix("/ibm,opal:"): found for found in audited.against or ()}


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "sarif", "junit"])
def test_the_other_trees_serial_is_replaced_too(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = {serial: f"on {serial}, {MAC.hex('-')}\0".encode() for serial in (OWN, THEIRS)}
    one = written(tmp_path / f"host-{OWN}.dtb", machine(OWN, note=notes[OWN] + b"x\0"))
    other = written(tmp_path / "other.dtb", machine(THEIRS, note=notes[THEIRS]))
    page = tmp_path / "page.html"
    words = [str(one), "--against", str(other), "--format", form, "--html", str(page)]
    main(["audit", *words])
    plain = capsys.readouterr().out + page.read_text("utf-8")
    assert THEIRS in plain
    main(["audit", *words, "--redact"])
    text = (capsys.readouterr().out + page.read_text("utf-8")).lower()
    for secret in (OWN, THEIRS):
        assert secret.lower() not in text
        assert secret.encode().hex() not in text
    assert MAC.hex("-") not in text
    assert MAC.hex("-").encode().hex() not in text


def test_macs_are_found_without_separators_and_as_bytes(tmp_path: Path) -> None:
    found = differing(
        tmp_path,
        local__mac__address=MAC,
        mac2=MAC.hex().upper().encode() + b"\0",
        beside=b"\x07\x01" + MAC + b"\x07",
        note=b"at " + MAC.hex().encode() + b"\0",
        unnamed=bytes([2, 0xDE, 0xAD, 0xBE, 0, 2]),
    )
    for difference in found.values():
        assert MAC not in (difference.a or b"")
        assert MAC.hex().encode() not in (difference.a or b"").lower()
    assert found["local-mac-address"].a == found["unnamed"].a == b"[mac]"
    assert found["beside"].a == b"\x07\x01[mac]\x07"
    assert found["note"].a == b"at [mac]\0"


def test_serials_of_parts_are_found_by_their_names(tmp_path: Path) -> None:
    found = differing(
        tmp_path, ibm__serial=b"AB1\0", asset__tag=b"TAG0815\0", note=b"tag0815, own sn00004zq\0"
    )
    assert found["ibm-serial"].a == found["asset-tag"].a == b"[serial]\0"
    assert found["note"].a == b"[serial], own [serial]\0"


def test_values_that_are_neither_stay(tmp_path: Path) -> None:
    kept = {"words": b"stop0\0", "cells": bytes(range(8)), "address": b"x@200000000000\0"}
    found = differing(tmp_path, **kept)
    assert {name: found[name].a for name in kept} == kept


def test_inputs_whose_serial_is_unknown_go_by_their_digests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file name often has the machine's serial number; no tree says which part it is."""
    top = tmp_path / THEIRS
    top.mkdir()
    whole = fdt.write(machine(OWN))
    (top / f"host-{OWN}.dtb").write_bytes(whole[:500])
    (top / f"host-{OWN}.dts").write_bytes(b"")
    digest = hashlib.sha256(whole[:500]).hexdigest()
    for form in ("text", "json", "sarif", "junit", "github"):
        main(["audit", str(top / f"host-{OWN}.dtb"), str(top / f"host-{OWN}.dts"),
              "--redact", "--format", form])  # fmt: skip
        text = capsys.readouterr().out
        assert OWN not in text
        assert THEIRS not in text
        assert f"input-{digest[:16]}" in text
    inputs = audited(top / f"host-{OWN}.dtb")
    assert inputs.sha256 == digest
    assert inputs.findings[0].location.file == inputs.file


def audited(path: Path) -> Audited:
    [found] = audit_path(path, SETTING)
    return found


def test_a_table_that_people_wrote_keeps_its_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\nextends: power9\n")
    assert audited(path).file == path.as_posix()


def test_abbreviated_commits_are_no_macs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = machine(OWN)
    firmware = Node("ibm,firmware-versions", {"hostboot": b"0123456789ab\0"})
    path = written(tmp_path / "a.dtb", replace(root, children=(*root.children, firmware)))
    main(["audit", str(path), "--redact", "--format", "json"])
    [body] = json.loads(capsys.readouterr().out)["inputs"]
    assert body["machine"]["versions"]["hostboot"] == "0123456789ab"


def in_every_spelling(serial: str) -> dict[str, bytes]:
    coded = {"utf8": serial.encode(), "le": serial.encode("utf-16-le"),
             "be": serial.encode("utf-16-be")}  # fmt: skip
    spelt = {
        "plain": serial, "lower": serial.lower(), "spaced": " ".join(serial),
        "dashed": f"{serial[:4]}-{serial[4:]}",
        "grouped": f"{serial[:2]} {serial[2:6]} {serial[6:]}",
    }  # fmt: skip
    found = {name: f"no {text}.\0".encode() for name, text in spelt.items()}
    for name, data in coded.items():
        found[f"{name}__raw"] = data + b"\0\0"
        found[f"{name}__hex"] = data.hex().encode() + b"\0"
        for before in range(3):
            found[f"{name}__base64__{before}"] = (
                base64.b64encode(b"x" * before + data + b"yz") + b"\0"
            )
    return found


def in_every_form(mac: bytes) -> dict[str, bytes]:
    eui = mac[:3] + b"\xff\xfe" + mac[3:]
    digits, long = mac.hex(), eui.hex()
    texts = {
        "dotted": f"{digits[:4]}.{digits[4:8]}.{digits[8:]}", "spaced": mac.hex(" "),
        "colons": mac.hex(":"), "dashes": mac.hex("-"), "bare": digits, "eui": eui.hex(":"),
        "eui__dashes": eui.hex("-"), "eui__bare": long, "eui__spaced": eui.hex(" "),
        "eui__dotted": ".".join(long[at : at + 4] for at in range(0, 16, 4)),
    }  # fmt: skip
    found = {name: f"at {text}\0".encode() for name, text in texts.items()}
    found |= {f"{name}__wide": text.encode("utf-16-le") for name, text in texts.items()}
    found |= {"raw": b"\1" + mac + b"\1", "eui__raw": b"\1" + eui + b"\1"}
    found["base64"] = base64.b64encode(mac) + b"\0"
    return found


def test_a_serial_is_found_in_every_spelling(tmp_path: Path) -> None:
    for name, difference in differing(tmp_path, **in_every_spelling(OWN)).items():
        assert b"[serial]" in (difference.a or b""), (name, difference.a)


def test_a_mac_is_found_in_every_form(tmp_path: Path) -> None:
    found = differing(tmp_path, local__mac__address=MAC, **in_every_form(MAC))
    for name, difference in found.items():
        assert b"[mac]" in (difference.a or b""), (name, difference.a)


def test_macs_that_nothing_names_are_known_by_their_form(tmp_path: Path) -> None:
    other = bytes.fromhex("02dead007788")
    forms = ("dotted", "spaced", "colons", "dashes", "bare", "eui", "eui__dashes", "eui__spaced")
    found = differing(tmp_path, **{name: in_every_form(other)[name] for name in forms})
    assert {difference.a for difference in found.values()} == {b"at [mac]\0"}


@pytest.mark.parametrize(
    "text", ["00000000 00300331", "0x0000000000300331", "6.1.0-50", "1 2 3 4 5 6 7 8", "2026-11-22"]
)
def test_numbers_that_are_no_address_stay(text: str, tmp_path: Path) -> None:
    assert differing(tmp_path, note=text.encode() + b"\0")["note"].a == text.encode() + b"\0"


def test_the_states_are_still_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / f"host-{OWN}.dtb", machine(OWN))
    main(["audit", str(path), "--config", "none"])
    table = [line for line in capsys.readouterr().out.splitlines() if " stop0_lite " in line]
    main(["audit", str(path), "--config", "none", "--redact"])
    text = capsys.readouterr().out
    assert table
    assert all(line in text for line in table)
    assert OWN not in text


def test_what_an_unreadable_input_says_is_not_quoted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"name: 'x{OWN}'\nname: [\"{OWN}\n")
    main(["audit", str(path), "--redact"])
    assert OWN not in capsys.readouterr().out


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_quotation_that_was_cut_is_not_shown_and_takes_no_time(quote: str) -> None:
    for end in ("", "\\", quote, f"{quote} and more"):
        message = f"the archive's end, found {quote}{OWN}" + "\\\\" * 40 + end
        finding = Finding("IS930", "unreadable-input", Severity.ERROR, message, Location(file="a"))
        audited = Audited("a", "", "", "unreadable", findings=(finding,))
        [shown] = redacted(audited).findings
        assert shown.message.removesuffix(" and more") == "the archive's end, found [text]"


def test_a_tree_that_says_no_serial_goes_by_its_digest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = fdt.read((TREES / "powernv9.dtb").read_bytes(), "")
    bare = replace(bare, properties={k: v for k, v in bare.properties.items() if k != "system-id"})
    written(tmp_path / f"host-{OWN}.dtb", bare)
    (tmp_path / OWN).mkdir()
    written(tmp_path / OWN / "a.dtb", bare)
    with tarfile.open(tmp_path / f"of-{OWN}.tar", "w") as archive:
        archive.add(tmp_path / OWN, OWN)
    for form in ("text", "json", "sarif", "github", "junit"):
        main(["audit", str(tmp_path), "--redact", "--format", form, "--config", "none"])
        assert OWN not in capsys.readouterr().out
