"""What a governor does with a table: traces, replays, simulations, measurements, tuning."""
