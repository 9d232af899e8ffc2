"""Archives of mails: read as a stream, of which only the threads looked for are held."""

import base64
import mailbox
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.reading import limits
from idle_states.base.reading.mail import box as boxes
from idle_states.base.reading.mail.archive import Archive, inbox, mails_of
from tests.support.git_history import History

FROM = "From mboxrd@z Thu Jan  1 00:00:00 1970\n"


def mail(name: str, subject: str, text: str = "", *, to: str = "", more: str = "") -> str:
    answered = f"In-Reply-To: <{to}@x>\n" if to else ""
    head = f"From: A <a@x>\nMessage-ID: <{name}@x>\nSubject: {subject}\n{answered}{more}"
    return f"{head}\n{text}\n"


def written(path: Path, mails: Iterable[str]) -> str:
    path.write_text("".join(f"{FROM}{one}\n" for one in mails))
    return str(path)


def wanted(data: bytes) -> bool:
    return b"WANTED" in data


def ids(name: str) -> list[list[str]]:
    threads = Archive(name).threads(wanted)
    return [[mail.message_id.strip("<>")[:-2] for mail in mails_of(one)[0]] for one in threads]


@pytest.fixture
def kept(tmp_path: Path) -> History:
    """Mails as public-inbox keeps them."""
    made = History(tmp_path / "list.git")
    made.commit({"m": mail("old", "[PATCH] idle", "WANTED")}, "[PATCH] idle")
    made.commit({"m": mail("noise", "Hello")}, "Hello")
    made.commit({"m": None, "d": "gone"}, "rm a mail")
    made.commit({"m": mail("cover", "[PATCH v2 0/2] two"), "d": None}, "[PATCH v2 0/2] two")
    made.commit({"m": mail("1", "[PATCH v2 1/2] other", to="cover")}, "[PATCH v2 1/2] other")
    made.commit({"m": mail("2", "[PATCH v2 2/2] idle", "WANTED", to="cover")}, "x")
    made.commit({"m": mail("3", "Re: [PATCH v2 0/2] two", "Fine.", to="cover")}, "x")
    return made


def test_a_thread_is_held_with_its_other_versions(kept: History) -> None:
    assert ids(f"{kept.directory}@HEAD") == [["old", "cover", "1", "2", "3"]]


def test_what_is_new_is_looked_at_and_what_belongs_to_it_found_before_it(kept: History) -> None:
    everything = [["old", "cover", "1", "2", "3"]]
    assert ids(f"{kept.directory}@HEAD~2..HEAD") == everything
    # an answer alone is nothing new
    assert ids(f"{kept.directory}@HEAD~1..") == []
    archive = Archive(f"{kept.directory}@HEAD~2..")
    archive.threads(wanted)
    assert archive.passed == 2


def test_the_same_of_a_box(tmp_path: Path) -> None:
    mails = [
        mail("1", "[PATCH] idle", "WANTED"),
        mail("a", "Something"),
        mail("b", "Re: Something", to="a"),
        mail("c", "[PATCH] idle", "WANTED", more="List-Id: <another series of the same name>\n"),
        mail("2", "Re: [PATCH] idle", to="1"),
    ]
    assert ids(written(tmp_path / "box", mails)) == [["1", "2"], ["c"]]
    newer = mail("d", "[PATCH v2] idle", "WANTED")
    assert ids(written(tmp_path / "box", [*mails, newer])) == [["1", "2", "d"], ["c"]]


def test_words_are_looked_for_in_encoded_texts(tmp_path: Path) -> None:
    encoded = base64.encodebytes(b"WANTED").decode()
    quoted = "Content-Transfer-Encoding: quoted-printable\n"
    mails = [
        mail("1", "one", encoded, more="Content-Transfer-Encoding: base64\n"),
        mail("2", "two", "WAN=\nTED", more=quoted),
        mail("3", "three", "W=41NTED", more=quoted),
        mail("4", "four", "WAN=\nTED"),
    ]
    assert ids(written(tmp_path / "box", mails)) == [["1"], ["2"], ["3"]]


