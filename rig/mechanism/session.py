"""Mechanisms that move: goals read from the evaluated scene, one tick of each. After the chains, whose new poses it takes.

Whoever wants motion has a stage of its own, as with chains: live, rendering, a bake.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from mathutils import Matrix

from ...motion import Limits, MotionError, make_filter
from ...solvers.mechanism.assembly import assemble
from ...solvers.mechanism.counting import count
from ...solvers.mechanism.frames import Array, inverse
from ...solvers.mechanism.goals import CentreGoal, FrameGoal, Goals, Steady
from ...solvers.mechanism.model import HERE, Frame, MechanismError
from ...solvers.mechanism.report import ASSEMBLED
from ...solvers.mechanism.solver import MechanismSolver
from ..character_properties import character
from ..errors import RigError
from ..identity import find
from ..one_thread import in_one_thread
from ..placement import Placement
from .poses import frame_of, rigid
from .reading import Part, Reading, read, signature
from .shapes import freedoms
from .tick import Model, Motor, Outputs, State, by_joint, tick

MISSED = 100 * ASSEMBLED  # [m or rad] what is left of the goals is worth a word from here
TRIES = 20  # starts from which a mechanism that does not close at once is tried; each takes some milliseconds


@dataclass
class Session:
    """What is known of one mechanism from tick to tick; nothing of it is saved."""

    reading: Reading | None = None
    solver: MechanismSolver | None = None
    model: Model | None = None
    model_key: tuple = ()
    state: State | None = None
    outputs: Outputs | None = None
    base: Array | None = None  # (4, 4) the mechanism's base in the world, at the last tick
    problem: str = ""  # why it does not follow, as a sentence with its remedy
    remark: str = ""  # how it falls short of its goals

    def restart(self) -> None:
        """Forget the motion: the next tick begins at rest in its solution."""
        self.state = None


@in_one_thread
def prepare(owner, depsgraph) -> Session:
    """A session for a mechanism as it is authored, assembled.

    Raises:
        RigError: it cannot be read, or cannot be assembled.
    """
    reading = read(owner, depsgraph)
    try:
        solver = MechanismSolver(reading.mechanism)
    except MechanismError as error:
        raise RigError(f"Mechanism '{owner.name}': {error}") from error
    found = assemble(solver, tries=TRIES)
    if not found.report.assembled:
        raise RigError(
            f"Mechanism '{owner.name}' cannot be assembled: joint '{found.report.worst}' stays open by {1e3 * found.report.residual:.3g} mm"
            " or mrad. Bring its bodies nearer to each other, mend their lengths, or widen the limits of its joints"
        )
    counts = count(solver, found.state)
    named = {goal.body.name for goal in owner.limber.mechanism.goals if goal.body}
    is_determined = not named & set(counts.undetermined)
    is_over_actuated = counts.independent_actuators < counts.actuators
    return Session(reading, solver, Model(solver, found.state, (), is_determined, is_over_actuated))


class MechanismStage:
    """The sessions of many mechanisms, by their owner.

    Args:
        placed: Where things are with the chains' new poses, at a depsgraph's moment.
    """

    def __init__(self, placed: Callable[[object], Placement]) -> None:
        self.placed = placed
        self.sessions: dict[int, Session] = {}

    def session(self, owner, _mechanism=None) -> Session:
        return self.sessions.setdefault(owner.session_uid, Session())

    def moment(self) -> dict:
        """What `copy` needs to go on from here, at a later time."""
        return {key: session.state for key, session in list(self.sessions.items())}

    def copy(self, moment: dict | None = None) -> "MechanismStage":
        """Another stage that goes on by itself, from here or from an earlier moment of this one."""
        other = MechanismStage(self.placed)
        for key, session in list(self.sessions.items()):
            other.sessions[key] = copied = replace(session)
            if moment is not None:
                copied.state = moment.get(key)
        return other

    def restart(self) -> None:
        for session in self.sessions.values():
            session.restart()

    @in_one_thread
    def advance(self, pairs: list[tuple], depsgraph, dt: float) -> None:
        """One tick of the (owner, mechanism) pairs; the outcome is in their sessions."""
        placement = self.placed(depsgraph) if pairs else None
        for owner, kept in pairs:
            session = self.session(owner)
            try:
                goals = self._read(owner, kept, placement, session)
                session.outputs, session.state = tick(session.model, goals, session.state, dt)
                session.problem = ""
                session.remark = _remark(session, kept)
            except (RigError, MechanismError, MotionError) as error:
                session.problem = str(error)
                if (state := session.state) is not None:  # it comes to rest where it was going
                    session.outputs, session.state = tick(state.model, state.goals, state, dt)

    def is_at_rest(self, pairs: list[tuple]) -> bool:
        sessions = [self.session(owner) for owner, _ in pairs]
        return all(session.outputs is None or session.outputs.at_rest for session in sessions)

    def has_changed(self, pairs: list[tuple], depsgraph) -> bool:
        """Whether a mechanism is asked for something new, or became right or wrong, since its last tick; or it was left on its way, as live
        is that is undone and redone."""
        if not self.is_at_rest(pairs):
            return True
        placement = self.placed(depsgraph) if pairs else None
        for owner, kept in pairs:
            session = self.session(owner)
            before = session.model, session.base
            try:
                goals = self._read(owner, kept, placement, session)
            except (RigError, MechanismError, MotionError) as error:
                if str(error) != session.problem:
                    return True
                continue
            stays = session.state is not None and session.state.goals == goals and session.model is before[0]
            if session.problem or not stays or before[1] is None or (session.base != before[1]).any():
                return True
        return False

    def _read(self, owner, kept, placement: Placement, session: Session) -> Goals:
        """Brings the session's model and base up to date; returns what is asked."""
        if session.reading is None:
            raise RigError(session.problem or f"Mechanism '{owner.name}' could not be read: press End Live, then Check")
        _refuse_change(owner, session.reading)
        self._update_model(owner, kept, session)
        session.base = _base(owner, session.reading, placement)
        back = inverse(session.base)
        steady = Steady(kept.steady) if kept.steady else Steady()
        if kept.drive == "MOTORS":
            return Goals(actuators=by_joint(session.model, tuple(motor.value for motor in _ordered(kept, session.reading))), steady=steady)
        frames = [_driven(part, placement, back) for part in session.reading.parts if part.role == "DRIVEN"]
        centre = None
        for goal in kept.goals:
            if goal.target is None:
                raise RigError(f"Goal '{goal.name}' has no target: choose an object that says where")
            _refuse_lost(goal, placement.depsgraph)
            _refuse_circle(goal, session.reading)
            at = back @ rigid(placement.object(goal.target))
            if goal.does == "CENTRE":
                if not any(body.mass > 0.0 for body in session.reading.mechanism.bodies):
                    raise RigError(f"Goal '{goal.name}': no body has a mass: give bodies a rigid body with a mass, or choose another goal")
                centre = CentreGoal(frame_of(at).place, tuple(goal.place_weight))
            else:
                frames.append(_wanted(goal, session.reading, frame_of(at), placement))
        return Goals(tuple(frames), centre, steady=steady)

    def _update_model(self, owner, kept, session: Session) -> None:
        motors = _ordered(kept, session.reading)
        limits = [(motor.lower, motor.upper, motor.velocity, motor.acceleration, motor.jerk) for motor in motors]
        key = (tuple(limits), kept.filter, character(kept))
        if session.model_key == key:
            return
        moves, made = character(kept), []
        for motor, numbers in zip(motors, limits, strict=True):
            joint = session.reading.mechanism.joint[motor_joint(motor)]
            index = list(freedoms(joint.kind)).index(motor.axis)
            try:
                made.append(Motor(joint.name, index, make_filter(kept.filter, Limits(*numbers), moves)))
            except MotionError as error:
                raise RigError(f"Motor '{motor.name}': {error}") from error
        session.model, session.model_key = replace(session.model, motors=tuple(made)), key


