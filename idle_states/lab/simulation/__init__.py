"""Tasks and CPUs as discrete events: what a workload makes of a table."""
