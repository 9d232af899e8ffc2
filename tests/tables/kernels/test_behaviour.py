"""Tests of what a release does otherwise than another."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.history import meanings, types_of
from idle_states.tables.kernels.behaviour import Brought, compare, features_of, of_interest
from idle_states.tables.linux.driver_features import POWERNV, PSERIES, DriverFeatures
from idle_states.tables.linux.governors import UnknownGovernor, governor_names
from idle_states.tables.linux.grounds import known_of, modelled
from idle_states.tables.linux.releases import PRESETS, SERIES, place, release
from tests.support import ROOT
from tests.support.thorough import examples

NAMES = st.sampled_from(SERIES).flatmap(
    lambda last: st.integers(0, int(last.rpartition(".")[2])).map(
        lambda point: f"{last.rpartition('.')[0]}.{point}"
    )
) | st.sampled_from(PRESETS)
"""Any release."""
MIRRORED = {"a": "b", "b": "a"}


def test_of_itself_nothing_differs() -> None:
    for name in (*SERIES, *PRESETS):
        found = compare(release(name), release(name))
        assert not found.differs
        assert found.changes == found.missing == ()


@settings(max_examples=examples(15, 60), deadline=None)
@given(NAMES, NAMES)
def test_both_ways_say_the_same(a: str, b: str) -> None:
    there, back = compare(release(a), release(b)), compare(release(b), release(a))
    assert [(c.subsystem, c.feature, c.a, c.b, c.meaning) for c in there.changes] == [
        (c.subsystem, c.feature, c.b, c.a, c.meaning) for c in back.changes
    ]
    for one, other in zip(there.changes, back.changes, strict=True):
        assert {(MIRRORED[o.side], o.release, o.commit) for o in one.origins} == {
            (o.side, o.release, o.commit) for o in other.origins
        }
    assert [(m.subsystem, MIRRORED[m.side]) for m in there.missing] == [
        (m.subsystem, m.side) for m in back.missing
    ]


@settings(max_examples=examples(15, 60), deadline=None)
@given(NAMES, NAMES)
def test_a_difference_is_what_the_features_say_and_has_an_origin(a: str, b: str) -> None:
    kernels = {"a": release(a), "b": release(b)}
    found = compare(kernels["a"], kernels["b"])
    seen = {(change.subsystem, change.feature) for change in found.changes}
    for subsystem in of_interest(None):
        if not all(modelled(kernel, subsystem) for kernel in kernels.values()):
            assert subsystem not in {each for each, _ in seen}
            continue
        ours, theirs = (features_of(kernel, subsystem) for kernel in kernels.values())
        for feature in ours:
            assert ((subsystem, feature) in seen) == (ours[feature] != theirs[feature])
    for change in found.changes:
        # a value that no change brought would be the oldest's on both sides
        assert change.origins, change
        for origin in change.origins:
            line, key = place(origin.release)
            assert any(line == of and key <= last for of, last in kernels[origin.side].way)


def test_a_stable_release_that_took_a_change() -> None:
    (change,) = compare(release("6.6.92"), release("6.6.93"), "menu").changes
    assert (change.feature, change.a, change.b) == ("typical_maximum", False, True)
    assert change.origins == (Brought("b", "6.6.93", "85975daeaa4d"),)
    # taken back in both lines, so that nothing is left of it
    features = {c.feature for c in compare(release("6.6"), release("6.18"), "menu").changes}
    assert "typical_maximum" not in features
    # 6.6.150 has what mainline's 6.12 began without
    changes = {c.feature: c for c in compare(release("6.6.150"), release("6.12"), "menu").changes}
    assert changes["iowait"].origins == (Brought("a", "6.6.103", "38f83090f515"),)


def test_a_governor_that_one_of_them_lacks() -> None:
    found = compare(release("5.0"), release("5.1"))
    assert [(missing.subsystem, missing.side) for missing in found.missing] == [("teo", "b")]
    with pytest.raises(UnknownGovernor, match="expected a governor"):
        compare(release("5.0"), release("5.1"), "meno")


def test_every_feature_has_its_meaning() -> None:
    for subsystem in (*governor_names(), "powernv", "dt", "idle loop"):
        features = type(known_of(subsystem)[0].oldest)
        words = meanings(features)
        assert set(words) == set(types_of(features)), subsystem
        for feature, meaning in words.items():
            assert len(meaning) > 12, feature
            assert not meaning.startswith("and "), (feature, "is no sentence of its own")


def test_the_drivers_share_their_features_as_their_code_reads_them() -> None:
    def read(name: str) -> set[str]:
        text = (ROOT / f"idle_states/tables/linux/{name}.py").read_text("utf-8")
        return {
            node.attr
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name | ast.Attribute)
            and ast.unparse(node.value).rpartition(".")[2] in ("features", "f", "_features")
        } & set(types_of(DriverFeatures))

    assert read("pseries") == PSERIES
    assert set(types_of(DriverFeatures)) == POWERNV | PSERIES
    modules = ("powernv", "powernv_driver", "powernv_early", "powernv_platform", "stop_choice")
    assert set().union(*map(read, modules)).isdisjoint(PSERIES - POWERNV)
