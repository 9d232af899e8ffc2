"""review of a mailing list: mails of which one in a thousand changes a table, with grep and
Python's mailbox over the same box beside it.

Mails have 9 kB, as those of linux-pm have on average, and one in seven a word that bears on idle
states. grep counts the lines with such a word; mailbox finds the mails and reads a header of each.
"""

import sys
from collections.abc import Iterator

from .measuring import TOOL, Given, Work
from .table import Aim
from .whole_process import program

MAILS = 20_000
NEEDED = Aim("rate", 100_000 / 900, "wall")
"""Mails a second: a list's 100,000 in a quarter of an hour."""
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


def works(given: Given) -> list[Work]:
    grep = program("grep", given)
    replies = given.folder / "replies"
    replies.mkdir()
    found = []
    for count in given.sizes(MAILS):
        box = given.folder / f"{count}.mbox"
        with box.open("w") as file:
            file.writelines(mails(count))
        words = ("review", str(box), "--format", "reply", "--runs", "0", "--kernel", "6.12")
        name = f"review of a list, {count:,} mails"
        is_largest = count == given.sizes(MAILS)[-1]
        theirs = {"mailbox": Aim("ratio", 1), "grep": None, "": NEEDED} if is_largest else {}
        command = [*TOOL, *words, "-o", str(replies)]
        found.append(Work(name, command, count, theirs, "review of a list", rounds=3))
    found.append(
        Work("mailbox", [sys.executable, "-c", MAILBOX, str(box)], count, ours=False, rounds=3)
    )
    if grep is not None:
        found.append(Work("grep", [grep, "-c", "idle", str(box)], count, ours=False, rounds=3))
    return found
