"""review of mails in all the forms that lists have: the same answer, or one clear line."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.change.review.answer import review
from idle_states.change.review.request import ReviewRequest
from idle_states.change.review.result import Review
from tests.change.review.test_review_driver_lines import CRITERIA, INTEL

DIFF = f"""\
--- a/{INTEL}
+++ b/{INTEL}
@@ -9,7 +9,7 @@ static struct cpuidle_state old_cstates[] __initdata = {{
 \t{{
 \t\t.name = "C6",
 \t\t.flags = MWAIT2flg(0x20),
-\t\t.exit_latency = 190,
+\t\t.exit_latency = 90,
 \t\t.target_residency = 600,
 \t\t.enter = &intel_idle, }},
 \t{{
"""
BODY = f"Lower it\u2014it is faster.\n\nSigned-off-by: A <a@example.com>\n---\n{DIFF}-- \n2.43\n"
CHANGED = [("states.C6.latency", "190us", "90us")]


def mail(subject: str = "[PATCH] intel_idle: Lower C6", name: str = "one") -> EmailMessage:
    made = EmailMessage()
    made["Subject"] = subject
    made["From"] = "A U Thor <a@example.com>"
    made["Date"] = "Mon, 03 Mar 2025 10:00:00 +0000"
    made["Message-Id"] = f"<{name}@example.com>"
    return made


def plain(how: str) -> bytes:
    made = mail()
    made.set_content(BODY, cte=how)
    return made.as_bytes()


def attached() -> bytes:
    made = mail()
    made.set_content("See below.\n")
    made.add_attachment(DIFF.encode(), "text", "x-patch", filename="c6.patch")
    made.add_attachment(b"\x89PNG", "image", "png", filename="graph.png")
    return made.as_bytes()


def beside_html() -> bytes:
    made = mail()
    made.set_content(BODY)
    made.add_alternative(f"<pre>{BODY}</pre>".replace("90,", "91,"), subtype="html")
    return made.as_bytes()


def digest() -> bytes:
    made = mail("linux-pm Digest, Vol 1", "digest")
    made.make_mixed()
    first = mail("a question", "other")
    first.set_content("Does it sleep?\n")
    for each in (first, _one()):
        made.attach(_wrapped(each))
    return made.as_bytes()


def _one() -> EmailMessage:
    made = mail()
    made.set_content(BODY)
    return made


def _wrapped(inner: EmailMessage) -> EmailMessage:
    part = EmailMessage()
    part.set_content(inner)
    return part


def reviewed(tmp_path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch) -> Review:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mail.mbox").write_bytes(data)
    return review(ReviewRequest(None, CRITERIA, mail="mail.mbox", runs=0))


def differences(found: Review) -> list[tuple[str, str, str]]:
    tables = [table for change in found.changes for table in change.tables]
    return [(d.path, d.a, d.b) for table in tables for d in table.differences]


FORMS = {
    "8bit": plain("8bit"),
    "base64": plain("base64"),
    "quoted-printable": plain("quoted-printable"),
    "CRLF": plain("8bit").replace(b"\n", b"\r\n"),
    "base64 CRLF": plain("base64").replace(b"\n", b"\r\n"),
    "flowed": plain("8bit")
    .replace(b'charset="utf-8"', b'charset="utf-8"; format=flowed')
    .replace(b"\n \t", b"\n  \t"),
    "attached": attached(),
    "beside HTML": beside_html(),
    "digest": digest(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_mail_in_any_form_is_read(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = reviewed(tmp_path, FORMS[form], monkeypatch)
    assert differences(found) == CHANGED
    said = " ".join(found.remarks)
    assert ("image/png is ignored" in said) == (form == "attached")
    assert ("HTML part is ignored" in said) == (form == "beside HTML")


def only_html() -> bytes:
    made = mail()
    made.set_content(f"<pre>{BODY}</pre>", subtype="html")
    return made.as_bytes()


def no_diff() -> bytes:
    made = mail()
    made.set_content("C6 could be 90us, I think.\n")
    return made.as_bytes()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            only_html(),
            "expected a mail or a patch, found nothing to read: an HTML part is ignored",
        ),
        (no_diff(), "expected a patch (lines diff --git, or --- and +++), found none"),
    ],
)
def test_a_mail_without_a_diff_is_refused_in_one_line(
    data: bytes, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Unreadable) as refused:
        reviewed(tmp_path, data, monkeypatch)
    (finding,) = refused.value.findings
    assert finding.message == expected


def test_a_patch_of_a_patch_changes_no_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that adds a file of patches, as distributions keep them."""
    lines = "".join(f"+{line}\n" for line in DIFF.splitlines())
    made = mail()
    count = DIFF.count("\n")
    made.set_content(
        f"Add it\n---\n--- /dev/null\n+++ b/patches/c6.patch\n@@ -0,0 +1,{count} @@\n{lines}"
    )
    found = reviewed(tmp_path, made.as_bytes(), monkeypatch)
    assert differences(found) == []
    assert not found.unread_lines


def test_two_mails_of_one_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second is another's mail that claims the id of the first: both are told apart."""
    other = mail("[PATCH] intel_idle: Lower C6 more")
    other.set_content(BODY.replace("= 90,", "= 80,"))
    box = b"".join(b"From x Mon Mar  3 10:00:00 2025\n" + m.as_bytes() for m in (_one(), other))
    found = reviewed(tmp_path, box, monkeypatch)
    assert [letter.subject for letter in found.letters] == [
        "intel_idle: Lower C6",
        "intel_idle: Lower C6 more",
    ]
    assert any("claim the id <one@example.com>" in remark for remark in found.remarks)
