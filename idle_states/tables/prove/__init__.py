"""For each state of a table a history after which a governor selects it, or why there is none."""
