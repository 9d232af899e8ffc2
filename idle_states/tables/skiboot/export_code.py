"""The export code of a skiboot tree, read from its C.

The counterpart of `releases`, for a tree that is at hand: its masks, its choice of a table by chip
and quirk, and which states it supports, whatever its version says. What is read are the functions
add_cpu_idle_state_properties() and slw_init() of hw/slw.c, and what hw/slw-p8.c has of the former.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from ...base.dataclass import replace
from ...base.model.processors import UNKNOWN_CHIP
from ...base.model.table import U32_MAX, IdleTable
from ...base.patterns import pattern
from ...base.reading.c.expression import evaluate
from ...base.reading.c.lexer import UnsupportedC, tokens
from ...base.reading.c.preprocess import Preprocessed
from ..spec import registry
from ..spec.library import find
from .c_table.builtin import preprocess
from .c_table.structure import layout
from .choosing import (
    EXPORT,
    OF_POWER8,
    Choosing,
    MachineKind,
    body_at,
    closing,
    quirk_word,
    read_choosing,
)
from .releases import ExportCode, ExportFeatures, Role

INIT = "slw_init"
_MAMBO = r"(?:QUIRK_MAMBO_CALLOUTS|QUIRK_DISABLE_NAP|is_mambo_chip)"
_MASK = pattern(r"\bopal_disabled_states_mask\s*=([^;]*);")
_DD1 = pattern(r"\bec_level\s*==\s*0x10\b")
_CHIP = pattern(r"\bPROC_CHIP_(\w+)")
_MASK_VALUE = pattern(r"mask_buf\s*=\s*cpu_to_fdt64\s*\(\s*states\[i\]\s*\.\s*(\w+)")
_ENABLING = pattern(r'prlog\s*\(\s*PR_(NOTICE|INFO)\s*,\s*"SLW: Enabling: %s\\n"')


@lru_cache(maxsize=256)
def _code(text: str) -> Preprocessed | None:
    if EXPORT not in text and OF_POWER8 not in text:
        return None
    return preprocess(text)


def read_export_code(texts: Mapping[str, str]) -> ExportCode | None:
    """The export code in C files, by their paths; None if they do not define it."""
    files = [clean for text in texts.values() if (clean := _code(text)) is not None]
    bodies: dict[str, str] = {}
    home: Preprocessed | None = None
    for clean in files:
        for name in (EXPORT, INIT, OF_POWER8):
            place = body_at(clean.code, name)
            if place is not None and name not in bodies:
                bodies[name] = clean.code[slice(*place)]
                home = clean if name == EXPORT else home
    if home is None:
        return None
    choice = bodies[EXPORT] + bodies.get(OF_POWER8, "")
    unread: list[str] = []
    try:
        choosing = read_choosing(texts)
        roles = dict(_roles(choosing))
    except UnsupportedC as problem:
        choosing, roles = None, {}
        unread.append(f"the code that chooses a table is not understood: {problem.message}")
    features = _features(home, bodies[EXPORT], bodies.get(INIT, ""), roles, unread)
    chips = frozenset(_CHIP.findall(choice)) - {UNKNOWN_CHIP}
    return ExportCode(features, chips, tuple(roles.items()), tuple(unread), choosing)


def placed(table: IdleTable, code: ExportCode | None) -> IdleTable:
    """The table with the processor and the place that the code says it has, where its array has
    none of the packaged tables' names."""
    role = dict(code.roles).get(table.firmware.array) if code else None
    if role is None or table.cpu is not None or not role.chips:
        return table
    processor = registry.of_chip(role.chips[0])
    if processor is None:
        return table
    home = table.firmware
    return replace(
        table,
        cpu=find(processor.table).cpu,
        firmware=replace(
            home,
            quirk=home.quirk if role.variant in ("", "dd1", "fused-core") else role.variant,
            fused_core=home.fused_core or role.variant == "fused-core",
        ),
    )


