"""The objective by which a table is the best."""

from typing import TYPE_CHECKING, Literal

from ...base.dataclass import dataclass, field
from ...base.model.findings import UsageError
from ...base.options import Annotated, Option, check_choices

if TYPE_CHECKING:
    from fractions import Fraction

Kind = Literal["energy", "latency", "weighted"]
ENERGY: Kind = "energy"
LATENCY: Kind = "latency"
WEIGHTED: Kind = "weighted"


def _ten() -> "Fraction":
    from fractions import Fraction

    return Fraction(10)


@dataclass(frozen=True, slots=True)
class Objective:
    """The aim of tuning. Raises UsageError for another kind."""

    kind: Annotated[
        Kind,
        Option(
            "--objective",
            "least energy; least wake latency at the present table's energy; or both, weighted "
            "(default: energy)",
        ),
    ] = ENERGY
    weight: Annotated[
        "Fraction",
        Option(
            "--latency-weight",
            "for --objective weighted: a ns of wake latency costs as much as N ns awake (default: "
            "10)",
            metavar="N",
            reads="lab.tune.objective.weight_of",
        ),
    ] = field(default_factory=_ten)

    def __post_init__(self) -> None:
        check_choices(self)

    @property
    def stall(self) -> "Fraction":
        """The cost of a ns of wake latency, in ns of an awake CPU's energy."""
        from fractions import Fraction

        return self.weight if self.kind == WEIGHTED else Fraction(0)


def weight_of(text: str) -> "Fraction":
    """Returns the number that a text is. Raises UsageError."""
    from fractions import Fraction

    if not text.isascii() or not text.replace(".", "", 1).isdecimal() or len(text) > 12:
        raise UsageError(f"expected --latency-weight of 0 or more, such as 2.5, found {text!r}")
    return Fraction(text)
