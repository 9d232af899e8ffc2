"""Every limit on what comes from outside, in one table: what it bounds, how much, in which unit.

A module takes its limits from here by name; docs/security.md shows TABLE (make limits). A limit
stands for more than anybody's real input has, and for less than hurts.
"""

from ..dataclass import dataclass

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Limit:
    """One row. reader: what reads; what: what is counted; unit: "bytes", "s" or "" for a number."""

    reader: str
    what: str
    value: int
    unit: str = ""

    @property
    def shown(self) -> str:
        """The value as the documentation has it: 64 MiB, 30 s, 500,000."""
        if self.unit == "bytes":
            for size, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
                if self.value % size == 0:
                    return f"{self.value // size} {name}"
            return f"{self.value:,} bytes"
        return f"{self.value:,} {self.unit}".rstrip()


TABLE: list[Limit] = []


def _limit(reader: str, what: str, value: int, unit: str = "") -> int:
    TABLE.append(Limit(reader, what, value, unit))
    return value


def in_proportion(least: float, more: float, size: int) -> float:
    """Returns what an input of `size` bytes may take: `least`, and `more` for each byte."""
    return least + more * size


INPUT_S = _limit("any input but a trace", "processor time", 8, "s")
INPUT_S_PER_MIB = _limit("any input but a trace", "and for each MiB", 8, "s")
INPUT_MEMORY_BYTES = _limit("any input but a trace", "memory", 384 * MIB, "bytes")
INPUT_MEMORY_PER_BYTE = _limit("any input but a trace", "and for each byte", 16, "bytes")

FILE_BYTES = _limit("any file", "size", 64 * MIB, "bytes")
SHOWN_BYTES = _limit("any file", "one whose line an error message shows", 4 * MIB, "bytes")
LINKS = _limit("any file", "symbolic links followed to it", 40)
DIRECTORY_ENTRIES = _limit("any directory", "entries", 1_000_000)
DIRECTORY_DEPTH = _limit("any directory", "directories within directories", 256)
FOLDER_ENTRIES = _limit("any directory", "entries below one that is searched for tables", 200_000)
FOLDER_TABLES = _limit("any directory", "tables found and kept below one", 20_000)
STRAY_ENTRIES = _limit("any directory", "entries searched of one that is no repository", 20_000)
CONFIGURATION_BYTES = _limit("setup.cfg, baselines", "size", 16 * MIB, "bytes")

UNPACKED_BYTES = _limit("gzip, bzip2, xz", "unpacked", 128 * MIB, "bytes")
# xz -9 needs 65 MiB
XZ_MEMORY_BYTES = _limit("gzip, bzip2, xz", "memory for an xz dictionary", 128 * MIB, "bytes")
ZSTD_PART_BYTES = _limit("zstd, in parts", "unpacked at once", 256 * KIB, "bytes")
# a path as deep as a device tree may be takes 17,000
TAR_EXTENSION_BYTES = _limit("tar", "one extension header", 64 * KIB, "bytes")

SPEC_BYTES = _limit("YAML", "size", 256 * KIB, "bytes")
SPEC_VALUES = _limit("YAML", "values", 20_000)
SPEC_DEPTH = _limit("YAML", "levels", 24)
RESULTS_BYTES = _limit("results that tune keeps", "size", GIB, "bytes")
SPEC_ANCESTORS = _limit("YAML", "ancestors of a spec", 32)

TREE_BYTES = _limit("device tree, any form", "blob or properties", 64 * MIB, "bytes")
TREE_DEPTH = _limit("device tree, any form", "levels", 64)
FILE_TREES = _limit("dtb", "trees in one file", 1024)
TREE_NAME_BYTES = _limit("device tree, any form", "a name", 255, "bytes")
TREE_TOKENS = _limit("dtb", "tokens", 500_000)
TREE_RESERVATIONS = _limit("dtb", "memory reservations", 4096)
TREE_ENTRIES = _limit("directory or tar of a device tree", "entries", 200_000)
TREE_STATES = _limit("tables of a tree", "states", 1024)
TREE_TABLES = _limit("tables of a tree", "nodes or lists", 64)

