"""Links from the site's text to the commits, mails and bindings that it names."""

import re

_TAG = re.compile(r"(<[^>]+>)")
_KEPT = re.compile(r"<(/?)(?:a|pre|code|h1)\b")
"""The parts of a page that are left as they are: links, code, and headings that are titles of
pages. Of code within a line, a commit or the id of a mail is linked where it is all of the code."""
_COMMIT = r"(?P<commit>(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)(?:[0-9a-f]{12}|[0-9a-f]{9,10}))"
_MAIL = r"(?P<mail>[\w.+=$-]{16,}@[\w-]+(?:\.[\w-]+)*)"
_FILE = r"(?P<path>Documentation/(?:devicetree/bindings|admin-guide)/[\w./,-]+\.(?:yaml|txt|rst))"
_NAMED = re.compile(rf"(?<![\w/.@-])(?:{_COMMIT}|{_FILE})(?![\w-])")
_CODE = re.compile(rf"{_COMMIT}|{_FILE}|{_MAIL}")
_KIND2ADDRESS = {
    "linux": "https://git.kernel.org/linus/{}",
    "skiboot": "https://github.com/open-power/skiboot/commit/{}",
    "mail": "https://lore.kernel.org/all/{}/",
    "path": "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/{}?h=v7.1",
}
_OTHERS = ("opal.md", "archives.md")
"""Pages whose hashes are those of other repositories."""


def linked(page: str, html: str) -> str:
    """Returns the HTML of a page with links. A commit of Linux is named by 10 or 12 digits, one of
    skiboot by 9, as their developers do."""
    kept, parts = 0, _TAG.split(html)
    for number, part in enumerate(parts):
        if found := _KEPT.match(part):
            kept += -1 if found[1] else 1
        elif part.startswith("<"):
            continue
        elif not kept:
            parts[number] = _NAMED.sub(lambda found: _link(page, found, found[0]), part)
        elif kept == 1 and parts[number - 1] == "<code>" and (whole := _CODE.fullmatch(part)):
            link = _link(page, whole, f"<code>{part}</code>")
            parts[number - 1 : number + 2] = "", link, ""
            kept = 0
    return "".join(parts)


def _link(page: str, found: re.Match[str], text: str) -> str:
    kind = found.lastgroup or ""
    if kind == "commit":
        if page in _OTHERS:
            return text
        kind = "skiboot" if len(found[0]) == len("84368bbf8") else "linux"
    return f'<a href="{_KIND2ADDRESS[kind].format(found[0])}">{text}</a>'
