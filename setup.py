"""What is in C is optional: without a compiler the package is installed without it."""

from setuptools import Extension, setup

SOURCES = (
    *("module", "counting", "readers"),
    *("menu", "teo", "teo_hits", "ladder", "haltpoll"),
    *("counters", "estimate", "recording", "trace"),
    *("simulate", "simulate_new", "simulating"),
)
HEADERS = (
    *("core", "module", "levels", "beyond", "lanes", "lanes_end"),
    *("counters", "estimate", "recording", "trace"),
    *("menu", "menu_body", "menu_sweep", "menu_eras"),
    *("teo", "teo_body", "teo_eras"),
    *("simulate", "simulate_state", "simulate_placement"),
    *("simulate_plan", "simulate_random", "simulate_scopes"),
)

OPTIONS = {"py_limited_api": True, "optional": True}

setup(
    ext_modules=[
        Extension(
            "idle_states.devicetree._fdt",
            sources=["idle_states/devicetree/_fdt.c"],
            extra_compile_args=["-std=gnu11", "-O2"],
            **OPTIONS,
        ),
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
            **OPTIONS,
        ),
    ]
)
