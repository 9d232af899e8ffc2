"""check: the findings of readers and rules, and which of these the project has accepted."""
