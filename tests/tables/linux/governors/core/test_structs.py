"""Structs that Python hands to the core: one row of names for both."""

import pytest

from idle_states.tables.linux.governors.core.structs import EFFECT, STRUCTS
from tools import eras


def test_values_go_by_names_to_where_c_has_them() -> None:
    assert EFFECT.declaration() == "struct effect {\n\tu64 exit_ns;\n\tu32 scope, holds;\n};\n"
    expected = (5).to_bytes(8, "little") + (1).to_bytes(4, "little") + (7).to_bytes(4, "little")
    assert EFFECT.pack(holds=7, exit_ns=5, scope=1) == expected


def test_a_field_is_neither_missing_nor_too_much() -> None:
    with pytest.raises(TypeError, match=r"struct effect: missing or unknown: holds$"):
        EFFECT.pack(exit_ns=5, scope=1)
    with pytest.raises(TypeError, match=r"missing or unknown: more$"):
        EFFECT.pack(exit_ns=5, scope=1, holds=7, more=0)


def test_c_pads_no_struct() -> None:
    """Fields of 8 bytes come first, and an odd number of those of 4 stands alone."""
    for each in STRUCTS:
        kinds = list(each.type2names)
        assert "u64" not in kinds[1:]
        narrow = sum(len(names) for kind, names in each.type2names.items() if kind != "u64")
        assert kinds[0] != "u64" or narrow % 2 == 0
        assert each.declaration() in eras.structs()
