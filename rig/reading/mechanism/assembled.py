"""Imported and assembled mechanisms: the solver's model, its start, and what ties both to the scene.

While a mechanism is live its bodies are not shown where they are authored, so the one that was imported when live began is stored here, for
live, renders and bakes. Runtime only.
"""

from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property

from ....character.mechanism.tick import Model
from ....solvers.mechanism.assembly import assemble
from ....solvers.mechanism.counting import count
from ....solvers.mechanism.frames import Array
from ....solvers.mechanism.model import MechanismError
from ....solvers.mechanism.solver import MechanismSolver
from ...blender.errors import RigError
from ...blender.one_thread import in_one_thread
from ...showing.mechanism_proxy import shown_parts
from ..placement import Placement
from . import inputs
from .reading import Reading, read
from .starts import with_turns

TRIES = 20  # starts to try for a mechanism that does not close at once; each takes some milliseconds

_kept: dict[int, "Ready"] = {}  # by the owner's session_uid


@dataclass(frozen=True, eq=False)
class Ready:
    """An imported mechanism, assembled; without motors."""

    reading: Reading
    model: Model
    base: Array  # (4, 4) where the mechanism's base was in the world

    @cached_property
    def bodies(self) -> dict[int, dict[str, int]]:
        """The objects and bones of the bodies that it moves: object's session_uid -> bone ("": the object) -> the body's index."""
        found: dict[int, dict[str, int]] = {}
        for k, part in shown_parts(self.reading):
            found.setdefault(part.uid, {})[part.bone] = k
        return found


@in_one_thread
def prepare(owner, depsgraph, is_rest: bool = False) -> Ready:
    """The mechanism as it is authored, assembled; `is_rest` as `read` has it.

    Raises:
        RigError: it cannot be read, or cannot be assembled.
    """
    reading = read(owner, depsgraph, is_rest)
    try:
        solver = MechanismSolver(reading.mechanism)
    except MechanismError as error:
        raise RigError(f"Mechanism '{owner.name}': {error}") from error
    if not solver.coordinates.width or all(body.grounded for body in reading.mechanism.bodies):
        raise RigError(
            f"Mechanism '{owner.name}' has nothing that can move: all of its bodies are Ground, or fixed to one."
            " Let a body move (its Role), or give a joint another kind"
        )
    found = assemble(solver, tries=TRIES)
    if not found.report.assembled:
        raise RigError(
            f"Mechanism '{owner.name}' cannot be assembled: joint '{found.report.worst}' stays open by {1e3 * found.report.residual:.3g} mm"
            " or mrad. Bring its bodies nearer to each other, mend their lengths, or widen the limits of its joints"
        )
    rest = with_turns(owner, solver, found.state)
    counts = count(solver, rest)
    named = {goal.body.name for goal in owner.limber.mechanism.goals if goal.body}
    is_determined = not named & set(counts.undetermined)
    is_over_actuated = counts.independent_actuators < counts.actuators
    model = Model(solver, rest, (), is_determined, is_over_actuated)
    return Ready(reading, model, inputs.base(owner, reading, Placement(depsgraph, {})))


def keep(owner, ready: Ready) -> None:
    """Stores an assembled mechanism for all that will move it."""
    _kept[owner.session_uid] = ready


def kept(owner) -> Ready | None:
    """The stored mechanism of an owner."""
    return _kept.get(owner.session_uid)


def drop_others(owners: Container[int]) -> None:
    """Drops the stored mechanisms of all but these owners (session_uids)."""
    for uid in [uid for uid in _kept if uid not in owners]:
        del _kept[uid]


def bones(rig) -> Container[str]:
    """The bones of an armature that its live mechanism moves."""
    made = _kept.get(rig.session_uid)
    return made.bodies.get(rig.session_uid, {}) if made is not None else ()


def forget() -> None:
    """Drops all: the data that they refer to is gone."""
    _kept.clear()
