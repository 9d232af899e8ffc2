"""The behaviour of governors with a table: traces, replays, simulations, measurements, tuning."""
