"""Releases that nobody compiled code for: decided alike by the code for any features, or refused by
name; and the headers that C has them from."""

import re
from collections.abc import Iterator
from dataclasses import field, fields, make_dataclass, replace
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest

from idle_states.base.model.history import History, Since, choices, types_of
from idle_states.tables.linux import releases
from idle_states.tables.linux.governors import Governor, State, core, menu_features, teo_features
from idle_states.tables.linux.governors.core import packing
from idle_states.tables.linux.releases import all_releases, release
from tests.support.compiled import needs_core
from tests.support.swept import sweep
from tests.tables.linux.governors.core.test_core import (
    LEVELS,
    Era,
    by_reference,
    compare,
    decided,
    fewest,
    sweeps,
)
from tests.tables.linux.governors.test_models import HZS, random_cpu
from tools import eras

pytestmark = needs_core
MADE_UP = 40


def made_up(governor: str, random: Random) -> Any:
    """Features of no release: each as in some release."""
    module = import_module(f"idle_states.tables.linux.governors.{governor}_features")
    known = []
    for each in all_releases():
        try:
            known.append(module.features(each))
        except ValueError:
            continue
    names = types_of(type(known[0]))
    return replace(known[0], **{name: getattr(random.choice(known), name) for name in names})


@pytest.mark.parametrize("governor", ["menu", "teo", "ladder", "haltpoll"])
def test_made_up_releases(governor: str) -> None:
    """Without a rebuild; but for times in which no release has bins."""
    random = Random(f"made up, {governor}")
    new = refused = 0
    for _ in range(MADE_UP):
        chosen = made_up(governor, random)
        hz = random.choice(HZS)
        cpu = random_cpu(random, hz, fewest(governor))
        if governor == "teo" and chosen.bins and not (chosen.nanoseconds and chosen.signed):
            with pytest.warns(core.CoreFallsShort, match="expected teo's bins with signed times"):
                assert not core.supports(governor, chosen)
            refused += 1
            continue
        new += not core.specialised(governor, chosen)
        compare(Era(governor, "made up", chosen), cpu, hz)
    assert new + refused > MADE_UP // 2
    assert refused < MADE_UP // 2