def motor_joint(motor) -> str:
    """Name of a motor's joint."""
    return motor.joint.name if motor.joint else motor.bone


def _ordered(kept, reading: Reading) -> list:
    known = reading.mechanism.joint
    for motor in kept.motors:
        if motor_joint(motor) not in known:
            raise RigError(f"Motor '{motor.name}' has no joint any more: press End Live, and remove the motor or bring the joint back")
    return list(kept.motors)


def _refuse_change(owner, reading: Reading) -> None:
    """What the mechanism is made of may not change while it is live: what is authored cannot be seen then."""
    now = signature(owner)
    if now == reading.signature:
        return
    kept = owner.limber.mechanism
    left = {thing.session_uid for thing in kept.collection.all_objects} if kept.collection else set()
    gone = [name for uid, name in reading.joint_names.items() if uid not in left]
    gone += [part.name for part in reading.parts if not part.bone and find(part.thing, part.uid) is None]
    what = f"'{gone[0]}' was deleted" if gone else "a joint, body or motor was changed"
    raise RigError(
        f"Mechanism '{owner.name}': {what} while it is live, so it stands still: undo that, or press End Live, mend it and press Live"
    )


def _base(owner, reading: Reading, placement: Placement) -> Array:
    part = reading.base_part
    if part is None:
        return rigid(placement.object(owner))
    thing = find(part.thing, part.uid)
    pose = rigid(placement.object(thing) @ placement.bone(thing, part.bone)) if part.bone else rigid(placement.object(thing))
    made: Array = pose @ part.offset
    return made


