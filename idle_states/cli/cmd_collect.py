"""Prints a shell script that gathers what an audit needs on a machine.

    idle-states collect > collect.sh
    sh collect.sh > machine.tar              (there; reads only, best as root)
    idle-states audit machine.tar

The tar holds the device tree, what cpuidle holds, the kernel's and OPAL's logs, and which processor
and kernel it is. The audit then also says whether the running kernel is as the models predict."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_output

    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..resources import template
    from ..sources.format_tar import COLLECTION, CPUIDLE, KERNEL_LOG, UNAME
    from .options import output

    names = {"top": COLLECTION, "cpuidle": CPUIDLE, "uname": UNAME, "kernel_log": KERNEL_LOG}
    output(arguments).document(template("collect.sh.j2").render(names))
    return 0
