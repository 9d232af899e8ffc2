"""Kernels by their source trees: what they are taken as, and what commands make of them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable, UsageError
from idle_states.tables.linux.governors import Governor, Situation, State, UnknownGovernor
from idle_states.tables.linux.grounds import ground
from idle_states.tables.linux.idle_loop import HISTORY as LOOP
from idle_states.tables.linux.intel_idle.features import OLDEST
from idle_states.tables.linux.intel_idle.in_source import data_in
from idle_states.tables.linux.intel_idle.known import driver_data
from idle_states.tables.linux.intel_idle.states import IntelIdleData
from idle_states.tables.linux.intel_idle.tables import TREES
from idle_states.tables.linux.releases import Release, UnknownRelease, folded, reached, release
from idle_states.tables.linux.source_tree.tree import identified
from tests.support.commands import Capture, document, run
from tests.tables.linux.source_tree.trees import MAKEFILE, MENU, POLLING, tree

TIMER = Path(__file__).parents[3] / "data/governors/timer.c"
compiles = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def kernel(folder: Path) -> Release:
    return release(f"source:{folder}")


@pytest.mark.parametrize(
    ("files", "base"),
    [
        ({}, "6.1.141"),
        ({"Makefile": MAKEFILE.replace("141", "0")}, "6.1"),
        ({"Makefile": MAKEFILE.replace("141", "0").replace("ION =\n", "ION = -rc7\n")}, "6.1-rc7"),
        ({"Makefile": MAKEFILE.replace("141", "0").replace("ION =\n", "ION = -mine\n")}, "6.1"),
        (
            {
                "Makefile": "VERSION = 5\nPATCHLEVEL = 14\nSUBLEVEL = 0\n",
                "Makefile.rhelver": "RHEL_MAJOR = 9\nRHEL_MINOR = 5\nRHEL_RELEASE = 503.11.1\n",
            },
            "rhel-5.14.0-503.11.1",
        ),
    ],
)
def test_the_release_is_the_makefiles(tmp_path: Path, files: dict[str, str], base: str) -> None:
    found = kernel(tree(tmp_path, files))
    assert found.source
    assert found.source.base == base
    assert found.version == release(base).version
    assert found.name == f"source:{tmp_path}"
    assert found.note.startswith(f"{base} by its Makefile; ")


def test_features_are_those_of_the_source(tmp_path: Path) -> None:
    plain = kernel(tree(tmp_path / "a"))
    polls = kernel(tree(tmp_path / "b", POLLING))
    assert not plain.features.snooze_polling
    assert polls.features.snooze_polling
    # of get_snooze_timeout() there is only a trace in the first
    assert plain.features.snooze_timeout == "enabled"
    assert folded(LOOP, plain).s2idle_rechecks
    other = kernel(tree(tmp_path / "c", {"kernel/sched/idle.c": "void cpuidle_idle_call(void) {}"}))
    assert not folded(LOOP, other).s2idle_rechecks


def test_what_is_not_identified_is_as_in_the_makefiles_release_and_said(tmp_path: Path) -> None:
    found = kernel(tree(tmp_path))
    assert found.source
    assert ("powernv", "round_up") in found.source.unknown
    assert ("pseries", "snooze_polling") not in found.source.unknown
    assert found.features.round_up == release("6.1.141").features.round_up
    said = "; not identified: cede_fixup and cede_power10 of pseries; "
    assert said in found.note
    assert "; dt; genpd; " in found.note
    assert found.note.endswith(", shown for 6.1.141 and for 7.3")
    assert str(ground(found, "powernv")) == "not known; shown for 6.1.141 and 7.3, which differ"


@pytest.mark.parametrize(
    ("files", "error", "message"),
    [
        ({"Makefile": "all:\n"}, Unreadable, "found other lines"),
        ({"Makefile": MAKEFILE.replace("6", "2", 1)}, UnknownRelease, "it is older"),
    ],
)
def test_trees_that_are_none(
    tmp_path: Path, files: dict[str, str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        kernel(tree(tmp_path, files))


def test_folders_and_revisions_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="found no Makefile"):
        kernel(tmp_path)
    with pytest.raises(UsageError, match="expected a folder with a kernel's source"):
        kernel(tmp_path / "nowhere")


@compiles
def test_its_governors_are_compiled(tmp_path: Path, capsys: Capture) -> None:
    found = kernel(tree(tmp_path, {MENU: TIMER.read_text()}))
    states = [State(0, 0, True), State(1_000, 10_000), State(20_000, 200_000)]
    governor = Governor.for_kernel("menu", found, states)
    assert governor.select(Situation(2_000_000_000, 9_999, 9_999)).state == 0
    assert governor.select(Situation(2_000_000_000, 10_000, 10_000)).state == 1
    with pytest.raises(UnknownGovernor, match=r"has no governor teo \(it has menu\)"):
        Governor.for_kernel("teo", found, states)
    words = ("select", "--states", "1000/10000,20000/200000", "--hz", "250")
    status, out, _ = run(capsys, *words, "--kernel-source", str(tmp_path))
    assert not status
    assert f"{MENU} decides, compiled as it is" in " ".join(out.split())
    own = document(capsys, *words, "--governor", f"{tmp_path}:menu", "--kernel", "6.1.141")
    assert document(capsys, *words, "--kernel-source", str(tmp_path))["map"] == own["map"]


def test_a_revision_of_a_repository(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@x", "-c"]
    git += ["commit.gpgsign=false"]
    subprocess.run([*git[:3], "init", "-q"], check=True)
    for files in ({}, POLLING):
        tree(tmp_path, files)
        subprocess.run([*git[:3], "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", "c"], check=True)
    names = (f"{tmp_path}@HEAD~1", f"{tmp_path}@HEAD")
    polling = [release(f"source:{name}").features.snooze_polling for name in names]
    assert polling == [False, True]


@pytest.mark.parametrize("command", ["check", "diff", "generate", "kernels"])
def test_commands_take_it(tmp_path: Path, capsys: Capture, command: str) -> None:
    """Commands take it as the kernel that they would take otherwise, under the tree's name."""
    words = {
        "check": ("check", "power9", "pseries-dedicated"),
        "diff": ("diff", "power9", "power10"),
        "generate": ("generate", "--to", "cmdline", "--platform", "skx,acpi=c1:c6"),
        "kernels": ("kernels", "--table", "power9", "--values"),
    }[command]
    folder = str(tree(tmp_path))
    status, out, err = run(capsys, *words, "--kernel-source", folder)
    other, expected, _ = run(capsys, *words, "--kernel", "6.1.141")
    assert status == other, err

    def plain(text: str) -> str:
        known = re.sub(r"\w+ of Linux \S+: not known; \S+ is used instead\.?", "", text)
        return re.sub(r"[\s-]+", " ", known.replace(f"source:{folder}", "6.1.141"))

    assert plain(out)[:400] == plain(expected)[:400]


