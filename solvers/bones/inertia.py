"""Rotational inertia of everything that a bone carries: how much of a figure a rotation of that bone would
move.

Each link counts as a solid rod whose mass is its length and whose radius is a fixed share of its length.
"""

import numpy as np

from ..kinematics.se3 import Array

# radius of a rod as a fraction of its length: about that of a limb, so that a straight line of bones resists
# twisting
THICKNESS = 0.15


def hanging_inertias(heads: Array, tails: Array, carried: Array, pivots: Array) -> Array:
    """Inertia tensors (k, 3, 3) [m3] of everything that each of k bones carries, about the bone's position;
    mass counts as length.

    Args:
        heads, tails: (l, 3) [m] positions of both ends of the links.
        carried: (k, l) whether a bone carries a link.
        pivots: (k, 3) [m] positions of the bones.
    """
    rods, middles = tails - heads, 0.5 * (heads + tails)
    masses = np.linalg.norm(rods, axis=1)
    along = _outer(rods)
    across = np.eye(3) * (masses**2)[:, None, None] - along
    # second moments of the links about the origin
    moments = masses[:, None, None] * (_outer(middles) + along / 12.0 + across * (THICKNESS**2 / 4.0))
    # For everything that each bone carries: mass, mass times centre, and second moments, moved to the bone's
    # position.
    weights = carried.astype(float)
    mass, centre = weights @ masses, weights @ (masses[:, None] * middles)
    crossed = np.einsum("ki,kj->kij", pivots, centre)
    about = (
        np.einsum("kl,lij->kij", weights, moments)
        - crossed
        - crossed.swapaxes(1, 2)
        + mass[:, None, None] * _outer(pivots)
    )
    inertias: Array = np.eye(3) * np.trace(about, axis1=1, axis2=2)[:, None, None] - about
    return inertias


def rod_lengths(inertias: Array) -> Array:
    """For each inertia (k, 3, 3) [m3], the length (k,) [m] of a thin rod with an equal trace: the inertia of
    a rod about its end has the trace 2/3 length^3.
    """
    lengths: Array = np.cbrt(1.5 * np.trace(inertias, axis1=1, axis2=2))
    return lengths


def _outer(vectors: Array) -> Array:
    """Outer products (l, 3, 3) of vectors (l, 3) with themselves."""
    products: Array = vectors[:, :, None] * vectors[:, None, :]
    return products
