"""The package's @dataclass does what the standard library's does."""

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import pprint
import pydoc
from collections.abc import Callable
from typing import Annotated, Any, ForwardRef, Literal, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import idle_states
from idle_states.base.dataclass import dataclass, field, fields, is_dataclass, replace
from idle_states.base.model.table import IdleState, IdleTable
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.check.request import CheckRequest

Decorator = Callable[..., Callable[[type], Any]]


def state(decorator: Decorator, *, frozen: bool = True, slots: bool = True) -> Any:
    field = FIELD[decorator]

    class State:
        """A row."""

        name: str
        _hidden: int
        latency: int = 0
        flags: list[str] = field(default_factory=list)
        cache: dict[str, int] = field(default_factory=dict, compare=False, repr=False)
        total: int = field(default=7, init=False)
        seen: list[int] = field(default_factory=list, init=False)

        def __post_init__(self) -> None:
            if self.latency < 0:
                raise ValueError(self.name)

    return decorator(frozen=frozen, slots=slots)(State)


STANDARD: Decorator = dataclasses.dataclass  # type: ignore[assignment]
FIELD: dict[Decorator, Callable[..., Any]] = {STANDARD: dataclasses.field, dataclass: field}
KINDS = [(True, True), (True, False), (False, True), (False, False)]


@dataclass(frozen=True, slots=True)
class Pair:
    first: int
    second: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class One:
    first: int


@dataclass(frozen=True, slots=True)
class Nothing:
    """No fields."""


@dataclass(slots=True, eq=False)
class Counter:
    count: int = 0


@dataclass(frozen=True, slots=True)
class Spoken:
    word: str

    def __repr__(self) -> str:
        return "spoken"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spoken) and self.word.lower() == other.word.lower()

    def __hash__(self) -> int:
        return 5


@dataclass(frozen=True, slots=True)
class Triple(Pair):
    third: int = 3


