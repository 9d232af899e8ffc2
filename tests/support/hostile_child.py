"""Audits hostile inputs, each in a process of its own under limits; run as a program.

    python -m tests.support.hostile_child DIRECTORY NAME...

A line of JSON for each: name, exit (of the process), cpu_s, peak_mib, findings [[rule, message]].
"""

import json
import os
import resource
import sys
import tempfile
from pathlib import Path

from idle_states.base.model.findings import Finding
from idle_states.tables.audit.audit import Setting, audit_path
from idle_states.tables.audit.json_report import writer as json_writer
from idle_states.tables.check.criteria import Criteria
from tests.support.hostile import make
from tests.support.releases import kernels_of

MEMORY_BYTES = 512 << 20
CPU_S = 10
FIRST = (
    "version-0x7fffffff.dtb",
    "link.tar",
    "row-without-end.c",
    "include-itself.c",
    "extends-itself.yaml",
    "cpu-99999.sysfs",
    "rows-without-end.lid",
)
"""Harmless to the process itself, which audits them before it starts others: what is imported for
that, they need not import."""


def findings(path: Path, setting: Setting) -> list[Finding]:
    """Returns the findings of all tables; the JSON report, which passes everything on, is made as
    well."""
    found = []
    for audited in audit_path(path, setting):
        json.loads(json_writer("line", setting)(audited))
        found += audited.findings
    return found


def _child(name: str, top: Path, setting: Setting, out: int) -> None:
    with tempfile.TemporaryDirectory(dir=top) as directory:
        path = make(name, Path(directory))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        limit = int(before) + CPU_S
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        found = [[finding.rule, finding.message] for finding in findings(path, setting)]
    used = resource.getrusage(resource.RUSAGE_SELF)
    result = {"cpu_s": used.ru_utime - before, "peak_mib": used.ru_maxrss // 1024}
    os.write(out, json.dumps(result | {"findings": found}).encode() or b"")


def main(top: Path, names: list[str]) -> None:
    setting = Setting(Criteria(kernels_of(["4.11", "6.1"])))
    with tempfile.TemporaryDirectory(dir=top) as directory:
        for name in FIRST:
            findings(make(name, Path(directory)), setting)
    for name in names:
        reader, writer = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if not pid:
            os.close(reader)
            try:
                _child(name, top, setting, writer)
            except BaseException:
                import traceback

                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        os.close(writer)
        with open(reader, "rb") as pipe:
            text = pipe.read()
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(json.dumps({"name": name, "exit": status, **json.loads(text or "{}")}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
