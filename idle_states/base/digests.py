"""SHA-256 of inputs, without hashlib where they are small: loading OpenSSL takes as long as 128 KiB
do."""

_SMALL = 1 << 17


def sha256(data: bytes) -> str:
    """Returns the digest in hexadecimal digits."""
    if len(data) <= _SMALL:
        for name in ("_sha2", "_sha256"):  # since Python 3.12, and before
            try:
                return str(__import__(name).sha256(data).hexdigest())
            except ImportError:
                continue
    import hashlib

    return hashlib.sha256(data).hexdigest()
