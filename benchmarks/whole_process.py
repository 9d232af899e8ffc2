"""Whole-process times of the tool, with dtc and dt-validate beside it in the same run.

    make bench          or: python benchmarks/whole_process.py [--runs 9]

Every figure is the median of several runs, taken in turn (A B C A B C ...), because machines
drift. Ratios against the peers are what to quote; absolute times are of the machine at hand.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = [sys.executable, "-m", "idle_states"]


def seconds(command: Sequence[str], cwd: Path | None = None) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=cwd)
    return time.perf_counter() - start


def cold_copy(work: Path) -> Path:
    """The package without compiled bytecode, as a first run finds it."""
    copy = work / "cold"
    shutil.rmtree(copy, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__")
    for part in ("idle_states", "templates", "schemas"):
        shutil.copytree(ROOT / part, copy / part, ignore=ignore)
    return copy


def peak_megabytes(command: Sequence[str]) -> float:
    """Resident peak of one run, in a child of its own so that others do not count."""
    probe = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", probe, *command], capture_output=True, text=True, check=True
    )
    return int(result.stdout) / 1024


def generate_everything(work: Path) -> None:
    """All specs in all formats, in one process: what a firmware build would call."""
    script = work / "generate_all.py"
    script.write_text(
        "from idle_states.cli import main\n"
        "from idle_states.spec.library import find, revisions\n"
        "from idle_states.table import Register\n"
        f"out = {str(work)!r}\n"
        "for revision in revisions():\n"
        "    table = find(revision.name)\n"
        "    opal = table.register is not Register.NONE\n"
        "    for form in ('c', 'dts', 'dtb', 'md', 'yaml') if opal else ('md', 'yaml'):\n"
        "        main(['generate', revision.name, '--to', form, '-o', f'{out}/t.{form}'])\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # warm means: bytecode is there
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        generate_everything(work)
        measures: dict[str, Callable[[], float]] = {
            "python, nothing else": lambda: seconds([sys.executable, "-c", "pass"]),
            "idle-states --help": lambda: seconds([*TOOL, "--help"]),
            "check, all current specs, warm": lambda: seconds([*TOOL, "check"]),
            "generate, all specs in all forms": lambda: seconds(
                [sys.executable, str(work / "generate_all.py")]
            ),
        }

        def cold() -> float:
            copy = cold_copy(work)
            os.environ["PYTHONPATH"] = str(copy)
            try:
                return seconds([*TOOL, "check"], cwd=copy)
            finally:
                os.environ["PYTHONPATH"] = str(ROOT)

        measures["check, all current specs, cold"] = cold
        dtb, dts = work / "power9.dtb", work / "power9.dts"
        for form, file in (("dtb", dtb), ("dts", dts)):
            subprocess.run([*TOOL, "generate", "power9", "--to", form, "-o", str(file)], check=True)
        measures["check of one dtb"] = lambda: seconds([*TOOL, "check", str(dtb)])
        if dtc := shutil.which("dtc"):
            command = [dtc, "-I", "dts", "-O", "dtb", "-o", str(work / "x"), str(dts)]
            measures["dtc, one dts"] = lambda: seconds(command)
        beside = Path(sys.executable).parent / "dt-validate"
        if validate := shutil.which("dt-validate") or (str(beside) if beside.exists() else None):
            command_validate = [
                validate,
                "-s",
                str(ROOT / "schemas"),
                "-l",
                "opal-power-mgt",
                str(dtb),
            ]
            measures["dt-validate, one dtb"] = lambda: seconds(command_validate)

        samples: dict[str, list[float]] = {name: [] for name in measures}
        for number in range(runs + 1):
            for what, measure in measures.items():
                taken = measure()
                if number:
                    samples[what].append(taken)
        report(samples)
        print(f"{'peak memory of check':36} {peak_megabytes([*TOOL, 'check']):8.0f} MB")


def report(samples: dict[str, list[float]]) -> None:
    peer = samples.get("dt-validate, one dtb")
    print(f"{'median of ' + str(len(next(iter(samples.values())))):36} {'ms':>8}  of dt-validate")
    for what, taken in samples.items():
        middle = statistics.median(taken)
        ratio = f"{middle / statistics.median(peer):8.2f}" if peer else ""
        print(f"{what:36} {1000 * middle:8.0f}  {ratio}")


if __name__ == "__main__":
    main()
