"""The flags of a state that cpuidle's drivers register: bits of struct cpuidle_state's flags."""

POLLING, TIMER_STOP, UNUSABLE, OFF, TLB_FLUSHED, RCU_IDLE = (1 << bit for bit in (0, 2, 3, 4, 5, 6))
"""CPUIDLE_FLAG_* of include/linux/cpuidle.h; TLB_FLUSHED was a bit of intel_idle's before 5.9."""
IRQ_ENABLE, ALWAYS_ENABLE, IBRS, INIT_XSTATE, PARTIAL = (1 << bit for bit in (14, 15, 16, 17, 18))
"""CPUIDLE_FLAG_* of intel_idle.c itself."""
HINT_SHIFT = 24
"""Where intel_idle keeps a state's MWAIT hint in its flags (MWAIT2flg)."""
