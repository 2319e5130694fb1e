"""Constraints of a step from contacts of links and couplings of joints."""

from collections.abc import Sequence

import numpy as np

from ..kinematics.se3 import Array, logarithm
from ..kinematics.tree import BASE, LINEAR, Frames
from ..least_squares.constrained import Constraints
from .body import Body
from .targets import Contact


def contact_names(contacts: Sequence[Contact]) -> tuple[str, ...]:
    """A name for each of the constraints that contacts cause."""
    return tuple(
        f"contact of {contact.link}"
        for contact in contacts
        for _ in range(LINEAR if contact.rotation is None else BASE)
    )


def contact_constraints(
    body: Body, frames: Frames, base_position: Array, contacts: Sequence[Contact]
) -> Constraints:
    """Equality constraints on a step's move (6 + n,) that bring every contact's link to its position and, if
    the contact has one, to its rotation.
    """
    parts, desired = [np.zeros((0, body.unknowns))], [np.zeros(0)]
    for contact in contacts:
        link = int(body.link_indices([contact.link])[0])
        placed = body.placed(frames, np.array([link]))[0]
        angular, linear = body.jacobian(frames, link)
        parts.append(linear)
        desired.append(np.asarray(contact.position, float) - placed[:3, 3] - base_position)
        if contact.rotation is not None:
            parts.append(angular)
            desired.append(logarithm(contact.rotation @ placed[:3, :3].T))
    move = np.concatenate(desired)
    return Constraints(np.concatenate(parts), move, move)


def coupling_constraints(body: Body, joints: Array) -> Constraints:
    """Constraints on a step's move (6 + n,) that keep the couplings, from joint values `joints` (n,) [rad or
    m] before the step.
    """
    couplings = body.couplings
    at = couplings.matrix @ joints
    return Constraints(
        np.hstack([np.zeros((len(couplings), BASE)), couplings.matrix]),
        couplings.lower - at,
        couplings.upper - at,
    )
