"""ACPI tables as firmware has them: their bytes, what their AML names, and acpiexec to run it."""
