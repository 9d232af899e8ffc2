"""The addresses of the rules' pages, for links in reports."""

import os
import re
from functools import cache
from pathlib import Path

from ..located import source_folder
from ..model.findings import UsageError
from ..reading import opening

VARIABLE = "IDLE_STATES_DOCS"
"""The environment variable that says where the documentation site is published."""
RULE_PAGE = "rules/{code}.html"
"""A rule's page within the site."""
BUILT = ("build", "site")
"""The place where `make docs` leaves the site, in a source tree."""

_ADDRESS = re.compile(r"(?:https?|file)://[!-~]+")


def home() -> str | None:
    """The site's address, ending in a slash: what IDLE_STATES_DOCS says, else what the package
    declares as its documentation, else the site that was built in the source tree that the program
    runs from; None without any. Raises UsageError for a variable that is no absolute address."""
    given = os.environ.get(VARIABLE) or _declared()
    if given:
        if not _ADDRESS.fullmatch(given):
            raise UsageError(
                f"expected an address such as https://... in {VARIABLE}, found {given!r}"
            )
        return given if given.endswith("/") else f"{given}/"
    tree = source_folder()
    site = Path(tree, *BUILT) if tree else None
    return f"{site.as_uri()}/" if site and opening.is_file(site / "index.html") else None


def page_of(code: str) -> str | None:
    """The address of a rule's page; None where home() is."""
    found = home()
    return None if found is None else found + RULE_PAGE.format(code=code)


@cache
def _declared() -> str | None:
    """The address labelled Documentation in the package's metadata."""
    from importlib import metadata

    try:
        declared = metadata.metadata("idle-states").get_all("Project-URL") or ()
    except metadata.PackageNotFoundError:
        return None
    label2address = dict(entry.split(", ", 1) for entry in declared)
    return label2address.get("Documentation")
