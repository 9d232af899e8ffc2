"""show: a table stage by stage."""