def _driven(part: Part, placement: Placement, back: Array) -> FrameGoal:
    thing = find(part.thing, part.uid)
    at = frame_of(back @ rigid(placement.object(thing)) @ part.offset)
    return FrameGoal(part.name, place=at.place, rotation=at.rotation)


def _wanted(goal, reading: Reading, at: Frame, placement: Placement) -> FrameGoal:
    body, on_body = _followed(goal, reading, placement)
    place = at.place if goal.does in ("FRAME", "POSITION") else None
    rotation = at.rotation if goal.does in ("FRAME", "ORIENTATION") else None
    return FrameGoal(body, on_body, place, rotation, tuple(goal.place_weight), tuple(goal.turn_weight))


def _followed(goal, reading: Reading, placement: Placement) -> tuple[str, Frame]:
    """The body of a goal, and where on it the followed frame is."""
    if goal.bone:
        part = next((part for part in reading.parts if part.bone == goal.bone), None)
        if part is None:
            raise RigError(f"Goal '{goal.name}': bone '{goal.bone}' is no body of the mechanism: choose another one")
        return part.name, frame_of(inverse(part.offset))
    if goal.body is None:
        raise RigError(f"Goal '{goal.name}' has no body: choose the body that is to follow")
    thing, on = goal.body, None
    while reading.part(thing) is None:
        if thing.parent is None:
            raise RigError(f"Goal '{goal.name}': '{goal.body.name}' is no body of the mechanism and on none: choose one that has a joint")
        step = thing.matrix_parent_inverse @ thing.matrix_basis
        on = step if on is None else step @ on
        thing = thing.parent
    part = reading.part(thing)
    if on is None:
        return part.name, HERE
    return part.name, frame_of(rigid(Matrix.Diagonal((*part.scale, 1.0)) @ on))


def _refuse_lost(goal, depsgraph) -> None:
    """Blender keeps a deleted object that a property still points to; what is seen need not be looked for."""
    target = goal.target
    if not target.visible_get(view_layer=depsgraph.view_layer) and depsgraph.scene.objects.get(target.name) is None:
        raise RigError(
            f"Goal '{goal.name}': target '{target.name}' is not in scene '{depsgraph.scene.name}': link it there, or choose another"
        )


def _refuse_circle(goal, reading: Reading) -> None:
    thing = goal.target
    while thing is not None:
        part = reading.part(thing)
        if part is not None and part.role == "MOVES":
            raise RigError(
                f"Goal '{goal.name}': target '{goal.target.name}' hangs on '{part.name}', which follows it: choose another target"
            )
        thing = thing.parent


def _remark(session: Session, kept) -> str:
    """How the goals are missed, as a sentence; "" where they are met."""
    report = session.outputs.report
    if not report.assembled or not session.outputs.is_closed:
        gap = f"Joint '{report.worst}' is open by {1e3 * report.residual:.3g} mm or mrad"
        return f"{gap}: lead the targets back, or begin again from a frame before this one"
    if session.state.flipped:
        return "A loop went over to its other assembly: lead the targets another way, or begin again from a frame before this one"
    if report.goal_error > MISSED:
        left = f"{1e3 * report.goal_error:.3g} mm or mrad are left"
        if not report.settled:
            return f"On its way to the targets: {left}"
        return f"The targets cannot be met, {left}" + (f": {report.at_limits[0]}" if report.at_limits else "")
    return ""
