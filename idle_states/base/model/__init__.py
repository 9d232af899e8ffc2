"""Values without input or output: tables, stages, findings, units, forms of JSON."""
