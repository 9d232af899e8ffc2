"""The real thing: decisions of a running kernel's governor, recorded and made an exact recording,
and boots of real firmware and a real kernel under QEMU."""
