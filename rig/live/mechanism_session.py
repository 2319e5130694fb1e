"""What is known of one mechanism from tick to tick: goals are read from the evaluated scene, one tick is made. Nothing of it is saved."""

from dataclasses import dataclass, replace
from functools import cached_property, partial

from mathutils import Matrix

from ...character.mechanism.tick import NO_MORE, Model, Motor, Outputs, State, by_joint, tick
from ...motion import Limits, MotionError, make_filter
from ...solvers.mechanism.frames import Array, inverse
from ...solvers.mechanism.goals import Goals, Steady
from ...solvers.mechanism.model import MechanismError
from ...solvers.mechanism.report import ASSEMBLED, Report
from ...solvers.mechanism.solver import MechanismSolver
from ..blender.errors import RigError
from ..properties.character import character
from ..reading.dependencies import Linkage, Mover
from ..reading.keyed import keyed_mechanism
from ..reading.mechanism import assembled
from ..reading.mechanism import inputs as asked
from ..reading.mechanism.assembled import Ready
from ..reading.mechanism.errors import missed
from ..reading.mechanism.owners import is_mechanism
from ..reading.mechanism.poses import matrix_of
from ..reading.mechanism.reading import Reading
from ..reading.mechanism.shapes import freedoms
from ..reading.moving import Moving
from ..reading.placement import Placement
from ..showing.mechanism_proxy import world_of

MISSED = 100 * ASSEMBLED  # [m or rad] what is left of the goals is worth a word from here
ERRORS = (RigError, MechanismError, MotionError)


@dataclass(frozen=True, eq=False)
class Stand:
    """Where a mechanism's bodies are in a frame."""

    made: Ready
    base: Array  # (4, 4) the mechanism's base in the world
    poses: Array  # (b, 4, 4) bodies in it

    @cached_property
    def bodies(self) -> dict[int, dict[str, "Stand"]]:
        """What shows the bodies, as `Placement` asks for it."""
        return {uid: dict.fromkeys(bones, self) for uid, bones in self.made.bodies.items()}

    def world(self, uid: int, bone: str) -> Matrix:
        """World matrix of the object or bone that shows a body."""
        k = self.made.bodies[uid][bone]
        part = self.made.reading.parts[k]
        return matrix_of(world_of(part, self.base, self.poses[k]), part.scale)


