"""The whole way of a table: where it is read, what firmware and Linux make of it, what is wrong."""