@pytest.mark.parametrize("governor", ["menu", "teo"])
def test_sweeps_of_made_up_releases(governor: str) -> None:
    random = Random(f"made up, sweeps of {governor}")
    for _ in range(MADE_UP // 2):
        chosen = made_up(governor, random)
        if governor == "teo" and chosen.bins:
            chosen = replace(chosen, nanoseconds=True, signed=True)
        era = Era(governor, str(random.random()), chosen)
        for tables, rows, hz in sweeps(era, 2):
            single = [core.run(governor, chosen, table, hz, rows) for table in tables]
            for level in LEVELS:
                assert sweep(governor, chosen, tables, hz, rows, level=level) == single


@pytest.fixture
def next_release(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """9.9: rows are all it takes, of values there are."""
    rows = {
        menu_features: {"stopped_tick": "event", "typical_maximum": True, "long_bits": 32},
        teo_features: {"tick_idles": "measured", "recent": True},
    }
    monkeypatch.setattr(releases, "MAINLINE", [*releases.MAINLINE, "9.9"])
    monkeypatch.setattr(releases, "NEWEST", "9.9")
    monkeypatch.setitem(releases.SERIES2LAST, "9.9", "9.9.9")
    for module, values in rows.items():
        old = module.HISTORY
        new = History(old.oldest, (*old.rows, Since(("9.9",), "", values)))
        monkeypatch.setattr(module, "features", releases.features_in(new))
    caches = (releases.release, releases.place)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.mark.parametrize("governor", ["menu", "teo"])
def test_a_new_release_needs_no_rebuild(governor: str, next_release: None) -> None:
    reference = Governor.for_kernel(governor, "9.9", [State(0, 0), State(1, 1)])
    assert reference.features != Governor.for_kernel(governor, "7.2", reference.states).features
    assert core.can_replay(reference)
    assert not core.specialised(governor, reference.features)
    random = Random(governor)
    era = Era(governor, "9.9", reference.features)
    for _ in range(10):
        states, rows, answers = by_reference(era, random_cpu(random, 250, 1), 250)
        found = core.run(governor, reference.features, states, 250, core.pack(rows))
        assert decided(found) == answers
    for kernel in ("6.1", "7.2", "debian-6.12.117"):
        module = import_module(f"idle_states.tables.linux.governors.{governor}_features")
        assert core.specialised(governor, module.features(release(kernel)))


# What C has no code for


def grown(governor: str, name: str, kind: Any, value: Any, oldest: Any) -> Any:
    """7.2's features with one that the core was not compiled with, or of another type."""
    module = import_module(f"idle_states.tables.linux.governors.{governor}_features")
    old = module.features(release("7.2"))
    types = types_of(type(old)) | {name: kind}
    defaults = {each.name: each.default for each in fields(old)} | {name: oldest}
    made = make_dataclass(
        f"Grown{type(old).__name__}",
        [(each, types[each], field(default=defaults[each])) for each in types],
        frozen=True,
    )
    given = {each.name: getattr(old, each.name) for each in fields(old)}
    return made(**(given | {name: value}))


def test_a_feature_without_code_matters_where_it_is_used() -> None:
    """The other releases stay with the core; the one that has it is refused by the feature's name,
    and the answer is that of the code there is."""
    rows = core.pack([], as_selected=True)
    unused = grown("menu", "looks_twice", bool, False, False)
    assert core.supports("menu", unused)
    assert core.specialised("menu", unused)
    assert core.run("menu", unused, [State(0, 0)], 250, rows).unpacked() == []
    used = replace(unused, looks_twice=True)
    with pytest.warns(
        core.CoreFallsShort,
        match="expected menu without looks_twice, .* no code, found it True; the Python",
    ):
        assert not core.supports("menu", used)


def test_a_value_without_code_is_refused_by_name() -> None:
    kind = Literal["half", "", "capped", "event", "timer"]
    known = grown("menu", "stopped_tick", kind, "timer", "")
    assert core.specialised("menu", known), "texts count, not their places"
    unknown = replace(known, stopped_tick="half")
    with pytest.warns(core.CoreFallsShort, match="expected stopped_tick .*, found 'half'"):
        assert not core.supports("menu", unknown)


def test_a_core_of_older_sources_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It named features only, in its own order."""

    class Older:
        @staticmethod
        def features(governor: str) -> list[str]:
            return list(types_of(menu_features.MenuFeatures))

    monkeypatch.setattr(packing, "compiled", Older)
    with pytest.warns(
        core.CoreFallsShort, match="expected the core built from these sources, found an older"
    ):
        assert not core.supports("menu", replace(menu_features.MenuFeatures(), load=False))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ring_slots": 40}, "expected ring_slots to be one of 8, 9, found 40"),
        ({"recent": 2}, "expected recent to be True or False, found 2"),
    ],
)
def test_odd_values_do_not_reach_c(change: dict[str, Any], message: str) -> None:
    with pytest.raises(core.Unsupported, match=message):
        core.run("teo", replace(teo_features.TeoFeatures(), **change), [State(0, 0)], 250, b"")


# Headers


@pytest.mark.parametrize("governor", core.GOVERNORS)
def test_c_has_code_for_all_there_is(governor: str) -> None:
    """Every feature is read, and every text named, else the core would refuse some release."""
    known = dict(core.compiled.features(governor))
    module = import_module(f"idle_states.tables.linux.governors.{governor}_features")
    types = types_of(type(module.HISTORY.oldest))
    assert list(known) == list(types)
    for name, kind in types.items():
        texts = [text for text in choices(kind) if isinstance(text, str)]
        assert (known[name] or []) == texts, name


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of menu's C, to be changed."""
    for file in eras.CORE.glob("menu*.[ch]"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(eras, "CORE", tmp_path)
    return tmp_path


def rewrite(directory: Path, pattern: str, text: str) -> None:
    for file in directory.glob("*.[ch]"):
        file.write_text(re.sub(pattern, text, file.read_text()))


def releases_in(header: str) -> set[str]:
    return set(re.findall(r"ERA\(v(\w+),", header))


def test_a_text_that_c_does_not_name_is_left_out(sources: Path) -> None:
    before = eras.header("menu")
    assert "STOPPED_TICK_CAPPED" in before
    assert {"4_17", "4_19"} <= releases_in(before)
    rewrite(sources, r"STOPPED_TICK_CAPPED", "1 /* not STOPPED_TICK_CAPPED */")
    after = eras.header("menu")
    assert "STOPPED_TICK_CAPPED" not in after
    assert '"capped"' not in after
    assert releases_in(before) - releases_in(after) == {"4_17"}


def test_a_feature_that_c_does_not_read_is_left_out(sources: Path) -> None:
    before = eras.header("menu")
    rewrite(sources, r"f->stopped_margin", "false /* f->stopped_margin */")
    after = eras.header("menu")
    assert "stopped_margin" not in after
    gone = releases_in(before) - releases_in(after)
    assert "7_1" in gone
    assert "7_0" not in gone


def test_headers_are_written_only_if_they_change(tmp_path: Path) -> None:
    """Else each installation would compile everything."""
    first = eras.write(tmp_path)
    features = [f"{name}_features.h" for name in core.GOVERNORS]
    assert {path.name for path in first} == {*features, "structs.h"}
    first[0].write_text("old")
    times = {path: path.stat().st_mtime_ns for path in first}
    assert eras.write(tmp_path) == first
    changed = [path for path in first if path.stat().st_mtime_ns != times[path]]
    assert changed == [first[0]]
    assert first[0].read_text() == eras.header("haltpoll")
