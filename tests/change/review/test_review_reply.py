"""A review as a mail: to whom it goes, what is worth one, and what became of the version before."""

import email
import email.policy
import json
import subprocess
from email.message import Message
from pathlib import Path

import pytest

from idle_states.cli import main
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.support.forms import faults
from tests.support.git_history import History

Capture = pytest.CaptureFixture[str]
TABLE = "power9_dd1_cpu_idle_states"
ROWS = {"stop0_lite": (200, 2000, 654), "stop1_lite": (4900, 49000, 661)}
"""Rows of power9-dd1@84368bbf8: latency, residency, and a line that a hunk can begin with."""


def diff(row: str, latency: int, residency: int) -> str:
    """A change of a row's times."""
    old, less, line = ROWS[row]
    return (
        "diff --git a/hw/slw.c b/hw/slw.c\n--- a/hw/slw.c\n+++ b/hw/slw.c\n"
        f"@@ -{line},6 +{line},6 @@ static struct cpu_idle_states {TABLE}[] = {{\n"
        f' \t{{\n \t\t.name = "{row}",\n-\t\t.latency_ns = {old},\n-\t\t.residency_ns = {less},\n'
        f"+\t\t.latency_ns = {latency},\n+\t\t.residency_ns = {residency},\n"
        " \t\t.flags = 0*OPAL_PM_DEC_STOP \\\n \t\t       | 0*OPAL_PM_TIMEBASE_STOP  \\\n"
    )


def mail(name: str, subject: str, text: str, *headers: str, to: str = "") -> str:
    """A mail of a box. name: of its id. to: id that it answers."""
    thread = [f"In-Reply-To: <{to}@example.com>", f"References: <{to}@example.com>"] if to else []
    head = [
        "From somebody Thu Apr 20 10:00:00 2017",
        "From: A Person <a@example.com>",
        "To: list@example.com",
        "Cc: =?utf-8?q?J=C3=B6rg=2C_B=2E?= <b@example.com>, a@example.com",
        "Date: Thu, 20 Apr 2017 15:30:00 +0530",
        f"Message-Id: <{name}@example.com>",
        *thread,
        f"Subject: {subject}",
        *headers,
    ]
    return "\n".join(head) + f"\n\n{text}\n"


BAD = diff("stop0_lite", 20000, 10000)
"""Its latency is above its residency, and above that of the next."""
GOOD = diff("stop0_lite", 1000, 10000)


@pytest.fixture
def box(tmp_path: Path) -> Path:
    return tmp_path / "thread.mbox"


def replied(box: Path, capsys: Capture, *words: str, status: int = 0) -> tuple[str, str]:
    """Standard output and standard error of a reply."""
    line = ["review", str(box), "--format", "reply", "--kernel", "4.11", "--runs", "0", *words]
    assert main(line) == status
    out, errors = capsys.readouterr()
    assert not faults("reply", out.encode())
    return out, errors


def read(out: str) -> Message:
    return email.message_from_string(out, policy=email.policy.default)


def test_a_reply_goes_to_the_writer_and_to_all_who_got_the_mail(box: Path, capsys: Capture) -> None:
    box.write_text(mail("1", "[PATCH] slw: Raise", f"x\n---\n{BAD}", to="0"))
    found = read(replied(box, capsys)[0])
    assert found["To"] == "A Person <a@example.com>"
    assert [str(one) for one in found["Cc"].addresses] == [
        "list@example.com",
        '"Jörg, B." <b@example.com>',
    ]
    assert found["Subject"] == "Re: [PATCH] slw: Raise"
    assert found["In-Reply-To"] == "<1@example.com>"
    assert found["References"].split() == ["<0@example.com>", "<1@example.com>"]
    assert "From" not in found
    # in the sender's time, as archives show it
    assert "On Thu, 20 Apr 2017 15:30:00 +0530, A Person <a@example.com> wrote:\n" in str(found)


