"""Input that is damaged, incomplete or of several machines: what could be seen of it is used, and
what could not is named."""

import gzip
import io
import re
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.cli import main
from idle_states.tables.sources import NoSuchTable
from idle_states.tables.why.answer import Explanation, why
from idle_states.tables.why.request import WhyRequest
from tests.support.dumps import C1, C6, CPUS, POLL, dump

OFF = {**C6, "disable": 1}
WHOLE = dump(POLL, C1, OFF)
LIMIT = f"{CPUS}/cpu1/power/pm_qos_resume_latency_us:0\n"


def explained(text: str, directory: Path, state: str = "C6") -> Explanation:
    file = directory / "machine.txt"
    file.write_text(text)
    return why(WhyRequest(state, str(file)))


DAMAGED = {
    # name: (dump, CPUs with C6, words among what was not seen)
    "cut within a number": (
        WHOLE[: WHOLE.rindex("usage") + 6], (0,), "the last line, because it is cut short",
    ),
    "cut within a path": (
        WHOLE[: WHOLE.rindex("cpu1/cpuidle/state2/latency")], (0,),
        "time in cpu1/cpuidle/state2, found none",
    ),
    "cut within a name": (
        WHOLE[: WHOLE.rindex("name:C6") + 6], (0,), "the last line, because it is cut short",
    ),
    "a number that is none": (
        WHOLE.replace("cpu1/cpuidle/state2/latency:133", "cpu1/cpuidle/state2/latency:"), (0,),
        "expected a number as latency, found ''",
    ),
    "words of grep": (
        WHOLE.replace(LIMIT, f"{LIMIT}grep: {CPUS}/cpu1/x: Permission denied\n"), (0, 1),
        "cpu1/x: Permission denied",
    ),
    "a CPU that left while it was read": (
        re.sub(r".*cpu1/cpuidle/state1/.*\n", "", WHOLE), (0,),
        "time in cpu1/cpuidle/state1, found none",
    ),
    "CPUs offline": (
        f"{WHOLE}{CPUS}/offline:2-3\n", (0, 1), "states of CPU 2-3: offline, or not there",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_rest_of_a_damaged_dump_is_used(name: str, tmp_path: Path) -> None:
    text, cpus, words = DAMAGED[name]
    found = explained(text, tmp_path)
    assert [each.cpus for each in found.explained] == [cpus]
    assert found.explained[0].reasons[0].kind == "switched-off"
    assert words in "\n".join(found.not_seen)
    assert words not in "\n".join(explained(WHOLE, tmp_path).not_seen)


def test_state_behind_the_end_of_a_dump_is_not_said_to_be_missing(tmp_path: Path) -> None:
    text = dump(POLL, C1, OFF, cpus=(0,))
    (reason,) = explained(text[: text.index("state2/latency")], tmp_path).explained[0].reasons
    assert reason.kind == "unknown"
    assert "not all could be read" in reason.because


TWO = {
    "another table": WHOLE + dump(POLL, C1, {**C6, "latency": 85}),
    "another time": WHOLE + dump(POLL, {**C1, "usage": 5}, OFF),
}


@pytest.mark.parametrize("name", TWO)
def test_dumps_of_two_machines_are_not_mixed_up(name: str, tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="are these dumps of two machines"):
        explained(TWO[name], tmp_path)


def test_later_dump_of_the_same_machine_counts(tmp_path: Path) -> None:
    later = dump(POLL, {**C1, "usage": 200_000}, OFF)
    (_, states), *_ = explained(WHOLE + later, tmp_path).states
    assert states[1].usage == 400_000


def archive(file: Path, texts: Mapping[str, str]) -> Path:
    with tarfile.open(file, "w") as tar:
        for name, text in texts.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return file


def attributes(text: str, top: str = "") -> dict[str, str]:
    """Returns a dump's attributes as files below a directory."""
    lines = (line.partition(":") for line in text.splitlines() if CPUS in line)
    return {f"{top}{path.lstrip('/')}": f"{value}\n" for path, _, value in lines}


OTHER = dump({**POLL, "name": "POLL"}, C1, {**C6, "latency": 85}, cpus=(0,), limit="50")
SEVERAL = {
    "dumps": {"hostA.txt": WHOLE, "hostB.txt": OTHER},
    "trees": {**attributes(WHOLE, "hostA/"), **attributes(OTHER, "hostB/")},
}


@pytest.mark.parametrize("name", SEVERAL)
def test_machines_of_an_archive_are_named_and_read_apart(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = archive(tmp_path / "hosts.tar", SEVERAL[name])
    end = ".txt" if name == "dumps" else ""
    with pytest.raises(NoSuchTable, match="2 machines; name one") as refused:
        why(WhyRequest("C6", str(file)))
    assert refused.value.choices == (f"{file}:hostA{end}", f"{file}:hostB{end}")
    kinds = {
        host: [r.kind for r in why(WhyRequest("C6", f"{file}:{host}{end}")).explained[0].reasons]
        for host in ("hostA", "hostB")
    }
    assert kinds == {"hostA": ["switched-off"], "hostB": ["cpu-limit"]}
    assert main(["show", f"{file}:hostB{end}"]) == 0
    assert "85us" in capsys.readouterr().out
    with pytest.raises(NoSuchTable, match="found 'hostC'"):
        why(WhyRequest("C6", f"{file}:hostC"))


def test_machines_of_one_text_are_named_and_read_apart(tmp_path: Path) -> None:
    file = tmp_path / "hosts.txt"
    text = WHOLE.replace("/sys/", "hostA/sys/") + OTHER.replace("/sys/", "hostB/sys/")
    file.write_text(text.replace("/proc/", "hostA/proc/", 1))
    with pytest.raises(NoSuchTable, match="2 machines; name one"):
        why(WhyRequest(None, str(file)))
    found = why(WhyRequest("C6", f"{file}:hostB"))
    assert [r.kind for each in found.explained for r in each.reasons] == ["cpu-limit"]
    assert found.machine.driver == "intel_idle"
    assert not found.machine.kernel


def test_archive_of_one_machine_needs_no_name(tmp_path: Path) -> None:
    file = archive(tmp_path / "sys.tar", attributes(WHOLE))
    (found,) = why(WhyRequest("C6", str(file))).explained
    assert [reason.kind for reason in found.reasons] == ["switched-off"]


def test_two_collections_in_one_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "two.tar"
    with tarfile.open(file, "w") as tar:
        for text in (WHOLE, OTHER):
            member = tarfile.TarInfo("idle-states-collection/cpuidle.txt")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    with pytest.raises(Unreadable, match="expected one collection, found a second"):
        why(WhyRequest("C6", str(file)))


def test_collections_below_folders_are_machines(tmp_path: Path) -> None:
    texts = {
        f"{host}/idle-states-collection/{name}": text
        for host, off in (("hostA", OFF), ("hostB", C6))
        for name, text in {
            "cpuidle.txt": dump(POLL, C1, off, driver="", governor="", kernel=""),
            "machine.txt": dump(),
        }.items()
    }
    file = archive(tmp_path / "hosts.tar", texts)
    with pytest.raises(NoSuchTable, match="2 machines; name one"):
        why(WhyRequest("C6", str(file)))
    found = why(WhyRequest("C6", f"{file}:hostA/idle-states-collection/cpuidle.txt"))
    assert [reason.kind for reason in found.explained[0].reasons] == ["switched-off"]
    assert found.machine.driver == "intel_idle"


def written(text: str, top: Path) -> Path:
    for line in text.splitlines():
        path, _, value = line.partition(":")
        file = top / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{value}\n")
    return top


def test_machine_without_sys_is_not_explained(tmp_path: Path) -> None:
    """A container has no /sys of cpuidle's."""
    machine = written("/proc/version:Linux version 6.18.3\n/proc/cmdline:quiet\n", tmp_path)
    (found,) = why(WhyRequest(None, str(machine))).explained
    assert found.reasons[0].kind == "unknown"
    assert "nothing of cpuidle was seen" in found.reasons[0].because
    assert "container" in found.reasons[0].next


def test_cpu_that_leaves_a_directory_is_named(tmp_path: Path) -> None:
    machine = written(f"{WHOLE}{CPUS}/online:0-1\n", tmp_path)
    (machine / f"{CPUS[1:]}/cpu1/cpuidle/state2/residency").unlink()
    found = why(WhyRequest("C6", str(machine)))
    assert [each.cpus for each in found.explained] == [(0,)]
    assert any("residency in cpu1/cpuidle/state2" in text for text in found.not_seen)


@pytest.mark.parametrize("place", ["proc/config.gz", "boot/config-6.18.3"])
def test_tick_rate_is_the_configured_one(place: str, tmp_path: Path) -> None:
    machine = written(f"{WHOLE}/proc/version:Linux version 6.18.3 (a@b)\n", tmp_path)
    configuration = b"CONFIG_HZ_300=y\nCONFIG_HZ=300\n"
    (machine / place).parent.mkdir(exist_ok=True)
    compressed = place.endswith(".gz")
    (machine / place).write_bytes(gzip.compress(configuration) if compressed else configuration)
    found = why(WhyRequest("C6", str(machine)))
    assert found.machine.hz == 300
    assert not any(text.startswith("HZ") for text in found.not_seen)


def test_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """A link that leads around is refused even to root."""
    machine = written(WHOLE, tmp_path)
    file = machine / f"{CPUS[1:]}/cpuidle/current_driver"
    file.unlink()
    file.symlink_to(file.name)
    found = why(WhyRequest("C6", str(machine)))
    assert [reason.kind for reason in found.explained[0].reasons] == ["switched-off"]
    assert any(text.startswith(f"{CPUS}/cpuidle/current_driver: ") for text in found.not_seen)
