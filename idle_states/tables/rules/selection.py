"""The selection of the rules that run."""

from typing import TYPE_CHECKING, TypeAlias

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.options import Annotated, FromConfiguration, Option

if TYPE_CHECKING:
    RuleCode: TypeAlias = str


@dataclass(frozen=True, slots=True)
class RuleSelection:
    """--select and --ignore: codes or prefixes ("IS4"). Empty select means all.

    thresholds  (name, value) of those that a project sets: ("IS209.percent", 5)
    configured  which of these the project's configuration says
    Raises UsageError for something that is no rule, and where none is left of those selected.
    """

    select: Annotated[
        "tuple[RuleCode, ...]",
        Option(
            "--select",
            "only these rules, by code or its beginning: IS203,IS4",
            metavar="RULES",
            configured=True,
        ),
    ] = ()
    ignore: Annotated[
        "tuple[RuleCode, ...]",
        Option("--ignore", "not these rules", metavar="RULES", configured=True),
    ] = ()
    thresholds: Annotated[tuple[tuple[str, int], ...], FromConfiguration("thresholds")] = ()
    configured: Annotated[tuple[str, ...], FromConfiguration()] = ()

    def __post_init__(self) -> None:
        if not self.select and not self.ignore:
            return
        from .catalogue import known_codes

        for code in (*self.select, *self.ignore):
            if not any(known.startswith(code) for known in known_codes()):
                raise UsageError(f"expected a rule or the beginning of one, found {code!r}")
        if self.select and self.is_empty:
            options = f"--select {','.join(self.select)} and --ignore {','.join(self.ignore)}"
            raise UsageError(f"expected a rule to be left, found none with {options}")

    @property
    def is_all(self) -> bool:
        return not self.select and not self.ignore

    @property
    def is_empty(self) -> bool:
        """Tells whether no rule is left."""
        if not self.ignore:
            return False
        from .catalogue import known_codes

        return not any(map(self.takes, known_codes()))

    def takes(self, code: str) -> bool:
        selected = not self.select or code.startswith(self.select)
        return selected and not (self.ignore and code.startswith(self.ignore))


ALL = RuleSelection()
