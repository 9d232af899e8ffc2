"""Real decisions of a running kernel's governor: the script that records them, and what it
recorded as an exact recording."""
