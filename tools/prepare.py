"""Works out what commands need not work out again each time, for setup.py.

    python -m tools.prepare [FILE]

FILE is idle_states/prepared.marshal unless another is named: the packaged specs as they are read,
the findings on them, the list of `kernels`, the scripts of `--completion`, and the code of regular
expressions. Beside the modules themselves also those that common commands import, compiled as
Python does: elsewhere, as in a wheel, which several versions of Python share, they would only take
room. Commands use each as long as nothing that it was made of has changed
(idle_states/base/prepared.py); after a change, they work it out themselves, which takes longer,
until this is run again.
"""

import _sre  # type: ignore[import-not-found]
import importlib
import marshal
import multiprocessing
import pickle
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from re import _compiler  # type: ignore[attr-defined]
from unittest import mock

import idle_states
from idle_states.base import patterns as lazy
from idle_states.base import prepared
from idle_states.base.located import specs_folder
from tools.command_line import parsed

PACKAGE = Path(prepared.__file__).parents[1]
NAMES = ("tables/linux/governors/", "tables/rules/", "tables/specs/", "tables/specs/trees/")
"""Folders whose names have a part: what lies in them is known by its name."""
PATCHES = "skiboot-patches"
BUNDLED = (
    *(".", "base", "base/model", "base/reading", "base/reading/git"),
    *("base/report", "base/report/escapes", "cli"),
    *("tables", "tables/check", "tables/devicetree", "tables/generate", "tables/kernels"),
    *("tables/linux", "tables/linux/governors", "tables/linux/governors/core", "tables/rules"),
    *("tables/selection", "tables/show", "tables/skiboot", "tables/sources", "tables/spec"),
    *("lab", "lab/record", "lab/replay", "lab/traces", "tables/linux/genpd"),
    *("tables/linux/governors/source", "tables/linux/source_tree", "tables/power"),
)
"""Folders of the modules that common commands import."""
Product = tuple[tuple[str, ...], bytes, bytes]
"""The files that it was made of, their digest, and itself."""


def specs() -> bytes:
    from idle_states.tables.spec import loading
    from idle_states.tables.spec.packaged import named
    from idle_states.tables.spec.registry import registry

    found = [loading.Loading({}).load(each.file, each.file.as_posix()) for each in named()]
    folder = specs_folder()
    pickled = {
        next(iter(each.sources)).removeprefix(folder): placed(each, folder) for each in found
    }
    return marshal.dumps({"": placed(registry(), folder), **pickled})


def placed(value: object, folder: str) -> bytes:
    """Returns a pickle in which paths below a folder are without it, for the reader to put it
    before them."""

    class Placed(pickle.Pickler):
        def persistent_id(self, value: object) -> str | None:
            inside = isinstance(value, str) and value.startswith(folder)
            return str(value).removeprefix(folder) if inside else None

    data = BytesIO()
    Placed(data, protocol=5).dump(value)
    return data.getvalue()


def kernels() -> bytes:
    from idle_states.tables.kernels.series import lines
    from idle_states.tables.kernels.sheet import overview

    return pickle.dumps(overview(lines()), protocol=5)


def findings() -> bytes:
    from idle_states.cli.parsers import parsed as parsed_command
    from idle_states.tables.check.check import check
    from idle_states.tables.check.criteria import Criteria
    from idle_states.tables.sources import read_sources
    from idle_states.tables.spec.packaged import current

    sources = [source for name in current() for source in read_sources(name)]
    files = [(each.file, each.sha256) for each in sources]
    found = check(sources, parsed_command(["check"]).part(Criteria))
    return placed((files, found), specs_folder())


def completion(shell: str) -> bytes:
    from idle_states.cli.parsers import completion_script

    return completion_script(shell).encode()


