"""The inputs, command lines and forms by which each command is driven with hostile names."""

import gzip
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.support import DATA
from tests.support.git_history import History

NAMES = "ibm,cpu-idle-state-names"
FINDINGS = ("text", "json", "sarif", "github", "junit")
VECTORS = "menu-debian6.1.192-cede-poll1.csv.gz"


@dataclass(frozen=True, slots=True)
class Drawn:
    """The names and texts that a stranger chose.

    name   of states, machines, people: any text
    file   a file's: any bytes but NUL and /
    note   prose, which may have lines
    into   an empty directory
    """

    name: str
    file: bytes
    note: str
    into: Path

    @property
    def data(self) -> bytes:
        """The name as bytes of a file that has NUL at a name's end."""
        return self.name.encode("utf-8", "surrogatepass").replace(b"\0", b"") or b"x"

    def path(self, suffix: str = "") -> str:
        name = self.file.decode("utf-8", "surrogateescape")
        return str(self.into / f"{name}{suffix}")

    def written(self, content: bytes, suffix: str = "") -> str:
        path = self.path(suffix)
        Path(path).write_bytes(content)
        return path

    def quoted(self) -> str:
        """For YAML, whose double-quoted strings have JSON's escapes."""
        return json.dumps(self.name.encode("utf-8", "replace").decode())

    @property
    def word(self) -> str:
        """Draws an argument of a command line, which has no NUL, and is none of its options."""
        data = self.name.replace("\0", "").encode("utf-8", "surrogatepass")
        return "x" + data.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class Line:
    """A command line. form: of its standard output; files: what it writes, with their forms."""

    form: str
    words: tuple[str, ...]
    files: tuple[tuple[str, str], ...] = ()


Driver = Callable[[Drawn], Iterator[Line]]
DRIVERS: dict[str, Driver] = {}
"""By command. Every command has one."""


def drives(*commands: str) -> Callable[[Driver], Driver]:
    def register(driver: Driver) -> Driver:
        DRIVERS.update(dict.fromkeys(commands, driver))
        return driver

    return register


# Inputs


@cache
def _tree() -> Node:
    return fdt.read((DATA / "trees/powernv9.dtb").read_bytes(), "")


def blob(drawn: Drawn) -> str:
    """A device tree with hostile names of states, model, serial, firmware and processor."""
    word = drawn.data

    def renamed(node: Node) -> Node:
        properties = dict(node.properties)
        if NAMES in properties:
            properties[NAMES] = word[:15] + b"\0stop0\0" + word[:60] + b"x\0"
        for key in ("model", "system-id"):
            if key in properties:
                properties[key] = word + b"\0"
        if node.name == "ibm,firmware-versions":
            properties["skiboot"] = word + b"\0"
        children = tuple(renamed(child) for child in node.children)
        return replace(node, properties=properties, children=children)

    return drawn.written(fdt.write(renamed(_tree())), ".dtb")


def spec(drawn: Drawn) -> str:
    note = json.dumps(drawn.note.encode("utf-8", "replace").decode())
    text = (
        f"name: mine\ntitle: {drawn.quoted()}\nnote: {note}\nextends: power9\n"
        f"override:\n  stop0_lite: {{latency: 200ns, note: {note}}}\n  {drawn.quoted()}: {{}}\n"
    )
    return drawn.written(text.encode(), ".yaml")


def sound_spec(drawn: Drawn) -> str:
    """One that is read, as long as the note is printable."""
    note = json.dumps("".join(c for c in drawn.note if c.isprintable() or c == "\n"))
    text = (
        f"name: mine\ntitle: {note}\nnote: {note}\nextends: power9\n"
        f"override:\n  stop0_lite: {{latency: 200ns, note: {note}}}\n"
    )
    return drawn.written(text.encode("utf-8", "replace"), ".yml")


def c_source(drawn: Drawn, suffix: str = ".c") -> str:
    return drawn.written(_hostile_c(drawn), suffix)


def _hostile_c(drawn: Drawn) -> bytes:
    text = c_table.write([find("power9")])
    name = "".join(f"\\{byte:03o}" for byte in drawn.data[:14])
    return text.replace('"stop1"', f'"{name}"').encode()


