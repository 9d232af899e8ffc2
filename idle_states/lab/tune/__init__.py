"""Residencies and snooze's time-out that cost least over the idle gaps a workload has."""
