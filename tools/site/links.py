"""Links from the site's text to the commits and bindings that it names."""

import re

_TAG = re.compile(r"(<[^>]+>)")
_KEPT = re.compile(r"<(/?)(?:a|pre|code|h1)\b")
"""The parts of a page that are left as they are: links, code, and headings that are titles of
pages."""
_NAMED = re.compile(
    r"""(?<![\w/.-])(?:
    (?P<commit>(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)(?:[0-9a-f]{12}|[0-9a-f]{9}))
    |(?P<path>Documentation/(?:devicetree/bindings|admin-guide)/[\w./,-]+\.(?:yaml|txt|rst))
    )(?![\w-])""",
    re.VERBOSE,
)
_LINUX = "https://git.kernel.org/linus/"
_SKIBOOT = "https://github.com/open-power/skiboot/commit/"
_FILE = "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/{}?h=v7.1"
_OTHERS = ("opal.md", "archives.md")
"""Pages whose hashes are those of other repositories, or of mails."""


def linked(page: str, html: str) -> str:
    """Returns the HTML of a page with links. A commit of Linux is named by 12 digits, one of
    skiboot by 9, as their developers do."""
    if page in _OTHERS:
        return html
    kept, parts = 0, []
    for part in _TAG.split(html):
        if found := _KEPT.match(part):
            kept += -1 if found[1] else 1
        parts.append(part if kept or part.startswith("<") else _NAMED.sub(_link, part))
    return "".join(parts)


def _link(found: re.Match[str]) -> str:
    if path := found["path"]:
        address = _FILE.format(path)
    else:
        address = (_LINUX if len(found[0]) == len("5ddcc03a07ae") else _SKIBOOT) + found[0]
    return f'<a href="{address}">{found[0]}</a>'
