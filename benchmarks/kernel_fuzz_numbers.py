"""Random numbers for `benchmarks.kernel_fuzz`: usual, extreme and invalid ones."""

import math

import numpy as np

EXTREMES = (0.0, -0.0, 1.0, -1.0, math.pi, math.tau, 5e-324, 1e-300, 1e-12, 1e9, 1e99, 1e200, 1e308)
BAD = (math.nan, math.inf, -math.inf)


def number(draw: np.random.Generator) -> float:
    """A random number: usual, extreme or, rarely, NaN or infinite."""
    kind = draw.random()
    if kind < 0.9:
        return float(draw.normal())
    return float(draw.choice(EXTREMES if kind < 0.99 else BAD))


def vector(draw: np.random.Generator, count: int) -> tuple[float, ...]:
    return tuple(number(draw) for _ in range(count))


def unit(draw: np.random.Generator, count: int) -> tuple[float, ...]:
    values = draw.normal(size=count)
    return tuple((values / np.linalg.norm(values)).tolist())
