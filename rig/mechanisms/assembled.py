"""Assembled mechanisms of this session: the solver's model and start pose, with the objects and bones that
show the bodies.

While a mechanism is live, its bodies are shown in solved poses and not in authored ones. So the mechanism is
read when live motion begins, and stored here for live motion, renders and bakes. It is never saved to a file.
"""

from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property

import bpy

from ...character.mechanism.tick import MechanismModel
from ...character.one_thread import in_one_thread
from ...solvers.amounts import rounded
from ...solvers.kinematics.se3 import Array
from ...solvers.mechanism.assembly import assemble
from ...solvers.mechanism.counting import count
from ...solvers.mechanism.model import MechanismError
from ...solvers.mechanism.solver import MechanismSolver
from ..blender.errors import RigError
from ..scene.placement import Placement
from . import inputs
from .authored_mechanism import Reading, read
from .starts import with_revolutions

# largest number of start poses to try for a mechanism that does not close from its authored pose; each try
# takes some milliseconds
TRIES = 20

_stored: dict[int, "Assembled"] = {}  # owner's session_uid -> its assembled mechanism


@dataclass(frozen=True, eq=False)
class Assembled:
    """A mechanism that was read from the scene and assembled; its model has no motion filters of motors
    yet.
    """

    reading: Reading
    model: MechanismModel
    base: Array  # (4, 4) world matrix of the mechanism's base when the mechanism was read

    @cached_property
    def bodies(self) -> dict[int, dict[str, int]]:
        """Objects and bones that show the bodies: object's session_uid -> bone name ("": the object itself)
        -> index of the body.
        """
        body_indices: dict[int, dict[str, int]] = {}
        for k, part in self.reading.shown_parts:
            body_indices.setdefault(part.uid, {})[part.bone] = k
        return body_indices


@in_one_thread()
def prepare(owner: bpy.types.Object, depsgraph: bpy.types.Depsgraph, is_rest: bool = False) -> Assembled:
    """Reads an owner's mechanism as authored, and assembles it. `is_rest`: as for `read`.

    Raises:
        RigError: the mechanism cannot be read or assembled, or has nothing that can move.
    """
    reading = read(owner, depsgraph, is_rest)
    try:
        solver = MechanismSolver(reading.mechanism)
    except MechanismError as error:
        raise RigError(f"Mechanism '{owner.name}': {error}") from error
    if not len(solver.tree) or all(body.grounded for body in reading.mechanism.bodies):
        raise RigError(
            f"Mechanism '{owner.name}' has nothing that can move: all of its bodies are Ground, or fixed to"
            " one. Let a body move (its Role), or give a joint another kind"
        )
    assembly = assemble(solver, tries=TRIES)
    if not assembly.report.assembled:
        raise RigError(
            f"Mechanism '{owner.name}' cannot be assembled: joint '{assembly.report.worst}' stays open by"
            f" {rounded(1e3 * assembly.report.residual, 3)} mm or mrad. Bring its bodies nearer to each"
            " other, mend their lengths, or widen the limits of its joints"
        )
    rest = with_revolutions(owner, solver, assembly.state)
    counts = count(solver, rest)
    is_over_actuated = counts.independent_actuators < counts.actuators
    model = MechanismModel(solver, rest, (), frozenset(counts.undetermined), is_over_actuated)
    return Assembled(reading, model, inputs.base(owner, reading, Placement(depsgraph, {})))


def store(owner: bpy.types.Object, mechanism: Assembled) -> None:
    """Stores an assembled mechanism, which is used while it is live."""
    _stored[owner.session_uid] = mechanism


def stored(owner: bpy.types.Object) -> Assembled | None:
    """The stored mechanism of an owner; None if there is none."""
    return _stored.get(owner.session_uid)


def drop_others(owners: Container[int]) -> None:
    """Discards stored mechanisms, except those of these owners (session_uids)."""
    for uid in [uid for uid in _stored if uid not in owners]:
        del _stored[uid]


def bones(rig: bpy.types.Object) -> Container[str]:
    """Names of an armature's bones that its live mechanism moves; empty without one."""
    mechanism = _stored.get(rig.session_uid)
    return mechanism.bodies.get(rig.session_uid, {}) if mechanism is not None else ()


def forget() -> None:
    """Discards all stored mechanisms, before Blender frees the data to which they refer."""
    _stored.clear()
