"""Statistics of benchmark runs, in the forms used to argue for idle-state changes."""
