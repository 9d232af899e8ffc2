"""A value that is a sum of terms, `A | 1*B | C(3)`, and edits of single terms."""

from ....base.dataclass import dataclass, field
from ....base.reading.c.lexer import Token, tokens
from .source import comments_in, without_comments

_OPERATOR_COLUMN = {"flags": "\t\t       ", "pm_ctrl_reg_val": "\t\t\t\t "}
_LOOSER = frozenset(("?", ":", "||", "&&", ","))
"""Operators that bind less tightly than |: a text with one at its top is no sum."""


@dataclass(frozen=True, slots=True)
class Term:
    """Tokens of one term; offsets are those of the value's text."""

    words: tuple[Token, ...]

    @property
    def _product(self) -> bool:
        return len(self.words) == 3 and self.words[1].text == "*"

    @property
    def factor(self) -> Token | None:
        """The token of the number in N*NAME or NAME*N; None for other terms."""
        return self._either("number") if self.name is not None else None

    @property
    def name(self) -> Token | None:
        """The token of the name in N*NAME or NAME*N; None for other terms."""
        return self._either("name") if self._product and self._kinds == {"number", "name"} else None

    @property
    def _kinds(self) -> set[str]:
        return {self.words[0].kind, self.words[-1].kind}

    def _either(self, kind: str) -> Token:
        return self.words[0] if self.words[0].kind == kind else self.words[-1]

    @property
    def callee(self) -> str | None:
        """The macro's name in NAME(...); None for other terms."""
        if len(self.words) < 3 or self.words[0].kind != "name":
            return None
        return self.words[0].text if self.words[1].text == "(" else None

    @property
    def argument(self) -> Token | None:
        """The token of the number in NAME(number); None for other terms."""
        alone = self.callee is not None and len(self.words) == 4
        return self.words[2] if alone and self.words[2].kind == "number" else None


@dataclass(slots=True)
class Sum:
    """Terms and what becomes of them; the text is made of both in the end."""

    source: str
    terms: list[Term]
    replaced: dict[Token, str] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    added: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, code: str, text: str) -> "Sum | None":
        """Splits a value into its terms; None if it is not a sum.

        code  the text with comments blanked
        """
        groups: list[list[Token]] = [[]]
        depth = 0
        for word in tokens(code):
            depth += (word.text == "(") - (word.text == ")")
            if depth == 0 and word.text in _LOOSER:
                return None
            if depth == 0 and word.text == "|":
                groups.append([])
            else:
                groups[-1].append(word)
        if not all(groups):
            return None
        return cls(text, [Term(tuple(group)) for group in groups])

    def replace(self, word: Token, text: str) -> None:
        self.replaced[word] = text

    def drop(self, index: int) -> None:
        self.dropped.add(index)

    def append(self, text: str) -> None:
        self.added.append(text)

    def text(self, separator: str) -> str:
        """Returns the new text. Comments stay, also those beside a dropped term. If the first terms
        are dropped, the first one that stays takes their place.

        separator  put between added terms where the sum itself shows none
        """
        first, last = self.terms[0].words[0].start, self.terms[-1].words[-1].end
        pieces = [self.source[:first]]
        kept = 0
        for index, term in enumerate(self.terms):
            start, end = term.words[0].start, term.words[-1].end
            before = self.source[self.terms[index - 1].words[-1].end : start] if index else ""
            if index in self.dropped:
                pieces += [
                    f" {comment}" for comment in comments_in(before + self.source[start:end])
                ]
                continue
            if kept or not index:
                pieces.append(before)
            else:
                pieces += [f"{comment} " for comment in comments_in(before)]
            pieces.append(self._term(term, start, end))
            kept += 1
        own = self._own_separator() or separator
        for made in self.added:
            pieces.append(own + made if kept else made)
            kept += 1
        if not kept:
            pieces.append("0")
        return "".join([*pieces, self.source[last:]])

    def _term(self, term: Term, start: int, end: int) -> str:
        text = self.source[start:end]
        for word in reversed(term.words):
            if word in self.replaced:
                before, after = text[: word.start - start], text[word.end - start :]
                text = before + self.replaced[word] + after
        return text

    def _own_separator(self) -> str | None:
        """Returns the text between the last two terms without comments, or " | " where that holds
        more than the operator; None for a single term."""
        if len(self.terms) < 2:
            return None
        start, end = self.terms[-2].words[-1].end, self.terms[-1].words[0].start
        found = without_comments(self.source[start:end])
        return found if _is_plain(found) else " | "

    @staticmethod
    def default_separator(member: str, newline: str) -> str:
        return f" \\{newline}{_OPERATOR_COLUMN[member]}| "


def _is_plain(separator: str) -> bool:
    """Returns whether a separator is only the operator, blanks and line continuations, without
    directives."""
    return separator.replace("\\", "").strip() == "|"
