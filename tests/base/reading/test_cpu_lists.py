"""Lists of CPUs: read and written alike, and refused with what was found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.reading.cpu_lists import cpu_list, cpus_in, cpus_listed
from idle_states.base.reading.inputs import CPU_MAX


@given(st.sets(st.integers(0, CPU_MAX), min_size=1, max_size=20))
def test_what_is_written_is_read(cpus: set[int]) -> None:
    assert list(cpus_in(cpu_list(sorted(cpus)))) == sorted(cpus)


def test_runs() -> None:
    assert cpu_list([0, 1, 2, 5, 7, 8]) == "0-2,5,7-8"
    assert list(cpus_in("5,0-2")) == [5, 0, 1, 2]


@pytest.mark.parametrize("part", ["3-1", "", "a", f"{CPU_MAX + 1}", "-1", "1-", "1000000"])
def test_what_is_no_list(part: str) -> None:
    with pytest.raises(ValueError, match="expected CPUs such as 0-3,5 up to 8191, found ") as found:
        list(cpus_in(f"0,{part}"))
    assert str(found.value).endswith(f"found {part!r}")
    assert list(cpus_listed(f" 0-1,{part}, 7\n")) == [0, 1, 7]
