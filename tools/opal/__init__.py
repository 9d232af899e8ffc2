"""The audit of real OPAL inputs, and what fwts and op-test say of the same trees: docs/opal.md."""
