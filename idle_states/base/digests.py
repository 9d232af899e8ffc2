"""SHA-256 of inputs, without hashlib where they are small: loading OpenSSL takes as long as 128 KiB
do. Once it is loaded, it is the quicker one."""

import sys
from contextlib import suppress

_SMALL = 1 << 17


def sha256(data: bytes) -> str:
    """Returns the digest in hexadecimal digits."""
    if len(data) <= _SMALL and "hashlib" not in sys.modules:
        with suppress(ImportError):
            module = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256")
            return str(module.sha256(data).hexdigest())
    import hashlib

    return hashlib.sha256(data).hexdigest()
