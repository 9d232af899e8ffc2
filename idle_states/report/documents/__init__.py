"""The documents of --format json: a module for each sub-command, its class named likewise."""
