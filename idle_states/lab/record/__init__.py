"""Decisions of a running kernel's governor, recorded and made an exact recording."""
