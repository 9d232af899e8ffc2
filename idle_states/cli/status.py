"""Exit statuses: clean; findings or a difference; usage; input that cannot be parsed at all."""

CLEAN, FOUND, USAGE, UNREADABLE = 0, 1, 2, 3
