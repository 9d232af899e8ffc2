"""Governors by their source: a kernel's own file, compiled unmodified, decides.

    Governor.for_kernel("drivers/cpuidle/governors/menu.c", "6.1", table)

named.py finds the file, interface.py tells which kernel's interface it is written for, build.py
compiles it with the small kernel in gov_kernel.h and serve.c, running.py asks the program, and
model.py is the governor that the rest of the package sees. Compiler and governor run confined: they
reach no other file, no network and no other process.
"""