@dataclass
class MechanismSession(Moving):
    """As a chain's session, of a mechanism; its channels are its bodies, as a `Stand` has them."""

    made: Ready | None = None
    model: Model | None = None
    model_key: tuple = ()
    state: State | None = None
    outputs: Outputs | None = None
    base: Array | None = None  # (4, 4) the mechanism's base in the world, at the last tick
    problem: str = ""  # why it does not follow, as a sentence with its remedy
    endless: str = ""  # that it follows itself, as a sentence
    remark: str = ""  # how it falls short of its goals

    @property
    def reading(self) -> Reading | None:
        return self.made.reading if self.made is not None else None

    @property
    def solver(self) -> MechanismSolver | None:
        return self.made.model.solver if self.made is not None else None

    def advance(self, owner, kept, placement: Placement, dt: float, back: tuple | None = None) -> None:
        """One tick. Reads only what the depsgraph has evaluated; the outcome is in the session. `back`: as `through` has it."""
        self.endless = through(owner, back)
        try:
            goals = self._read(owner, kept, placement)
            self.outputs, self.state = tick(self.model, goals, self.state, dt)
            said = (self.endless, _remark(self.model, self.outputs, self.state))
            self.problem, self.remark = "", ". ".join(filter(None, said))
        except ERRORS as error:
            self.problem = str(error)
            if (state := self.state) is not None:  # it comes to rest where it was going
                self.outputs, self.state = tick(state.model, state.goals, state, dt)
        if self.outputs is not None:
            self.channels = self.going = Stand(self.made, self.base, self.outputs.poses).bodies

    def differs(self, owner, kept, placement: Placement) -> bool:
        """Whether something new is asked, or it became right or wrong, since its last tick."""
        before = self.model, self.base
        try:
            goals = self._read(owner, kept, placement)
        except ERRORS as error:
            return str(error) != self.problem
        stays = self.state is not None and self.state.goals == goals and self.model is before[0]
        return bool(self.problem) or not stays or before[1] is None or bool((self.base != before[1]).any())

    def linkage(self, owner, kept) -> Linkage:
        """What it moves, and what moves it."""
        self._take_up(owner, kept)
        if self.made is None:
            return Linkage((owner, kept), Mover(), lambda surely: [])
        return Linkage((owner, kept), Mover(bodies=self.made.bodies), partial(asked.leaders, owner, kept, self.made.reading))

    def _take_up(self, owner, kept) -> None:
        """A mechanism that is live is as it was read when live began."""
        made = assembled.kept(owner) if kept.live else None
        if made is not None and made is not self.made:
            self.take(made)

    def take(self, made: Ready) -> None:
        """Another reading of the mechanism, where motion begins anew."""
        self.made, self.model, self.model_key, self.outputs, self.base = made, made.model, (), None, None
        self.channels = self.going = {}
        self.restart()

    def _read(self, owner, kept, placement: Placement) -> Goals:
        """Brings the model and the base up to date; returns what is asked."""
        self._take_up(owner, kept)
        if self.made is None:
            raise RigError(self.problem or f"Mechanism '{owner.name}' could not be read: press End Live, then Check")
        reading = self.made.reading
        asked.refuse_change(owner, reading)
        self._update_model(owner, kept, reading)
        self.base = asked.base(owner, reading, placement)
        now = keyed_mechanism(owner, kept, placement.depsgraph)
        steady = Steady(now.steady) if now.steady else Steady()
        if now.drive == "MOTORS":
            asked.ordered(kept, reading)
            told = tuple(motor.value for motor in now.motors)
            held = tuple(asked.driven(reading, placement, inverse(self.base)))
            return Goals(held, actuators=by_joint(self.model, told), steady=steady, counts_turns=True)
        frames, centre = asked.frames(kept, now, reading, placement, inverse(self.base))
        return Goals(tuple(frames), centre, steady=steady)

    def _update_model(self, owner, kept, reading: Reading) -> None:
        motors = asked.ordered(kept, reading)
        limits = [(motor.lower, motor.upper, motor.velocity, motor.acceleration, motor.jerk) for motor in motors]
        key = (tuple(limits), kept.filter, character(kept))
        if self.model_key == key:
            return
        moves, made = character(kept), []
        for motor, numbers in zip(motors, limits, strict=True):
            joint = reading.mechanism.joint[asked.motor_joint(motor, reading)]
            index = list(freedoms(joint.kind)).index(motor.axis)
            try:
                made.append(Motor(joint.name, index, make_filter(kept.filter, Limits(*numbers), moves)))
            except MotionError as error:
                raise RigError(f"Motor '{motor.name}': {error}") from error
        self.model, self.model_key = replace(self.model, motors=tuple(made)), key


def through(owner, back: tuple | None) -> str:
    """That a mechanism follows itself through `back`, an (object, mover) that it follows and that follows it, as a sentence; "" without."""
    if back is None:
        return ""
    thing, other = back
    so = "so what they come to hangs on the frames before"
    if thing == owner and is_mechanism(other):
        return f"Mechanism '{owner.name}' follows what it moves itself, {so}: choose a target that it does not move"
    named = f"mechanism '{thing.name}'" if is_mechanism(other) else f"chain '{other.name}' of '{thing.name}'"
    return (
        f"Mechanism '{owner.name}' follows {named}, which in turn hangs on it or looks at it, {so}: choose another target, or clear a"
        " parent, so that only one of them follows the other"
    )


def _remark(model: Model, outputs: Outputs, state: State) -> str:
    """How the goals are missed, as a sentence; "" where they are met."""
    report = outputs.report
    if not report.assembled or not outputs.is_closed:
        gap = f"Joint '{report.worst}' is open by {1e3 * report.residual:.3g} mm or mrad"
        return f"{gap}: lead the targets back, or begin again from a frame before this one"
    said = [_shortfall(model, report, state)] if report.goal_error > MISSED else []
    if state.flipped:
        said.append("A loop went over to its other assembly: lead the targets another way, or begin again from a frame before this one")
    return ". ".join(filter(None, said))


def _shortfall(model: Model, report: Report, state: State) -> str:
    asked = "motors' values" if state.goals.actuators else "targets"
    if not (left := missed(model.solver, state.goals, state.wanted)):
        return ""
    if not report.settled and state.vain < NO_MORE:
        return f"On its way to the {asked}: {left}"
    return f"The {asked} cannot be met, {left}" + (f": {report.at_limits[0]}" if report.at_limits else "")
