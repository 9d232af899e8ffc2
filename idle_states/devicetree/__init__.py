"""The device tree: the power-mgt node as bytes, and the formats it travels in."""
