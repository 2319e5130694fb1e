"""Session of a mover in a Blender scene: reads the mover and its inputs as Blender has evaluated them, and
shows the solved pose in Blender's terms.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from math import nan
from time import perf_counter
from typing import Generic, NamedTuple, TypeVar

import bpy
import numpy as np

from ...character.behaviour.performer import Performer
from ...character.file.postures import StoredPosture
from ...character.mover import GoalResidual, MoverModel, MoverState, Outputs
from ...character.record import MoverRecord
from ...motion import Kinematic
from ...solvers.goals import GazeGoal
from ..blender.errors import RigError
from ..bones.axes import JointKey
from ..bones.channels import Channel
from ..bones.hanging import HangingBones
from ..bones.joint_bones import SolvedChannels
from ..chains import kept_posture, postures
from ..properties.body import UID as BODY
from ..scene.placement import Placement
from .posture_keeper import PostureKeeper

Value = TypeVar("Value")


class Cached(NamedTuple, Generic[Value]):
    """A value that a session computes again only if its inputs change. Immutable, since copies of a session
    share it.
    """

    key: object = None  # what the value was computed from; None: there is no value yet
    value: Value | None = None

    def of(self, key: object, make: Callable[[], Value]) -> "Cached[Value]":
        """This cached value if it was computed for `key`, else a new one with the result of `make`."""
        return self if self.key == key else Cached(key, make())


NO_VALUE: Cached = Cached()


@dataclass
class SceneRead:
    """What sessions read of a scene in a frame beside its transforms.

    Attributes:
        depsgraph: The evaluated scene.
        sessions: Sessions of the stage's movers, by the movers' keys.
        solvers: Solvers to use instead of the chains' own, by the movers' keys.
        behaviour: The performer of the scene's behaviour; None without one.
        dirty: Names of armatures whose bones may have changed since the last tick.
        bodies: session_uid of an object -> names of its bones that show bodies of mechanisms ("": the object
            itself).
    """

    depsgraph: bpy.types.Depsgraph
    sessions: "Mapping[tuple, SceneSession]"
    solvers: Mapping[tuple, str]
    behaviour: Performer | None
    dirty: set[str]
    bodies: dict[int, set[str]] = field(default_factory=dict)
    # armature's session_uid -> its `HangingBones`
    _hanging: dict[int, HangingBones] = field(default_factory=dict)

    def followed(self, rig: bpy.types.Object) -> Mapping[str, SolvedChannels]:
        """Solved channels of the bones that the armature's body moves while it follows a motion, used by
        chains on that armature instead of authored ones; empty if its body follows nothing.
        """
        session = self.sessions.get((rig.session_uid, BODY))
        return session.shown if session is not None else {}

    def performer(self, chain: PostureKeeper) -> Performer | None:
        """The performer of the behaviour that directs a chain; None if there is none, as for chains that are
        not live.
        """
        return self.behaviour if chain.is_live else None

    def hanging(self, rig: bpy.types.Object) -> HangingBones:
        """Record of which bones of an armature object are carried by which other bones."""
        return self._hanging.setdefault(rig.session_uid, HangingBones(rig))

    def solver(self, chain: PostureKeeper) -> str:
        """Name of the solver to use for a chain: the one in `solvers`, else the chain's own."""
        return self.solvers.get(chain.key, chain.settings.solver)

    def is_dirty(self, body: PostureKeeper) -> bool:
        """Whether bones of a body or of its source may have changed since the last tick."""
        source = body.settings.source
        return body.owner.data.name in self.dirty or (source is not None and source.data.name in self.dirty)


class SessionInputs(NamedTuple):
    """Everything that a session may read in a frame.

    Attributes:
        scene_read: What sessions read of the scene.
        mover: The session's mover.
        view: Predicted transforms, with the results of movers that were ticked before.
        targets: Predicted transforms of targets: in a cycle those of the movers' desired poses, else `view`.
        ahead: Goals of the next frames, if they are known.
        feedback: The mover through which `mover` depends on itself; None without a cycle.
    """

    scene_read: SceneRead
    mover: PostureKeeper
    view: Placement
    targets: Placement
    ahead: Sequence[GazeGoal] = ()
    feedback: PostureKeeper | None = None

    @property
    def is_mutual(self) -> bool:
        """Whether the targets have the desired poses of other movers, instead of their current poses."""
        return self.targets is not self.view


