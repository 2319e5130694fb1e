"""Constraints of a step: contacts of links, and couplings of joints."""

from collections.abc import Sequence

import numpy as np

from ..kinematics.se3 import Array, logarithm
from ..kinematics.tree import BASE, Frames
from ..least_squares.constrained import Constraints
from .body import Body
from .targets import Contact


def contact_constraints(
    body: Body, frames: Frames, base_position: Array, contacts: Sequence[Contact]
) -> tuple[Constraints, tuple[str, ...]]:
    """Equality constraints that bring every contact's link to its position in this step, and a name for each
    constraint.
    """
    parts, desired, names = [np.zeros((0, body.unknowns))], [np.zeros(0)], []
    for contact in contacts:
        link = int(body.link_indices([contact.link])[0])
        placed = body.placed(frames, np.array([link]))[0]
        angular, linear = body.jacobian(frames, link)
        parts.append(linear)
        desired.append(np.asarray(contact.position, float) - placed[:3, 3] - base_position)
        if contact.rotation is not None:
            parts.append(angular)
            desired.append(logarithm(contact.rotation @ placed[:3, :3].T))
        names += [f"contact of {contact.link}"] * (3 if contact.rotation is None else 6)
    move = np.concatenate(desired)
    return Constraints(np.concatenate(parts), move, move), tuple(names)


def coupling_constraints(body: Body, joints: Array) -> Constraints:
    """Constraints that keep the couplings of the joint values `joints` (n,) in this step."""
    couplings = body.couplings
    at = couplings.matrix @ joints
    return Constraints(
        np.hstack([np.zeros((len(couplings), BASE)), couplings.matrix]),
        couplings.lower - at,
        couplings.upper - at,
    )
