"""Oracles: the real thing, fetched, extracted or compiled when a test runs."""

__all__ = ["Unavailable"]


class Unavailable(Exception):
    """The real thing cannot be had here; the message says why. Tests skip with it."""
