"""Looks for inputs that no reader expects: python -m tests.fuzz [READER ...]

Each reader runs in a process of its own, from the kept corpus and what earlier runs found (in
build/fuzz). Exit status 1 if one raised what it should not, took longer than TIMEOUT_S or more than
MEMORY_MIB; the input then lies in build/fuzz, READER.crash-... or the like.
"""

import argparse
import functools
import os
import sys
from pathlib import Path

from tests.fuzz.corpus import FOUND, KEPT

TIMEOUT_S = 10
MEMORY_MIB = 1024
LENGTH_MAX = 4096
LENGTHS = {"perf-data": 16384, "ring-buffer": 16384, "trace-dat": 16384}
"""The lengths of inputs of readers whose smallest input is longer."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.fuzz")
    parser.add_argument("readers", nargs="*", metavar="READER", help="default: all")
    parser.add_argument("--seconds", type=int, default=0, help="for each reader; 0: no limit")
    parser.add_argument("--runs", type=int, default=-1, help="inputs for each reader; -1: no limit")
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    parser.add_argument("--found", type=Path, default=FOUND, help="default: build/fuzz")
    return parser.parse_args()


def main() -> int:
    chosen = arguments()
    import atheris

    with atheris.instrument_imports(include=["idle_states"]):
        from tests.fuzz import corpus, readers

        names = chosen.readers or list(readers.READERS)
        if unknown := set(names) - readers.READERS.keys():
            sys.exit(f"expected {', '.join(readers.READERS)}, found {', '.join(unknown)}")
        # what readers import when they are called is imported here, to be watched as well
        for name in names:
            for data in corpus.kept(name).values():
                readers.check(name, data)
    failed = []
    for name in names:
        print(f"== {name}", file=sys.stderr, flush=True)
        (chosen.found / name).mkdir(parents=True, exist_ok=True)
        if not (pid := os.fork()):
            options = {
                "timeout": TIMEOUT_S,
                "rss_limit_mb": MEMORY_MIB,
                "max_len": LENGTHS.get(name, LENGTH_MAX),
                "max_total_time": chosen.seconds,
                "runs": chosen.runs,
                "seed": chosen.seed,
                "artifact_prefix": f"{chosen.found / name}.",
                "verbosity": 0,
            }
            words = [f"-{option}={value}" for option, value in options.items()]
            directories = [str(chosen.found / name), str(KEPT / name)]
            one_input = functools.partial(readers.check, name)
            atheris.Setup([sys.argv[0], *words, *directories], one_input)
            atheris.Fuzz()
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}; see {chosen.found}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
