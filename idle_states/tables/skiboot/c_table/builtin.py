"""The macros that a table file needs from headers: OPAL_PM_* and PPC_BIT, with the values of
`idle_states.base.model.table`.

Names and values: skiboot include/opal-api.h, include/bitutils.h, and hw/slw.c up to 952daa69b for
IDLE_*.
"""

from collections.abc import Mapping

from ....base.model.table import PMICR_MASKS, PMICR_VALUES, Flag, Psscr, field_mask
from ....base.reading.c.preprocess import Preprocessed, own_definitions
from ....base.reading.c.preprocess import preprocess as preprocess_c

PSSCR_CALLS = {"rl": "OPAL_PM_PSSCR_RL", "mtl": "OPAL_PM_PSSCR_MTL", "tr": "OPAL_PM_PSSCR_TR"}
"""PSSCR fields written as a macro with the value as argument, in skiboot's order."""
PSSCR_BITS = {"esl": "OPAL_PM_PSSCR_ESL", "ec": "OPAL_PM_PSSCR_EC"}
"""PSSCR fields of one bit, in skiboot's order."""
PSSCR_MASK_NAME = "OPAL_PM_PSSCR_MASK"
PSSCR_RL_MASK_NAME = f"{PSSCR_CALLS['rl']}_MASK"

FLAG_NAMES = {
    flag: "OPAL_USE_PMICR" if flag is Flag.USE_PMICR else f"OPAL_PM_{flag.name}" for flag in Flag
}
PMICR_NAMES = {
    value: f"OPAL_PM_{name.upper()}_PMICR" for name, value in PMICR_VALUES.items() if value
}
PMICR_MASK_NAMES = {
    value: f"OPAL_PM_{name.upper()}_PMICR_MASK" for name, value in PMICR_MASKS.items() if value
}

_IDLE_NAMES = {
    # Names of 2014 whose value never changed; see UNSETTLED for the others.
    "IDLE_DEC_STOP": Flag.DEC_STOP,
    "IDLE_TB_STOP": Flag.TIMEBASE_STOP,
    "IDLE_USE_INST_NAP": Flag.NAP_ENABLED,
    "IDLE_USE_INST_SLEEP": Flag.SLEEP_ENABLED,
    "IDLE_USE_INST_WINKLE": Flag.WINKLE_ENABLED,
    "IDLE_USE_INST_SLEEP_ER1": Flag.SLEEP_ENABLED_ER1,
    "IDLE_USE_PMICR": Flag.USE_PMICR,
}


def _definitions() -> dict[str, str]:
    macros = {
        "PPC_BIT(bit)": "(0x8000000000000000UL >> (bit))",
        "PPC_BITMASK(bs, be)": "((PPC_BIT(bs) - PPC_BIT(be)) | PPC_BIT(bs))",
    }
    for flag, name in FLAG_NAMES.items():
        macros[name] = f"{int(flag):#010x}"
    for name, flag in _IDLE_NAMES.items():
        macros[name] = f"{int(flag):#010x}"
    for value, name in (*PMICR_NAMES.items(), *PMICR_MASK_NAMES.items()):
        macros[name] = f"{value:#018x}UL"
        macros[name.replace("OPAL_PM_", "IDLE_", 1)] = macros[name]
    for field, name in PSSCR_CALLS.items():
        shift = Psscr.FIELDS[field][0]
        macros[f"{name}(value)"] = f"((value) << {shift})" if shift else "(value)"
        macros[f"{name}_MASK"] = f"{field_mask([field]):#018x}UL"
    for field, name in PSSCR_BITS.items():
        macros[name] = f"PPC_BIT({63 - Psscr.FIELDS[field][0]})"
    # Without parentheses, as in skiboot: ~OPAL_PM_PSSCR_MASK is not what it looks like.
    parts = [f"{name}_MASK" for name in PSSCR_CALLS.values()] + list(PSSCR_BITS.values())
    macros[PSSCR_MASK_NAME] = " | ".join(parts)
    return macros


DEFINITIONS = _definitions()
"""The text that #define would have, "NAME" or "NAME(a, b)" -> text."""

_MOVED = "it was {0:#x} before skiboot 7f73dfca2 and {1:#x} from then on"
UNSETTLED = {
    "IDLE_LOSE_USER_CONTEXT": _MOVED.format(0x100, 0x1000),
    "IDLE_LOSE_HYP_CONTEXT": _MOVED.format(0x200, 0x2000),
    "IDLE_LOSE_FULL_CONTEXT": _MOVED.format(0x400, 0x4000),
}
"""Macros whose value differs between skiboot releases: the file itself must define them."""


def preprocess(text: str, defines: Mapping[str, str] | None = None) -> Preprocessed:
    """Returns a C file of skiboot as it is compiled. defines: macros that the file does not define
    itself, as from `definitions_in`; they go before DEFINITIONS."""
    return preprocess_c(text, defines, DEFINITIONS)


def definitions_in(text: str) -> dict[str, str]:
    """Returns the macros that a header of skiboot defines: "NAME" or "NAME(a, b)" -> text."""
    return own_definitions(preprocess(text))
