"""Measures how long a machine takes to wake from each of its idle states.

Prints a shell script to run on the machine in question, as root:

    idle-states measure > measure.sh
    sh measure.sh > measured.txt             (there)

For each state it disables the others on one CPU's core, lets that CPU be woken by its own timer and
by another CPU's interrupt, and takes from the kernel's tracepoints when the event came and when
the CPU showed its first sign of life. The same is measured with the CPU busy: that is what the
measuring itself takes, and no part of a state's latency. What it changes it puts back, also
when it is interrupted or killed. In an emulator it measures the emulator, and says so.

It prints every sample, and nothing private: no host name, no address, no serial number. The form is
in docs/measuring.md, with what it needs and what its figures contain."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_output

    parser.add_argument(
        "--samples",
        metavar="N",
        type=int,
        help="wake-ups by timer and by interrupt to attempt for each state (default: 1000)",
    )
    parser.add_argument(
        "--cpu", metavar="N", type=int, help="the CPU to measure (default: the last online)"
    )
    parser.add_argument(
        "--waker",
        metavar="N",
        type=int,
        help="the CPU that wakes it by interrupt (default: the first of another core)",
    )
    parser.add_argument(
        "--all-cpus",
        action="store_true",
        help="disable the other states on all CPUs, for states of a cluster or package",
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..record.measuring import SAMPLES, script
    from .options import output

    samples = SAMPLES if arguments.samples is None else arguments.samples
    text = script(samples, arguments.cpu, arguments.waker, arguments.all_cpus)
    output(arguments).document(text)
    return 0
