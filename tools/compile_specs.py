"""Compiles the packaged specs, for setup.py.

    python -m tools.compile_specs [FILE]

FILE is idle_states/tables/specs/compiled.pickle unless another is named. Commands read it instead
of YAML as long as nothing that it was made of has changed (idle_states/tables/spec/compiled.py);
after a change, they read YAML, which takes longer, until this is run again.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import idle_states
from idle_states.tables.spec import compiled, loading, registry
from idle_states.tables.spec.packaged import named
from tools.command_line import asked

PACKAGE = Path(idle_states.__file__).parent


def readers() -> Iterator[str]:
    """The files of all modules of the package that are imported: those that read a spec."""
    for name, module in sys.modules.items():
        if name.partition(".")[0] == "idle_states" and module.__file__ is not None:
            yield Path(module.__file__).relative_to(PACKAGE).as_posix()


def main() -> None:
    file = asked(__doc__, "[FILE]").file
    target = Path(file) if file else PACKAGE / "tables" / "specs" / compiled.NAME
    specs = [loading.Loading({}).load(each.file, each.file.as_posix()) for each in named()]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(compiled.compiled(specs, registry.registry(), readers()))


if __name__ == "__main__":
    main()