def broken(drawn: Drawn) -> str:
    return drawn.written(b"name: [" + drawn.data + b"\n", ".yaml")


def sysfs(drawn: Drawn) -> str:
    top = "/sys/devices/system/cpu/cpu0/cpuidle/state"
    word = drawn.data.replace(b"\n", b"\r")
    lines = [
        line
        for number, name in enumerate((word, b"stop0"))
        for line in (
            f"{top}{number}/name:".encode() + name,
            f"{top}{number}/desc:".encode() + word,
            f"{top}{number}/latency:{10 * number}".encode(),
            f"{top}{number}/residency:{100 * number}".encode(),
            f"{top}{number}/usage:5".encode(),
            f"{top}{number}/time:500".encode(),
            f"{top}{number}/disable:{int(number == 1)}".encode(),
        )
    ]
    return drawn.written(b"\n".join(lines) + b"\n", ".sysfs")


def sample(drawn: Drawn) -> str:
    """Idle periods of the machine of sysfs(), ended by what has a hostile name."""
    word = drawn.data.replace(b"\n", b"\r")
    keys = ("version", "hz", "driver", "governor", "seconds", "without", "wake-ups")
    head = ["idle-states recording 1", "release: 6.1.0-@", *(f"{key}: @" for key in keys)]
    head += [
        f"state: cpu=0 state={number} latency={10 * number} residency={100 * number} disable=0 "
        f"name={name}"
        for number, name in enumerate(("@", "stop0"))
    ]
    lines = [f"# {line}" for line in (*head, "tracer: nop")]
    timer = "hrtimer_expire_entry: function=f now=1", "sched_waking: comm=@ pid=1 prio=1"
    for second, ends in enumerate((["irq_handler_entry: irq=9 name=@"], timer), 1):
        events = "cpu_idle: state=1 cpu_id=0", "cpu_idle: state=4294967295 cpu_id=0", *ends
        lines += [f" <idle>-0 [000] d..1. {second}.{us:06d}: {e}" for us, e in enumerate(events)]
    text = "\n".join([*lines, "# end", ""])
    return drawn.written(text.encode().replace(b"@", word), ".txt")


def log(drawn: Drawn) -> str:
    text = b"[    5.123456789,3] SLW: " + drawn.data + b"\n[    6.0,5] SLW: stop: " + drawn.data
    return drawn.written(text, ".txt")


def trace(drawn: Drawn) -> str:
    """Two idle periods with a hostile name of a task between them, and a line that is none."""
    word = drawn.data.replace(b"\n", b"\r")[:40]
    event = b" [000] d..1 %d.%06d: cpu_idle: state=%d cpu_id=0\n"
    text = (
        b"# tracer: nop\n          <idle>-0    " + event % (2, 0, 1)
        + b"          <idle>-0    " + event % (2, 900, 2**32 - 1)
        + b" " + word + b"-7 [000] d..1 2.000950: sched_waking: comm=" + word + b" pid=7\n"
        + b"          <idle>-0    " + event % (2, 1000, 77)
        + b"          <idle>-0    " + event % (2, 1900, 2**32 - 1)
        + word + b"\n"
    )  # fmt: skip
    return drawn.written(text, ".txt")


@cache
def _recording() -> bytes:
    data = (DATA / "recordings/powernv9-menu.txt.gz").read_bytes()
    return b"".join(gzip.decompress(data).splitlines(keepends=True)[:400])


def recording(drawn: Drawn) -> str:
    word = drawn.data.replace(b"\n", b"\r")
    text = _recording().replace(b"# driver: powernv_idle", b"# driver: " + word)
    text = text.replace(b"name=stop0_lite", b"name=" + word)
    text = text.replace(b"# release: 6.1.0", b"# release: 6.1.0" + word)
    return drawn.written(text, ".txt")


def repository(drawn: Drawn) -> str:
    """Two commits: a sound table, then a hostile one with a hostile message."""
    history = History(drawn.into / "repository")
    history.commit({"hw/slw.c": c_table.write([find("power9")]), ".version": "v7.1\n"})
    history.git("config", "user.name", drawn.word.encode("utf-8", "replace").decode())
    message = drawn.note.replace("\0", "").encode("utf-8", "replace").decode()
    (history.directory / "hw/slw.c").write_bytes(_hostile_c(drawn))
    name = drawn.into / "message"
    name.write_text(message or "x", "utf-8")
    history.git("-c", "user.name=x", "commit", "-qa", "--allow-empty-message", "-F", str(name))
    return str(history.directory)


