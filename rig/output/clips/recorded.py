"""A robot follows a clip frame by frame: the motion of the clip's bones, the robot's links and its joints,
and the values to send to the robot.
"""

from dataclasses import dataclass
from math import radians

import bpy
import numpy as np

from ....hardware.motion_files import Format
from ....solvers.kinematics.se3 import Array
from ...blender.errors import RigError
from ...bodies import pairing
from ...bodies import source as sources
from ...live import live
from ...live.movers import mover_of
from ...live.uses import Use, with_company
from ...robot.device import sources as joint_sources
from ..motion_check.check import MotionCheck, MotionCheckResult
from ..robot_frames import RobotFrames
from . import anatomy
from .sides import Sides, sides_of

LOST = radians(5.0)  # [rad] error of a chain's aim beyond which its target counts as lost, as in Motion Check


@dataclass(frozen=True)
class Recorded:
    """Motion of a clip and of the robot that follows it, one row per frame.

    Attributes:
        frames: Numbers of the t frames.
        seconds: Time [s] from one frame to the next.
        bones: Names of k bones of the clip, parents first: those that the robot follows, those whose joints
            have known ranges, and the ancestors of both.
        source_rotations, source_positions: Their world poses (t, k, 3, 3) and (t, k, 3).
        height: Largest extent of the clip's figure at rest along an axis, in the unit of its positions.
        hips: Index of the topmost bone that a link follows.
        feet: Indices of the bones of pairs with Plant: the feet.
        links: Names of the robot's l links that follow a bone.
        link_rotations: Their world rotations (t, l, 3, 3).
        rows: For each frame the value [rad; prismatic joints m] of each joint that the body or a chain moves.
        joint_names: Names of the n joints of the body, for messages.
        is_revolute: (n,) whether a joint is revolute.
        joints: (t, n) [rad; prismatic joints m] values of these joints.
        lower, upper: (n,) [rad; prismatic joints m] limits of these joints.
        errors: (t,) [rad] largest error of a link.
        worst: For each frame the link with this error.
        lost: Sentences about frames in which chains have lost their targets, or a mover has no goal.
        figure: Bones of the clip whose joints have known ranges.
        sides: Left and right bones of the clip.
    """

    frames: tuple[int, ...]
    seconds: float
    bones: tuple[str, ...]
    source_rotations: Array
    source_positions: Array
    height: float
    hips: int
    feet: tuple[int, ...]
    links: tuple[str, ...]
    link_rotations: Array
    rows: tuple[dict[tuple[str, str], float], ...]
    joint_names: tuple[str, ...]
    is_revolute: Array
    joints: Array
    lower: Array
    upper: Array
    errors: Array
    worst: tuple[str, ...]
    lost: tuple[str, ...]
    figure: anatomy.ClipAnatomy
    sides: Sides


