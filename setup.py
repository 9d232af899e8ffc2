"""What is in C is optional: without a compiler the package is installed without it."""

import sys
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
CORE = "idle_states.core._core"


class BuildWithFeatures(build_ext):
    """The core's C includes headers of the governors' features, written here from their rows."""

    def build_extension(self, ext):
        if ext.name == CORE:
            sys.path.insert(0, str(ROOT))
            try:
                from tools import eras
            finally:
                sys.path.remove(str(ROOT))
            headers = eras.write(Path(self.build_temp, "features"))
            ext.include_dirs = [*ext.include_dirs, str(headers[0].parent)]
            ext.depends = [*ext.depends, *map(str, headers)]
        super().build_extension(ext)


OPTIONS = {"py_limited_api": True, "optional": True}

setup(
    cmdclass={"build_ext": BuildWithFeatures},
    ext_modules=[
        Extension(
            "idle_states.devicetree._fdt",
            sources=["idle_states/devicetree/_fdt.c"],
            extra_compile_args=["-std=gnu11", "-O2"],
            **OPTIONS,
        ),
        Extension(
            CORE,
            sources=sorted(glob("idle_states/core/*.c")),
            depends=sorted(glob("idle_states/core/*.h")),
            extra_compile_args=[
                "-std=gnu11",
                "-O3",
                "-fwrapv",
                "-fno-strict-aliasing",
                "-Wno-psabi",
            ],
            **OPTIONS,
        ),
    ],
)
