"""A robot that imitates a person in a motion-capture clip, and meanwhile looks at the ball. The person is
shown beside it.
"""

from math import radians
from pathlib import Path

import bpy
import imported
import installed
import numpy as np
import walker
from mathutils import Quaternion

NECK = radians(60)  # [rad] range of a neck joint in each direction beyond the clip's motion
BESIDE = 0.55  # distance to the person, as a share of both sizes
ENOUGH = 5  # number of joints of a neck that can look on its own; one with fewer also uses the trunk


class Captured(imported.Imported):
    """The robot: `rig` with its body following the clip live, its `chain`, and the `ball` it looks at."""

    def __init__(self, clip: Path, file: Path, root: str, end: str, solver: str) -> None:
        if not file.is_file():
            raise imported.RobotError(
                f"There is no file {file}: give a robot's file (make demo MOTION=clip.bvh ROBOT=robot.urdf)"
            )
        self.person = walker.Walker(clip)
        self.scene, self.frames, self.solver = self.person.scene, self.person.frames, solver
        self.ball = self.person.ball
        bpy.ops.object.mode_set(mode="OBJECT")
        self.rig, self.said = self._brought(file, root)
        self._follow()
        self._make_room()
        self.reach = self.size * self.person.size * walker.BALL / imported.BALL
        self.chain = self._chain(end)
        self._draw_what_has_no_looks()
        self._set_limits()
        self._choose_look()
        self.chain.target, self.chain.base = self.ball, "RIG"
        self._paint()

    def _branch(self, end: str) -> list[str]:
        """Names of the links that look: those after the path's last fork, since arms and trunk move as in the
        clip; the whole path if those after the fork are too few to look on their own.
        """
        names = super()._branch(end)
        forks = [k for k, name in enumerate(names) if len(self.rig.data.bones[name].children) > 1]
        neck = names[forks[-1] + 1 :] if forks else names
        moving = [name for name in neck if not all(self.rig.pose.bones[name].lock_rotation)]
        return neck if len(moving) >= ENOUGH else names

    def _choose_look(self) -> None:
        """Sets the direction in which the head faces while the person's head faces forward, both at rest; as
        for any robot if no bone of the person is paired with the head.
        """
        retarget = self.rig.limber.retarget
        pair = next((pair for pair in retarget.pairs if pair.target == self.chain.end), None)
        if pair is None:
            super()._choose_look()
            return
        person = self.person.rig.data.bones[pair.source].matrix_local.to_quaternion()
        faces = (person @ Quaternion(pair.offset)).to_matrix()
        self.chain.forward_axis, self.chain.up = walker.signed_axes(faces, self.person.forward)
        self.chain.eye = imported.FACE

    def _follow(self) -> None:
        """Pairs the bones and starts live retargeting, as a user does. Raises RobotError if that fails."""
        retarget = self.rig.limber.retarget
        retarget.source = self.person.rig
        bpy.context.view_layer.objects.active = self.rig
        try:
            bpy.ops.limber.pair_bones()
        except RuntimeError as error:
            raise imported.RobotError(
                f"{self.rig.name}: {str(error).removeprefix('Error: ').strip()}"
            ) from error
        self.size = retarget.scale
        self.pairs = len(retarget.pairs)
        retarget.frame_start, retarget.frame_end = 1, self.frames
        self.scene.frame_set(1)
        bpy.ops.limber.live()
        problem = installed.module("rig.live.live").session(self.rig, retarget).problem
        if problem:
            raise imported.RobotError(problem)
        self.said += f"; {self.pairs} bones follow '{self.person.rig.name}', its way {self.size:.2f} times"

    def _set_limits(self) -> None:
        """Gives the chain's joints speeds that suffice for the person's motion, ranges of at most `NECK`
        beyond the clip's motion, and servos.
        """
        session = installed.module("rig.live.live").session(self.rig, self.rig.limber.retarget)
        rows = []
        for frame in range(1, self.frames + 1):
            self.scene.frame_set(frame)
            rows.append(session.joints())
        self.scene.frame_set(1)
        for joint in self.chain.joints:
            done = [row[joint.bone, joint.axis] for row in rows]
            joint.lower, joint.upper = max(joint.lower, min(done) - NECK), min(joint.upper, max(done) + NECK)
            joint.velocity, joint.acceleration, joint.jerk = walker.NIMBLE
        self._set_servos()

    def _make_room(self) -> None:
        """Places the robot beside the person and the ball in front of the robot, aims a wider camera at both,
        and hides the person's ray.
        """
        camera = self.scene.camera
        aside = camera.matrix_world.to_3x3().col[0] * BESIDE * (1.0 + self.size) * self.person.size
        self.rig.limber.retarget.shift = aside
        for obj, size, shift in ((self.ball, self.size, aside), (camera, max(1.0, self.size), 0.5 * aside)):
            for curve in walker.fcurves(obj):
                if curve.data_path == "location":
                    for point in curve.keyframe_points:
                        for part in (point.co, point.handle_left, point.handle_right):
                            part.y = size * part.y + shift[curve.array_index]
                    curve.update()
        self.ball.scale *= self.size
        for obj in self.person.rig.children_recursive:
            obj.hide_render = obj.hide_render or obj.name.startswith("Ray")
        camera.data.lens *= 0.85
        self.scene.render.resolution_x = 480
        self.scene.frame_set(1)

    def pictured(self) -> tuple[int, ...]:
        return self.person.pictured()

    def figures(self) -> dict:
        """Numbers of pairs and of joints, scale, errors [deg] of the body over the clip, and median time [ms]
        of a solve; leaves the scene at frame 1.
        """
        session = installed.module("rig.live.live").session(self.rig, self.rig.limber.retarget)
        missed, seconds = [], []
        for frame in range(1, self.frames + 1):
            self.scene.frame_set(frame)
            missed.append(session.outputs.missed)
            seconds.append(session.session.seconds)
        self.scene.frame_set(1)
        angles = np.degrees(np.array(missed))
        return {
            "pairs": self.pairs,
            "joints": len(session.reader.joint_keys),
            "scale": self.size,
            "missed_deg": {
                "mean": float(np.nanmean(angles)),
                "p95": float(np.nanpercentile(angles, 95)),
                "max": float(np.nanmax(angles)),
            },
            "solving_ms": float(1e3 * np.median(seconds)),
        }
