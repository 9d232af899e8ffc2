"""review: what commits bring to the tables of a repository, before they are merged."""
