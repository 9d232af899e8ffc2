"""Boots of real firmware and a real kernel under QEMU, held against the models."""
