"""Linux's PM QoS, which limits the exit latencies that governors may choose."""

NO_LIMIT_US = 2_000_000_000
"""PM_QOS_CPU_LATENCY_DEFAULT_VALUE: no latency limit."""
