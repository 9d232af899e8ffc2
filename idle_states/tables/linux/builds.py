"""Distributions' kernels of one number, told apart by their builds: those whose sources were at
hand, and the ones next to any other."""

from collections.abc import Iterable, Iterator
from functools import cache

from ...base.model.history import Key, Place

BUILDS = {
    "rhel-4.18.0": (
        "80 80.1.2 80.4.2 80.7.1 80.7.2 80.11.1 80.11.2 147 147.0.3 147.3.1 147.5.1 147.8.1 193 "
        "193.1.2 193.6.3 193.14.2 193.19.1 193.28.1 240 240.1.1 240.10.1 240.15.1 240.22.1 305 "
        "305.3.1 305.7.1 305.10.2 305.12.1 305.17.1 305.19.1 305.25.1 348 348.2.1 348.7.1 "
        "348.12.2 348.20.1 348.23.1 372.9.1 372.13.1 372.16.1 372.19.1 372.26.1 372.32.1 "
        "425.3.1 425.10.1 425.13.1 425.19.2 477.10.1 477.13.1 477.15.1 477.21.1 477.27.1 477.27.2 "
        "513.5.1 513.9.1 513.11.1 513.18.1 513.18.2 513.24.1 553 553.5.1 553.8.1 553.16.1 "
        "553.22.1 553.27.1 553.30.1 553.32.1 553.33.1 553.34.1 553.36.1 553.37.1 553.40.1 "
        "553.42.1 553.44.1 553.45.1 553.46.1 553.47.1 553.50.1 553.51.1 553.52.1 553.53.1 "
        "553.54.1 553.56.1 553.58.1 553.60.1 553.62.1 553.63.1 553.64.1 553.66.1"
    ),
    "rhel-5.14.0": (
        "70.13.1 70.17.1 70.22.1 70.26.1 70.30.1 162.6.1 162.12.1 162.18.1 162.22.2 162.23.1 "
        "284.11.1 284.18.1 284.25.1 284.30.1 362.8.1 362.13.1 362.18.1 362.24.1 362.24.2 427.13.1 "
        "427.16.1 427.18.1 427.20.1 427.22.1 427.24.1 427.26.1 427.28.1 427.31.1 427.33.1 "
        "427.35.1 427.37.1 427.40.1 427.42.1 503.11.1 503.14.1 503.15.1 503.16.1 503.19.1 "
        "503.21.1 503.22.1 503.23.1 503.23.2 503.26.1 503.29.1 503.31.1 503.33.1 503.34.1 "
        "503.35.1 503.38.1 503.40.1 570.12.1 570.16.1 570.17.1 570.18.1 570.19.1 570.21.1 "
        "570.22.1 570.23.1 570.24.1 570.25.1 570.26.1 570.28.1 570.30.1 570.32.1"
    ),
    "rhel-6.12.0": "55.9.1 55.19.1 55.20.1 55.21.1 55.22.1 55.24.1",
    "ubuntu-5.4.0": (
        "26:30 28 29 30:34 31 33 34:41 37 39 40:44 42 43:55 45 47 48:60 49:65 51 52 53 54 55:73 "
        "56 58 60:78 62 65 66:86 67:94 70 71:101 72 73:106 74:114 77:119 80:124 81:128 84:133 "
        "86 88:140 89:143 90:148 91:151 94:157 96 97:162 99 100:166 104 105:174 107 109:178 "
        "110:181 113 117:189 120 121 122:192 124:195 125 126:203 128:210 131 132:212 135 "
        "136:218 137 139:224 144:229 146 147:231 148 149:233 150 152:235 153 155 156:241 159 "
        "162:246 163 164:248 165 166:252 167 169:257 170 171:259 172 173:265 174 177:268 "
        "181:269 182 186:271 187 189:275 190 192:278 193 195:280 196 198 200:284 202 204 205 "
        "208:286 211:290 212 214 215 216:291"
    ),
    "ubuntu-5.15.0": (
        "25:30 27 30 33 35:35 37 39 40 41:39 43 46 47:46 50:60 67:85 69:87 70:92 71 72:98 73 "
        "78:99 82:111 83:116 84 86:122 87 88:126 89 91:131 92 94:136 97 100:143 101 105:148 "
        "107:149 112:152 113 116:158 117 118:160 119 121:163 122 124 125:167 126 130:168 131 "
        "133:173 134 135:178 136 138 139 140:179 141 142:180 143 144:184 151 152:185 153 "
        "156:189 157 160 161 163:193 164 168 170:196 171 173:198 174 176:199 177 179 181 "
        "185:200"
    ),
    "ubuntu-6.8.0": ("31 32 35 38 40 44 45 48 49 50 51 52 53 54 60 62 64 72 78 81 84 86 88 89 90"),
    "ubuntu-6.11.0": "19:11",
}
"""Builds whose sources were at hand, or their list of changes, oldest first; behind a colon the
point release of kernel.org's whose idle code a build and those after it have, but for what the rows
of a subsystem say."""