class ClipCheck(MotionCheck):
    """Motion Check of a body that also records the motion of the clip and of the links that follow it. All
    movers of a robot with servos go live, and the values to send to it are recorded too.

    Args:
        scene: The scene with the clip's armature and the robot.
        rig: The robot's armature, whose body follows the clip's.
        frames: The clip's frames.
        form: Format of the motion file for which the motion is recorded.

    Attributes:
        sent: The values to send to the robot; None for a robot without servos.

    Raises:
        RigError: as `MotionCheck` and `RobotFrames`.
    """

    def __init__(self, scene: bpy.types.Scene, rig: bpy.types.Object, frames: range, form: Format) -> None:
        self.retarget = rig.limber.retarget
        self.body = mover_of(rig, self.retarget)
        self.pairs = _followed(self.retarget)
        self.link_names = tuple(pair.target for pair in self.pairs)
        source = self.retarget.source
        self.parts = pairing.parts_of(source)
        paired = [pair.source for pair in self.pairs]
        self.bones = _bones_above(source, [*paired, *anatomy.bones_of(self.parts)])
        self.source_rows: list[tuple[Array, Array]] = []
        self.link_rows: list[Array] = []
        self.rows: list[dict[tuple[str, str], float]] = []
        company = with_company(Use.CHECK, self.body)
        if self.body.key not in {mover.key for mover in company}:
            raise RigError(f"'{rig.name}' does not follow the clip: check its pairs")
        self.sent: RobotFrames | None = None
        if joint_sources(rig):
            for mover in company:
                if not mover.is_live:
                    live.switch_on(*mover)  # without solving: the check solves each frame itself
            self.sent = RobotFrames(scene, rig, frames.start, frames[-1], form, 1.0)
        super().__init__(scene, self.body, frames, LOST, radians(180.0))

    def step(self) -> bool:
        dt = self.seconds_a_frame if self.done else 0.0
        has_more = super().step()
        depsgraph = bpy.context.evaluated_depsgraph_get()
        self.source_rows.append(sources.posed(self.retarget.source, self.bones, depsgraph))
        row: dict[tuple[str, str], float] = {}
        # chains come after the body, since they modify its motion
        for mover in sorted(self.own, key=lambda mover: mover.key != self.body.key):
            row |= self.stage.session(*mover).values()
        self.rows.append(row)
        if self.sent:
            self.sent.read(self.stage, self.movers, depsgraph, dt)
        placement = self.stage.placement(self.movers, depsgraph)
        world = placement.object(self.rig)
        frames = np.array([world @ placement.bone(self.rig, name) for name in self.link_names], float)
        self.link_rows.append(sources.nearest(frames.reshape(-1, 4, 4)[:, :3, :3]))
        return has_more

    def _depth(self, bone: int) -> int:
        """Number of the clip's bones above the recorded bone with this index."""
        return len(self.retarget.source.data.bones[self.bones[bone]].parent_recursive)

    def _parents(self) -> dict[str, str | None]:
        """Parent of each recorded bone of the clip, itself a recorded bone; None for a root."""
        bones = self.retarget.source.data.bones
        return {name: parent.name if (parent := bones[name].parent) else None for name in self.bones}

    def recorded(self) -> Recorded:
        """The motion; ends the check."""
        result = self.finish()
        take = self.takes[self.body.key]
        rotations, positions = (np.array(rows) for rows in zip(*self.source_rows, strict=True))
        rest_rotations, rest_positions = sources.at_rest(self.retarget.source, self.bones)
        # hips may have any name, but no other paired bone is nearer to the root
        hips = min((self.bones.index(pair.source) for pair in self.pairs), key=self._depth)
        feet = {pair.source for pair in self.pairs if pair.plant}
        return Recorded(
            frames=tuple(take.frames),
            seconds=take.seconds,
            bones=self.bones,
            source_rotations=rotations,
            source_positions=positions,
            height=float(np.ptp(rest_positions, axis=0).max()),
            hips=hips,
            feet=tuple(k for k, name in enumerate(self.bones) if name in feet),
            links=self.link_names,
            link_rotations=np.array(self.link_rows),
            rows=tuple(self.rows),
            joint_names=tuple(joint.name for joint in take.joints),
            is_revolute=np.array([not joint.is_prismatic for joint in take.joints]),
            joints=np.array(take.filtered),
            lower=np.array([joint.lower for joint in take.joints]),
            upper=np.array([joint.upper for joint in take.joints]),
            errors=np.array(take.filtered_errors),
            worst=tuple(take.ends),
            lost=_lost(result, take.chain),
            figure=anatomy.figure_of(self.parts, self.bones, rest_rotations),
            sides=sides_of(self.parts, self._parents(), rotations, rest_rotations),
        )


def _lost(result: MotionCheckResult, body: str) -> tuple[str, ...]:
    """Sentences on frames in which a mover has no goal to follow, or a mover other than the body, whose name
    is `body`, has lost its target.
    """
    return tuple(
        f"Frame {finding.worst}: {finding.sentence}"
        for finding in result.findings
        if finding.kind == "GOAL" or (finding.kind == "LOST" and finding.chain != body)
    )


def _followed(retarget: bpy.types.PropertyGroup) -> list:
    """The enabled pairs with the largest weight; others, such as those of toes, are known to jitter."""
    largest = max((pair.weight for pair in retarget.pairs if pair.enabled), default=0.0)
    return [pair for pair in retarget.pairs if pair.enabled and pair.weight == largest]


def _bones_above(source: bpy.types.Object, names: list[str]) -> tuple[str, ...]:
    """Names of bones of an armature and of their ancestors, in the armature's order."""
    moving = set(names)
    for name in names:
        moving |= {bone.name for bone in source.data.bones[name].parent_recursive}
    return tuple(bone.name for bone in source.data.bones if bone.name in moving)
