"""Digits are those of ASCII: what Unicode counts as one more makes no number, and ends no run."""

import ast
from pathlib import Path

import pytest

import idle_states
from idle_states.base.model.findings import Unreadable
from idle_states.tables.linux.releases import UnknownRelease, release
from idle_states.tables.sources.formats import read_path
from tests.base.reading.test_hostile import valid
from tests.support.thorough import examples

ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
LOGS = {
    "opal": "[    5.123456789,3] SLW: Enabling: stop0_lite\n"
    "[    5.123456789,5] OPAL v6.4 starting...\n"
    "[    5.2,5] CPU: P9 generation processor (max 4 threads/core)\n",
    "linux": "<6>[    0.000000] Linux version 6.1.0-18-powerpc64le\n"
    "[    1.5] cpuidle-powernv: Requested Level (RL) value of first deep stop = 0x4\n"
    "[    0.1] Hardware name: 8335-GTH POWER9 (raw) 0x4e1202 0xf000005 opal:v6.4 PowerNV\n"
    "[    1.5] cpuidle: using governor menu\n",
}
TEXTS = {
    name: data.decode() for name, data in valid().items() if name in ("dts", "c", "yaml", "sysfs")
}


def test_a_log_level_that_is_no_digit(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("[    5.123456789,٣] SLW: x\n[    5.123456789,5] SLW: Enabling: stop0\n")
    (source,) = read_path(path)
    assert source.table is None


@pytest.mark.parametrize("name", [*LOGS, *TEXTS])
def test_foreign_digits_are_read_or_refused(name: str, tmp_path: Path) -> None:
    """One at a time, each in the place of a digit, and all of them."""
    text = {**LOGS, **TEXTS}[name]
    places = [at for at, char in enumerate(text) if char.isdigit()]
    path = tmp_path / "it"
    made = [
        text[:at] + text[at].translate(ARABIC) + text[at + 1 :] for at in places[: examples(30, 60)]
    ]
    for changed in (*made, text.translate(ARABIC)):
        path.unlink(missing_ok=True)
        path.write_text(changed)
        try:
            read_path(path)
        except Unreadable:
            continue


def test_foreign_digits_make_no_number(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_text(TEXTS["sysfs"].replace("latency:1", "latency:١"))
    with pytest.raises(Unreadable, match="expected a number as latency"):
        read_path(path)
    with pytest.raises(UnknownRelease):
        release("debian-٦.1")


def test_patterns_of_text_say_which_digits() -> None:
    r"""\d of a str pattern takes any digit of Unicode unless re.ASCII says otherwise."""
    loose = []
    for path in sorted(Path(idle_states.__file__).parent.rglob("*.py")):
        if rb"\d" not in (text := path.read_bytes()):
            continue
        for call in ast.walk(ast.parse(text)):
            if not isinstance(call, (ast.Call, ast.Assign)):
                continue
            texts = [
                node.value
                for node in ast.walk(call)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            ]
            if any(r"\d" in text for text in texts) and "re.ASCII" not in ast.unparse(call):
                loose.append(f"{path.name}:{call.lineno}")
    assert loose == []
