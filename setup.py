"""The C core is optional: without a compiler the package is installed without it."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "idle_states.core._core",
            sources=[f"idle_states/core/{name}.c" for name in ("module", "menu", "teo", "ladder")],
            depends=[
                f"idle_states/core/{name}.h" for name in ("core", "menu", "menu_body", "menu_eras")
            ],
            extra_compile_args=["-std=gnu11", "-O3", "-fwrapv", "-fno-strict-aliasing"],
            py_limited_api=True,
            optional=True,
        )
    ]
)