def _features(
    clean: Preprocessed, export: str, init: str, roles: Mapping[str, Role], unread: list[str]
) -> ExportFeatures:
    level = _ENABLING.search(export)
    value = _MASK_VALUE.search(export)
    return ExportFeatures(
        residency='"ibm,cpu-idle-state-residency-ns"' in export,
        pmicr_mask_is_value=value is not None and "mask" not in value[1],
        power7=not _returns_but_on_power8(init),
        stop='"ibm,cpu-idle-state-psscr"' in export,
        bounded_names="strncpy" in export,
        flags_last=layout(clean).members[-1] == "flags",
        checks_name_total=re.search(r"\bassert\s*\(\s*alloced_name_buf\b", export) is not None,
        stop_levels='"ibm,enabled-stop-levels"' in export,
        dd1=_dd1(export),
        deep_by_homer="homer_base" in export or "slw_image_check_p9" in init,
        mambo=_mambo(export, init, roles),
        opal_levels=_opal_levels(clean, export, unread),
        nvram_mask='"opal-stop-state-disable-mask"' in export,
        fused_core="is_fused_core" in export,
        unknown_chip_returns='"determining chip type' in export,
        awan_returns=re.search(r"QUIRK_AWAN\s*\)\s*\)\s*\{?\s*return\b", init) is not None,
        hostboot_warning="found" if _QUIET.search(export) else "missing",
        enabling_level=_LEVELS[level[1]] if level else "",
    )


_QUIET = pattern(r'PR_NOTICE,\s*"SLW: Sleep not enabled by HB')
_LEVELS: Mapping[str, Literal["notice", "info"]] = {"NOTICE": "notice", "INFO": "info"}


def _returns_but_on_power8(init: str) -> bool:
    """Tells whether slw_init() returns on POWER7 before it calls for the properties."""
    early = re.search(r"\bproc_gen\s*!=\s*proc_gen_p8\s*\)\s*return\b", init)
    return early is not None and EXPORT in init[early.end() :]


def _dd1(export: str) -> Literal["", "any", "nimbus"]:
    for match in re.finditer(r"\bif\s*\(", export):
        condition = export[match.end() : closing(export, match.end() - 1)]
        if _DD1.search(condition):
            return "nimbus" if "PROC_CHIP_P9_NIMBUS" in condition else "any"
    return ""


def _mambo(
    export: str, init: str, roles: Mapping[str, Role]
) -> Literal["as hardware", "no properties", "own table"]:
    if re.search(rf"{_MAMBO}[\s)]*\{{?\s*return\b", export):
        return "no properties"
    quirk = re.search(rf"{_MAMBO}[\s)]*\{{([^{{}}]*)\}}", init)
    if quirk and "return" in quirk[1] and EXPORT not in quirk[1]:
        return "no properties"
    has_own = any(role.variant == "mambo" for role in roles.values())
    return "own table" if has_own else "as hardware"


def _opal_levels(clean: Preprocessed, export: str, unread: list[str]) -> int | None:
    match = _MASK.search(export)
    if match is None:
        return None
    try:
        expanded = clean.expanded(tokens(match[1]), 0)
        return ~evaluate(expanded, 0, len(match[1])).value & U32_MAX
    except UnsupportedC:
        unread.append(
            "expected a value of opal_disabled_states_mask that can be evaluated, found none: no "
            "state is masked"
        )
        return None


def _roles(choosing: Choosing | None) -> Iterator[tuple[str, Role]]:
    """The arrays that some machine takes."""
    array2machines: dict[str, list[MachineKind]] = {}
    for machine in choosing.machines() if choosing else ():
        if array := choosing.table_for(machine).array if choosing else "":
            array2machines.setdefault(array, []).append(machine)
    for array, machines in array2machines.items():
        yield array, Role(_variant(machines), tuple(dict.fromkeys(m.chip for m in machines)))


def _variant(machines: Sequence[MachineKind]) -> str:
    """Returns the trait that tells machines with an array from the usual one; "" for none."""
    for quirk in sorted(frozenset.intersection(*(machine.quirks for machine in machines))):
        return quirk_word(quirk)
    if all(machine.ec == 0x10 for machine in machines):
        return "dd1"
    return "fused-core" if all(machine.fused for machine in machines) else ""