def mail(drawn: Drawn) -> str:
    """A mail with a hostile author, subject, message, state and section of its hunk."""
    word, note = (text.encode("utf-8", "replace") for text in (drawn.name, drawn.note))
    lines = word.replace(b"\n", b" "), note.replace(b"\n---", b"\n --")
    text = (
        b"From: %s <a@example.com>\nDate: Thu, 20 Apr 2017 10:00:00 +0000\n"
        b"Subject: [PATCH] %s\n\n%s\nlatency of stop1 to 7us, a 50%% improvement\n\n---\n"
        b"diff --git a/hw/slw.c b/hw/slw.c\n--- a/hw/slw.c\n+++ b/hw/slw.c\n"
        b"@@ -10,5 +10,5 @@ static struct cpu_idle_states power9_cpu_idle_states[] = {\n"
        b' \t{\n \t\t.name = "stop1", /* %s */\n-\t\t.latency_ns = 5000,\n'
        b"+\t\t.latency_ns = 200,\n \t\t.residency_ns = 50000,\n \t},\n"
    ) % (lines[0].replace(b"\r", b" "), lines[0].replace(b"\r", b" "), lines[1], lines[0])
    return drawn.written(text, ".eml")


# Commands


@drives("check", "audit")
def _findings(drawn: Drawn) -> Iterator[Line]:
    inputs = (blob(drawn), spec(drawn), c_source(drawn), sysfs(drawn), log(drawn))
    for form in FINDINGS:
        read = (inputs[0], inputs[2], sound_spec(drawn))
        yield Line(form, ("check", *read, "--notes", "--format", form, "--config", "none"))
        out = drawn.path(".out")
        words = ("audit", *inputs, broken(drawn), "--notes", "--format", form, "-o", out)
        yield Line("text", (*words, "--config", "none"), ((out, form),))
    kept = drawn.path(".json")
    yield Line("text", ("check", blob(drawn), "--write-baseline", kept), ((kept, "json"),))
    yield Line("text", ("check", broken(drawn), "--baseline", kept, "--write-baseline", kept))
    page, rows = drawn.path(".html"), drawn.path(".parquet")
    yield Line("jsonl", ("audit", *inputs, "--format", "jsonl", "--html", page, "--parquet", rows),
               ((page, "html"),))  # fmt: skip
    yield Line("text", ("audit", *inputs, "--sqlite", drawn.path(".sqlite")))
    yield Line("text", ("audit", inputs[0], "--against", inputs[0], "--governor", "menu"))
    yield Line("text", ("audit", str(drawn.into), "--summary", "--jobs", "1"))
    yield Line("text", ("check", broken(drawn), "--select", drawn.word))


@drives("show", "diff", "generate", "import")
def _tables(drawn: Drawn) -> Iterator[Line]:
    for table in (blob(drawn), sound_spec(drawn), c_source(drawn), sysfs(drawn)):
        for form in ("text", "json"):
            yield Line(form, ("show", table, "--format", form))
            yield Line(form, ("diff", table, "power9", "--format", form))
        yield Line("markdown", ("generate", table, "--to", "md"))
        for to in ("c", "dts", "yaml"):
            yield Line("source", ("generate", table, "--to", to))
        yield Line("text", ("generate", table, "--to", "md", "-o", drawn.path(".gone"), "--check"))
        yield Line("source", ("import", table))
    yield Line("text", ("generate", sysfs(drawn), "--to", "cmdline", "--latency-limit", "1us"))
    yield Line("text", ("generate", sysfs(drawn), "--to", "cmdline", "--keep", drawn.word))
    yield Line("text", ("show", drawn.path(".none"), "--platform", drawn.word))
    yield Line("text", ("show", "power9", "--kernel", drawn.word))