def test_nobody_adds_a_header_by_a_name(box: Path, capsys: Capture) -> None:
    evil = "From: =?utf-8?q?A=0ABcc=3A_x=40example=2Ecom=0A?= <a@example.com>"
    text = mail("1", "[PATCH] =?utf-8?q?a=0D=0ABcc=3A_x?=", f"x\n---\n{BAD}")
    box.write_text(text.replace("From: A Person <a@example.com>", evil))
    found = read(replied(box, capsys)[0])
    assert sorted(found) == ["Cc", "In-Reply-To", "References", "Subject", "To"]


def test_a_mail_that_git_sends(box: Path, capsys: Capture) -> None:
    """git send-email takes the thread and the readers from it."""
    if subprocess.run(["git", "send-email", "-h"], capture_output=True).returncode != 129:
        pytest.skip("needs git send-email (Debian: git-email)")
    box.write_text(mail("1", "[PATCH] slw: Raise", f"x\n---\n{BAD}"))
    sent = box.with_suffix(".eml")
    sent.write_text(replied(box, capsys)[0])
    words = ("--dry-run", "--quiet", "--from=me@example.com", "--confirm=never", "--no-validate")
    done = subprocess.run(["git", "send-email", *words, str(sent)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "In-Reply-To: <1@example.com>" in done.stdout
    assert "b@example.com" in done.stdout


def test_there_is_no_mail_where_nothing_is_wrong(box: Path, capsys: Capture) -> None:
    box.write_text(mail("1", "[PATCH] slw: Raise", f"x\n---\n{GOOD}"))
    out, errors = replied(box, capsys)
    assert out == ""
    assert "nothing to reply: no new error, and no new warning of high confidence" in errors


def test_what_is_not_sure_is_worth_no_mail(box: Path, capsys: Capture) -> None:
    text = "However, the kernel rounds up the latency to microseconds.\n---\n"
    box.write_text(mail("1", "[PATCH] slw: Raise stop0_lite", text + GOOD))
    assert replied(box, capsys)[0] == ""
    out, _ = replied(box, capsys, "--notes")
    assert "[warning IS514 misstated-rounding]" in out


def test_the_same_of_another_state_is_said_in_short(box: Path, capsys: Capture) -> None:
    worse = diff("stop1_lite", 20000, 10000)
    box.write_text(mail("1", "[PATCH] slw: Raise", f"x\n---\n{BAD}{worse[worse.index('@@') :]}"))
    text = " ".join(replied(box, capsys)[0].split())
    assert "The same of stop1_lite [warning IS206 latency-not-below-residency]." in text
    # what follows from it is told once
    assert text.count("The target residency includes entry and exit") == 1


def test_one_patch_is_answered_if_all_is_about_it_else_the_cover_letter(
    box: Path, capsys: Capture
) -> None:
    cover = mail("0", "[PATCH 0/2] slw: Raise two", "Two.")
    good = mail("1", "[PATCH 1/2] slw: Raise one", f"x\n---\n{GOOD}", to="0")
    bad = mail(
        "2", "[PATCH 2/2] slw: Raise two", f"x\n---\n{diff('stop1_lite', 4900, 4000)}", to="0"
    )
    box.write_text(cover + good + bad)
    found = read(replied(box, capsys)[0])
    assert found["In-Reply-To"] == "<2@example.com>"
    worse = mail("1", "[PATCH 1/2] slw: Raise one", f"x\n---\n{BAD}", to="0")
    box.write_text(cover + worse + bad)
    out, _ = replied(box, capsys)
    assert read(out)["In-Reply-To"] == "<0@example.com>"
    heads = [line for line in out.splitlines() if line.startswith("In [")]
    assert heads == ["In [PATCH 1/2] slw: Raise one:", "In [PATCH 2/2] slw: Raise two:"]


def test_a_version_is_compared_with_the_one_before(box: Path, capsys: Capture) -> None:
    first = mail("1", "[PATCH] slw: Raise", f"x\n---\n{BAD}")
    # below the next one's latency again, not below its own residency still
    again = diff("stop0_lite", 3000, 2500)
    second = mail("2", "[PATCH v2] slw: Raise", f"x\n---\n{again}")
    box.write_text(first + second)
    out, _ = replied(box, capsys)
    assert read(out)["In-Reply-To"] == "<2@example.com>"
    text = " ".join(out.split())
    assert "1 warning about idle states, explained below. All of it was in v1 already." in text
    assert "[warning IS206 latency-not-below-residency, as in v1]" in text
    assert "Fixed since v1: warning IS205 latency-not-increasing: stop1_lite" in text
    line = ["review", str(box), "--kernel", "4.11", "--runs", "0", "--format"]
    assert main([*line, "json"]) == 0
    earlier = json.loads(capsys.readouterr().out)["earlier"]
    assert earlier["number"] == 1
    assert [one["rule"] for one in earlier["gone"]] == ["IS205"]
    assert [one["rule"] for one in earlier["kept"]] == ["IS206"]
    assert main([*line, "text"]) == 0
    assert "of v1's errors and warnings, gone: warning IS205" in capsys.readouterr().out


def test_what_a_version_lacks_is_not_called_gone(box: Path, capsys: Capture) -> None:
    bad = mail("1", "[PATCH 1/2] slw: Raise one", f"x\n---\n{BAD}")
    more = diff("stop1_lite", 4900, 4000)
    rest = mail("2", "[PATCH 2/2] slw: Raise two", f"x\n---\n{more}")
    later = mail("3", "[PATCH v2 2/2] slw: Raise two", f"x\n---\n{more}")
    box.write_text(bad + rest + later)
    out, _ = replied(box, capsys)
    assert "Gone" not in out
    assert "v1" not in out


def test_a_thread_is_answered_once(box: Path, capsys: Capture) -> None:
    text = mail("1", "[PATCH] slw: Raise", f"x\n---\n{BAD}")
    box.write_text(text)
    out, _ = replied(box, capsys)
    body = out.partition("\n\n")[2]
    box.write_text(text + mail("2", "Re: [PATCH] slw: Raise", body, to="1"))
    assert replied(box, capsys)[0] == ""
    assert "has answered already" in replied(box, capsys)[1]
    # the next version is another matter
    box.write_text(box.read_text() + mail("3", "[PATCH v2] slw: Raise", f"x\n---\n{BAD}"))
    assert read(replied(box, capsys)[0])["In-Reply-To"] == "<3@example.com>"


def test_findings_of_one_rule_are_explained_three_times(box: Path, capsys: Capture) -> None:
    row = '+\t{ .name = "sN", .latency_ns = N000, .residency_ns = N000, .flags = 0x20000 },\n'
    rows = "".join(row.replace("N", str(n)) for n in range(1, 7))
    new = "--- a/hw/slw.c\n+++ b/hw/slw.c\n@@ -40,1 +40,9 @@ int a;\n \n"
    new += f"+static struct cpu_idle_states mine[] = {{\n{rows}+}};\n"
    box.write_text(mail("1", "[PATCH] slw: Add", f"x\n---\n{new}"))
    out, _ = replied(box, capsys)
    text = " ".join(out.split())
    assert text.count("[warning IS206 ") == 3
    assert '> +\t{ .name = "s3", .latency_ns = 3000' in out
    assert "warning IS206 latency-not-below-residency also at hw/slw.c:45-47" in text


def test_a_line_that_another_base_has_elsewhere_is_quoted(
    box: Path, tmp_path: Path, capsys: Capture
) -> None:
    """Findings have the places of the tree; hunks have the sender's."""
    tree = History(tmp_path / "tree")
    table = c_table.write([find("power9-dd1@84368bbf8")])
    tree.commit({"hw/slw.c": table}, "First")
    tree.commit({"hw/slw.c": table.replace(".latency_ns = 200,", ".latency_ns = 20000,", 1)}, "x")
    changed = tree.git("diff", "HEAD~1", "HEAD")
    tree.git("reset", "-q", "--hard", "HEAD~1")
    tree.commit({"hw/slw.c": "\n" * 30 + table}, "Second")
    unknown = "\n".join(line for line in changed.splitlines() if not line.startswith("index "))
    box.write_text(mail("1", "[PATCH] slw: Raise", f"x\n---\n{unknown}\n"))
    other = History(tmp_path / "other")
    other.commit({"hw/slw.c": c_table.write([find("power8")])}, "First")
    trees = [word for one in (other, tree) for word in ("--tree", str(one.directory))]
    out, _ = replied(box, capsys, *trees)
    assert "> +\t\t.latency_ns = 20000,\n\nstop0_lite has an exit latency of 20us" in out
    assert "How it was read: applied to" in out
    assert str(tmp_path) not in out


_CPU = """\
		cpu@{0} {{
			device_type = "cpu"; compatible = "arm,cortex-a55"; reg = <{0}>;
			enable-method = "psci";
			{1}
		}};
"""


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("", ["IS607"]),
        ("cpu-idle-states = <&ELSEWHERE>;", []),
        ('power-domains = <&ELSEWHERE>; power-domain-names = "psci";', []),
    ],
)
def test_a_cpu_whose_states_the_mail_does_not_show_may_have_some(
    box: Path, capsys: Capture, second: str, expected: list[str]
) -> None:
    cpus = _CPU.format(0, "cpu-idle-states = <&own>;") + _CPU.format(1, second)
    lines = (
        f"/ {{\n\tcpus {{\n\t\t#address-cells = <1>;\n\t\t#size-cells = <0>;\n{cpus}"
        '\t\tidle-states {\n\t\t\tentry-method = "psci";\n\t\t\town: sleep {\n'
        '\t\t\t\tcompatible = "arm,idle-state"; arm,psci-suspend-param = <0x10000>;\n'
        "\t\t\t\tentry-latency-us = <10>; exit-latency-us = <20>; min-residency-us = <100>;\n"
        "\t\t\t};\n\t\t};\n\t};\n};\n"
    ).splitlines()
    new = "--- /dev/null\n+++ b/arch/arm64/boot/dts/x/mine.dtsi\n"
    new += f"@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines)
    box.write_text(mail("1", "[PATCH] arm64: dts: Add mine", f"x\n---\n{new}"))
    main(["review", str(box), "--format", "json", "--runs", "0"])
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [f["rule"] for f in found if f["severity"] == "error"] == expected


