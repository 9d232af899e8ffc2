"""generate: a table in another form, of firmware's or for people."""

from dataclasses import dataclass

from ..devicetree import dts, fdt, generate
from ..findings import UsageError
from ..skiboot.platform import Platform
from ..sources import Source
from ..spec.write import write as write_spec

C, DTS, DTB, MARKDOWN, YAML = FORMS = ("c", "dts", "dtb", "md", "yaml")


@dataclass(frozen=True, slots=True)
class Generated:
    """What `generate` makes. Raises UsageError for values that make no sense.

    form       one of FORMS
    self_test  for C: add a main() that checks the values
    versioned  for device trees: one node per state, as proposed in 2018
    """

    form: str
    self_test: bool = False
    versioned: bool = False

    def __post_init__(self) -> None:
        if self.self_test and self.form != C:
            raise UsageError("expected --self-test with --to c only")
        if self.versioned and self.form not in (DTS, DTB):
            raise UsageError("expected --versioned with --to dts or dtb only")

    def of(self, source: Source, platform: Platform) -> str | bytes:
        """The generated text or bytes for a source that has a table.

        platform  for device trees, the machine to export for
        Raises CannotGenerate.
        """
        table = source.table
        assert table is not None
        if self.form == C:
            from ..skiboot import c_table

            return c_table.write([table], self_test=self.self_test)
        if self.form == MARKDOWN:
            from . import markdown

            return markdown.render(table)
        if self.form == YAML:
            return write_spec(table)
        tree = generate.tree_of(table, platform, source.node, versioned=self.versioned)
        if self.form == DTB:
            return fdt.write(tree)
        return dts.write(tree, [f"{table.name} as exported on {platform.name}"])
