"""Session of a chain: reads authored poses and targets as Blender has evaluated them, and shows the solved
pose in the bones' channels.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from bpy.types import Object, PropertyGroup
from mathutils import Matrix

from ...character.attention import Attention
from ...character.chain.hanging import ChainPose
from ...character.chain.inputs import ChainInputs, ChainTask, EndInputs, InputsError
from ...character.chain.settings import (
    BLEND,
    POSTURE,
    ChainFrame,
    ChainSettings,
    chain_inputs,
    kept_posture,
)
from ...character.chain.tick import ChainModel
from ...character.mover import GoalResidual
from ...character.widest_look import LookState
from ...motion import Kinematic, MotionError
from ...solvers.goals import GazeError, GazeGoal
from ...solvers.kinematics.skeleton import SkeletonError
from ...solvers.table import UnavailableSolverError, unavailable
from ..blender.errors import RigError
from ..blender.presence import evaluated
from ..bones import channels
from ..bones.axes import is_prismatic
from ..bones.channels import Channel
from ..bones.joint_axes import constraint_range
from ..bones.joint_bones import SCALED
from ..bones.rotation_modes import CHANNELS
from ..chains import chain as build
from ..chains.joint_tree import bone_frames
from ..chains.kept_posture import active, kept
from ..chains.skeleton import AuthoredChannels, ChainReader
from ..mechanisms.conflicts import why_taken
from ..scene import goal as goals
from ..scene.dependencies import ChainTarget
from ..scene.placement import Hanging, Placement
from .chain_recipe import ChainRecipe
from .directed import DirectedChain, by_behaviour
from .lids import Lid, lid_channels, read_lids
from .mover import JointKey, Mover
from .session import NO_VALUE, Cached, JointLimits, SceneSession, SessionInputs
from .shown_pose import ShownPose

SETUP_ERRORS = (RigError, GazeError, SkeletonError, MotionError, InputsError)


@dataclass
class ChainSession(SceneSession):
    """Session (state from frame to frame) of a chain."""

    reader: ChainReader | None = None
    first_reader: ChainReader | None = None  # the reader when live began
    settings: tuple = ()  # stored settings when `reader` was made
    model: ChainModel | None = None
    recipe: "ChainRecipe | None" = None  # inputs from which the current model was made
    made_of: tuple = ()  # inputs from which the model and the ends were last made
    refusal: str = ""  # why the solver does not support the chain as last read, as a sentence; "" if it does
    ends: tuple[EndInputs, ...] = ()  # the ends' goals without their targets
    aimed: tuple[EndInputs, ...] = ()  # the ends' goals with their targets, from the last read
    poses: tuple[AuthoredChannels, ...] = ()  # authored poses of the chain's bones, from the last read
    held: tuple = ()  # the values of `poses` that no joint moves
    joint_values: np.ndarray | None = None  # (n,) [rad; prismatic joints m] values of the joints in `poses`
    fixed: Cached[tuple] = NO_VALUE  # the parts of `poses` that no joint moves, rounded for the model
    lids: tuple[Lid, ...] = ()  # bones that are eyelids, in their authored pose
    authored: np.ndarray | None = None  # (n,) [rad; prismatic joints m] authored values at the last read
    chain_settings: ChainSettings | None = None  # the chain's settings at the last read
    base: list[list[float]] = field(default_factory=list)  # world matrix of the base, from the last read
    hanging: Hanging | None = None  # the other chain that carries the base, from the last read
    # coordinate frame of each bone of the chain, see `joint_tree.bone_frames`
    bone_frames: dict[str, tuple[int, np.ndarray]] = field(default_factory=dict)

    errors = SETUP_ERRORS

    @property
    def influence(self) -> float:
        """Influence of the gaze at the last tick, 0 to 1; 1 before the first."""
        return self.state.task.influence if self.state is not None and self.state.task is not None else 1.0

    @property
    def _task(self) -> ChainTask | None:
        return self.state.task if self.state is not None else None

    @property
    def attention(self) -> Attention | None:
        """State of attention at the last tick; None if there is none, as the target is followed directly."""
        return self._task.attention if self._task is not None else None

    @property
    def goal(self) -> GazeGoal | None:
        """The solver's goal in the last tick; None if there is none, as before the first."""
        return self._task.goal if self._task is not None else None

    @property
    def is_settled(self) -> bool:
        task = self._task
        return task is None or not (task.is_easing or (task.eyes is not None and not task.eyes.is_settled))

    @property
    def is_on_its_way(self) -> bool:
        """Whether the look is still moving toward its target, or the bones move to another branch of
        solutions.
        """
        solution = self.outputs.solution if self.outputs is not None else None
        is_easing = self._task is not None and self._task.is_easing
        return is_easing or (solution is not None and solution.is_on_its_way)

    @property
    def look(self) -> LookState | None:
        """State of the look at the last tick; None if nothing limits, offsets or shares the look."""
        return self._task.look if self._task is not None else None

    @property
    def posture_offsets(self) -> np.ndarray | None:
        """Offsets (n,) [rad; prismatic joints m] that effects, such as idle motion, added to the posture at
        the last tick; None: no effects.
        """
        return self.state.offsets if self.state is not None else None

    @property
    def has_new_rest_pose(self) -> bool:
        """Whether rest poses of the chain's bones have changed since live began."""
        if self.first_reader is None or self.first_reader is self.reader:
            return False
        before = self.first_reader.rests
        return any(before.get(name, rest) != rest for name, rest in self.reader.rests.items())

    def show(self, inputs: SessionInputs) -> tuple[dict, dict]:
        record = self.record
        record.problem = record.problem or self.outputs.problem
        if not self.poses:
            return record.pose, record.desired_pose
        pose = self._shown(self.outputs.angles)
        return pose, self._shown(self.outputs.desired) if inputs.is_mutual else pose

    def _shown(self, values: np.ndarray) -> ShownPose:
        """The pose for joint values (n,) [rad; prismatic joints m]."""
        angles = values.tolist()
        chain = ChainPose(self.base, self.outputs.skeleton, tuple(angles))
        shown = self.reader.channels(self.poses, angles)
        if self.lids:
            shown |= lid_channels(self.lids, self.outputs.lid)
        return ShownPose(shown, chain, self.bone_frames)

    def differs(self, inputs: SessionInputs) -> bool:
        before = self.poses
        return super().differs(inputs) or self.poses is not before

    def values(self) -> dict[JointKey, float]:
        return self._by_joint(self.outputs.angles) if self.outputs is not None else {}

    def motion(self) -> dict[JointKey, Kinematic]:
        if self.state is None or self.reader is None or not self.state.model.filters:
            return {}
        return dict(zip(self.reader.joint_keys, self.state.motion, strict=True))

    def desired(self) -> dict[JointKey, float]:
        return self._by_joint(self.outputs.desired) if self.outputs is not None else {}

    def solved(self) -> dict[JointKey, float]:
        return self._by_joint(self.outputs.solution.angles) if self.outputs is not None else {}

    def goal_errors(self, mover: Mover) -> list[GoalResidual]:
        ends = goals.with_goal(mover.settings)
        return [
            GoalResidual(
                f"'{end.bone}'",
                error.angle if end.settings.goal in goals.LOOKS | goals.ORIENTS else 0.0,
                error.distance,
            )
            for end, error in zip(ends, self.outputs.solution.measured.errors, strict=True)
        ]

    def limits(self) -> dict[JointKey, JointLimits]:
        if self.model is None or self.reader is None:
            return {}
        joints = self.model.skeleton.joints
        limits = (JointLimits(j.lower, j.upper, j.velocity, j.acceleration, j.jerk) for j in joints)
        return dict(zip(self.reader.joint_keys, limits, strict=True))

    @property
    def warning(self) -> str:
        return self.outputs.solution.remark if self.outputs is not None else ""

    def aim_errors(self) -> tuple[str, float, float]:
        return "The end", self.outputs.solution.aim_error, self.outputs.filtered_aim_error

    @property
    def why_missed(self) -> str:
        return self.outputs.solution.reason

    def keys(
        self, mover: Mover, placement: Placement, before: Mapping[Channel, float]
    ) -> dict[Channel, float]:
        rig, channel_values = mover.owner, {}
        if self.reader is None:
            return channel_values
        by_rotation = {
            bone for bone, mode in self.reader.modes.items() if mode in CHANNELS
        } | self.reader.compensating
        for (bone, axis), value in self.values().items():
            if is_prismatic(axis) or bone not in by_rotation:
                channel_values[channels.of_joint(rig, bone, axis)] = value
        for bone in self.reader.modes:
            if bone in by_rotation:
                channel_values |= channels.of_rotation(rig, bone, self.pose[bone][0], before)
        for lid in self.lids:
            channel_values |= channels.of_rotation(rig, lid.bone, self.pose[lid.bone][0], before)
        return channel_values

    def _by_joint(self, angles: np.ndarray) -> dict[JointKey, float]:
        return (
            dict(zip(self.reader.joint_keys, angles.tolist(), strict=True)) if self.reader is not None else {}
        )

    def read(self, inputs: SessionInputs, dt: float) -> tuple[ChainModel, ChainInputs]:
        """(model, inputs) of the chain in a frame.

        Raises:
            RigError, SkeletonError, GazeError, MotionError, InputsError: the setup cannot be used.
        """
        rig, chain = inputs.mover
        placement, scene_read = inputs.view, inputs.scene_read
        depsgraph = scene_read.depsgraph
        shown = evaluated(rig, depsgraph)
        if (bodies := scene_read.bodies.get(rig.session_uid)) and (why := why_taken(rig, chain, bodies)):
            raise RigError(why)
        solver = scene_read.solver(inputs.mover)
        self._update_reader(inputs, solver, shown)
        reader = self.reader
        before = self.poses if self.state is not None else ()
        poses = reader.read(
            shown.pose.bones, placement.moved.get(rig.session_uid, {}), scene_read.followed(rig), before
        )
        if poses != self.poses:
            self.poses, self.held, self.joint_values = poses, reader.held(poses), reader.angles(poses)
        world = placement.object(rig)
        performer = scene_read.performer(inputs.mover)
        self._update_model(rig, chain, solver, world, BLEND if performer else chain.base)
        evaluated_chain = build.keyed(rig, chain, depsgraph)
        self.authored = self._authored(shown)
        self.lids = read_lids(shown, chain) if chain.eyes.enabled else ()
        settings = ChainSettings.of(evaluated_chain)
        directed = (
            self._as_authored(inputs.mover, evaluated_chain, settings)
            if performer is None
            else by_behaviour(inputs.mover, self, evaluated_chain, settings, performer, dt)
        )
        self.chain_settings = directed.settings
        self._aim(inputs, chain, directed.watch, directed.settings.influence)
        self._update_base(rig, chain, placement, world)
        scene = depsgraph.scene
        chain_frame = ChainFrame(
            name=chain.name,
            base=self.base,
            ends=self.aimed,
            posture=directed.posture,
            kept=directed.kept,
            has_choice=bool(evaluated_chain.targets),
            seconds=scene.frame_current_final * scene.render.fps_base / scene.render.fps,
            gestures=directed.gestures,
        )
        return self.model, chain_inputs(
            chain_frame,
            self.chain_settings,
            is_filtered=bool(self.model.filters),
            ahead=inputs.ahead,
            is_mutual=inputs.is_mutual,
        )

    def _as_authored(self, mover: Mover, evaluated: PropertyGroup, settings: ChainSettings) -> DirectedChain:
        """Posture that the chain keeps and target that it follows by its own settings, without a behaviour.
        Raises RigError if a stored posture is missing, or has no value of the chain's joints.
        """
        chain, stored = mover.settings, partial(self.in_posture, mover, self.reader.joint_keys)
        posture = kept(chain, evaluated, self.authored, stored)
        if self.model.filters:
            return DirectedChain(settings, evaluated.watch, posture, None)
        identity, values = chain.base, None
        if chain.base == POSTURE:
            action = active(chain, evaluated)
            identity, values = action.session_uid, stored(action)
        stored_posture = kept_posture(chain.base, identity, values, len(posture))
        return DirectedChain(settings, evaluated.watch, posture, stored_posture)

    def _update_base(self, rig: Object, chain: PropertyGroup, placement: Placement, world: Matrix) -> None:
        """Reads the base frame: sets `base`, and `hanging` if another chain carries it.

        Raises:
            RigError: a parent of the chain is scaled, and not all of its bones inherit that.
        """
        reader = self.reader
        name, location = reader.names[0], reader.base_location(self.poses)
        self.hanging = placement.hanging_root(rig, name, location)
        if self.hanging is not None:
            self.base = self.hanging.world.tolist()
            return
        base = placement.root(rig, name, location)
        if not reader.inherits_scale and max(abs(size - 1.0) for size in Matrix(base).to_scale()) > SCALED:
            raise RigError(
                f"A parent of bone '{name}' is scaled, and not all bones of chain '{chain.name}' inherit it:"
                " clear it"
            )
        self.base = (np.array(world, float) @ base).tolist()

    def _aim(self, inputs: SessionInputs, chain: PropertyGroup, watch: int, influence: float) -> None:
        """Reads the ends' targets; the chain's own end uses the target with the number `watch`. At Influence
        0 without a filter, targets have no effect: if one is missing, those of the last read are kept.

        Raises:
            RigError: a target cannot be used.
        """
        rig = inputs.mover.owner
        try:
            targets = [goals.target(chain, end.number, watch, rig, inputs.view) for end in self.ends]
        except RigError:
            if influence > 0.0 or self.model.filters or len(self.aimed) != len(self.ends):
                raise
            return
        self.aimed = tuple(
            _aimed(end, target, inputs.targets) for end, target in zip(self.ends, targets, strict=True)
        )

    def _authored(self, shown: Object) -> np.ndarray:
        """Authored joint values (n,) [rad; prismatic joints m]. Without a motion filter they are clamped
        here, as the bones' own constraints do, since no later step does it.
        """
        values = self.joint_values.copy()
        if not self.model.filters:
            for k, ((bone, axis), joint) in enumerate(
                zip(self.reader.joint_keys, self.model.skeleton.joints, strict=True)
            ):
                if not joint.lower <= values[k] <= joint.upper and (
                    span := constraint_range(shown.pose.bones[bone], axis)
                ):
                    values[k] = min(max(values[k], span[0]), span[1])
        return values

    def _update_reader(self, inputs: SessionInputs, solver: str, shown: Object) -> None:
        """Makes the reader again if the chain's settings, its bones or their rotation modes may have changed;
        if its joints have changed, motion begins at rest.
        """
        scene_read, (rig, chain) = inputs.scene_read, inputs.mover
        settings = (rig.data.name, *build.stored(chain, solver))
        if self.reader is not None and self.reader.modes_changed(shown.pose.bones):
            scene_read.dirty.add(rig.data.name)
        if self.reader is not None and self.settings == settings and rig.data.name not in scene_read.dirty:
            return
        reader, before = ChainReader(rig, chain, scene_read.hanging(rig)), self.reader
        self.settings = settings
        if reader == before:
            return
        self.reader, self.recipe, self.stored = reader, None, {}
        self.first_reader = self.first_reader or reader
        self.made_of, self.poses, self.fixed = (), (), NO_VALUE
        # the model and the recorded motion belong to the joints before, so new joints start without them
        if before is None or before.joint_keys != reader.joint_keys:
            self.model = None
            self.record.clear()

    def _update_model(
        self, rig: Object, chain: PropertyGroup, solver: str, rig_in_world: Matrix, base: str
    ) -> None:
        """Makes the chain's model again if settings have changed, or the part of the pose that no joint
        moves. `base`: key of the setting Base in use, which a behaviour may replace. Raises
        UnavailableSolverError, or another of `errors`.
        """
        reader = self.reader
        self.fixed = self.fixed.of(self.held, lambda: reader.fixed(self.poses))
        fixed = self.fixed.value
        # the armature's orientation, which determines whether the body may rotate as a whole
        orientation = tuple(map(tuple, rig_in_world.to_3x3())) if chain.options.body == "AUTOMATIC" else ()
        filter_name = build.filter_in_use(rig, chain, reader.joints)
        made_of = (self.settings, self.fixed.key, solver, orientation, filter_name, base)
        if self.made_of != made_of:
            recipe = ChainRecipe.of(chain, reader, fixed, solver, filter_name, base, rig_in_world)
            is_new = self.model is None or self.recipe != recipe
            skeleton = recipe.skeleton(reader) if is_new else self.model.skeleton
            self.ends = goals.inputs(chain)
            self.refusal = unavailable(solver, skeleton, {end.kind for end in self.ends}, recipe.options)
            if is_new and not self.refusal:
                self.model, self.recipe = recipe.model(skeleton), recipe
                self.bone_frames = bone_frames(reader, fixed, recipe.limits)
            self.made_of = made_of
        if self.refusal:
            raise UnavailableSolverError(self.refusal)


def _aimed(end: EndInputs, target: ChainTarget, targets: Placement) -> EndInputs:
    """Inputs of an end with the predicted world matrix of its target."""
    return end._replace(target=targets.target(*target), identity=target.identity, name=target.name)
