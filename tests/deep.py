"""Number of examples that a test tries: as many as usually find a fault, or, before a release and after
changes of code that is tested with random examples, several times as many (`make test ALL=1`).
"""

import os

DEEP = os.environ.get("LIMBER_DEEP") == "1"


def count(usual: int, deep: int) -> int:
    """Number of random inputs or seeds: `deep` if all are requested, otherwise `usual`."""
    return deep if DEEP else usual
