"""The marks of a trace's text are what its bytes say, by a processor's instructions and without."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.support import ROOT

CORE = ROOT / "idle_states/tables/linux/governors/core"
PART, SHORT_LINE, NAME_LENGTH = 32 << 10, 40, 8
WORDS = PART // 64 + 1
PORTABLE = ("-DBASELINE_ALONE", "-U__SSE2__", "-U__AARCH64EL__", "-U__POWER8_VECTOR__")
OWN_LEVEL = '#include "levels.h"\nint own_level(void) { return level(); }\n'
FEW = b"\nce\nPx\x00\x01\x7f\x80\xffP\x0b\x64\x62\xe3\xe5 "


class Marks(ctypes.Structure):
    _fields_ = [
        ("ends", ctypes.c_uint64 * WORDS),
        ("names", ctypes.c_uint64 * WORDS),
        ("before", ctypes.c_uint16 * WORDS),
        ("named", ctypes.c_uint16 * WORDS),
        ("end_at", ctypes.c_uint16 * (PART + 2)),
        ("named_words", ctypes.c_uint32),
        ("lines", ctypes.c_uint32),
        *((name, ctypes.c_bool) for name in ("odd", "capital", "has_short")),
    ]


def bits(places: list[int], words: int) -> list[int]:
    found = [0] * words
    for place in places:
        found[place // 64] |= 1 << place % 64
    return found


def texts() -> list[bytes]:
    random = Random(1)
    some = [bytes(random.choices(FEW, k=1 + n)) for n in range(200)]
    some += [bytes([letter]) * n for letter in FEW for n in (1, 63, 64, 65, 71, 72, 200)]
    some += [b"." * n + end + b"." * (150 - n) for n in range(150) for end in (b"\n", b"c......e")]
    return [*some, random.randbytes(PART), b"c......e\n" * (PART // 9)]


@pytest.mark.parametrize(
    ("flags", "level"),
    [((), 0), ((), 3), ((), 4), (PORTABLE, 0)],
    ids=["baseline", "x86-64-v3", "x86-64-v4", "portable"],
)
def test_marks_are_what_the_bytes_say(tmp_path: Path, flags: tuple[str, ...], level: int) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    library = tmp_path / "marks.so"
    (own := tmp_path / "level.c").write_text(OWN_LEVEL)
    source = [f"-I{CORE}", str(CORE / "trace_marks.c"), str(own), "-shared", "-fPIC"]
    options = ["-std=gnu11", "-O1", "-fno-strict-aliasing", "-Wno-psabi", "-Werror", *flags]
    subprocess.run(["gcc", *options, *source, "-o", str(library)], check=True)
    compiled = ctypes.CDLL(str(library))
    if level > compiled.own_level():
        pytest.skip(f"a processor without x86-64-v{level}")
    for text in texts():
        marks = Marks()
        compiled.mark_at(level, ctypes.byref(marks), text, ctypes.c_size_t(len(text)))
        length = len(text)
        ends = [at for at, byte in enumerate(text) if byte == ord("\n")]
        if not text.endswith(b"\n"):
            ends.append(length)
        words = ends[-1] // 64 + 1
        last = NAME_LENGTH - 1
        names = [
            n for n in range(length - last) if text[n] == ord("c") and text[n + last] == ord("e")
        ]
        assert marks.end_at[: marks.lines] == ends
        assert marks.named[: marks.named_words] == sorted({name // 64 for name in names})
        assert list(marks.ends)[:words] == bits(ends, words)
        assert list(marks.names)[:words] == bits(names, words)
        counts = [sum(end < 64 * word for end in ends) for word in range(min(words, 5))]
        assert list(marks.before)[: len(counts)] == counts
        assert marks.odd == (0 in text or max(text) > 127)
        assert marks.capital == (b"P" in text)
        assert marks.has_short == any(
            end - before <= SHORT_LINE for before, end in zip([-1, *ends], ends, strict=False)
        )
