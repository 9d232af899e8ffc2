"""What is in C is optional: without a compiler the package is installed without it."""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
CORE = "idle_states.tables.linux.governors.core"
CORE_FILES = CORE.replace(".", "/")


class BuildPrepared(build_py):
    """Builds what commands then need not work out each time, such as the packaged specs as they are
    read (tools/prepare.py). Without PyYAML they do."""

    def run(self):
        super().run()
        home = ROOT if self.editable_mode else Path(self.build_lib)
        target = (home / "idle_states/prepared.marshal").absolute()
        words = [sys.executable, "-m", "tools.prepare", str(target)]
        # -m alone does not look here where PYTHONSAFEPATH is set
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        environment = os.environ | {"PYTHONPATH": path}
        done = subprocess.run(
            words, cwd=ROOT, env=environment, check=False, stderr=subprocess.PIPE, text=True
        )
        if done.returncode:
            why = (done.stderr.splitlines() or [f"status {done.returncode}"])[-1]
            self.warn(f"nothing is prepared, and commands take longer to start: {why}")


class BuildWithFeatures(build_ext):
    """The core's C includes headers of the governors' features, written here from their rows.

    Where the core cannot be compiled, a file in its place says why (base/compiled_core.py).
    """

    core_missing = ""

    def run(self):
        super().run()
        if self.inplace:
            home = self.get_finalized_command("build_py").get_package_dir(CORE)
        else:
            home = Path(self.build_lib, CORE_FILES)
        note = Path(home, "_core.missing")
        if self.core_missing:
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(f"{self.core_missing}\n", "utf-8")
        else:
            note.unlink(missing_ok=True)

    def build_extension(self, ext):
        if ext.name != f"{CORE}._core":
            super().build_extension(ext)
            return
        sys.path.insert(0, str(ROOT))
        try:
            from idle_states.base.compiled_core import digest_of_core
            from tools import eras
        finally:
            sys.path.remove(str(ROOT))
        headers = eras.write(Path(self.build_temp, "features"))
        ext.include_dirs = [*ext.include_dirs, str(headers[0].parent)]
        ext.depends = [*ext.depends, *map(str, headers)]
        ext.define_macros = [*ext.define_macros, ("DIGEST_OF_SOURCES", f"{digest_of_core()}")]
        try:
            super().build_extension(ext)
        except Exception as error:
            self.core_missing = reason(error)
            raise


def reason(error):
    """Why an extension could not be compiled, in a few words."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if shutil.which(compiler) is None:
        return f"no C compiler ({compiler}) when idle-states was installed"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "no Python.h when idle-states was installed"
    return f"it could not be compiled: {error}"


# Python's own flags ask for debug information, four fifths of the core's size. CFLAGS=-g keeps it.
DEBUGGED = any(word.startswith("-g") for word in os.environ.get("CFLAGS", "").split())
SMALL = () if DEBUGGED else ("-g0",)
STRIPPED = ["-Wl,-s"] if sys.platform == "linux" and not DEBUGGED else []
OPTIONS = {"py_limited_api": True, "optional": True, "extra_link_args": STRIPPED}

setup(
    cmdclass={"build_ext": BuildWithFeatures, "build_py": BuildPrepared},
    ext_modules=[
        Extension(
            "idle_states.tables.devicetree._fdt",
            sources=sorted(glob("idle_states/tables/devicetree/*.c")),
            depends=sorted(glob("idle_states/tables/devicetree/*.h")),
            extra_compile_args=["-std=gnu11", "-O2", *SMALL],
            **OPTIONS,
        ),
        Extension(
            f"{CORE}._core",
            sources=sorted(glob(f"{CORE_FILES}/*.c")),
            depends=sorted(glob(f"{CORE_FILES}/*.h")),
            extra_compile_args=[
                "-std=gnu11",
                "-O3",
                "-fwrapv",
                # an error of later compilers is one of all
                "-Werror=implicit-function-declaration",
                "-fno-strict-aliasing",
                "-Wno-psabi",
                *SMALL,
            ],
            **OPTIONS,
        ),
    ],
)
