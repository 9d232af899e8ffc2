"""review of commits of skiboot (SKIBOOT=CLONE), of a patch file, and of a mailing list: mails of
which one in a thousand changes a table, with grep and Python's mailbox over the same box beside it.

Mails have 9 kB, as those of linux-pm have on average, and one in seven a word that bears on idle
states. grep counts the lines with such a word; mailbox finds the mails and reads a header of each.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from .measuring import TOOL, Missing, Work, named, program

MAILS, COMMITS = 10_000, 40
DIFF = """\
--- a/arch/arm64/boot/dts/own/board.dts
+++ b/arch/arm64/boot/dts/own/board.dts
@@ -20,8 +20,8 @@
 \tsleep: cpu-sleep {
 \t\tcompatible = "arm,idle-state";
 \t\tentry-latency-us = <100>;
 \t\texit-latency-us = <300>;
-\t\tmin-residency-us = <2000>;
+\t\tmin-residency-us = <200>;
 \t\tarm,psci-suspend-param = <0x10000>;
 \t\tlocal-timer-stop;
 \t};
"""
MAILBOX = "import mailbox, sys\nfor mail in mailbox.mbox(sys.argv[1]):\n    mail['Subject']\n"


def mails(count: int) -> Iterator[str]:
    for number in range(count):
        is_ours = number % 1000 == 0
        what = "[PATCH] arm64: dts: own: Lower it" if is_ours else "Re: [PATCH] net: Do something"
        text = f"x\n---\n{DIFF}" if is_ours else "Words of a mail about something.\n" * 265
        word = "an idle machine\n" if number % 7 == 0 else ""
        yield (
            "From mboxrd@z Thu Jan  1 00:00:00 1970\nFrom: A <a@example.com>\n"
            f"Date: Thu, 20 Apr 2017 10:00:00 +0000\nMessage-ID: <{number}@example.com>\n"
            f"Subject: {what} {number}\n\n{text}\n{word}\n"
        )


def of_skiboot(folder: Path) -> list[Work]:
    """The newest commit that touched skiboot's idle states, by itself and at the end of others, in
    the clone and as the mail of it."""
    clone, names = named("SKIBOOT"), ("one commit", "a range, each commit", "a mail")
    if isinstance(clone, Missing):
        return [Work(f"review of skiboot, {name}", clone) for name in names]
    git = ("git", "-C", str(clone))
    newest = subprocess.check_output([*git, "rev-list", "-1", "HEAD", "--", "hw/slw.c"], text=True)
    commit, mail = newest.strip(), folder / "mail"
    mail.write_bytes(subprocess.check_output([*git, "format-patch", "-1", "--stdout", commit]))
    review, since = [*TOOL, "review"], f"{commit}~{COMMITS}..{commit}"
    runs = (
        [*review, f"{commit}~..{commit}"],
        [*review, "--per-commit", since],
        [*review, str(mail), "--tree", str(clone)],
    )
    count = subprocess.check_output([*git, "rev-list", "--count", since], text=True)
    return [
        Work(f"review of skiboot, {name}", run, int(count) if "range" in name else 1, cwd=clone)
        for name, run in zip(names, runs, strict=True)
    ]


def works(folder: Path, scale: float) -> list[Work]:
    replies, box, patch = folder / "replies", folder / "mbox", folder / "own.patch"
    replies.mkdir()
    patch.write_text(DIFF)
    count = round(MAILS * scale)
    with box.open("w") as file:
        file.writelines(mails(count))
    words = ("--format", "reply", "--runs", "0", "--kernel", "6.12", "-o", str(replies))
    mailbox = [sys.executable, "-c", MAILBOX, str(box)]
    return [
        *of_skiboot(folder),
        Work("review, patch file", [*TOOL, "review", str(patch)], cwd=folder),
        Work("review of a list, mails", [*TOOL, "review", str(box), *words], count, rounds=3),
        Work("mailbox", mailbox, count, rounds=3),
        Work("grep, mails", program("grep", "-c", "idle", str(box)), count),
    ]
