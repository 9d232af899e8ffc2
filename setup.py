"""The C core is optional: without a compiler the package is installed without it."""

from setuptools import Extension, setup

SOURCES = ("module", "menu", "teo", "teo_hits", "ladder", "haltpoll")
HEADERS = (
    *("core", "levels", "beyond", "lanes", "lanes_end"),
    *("menu", "menu_body", "menu_sweep", "menu_eras"),
    *("teo", "teo_body", "teo_eras"),
)

setup(
    ext_modules=[
        Extension(
            "idle_states.core._core",
            sources=[f"idle_states/core/{name}.c" for name in SOURCES],
            depends=[f"idle_states/core/{name}.h" for name in HEADERS],
            extra_compile_args=[
                "-std=gnu11",
                "-O3",
                "-fwrapv",
                "-fno-strict-aliasing",
                "-Wno-psabi",
            ],
            py_limited_api=True,
            optional=True,
        )
    ]
)
