"""Random draws of a character: equal seed, purpose and number always give equal draws."""

from functools import lru_cache
from random import Random


@lru_cache(maxsize=4096)
def draws(seed: int, what: str, number: int) -> tuple[float, float, float]:
    """Three pseudo-random numbers from 0 to below 1.

    Args:
        seed: Seed of the character's randomness.
        what: Purpose of the draw, such as "blink".
        number: Number of the draw among those of this purpose.
    """
    source = Random(f"{seed} {what} {number}")
    return source.random(), source.random(), source.random()


def between(least: float, most: float, share: float) -> float:
    """Scales a draw `share` (0 to 1) to the range from `least` to `most`."""
    return least + (most - least) * share
