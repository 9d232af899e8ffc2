"""Mails as they come: boxes, encodings, quoting, series; and what is refused."""

import codecs
import io
import sys
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import limits
from idle_states.base.reading.mail.box import read_mails
from idle_states.base.reading.mail.mail import _CODECS, Mail, parse
from idle_states.base.reading.mail.series import series_of

DIFF = """\
diff --git a/hw/slw.c b/hw/slw.c
index 1111111..2222222 100644
--- a/hw/slw.c
+++ b/hw/slw.c
@@ -1,3 +1,3 @@ static int x[] = {
 {
-\t.latency_ns = 200,
+\t.latency_ns = 1000,
 },
"""
BODY = f"""\
Raise the latency to 1us\u2014it is \u00b5s that count.

Signed-off-by: A <a@example.com>
---
v2: a note that no commit keeps

{DIFF}--
2.47.0
"""


def mail(subject: str, body: str = BODY, **headers: str) -> EmailMessage:
    made = EmailMessage()
    made["From"] = "A U Thor <author@example.com>"
    made["Date"] = "Wed, 19 Apr 2017 15:25:00 +0530"
    made["Subject"] = subject
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(body)
    return made


def mbox(*mails: EmailMessage) -> bytes:
    line = b"From author@example.com Wed Apr 19 15:25:00 2017\n"
    return b"\n".join(line + made.as_bytes() for made in mails)


def only(data: bytes) -> Mail:
    return parse(data, "a mail")


def patched(mails: list[Mail]) -> list[tuple[str, str]]:
    """(mark, text) of all changed lines of the newest version."""
    newest = series_of(mails, "mails")[-1]
    return [
        (line.mark, line.text)
        for patch in newest.patches
        for change in patch.files
        for hunk in change.hunks
        for line in hunk.lines
        if line.mark != " "
    ]


CHANGED = [("-", "\t.latency_ns = 200,"), ("+", "\t.latency_ns = 1000,")]


