"""Rows of texts: sources with macros, YAML, mails, dumps of sysfs."""

from tests.fuzz.rows import Row, call, each, listed, nest, numbered, run

MACROS: dict[str, Row] = {
    "pairs": each("#define M§ M¶ M¶\n"),
    "chain": each("#define M§ M¶\n"),
    "twice": each("#define F§(x) F¶(F¶(x))\n"),
    "redefined": each("#define R § \n#undef R\n"),
    "conditions": nest("#if defined(M§) || 1\n", "#endif\n"),
    "elifs": each("#if 0\n#elif 0 + § - §\n#endif\n"),
    "expression": lambda count, inner: (
        b"#if " + b"(1+" * count + b"1" + b")" * count + b"\n#endif\n" + inner
    ),
    "again": each('#include "FILE"\n'),
    "spliced": each("\\\n"),
    "comments": each("/* § */ // §\n"),
}

HELPERS = b"""\
#define S_(x) #x
#define S(x) S_(x)
#define C(a,b) a##b
#define D(x) C(x,x)
#define P(x) x x
#define V(...) __VA_ARGS__, __VA_ARGS__
#define L aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
"""


TERMS: dict[str, Row] = {
    "first": lambda count, inner: inner + b" M0" * count,
    "first-twice": lambda count, inner: b"F0(" * count + (inner or b"1") + b")" * count,
    "stringified": call(b"S(", b")", b'"\\\\"'),
    "pasted": call(b"D(", b")", b"a"),
    "both": call(b"P("),
    "all": call(b"V("),
    "longs": run(b"L "),
    "sum": call(b"1+", b""),
    "brackets": call(b"(1+"),
    "signs": call(b"-", b""),
    "ternary": call(b"1?1:", b""),
    "strings": call(b'"a" ', b""),
}

DTS: dict[str, Row] = {
    **MACROS,
    "property": run(b"1 ", b"/ { a = <", b">; };\n"),
    "nodes": each("/ { n§: n§ { p = <&n§>; }; };\n"),
    "nested": nest("/ { a§: a§ {", "}; };\n"),
    "levels": lambda count, inner: b"/ {" + b"a {" * count + b"};" * count + b"};\n" + inner,
    "labels": lambda count, inner: (
        b"/ { " + b"".join(b"l%d: " % at for at in range(count)) + b"n { }; };\n" + inner
    ),
    "references": each("&n0 { q§ = &n0; };\n"),
    "dangling": each("/ { d§ = <&none§>; };\n"),
    "overlaid": each("/ { n0 { p = <§>; }; };\n"),
    "deleted": each("/ { /delete-node/ n§; };\n"),
    "cpus": each(
        '/ { cpus { cpu@§ { device_type = "cpu"; reg = <§>; cpu-idle-states = <&s0>; }; }; };\n'
    ),
    "states": each(
        '/ { cpus { idle-states { s§: s§ { compatible = "arm,idle-state"; entry-latency-us = <§>; '
        "exit-latency-us = <1>; min-residency-us = <¶>; }; }; }; };\n"
    ),
    "domains": each(
        "/ { d§: d§ { #power-domain-cells = <0>; power-domains = <&d¶>; "
        "domain-idle-states = <&s0>; }; };\n"
    ),
}

C: dict[str, Row] = {
    **MACROS,
    "rows": listed(
        '{ .name = "s§", .latency_ns = §, .flags = 1 },\n',
        "static struct cpu_idle_states r[] = {",
        "};\n",
    ),
    "braces": lambda count, inner: (
        b"static struct cpu_idle_states b[] = " + b"{" * count + b"}" * count + b";\n" + inner
    ),
    "functions": each("void f§(void) { t[§].flags = 0; }\n"),
    "open": nest("void g§(void) { if (x) {", "} }\n"),
    "unknown": each("#if CONFIG_A§\nint a§;\n#else\nint b§;\n#endif\n"),
}

YAML: dict[str, Row] = {
    "anchors": each("k§: &a§ v\n"),
    "aliases": each("k§: &a§ [*a¶, *a¶]\n"),
    "merges": each("k§: {<<: *a¶}\n"),
    "flow": lambda count, inner: b"f: " + b"[" * count + b"]" * count + b"\n" + inner,
    "maps": lambda count, inner: b"m: " + b"{a: " * count + b"1" + b"}" * count + b"\n" + inner,
    "blocks": lambda count, inner: b"".join(b" " * at + b"a:\n" for at in range(count)) + inner,
    "dashes": run(b"- ", b"d:\n  ", b"x\n"),
    "same": each("k: v\n"),
    "folded": run(b"  a\n\n", b"f: >\n"),
    "quoted": run(b"\\u0041\n ", b'q: "', b'"\n'),
    "questions": each("? "),
    "documents": each("---\n"),
    "comments": each("# idle-states: ignore[IS203] §\n"),
    "number": run(b"9", b"n: ", b"\n"),
    "sixties": run(b":59", b"n: 1", b"\n"),
    "tags": each("t§: !!int 1\n"),
}
SPEC: dict[str, Row] = {
    **YAML,
    "states": listed(
        "  - {name: s§, latency: ¶us, residency: ¶0us, flags: [STOP_INST_FAST], "
        "psscr: {rl: 1}, scope: thread}\n",
        "states:\n",
    ),
    "override": run(b"9", b"override:\n  stop0: {latency: ", b"us}\n"),
    "drop": run(b"stop0, ", b"drop: [", b"]\n"),
}
WORKLOAD: dict[str, Row] = {
    **YAML,
    "tasks": listed("  t§:\n    program:\n      - run: 5us\n      - sleep: 1ms\n", "tasks:\n"),
    "program": run(b"      - {run: 5us}\n", b"tasks:\n  t:\n    program:\n"),
    "repeats": lambda count, inner: (
        b"tasks:\n  t:\n    program: "
        + b"[{repeat: {times: 9, program: " * count
        + b"[]"
        + b"}}]" * count
        + b"\n"
        + inner
    ),
}

