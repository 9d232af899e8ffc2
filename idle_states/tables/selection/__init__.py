"""select: which state each governor takes, as ranges of idle lengths."""
