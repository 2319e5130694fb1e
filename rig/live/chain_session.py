"""Session of a chain: reads authored poses and targets as Blender has evaluated them, and shows the solved
pose in the bones' channels.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from mathutils import Matrix

from ...character.attention import AttentionSettings
from ...character.chain.inputs import ChainInputs, EndInputs, InputsError, KeptPosture
from ...character.chain.tick import ChainModel, make_model
from ...character.host import Frame
from ...character.mover import GoalError
from ...character.widest_look import LookSettings
from ...motion import Kinematic, MotionError
from ...solvers.goals import GazeError
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
from ..chains.joint_tree import joint_tree
from ..chains.kept_posture import active, kept
from ..chains.skeleton import BonePose, ChainReader
from ..mechanisms.conflicts import why_taken
from ..properties.motion_style import motion_style
from ..scene import goal as goals
from . import motion_filter
from .mover import JointKey, JointLimits, SceneSession

SETUP_ERRORS = (RigError, GazeError, SkeletonError, MotionError, InputsError)


@dataclass
class ChainSession(SceneSession):
    """Session (state from frame to frame) of a chain."""

    reader: ChainReader | None = None
    settings: tuple = ()  # stored settings when `reader` was made
    model: ChainModel | None = None
    model_key: tuple = ()
    made_of: tuple = ()  # inputs from which the model and the ends were last made
    ends: tuple[EndInputs, ...] = ()  # goals of the ends, without their targets
    aimed: tuple[EndInputs, ...] = ()  # the same with their targets, as last read
    poses: tuple[BonePose, ...] = ()  # authored poses of the bones on the path
    held: tuple = ()  # the parts of `poses` that no joint moves
    fixed: tuple = ()  # the same as rounded for the model

    errors = SETUP_ERRORS

    @property
    def influence(self) -> float:
        """Influence of the gaze at the last tick, 0 to 1."""
        return self.state.task.influence if self.state is not None and self.state.task is not None else 1.0

    @property
    def attention(self):
        """State of attention at the last tick; None without lag, dead zone and change time."""
        return self.state.task.attention if self.state is not None and self.state.task is not None else None

    @property
    def goal(self):
        """The solver's goal in the last tick."""
        return self.state.task.goal if self.state is not None and self.state.task is not None else None

    @property
    def is_settled(self) -> bool:
        look = self.look
        return (self.attention is None or self.attention.is_settled) and (look is None or look.is_settled)

    @property
    def look(self):
        """State of the look at the last tick; None without a widest look and offset."""
        return self.state.task.look if self.state is not None and self.state.task is not None else None

    @property
    def posture_offsets(self):
        """Offsets (n,) [rad; prismatic joints m] that effects, such as idle motion, added to the posture at
        the last tick; None: no effects.
        """
        return self.state.offsets if self.state is not None else None

    def show(self, frame: Frame) -> tuple[dict, dict]:
        self.problem = self.problem or self.outputs.problem
        if not self.poses:
            return self.pose, self.desired_pose
        pose = self.reader.channels(self.poses, self.outputs.angles.tolist())
        return pose, (
            self.reader.channels(self.poses, self.outputs.desired.tolist()) if frame.is_mutual else pose
        )

    def differs(self, frame: Frame) -> bool:
        before = self.poses
        return super().differs(frame) or self.poses is not before

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

    def goal_errors(self, mover) -> list[GoalError]:
        ends = goals.with_goal(mover.settings)
        return [
            GoalError(
                f"'{end.bone}'",
                error.angle if end.settings.goal in goals.LOOKS | goals.ORIENTS else 0.0,
                error.distance,
            )
            for end, error in zip(ends, self.outputs.solution.end_errors, strict=True)
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

    def keys(self, mover, placement, before) -> dict[Channel, float]:
        rig, channel_values = mover.owner, {}
        if self.reader is None:
            return channel_values
        whole = {bone for bone, mode in self.reader.modes.items() if mode in CHANNELS} | self.reader.made_up
        for (bone, axis), value in self.values().items():
            if is_prismatic(axis) or bone not in whole:
                channel_values[channels.of_joint(rig, bone, axis)] = value
        for bone in self.reader.modes:
            if bone in whole:
                channel_values |= channels.of_rotation(rig, bone, self.pose[bone][0], before)
        return channel_values

    def _by_joint(self, angles: np.ndarray) -> dict[JointKey, float]:
        return (
            dict(zip(self.reader.joint_keys, angles.tolist(), strict=True)) if self.reader is not None else {}
        )

    def read(self, frame: Frame, dt: float) -> tuple[ChainModel, ChainInputs]:
        """The mover and its inputs in a frame.

        Raises:
            RigError, SkeletonError, GazeError, MotionError: the set-up cannot be used.
        """
        rig, chain = frame.mover
        placement, depsgraph = frame.view, frame.host.depsgraph
        shown = evaluated(rig, depsgraph)
        bodies = frame.host.bodies.get(rig.session_uid)
        if bodies and (why := why_taken(rig, chain, bodies)):
            raise RigError(why)
        solver = frame.host.solver(frame.mover)
        self._update_reader(rig, chain, solver, shown, frame.host.dirty)
        reader = self.reader
        before = self.poses if self.state is not None else ()
        poses = reader.read(
            shown.pose.bones, placement.moved.get(rig.session_uid, {}), frame.host.followed(rig), before
        )
        if poses != self.poses:
            self.poses = poses
        world = placement.object(rig)
        self._update_model(rig, chain, solver, world)
        evaluated_chain = build.keyed(rig, chain, depsgraph)
        self._aim(frame, chain, evaluated_chain)
        base = placement.root(rig, reader.names[0], reader.base_location(poses))
        if not reader.inherits_scale and max(abs(size - 1.0) for size in Matrix(base).to_scale()) > SCALED:
            raise RigError(
                f"A parent of bone '{reader.names[0]}' is scaled, and not all bones of chain '{chain.name}'"
                " inherit it: clear it"
            )
        on_top = build.effects(evaluated_chain)
        is_filtered = bool(self.model.filters)
        scene = depsgraph.scene
        return self.model, ChainInputs(
            base=(np.array(world, float) @ base).tolist(),
            ends=self.aimed,
            posture=kept(
                chain,
                evaluated_chain,
                self._authored(shown, poses),
                partial(self.in_posture, frame.mover, reader.joint_keys),
            ),
            name=chain.name,
            keep=evaluated_chain.keep,
            influence=evaluated_chain.influence,
            share=evaluated_chain.share,
            attention=AttentionSettings(
                max(evaluated_chain.lag, 0.0),
                evaluated_chain.dead_zone if evaluated_chain.goal in goals.LOOKS else 0.0,
                evaluated_chain.change if evaluated_chain.targets or not is_filtered else 0.0,
                eases_jumps=evaluated_chain.change > 0.0 and not is_filtered,
            ),
            look=LookSettings(
                evaluated_chain.widest_look, evaluated_chain.look_aside, evaluated_chain.look_up
            ),
            effects=on_top,
            seconds=scene.frame_current_final * scene.render.fps_base / scene.render.fps if on_top else 0.0,
            ahead=frame.ahead,
            is_mutual=frame.is_mutual,
            kept=None if is_filtered else self._kept(frame.mover, evaluated_chain),
        )

    def _aim(self, frame: Frame, chain, evaluated_chain) -> None:
        """Reads the ends' targets. At Influence 0 without a filter nothing follows them, so the last ones
        serve where one is missing.

        Raises:
            RigError: a target cannot be used.
        """
        rig, depsgraph = frame.mover.owner, frame.host.depsgraph
        try:
            targets = [
                goals.target(chain, end.number, evaluated_chain.watch, rig, depsgraph) for end in self.ends
            ]
        except RigError:
            if evaluated_chain.influence > 0.0 or self.model.filters or len(self.aimed) != len(self.ends):
                raise
            return
        self.aimed = tuple(
            _aimed(end, target, frame.targets) for end, target in zip(self.ends, targets, strict=True)
        )

    def _authored(self, shown, poses: tuple[BonePose, ...]) -> np.ndarray:
        """Authored joint values (n,) [rad; prismatic joints m]. Without a motion filter nothing clamps them
        after this, so they are clamped here as the bones' own constraints do.
        """
        values = self.reader.angles(poses)
        if not self.model.filters:
            for k, ((bone, axis), joint) in enumerate(
                zip(self.reader.joint_keys, self.model.skeleton.joints, strict=True)
            ):
                if not joint.lower <= values[k] <= joint.upper and (
                    span := constraint_range(shown.pose.bones[bone], axis)
                ):
                    values[k] = min(max(values[k], span[0]), span[1])
        return values

    def _kept(self, mover, evaluated_chain) -> KeptPosture:
        """What a chain keeps beneath its goal, by its Base."""
        base = mover.settings.base
        if base == "POSTURE":
            action = active(mover.settings, evaluated_chain)
            values = self.in_posture(mover, self.reader.joint_keys, action)
            return KeptPosture(action.session_uid, tuple(np.flatnonzero(np.isfinite(values)).tolist()))
        return KeptPosture(base, () if base == "RIG" else tuple(range(len(self.reader.joint_keys))))

    def _update_reader(self, rig, chain, solver: str, shown, dirty: set[str]) -> None:
        """Makes the reader again if the chain's settings, its bones or their rotation modes have changed."""
        settings = (rig.data.name, *build.stored(chain, solver))
        if self.reader is not None and self.reader.modes_changed(shown.pose.bones):
            dirty.add(rig.data.name)
        if self.reader is not None and self.settings == settings and rig.data.name not in dirty:
            return
        reader, before = ChainReader(rig, chain), self.reader
        self.settings = settings
        if reader == before:
            return
        self.reader, self.model_key, self.made_of, self.poses, self.held, self.stored = (
            reader,
            (),
            (),
            (),
            (),
            {},
        )
        if (
            before is None or before.joint_keys != reader.joint_keys
        ):  # angles of other joints mean nothing here
            self.model = self.outputs = None
            self.pose = self.desired_pose = {}
            self.restart()

    def _update_model(self, rig, chain, solver: str, rig_in_world: Matrix) -> None:
        """Makes the mover again if settings have changed, or the part of the pose that no joint moves."""
        reader = self.reader
        unjointed_pose = reader.held(self.poses)
        if unjointed_pose != self.held:
            self.fixed = reader.fixed(self.poses)
            self.held = unjointed_pose
        world = (
            tuple(map(tuple, rig_in_world.to_3x3())) if chain.options.body == "AUTOMATIC" else ()
        )  # says whether the body rotates as a whole
        filter_name = motion_filter.in_use(rig, chain, reader.joints)
        made_of = (self.settings, self.held, solver, world, filter_name)
        if self.made_of == made_of:
            return
        ends = goals.inputs(chain)
        styles = {joint.key: motion_style(chain, joint) for joint in chain.joints}
        moves = tuple(styles[key] for key in reader.joint_keys)
        limits, tools = build.motions(chain, solver), build.tools(chain, reader)
        options = build.solver_options(chain, solver, reader, rig_in_world)
        key = (self.fixed, limits, tools, solver, options, filter_name, moves, chain.base, chain.transition)
        if self.model is None or self.model_key != key:
            self.model = make_model(
                joint_tree(reader, self.fixed, limits, tools),
                solver,
                filter_name,
                moves,
                posture_jumps=chain.base == "POSTURE",
                transition=chain.transition,
                options=options,
            )
            self.model_key = key
        if trouble := unavailable(solver, self.model.skeleton, {end.kind for end in ends}):
            raise UnavailableSolverError(trouble)
        self.ends, self.made_of = ends, made_of


def _aimed(end: EndInputs, target, targets) -> EndInputs:
    """Inputs of an end with its target's current matrix."""
    return end._replace(
        target=[list(row) for row in targets.object(target)], identity=target.session_uid, name=target.name
    )