DTS_BYTES = _limit("dts", "source", 16 * MIB, "bytes")
DTS_INCLUDED_FILES = _limit("dts", "included files", 256)
DTS_INCLUDES = _limit("dts", "includes", 4096)
DTS_INCLUDE_DEPTH = _limit("dts", "includes within includes", 64)
DTS_EXPANDED_BYTES = _limit("dts", "source with all includes", 64 * MIB, "bytes")

MACRO_DEPTH = _limit("macros of dts and C", "macros within macros", 200)
MACRO_TOKEN_BYTES = _limit("macros of dts and C", "a token counts as its text and", 16, "bytes")
MACRO_BYTES = _limit("macros of dts and C", "tokens made", 8 * MIB, "bytes")
MACRO_BYTES_PER_BYTE = _limit("macros of dts and C", "and for each byte of source", 64, "bytes")

C_CHARACTERS = _limit("C", "characters", 4 * MIB)
C_ARRAYS = _limit("C", "arrays of idle states", 1_000)
C_ARRAY_CHARACTERS = _limit("C", "characters of all arrays", 256 * KIB)
C_ROWS = _limit("C", "rows", 10_000)
C_NESTING = _limit("C", "brackets within brackets", 50)
C_VALUE_CHARACTERS = _limit("C", "characters of a value", 20_000)
C_DIGITS = _limit("C", "characters of a number", 100)
C_EXPRESSION_DEPTH = _limit("C", "levels of an expression", 100)
C_DIRECTIVES = _limit("C", "directives", 50_000)
C_OPEN_GROUPS = _limit("C", "#if within #if", 200)
C_CONDITION_CHARACTERS = _limit("C", "characters of a condition", 10_000)
C_CONDITION_NAMES = _limit("C", "names in conditions that only a build gives", 100)
C_BUILD_CHARACTERS = _limit("C", "characters gone through again for such names", 8 * MIB)

GOVERNOR_BYTES = _limit("a governor's source", "size", MIB, "bytes")
GOVERNOR_FILES = _limit("a governor's source", "included files", 16)

ACPI_TABLES = _limit("ACPI tables", "number", 512)
ACPI_TERMS = _limit("ACPI tables", "terms of AML outside of methods", 500_000)
ACPI_DEPTH = _limit("ACPI tables", "scopes or values within each other", 64)
ACPI_VALUES = _limit("ACPI tables", "values of one package", 10_000)
ACPI_BUFFER_BYTES = _limit("ACPI tables", "a buffer", 64 * KIB, "bytes")
ACPI_PROCESSORS = _limit("ACPI tables", "processors", 8192)
ACPI_DIFFERENT = _limit("ACPI tables", "processors with different tables", 64)
ACPIEXEC_S = _limit("acpiexec", "processor time", 4, "s")
ACPIEXEC_S_PER_MIB = _limit("acpiexec", "and for each MiB of tables", 16, "s")
ACPIEXEC_MEMORY_BYTES = _limit("acpiexec", "memory", 256 * MIB, "bytes")
ACPIEXEC_MEMORY_PER_BYTE = _limit("acpiexec", "and for each byte of tables", 48, "bytes")
ACPIEXEC_OUTPUT_BYTES = _limit("acpiexec", "output", 64 * MIB, "bytes")

LID_BYTES = _limit("skiboot.lid", "size, packed or unpacked", 32 * MIB, "bytes")
LID_XZ_MEMORY_BYTES = _limit("skiboot.lid", "memory for an xz dictionary", 128 * MIB, "bytes")
SYMBOL_BYTES = _limit("skiboot.elf", "characters read of a symbol's name", 256, "bytes")
LID_ROWS = _limit("skiboot.lid", "rows", 512)

NAME_BYTES = _limit("names on standard input", "a name", 4096, "bytes")

LINE_BYTES = _limit("trace, recording, dump", "a line", 64 * KIB, "bytes")
CPU = _limit("trace, recording, dump", "number of a CPU", 8191)
RECORDING_HEAD_BYTES = _limit("trace, recording, dump", "a recording's head", MIB, "bytes")

