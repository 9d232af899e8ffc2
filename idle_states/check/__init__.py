"""check: what reading and the rules find in a table, and which findings were accepted before."""