class JointLimits(NamedTuple):
    """Limits of a joint: lower and upper position [rad or m], and the largest velocity [rad/s or m/s],
    acceleration [per s^2] and jerk [per s^3]; infinite without a limit.
    """

    lower: float
    upper: float
    velocity: float
    acceleration: float
    jerk: float


@dataclass
class SceneSession:
    """Session of a mover in a Blender scene, with the record of its motion. For an armature's mover, poses
    map bone names to the solved basis: (rotation wxyz, location, scale).
    """

    record: MoverRecord
    seconds: float = 0.0  # [s] duration of the last tick
    step: float = 0.0  # [s] time between the last two frames
    # [s] expected time to the next frame: the shorter of the last two steps, since a single long one is a
    # stall
    next_step: float = 0.0
    has_defect: bool = False  # whether the last tick was left out because of a defect of Limber
    # session_uid of a stored posture's action -> values (n,) of the posture
    stored: dict[int, np.ndarray] = field(default_factory=dict)

    # errors that `read` and ticks may raise: the mover then comes to rest, with the message as its problem
    errors = (RigError,)

    @abstractmethod
    def read(self, inputs: SessionInputs, dt: float) -> tuple[MoverModel, object]:
        """(model, inputs) of the mover in a frame.

        Raises:
            one of `errors`: the setup cannot be used; the message names the fault and the remedy.
        """

    @abstractmethod
    def show(self, inputs: SessionInputs) -> tuple[Mapping, Mapping]:
        """(current pose, desired pose) of the mover after a tick. The desired one is what others aim at in a
        cycle of dependencies.
        """

    def advance(self, inputs: SessionInputs, dt: float) -> None:
        """Reads the mover, ticks it by `dt` [s], and shows the result. After one of `errors` the mover comes
        to rest instead, with the message as its problem.
        """
        record = self.record
        if dt > 0.0:
            self.step, self.next_step = dt, min(dt, self.step or dt)
        record.begin()
        try:
            model, mover_inputs = self.read(inputs, dt)
            begun = perf_counter()
            record.tick(model, mover_inputs, dt)
            self.seconds = perf_counter() - begun
        except self.errors as error:
            record.rest(str(error), dt)
        self.show_outputs(inputs)

    def show_outputs(self, inputs: SessionInputs) -> None:
        """Shows the last outputs, if there are any."""
        record = self.record
        if record.outputs is not None:
            record.pose, record.desired_pose = self.show(inputs)

    def differs(self, inputs: SessionInputs) -> bool:
        """Whether inputs have changed since the last tick, or have become valid or invalid."""
        try:
            model, mover_inputs = self.read(inputs, 0.0)
        except self.errors as error:
            return str(error) != self.record.problem
        return self.record.differs(model, mover_inputs)

    @property
    def is_settled(self) -> bool:
        """Whether the session's own state, such as its attention, is constant while targets do not move."""
        return True

    @property
    def state(self) -> MoverState | None:
        """State of the mover for the next tick; None: motion begins at rest."""
        return self.record.state

    @property
    def outputs(self) -> Outputs | None:
        """Outputs of the last tick; None before the first."""
        return self.record.outputs

    @property
    def pose(self) -> Mapping:
        """Pose of the mover at the last tick."""
        return self.record.pose

    @property
    def problem(self) -> str:
        """Why the mover does not follow its goals, as a sentence with the remedy; "" if it follows them."""
        return self.record.problem

    @property
    def remark(self) -> str:
        """How the mover falls short of its goals, or what may disturb its motion, as a sentence; "" for
        nothing.
        """
        return self.record.remark

    @property
    def unmet(self) -> str:
        """The problem in this frame, else the remark, as a sentence; "" if there is neither."""
        return self.record.problem or self.record.remark

    @property
    def warning(self) -> str:
        """Warning about the motion as a whole, such as a goal that the solver changed; "" for none."""
        return ""

    def goal_errors(self, mover: PostureKeeper) -> list[GoalResidual]:
        """Errors of all goals at the last tick, as solved; a chain's own goal first. Call it only after a
        tick that has given outputs.
        """
        return []

    def solved(self) -> dict[JointKey, float]:
        """Values [rad or m] of the joints at the last tick as solved, before the motion filter."""
        return self.values()

    def prepare(
        self, mover: PostureKeeper, as_authored: Callable[[], AbstractContextManager[bpy.types.Depsgraph]]
    ) -> None:
        """Reads, while the scene shows the authored pose, what the mover needs before its first tick on a
        stage other than live motion's.

        Raises:
            RigError: the mover cannot be read.
        """

    def mark_postures_dirty(self) -> None:
        """Makes the next tick read stored postures again, after a possible change of one."""
        self.stored = {}

    def in_posture(
        self, mover: PostureKeeper, joint_keys: Sequence[JointKey], action: bpy.types.Action
    ) -> np.ndarray:
        """Values (n,) [rad or m] of the mover's joints in a stored posture; NaN for joints without a value in
        the posture.

        Raises:
            RigError: the posture contains no value of the joints, or the mover cannot be read.
        """
        if action.session_uid not in self.stored:
            joint_values = mover.in_posture(action)
            self.stored[action.session_uid] = np.array([joint_values.get(key, nan) for key in joint_keys])
        values = self.stored[action.session_uid]
        if np.isnan(values).all():
            raise RigError(postures.foreign(action, mover.settings))
        return values

    def known_postures(
        self, mover: PostureKeeper, joint_keys: Sequence[JointKey]
    ) -> dict[int, StoredPosture]:
        """The stored postures that have values of the mover's joints, by their indices in its list."""
        known, names = {}, kept_posture.names(mover.settings)
        for index, posture in enumerate(mover.settings.postures):
            if posture.action is None:
                continue
            try:
                values = self.in_posture(mover, joint_keys, posture.action)
            except RigError:
                continue
            known[index] = StoredPosture(names[index], values)
        return known

    def values(self) -> dict[JointKey, float]:
        """Value of each joint or motor [rad or m] after the filter; empty before the first tick."""
        return {}

    def motion(self) -> dict[JointKey, Kinematic]:
        """Position [rad or m], velocity [per s] and acceleration [per s^2] of each joint after the filter;
        empty if they are not known.
        """
        return {}

    def desired(self) -> dict[JointKey, float]:
        """Value of each joint or motor [rad or m] before the filter."""
        return self.values()

    def limits(self) -> dict[JointKey, JointLimits]:
        """Limits of each joint or motor; those without limits are left out."""
        return {}

    @property
    def influence(self) -> float:
        """Influence of the goals at the last tick, 0 to 1."""
        return 1.0

    def aim_errors(self) -> tuple[str, float, float]:
        """Goal with the largest angular error at the last tick.

        Returns:
            Its name, its error [rad] as solved, and its error [rad] after the motion filter.
        """
        return "The end", 0.0, 0.0

    @property
    def why_missed(self) -> str:
        """Why the solution of the last tick misses its goals, with the remedy; "" if it meets them, or if
        that is not known.
        """
        return ""

    def check_keys(self) -> None:
        """Raises RigError if keyframes cannot represent the mover's motion, because a parent's future pose is
        unknown.
        """

    def keys(
        self, mover: PostureKeeper, placement: Placement, before: Mapping[Channel, float]
    ) -> dict[Channel, float]:
        """Values to key in this frame, after a tick.

        Args:
            mover: The session's mover.
            placement: Predicted transforms in this frame.
            before: Values keyed in the last frame, so that no rotation jumps; empty in the first frame.
        """
        return {}
