"""Session of a body that follows a motion: reads its source's pose, and shows the solved pose in the bones'
channels.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from types import MappingProxyType

import numpy as np
from bpy.types import Depsgraph, Object, PropertyGroup

from ...character.body.feet import Foot
from ...character.body.fitting import BodyFrame, Fit, FootHeights, SourcePose, fitted
from ...character.body.inputs import BodyInputs
from ...character.body.tick import BodyModel, make_model
from ...character.mover import GoalResidual
from ...character.stream import advance
from ...motion import NO_FILTER, Filter, Kinematic, Limits, MotionError, make_filter
from ...solvers.kernel.library import KernelError
from ...solvers.kinematics.skeleton import SkeletonError
from ...solvers.limits import LimitError, usual_limits
from ...solvers.whole_body.body import Body
from ...solvers.whole_body.targets import BodyTargetError, Target
from ..blender.counting import counted
from ..blender.errors import RigError
from ..blender.presence import evaluated
from ..bodies import coupled, pairing, soles, source
from ..bodies.body_reader import BodyReader
from ..bodies.bone_channels import values_of
from ..bodies.pairing import Linked
from ..bones.axes import label
from ..bones.channels import Channel
from ..bones.joint_bones import SolvedChannels, UnjointedPose
from ..properties.joints import ACCELERATION, JERK, VELOCITY
from ..properties.motion_style import motion_style
from ..scene.placement import Placement
from .mover import JointKey, Mover
from .session import NO_VALUE, Cached, JointLimits, SceneSession, SessionInputs

FARTHEST = 1e4  # [rad or m] position limits are clipped to it for motion filters, which need finite ones
STOPPED = (
    "The pose in this frame may not be the best: the search for it was ended in time. Give fewer pairs a"
    " level of their own, or weights that are closer to each other"
)


class PosedBody(dict):
    """Basis (rotation wxyz, location, scale) of each bone that a body moves, by the bone's name.

    Attributes:
        frames: Frame (4, 4) of each bone from the base to the paired bones, by its name, in armature space
            and in the solver's double precision.
    """

    frames: Mapping[str, np.ndarray] = MappingProxyType({})


@dataclass
class BodySession(SceneSession):
    """Session (state from frame to frame) of a body that follows a motion."""

    linked: Cached[Linked] = NO_VALUE
    reader: BodyReader | None = None
    reader_key: tuple = ()
    model: BodyModel | None = None
    model_key: tuple = ()
    # [rad/s or m/s] velocity limit of each joint; infinite without a limit
    velocities: tuple[float, ...] = ()
    # whether `velocities` include those that chains and the robot's file set for single joints
    keeps_velocities: bool = False
    acceleration: float | None = None  # [rad/s^2 or m/s^2] acceleration limit of all joints; None: no limit
    feet: Cached[tuple[Foot, ...]] = NO_VALUE
    unjointed: tuple[UnjointedPose, ...] = ()  # the part of each bone's authored pose that no joint moves
    shown: dict[str, SolvedChannels] = field(default_factory=dict)  # shown channels of the bones
    is_streamed: bool = False  # whether the sources are streamed, so that new poses may arrive at any time

    errors = (RigError, SkeletonError, BodyTargetError, LimitError, MotionError, KernelError)

    def desired(self) -> dict[JointKey, float]:
        return self.solved()

    def solved(self) -> dict[JointKey, float]:
        if self.outputs is None or self.reader is None:
            return {}
        return dict(zip(self.reader.joint_keys, self.outputs.desired.joints.tolist(), strict=True))

    def values(self) -> dict[JointKey, float]:
        return {key: joint.position for key, joint in self.motion().items()}

    def motion(self) -> dict[JointKey, Kinematic]:
        if self.outputs is None or self.reader is None:
            return {}
        if self.state is not None and self.state.motion:
            return dict(zip(self.reader.joint_keys, self.state.motion, strict=True))
        body, before = self.outputs.state, self.record.state_before
        known = before is not None and self.step > 0.0
        acceleration = (body.velocity - before.state.velocity) / self.step if known else 0.0 * body.velocity
        rows = zip(body.joints.tolist(), body.velocity[6:].tolist(), acceleration[6:].tolist(), strict=True)
        return {key: Kinematic(*row) for key, row in zip(self.reader.joint_keys, rows, strict=True)}

    def limits(self) -> dict[JointKey, JointLimits]:
        if self.model is None or self.reader is None:
            return {}
        if self.model.filters:
            filter_limits = [joint.limits for joint in self.model.filters]
            limits = (
                JointLimits(o.lower, o.upper, o.velocity, o.acceleration, o.jerk) for o in filter_limits
            )
            return dict(zip(self.reader.joint_keys, limits, strict=True))
        body = self.model.body
        return {
            key: JointLimits(lower, upper, velocity, self.acceleration or inf, inf)
            for key, lower, upper, velocity in zip(
                self.reader.joint_keys, body.lower.tolist(), body.upper.tolist(), self.velocities, strict=True
            )
        }

    @property
    def warning(self) -> str:
        """Sentence on joints that have no velocity limit although each joint should keep its own, with the
        remedy; "" if there are none.
        """
        unlimited = (
            [
                key
                for key, velocity in zip(self.reader.joint_keys, self.velocities, strict=True)
                if velocity == inf
            ]
            if self.reader
            else []
        )
        if not self.keeps_velocities or not unlimited:
            return ""
        count = len(unlimited) - 1
        other_joints = f" and {counted(count, 'other joint')}" if count else ""
        return (
            f"'{label(*unlimited[0])}'{other_joints} may move at any speed, since no chain and no robot's file has"
            " a velocity limit for them: set Fastest Joint, or make chains of their bones"
        )

    def aim_errors(self) -> tuple[str, float, float]:
        """As `SceneSession.aim_errors`, for the link with the largest error after the filter. A link without
        a target counts as one without an error.
        """
        solved, filtered = np.nan_to_num((self.outputs.missed, self.outputs.filtered_missed))
        worst = int(np.argmax(filtered))
        return f"'{self.reader.links[worst]}'", solved[worst], filtered[worst]

    def goal_errors(self, mover: Mover) -> list[GoalResidual]:
        outputs, linked = self.outputs, self.linked.value
        distances = dict(zip(_placed(linked), outputs.distances.tolist(), strict=True))
        if linked.floating:
            distances[linked.targets.index(linked.base)] = outputs.base_missed
        return [
            GoalResidual(f"'{name}'", angle, distances.get(k, 0.0))
            for k, (name, angle) in enumerate(zip(linked.targets, outputs.missed.tolist(), strict=True))
        ]

    def keys(
        self, mover: Mover, placement: Placement, before: Mapping[Channel, float]
    ) -> dict[Channel, float]:
        return values_of(mover.owner, self, before)

    @property
    def is_settled(self) -> bool:
        return not (self.is_streamed and self.outputs is not None)

    def read(self, inputs: SessionInputs, dt: float) -> tuple[BodyModel, BodyInputs]:
        """(model, inputs) of the body in a frame.

        Raises:
            RigError, SkeletonError, BodyTargetError, LimitError, MotionError, KernelError: the set-up cannot
                be used.
        """
        (rig, retarget), depsgraph, is_dirty = (
            inputs.mover,
            inputs.scene_read.depsgraph,
            inputs.scene_read.is_dirty(inputs.mover),
        )
        shown = evaluated(rig, depsgraph)
        linked = self._linked(rig, retarget, depsgraph, is_dirty)
        self.is_streamed = pairing.is_streamed(retarget)
        self._update_reader(rig, linked, shown, is_dirty)
        unjointed = self.reader.held(shown.pose.bones)
        self._update_model(rig, retarget, linked, unjointed)
        self.unjointed = unjointed
        body_inputs = self._inputs(rig, retarget, linked, inputs.view, dt)
        if retarget.posture_gain:
            body_inputs = body_inputs._replace(posture=self.reader.posture(shown.pose.bones))
        return self.model, body_inputs

    @property
    def why_lost(self) -> str:
        """Why links have no target in this frame, as part of a sentence."""
        if self.is_streamed:
            return "nothing comes for their sources, or it is no rotation"
        return "the source's bones are scaled to nothing or are not numbers"

    def show_outputs(self, inputs: SessionInputs) -> None:
        if self.state is not None:  # else the motion has restarted, and no source has been read since
            super().show_outputs(inputs)

    def show(self, inputs: SessionInputs) -> tuple[dict, dict]:
        rig, _ = inputs.mover
        record = self.record
        if self.outputs.lost and not record.problem:
            named = ", ".join(f"'{name}'" for name in self.outputs.lost)
            record.problem = f"{named} have no target in this frame and move freely: {self.why_lost}"
        if self.outputs.stopped and not record.problem:
            record.problem = STOPPED
        self.shown = self.reader.channels(rig, inputs.view, self.unjointed, self.outputs.state)
        frames = self.state.model.body.placed(self.outputs.state.frames, np.arange(len(self.reader.names)))
        frames[:, :3, 3] += self.outputs.state.base_position
        pose = PosedBody(
            {
                name: (channels.rotation, channels.location, channels.scale)
                for name, channels in self.shown.items()
            }
        )
        pose.frames = dict(zip(self.reader.names, frames, strict=True))
        return pose, pose  # a body has no separate desired pose: chains on it read its shown pose

    def _linked(self, rig: Object, retarget: PropertyGroup, depsgraph: Depsgraph, is_dirty: bool) -> Linked:
        """The pairs in use; they are checked again only if the source or the pairs' settings have changed, or
        if bones may have changed (`is_dirty`).
        """
        if pairing.is_streamed(retarget):
            key = (retarget.input, *pairing.settings(retarget))
        else:
            source_rig = pairing.source_of(rig, retarget)
            pairing.check_source(rig, source_rig, depsgraph)
            key = (source_rig.session_uid, source_rig.data.name, *pairing.settings(retarget))
        if is_dirty:
            self.linked = NO_VALUE
        self.linked = self.linked.of(key, lambda: pairing.linked(rig, retarget))
        return self.linked.value

    def _update_reader(self, rig: Object, linked: Linked, shown: Object, is_dirty: bool) -> None:
        key = (rig.data.name, linked.base, linked.targets, linked.paired_only)
        if (
            self.reader is not None
            and self.reader_key == key
            and not is_dirty
            and not self.reader.is_outdated(shown.pose.bones)
        ):
            return
        reader = BodyReader(rig, linked.base, linked.targets, linked.paired_only)
        self.reader_key = key
        if reader == self.reader:
            return
        before, self.reader = self.reader, reader
        self.model_key = ()
        if before is None or before.joint_keys != reader.joint_keys or before.base != reader.base:
            self.model, self.shown = None, {}
            self.record.clear()

    def _update_model(
        self, rig: Object, retarget: PropertyGroup, linked: Linked, unjointed: tuple[UnjointedPose, ...]
    ) -> None:
        joint_velocities = [
            motion.velocity if retarget.own_velocities else inf for motion in self.reader.motions
        ]
        self.velocities = tuple(min(retarget.velocity or inf, velocity) for velocity in joint_velocities)
        self.keeps_velocities = retarget.own_velocities
        self.acceleration = retarget.acceleration or None
        self.feet = self.feet.of(
            (self.reader, linked.feet), lambda: soles.read(rig, self.reader.names, linked.feet)
        )
        rates = (
            self.velocities,
            self.acceleration,
            retarget.gain,
            retarget.posture_gain,
            retarget.filter,
            motion_style(retarget),
        )
        couplings = coupled.couplings(retarget, self.reader.joint_keys)
        key = (
            unjointed,
            linked.weights,
            linked.position_weights,
            linked.gains,
            linked.levels,
            linked.floating,
            linked.planted,
            rates,
            couplings,
        )
        # making a model is costly, and most frames change nothing that it depends on
        if self.model is not None and self.model_key == key:
            return
        body = self.reader.body(unjointed, linked.floating, couplings)
        targets = [
            Target(name, weight=weight, gain=gain, level=level)
            for name, weight, gain, level in zip(
                linked.targets, linked.weights, linked.gains, linked.levels, strict=True
            )
        ]
        targets += [
            Target(
                linked.targets[k], "position", linked.position_weights[k], linked.gains[k], linked.levels[k]
            )
            for k in _placed(linked)
        ]
        velocities = np.array(self.velocities) if min(self.velocities) < inf else None
        limits = usual_limits(velocities, self.acceleration)
        filters = self._filters(retarget, body)
        self.model = make_model(
            body, targets, linked.base, limits, retarget.gain, self.feet.value, retarget.posture_gain, filters
        )
        self.model_key = key
        if self.state is not None:
            inputs = self.state.inputs
            if len(inputs.rotation) + len(inputs.places) != len(targets):
                self.record.restart()

    def _filters(self, retarget: PropertyGroup, body: Body) -> tuple[Filter, ...]:
        """Motion filter of each joint; empty if none is chosen. Of a joint's own limit and the body's the
        smaller one counts; without both, that of a new chain's joint.
        """
        if retarget.filter == NO_FILTER:
            return ()
        of_body = retarget.velocity or inf, retarget.acceleration or inf, inf
        usual = VELOCITY, ACCELERATION, JERK
        bounds = zip(
            np.clip(body.lower, -FARTHEST, FARTHEST).tolist(),
            np.clip(body.upper, -FARTHEST, FARTHEST).tolist(),
            strict=True,
        )
        filters = []
        for (lower, upper), motion in zip(bounds, self.reader.motions, strict=True):
            known = map(min, motion[2:], of_body)
            used = (
                limit if limit < inf else usual_limit for limit, usual_limit in zip(known, usual, strict=True)
            )
            filters.append(make_filter(retarget.filter, Limits(lower, upper, *used), motion_style(retarget)))
        return tuple(filters)

    def _inputs(
        self, rig: Object, retarget: PropertyGroup, linked: Linked, placement: Placement, dt: float
    ) -> BodyInputs:
        """Targets of the body in its armature's space, from the source's pose; `dt` [s] advances a stream."""
        world = np.array(placement.object(rig), float)
        to_armature = source.from_world(rig, world)
        base = np.array(self.reader.base_pose(rig, placement), float)
        base[:3, :3] = source.nearest(base[None, :3, :3])[0]
        frame = BodyFrame(world, to_armature, source.nearest(to_armature[None, :3, :3])[0], base)
        return fitted(self._source_pose(retarget, linked, placement, dt), _fit(retarget, linked), frame)

    def _source_pose(
        self, retarget: PropertyGroup, linked: Linked, placement: Placement, dt: float
    ) -> SourcePose:
        """Pose in world space of the source's links: the source armature's in this frame, or the stream's
        after `dt` [s].
        """
        if not pairing.is_streamed(retarget):
            rotations, positions = source.posed(retarget.source, linked.sources, placement.depsgraph)
            shown = evaluated(retarget.source, placement.depsgraph, "Source")
            return SourcePose(rotations, positions, np.array(shown.matrix_world.translation, float))
        # streamed samples arrive at their own rate, so `advance` computes values for this frame
        before = self.state.inputs.stream if self.state is not None else None
        values, stream = advance(before, pairing.stream_of(retarget).samples(linked.sources), dt)
        count = len(linked.sources)
        rotations = source.nearest(values[:count].reshape(-1, 3, 3))
        return SourcePose(rotations, values[count:, :3], np.zeros(3), stream)


def _fit(retarget: PropertyGroup, linked: Linked) -> Fit:
    """Settings by which the source's pose is fitted to the body's size, floor and bone directions."""
    has_heights = retarget.on_floor and retarget.foot_heights_known
    return Fit(
        linked.offsets,  # a target bone may point in another direction than its source bone
        retarget.scale,
        np.array(retarget.shift, float),
        [k for k, plants in enumerate(linked.planted) if plants],
        _placed(linked),
        linked.targets.index(linked.base) if linked.floating else None,
        FootHeights(retarget.source_foot_height, retarget.foot_height) if has_heights else None,
    )


def _placed(linked: Linked) -> list[int]:
    """Indices of the pairs whose position is a target; a floating base is left out, since `BodyInputs` has a
    separate target for it.
    """
    return [
        k
        for k, weight in enumerate(linked.position_weights)
        if weight and not (linked.floating and linked.targets[k] == linked.base)
    ]
