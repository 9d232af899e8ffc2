"""Oracles: the real thing, fetched, extracted or compiled when a test runs.

Where it cannot be had, `Unavailable` says why, and tests skip with it.
"""

from idle_states.boot.debian import Unavailable

__all__ = ["Unavailable"]