TRACE_HEAD_BYTES = _limit(
    "trace.dat, perf.data", "a section or text before the events", 64 * MIB, "bytes"
)
TRACE_FORMATS = _limit("trace.dat, perf.data", "formats of events", 100_000)

TRACE_DAT_SECTIONS = _limit("trace.dat", "sections of options", 64)
TRACE_DAT_CHUNK_BYTES = _limit("trace.dat", "pages compressed together", 16 * MIB, "bytes")
TRACE_DAT_PAGES_BYTES = _limit("trace.dat", "pages of a CPU read at once", 256 * KIB, "bytes")
TRACE_DAT_HELD_BYTES = _limit("trace.dat", "events of all CPUs held to be sorted", GIB, "bytes")

PERF_EVENTS = _limit("perf.data", "events", 65_536)
PERF_IDS = _limit("perf.data", "numbers of events, one for each CPU", 4_000_000)
PERF_PART_BYTES = _limit("perf.data", "records read at once", MIB, "bytes")
PERF_HELD_BYTES = _limit("perf.data", "events held to be sorted", 256 * MIB, "bytes")

SYSFS_LINES = _limit("dump of cpuidle's sysfs", "lines", 1_000_000)
SYSFS_STATES = _limit("dump of cpuidle's sysfs", "states of a CPU", 32)
SYSFS_TABLES = _limit("dump of cpuidle's sysfs", "CPUs with different tables", 64)
SYSFS_DIGITS = _limit("dump of cpuidle's sysfs", "digits of a number", 20)
SYSFS_CHARACTERS = _limit("dump of cpuidle's sysfs", "characters kept of a text", 64)
SYSFS_MACHINE_CHARACTERS = _limit(
    "dump of cpuidle's sysfs", "characters kept of a text of the whole machine", 65_536
)

LOG_LINES = _limit("log (the rest is only counted)", "lines with a word of interest", 200_000)
LOG_LINE_BYTES = _limit(
    "log (the rest is only counted)", "characters read of a line", 64 * KIB, "bytes"
)
LOG_BOOTS = _limit("log (the rest is only counted)", "boots, the last", 16)
LOG_MESSAGES = _limit("log (the rest is only counted)", "messages of a boot", 1_000)
LOG_MESSAGE_CHARACTERS = _limit("log (the rest is only counted)", "characters of a message", 1_000)
LOG_SHOWN_BYTES = _limit(
    "log (the rest is only counted)", "a log whose lines findings show", 4 * MIB, "bytes"
)

MAIL_BOX_BYTES = _limit("mails", "all that is read", 64 * MIB, "bytes")
MAIL_BOX = _limit("mails", "number", 5_000)
MAIL_HELD_BYTES = _limit("mails", "threads held of an archive of any size", 256 * MIB, "bytes")
MAIL_BYTES = _limit("mails", "one mail", 16 * MIB, "bytes")
MAIL_HEAD_BYTES = _limit("mails", "headers read to recognise a mail", 64 * KIB, "bytes")
MAIL_HEADER_BYTES = _limit("mails", "characters read of a header", 16 * KIB, "bytes")
MAIL_PARTS = _limit("mails", "parts of a mail", 500)
MAIL_NESTING = _limit("mails", "parts within parts of a mail", 50)
DIFF_FILES = _limit("mails", "files of a diff", 5_000)
DIFF_HUNKS = _limit("mails", "hunks of a diff", 50_000)
DIFF_LINES = _limit("mails", "lines of a hunk", 200_000)
MAIL_COMMITS = _limit("mails", "commits searched for the base of a patch", 3_000)

STATISTICS_BYTES = _limit("benchmark results, all files together", "size", 64 * MIB, "bytes")
STATISTICS_LINES = _limit("benchmark results, all files together", "lines or samples", 2_000_000)

MEASURED_BYTES = _limit("measurements", "a file, unpacked", 256 * MIB, "bytes")
MEASURED_HEAD_BYTES = _limit("measurements", "read to recognise a format", 64 * KIB, "bytes")
MEASURED_FILES = _limit("measurements", "files of a directory", 1_000)
MEASURED_VALUES = _limit("measurements", "values of a file", 5_000_000)

