"""The faults of a wheel: files that are missing, differ from the sources or do not belong
there, and compiled modules of another machine."""

import configparser
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

COMPILED = (
    "idle_states/tables/linux/governors/core/_core.abi3.so",
    "idle_states/tables/devicetree/_fdt.abi3.so",
)
SDIST = "idle_states.egg-info/SOURCES.txt"
PREPARED = "idle_states/prepared.marshal"
METADATA = (
    *("METADATA", "RECORD", "WHEEL", "entry_points.txt", "top_level.txt", "licenses/LICENSE"),
    *("licenses/LICENSES/GPL-2.0-only.txt", "licenses/LICENSES/BSD-2-Clause.txt"),
)
_ELF64_LITTLE = b"\x7fELF\x02\x01"
_MACHINE = slice(18, 20)
_TAG = re.compile(r"-cp311-abi3-manylinux_2_\d+_\w+\.whl")
_SHIPPED = "idle_states/tables/linux/governors/source/"
"""C that is compiled where the package runs; other C is in the extensions."""


def tracked(root: Path, *options: str) -> list[str]:
    """Returns the files of a checkout: those that git tracks, or in an unpacked sdist those that it
    lists. options: of git ls-files, for others."""
    if not (root / ".git").exists():
        listed = (root / SDIST).read_text("utf-8").splitlines()
        return [name for name in listed if Path(name).parent != Path(SDIST).parent]
    command = ["git", "ls-files", "-z", *options]
    return [*filter(None, subprocess.check_output(command, cwd=root, text=True).split("\0"))]


def prepared(root: Path, into: Path) -> Path:
    """Returns a file below `into` with what setup.py prepares of `root`."""
    target = into.absolute() / Path(PREPARED).name
    command = [sys.executable, "-m", "tools.prepare", str(target)]
    subprocess.run(command, cwd=root, check=True)
    return target


def expected(root: Path, specs: Path | None = None) -> dict[str, Path | None]:
    """The files that a wheel of `root` has, but for its metadata, and what each is a copy of:
    everything in the directories of setup.cfg's packages except the C of extensions; below `.data`
    what is installed elsewhere; specs, the compiled specs, unless None; and the compiled modules,
    which are copies of nothing."""
    config = configparser.ConfigParser()
    config.read(root / "setup.cfg", "utf-8")
    directories = config["options"]["package_dir"].strip().splitlines()
    pairs = [line.partition("=")[::2] for line in directories]
    directory2package = {place.strip(): name.strip().replace(".", "/") for name, place in pairs}
    name2source: dict[str, Path | None] = {**dict.fromkeys(COMPILED), PREPARED: specs}
    for place, files in config["options.data_files"].items():
        for file in files.split():
            name2source[f".data/data/{place}/{Path(file).name}"] = root / file
    for name in tracked(root):
        directory, _, rest = name.partition("/")
        is_core = name.endswith((".c", ".h")) and not name.startswith(_SHIPPED)
        if directory in directory2package and not is_core:
            name2source[f"{directory2package[directory]}/{rest}"] = root / name
    return name2source


def complaints(wheel: Path, wanted: Mapping[str, Path | None], machine: int) -> Iterator[str]:
    """Yields the faults of a wheel, a line each. wanted: see `expected`; machine: e_machine of the
    ELF files, which are to be 64-bit and little-endian."""
    if not _TAG.search(wheel.name):
        yield f"expected cp311, abi3 and manylinux in the name, found {wheel.name}"
    home = "-".join(wheel.name.split("-")[:2])
    with zipfile.ZipFile(wheel) as archive:
        found = set(archive.namelist())
        sources = {home + name if name[0] == "." else name: wanted[name] for name in wanted}
        every = sources.keys() | {f"{home}.dist-info/{name}" for name in METADATA}
        yield from (f"it lacks {name}" for name in sorted(every - found))
        yield from (f"{name} does not belong in it" for name in sorted(found - every))
        for name in sorted(found & every):
            source = sources.get(name)
            if source is not None and archive.read(name) != source.read_bytes():
                yield f"{name} differs from {source}"
            if not name.endswith(".so"):
                continue
            head = archive.read(name)[:20]
            if not head.startswith(_ELF64_LITTLE):
                yield f"{name} is not of a 64-bit little-endian machine"
            elif (number := int.from_bytes(head[_MACHINE], "little")) != machine:
                yield f"{name}: expected ELF machine {machine}, found {number}"
