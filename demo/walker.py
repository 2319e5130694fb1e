"""A figure from a motion-capture clip: Blender's own BVH importer, bone-shaped meshes, and a ball that moves
along its path.
"""

from math import ceil, cos, pi, radians, sin
from pathlib import Path

import bpy
import installed
import names
import numpy as np
import shapes
import studio
from mathutils import Matrix, Vector

FPS = 24  # frames per second
LONGEST = 15 * FPS  # [frames] longest part of a clip that is used
GROWN_UP = 1.7  # [m] height to which a clip without a plausible unit is scaled
BELIEVABLE = (0.9, 2.6)  # [m] plausible heights of a figure in a clip whose unit is metres
ROOM = radians(25)  # [rad] range of a joint beyond the clip's motion
# [rad/s, rad/s2, rad/s3] limits that the joints of a robot need to move as the person did
NIMBLE = (radians(360), radians(3600), radians(72000))
SERVO = radians(300)  # [rad] rotation of the robot's servos over their pulse range
BALL = 0.085  # [m] radius of the ball
EYE = 0.5  # position of the eye along the head's bone, as a share


class ClipError(Exception):
    """The clip cannot be used; the message names the clip and the remedy."""


class Walker:
    """The imported figure: its armature `rig` in Pose Mode, the names of its chain's bones, the view and up
    axes of its head, and the ball.
    """

    def __init__(self, clip: Path) -> None:
        if not clip.is_file():
            raise ClipError(
                f"There is no clip {clip}: give the path of a .bvh file (make demo MOTION=clip.bvh)"
            )
        self.scene = studio.empty_scene(FPS, 1)
        self.rig = self._imported(clip)
        self.frames = self._set_length()
        tree = {bone.name: bone.parent.name if bone.parent else None for bone in self.rig.data.bones}
        heights = {bone.name: bone.tail_local.z for bone in self.rig.data.bones}
        self.path = names.gaze_path(tree, heights)
        if len(self.path) < 2:
            raise ClipError(
                f"{clip.name}: there is no chain from spine to head in it; it has the bones {', '.join(tree)}"
            )
        self.forward = self._facing()
        end = self.rig.data.bones[self.path[-1]]
        self.look, self.up = signed_axes(end.matrix_local.to_3x3(), self.forward)
        self._set_limits()
        self._walk()
        self.ball = self._ball()
        self._figure()
        self._room()

    def select(self) -> None:
        for bone in self.rig.pose.bones:
            holder = bone if hasattr(bone, "select") else bone.bone
            holder.select = bone.name in (self.path[0], self.path[-1])
        self.rig.data.bones.active = self.rig.data.bones[self.path[-1]]

    def set_servos(self, chain) -> None:
        for number, joint in enumerate(chain.joints):
            joint.servo = number
            joint.velocity, joint.acceleration, joint.jerk = NIMBLE
            joint.us_per_radian = 2000 / SERVO
            joint.zero_us = 1500 - joint.us_per_radian * (joint.lower + joint.upper) / 2

    def pictured(self) -> tuple[int, ...]:
        """Six frames, distributed evenly over the clip."""
        return tuple(round(1 + (self.frames - 1) * (k + 0.7) / 6.4) for k in range(6))

    def _imported(self, clip: Path):
        rig = _import(clip, 1.0)
        size = max(rig.dimensions)
        if not BELIEVABLE[0] <= size <= BELIEVABLE[1]:
            data = rig.data
            bpy.data.objects.remove(rig)
            bpy.data.armatures.remove(data)
            rig = _import(clip, GROWN_UP / size)
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="POSE")
        self.size = max(rig.dimensions) / GROWN_UP
        return rig

    def _set_length(self) -> int:
        last = max(curve.range()[1] for curve in fcurves(self.rig))
        frames = min(ceil(last) - 1, LONGEST)
        self.scene.frame_end = frames
        return frames

    def _facing(self) -> Vector:
        """Horizontal direction in which the figure faces in its rest pose: the direction of its feet; without
        toes the one that follows from left and right bones; if neither shows one, -Y.
        """
        bones = self.rig.data.bones
        toes = [bone for bone in bones if "toe" in bone.name.lower()]
        along = sum(((toe.tail_local - (toe.parent or toe).head_local) for toe in toes), Vector())
        if not toes:
            sides = {
                side: [bone for bone in bones if bone.name.lower().startswith(side)]
                for side in ("left", "right")
            }
            if all(sides.values()):
                middle = {
                    side: sum((bone.head_local for bone in some), Vector()) / len(some)
                    for side, some in sides.items()
                }
                along = (middle["left"] - middle["right"]).cross(Vector((0, 0, 1)))
        along.z = 0.0
        return along.normalized() if along.length > 1e-6 else Vector((0, -1, 0))

    def _set_limits(self) -> None:
        """Sets IK limits slightly wider than the clip's motion, from which New Chain reads the joints'
        ranges.
        """
        angles = {(name, axis): [] for name in self.path for axis in range(3)}
        for frame in range(1, self.frames + 1):
            self.scene.frame_set(frame)
            for name in self.path:
                for axis, angle in enumerate(self.rig.pose.bones[name].rotation_euler):
                    angles[name, axis].append(angle)
        for name in self.path:
            bone = self.rig.pose.bones[name]
            for axis, letter in enumerate("xyz"):
                some = angles[name, axis]
                setattr(bone, f"use_ik_limit_{letter}", True)
                setattr(bone, f"ik_min_{letter}", max(min(some) - ROOM, -pi))
                setattr(bone, f"ik_max_{letter}", min(max(some) + ROOM, pi))

    def _walk(self) -> None:
        """Sets, smoothed, the position `places` (frames, 3) [m] of the figure's hips and its heading
        `headings` (frames,) [rad] about Z at each frame, and the median height `head_height` [m] of its head.
        """
        positions, heads, headings = [], [], []
        hips = self.rig.data.bones[self.path[0]].parent or self.rig.data.bones[self.path[0]]
        rest = hips.matrix_local.to_3x3().inverted() @ self.forward
        for frame in range(1, self.frames + 1):
            self.scene.frame_set(frame)
            pose = self.rig.pose.bones
            faced = pose[hips.name].matrix.to_3x3() @ rest
            positions.append(pose[hips.name].matrix.translation.copy())
            heads.append(pose[self.path[-1]].matrix.translation.copy())
            headings.append(np.arctan2(faced.x, -faced.y))
        window = FPS // 2
        self.places = _smooth(np.array(positions), window)
        self.head_height = float(np.median(np.array(heads)[:, 2]))
        self.headings = _smooth(np.unwrap(headings)[:, None], window)[:, 0]

    def _way(self) -> float:
        """Direction [rad] about Z in which the figure moves during the clip; its mean heading if it stays in
        one position.
        """
        displacement = self.places[-1] - self.places[0]
        if np.hypot(displacement[0], displacement[1]) > 0.5 * self.size:
            return float(np.arctan2(displacement[0], -displacement[1]))
        return float(np.arctan2(np.sin(self.headings).mean(), np.cos(self.headings).mean()))

    def _ball(self):
        """Adds the ball, which moves ahead of the figure, from side to side and up and down."""
        keys = {}
        for frame in [*range(1, self.frames + 1, 4), self.frames]:
            phase = 2 * pi * (frame - 1) / (7.5 * FPS)
            azimuth = self.headings[frame - 1] + radians(58) * sin(phase + 0.5)
            distance = self.size * (1.35 + 0.1 * cos(phase))
            height = self.head_height + self.size * 0.38 * sin(1.7 * phase + 0.4)
            position = self.places[frame - 1]
            keys[frame] = Vector(
                (
                    position[0] + distance * sin(azimuth),
                    position[1] - distance * cos(azimuth),
                    max(height, 2 * BALL),
                )
            )
        return studio.target_ball(BALL * self.size, keys)

    def _figure(self) -> None:
        cloth = shapes.material("Cloth", (0.10, 0.20, 0.34), roughness=0.7)
        warm = shapes.material("Chain", (0.75, 0.20, 0.08), roughness=0.55)
        skin = shapes.material("Skin", (0.72, 0.50, 0.38), roughness=0.6)
        dark = shapes.material("Eyes", (0.01, 0.01, 0.012), roughness=0.2)
        size = self.size
        for bone in self.rig.data.bones:
            if bone.name == self.path[-1] or names.is_small(bone.name):
                continue
            on_path = bone.name in self.path
            mesh = (
                _torso(bone.length, size)
                if on_path and not names.is_neck(bone.name)
                else _limb(bone.length, size)
            )
            shapes.hang(
                shapes.mesh_object(f"{bone.name} body", mesh, warm if on_path else cloth), self.rig, bone.name
            )
        end = self.rig.data.bones[self.path[-1]]
        to_bone = end.matrix_local.to_3x3().inverted()
        out, up = to_bone @ self.forward, to_bone @ Vector((0, 0, 1))
        side = out.cross(up).normalized()
        up = side.cross(out).normalized()
        # axes of the head: x to its side, y along its view, z up
        frame = Matrix((side, out, up)).transposed().to_4x4()
        frame.translation = Vector((0, 0.5 * end.length, 0)) + 0.25 * end.length * Vector((0, 1, 0))
        skull = shapes.moved(shapes.ball(0.098 * size, 32), Matrix.Diagonal((0.86, 1.0, 1.2, 1.0)))
        shapes.hang(shapes.mesh_object("Head body", skull, skin), self.rig, end.name, frame)
        nose = shapes.moved(
            shapes.lathe([(0.024 * size, 0.0), (0.012 * size, 0.045 * size), (0, 0.05 * size)], 16),
            Matrix.Translation((0, 0.085 * size, -0.012 * size)),
        )
        shapes.hang(shapes.mesh_object("Nose", nose, warm), self.rig, end.name, frame)
        eyes = [
            shapes.moved(
                shapes.ball(0.017 * size, 16), Matrix.Translation((x * size, 0.083 * size, 0.028 * size))
            )
            for x in (-0.036, 0.036)
        ]
        shapes.hang(shapes.mesh_object("Eyes", shapes.joined(eyes), dark), self.rig, end.name, frame)
        eye = Matrix.Translation((0, EYE * end.length, 0)) @ frame.to_3x3().to_4x4()
        studio.gaze_ray(self.rig, end.name, eye, 0.5 * BALL * size, self.ball, 0.012 * size)

    def _room(self) -> None:
        middle, heading = Vector(self.places.mean(0)), self._way()
        side = heading + radians(40)  # [rad] azimuth of the camera around the figure
        floor = studio.backdrop(9.0, 9.0, tile=0.5)
        floor.location, floor.rotation_euler.z = (middle.x, middle.y, 0), side
        studio.dim_world((0.5, 0.58, 0.7), 0.5)
        sun = bpy.data.lights.new("Sun", "SUN")
        sun.energy, sun.angle = 2.4, radians(8)
        light = bpy.data.objects.new("Sun", sun)
        bpy.context.scene.collection.objects.link(light)
        light.rotation_euler = (radians(40), 0, side + radians(-50))
        camera = studio.camera((0, -5, 1), (0, 0, 1), 50)
        away, ahead = (Vector((sin(angle), -cos(angle), 0)) * self.size for angle in (side, heading))
        for frame in range(1, self.frames + 1):
            toward = Vector((*self.places[frame - 1][:2], 0.92 * self.size)) + 0.3 * ahead
            camera.matrix_world = studio.looking(
                toward + 4.6 * away + Vector((0, 0, 0.55 * self.size)), toward
            )
            camera.keyframe_insert("location", frame=frame)
            camera.keyframe_insert("rotation_euler", frame=frame)
        studio.use_cycles(400, 400)