SIMULATION_EVENTS = _limit("simulate", "events of a run", 1_000_000_000)

DTC_S = _limit("dtc", "processor time", 5, "s")
DTC_S_PER_MIB = _limit("dtc", "and for each MiB of source", 5, "s")
DTC_MEMORY_BYTES = _limit("dtc", "memory", 128 * MIB, "bytes")
DTC_MEMORY_PER_BYTE = _limit("dtc", "and for each byte of source", 48, "bytes")
DTC_OUTPUT_BYTES = _limit("dtc", "output", 64 * MIB, "bytes")
TRACE_CMD_STALL_S = _limit("trace-cmd", "time without output", 300, "s")
TRACE_CMD_S = _limit("trace-cmd", "processor time", 8, "s")
TRACE_CMD_S_PER_MIB = _limit("trace-cmd", "and for each MiB", 4, "s")
TRACE_CMD_MEMORY_BYTES = _limit("trace-cmd", "memory", 4 * GIB, "bytes")
DT_VALIDATE_S = _limit("dt-validate", "time", 300, "s")
DT_VALIDATE_OUTPUT_BYTES = _limit("dt-validate", "output", 64 * MIB, "bytes")
# a build from scratch takes 75 s on two idle cores
MAKE_S = _limit("make of a skiboot tree", "time", 1800, "s")
ARCHIVE_S = _limit("apt, dpkg, tar", "time", 3600, "s")
ARCHIVE_OUTPUT_BYTES = _limit("apt, dpkg, tar", "output", 64 * MIB, "bytes")
CONSOLE_BYTES = _limit("console of a guest", "size", 16 * MIB, "bytes")
CONSOLE_UNPACKED_BYTES = _limit("console of a guest", "all sections, unpacked", 32 * MIB, "bytes")
VERSION_S = _limit("QEMU, asked for its version", "time", 30, "s")
VERSION_BYTES = _limit("QEMU, asked for its version", "output", MIB, "bytes")
PROCESSOR_S = _limit(
    "any program", "processor time of a process, if its time has no limit", 3600, "s"
)
WAITING = _limit("dtc, acpiexec", "time for each second of processor time", 6, "s")
PROGRAM_MEMORY_BYTES = _limit("dtc, acpiexec", "memory, whatever the size", GIB, "bytes")
COMPLAINT_BYTES = _limit("any program", "output on standard error", MIB, "bytes")

GIT_S = _limit("git", "time", 300, "s")
GIT_ANSWER_S = _limit("git", "time without an answer about an object", 30, "s")
GIT_MEMORY_BYTES = _limit("git", "memory", 4 * GIB, "bytes")
GIT_OUTPUT_BYTES = _limit("git", "output of one command", 256 * MIB, "bytes")
GIT_CONFIGURATION_BYTES = _limit("git", "configuration", MIB, "bytes")
GIT_ALTERNATES = _limit("git", "directories of objects", 100)
GIT_ALTERNATES_BYTES = _limit("git", "alternates of one of them", 16 * KIB, "bytes")
GIT_REFERENCES_BYTES = _limit("git", "packed-refs", 64 * MIB, "bytes")
GIT_REFERENCES = _limit("git", "files in refs/", 200_000)
GIT_ENTRIES = _limit("git", "files and directories of a commit", 300_000)
GIT_HELD_ENTRIES = _limit("git", "files and directories held of all trees", 600_000)
GIT_PATH = _limit("git", "characters of a path", 4096)
GIT_PATHS_CHARACTERS = _limit("git", "characters of all paths of a commit", 32 * MIB)
GIT_COPIES = _limit("git", "paths with the same content that are compared", 16)
GIT_BOARDS = _limit("git", "boards of a commit", 20_000)
GIT_PARENTS = _limit("git", "parents of a commit", 100)
GIT_COMMIT_BYTES = _limit("git", "a commit", MIB, "bytes")