CHANGED_FROM_FIRST = ("suse-4.12", "suse-5.14")
"""Lines whose first kernel had the changes that rows of the line say, as far as sources tell."""

HZ = {
    "rhel-4.18 rhel-5.14 rhel-6.12": "ppc64le:100 aarch64:100 s390x:100 x86_64:1000",
    "suse-4.4 suse-4.12": "ppc64le:100 aarch64:100 s390x:100 x86_64:250",
    "suse-6.4": "ppc64le:100",
    "ubuntu-6.8 ubuntu-6.11": "ppc64le:250 aarch64:1000 s390x:100 x86_64:1000",
}
"""Lines -> CONFIG_HZ by machine in their configurations, where all that were read have the same."""


@cache
def at_hand(line: str) -> tuple[Key, ...]:
    """Returns the keys of a line's builds whose sources were at hand, oldest first; of
    rhel-4.18 such as (4, 18, 0, 553, 22, 1)."""
    return tuple(_points(line))


def named_builds() -> dict[str, list[str]]:
    """Returns the names of the builds at hand by line, such as rhel-4.18.0, oldest first."""
    return {
        line: [f"{line}-{word.partition(':')[0]}" for word in words.split()]
        for line, words in BUILDS.items()
    }


def point_of(at: Place) -> int:
    """Returns the point release whose idle code a build's place has, as far as it is told: that of
    the next build at hand, below it if it is none itself; else 0."""
    line, key = at
    return max((point for build, point in _points(line).items() if build <= key), default=0)


@cache
def _points(line: str) -> dict[Key, int]:
    """Returns a line's builds at hand, oldest first, each with its point release, 0 of none."""
    found: dict[Key, int] = {}
    point = 0
    for word in BUILDS.get(f"{line}.0", "").split():
        build, _, own = word.partition(":")
        point = int(own or point)
        found[(*_key(line), 0, *map(int, build.split(".")))] = point
    return found


def tick_rate(line: str, machine: str) -> int | None:
    """Returns CONFIG_HZ of a distribution's line on a machine, such as ppc64le; None where it is
    not known."""
    rates = next((rates for lines, rates in HZ.items() if line in lines.split()), "")
    machine2rate = dict(word.split(":") for word in rates.split())
    return int(machine2rate[machine]) if machine in machine2rate else None


def name_of(at: Place) -> str:
    """Returns the name of a build's place: rhel-4.18.0-553.22.1; ubuntu-6.8.0 of none."""
    line, key = at
    return f"{line}.{key[2]}-{'.'.join(map(str, key[3:]))}".removesuffix("-")


def beside(at: Place, known: Iterable[Key]) -> tuple[str | None, str | None]:
    """Returns the names of the known builds next below and next above a place of their line, None
    where there is none."""
    line, key = at
    ordered = sorted(known)
    below = [name_of((line, each)) for each in ordered if each < key]
    above = [name_of((line, each)) for each in ordered if each > key]
    return below[-1] if below else None, above[0] if above else None


def within(words: str, line: str) -> Iterator[Key]:
    """Yields the builds at hand of a line that words such as "rhel-4.18.0-80..rhel-4.18.0-553",
    "rhel-5.14.0-503.11.1.." or "rhel-6.12.." span, or name."""
    for word in words.split():
        first, dots, last = word.partition("..")
        if not first.startswith(line):
            continue
        low = _key(first)
        high = low if not dots else _key(last) if last else (1 << 30,)
        if low[:2] == _key(line)[:2]:
            yield from (known for known in at_hand(line) if low <= known <= high)


@cache
def _key(name: str) -> Key:
    """(4, 18, 0, 553, 22, 1) of rhel-4.18.0-553.22.1; (4, 18) of rhel-4.18."""
    number, _, build = name.partition("-")[2].partition("-")
    return tuple(int(part) for text in (number, build) if text for part in text.split("."))
