"""Trees of a clone of skiboot (SKIBOOT=path, bare or not), and what their tables compile to.

Files are taken out of the clone's commits; nothing of skiboot is kept here.
"""

import os
import re
import subprocess
from pathlib import Path

from tests.oracle.skiboot import Row
from tests.oracle.skiboot.csource import STUBS, SourceFile
from tests.oracle.skiboot.csource import Tree as Definitions
from tests.oracle.skiboot.tables import dumped

CLONE = os.environ.get("SKIBOOT", "")
PATHS = ("hw/slw.c", "hw/slw-p8.c", "include", "core/device.c")


def git(*words: str | Path, cwd: Path | str = CLONE, text: bytes | None = None) -> bytes:
    done = subprocess.run(
        ["git", *map(str, words)], cwd=cwd, input=text, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def checkout(commit: str, directory: Path, version: str = "") -> Path:
    """The files that matter, without git, with the release in .version as in an archive."""
    directory.mkdir(parents=True)
    listed = git("ls-tree", "--name-only", commit, *PATHS).decode().split()
    archive = git("archive", commit, *listed)
    subprocess.run(["tar", "-x", "-C", directory], input=archive, check=True)
    named = version or git("describe", "--tags", commit).decode().strip()
    (directory / ".version").write_text(named + "\n")
    return directory


def as_repository(tree: Path) -> None:
    """A repository of its own, with everything committed."""
    for words in (
        ("init", "--quiet"),
        ("config", "user.name", "A Tester"),
        ("config", "user.email", "tester@example.org"),
        ("config", "commit.gpgsign", "false"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "base"),
    ):
        git(*words, cwd=tree)


_RESIDENCY = "residency_ns"
_DEFINITION = r"^[ \t]*#[ \t]*define[ \t]+(?:OPAL_PM_|OPAL_USE_|IDLE_)(?:[^\\\n]|\\\n)*\n"
_PROGRAM = """\
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
typedef uint32_t u32;
typedef uint64_t u64;
#define PPC_BIT(bit) (0x8000000000000000UL >> (bit))
#define PPC_BITMASK(bs, be) ((PPC_BIT(bs) - PPC_BIT(be)) | PPC_BIT(bs))
#define pmicr pm_ctrl_reg_val
#define pmicr_mask pm_ctrl_reg_mask
{definitions}
{dump}
int main(void)
{{
{calls}
    return 0;
}}
"""


def compiled(tree: Path) -> dict[str, list[Row]]:
    """The tree's tables by its own macros, of any era; -Wall -Wextra -Werror. A residency is -1
    where the struct has none."""
    definitions = Definitions(tree)
    struct = definitions.idle_state_type()
    dump = (STUBS / "dump.h").read_text()
    if _RESIDENCY not in struct:
        dump = dump.replace(f"row->{_RESIDENCY}", "0")
    files = [*(tree / "include").glob("opal*.h"), tree / "hw/slw.c"]
    codes = [SourceFile(file).code for file in files]
    macros = [match for code in codes for match in re.findall(_DEFINITION, code, re.MULTILINE)]
    parts = [*macros, struct, *definitions.arrays.values()]
    calls = "\n".join(f"    DUMP({name});" for name in definitions.arrays)
    text = _PROGRAM.format(definitions="\n".join(parts), dump=dump, calls=calls)
    tables = dumped(text)
    if _RESIDENCY not in struct:
        for row in (row for rows in tables.values() for row in rows):
            row["residency_ns"] = -1
    return tables
