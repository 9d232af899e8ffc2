"""A table in another form: C, device tree, ASL, Markdown, YAML."""
