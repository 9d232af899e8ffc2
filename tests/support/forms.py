"""The characters that each form of output cannot carry, said independently of the program that
prints it.

faults(form, data) lists what is wrong with bytes that claim to be of a form; none: they are valid.
"""

import email
import email.policy
import html
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import jsonschema

from idle_states.base.resources import resource
from tests.support import DATA

_RAW = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Controls, marks of direction, separators of lines, surrogates; tab and newline are let be."""
_COMMAND = re.compile(
    r"::(error|warning|notice) ([a-zA-Z]+=[^:,\r\n]*)(,[a-zA-Z]+=[^:,\r\n]*)*::[^\r\n]*"
)
_RUNNER = re.compile(r"^\s*::|##(vso|teamcity)?\[", re.MULTILINE | re.IGNORECASE)
"""The marks that GitHub's runner, Azure's and TeamCity's look for in a log."""
_HEADERS = ["From", "Date", "Subject", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"]
_THREAD = ("Message-Id", "In-Reply-To", "References")
_ANSWER = ["Subject", "In-Reply-To", "References"]
_ACTIVE = {"script", "iframe", "object", "embed", "img", "form", "base", "video", "audio"}
_LINK = re.compile(
    r"#[a-z0-9-]+|(https?|file)://[!-~]+/rules/IS\d{3}\.html"
    # a file, as the page sees it
    r"|(?:[\w.~/-]|%[0-9A-F]{2})+(?:#:~:text=(?:[\w.~]|%[0-9A-F]{2})+)?",
    re.ASCII,
)
"""The addresses that a page links to: its own parts and the pages of rules."""


def faults(form: str, data: bytes) -> list[str]:
    """Returns, in words, what is wrong with `data` as a document of a form; empty: it is valid.

    form  one of FORMS
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"not UTF-8: {error}"]
    return [*raw(text), *FORMS[form](text)]


def raw(text: str) -> Iterator[str]:
    """Yields the characters in a text that no form may contain unescaped."""
    for found in sorted(set(_RAW.findall(text))):
        at = text.index(found)
        yield f"raw {found!a} in {text[max(0, at - 40) : at + 40]!a}"


def _text(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if _RUNNER.search(line):
            yield f"a command for a runner: {line!a}"


def _github(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line and not _COMMAND.fullmatch(line):
            yield f"not one workflow command: {line!a}"


def _json(text: str) -> Iterator[str]:
    yield from _text(text)
    try:
        json.loads(text)
    except ValueError as error:
        yield f"not JSON: {error}"


def _jsonl(text: str) -> Iterator[str]:
    for line in text.split("\n")[:-1]:
        yield from _json(line)


@cache
def _schema() -> Any:
    schema = json.loads((DATA / "schemas/sarif-2.1.0.json").read_text("utf-8"))
    return jsonschema.Draft7Validator(schema)


def _sarif(text: str) -> Iterator[str]:
    document = json.loads(text)
    yield from (f"SARIF: {error.message[:200]}" for error in _schema().iter_errors(document))
    for run in document["runs"]:
        for artifact in run["artifacts"]:
            uri = artifact["location"]["uri"]
            if not re.fullmatch(r"(?:[A-Za-z0-9._~/:-]|%[0-9A-F]{2})*", uri):
                yield f"SARIF: no URI: {uri!a}"


def _xml(text: str) -> Iterator[str]:
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        yield f"not XML: {error}"
        return
    known = {"testsuites", "testsuite", "testcase", "failure", "skipped", "properties", "property"}
    yield from (f"XML: an element {e.tag}" for e in root.iter() if e.tag not in known)
    for element in root.iter():
        for value in (*element.attrib.values(), element.text or ""):
            yield from raw(value)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _ACTIVE:
            self.found.append(f"HTML: an element {tag}")
        if tag == "a" and not _LINK.fullmatch(dict(attrs).get("href") or ""):
            self.found.append(f"HTML: a link {attrs!a}")
        for name, value in attrs:
            if name.startswith("on") or "javascript:" in (value or ""):
                self.found.append(f"HTML: {name}={value!a} on {tag}")


def _html(text: str) -> Iterator[str]:
    page = _Page()
    script = resource("templates", "page.js").read_text()
    page.feed(text.replace(f"<script>{script}</script>\n</body>", "</body>", 1))
    page.close()
    yield from page.found


_REFERENCE = re.compile(
    r"""#\d|\bG[HL]-\d|@\S|(?<![A-Za-z0-9])[0-9a-f]{7,}(?![A-Za-z0-9])|[!$&]\d|[%~][\w"]|\$\S.*\$"""
    r"""|:(?:100|1234|[+-]1|[a-z]\w*):|\[[a-z_]+:|://|www\.""",
    re.IGNORECASE,
)


