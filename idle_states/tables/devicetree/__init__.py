"""The device tree: the power-mgt node as bytes, and the formats that hold device trees."""
