"""Replay of idle periods and recordings through a governor's model, with the kernel's counters."""
