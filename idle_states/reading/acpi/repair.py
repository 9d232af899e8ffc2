"""What ACPICA does to a _CST before the kernel sees it.

Sources: drivers/acpi/acpica/nsrepair.c, nsrepair2.c (acpi_ns_repair_CST), acpredef.h.
"""

from ...acpi_objects import AcpiObject

_U32_MAX = 0xFFFF_FFFF
_LPI_HEAD = 3


def is_regular(name: str, found: AcpiObject) -> bool:
    """Whether an object has the kinds of elements that ACPICA expects of that name, of which it
    converts none."""
    if not isinstance(found, tuple):
        return False
    if name == "_LPI":
        head, states = found[:_LPI_HEAD], found[_LPI_HEAD:]
        return all(isinstance(number, int) for number in head) and all(
            isinstance(state, tuple)
            and all(isinstance(element, (int, bytes, str)) for element in state)
            for state in states
        )
    return bool(found) and isinstance(found[0], int) and all(map(_is_c_state, found[1:]))


def repaired(cst: AcpiObject) -> tuple[AcpiObject, list[str]]:
    """A regular _CST as ACPICA hands it over, and what it changed: elements without a value and
    C-states of type 0 are gone, the rest is sorted by type, and the number is that of the rest."""
    assert isinstance(cst, tuple)
    done = []
    given = [element for element in cst[1:] if isinstance(element, tuple)]
    kept = [element for element in given if _type(element)]
    if len(kept) < len(given):
        done.append("C-states of type 0 are removed")
    in_order = sorted(kept, key=_type)
    if in_order != kept:
        done.append("C-states are sorted by type")
    if cst[0] != len(kept):
        done.append(f"the number of C-states is {len(kept)}, not {cst[0]!r}")
    return (len(kept), *in_order), done


def _type(element: tuple[AcpiObject, ...]) -> int:
    assert isinstance(element[1], int)
    return element[1]


def _is_c_state(element: AcpiObject) -> bool:
    if element is None:
        return True
    return (
        isinstance(element, tuple)
        and len(element) >= 4
        and isinstance(element[0], bytes)
        and all(isinstance(number, int) for number in element[1:4])
        and _type(element) <= _U32_MAX
    )
