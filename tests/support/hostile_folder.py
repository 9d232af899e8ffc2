"""A folder that a stranger filled: what is run leaves a mark, what is opened is seen."""

import contextlib
import ctypes
import os
import shutil
import struct
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

PROGRAMS = (
    "acpiexec apt-cache apt-get bash bc busybox cc cpio dash dpkg dpkg-deb dt-mk-schema dt- "
    "validate dtc dvipng env fc-cache fc-list gcc getconf git gs gzip idle-states inkscape "
    "kpsewhich latex ld ldconfig ldd less locale lscpu make mandb more nproc objdump pager "
    "pdftops perf pip python python3 python3.11 qemu-system-aarch64 qemu-system-ppc64 qemu- "
    "system-riscv64 qemu-system-x86_64 readelf setpriv sh sudo tar trace-cmd uname unshare "
    "xelatex xz zstd"
).split()
LIBRARIES = (
    "_core.abi3.so _fdt.abi3.so libc.so.6 libfdt.so.1 libgomp.so.1 libtraceevent.so.1 libzstd.so.1"
).split()
PYTHONS = (
    "__init__ __main__ _pytest conftest idle_states noxfile setup sitecustomize usercustomize "
    "gmpy2 numpy pandas"
).split()
"""Beside the standard library and what is installed."""
SETTINGS = {
    "setup.cfg": "[idle-states]\nsuppress =\n  IS215 mine:* planted\n",
    "pyproject.toml": '[tool.other]\nname = "other"\n',
    "pyvenv.cfg": "home = .\ninclude-system-site-packages = true\n",
    "python311._pth": ".\nimport site\n",
    "evil.pth": "import sitecustomize\n",
    ".pythonrc": "raise SystemExit(99)\n",
    ".pythonrc.py": "raise SystemExit(99)\n",
    "pip.conf": "[global]\nindex-url = http://192.0.2.1/\nno-index = true\n",
    ".pip/pip.conf": "[global]\nno-index = true\n",
    ".config/pip/pip.conf": "[global]\nno-index = true\n",
    ".pypirc": "[distutils]\nindex-servers = evil\n",
    "requirements.txt": "-e .\n",
    "dask.yaml": "distributed:\n  worker:\n    preload: [sitecustomize]\n",
    "distributed.yaml": "distributed:\n  client:\n    preload: [sitecustomize]\n",
    ".dask/config.yaml": "distributed:\n  client:\n    preload: [sitecustomize]\n",
    ".config/dask/dask.yaml": "distributed:\n  client:\n    preload: [sitecustomize]\n",
    ".config/fsspec/evil.json": '{"file": {"auto_mkdir": true}}\n',
    "processed-schema.json": "{}\n",
    "opal-power-mgt.yaml": "$id: http://192.0.2.1/evil\nselect: false\n",
    "powerpc/opal-power-mgt.yaml": "$id: http://192.0.2.1/evil\nselect: false\n",
    "schemas/powerpc/opal-power-mgt.yaml": "select: false\n",
    "templates/c_table.c.j2": "{{ ''.__class__ }}\n",
    "specs/power9.yaml": "name: power9\nstates: []\n",
    ".env": "IDLE_STATES_DOCS=http://192.0.2.1/\nLD_PRELOAD=./libzstd.so.1\n",
    ".envrc": "touch direnv\n",
    ".netrc": "default login a password b\n",
    ".gitconfig": "[core]\n\tfsmonitor = ./git\n",
    ".gitattributes": "* filter=evil diff=evil\n",
    ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ext::./git\n',
    ".gdbinit": "shell touch gdb\n",
    ".lesskey": "#env\n",
    ".inputrc": "\n",
    ".bashrc": "touch bashrc\n",
    ".profile": "touch profile\n",
    "apt.conf": 'APT::Update::Pre-Invoke {"touch apt";};\n',
    "qemu.conf": "[machine]\n",
    "bios-256k.bin": "\0" * 64,
    "linuxboot_dma.bin": "\0" * 64,
    "skiboot.lid": "\0" * 64,
    "hosts": "127.0.0.1 example.com\n",
    "idle-states-baseline.json": "{}\n",
    ".hypothesis/constants/x": "x\n",
}
"""The files that programs, libraries and this one look for by name."""
OURS = frozenset({"setup.cfg", "pyproject.toml"})
"""The files that may be read, and are then not believed in silence."""
_C = (
    "#include <fcntl.h>\n__attribute__((constructor)) static void loaded(void)\n"
    '{{ creat("{mark}", 0644); }}\n'
)


def plant(folder: Path, marks: Path) -> None:
    """Fills the folder. marks: a directory for what is run, which leaves a file of its name."""
    installed = (path.stem for path in Path(sysconfig.get_path("purelib")).iterdir())
    for name in sorted({*sys.stdlib_module_names, *PYTHONS, *installed}):
        if name.isidentifier():
            text = f"open({str(marks / f'module-{name}')!r}, 'w').close()\n"
            (folder / f"{name}.py").write_text(text)
    for package in ("distributed", "numpy", "yaml", "idle_states"):
        (folder / package).mkdir()
        text = f"open({str(marks / f'package-{package}')!r}, 'w').close()\n"
        (folder / package / "__init__.py").write_text(text)
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\n: > {marks / f'program-{name}'}\nexit 0\n")
        (folder / name).chmod(0o755)
    for name in LIBRARIES:
        (folder / name).write_bytes(_library(marks))
    for name, text in SETTINGS.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    if os.geteuid() == 0:
        for path in folder.rglob("*"):
            os.lchown(path, 65534, 65534)


def environment(folder: Path, home: Path) -> dict[str, str]:
    """Variables of a user who stands in the folder, and has it on PATH in three ways."""
    kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
    path = os.pathsep.join([".", "", f"../{folder.name}", os.environ["PATH"], ""])
    return {**kept, "PATH": path, "HOME": str(home)}


def _library(marks: Path) -> bytes:
    """A library that leaves a mark when it is loaded; without a compiler one that is none."""
    built = marks.with_name("evil.so")
    compiler = shutil.which("cc")
    if compiler and not built.exists():
        source = built.with_suffix(".c")
        source.write_text(_C.format(mark=marks / "library"))
        subprocess.run([compiler, "-shared", "-fPIC", "-o", built, source], check=True)
    return built.read_bytes() if compiler else b"\x7fELF"


class Opened:
    """Sees which files in a folder and below it are opened, by whatever process."""

    def __init__(self, folder: Path) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._number = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._number < 0:
            pytest.skip("no inotify here")
        self._folders: dict[int, Path] = {}
        for path in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
            watched = self._libc.inotify_add_watch(self._number, os.fsencode(path), _IN_OPEN)
            assert watched >= 0, os.strerror(ctypes.get_errno())
            self._folders[watched] = path.relative_to(folder)

    def names(self) -> set[str]:
        """Returns the files opened since the last call."""
        found = set()
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._number, 1 << 16):
                at = 0
                while at < len(data):
                    watched, mask, _, size = struct.unpack_from("iIII", data, at)
                    name = data[at + 16 : at + 16 + size].rstrip(b"\0").decode()
                    at += 16 + size
                    assert not mask & _IN_Q_OVERFLOW
                    if name and not mask & _IN_ISDIR:
                        found.add((self._folders[watched] / name).as_posix())
        return found

    def close(self) -> None:
        os.close(self._number)


_IN_OPEN, _IN_Q_OVERFLOW, _IN_ISDIR = 0x20, 0x4000, 0x40000000
