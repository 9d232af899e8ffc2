"""diff: two tables, or two machines of Arm or RISC-V, compared by meaning, stage by stage."""

from .tables import ABSENT, Difference, diff, registered_otherwise

__all__ = ["ABSENT", "Difference", "diff", "registered_otherwise"]
