"""The answer to `generate`: a table in another form, of firmware's or for people."""

from collections.abc import Callable
from typing import TypeAlias

from ...base.model.findings import UsageError
from ...base.model.idle_tree import IdleTree
from ...base.model.table import IdleTable
from ..devicetree import drafts, dts, fdt, idle_source
from ..devicetree.generate import tree_of
from ..devicetree.idle_source import WHOLE
from ..linux.intel_idle.cmdline import TableArgument
from ..linux.platforms import AnyPlatform
from ..linux.releases import Release
from ..skiboot.platform import Platform
from ..sources import Source, one_table, read_sources
from ..sources.imported import imported, written
from ..sources.machines import is_machine, machine_behind
from ..spec.write import not_of_opal
from ..spec.write_tree import write_tree
from .request import ASL, CMDLINE, DTB, DTS, MARKDOWN, YAML, C, Generated, GenerateRequest

Say: TypeAlias = Callable[[str], None]


def generate(request: GenerateRequest, say: Say = lambda text: None) -> str | bytes:
    """The generated text or bytes. say: called with notes for the user. Raises CannotGenerate,
    UsageError and what reading a table raises."""
    assert request.table
    sources = read_sources(request.table)
    if request.limit or request.keep:
        from ..pipeline import registered_of
        from ..selection.limit_words import keeping
        from .limited import BootedTable, parameter

        source, platform = one_table(sources, request.table), request.platform
        arrival = registered_of(source, request.table, platform, request.release)
        assert source.table is not None
        boot = BootedTable(source, source.table, platform, arrival)
        return parameter(request.limit or keeping(request.keep), boot, say)
    if is_machine(sources):
        return of_machine(request.wanted, machine_behind(sources[0]))
    source = one_table(sources, request.table)
    return of_table(request.wanted, source, request.platform, request.release, say)


def of_table(
    wanted: Generated,
    source: Source,
    platform: AnyPlatform,
    release: Release,
    say: Say = lambda text: None,
) -> str | bytes:
    """The generated text or bytes for a source that has a table.

    platform  for device trees, the machine to export for; for cmdline, that of the parameter
    release   for cmdline, the kernel that is to take the parameter
    say       called with notes for the user
    Raises CannotGenerate and UsageError.
    """
    table = source.table
    assert table is not None
    if wanted.part != WHOLE:
        raise UsageError("expected --as with a machine of Arm or RISC-V only")
    if wanted.to == CMDLINE:
        return _cmdline(table, platform, release, say)
    if wanted.to == C and table.origin.form == "driver" and table.origin.is_intel_idle:
        from ..linux.intel_idle import c_rows

        if wanted.self_test:
            raise UsageError("expected --self-test with a table of skiboot only")
        return c_rows.write(table)
    if wanted.to == C:
        from ..skiboot import c_table

        home = table.firmware
        if table.read_from.kind == "spec" and not home.array:
            file = f", for {home.file}" if home.file else ""
            say(f"the array is {c_table.array_name(table)}{file}: its spec names none")
        return c_table.write([table], self_test=wanted.self_test)
    if wanted.to == MARKDOWN:
        from . import markdown

        return markdown.render(table)
    if wanted.to == YAML:
        return written(imported(source) if not_of_opal(table) else table)
    if wanted.to == ASL:
        from ..linux.acpi_draft import acpi_of
        from . import asl

        about = [f"Idle states of {table.name}, {table.title}".rstrip(", ")]
        return asl.render([acpi_of(table)], about, declared=table.origin.form == "acpi")
    if not isinstance(platform, Platform):
        raise UsageError(f"expected a platform of OPAL for --to {wanted.to}, found x86")
    tree = tree_of(table, platform, source.node, versioned=wanted.versioned)
    if wanted.to == DTB:
        return fdt.write(tree)
    return dts.write(tree, [f"{table.name} as exported on {platform.name}"])


def of_machine(wanted: Generated, machine: IdleTree) -> str | bytes:
    """The generated text or bytes for an Arm or RISC-V machine.

    Raises CannotGenerate, and UsageError for a form that such a machine has none of.
    """
    if wanted.versioned:
        raise UsageError("expected --versioned with a table of OPAL only")
    if wanted.to == YAML:
        return write_tree(machine)
    if wanted.to == DTB:
        return fdt.write(drafts.finished(drafts.whole(machine)))
    if wanted.to == DTS:
        about = [f"Idle states of {machine.title or machine.name}", *_PARTS[wanted.part]]
        return idle_source.render(machine, wanted.part, about)
    if wanted.to == ASL:
        from ..linux.acpi_draft import acpi_of_machine
        from . import asl

        about = [f"Idle states of {machine.title or machine.name}"]
        return asl.render(acpi_of_machine(machine), about, declared=False)
    raise UsageError(
        f"expected --to dts, dtb, yaml or asl for a machine of Arm or RISC-V, found {wanted.to}"
    )


def _cmdline(table: IdleTable, platform: AnyPlatform, release: Release, say: Say) -> str:
    """The kernel's parameter, on a line; no line where nothing is to change."""
    from ..linux.intel_idle.boot_time import argument_of
    from ..linux.platforms import x86_of

    machine = x86_of(platform, table)
    if machine is None:
        raise UsageError(
            f"expected a table of intel_idle, and its machine as --platform, for {table.name}"
        )
    return argument_line(argument_of(table, release, machine), release, say)


def argument_line(found: TableArgument, release: Release, say: Say) -> str:
    """A parameter as a line, with what is to be said of it."""
    for text in found.repaired:
        say(text)
    if not found.value:
        say(f"Linux {release.name} has these times without a parameter")
        return ""
    return f"{found.argument}\n"


_PARTS = {
    idle_source.WHOLE: (),
    idle_source.INCLUDE: ("Include this in the source of a board with these CPUs.",),
    idle_source.OVERLAY: ("Apply this overlay to the tree of a board with these CPUs.",),
}
