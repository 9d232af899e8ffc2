"""generate: a table in another form, of firmware's or for people."""

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.model.idle_tree import IdleTree
from ...base.model.table import IdleTable
from ...base.options import check_choices
from ..devicetree import drafts, dts, fdt, generate, idle_source
from ..devicetree.idle_source import WHOLE, SourcePart
from ..linux.intel_idle.cmdline import TableArgument
from ..linux.platforms import AnyPlatform
from ..linux.releases import Release
from ..skiboot.platform import Platform
from ..sources import Source
from ..spec.write import write as write_spec
from ..spec.write_tree import write_tree

Say: TypeAlias = Callable[[str], None]

GeneratedForm = Literal["c", "dts", "dtb", "md", "yaml", "asl", "cmdline"]
C, DTS, DTB, MARKDOWN, YAML, ASL, CMDLINE = get_args(GeneratedForm)


@dataclass(frozen=True, slots=True)
class Generated:
    """What `generate` makes. Raises UsageError for values that make no sense.

    self_test  for C: add a main() that checks the values
    versioned  for device trees: one node per state, as proposed in 2018
    part       for device-tree source of an Arm or RISC-V machine
    """

    form: GeneratedForm
    self_test: bool = False
    versioned: bool = False
    part: SourcePart = WHOLE

    def __post_init__(self) -> None:
        check_choices(self)
        if self.self_test and self.form != C:
            raise UsageError("expected --self-test with --to c only")
        if self.versioned and self.form not in (DTS, DTB):
            raise UsageError("expected --versioned with --to dts or dtb only")
        if self.part != WHOLE and self.form != DTS:
            raise UsageError("expected --as with --to dts only")

    def of(
        self, source: Source, platform: AnyPlatform, release: Release, say: Say = lambda text: None
    ) -> str | bytes:
        """The generated text or bytes for a source that has a table.

        platform  for device trees, the machine to export for; for cmdline, that of the parameter
        release   for cmdline, the kernel that is to take the parameter
        say       called with notes for the user
        Raises CannotGenerate and UsageError.
        """
        table = source.table
        assert table is not None
        if self.part != WHOLE:
            raise UsageError("expected --as with a machine of Arm or RISC-V only")
        if self.form == CMDLINE:
            return _cmdline(table, platform, release, say)
        if self.form == C and table.origin.form == "driver" and table.origin.is_intel_idle:
            from ..linux.intel_idle import c_rows

            if self.self_test:
                raise UsageError("expected --self-test with a table of skiboot only")
            return c_rows.write(table)
        if self.form == C:
            from ..skiboot import c_table

            return c_table.write([table], self_test=self.self_test)
        if self.form == MARKDOWN:
            from . import markdown

            return markdown.render(table)
        if self.form == YAML:
            return write_spec(table)
        if self.form == ASL:
            from ..linux.acpi_draft import acpi_of
            from . import asl

            about = [f"Idle states of {table.name}, {table.title}".rstrip(", ")]
            return asl.render([acpi_of(table)], about, declared=table.origin.form == "acpi")
        if not isinstance(platform, Platform):
            raise UsageError(f"expected a platform of OPAL for --to {self.form}, found x86")
        tree = generate.tree_of(table, platform, source.node, versioned=self.versioned)
        if self.form == DTB:
            return fdt.write(tree)
        return dts.write(tree, [f"{table.name} as exported on {platform.name}"])

    def of_machine(self, machine: IdleTree) -> str | bytes:
        """The generated text or bytes for an Arm or RISC-V machine.

        Raises CannotGenerate, and UsageError for a form that such a machine has none of.
        """
        if self.versioned:
            raise UsageError("expected --versioned with a table of OPAL only")
        if self.form == YAML:
            return write_tree(machine)
        if self.form == DTB:
            return fdt.write(drafts.finished(drafts.whole(machine)))
        if self.form == DTS:
            about = [f"Idle states of {machine.title or machine.name}", *_PARTS[self.part]]
            return idle_source.render(machine, self.part, about)
        if self.form == ASL:
            from ..linux.acpi_draft import acpi_of_machine
            from . import asl

            about = [f"Idle states of {machine.title or machine.name}"]
            return asl.render(acpi_of_machine(machine), about, declared=False)
        raise UsageError(
            f"expected --to dts, dtb, yaml or asl for a machine of Arm or RISC-V, found {self.form}"
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
    idle_source.INCLUDE: ("To be included by the source of a board that has these CPUs.",),
    idle_source.OVERLAY: ("To be laid over the tree of a board that has these CPUs.",),
}
