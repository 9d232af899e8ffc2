"""A Dask cluster, for fleets and sweeps too large for one machine. An optional extra: [dask]."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .extras import package
from .findings import unreadable

_SECONDS = 10


@contextmanager
def client(address: str) -> Iterator[Any]:
    """A context manager: a Dask client of the scheduler at `address`, e.g. tcp://host:8786.

    Raises Unreadable (IS930) if the extra is not installed or no scheduler answers.
    """
    make = package("dask", "distributed", address).Client
    try:
        connected = make(address, timeout=_SECONDS)
    except (OSError, TimeoutError, ValueError) as error:
        message = f"expected a Dask scheduler to answer, found: {error or type(error).__name__}"
        raise unreadable(address, message) from None
    try:
        yield connected
    finally:
        connected.close()
