"""The cutting of C that the oracles rest on."""

from pathlib import Path

import pytest

from tests.oracle.linux.powernv import PowernvOracle
from tests.oracle.linux.source import OracleError, constants, includes, keep_functions, release

TEXT = """\
#define LIMIT 0x10 /* { */
#define TWICE(x) ((x) * 2)
#include <linux/of.h>
#include "local.h"
struct pair { int a; int b; };
static int table[] = { 1, 2 }; /* } */
/* first { */
static int __init first(struct pair *p)
{
\tif (p) { puts("}\\"{"); }
\treturn '{';
}
void second(void) { }
int last = LIMIT;
"""


def test_keep_functions() -> None:
    kept = keep_functions(TEXT, frozenset({"second"}))
    assert "first" not in kept
    assert "void second(void) { }" in kept
    assert "static int table[] = { 1, 2 };" in kept
    assert kept.splitlines()[-1] == "int last = LIMIT;"
    assert kept.count("\n") == TEXT.count("\n")
    assert keep_functions(TEXT, frozenset({"first", "second"})) == TEXT


def test_missing_function() -> None:
    with pytest.raises(OracleError, match="functions not found: third"):
        keep_functions(TEXT, frozenset({"third"}))


def test_constants() -> None:
    assert constants(TEXT, "LIMIT|TWICE") == "#define LIMIT 0x10 /* { */\n"
    with pytest.raises(OracleError, match="no macro matches BOUND"):
        constants(TEXT, "BOUND")


def test_includes() -> None:
    assert includes(TEXT) == ["linux/of.h", "local.h"]


def test_release(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 192\n")
    assert release(tmp_path) == "6.1.192"


def test_tree_without_kernel(tmp_path: Path) -> None:
    with pytest.raises(OracleError, match=r"idle\.c: No such file"):
        PowernvOracle(tmp_path, tmp_path)
