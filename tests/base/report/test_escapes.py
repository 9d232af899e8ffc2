"""Tests of what each form's escapes let through: nothing the form cannot carry, and the meaning."""

import email
import json
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import PurePosixPath
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from idle_states.base.report.escapes import github, mail, markdown, xml
from idle_states.base.report.escapes.json import encoded
from idle_states.base.report.escapes.text import guarded, printable, printable_lines
from idle_states.base.report.escapes.uri import uri
from idle_states.base.report.style import Style
from tests.support.forms import faults, raw, references

HOSTILE = st.sampled_from(
    [
        "\n::error::x", "\x1b]0;t\x07", "\x9b31m", "\u202e", "\u2066", "\u061c", "\u200f", "\x85",
        "\u2028", "\x7f", "\0", "\udcff", "\ud800", "]]>", "<script>x</script>", "a|b", "`", "%0A",
        "##[add-mask]x", "\r\n.", "&lt;", "\\", "](javascript:x)", '"', "'", "\nBcc: x",
        "##vso[x]", "##TeamCity[x]", "https://evil.example", "WWW.evil.example", "@everybody",
        "#1", "GH-1", "gl-2", "o/r#3", "o/r@84368bbf8", "84368bbf8", "84368bbf" * 5, "&1", "!2",
        "$3", "%4", "~bug", '~"b', "[issue:1]", ":100:", ":b:", "*a*", "_b_", "~~c~~", "$d$",
        "1. x", "12) x", "- x", "/close", "    x", "<!-- -->", "===", "![", "|",
    ]
)  # fmt: skip
"""Characters that one form or another gives a meaning to."""
TEXTS = st.lists(HOSTILE | st.text(max_size=4), max_size=4).map("".join)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("stop0_lite é 中", "stop0_lite é 中"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x1b\x00\x7f", r"\x1b\x00\x7f"),
        ("\x85\x9b", r"\u0085\u009b"),
        ("\udc85\udcff", r"\x85\xff"),
        ("\u202e\u2066\u061c", r"\u202e\u2066\u061c"),
        ("\ud800\U000e0001", r"\ud800\U000e0001"),
    ],
)
def test_escapes_are_seen_and_tell_what_they_stand_for(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(TEXTS)
def test_printable_is_one_clean_line_and_escaping_twice_changes_nothing(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable() or not shown
    assert printable(shown) == shown
    if text.isprintable():
        assert shown == text
    assert printable_lines(text).count("\n") == text.count("\n")


@given(TEXTS)
def test_no_report_has_what_a_terminal_or_a_runner_obeys(text: str) -> None:
    assert not faults("text", guarded(text, coloured=False).encode())
    harmless = "stop0: 1 us\n\tnext, stop::1 #[x]\n"
    assert guarded(harmless, coloured=False) == harmless


def test_colours_of_the_program_pass_and_no_others() -> None:
    style = Style(True)
    own = "".join(style(k, "x") for k in ("error", "warning", "note", "strong", "faint", "good"))
    assert guarded(own, coloured=True) == own
    assert "\x1b" not in guarded(own, coloured=False)
    assert guarded("\x1b]0;t\x07\x1b[2J", coloured=True) == r"\x1b]0;t\x07\x1b[2J"


@given(TEXTS)
@example("\U0001f600\x9b")
def test_json_means_the_same_and_has_clean_bytes(text: str) -> None:
    document = {text: [text, 1, None]}
    for indent in (None, 2):
        made = encoded(document, indent=indent)
        assert not faults("json", made.encode())
        assert json.loads(made) == json.loads(json.dumps(document))
    assert "\n" not in encoded(document, indent=None)


@given(TEXTS)
def test_workflow_commands_stay_one(text: str) -> None:
    line = f"::error file={github.value(text)},title={github.value(text)}::{github.message(text)}"
    assert not faults("github", line.encode())


@given(TEXTS)
def test_xml_is_read_back_as_it_was_shown(text: str) -> None:
    name, lines = xml.attribute(text), xml.content(text)
    made = f"<testsuites><testcase name={name}>{lines}</testcase></testsuites>"
    assert not faults("junit", made.encode())


@given(TEXTS, TEXTS)
def test_markdown_has_no_markup_of_names(name: str, note: str) -> None:
    made = f"| {markdown.inline(name)} | b |\n|---|---|\n\n{markdown.lines(note)}\n"
    assert not faults("markdown", made.encode())
    assert not any(line.lstrip().startswith("#") for line in markdown.lines(note).split("\n"))


class Shown(HTMLParser):
    """The texts of a page, each of which is looked through for references by itself."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts = [""]
        self.elements: set[str] = set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.add(tag)
        self.texts.append("")

    def handle_comment(self, data: str) -> None:
        self.texts.append("")

    def handle_data(self, data: str) -> None:
        self.texts[-1] += data


def shown(text: str) -> Shown:
    """Returns what GitHub's own renderer makes of Markdown, but for references."""
    program = shutil.which("cmark-gfm")
    if program is None:
        pytest.skip("cmark-gfm is not installed (Debian package cmark-gfm)")
    extensions = ("table", "autolink", "strikethrough", "tagfilter", "tasklist")
    words = [word for name in extensions for word in ("-e", name)]
    done = subprocess.run(
        [program, "--unsafe", *words], input=text.encode(), capture_output=True, check=True
    )
    return Shown(done.stdout.decode())


@given(TEXTS)
@example(
    "#1 GH-1 o/r#1 @u a@1234567 84368bbf8 &1 !2 $3 %4 ~b [x:1] :100: :b: _x_ *y* ~~z~~ $a$ www.x.y"
)
def test_names_in_markdown_are_shown_as_they_are_and_refer_to_nothing(text: str) -> None:
    page = shown(f"x {markdown.inline(text)} x\n")
    assert page.elements == {"p"}
    assert "".join(page.texts).split() == f"x {printable(text.replace(chr(10), ' '))} x".split()
    assert not [found for each in page.texts for found in references(each)]


@given(TEXTS)
@example("\r\n.\n\t x\u2028")
@example("1. x\n12) x\n- x\n## x\n===\n/close\n~~~\n    x\n> x\n***\n___\n+ x")
def test_notes_in_markdown_are_paragraphs(text: str) -> None:
    page = shown(f"{markdown.lines(text)}\n")
    assert page.elements <= {"p"}
    lines = " ".join(printable(line) for line in text.split("\n"))
    assert "".join(page.texts).split() == lines.split()
    assert not any(line.startswith("/") for line in markdown.lines(text).split("\n"))


@given(TEXTS, TEXTS, TEXTS)
def test_mail_has_our_headers_only(name: str, subject: str, body: str) -> None:
    head = "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"
    made = (
        f"{head}From: {mail.address(name, subject)}\nDate: x\n"
        f"Subject: [PATCH] {mail.header(subject)}\n\n{mail.body(body)}\n"
    )
    sent = email.message_from_string(made.partition("\n")[2])
    assert sent.keys() == ["From", "Date", "Subject"]
    assert not list(raw(made))


@given(TEXTS)
def test_uris_hold_a_names_own_bytes(name: str) -> None:
    file = PurePosixPath("dir", name.replace("\ud800", "").lstrip("/"))
    made = uri(str(file))
    assert made.isascii()
    assert unquote_to_bytes(made) == str(file).encode("utf-8", "surrogateescape")
