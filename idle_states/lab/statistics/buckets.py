"""Buckets of a histogram of whole numbers: exact below 2^bits; above, 2^bits buckets for each power
of two."""


def bucket_of(value: int, bits: int) -> int:
    """Returns the number of the bucket of a value, from 0 on."""
    shift = max(value.bit_length() - bits - 1, 0)
    return (shift << bits) + (value >> shift)


def least_of(bucket: int, bits: int) -> int:
    """Returns the least value that falls into a bucket."""
    shift = max((bucket >> bits) - 1, 0)
    return (bucket - (shift << bits)) << shift