@pytest.mark.parametrize(("frozen", "slots"), KINDS)
@pytest.mark.parametrize(
    ("values", "named"),
    [
        (("C1", 1), {}),
        (("C1", 1, 5, ["a"]), {}),
        ((), {"_hidden": 1, "name": "C1", "flags": ["b"], "cache": {"x": 1}}),
        (("C1",), {}),
        (("C1", 1), {"total": 3}),
        (("C1", 1), {"name": "C2"}),
        (("C1", *range(9)), {}),
        (("C1", 1, -1), {}),
    ],
)
def test_objects_are_the_standard_librarys(
    frozen: bool, slots: bool, values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    ours, theirs = (state(each, frozen=frozen, slots=slots) for each in (dataclass, STANDARD))

    def made(kind: Any) -> tuple[Any, ...]:
        try:
            first, again = kind(*values, **named), kind(*values, **named)
        except (TypeError, ValueError) as error:
            return type(error), str(error)
        assert first.seen is not again.seen
        held = [getattr(first, each.name) for each in dataclasses.fields(first)]
        other = dataclasses.replace(first, latency=9)
        return repr(first), held, first == again, first == other, first == 5, repr(other)

    assert made(ours) == made(theirs)
    assert ours.__doc__ == theirs.__doc__
    assert ours.__match_args__ == theirs.__match_args__
    assert ours.__dataclass_params__.frozen == frozen
    assert hasattr(ours("C1", 1), "__dict__") == (not slots)


@pytest.mark.parametrize("slots", [True, False])
def test_frozen_objects_refuse_changes(slots: bool) -> None:
    value = state(dataclass, slots=slots)("C1", 1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'name'"):
        value.name = "C2"
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'name'"):
        del value.name
    assert value.name == "C1"


@pytest.mark.parametrize(("frozen", "slots"), KINDS)
def test_signature_is_the_standard_librarys_before_the_first_object(
    frozen: bool, slots: bool
) -> None:
    ours, theirs = (state(each, frozen=frozen, slots=slots) for each in (dataclass, STANDARD))
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert str(inspect.signature(ours.__init__)) == str(inspect.signature(theirs.__init__))
    assert ours.__init__.__annotations__ == theirs.__init__.__annotations__
    assert "State(name: str, _hidden: int, latency: int = 0" in pydoc.render_doc(ours)
    assert repr(ours("C1", 1)) == repr(theirs("C1", 1))


def test_signature_of_a_class_that_writes_its_own_init() -> None:
    class Named(Pair):
        def __init__(self, *, name: str) -> None:
            super().__init__(len(name))

    assert str(inspect.signature(Named)) == "(*, name: str) -> None"
    assert str(inspect.signature(Triple)) == (
        "(first: int, second: tuple[str, ...] = (), third: int = 3) -> None"
    )


def test_no_signature_of_the_package_holds_an_unresolved_name() -> None:
    """Names that are imported for type checkers alone included."""

    def unresolved(kind: Any) -> bool:
        if isinstance(kind, (str, ForwardRef)):
            # array takes no type before Python 3.12
            return not (isinstance(kind, str) and kind.startswith("array["))
        args = [] if get_origin(kind) is Literal else list(get_args(kind))
        return any(map(unresolved, args[:1] if get_origin(kind) is Annotated else args))

    found, parameters = 0, []
    for module in pkgutil.walk_packages(idle_states.__path__, "idle_states."):
        if module.name.endswith(("__main__", "._core")):
            continue
        for kind in list(vars(importlib.import_module(module.name)).values()):
            if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == module.name:
                found += 1
                parameters += [
                    f"{module.name}.{kind.__name__}: {each}"
                    for each in inspect.signature(kind).parameters.values()
                    if each.annotation is each.empty or unresolved(each.annotation)
                ]
    assert found > 400
    assert parameters == []


@settings(max_examples=5, suppress_health_check=[HealthCheck.data_too_large])
@given(
    value=st.builds(CheckRequest, criteria=st.builds(Criteria)),
    table=st.builds(IdleTable),
)
def test_hypothesis_builds_values_from_their_types(value: CheckRequest, table: IdleTable) -> None:
    assert isinstance(value.criteria, Criteria)
    assert all(isinstance(state, IdleState) for state in table.states)


def test_values_that_are_not_frozen_can_be_assigned_and_not_hashed() -> None:
    value = state(dataclass, frozen=False)("C1", 1)
    value.name = "C2"
    assert value.name == "C2"
    with pytest.raises(TypeError, match="unhashable"):
        hash(value)


def test_equal_values_are_one_key() -> None:
    assert len({Pair(1), Pair(1, ()), Pair(2), One(1), One(1), Nothing(), Nothing()}) == 4
    assert Pair(1) != One(1)


def test_without_eq_each_object_is_its_own() -> None:
    first, second = Counter(), Counter()
    assert first != second
    assert len({first, second}) == 2


def test_methods_of_the_class_itself_are_kept() -> None:
    assert repr(Spoken("a")) == "spoken"
    assert Spoken("a") == Spoken("A")
    assert hash(Spoken("a")) == 5


@pytest.mark.parametrize("value", [Pair(1, ("a",)), One(2), Nothing(), Triple(1, (), 4)])
def test_values_are_copied_and_pickled(value: Any) -> None:
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert type(other) is type(value)
        assert other == value


def test_a_class_may_inherit() -> None:
    value = Triple(1, ("a",))
    assert (value.first, value.second, value.third) == (1, ("a",), 3)
    assert value != Pair(1, ("a",))
    assert replace(value, third=4) == Triple(1, ("a",), 4)
    assert not hasattr(value, "__dict__")
    assert repr(value) == "Triple(first=1, second=('a',), third=3)"
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.first = 2  # type: ignore[misc]


def test_many_objects_are_made_as_the_first() -> None:
    kind = state(dataclass)
    made = [kind(f"C{number}", number, flags=["a"]) for number in range(50)]
    assert [each._hidden for each in made] == list(range(50))
    assert {(each.latency, each.total, *each.flags) for each in made} == {(0, 7, "a")}
    assert len({id(each.seen) for each in made}) == 50
    with pytest.raises(TypeError, match="unexpected keyword argument 'flag'"):
        kind("C1", 1, flag=[])
    with pytest.raises(ValueError, match="C2"):
        kind("C2", 1, -1)


def test_fields_and_replace_are_the_standard_librarys() -> None:
    ours, theirs = state(dataclass), state(STANDARD)
    said = ("name", "type", "default", "default_factory", "init", "repr", "compare", "kw_only")

    def told(found: tuple[Any, ...]) -> list[list[Any]]:
        return [[getattr(each, name) for name in said] for each in found]

    assert told(fields(ours)) == told(dataclasses.fields(ours)) == told(dataclasses.fields(theirs))
    value = ours("C1", 1, flags=["a"])
    assert replace(value, latency=2) == dataclasses.replace(value, latency=2) != value
    assert dataclasses.asdict(value) == dataclasses.asdict(theirs("C1", 1, flags=["a"]))
    with pytest.raises(TypeError, match="unexpected keyword argument 'late'"):
        replace(value, late=2)
    assert is_dataclass(ours)
    assert is_dataclass(value)
    assert not is_dataclass(5)


def test_a_value_wider_than_a_line_is_printed() -> None:
    value = One(10**100)
    assert pprint.pformat(value) == repr(value)


def test_a_default_that_can_change_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a factory for rows"):

        @dataclass(slots=True)
        class Rows:
            rows: list[int] = []  # noqa: RUF012


def test_frozen_and_not_frozen_do_not_mix() -> None:
    with pytest.raises(TypeError, match="Mixed and Pair"):

        @dataclass(slots=True)
        class Mixed(Pair):  # type: ignore[misc]
            third: int = 3


def test_what_is_constructed_says_what_is_missing() -> None:
    with pytest.raises(TypeError, match=r"Pair.__init__\(\) missing 1 required"):
        Pair()  # type: ignore[call-arg]