def _import(clip: Path, scale: float):
    try:
        return installed.module("rig.output.clips.scene").import_clip(clip, scale=scale, keeps_rate=True)
    except ValueError as error:
        raise ClipError(f"{clip}: {error}") from error


def fcurves(rig):
    """F-curves of the action that an object plays."""
    return installed.module("rig.blender.actions").fcurves(
        rig.animation_data.action, getattr(rig.animation_data, "action_slot", None)
    )


def signed_axes(frame: Matrix, forward: Vector) -> tuple[str, str]:
    """The bone's axes that point forward and up at rest, such as "+Z" and "+Y"."""
    columns = {
        axis: frame.col[k].to_3d() if hasattr(frame.col[k], "to_3d") else Vector(frame.col[k])
        for k, axis in enumerate("XYZ")
    }
    look = max(columns, key=lambda axis: abs(columns[axis].dot(forward)))
    up = max((axis for axis in columns if axis != look), key=lambda axis: abs(columns[axis].z))
    return ("+" if columns[look].dot(forward) > 0 else "-") + look, ("+" if columns[up].z > 0 else "-") + up


def _smooth(rows: np.ndarray, window: int) -> np.ndarray:
    """Running mean of rows (t, n) over `window` rows to either side; the first and last row are repeated at
    the ends.
    """
    padded = np.concatenate([np.repeat(rows[:1], window, 0), rows, np.repeat(rows[-1:], window, 0)])
    kernel = np.ones(2 * window + 1) / (2 * window + 1)
    return np.stack([np.convolve(column, kernel, "valid") for column in padded.T], 1)


def _limb(length: float, size: float):
    thick = min(0.16 * length + 0.014 * size, 0.078 * size)
    return shapes.capsule(length, thick, 0.72 * thick)


def _torso(length: float, size: float):
    """Mesh of a part of the trunk, wider than deep; the bone's X goes from side to side in an upright
    figure.
    """
    mesh = shapes.capsule(length, 0.115 * size, 0.12 * size)
    return shapes.moved(mesh, Matrix.Diagonal((1.3, 1.0, 0.85, 1.0)))