def test_show_registers_what_the_release_would(tmp_path: Path, capsys: Capture) -> None:
    folder = str(tree(tmp_path))
    own = document(capsys, "show", "power9", "--kernel-source", folder)["linux"]
    other = document(capsys, "show", "power9", "--kernel", "6.1.141")["linux"]
    assert own["kernel"] == f"source:{folder}"
    assert own["states"] == other["states"]
    assert own["deepest_stop"] == other["deepest_stop"]


def test_it_excludes_kernel(tmp_path: Path, capsys: Capture) -> None:
    words = ("show", "power9", "--kernel", "6.1", "--kernel-source", str(tmp_path))
    status, _, err = run(capsys, *words)
    assert status == 2
    assert "--kernel-source: not allowed with argument --kernel" in err
    words = ("prove", "power9", "--kernel-source", "a", "--kernel-source", "b")
    status, _, err = run(capsys, *words)
    assert status == 2
    assert "--kernel-source: expected once, found it twice" in err


@compiles
def test_hz_is_the_trees(tmp_path: Path, capsys: Capture) -> None:
    words = ("select", "--states", "1000/10000", "--kernel-source", str(tmp_path))
    tree(tmp_path, {MENU: TIMER.read_text()})
    _, out, err = run(capsys, *words)
    assert ", HZ 250\n" in out
    assert f"HZ is not known: {tmp_path} has no .config" in err
    release.cache_clear()
    from idle_states.tables.linux.source_tree.tree import of_tree

    of_tree.cache_clear()
    (tmp_path / ".config").write_text("CONFIG_HZ_1000=y\nCONFIG_HZ=1000\n")
    _, out, err = run(capsys, *words)
    assert ", HZ 1000\n" in out
    assert f"HZ 1000: by the .config of {tmp_path}" in err
    assert ", HZ 300\n" in run(capsys, *words, "--hz", "300")[1]


@compiles
def test_kernels_names_the_kernels_that_do_the_same(tmp_path: Path, capsys: Capture) -> None:
    folder = str(tree(tmp_path, {MENU: TIMER.read_text()}))
    found = document(capsys, "kernels", "--kernel-source", folder)["source"]
    assert (found["tree"], found["base"], found["hz"]) == (folder, "6.1.141", None)
    parts = {part["subsystem"]: part for part in found["parts"]}
    assert "teo" not in parts
    assert "decisions agree" in parts["menu"]["differs"][0]
    assert "6.1.141" in parts["powernv"]["kernels"]
    assert "6.2" not in parts["powernv"]["kernels"]
    assert "round_up" in parts["powernv"]["unknown"]
    status, out, _ = run(
        capsys, "kernels", "6.1.141", "--kernel-source", folder, "--governor", "menu"
    )
    assert f"From 6.1.141 to source:{folder}" in out
    assert status in (0, 1)


TREES_AT_HAND = os.environ.get("KERNELS", "").split()


@pytest.mark.slow
@pytest.mark.skipif(not TREES_AT_HAND, reason="KERNELS names no source trees: DIR or DIR@REVISION")
@pytest.mark.parametrize("name", TREES_AT_HAND)
def test_a_kernels_tree_does_what_its_release_does(name: str) -> None:
    """Each feature that is told agrees; and all are told."""
    found = release(f"source:{name}")
    assert found.source
    assert not found.source.unknown
    base = release(found.source.base)
    for _, history, _, oldest in identified():
        if not oldest or reached(base, oldest):
            assert folded(history, found) == folded(history, base)
    if found.source.base in TREES.split() and reached(base, OLDEST):
        assert _figures(data_in(name)) == _figures(driver_data(found.source.base))


def _figures(data: IntelIdleData | None) -> object:
    """Processors with their settings, and the rows of each table; descriptions are not packaged."""
    assert data
    cpus = {(cpu.family, cpu.model, cpu.table, frozenset(cpu.settings)) for cpu in data.cpus}
    rows = {
        name: [
            (each.name, each.exit_latency_us, each.target_residency_us, each.flags) for each in rows
        ]
        for name, rows in data.arrays.items()
    }
    return cpus, rows
