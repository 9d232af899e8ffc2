"""Tables in the source of Linux's cpuidle drivers: `struct cpuidle_driver NAME = {...}` and arrays
of struct cpuidle_state."""
