"""Idle periods and recordings through a governor's model, counted as a kernel counts them."""
