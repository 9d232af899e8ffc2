"""A rule as its file has it: with its page."""

from types import ModuleType

from ...base.dataclass import dataclass
from ...base.patterns import pattern
from .rule import Rule

_THRESHOLDS = """
Thresholds
    In [idle-states] of setup.cfg, here with their defaults:

"""
_SENTENCE = pattern(r"(?<=[.]) (?=[A-Za-z])")
_LONGEST = 300
"""Characters of two sentences that are told together."""
_TITLE = pattern(r"\n\n(?=IS[0-9]{3} )")


@dataclass(frozen=True, slots=True)
class LoadedRule:
    """A rule, and the docstring of its file, which has a page for each of the file's rules."""

    rule: Rule
    docstring: str

    @property
    def written(self) -> str:
        """Returns the rule's page as it is written."""
        pages = _TITLE.split(self.docstring)
        return next(f"{page.rstrip()}\n" for page in pages if page.startswith(self.rule.code))

    @property
    def page(self) -> str:
        """The docstring with all that it leaves out: of "Use instead", and the thresholds."""
        from .page import spelled_out

        page = spelled_out(self.written)
        for number, threshold in enumerate(self.rule.thresholds):
            page += f"{'' if number else _THRESHOLDS}    {threshold}\n        {threshold.meaning}\n"
        return page

    @property
    def summary(self) -> str:
        """The page's first line without code and name."""
        return self.written.partition("\n")[0].partition(": ")[2].rstrip(".")

    @property
    def consequence(self) -> str:
        """Returns what follows where the rule finds something: a sentence or two of its page."""
        _, _, text = self.written.partition("\nWhy is this bad\n")
        first, *more = _SENTENCE.split(" ".join(text.partition("\n\n")[0].split()))
        both = " ".join([first, *more[:1]])
        return both if len(both) <= _LONGEST else first

    @classmethod
    def all_of(cls, module: ModuleType) -> "tuple[LoadedRule, ...]":
        """Returns the rules of a file: its RULE, or its RULES, each with a page of its own."""
        rules: tuple[Rule, ...] = getattr(module, "RULES", None) or (module.RULE,)
        return tuple(cls(rule, module.__doc__ or "") for rule in rules)