@pytest.mark.parametrize("encoding", ["8bit", "quoted-printable", "base64"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_mail_is_decoded(encoding: str, end: str) -> None:
    made = EmailMessage()
    made["From"] = "=?utf-8?q?J=C3=B6rg?= <author at example.com>"
    made["Subject"] = "=?utf-8?b?W1BBVENIXSDCtXM=?="
    made.set_content(BODY, charset="utf-8", cte=encoding)
    found = only(made.as_bytes().replace(b"\n", end.encode()))
    assert found.author == "J\u00f6rg <author@example.com>"
    assert found.subject == "[PATCH] \u00b5s"
    (patch,) = series_of([found], "m")[0].patches
    assert patch.message == (
        "\u00b5s\n\nRaise the latency to 1us\u2014it is \u00b5s that count.\n\n"
        "Signed-off-by: A <a@example.com>\n"
    )
    assert patched([found]) == CHANGED


def test_the_date_is_in_utc() -> None:
    found = only(mail("[PATCH] x").as_bytes())
    assert found.date is not None
    assert found.date.isoformat() == "2017-04-19T09:55:00+00:00"


def test_a_page_of_an_archive_is_a_mail(tmp_path: Path) -> None:
    quoted = "".join(f"> {line}\n" for line in BODY.replace("    ", "\u00a0   ").splitlines())
    page = (
        "[List] [PATCH v3] slw: Raise it\n\nB Reviewer rev at example.org\n"
        "Thu Apr 20 16:00:55 AEST 2017\n\n\nOn Wed, A wrote:\n> From: A <a at example.com>\n> \n"
        f"{quoted}\n\nMore information about the list"
    )
    file = tmp_path / "page.txt"
    file.write_text(page, "utf-8")
    mails, files = read_mails(str(file))
    assert list(files) == [str(file)]
    (series,) = series_of(mails, "page")
    (patch,) = series.patches
    assert (series.version, patch.subject) == (3, "slw: Raise it")
    assert patch.message.startswith("slw: Raise it\n\nRaise the latency")
    assert "More information" not in patch.message
    assert patch.mail.date is not None
    assert patch.mail.date.date().isoformat() == "2017-04-20"
    assert "the patch is read from a reply" in patch.remarks
    assert patched(mails) == CHANGED


def test_at_is_a_word_in_prose() -> None:
    """An archive's addresses in angle brackets are told from sentences and figures."""
    body = "Difference at 99.0% confidence; look at slw.c\n\nReported-by: A <a at example.com>\n"
    text = f"{body}---\n{BODY.partition('---')[2]}"
    (patch,) = series_of([only(mail("[PATCH] x", text).as_bytes())], "m")[0].patches
    assert patch.message == "x\n\n" + body.replace("a at example", "a@example")


def test_of_a_thread_the_versions_are_told_apart(tmp_path: Path) -> None:
    cover = mail("[PATCH v2 0/2] Two", "What both do.\n\nbase-commit: " + "ab" * 20 + "\n")
    second = mail("[PATCH v2 2/2] second", BODY.replace("= 1000", "= 3000"))
    first = mail("[PATCH v2 1/2] first", BODY.replace("= 1000", "= 2000"))
    old = mail("[PATCH] first")
    reply = mail("Re: [PATCH v2 1/2] first", "".join(f"> {x}\n" for x in BODY.splitlines()))
    file = tmp_path / "thread.mbox"
    file.write_bytes(mbox(old, cover, second, reply, first))
    older, newer = series_of(read_mails(str(file))[0], "thread")
    assert [patch.subject for patch in older.patches] == ["first"]
    assert [patch.subject for patch in newer.patches] == ["first", "second"]
    assert newer.cover is not None
    assert newer.cover.message.startswith("Two\n\nWhat both do.")
    assert newer.base == "ab" * 20
    assert newer.missing == ()


def test_a_patch_that_is_missing_is_known() -> None:
    mails = [only(mail("[PATCH 1/3] a").as_bytes()), only(mail("[PATCH 3/3] c").as_bytes())]
    (series,) = series_of(mails, "thread")
    assert series.missing == (2,)


def test_two_threads_are_not_taken_for_one() -> None:
    mails = [only(mail("[PATCH 1/2] a").as_bytes()), only(mail("[PATCH 1/2] b").as_bytes())]
    with pytest.raises(Unreadable, match="expected the mails of one thread"):
        series_of(mails, "thread")
    again = only(mail("[PATCH 1/2] a [external sender]").as_bytes())
    (series,) = series_of([mails[0], again], "thread")
    assert [patch.subject for patch in series.patches] == ["a"]


def test_a_maildir_and_a_directory_of_patches_are_read(tmp_path: Path) -> None:
    for directory in ("maildir/cur", "maildir/new", "maildir/tmp", "patches"):
        (tmp_path / directory).mkdir(parents=True)
    one, two = mail("[PATCH 1/2] a"), mail("[PATCH 2/2] b")
    (tmp_path / "maildir/cur/1.x:2,S").write_bytes(one.as_bytes())
    (tmp_path / "maildir/new/2.x").write_bytes(two.as_bytes())
    (tmp_path / "maildir/tmp/3.x").write_bytes(mail("[PATCH 3/3] unfinished").as_bytes())
    (tmp_path / "patches/0001-a.patch").write_bytes(mbox(one))
    (tmp_path / "patches/0002-b.patch").write_bytes(mbox(two))
    (tmp_path / "patches/README").write_text("no mail")
    for name in ("maildir", "patches"):
        (series,) = series_of(read_mails(str(tmp_path / name))[0], name)
        assert [patch.subject for patch in series.patches] == ["a", "b"]


def test_standard_input_and_a_bare_diff(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe:
        buffer = io.BytesIO(DIFF.encode())

    monkeypatch.setattr(sys, "stdin", Pipe)
    assert patched(read_mails("-")[0]) == CHANGED


def test_an_attached_patch_counts_and_html_does_not() -> None:
    made = mail("[PATCH] x", "See the attachment.\n")
    made.add_alternative("<pre>diff --git a/x b/x</pre>", subtype="html")
    made.add_attachment(DIFF.encode(), maintype="text", subtype="x-patch", filename="x.patch")
    found = only(made.as_bytes())
    assert patched([found]) == CHANGED
    assert "an HTML part is ignored" in found.remarks


def test_flowed_text_loses_its_stuffing() -> None:
    stuffed = "\n".join(f" {x}" if x[:1] in (" ", ">") else x for x in DIFF.split("\n"))
    data = (
        b"Subject: [PATCH] x\nContent-Type: text/plain; charset=utf-8; format=flowed\n\n"
        + stuffed.encode()
    )
    found = only(data)
    assert patched([found]) == CHANGED
    assert any("format=flowed" in remark for remark in found.remarks)


CHARSET = "x-of-no-mail"
WORDS = f"=?{CHARSET}?q?abc?="
EXTENDED = f"{CHARSET}''%61bc"


@pytest.fixture
def codec_of_no_mail() -> Iterator[list[bytes]]:
    """Records what was given to a codec that Python knows and no mail uses."""
    given: list[bytes] = []

    def decode(data: bytes, errors: str = "strict") -> tuple[str, int]:
        given.append(data)
        return "", len(data)

    def search(name: str) -> codecs.CodecInfo | None:
        wanted = name.replace("_", "-") == CHARSET
        return (
            codecs.CodecInfo(codecs.lookup("ascii").encode, decode, name=CHARSET)
            if wanted
            else None
        )

    codecs.register(search)
    assert b"abc".decode(CHARSET) == ""
    given.clear()
    yield given
    codecs.unregister(search)


@pytest.mark.parametrize(
    "headers",
    [
        f"Content-Type: text/plain; charset={CHARSET}",
        f"Content-Type: text/plain; charset*={CHARSET}''{CHARSET}",
        "Content-Type: text/plain; charset*0=x-of-no; charset*1=-mail",
        f"Content-Type: text/plain; name*={EXTENDED}",
        f"Content-Type: text/plain; format*={EXTENDED}",
        f"Content-Type: text/plain\nContent-Disposition: attachment; filename*={EXTENDED}",
        *(f"{name}: {WORDS}" for name in ("Date", "Message-Id", "References", "In-Reply-To")),
        f"X: x\nSubject: [PATCH] {WORDS}",
        f"X: x\nFrom: {WORDS} <a@b>",
    ],
)
def test_charset_of_no_mail_is_not_used(headers: str, codec_of_no_mail: list[bytes]) -> None:
    found = only(f"MIME-Version: 1.0\n{headers}\n\n\u00b5s\n{DIFF}".encode())
    assert codec_of_no_mail == []
    assert found.text == f"\u00b5s\n{DIFF}"
    assert found.remarks == (f"the character set {CHARSET!r} is not known; read as UTF-8",)


@pytest.mark.parametrize("charset", ["us-ascii", "Windows-1251", "KOI8-R", "gb2312", "ISO-2022-JP"])
def test_charset_of_mails_is_used(charset: str) -> None:
    text = {"us-ascii": "a", "gb2312": "\u4e2d", "ISO-2022-JP": "\u65e5"}.get(charset, "\u0434")
    head = f"Subject: x\nContent-Type: text/plain; charset={charset}\n\n".encode()
    found = only(head + text.encode(charset))
    assert (found.text, found.remarks) == (text, ())


def test_every_charset_is_a_codec_by_its_own_name() -> None:
    assert {name for name in _CODECS if codecs.lookup(name).name != name} == set()


def test_long_header_is_cut_before_it_is_taken_apart() -> None:
    words = "=?a?q?" * 200_000
    kind = f'text/plain; x="{";" * 900_000}'
    found = only(f"Subject: [PATCH] {words}\nContent-Type: {kind}\n\n{DIFF}".encode())
    assert len(found.subject) <= limits.MAIL_HEADER_BYTES
    assert patched([found]) == CHANGED


def test_boundary_in_no_charset_is_refused() -> None:
    data = (
        b"Subject: a\nContent-Type: multipart/mixed; boundary*=undefined''%61\n\n--a\n\nx\n--a--\n"
    )
    with pytest.raises(Unreadable, match="boundaries"):
        only(data)


def test_hostile_headers_are_one_line() -> None:
    found = only(b"Subject: =?utf-8?b?YQpbUEFUQ0hdIGI=?=\nFrom: x\nDate: 99\n\n" + DIFF.encode())
    assert "\n" not in found.subject
    assert found.date is None


def test_limits_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    nested = b"Content-Type: multipart/mixed; boundary=x\nSubject: a\n\n--x\n"
    for way in (nested, nested.replace(b"boundary", b"boundary*0")):
        with pytest.raises(Unreadable, match="nested parts"):
            only(way * 200)
    many = mail("[PATCH] x")
    for number in range(5):
        many.add_attachment(b"x", maintype="text", subtype="plain", filename=f"{number}")
    monkeypatch.setattr(limits, "MAIL_PARTS", 3)
    with pytest.raises(Unreadable, match="at most 3 parts"):
        only(many.as_bytes())
    monkeypatch.setattr(limits, "MAIL_BYTES", 100)
    with pytest.raises(Unreadable, match="at most 100 bytes"):
        only(mail("[PATCH] x").as_bytes())


def test_nothing_and_mails_without_a_patch_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"\n")
    with pytest.raises(Unreadable, match="found nothing"):
        read_mails(str(empty))
    with pytest.raises(Unreadable, match="expected a patch"):
        series_of([only(mail("hello", "no patch\n").as_bytes())], "m")


@given(st.binary(max_size=2000))
def test_any_bytes_are_a_series_or_refused(data: bytes) -> None:
    for text in (data, b"Subject: [PATCH] x\n\n" + data, DIFF.encode() + data):
        try:
            made = series_of([parse(text, "m")], "m")
        except Unreadable:
            continue
        assert all(change.path for one in made for p in one.patches for change in p.files)
