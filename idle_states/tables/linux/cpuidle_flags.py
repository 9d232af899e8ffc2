"""The flags of a state that cpuidle's drivers register: bits of struct cpuidle_state's flags."""

POLLING, COUPLED, TIMER_STOP, UNUSABLE, OFF, TLB_FLUSHED, RCU_IDLE = (1 << bit for bit in range(7))
"""CPUIDLE_FLAG_* of include/linux/cpuidle.h; TLB_FLUSHED was a bit of intel_idle's before 5.9."""
IRQ_ENABLE, ALWAYS_ENABLE, IBRS, INIT_XSTATE, PARTIAL = (1 << bit for bit in (14, 15, 16, 17, 18))
"""CPUIDLE_FLAG_* of intel_idle.c itself."""
HINT_SHIFT = 24
"""The bit from which on intel_idle keeps a state's MWAIT hint in its flags (MWAIT2flg)."""
TPAUSE_C01_STATE, TPAUSE_C02_STATE = 1, 0
"""Hints of the UMWAIT and TPAUSE instructions, of arch/x86/include/asm/mwait.h."""