def test_nothing_is_said_of_what_the_mails_do_not_show(box: Path, capsys: Capture) -> None:
    """A state that another file has, and percentages of a column that has none itself."""
    lines = (
        "/ {\n\tcpus {\n\t\t#address-cells = <1>;\n\t\t#size-cells = <0>;\n\t\tcpu@0 {\n"
        '\t\t\tdevice_type = "cpu";\n\t\t\tcompatible = "arm,cortex-a55";\n\t\t\treg = <0>;\n'
        '\t\t\tenable-method = "psci";\n\t\t\tcpu-idle-states = <&ELSEWHERE>;\n\t\t};\n\t};\n};\n'
    ).splitlines()
    new = "--- /dev/null\n+++ b/arch/arm64/boot/dts/x/mine.dtsi\n"
    new += f"@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines)
    box.write_text(mail("1", "[PATCH] arm64: dts: Add mine", f"x\n---\n{new}"))
    assert main(["review", str(box), "--format", "json", "--runs", "0"]) in (0, 3)
    assert "IS603" not in capsys.readouterr().out
    figures = "Insert (1 thread)   1.34   1.28 (-4.5%)   1.29 (-3.7%)\n"
    box.write_text(mail("1", "[PATCH] slw: Raise stop0_lite", f"{figures}---\n{GOOD}"))
    assert replied(box, capsys, "--notes")[0] == ""
