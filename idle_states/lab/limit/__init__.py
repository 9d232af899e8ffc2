"""limit: what a latency limit leaves of a table's states, and the limit that keeps just some."""
