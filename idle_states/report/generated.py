"""generate: a table in another form, of firmware's or for people."""

from dataclasses import dataclass

from ..devicetree import drafts, dts, fdt, generate, idle_source
from ..devicetree.idle_source import WHOLE
from ..findings import UsageError
from ..idle_tree import IdleTree
from ..skiboot.platform import Platform
from ..sources import Source
from ..spec.write import write as write_spec
from ..spec.write_tree import write_tree

C, DTS, DTB, MARKDOWN, YAML, ASL = FORMS = ("c", "dts", "dtb", "md", "yaml", "asl")


@dataclass(frozen=True, slots=True)
class Generated:
    """What `generate` makes. Raises UsageError for values that make no sense.

    form       one of FORMS
    self_test  for C: add a main() that checks the values
    versioned  for device trees: one node per state, as proposed in 2018
    part       for device-tree source of an Arm or RISC-V machine: one of idle_source.FORMS
    """

    form: str
    self_test: bool = False
    versioned: bool = False
    part: str = WHOLE

    def __post_init__(self) -> None:
        if self.self_test and self.form != C:
            raise UsageError("expected --self-test with --to c only")
        if self.versioned and self.form not in (DTS, DTB):
            raise UsageError("expected --versioned with --to dts or dtb only")
        if self.part != WHOLE and self.form != DTS:
            raise UsageError("expected --as with --to dts only")

    def of(self, source: Source, platform: Platform) -> str | bytes:
        """The generated text or bytes for a source that has a table.

        platform  for device trees, the machine to export for
        Raises CannotGenerate.
        """
        table = source.table
        assert table is not None
        if self.part != WHOLE:
            raise UsageError("expected --as with a machine of Arm or RISC-V only")
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
            return asl.render([acpi_of(table)], about, declared=table.acpi is not None)
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


_PARTS = {
    idle_source.WHOLE: (),
    idle_source.INCLUDE: ("To be included by the source of a board that has these CPUs.",),
    idle_source.OVERLAY: ("To be laid over the tree of a board that has these CPUs.",),
}
