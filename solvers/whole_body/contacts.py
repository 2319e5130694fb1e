"""Rows that hold links where they are told and let joints bound each other. Knows no Blender."""

from collections.abc import Sequence

import numpy as np

from .body import BASE, Body, Frames
from .limits import Limits
from .rows import Rows
from .so3 import Array, log
from .targets import Contact


def contact_rows(body: Body, frames: Frames, base_position: Array, contacts: Sequence[Contact]) -> tuple[Rows, tuple[str, ...]]:
    """Rows by which a step brings every contact's link to its place, and each row's name."""
    parts, names = [np.zeros((0, body.unknowns))], []
    for contact in contacts:
        angular, linear = body.jacobian(frames, body.links[contact.link])
        parts += [linear] if contact.rotation is None else [linear, angular]
        names += [f"contact of {contact.link}"] * (3 if contact.rotation is None else 6)
    move = contact_moves(body, frames, base_position, contacts)
    return Rows(np.concatenate(parts), move, move), tuple(names)


def contact_moves(body: Body, frames: Frames, base_position: Array, contacts: Sequence[Contact]) -> Array:
    """How far [m, rad] every contact's link is from its place, in the order of the rows."""
    found = [np.zeros(0)]
    for contact, placed in zip(contacts, body.placed(frames, body.rows([contact.link for contact in contacts])), strict=True):
        found.append(np.asarray(contact.position, float) - placed[:3, 3] - base_position)
        if contact.rotation is not None:
            found.append(log(contact.rotation @ placed[:3, :3].T))
    return np.concatenate(found)


def coupling_rows(body: Body, joints: Array, limits: Limits, dt: float) -> Rows:
    """Rows by which a step keeps the couplings of joints (n,)."""
    couplings = body.couplings
    at = couplings.matrix @ joints
    lower, upper = limits.row_box(couplings.lower - at, couplings.upper - at, np.abs(couplings.matrix), dt)
    equal = couplings.equal
    lower, upper = np.where(equal, couplings.lower - at, lower), np.where(equal, couplings.upper - at, upper)
    return Rows(np.hstack([np.zeros((len(couplings), BASE)), couplings.matrix]), lower, upper)
