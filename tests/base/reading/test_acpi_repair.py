"""Tests of what ACPICA makes of a _CST, beside acpiexec, which has the kernel's own code of it."""

import random

import pytest

from idle_states.base.model.acpi_objects import AcpiObject, AcpiRegister
from idle_states.base.reading.acpi import acpiexec, tables
from idle_states.base.reading.acpi.repair import again, evaluated
from idle_states.change.boot.q35.aml import ssdt
from tests.support import acpi
from tests.support.thorough import examples

IO = bytes(AcpiRegister(1, 8, 0, 1, 0x614))
C1, C2 = (IO, 1, 1, 0), (IO, 2, 40, 0)
MOST = 150


def drawn(rng: random.Random) -> AcpiObject:
    """A _CST, most of them wrong somewhere."""
    if rng.random() < 0.05:
        return rng.choice((3, "C1", b"\1\2"))
    entries = [entry(rng) for _ in range(rng.randrange(1, 6))]
    count: AcpiObject = len(entries) + rng.choice((0, 0, 0, -1, 1))
    if rng.random() < 0.2:
        count = rng.choice((str(count), "0x2", "08", " 1x", bytes((2, 0)), (1 << 32) + 1))
    return (count, *entries)


def entry(rng: random.Random) -> AcpiObject:
    if rng.random() < 0.1:
        return rng.choice((5, "text", (), (IO, 2), (IO, 1, 3)))
    register = rng.choice((IO, IO, 7, "port", (1, 2), (IO,)))
    kind = rng.choice((1, 2, 3, 1, 2, 3, 0, 4, (1 << 32) | 2, 1 << 32))
    latency = rng.choice((0, 40, "90", b"\x28", bytes(9), (1,)))
    return (register, kind, latency, rng.choice((0, 0, "12")), *([0] * (rng.random() < 0.1)))


@pytest.mark.slow
def test_random_objects_come_to_what_acpiexec_makes_of_them(iasl: str) -> None:
    if acpiexec.program() is None:
        pytest.skip(f"{acpiexec.PROGRAM} is not installed")
    rng = random.Random(15)
    count = examples(MOST, 10 * MOST)
    found = [drawn(rng) for _ in range(count)]
    sane = [each for each in found if not evaluated(each).fatal]
    assert len(sane) > count // 2
    for first in range(0, len(sane), MOST):
        part = sane[first : first + MOST]
        paths = [f"\\_SB.C{number:03X}" for number in range(len(part))]
        devices = "".join(f"Device ({path}) {{}}\n" for path in paths)
        named = ssdt({path: {"_CST": cst} for path, cst in zip(paths, part, strict=True)})
        given = tables.blobs(acpi.compiled(acpi.block(devices)) + named, "f")
        answers = acpiexec.evaluate(given, [f"{path}._CST" for path in paths], "f")
        for path, cst in zip(paths, part, strict=True):
            assert answers[f"{path}._CST"].value == evaluated(cst).cst, cst


SAID = [
    ((3, C1, C2), "Return Package is too small - found 3 elements, expected 3", (2, C1, C2)),
    ((2, C1, (IO, 0, 40, 0)), "SubPackage[1] - removing entry due to invalid Type(0)", (1, C1)),
    ((1, ()), "Return SubPackage[0] is too small - found 0 elements, expected 4", (0,)),
    (3, "Return Package is too small - found 1 elements, expected 3", (0,)),
    (
        (2, C1, (IO, (), 40, 0)),
        "Return Package type mismatch at index 1 - found Package, expected Integer",
        None,
    ),
]


@pytest.mark.parametrize(("cst", "said", "left"), SAID)
def test_what_is_wrong_is_said(cst: AcpiObject, said: str, left: AcpiObject) -> None:
    found = evaluated(cst)
    assert found.warnings[0] == said
    if left is None:
        assert found.fatal == "a type that is a Package is read as an integer"
    else:
        assert found.cst == left
        assert not found.fatal


def test_c_states_are_sorted_by_type_and_keep_their_order_otherwise() -> None:
    slow = IO, 2, 400, 0
    found = evaluated((4, slow, C2, (IO, 3, 90, 0), C1))
    assert found.cst == (4, C1, slow, C2, (IO, 3, 90, 0))
    assert found.warnings == ()


def test_the_next_evaluation_is_of_the_repaired_object() -> None:
    removed = evaluated((2, C1, (IO, 0, 40, 0)))
    assert again(removed).warnings == ()
    short = (IO, 2, 40)
    kept = evaluated((2, C1, short))
    warning = "Return SubPackage[1] is too small - found 3 elements, expected 4"
    # sorting fails, so that ACPICA is silent from then on
    assert kept.warnings == (warning,)
    assert kept.cst == (2, C1, short)
    assert again(kept).warnings == ()


@pytest.mark.parametrize("cst", [(), (2, C1, (IO,)), ((IO, 1), C1)])
def test_what_the_kernel_does_not_survive(cst: AcpiObject) -> None:
    assert evaluated(cst).fatal