@drives("select")
def _selected(drawn: Drawn) -> Iterator[Line]:
    page = drawn.path(".html")
    words = ("select", blob(drawn), "--kernel", "6.1", "--html", page, "--format")
    yield Line("json", (*words, "json"), ((page, "html"),))
    yield Line("text", ("select", blob(drawn), "--kernel", "6.1", "--against", sound_spec(drawn)))
    yield Line("text", ("select", sysfs(drawn), "--governor", drawn.word))
    of = ("select", blob(drawn), "--latency-limit")
    yield Line("json", (*of, "5us", "--kernel", "6.1", "--format", "json"))
    yield Line("text", (*of, f"cstate.name:{drawn.word}|5", "--kernel", "4.9,6.1"))
    yield Line("text", (*of, drawn.word))
    yield Line("text", ("select", sysfs(drawn), "--keep", drawn.word))


def measured(drawn: Drawn) -> str:
    """Returns what `measure` prints, of a machine and states with hostile names."""
    words = "".join(c for c in drawn.note if c not in "\r\n") or "x"
    rows = "".join(f"stop{at % 3},timer,0,{5000 + at},1000000\n" for at in range(40))
    text = (
        f"# idle-states measured 1\n# tool: {words}\n# machine: {words}\n# release: {words}\n"
        f"# cpu: 1\n# resolution_ns: 1\n# note: {words}\n"
        f"# state: cpu=1 state=1 latency=1 residency=1 disable=0 name={words}\n"
        f"state,woken_by,busy,ns,idle_ns\n{rows}# end\n"
    )
    return drawn.written(text.encode("utf-8", "replace"), ".txt")


@drives("fit")
def _fitted(drawn: Drawn) -> Iterator[Line]:
    page = drawn.path(".html")
    yield Line("json", ("fit", measured(drawn), "--table", blob(drawn), "--format", "json"))
    yield Line(
        "text",
        ("fit", measured(drawn), "--quantile", "60", "--html", page),
        ((page, "html"),),
    )
    yield Line("text", ("fit", measured(drawn), "--table", blob(drawn), "--residency", "3"))


@drives("prove")
def _proven(drawn: Drawn) -> Iterator[Line]:
    page = drawn.path(".html")
    words = ("prove", blob(drawn), "--kernel", "6.1", "--html", page, "--format", "json")
    yield Line("json", words, ((page, "html"),))
    yield Line("text", ("prove", sysfs(drawn), "--kernel", "6.1", "--governor", drawn.word))


@drives("why")
def _explained(drawn: Drawn) -> Iterator[Line]:
    word = drawn.data.replace(b"\n", b"\r")
    of_machine = ("sys/devices/system/cpu/cpuidle/current_governor", "proc/version", "proc/cmdline",
                  "dev/cpu_dma_latency/holders", "etc/tuned/active_profile")  # fmt: skip
    told = b"".join(f"/{name}:".encode() + word + b"\n" for name in of_machine)
    dump = Path(sysfs(drawn)).read_bytes() + told + b"/dev/cpu_dma_latency:5\n"
    machine = drawn.written(dump, ".sysfs")
    for form in ("text", "json"):
        yield Line(form, ("why", machine, "--format", form))
        yield Line(form, ("why", drawn.word, machine, "--format", form))
        yield Line(form, ("why", machine, "--recording", sample(drawn), "--format", form))


@drives("kernels")
def _kernels(drawn: Drawn) -> Iterator[Line]:
    page = drawn.path(".html")
    for form in ("text", "json"):
        words = ("kernels", "6.18", "--table", blob(drawn), "--html", page, "--format", form)
        yield Line(form, words, ((page, "html"),))
        yield Line(form, ("kernels", f"6.1-{drawn.word}", "6.6", "--format", form))
        yield Line(form, ("kernels", f"6.1.9-{drawn.word}", "--format", form))