def patterns() -> bytes:
    """Returns the code of all patterns, as idle_states/base/patterns.py reads it."""
    given: list[tuple[str | bytes, int]] = []
    make = lazy._Pattern.__init__

    def noted(self: lazy._Pattern, expression: str | bytes, flags: int) -> None:
        make(self, expression, flags)
        given.append((expression, int(flags)))

    lazy._Pattern.__init__ = noted  # type: ignore[method-assign]
    for module in pkgutil.walk_packages(idle_states.__path__, "idle_states."):
        # of packages that are not there when idle-states is built
        with suppress(ImportError):
            importlib.import_module(module.name)
    found = {}
    with mock.patch.object(_sre, "compile", lambda expression, *made: made):
        for expression, flags in sorted(set(given), key=str):
            all_flags, code, *rest = _compiler.compile(expression, flags)
            # without references, which depend on how often Python itself holds a value
            made = (int(all_flags), [*map(int, code)], *rest)
            found[expression, flags] = marshal.dumps(made, 2)
    return marshal.dumps(found, 2)


def patches() -> Iterator[str]:
    yield f"{PATCHES}/"
    from idle_states.base.resources import resource

    for file in resource(PATCHES).glob("*.yaml"):
        yield f"{PATCHES}/{file.name}"


_COMPLETION = "completion"
PRODUCTS: dict[str, Callable[[], bytes]] = {
    lazy.PREPARED: patterns,
    "specs": specs,
    "findings": findings,
    "kernels": kernels,
    **{f"{_COMPLETION} {shell}": partial(completion, shell) for shell in ("bash", "zsh", "fish")},
}


def made(name: str) -> Product:
    """Returns the files that a product was made of, their digest, and the product. The files are
    those of all modules of the package that are imported for it, the specs, and the folders whose
    names have a part; none of patterns, each of which is known by all that it was made of."""
    prepared.NAME = "not there"  # an earlier product would hide what this one is made of
    found = PRODUCTS[name]()
    if name == lazy.PREPARED:
        return (), prepared.digest(()), found
    modules = [
        Path(str(module.__file__)).relative_to(PACKAGE).as_posix()
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "idle_states" and (module.__file__ or "").endswith(".py")
    ]
    specs = [*PACKAGE.glob("tables/specs/*.yaml"), *PACKAGE.glob("tables/specs/trees/*.yaml")]
    data = [file.relative_to(PACKAGE).as_posix() for file in specs]
    files = tuple(
        sorted({*modules, *data, *NAMES, *(patches() if name.startswith(_COMPLETION) else ())})
    )
    return files, prepared.digest(files), found


def modules() -> Iterator[tuple[str, Product]]:
    """Yields the modules of BUNDLED, compiled, as products. The path of each in its code is that
    in the package, so that it is the same wherever it is built."""
    for file in sorted(each for folder in BUNDLED for each in (PACKAGE / folder).glob("*.py")):
        inside = file.relative_to(PACKAGE)
        parts = inside.parent.parts if file.stem == "__init__" else inside.with_suffix("").parts
        code = compile(file.read_bytes(), inside.as_posix(), "exec", dont_inherit=True)
        files = (inside.as_posix(),)
        name = ".".join(("idle_states", *parts))
        yield name, (files, prepared.digest(files), marshal.dumps(code))


def packed(products: dict[str, Product], here: bool) -> bytes:
    """Returns the file's content. here: whether it will be among the files of which the products
    were made, and not among copies of them, whose times are other ones."""
    index: dict[str, object] = {}
    place = 0
    for name, (files, then, found) in products.items():
        own = b"" if name.startswith("idle_states") else prepared.hashed(found)
        index[name] = files, then, place, len(found), own
        place += len(found)
    used = sorted({file for files, *_ in products.values() for file in files if here})
    times = {file: prepared.time_and_size(file) for file in used}
    head = marshal.dumps((index, times))
    length = len(head).to_bytes(prepared.LENGTH, "little")
    bodies = [found for *_, found in products.values()]
    return b"".join([prepared.hashed(head), length, head, *bodies])


def main() -> None:
    file = parsed(__doc__, "[FILE]").file
    target = Path(file) if file else PACKAGE / prepared.NAME
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        # each in a process of its own, whose modules are those of this product
        products = pool.map(made, PRODUCTS, chunksize=1)
    target.parent.mkdir(parents=True, exist_ok=True)
    here = target.parent.samefile(PACKAGE)
    every = dict(zip(PRODUCTS, products, strict=True)) | (dict(modules()) if here else {})
    target.write_bytes(packed(every, here))


if __name__ == "__main__":
    main()