def test_a_mail_that_cannot_be_read_loses_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAIL_BYTES", 9_000)
    monkeypatch.setattr(boxes, "_BLOCK", 1_000)
    large = mail("2", "Re: one", "y" * 30_000, to="1")
    mails = [mail("1", "one", "WANTED"), large, mail("3", "Re: one", to="1")]
    (thread,) = Archive(written(tmp_path / "box", mails)).threads(wanted)
    found, unread = mails_of(thread)
    assert [(one.message_id, unread) for one in found] == [("<1@x>", 1), ("<3@x>", 1)]
    lines = (tmp_path / "box").read_text().splitlines()
    assert lines[found[1].first - 6 :][:2] == ["From: A <a@x>", "Message-ID: <3@x>"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("{}@HEAD", ("", "HEAD")),
        ("{}@a..b", ("a", "b")),
        ("{}@a..", ("a", "HEAD")),
        ("{}@..b", ("", "b")),
        ("{}@{{1}}..HEAD", None),
        ("{}@", None),
        ("{}/none@HEAD", None),
        ("main@{{upstream}}..HEAD", None),
    ],
)
def test_names_of_mails_in_git(tmp_path: Path, name: str, expected: object) -> None:
    found = inbox(name.format(tmp_path))
    assert (found and found[1:]) == expected


LINE = st.sampled_from(
    ["", "x", "From: y", ">From z", "From a Thu Jan  1 00:00:00 1970", "From here on", "Subject: s"]
)


@given(st.lists(st.lists(LINE, max_size=6), min_size=1, max_size=4), st.integers(1, 90))
@settings(max_examples=200)
def test_blocks_cut_no_mail(texts: list[list[str]], size: int) -> None:
    """However a file is cut into blocks, its mails are those that it has as a whole."""
    mails = [mail(str(number), "s", "\n".join(text)) for number, text in enumerate(texts)]
    data = "".join(f"{FROM}{one}\n" for one in mails).encode()
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    first = len(FROM) + 20
    whole = list(boxes._cut([data]))
    assert list(boxes._cut([data[:first], *blocks_after(data, first, size)])) == whole
    assert b"".join(blocks) == data
    for held, line in whole:
        start = data.split(b"\n")[line - 1]
        assert held.startswith(start.removeprefix(b">") if start.startswith(b">From ") else start)


def blocks_after(data: bytes, first: int, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(first, len(data), size)]


def test_mails_are_those_that_python_finds(tmp_path: Path) -> None:
    mails = [mail(str(number), f"s{number}", "text\n>From quoted\n") for number in range(50)]
    name = written(tmp_path / "box", mails)
    found = [raw.data.decode() for raw in boxes.raw_mails(name)]
    theirs = [bytes(one).decode() for one in mailbox.mbox(name)]
    assert [one.rstrip("\n") for one in found] == [
        one.replace(">From ", "From ").rstrip("\n") for one in theirs
    ]


_MEASURED = """
import sys
from idle_states.base.reading.mail.archive import Archive
archive = Archive(sys.argv[1])
threads = archive.threads(lambda data: b"WANTED" in data)
(peak,) = (s.split()[1] for s in open("/proc/self/status") if s.startswith("VmHWM"))
print(archive.passed, len(threads), peak)
"""


def test_memory_does_not_grow_with_what_is_passed_over(tmp_path: Path) -> None:
    # of the process alone: what getrusage() says includes the one that it was forked from
    peaks = []
    for count in (1_000, 20_000):
        noise = (mail(f"n{number}", "Noise", "word " * 400) for number in range(count))
        name = written(tmp_path / "box", [mail("1", "[PATCH] x", "WANTED"), *noise])
        words = [sys.executable, "-c", _MEASURED, name]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        passed, threads, peak = map(int, done.stdout.split())
        assert (passed, threads) == (count + 1, 1)
        peaks.append(peak)
    # 40 MB more
    assert peaks[1] < peaks[0] + 8_000
