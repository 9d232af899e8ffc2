"""Collects what is wrong with a spec, so that all of it is reported at once."""

from collections.abc import Container, Iterable, Sequence

from ..model.findings import Finding, Location, Severity
from ..wording import suggestion
from .document import Mapping


class SpecProblems:
    """Findings of one load; each names its rule, see idle_states/tables/rules/is9*.py."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def add(
        self,
        code: str,
        name: str,
        message: str,
        where: Location,
        related: tuple[tuple[Location, str], ...] = (),
    ) -> None:
        self.findings.append(Finding(code, name, Severity.ERROR, message, where, related=related))

    def unknown_key(self, key: str, where: Location, known: Iterable[str]) -> None:
        known = list(known)
        meant = suggestion(key, known)
        keys = "" if meant else f" ({', '.join(known)})"
        message = f"expected one of the spec's keys{keys}, found {key!r}{meant}"
        self.add("IS920", "unknown-key", message, where)

    def unknown_keys(self, given: Mapping, known: Sequence[str], what: str) -> None:
        """Reports the keys of a mapping, called `what`, that it cannot have."""
        for key, where in given.keys.items():
            if key not in known:
                message = f"expected a key of {what} ({', '.join(known)}), found {key!r}"
                self.add("IS920", "unknown-key", message + suggestion(key, known), where)

    def missing(
        self, keys: Iterable[str], entries: Container[str], what: str, where: Location
    ) -> bool:
        """Reports each key that entries lack; tells whether there is one."""
        lacking = [key for key in keys if key not in entries]
        for key in lacking:
            self.missing_key(key, what, where)
        return bool(lacking)

    def missing_key(self, key: str, what: str, where: Location) -> None:
        self.add("IS921", "missing-key", f"expected {str(key)!r} in {what}, found none", where)

    def wrong_type(self, expected: str, found: str, where: Location) -> None:
        self.add("IS922", "wrong-type", f"expected {expected}, found {found}", where)

    def bad_time(self, message: str, where: Location) -> None:
        self.add("IS923", "bad-time", message, where)

    def out_of_range(self, expected: str, found: str, where: Location) -> None:
        self.add("IS924", "out-of-range", f"expected {expected}, found {found}", where)

    def unknown_name(
        self,
        what: str,
        found: str,
        where: Location,
        known: Iterable[str],
        related: tuple[tuple[Location, str], ...] = (),
    ) -> None:
        known = list(known)
        listing = ", ".join(known) or "there is none"
        self.add(
            "IS925",
            "unknown-name",
            f"expected {what} ({listing}), found {found!r}{suggestion(found, known)}",
            where,
            related,
        )