def references(shown: str) -> list[str]:
    """Returns what GitHub or GitLab take for a reference in a text as it is shown: to an issue, a
    commit, a person, a label, an address, or an image of a word."""
    return [found[0] for found in _REFERENCE.finditer(shown)]


def _markdown(text: str) -> Iterator[str]:
    width = 0
    for line in text.splitlines():
        for part in line.split("<!-- -->"):
            for found in references(html.unescape(re.sub(r"\\(?=[!-/:-@[-`{-~])", "", part))):
                yield f"Markdown: a reference {found!a} in {line!a}"
        if re.search(r"://|www\.|@[^\s<]", line, re.IGNORECASE):
            yield f"Markdown: what becomes a link, or calls somebody, in {line!a}"
        plain = re.sub(r"\\.", "", line.replace("<!-- -->", ""))
        if re.search("[<>]", plain):
            yield f"Markdown: HTML in {line!a}"
        if re.search(r"\]\(|!\[|`", plain):
            yield f"Markdown: a link, an image or code in {line!a}"
        cells = plain.count("|") if plain.startswith("|") else 0
        if cells and width and cells != width:
            yield f"Markdown: {cells} bars, {width} above: {line!a}"
        width = cells


_ANCHOR = r"<!-- idle-states-review:[0-9a-f]{16} -->"
_FOLD = "<details><summary>Details</summary>\n"


def _comment(text: str) -> Iterator[str]:
    """Markdown for a pull request: 40 lines that are seen, one fold, and no other HTML."""
    first, _, rest = text.partition("\n")
    if not re.fullmatch(_ANCHOR, first):
        yield f"comment: begins with {first!a}"
    seen, fold, folded = rest.partition(_FOLD)
    if not fold or not folded.endswith("\n</details>\n"):
        yield "comment: expected one fold at its end"
    if seen.count("\n") + 3 > 40:
        yield f"comment: {seen.count(chr(10)) + 3} lines are seen"
    yield from _markdown(seen)
    yield from _markdown(folded.removesuffix("</details>\n"))


def _reply(text: str) -> Iterator[str]:
    """Headers of an answer without a sender, if there is a mail to answer; quoted lines, and own
    ones of 72 columns that no reader of mails takes for a patch."""
    yield from _text(text)
    if text.startswith(("To: ", "Subject: Re: ")):
        message = email.message_from_string(text, policy=email.policy.default)
        if message.defects:
            yield f"reply: {message.defects}"
        keys = [key for key in message if key not in ("To", "Cc")]
        if keys not in ([*_ANSWER, *_HEADERS[3:]], _ANSWER):
            yield f"reply: headers {keys}"
        for key in message:
            yield from raw(str(message[key]))
        text = text.partition("\n\n")[2]
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith(">") or line == "-- ":
            continue
        if len(line) > 72 and " " in line.strip():
            yield f"reply: {len(line)} columns: {line!a}"
        if re.match("---|diff -|Index: |From |@@", line):
            yield f"reply: begins a patch: {line!a}"


def _mail(text: str) -> Iterator[str]:
    head, _, rest = text.partition("\n")
    if not head.startswith("From 0000000000000000000000000000000000000000 "):
        yield f"mail: begins with {head!a}"
    message = email.message_from_string(rest, policy=email.policy.default)
    if message.defects:
        yield f"mail: {message.defects}"
    keys = [key for key in message if key not in _THREAD]
    if keys not in (_HEADERS, _HEADERS[:3]):
        yield f"mail: headers {keys}"
    for key in keys:
        yield from raw(str(message[key]))


def _any(text: str) -> Iterator[str]:
    yield from ()


FORMS: dict[str, Callable[[str], Iterator[str]]] = {
    "text": _text,
    "github": _github,
    "json": _json,
    "jsonl": _jsonl,
    "sarif": _sarif,
    "junit": _xml,
    "html": _html,
    "markdown": _markdown,
    "mail": _mail,
    "comment": _comment,
    "reply": _reply,
    "source": _any,
}
"""source: C, device-tree source, YAML, CSV: held to their own readers elsewhere."""