@drives("replay", "conform", "stats", "tune")
def _recordings(drawn: Drawn) -> Iterator[Line]:
    taken = recording(drawn)
    yield Line("source", ("collect", "--convert", taken))
    yield Line("source", ("collect", "--record", "--governor", drawn.word))
    dump = sysfs(drawn)
    vectors = drawn.path(".csv.gz")
    shutil.copy(DATA / "vectors" / VECTORS, vectors)
    page = drawn.path(".html")
    for form in ("text", "json"):
        table = ("--table", blob(drawn))
        yield Line(form, ("replay", trace(drawn), *table, "--html", page, "--format", form),
                   ((page, "html"),))  # fmt: skip
        yield Line(form, ("replay", trace(drawn), *table, "--format", form, "--perfetto",
                          drawn.path(".pftrace")))  # fmt: skip
        yield Line(form, ("replay", dump, "--format", form))
        yield Line(form, ("conform", vectors, *table, "--kernel", "6.1", "--format", form))
        yield Line(form, ("conform", trace(drawn), *table, "--format", form))
        numbers = drawn.written(b"1\n2\n3\n", ".dat")
        yield Line(form, ("stats", numbers, numbers, "--format", form))
        yield Line(form, ("stats", broken(drawn), numbers, "--format", form))
    gaps = drawn.written(b"gap_ns,count\n1000,5\n100000,7\n", ".gaps")
    for form in ("text", "json"):
        yield Line(form, ("tune", blob(drawn), "--gaps", gaps, "--power", "implied", "--html", page,
                          "--format", form), ((page, "html"),))  # fmt: skip


@drives("simulate")
def _simulated(drawn: Drawn) -> Iterator[Line]:
    page = drawn.path(".html")
    for form in ("text", "json"):
        yield Line(form, ("simulate", "pipe", "--table", blob(drawn), "--duration", "1ms",
                          "--topology", "cpus=2", "--html", page, "--format", form),
                   ((page, "html"),))  # fmt: skip
        yield Line(form, ("simulate", broken(drawn), "--table", "power9", "--format", form))


@drives("review", "patch")
def _repositories(drawn: Drawn) -> Iterator[Line]:
    tree = repository(drawn)
    for form in FINDINGS:
        words = ("review", "--tree", tree, "--kernel", "6.12", "--notes", "--config", "none")
        yield Line(form, (*words, "--format", form))
    page = drawn.path(".html")
    yield Line("text", (*words, "--per-commit", "--html", page), ((page, "html"),))
    for form, name in (("reply", "reply"), ("comment", "markdown")):
        words = ("--kernel", "6.12", "--notes", "--config", "none", "--format", name)
        yield Line(form, ("review", "--tree", tree, *words))
        yield Line(form, ("review", mail(drawn), *words))
    yield Line("text", ("review", drawn.word + "..HEAD", "--tree", tree))
    change = json.dumps("".join(c for c in drawn.note if c.isprintable() or c == "\n"))
    subject = json.dumps("x" + "".join(c for c in drawn.name if c.isprintable())[:40])
    series = drawn.written(
        (
            f"name: mine\nsubject: {subject}\nbody: {change}\nedits:\n  - {{table: "
            "power9_cpu_idle_states, state: stop0_lite, field: latency, from: 1us, to: 2us}\n"
        ).encode("utf-8", "replace"),
        ".yaml",
    )
    yield Line("mail", ("patch", series, "--tree", tree, "--stdout", "--force"))
    words = ("-v", "2", "--changes", drawn.word, "--cover-letter")
    yield Line("mail", ("patch", series, "--tree", tree, "--stdout", "--force", *words))
    yield Line("text", ("patch", series, "--tree", tree, "--check"))
    yield Line("json", ("patch", series, "--tree", tree, "--check", "--format", "json"))
    yield Line("text", ("patch", broken(drawn), "--tree", tree))
    yield Line("text", ("patch", "--list"))


@drives("boot", "collect", "explain", "list")
def _others(drawn: Drawn) -> Iterator[Line]:
    word = drawn.word
    yield Line("text", ("boot", "--machine", word))
    yield Line("text", ("boot", broken(drawn), "--machine", "powernv9", "--lid", drawn.path(".no")))
    for words in (("collect",), ("collect", "--measure")):
        yield Line("source", words)
        yield Line("text", (*words, word))
    yield Line("text", ("explain", word))
    yield Line("text", ("explain", "IS203"))
    for what in ((), ("processors",), ("platforms",), ("rules",)):
        yield Line("text", ("list", *what))
        yield Line("json", ("list", *what, "--format", "json"))
    yield Line("text", (word,))