_ROW = (
    ' \t{\n \t\t.name = "s§",\n-\t\t.latency_ns = ¶,\n+\t\t.latency_ns = §,\n \t\t.flags = 1,\n'
    " \t\t.pm_ctrl_reg_val = 0 },\n"
)
DIFF = "diff --git a/hw/slw.c b/hw/slw.c\n--- a/hw/slw.c\n+++ b/hw/slw.c\n"
MAIL: dict[str, Row] = {
    "mails": each(
        "From a@b Mon Sep 17 00:00:00 2001\nFrom: a <a@b>\nSubject: [PATCH §/9] x\n"
        f"Message-ID: <§@x>\nIn-Reply-To: <¶@x>\n\n{DIFF}@@ -1 +1 @@\n-a\n+b\n"
    ),
    "headers": each("X-§: a\n"),
    "folded": run(b" b\n", b"Subject: a\n"),
    "words": run(b"=?utf-8?q?=41=42?= ", b"Subject: ", b"\n"),
    "half-words": run(b"=?utf-8?q?", b"Subject: ", b"\n"),
    "addresses": run(b"(a <b ", b"From: ", b"<a@b>\n"),
    "references": listed(" <§@x>", "References: ", "\n"),
    "parts": each('Content-Type: multipart/mixed; boundary="b§"\n\n--b§\n'),
    "messages": run(b"Content-Type: message/rfc822\n\n"),
    "siblings": run(b"--b\n\nx\n", b"Content-Type: multipart/mixed; boundary=b\n\n"),
    "parameters": listed("; charset*§=u", "Content-Type: text/plain", "\n"),
    **{
        name: each(f"Content-Type: text/plain; charset={name}\n")
        for name in ("punycode", "idna", "utf-7", "utf-16", "unicode-escape", "zlib", "hz")
    },
    "quoted-printable": each("Content-Transfer-Encoding: quoted-printable\n"),
    "base64": each("Content-Transfer-Encoding: base64\n"),
}
BODY: dict[str, Row] = {
    "softly": run(b"=41=\n"),
    "sixes": run(b"QUFB\n"),
    "letters": lambda count, inner: b"a" * count + b"-" + b"9" * count + inner,
    "blank": run(b"\n"),
    "quoted": lambda count, inner: (
        b"".join(b">" * (at % 99) + b" a\n" for at in range(count)) + inner
    ),
    "deeper": run(b"> ", b"", b"a\n"),
    "files": each("diff --git a/h§.c b/h§.c\n--- a/h§.c\n+++ b/h§.c\n@@ -1 +1 @@\n-a\n+b\n"),
    "hunks": lambda count, inner: DIFF.encode() + b"@@ -1 +1 @@\n-a\n+b\n" * count + inner,
    "lines": lambda count, inner: (
        DIFF.encode() + b"@@ -1,%d +1 @@\n" % count + b"-a\n" * count + b"+b\n" + inner
    ),
    "rows": lambda count, inner: (
        DIFF.encode()
        + b"@@ -1,%d +1,%d @@ struct cpu_idle_states power9_cpu_idle_states[] = {\n"
        % (5 * count, 5 * count)
        + b"".join(numbered(_ROW, count))
        + inner
    ),
    "octal": run(b"\\303", b'diff --git "a/', b'" "b/x"\n'),
    "spaces": run(b" b/", b"diff --git a/", b"\n"),
    "scissors": each("-- >8 --\n"),
    "dashes": each("---\n"),
    "trailers": each("Link: <https://x/§>\n"),
}


SYSFS: dict[str, Row] = {
    "cpus": each("cpu§/cpuidle/state0/name:a\ncpu§/cpuidle/state0/latency:§\n"),
    "same-cpus": each("cpu§/cpuidle/state0/name:a\ncpu§/cpuidle/state0/latency:1\n"),
    "states": each("cpu0/cpuidle/state§/name:s§\ncpu0/cpuidle/state§/latency:§\n"),
    "again": each("cpu0/cpuidle/state0/usage:§\n"),
    "prefix": run(b"/", b"", b"cpu0/cpuidle/state0/name:a\n"),
    "value": run(b"9", b"cpu0/cpuidle/state0/desc:", b"\n"),
    "unknown": each("cpu0/cpuidle/state0/x§:§\n"),
    "spaces": run(b" "),
}
