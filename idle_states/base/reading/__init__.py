"""The gate in: what is opened, how much of it, and which programs are launched to read it."""
