"""Documents of --format json: what those of several commands have in common, and their writing."""
