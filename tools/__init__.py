"""Makers' programs: what the documentation is made with. Nothing of it is installed."""
