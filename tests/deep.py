"""How many examples of a kind a test tries: as many as find a fault of that kind, or, before a release and
wherever code changes that random examples are for, some times as many (`make test ALL=1`).
"""

import os

DEEP = os.environ.get("LIMBER_DEEP") == "1"


def count(usual: int, deep: int) -> int:
    """Number of examples, of random inputs or of seeds."""
    return deep if DEEP else usual
