"""A robot from a URDF file: imported as a user does it, with a chain, postures within its limits, and a ball
that it can look at.
"""

from functools import cache
from math import atan2, ceil, cos, pi, radians, sin
from pathlib import Path

import bpy
import branches
import installed
import lamp
import numpy as np
import shapes
import stances
import studio
from mathutils import Matrix, Quaternion, Vector

FPS, FRAMES = 24, 216
CHANGES = {"High": 1, "Low": 73, "Other": 145}  # from which frame on it keeps each posture
PICTURED = [("High", (30, 46, 62)), ("Low", (102, 118, 134)), ("Other", (174, 190, 206))]
PULSES = 2000.0  # [us] a servo's, for all of its joint's range
SIZES = (
    0.7,
    0.5,
    0.35,
    0.2,
    0.1,
    0.05,
)  # of the reach: how far the ball goes aside, the first that can be followed
EVERY = 4  # frames: every so many are tried beforehand
MET = radians(0.05)  # an aim that is met
LENS, SHAPE = 50.0, (480, 360)  # [mm] of the camera; pixels of a picture
BALL = 0.035  # of the reach
AWAY = 0.45  # of the reach: from the foremost eye to the ball
THICK = 0.02  # of the robot's size: its limbs, where the file tells nothing of its looks
FACE = 0.5  # along a head's bone
CLEARANCE = 0.02  # of the reach, above the floor
STAND_IN = "(placeholder)"  # name of the bars that the import shows instead of a missing mesh
RED, GREY = (0.62, 0.035, 0.02), (0.28, 0.30, 0.33)


class RobotError(Exception):
    """The robot cannot do the main job; the message names what is wrong and the remedy."""


class Imported:
    """The robot: `rig` in Pose Mode, its `chain`, and the `ball` it looks at."""

    def __init__(self, file: Path, root: str, end: str, solver: str) -> None:
        if not file.is_file():
            raise RobotError(
                f"There is no file {file}: give the path of a URDF, xacro or MJCF file (make demo"
                " ROBOT=robot.urdf)"
            )
        self.scene = studio.empty_scene(FPS, FRAMES)
        self.solver = solver
        self.rig, self.said = self._brought(file, root)
        self.chain = self._chain(end)
        self._draw_what_has_no_looks()
        self._stand_on_the_floor()
        self._set_servos()
        self._choose_look()
        self.skeleton = installed.module("rig.chains.chain").skeleton_now(self.rig, self.chain)
        self.reach = self.skeleton.reach
        self.stances = stances.choose(self.skeleton, self._look, CLEARANCE * self.reach)
        self._store()
        self.ball = studio.target_ball(BALL * self.reach, self._path())
        self.chain.target, self.chain.base = self.ball, "POSTURE"
        self._paint()
        self._room()

    def _brought(self, file: Path, root: str):
        """The rig, and what the import says of it."""
        try:
            bring = installed.module("rig.authoring.robot_import").import_robot
            imported = bring(
                bpy.context, file, root, close_loops=False
            )  # the demo plays a chain, no mechanism
        except installed.module("robots.errors").UrdfError as error:
            raise RobotError(str(error)) from error
        return imported.rig, imported.sentence

    def _chain(self, end: str):
        try:
            self.names = self._branch(end)
        except branches.BranchError as error:
            raise RobotError(f"{self.rig.name}: {error}") from error
        bpy.context.view_layer.objects.active = self.rig
        bpy.ops.object.mode_set(mode="POSE")
        lamp.select(self.rig, [self.names[0], self.names[-1]])
        try:
            bpy.ops.limber.new_chain()
        except RuntimeError as error:
            raise RobotError(
                f"{str(error).removeprefix('Error: ').strip()} (END=link chooses another end)"
            ) from error
        chain = self.rig.limber.chains[0]
        chain.solver = self.solver
        return chain

    def _branch(self, end: str) -> list[str]:
        """The bones that look about, down to the end."""
        return branches.branch(self._links(), end)

    def _links(self) -> list[branches.Link]:
        """The links, by their bones' names."""
        tree, bones = installed.module("rig.bones.imported_robot").tree_of(self.rig)
        frames = tree.frames({})
        rotate = installed.module("solvers.kinematics.rotations").rotate
        links = []
        for link, bone in zip(tree.branches, bones, strict=True):
            joint = link.joint
            moves = (
                joint is not None
                and joint.is_movable
                and joint.mimic is None
                and (joint.lower is None or joint.lower != joint.upper)
            )
            axis = (
                rotate(frames[link.parent].then(link.before).rotation, link.axis)
                if moves and joint.is_rotary
                else None
            )
            links.append(branches.Link(bone, bones[link.parent] if link.parent >= 0 else None, moves, axis))
        return links

    def _draw_what_has_no_looks(self) -> None:
        """Limbs for a robot whose file tells nothing of its looks: from each joint to the next ones."""
        if any(obj.type == "MESH" for obj in self.rig.children_recursive):
            return
        thick = THICK * self.rig.dimensions.length
        red, grey = self._paints()
        for bone in self.rig.data.bones:
            back = bone.matrix_local.inverted()
            ways = [back @ child.head_local for child in bone.children] or [Vector((0.0, bone.length, 0.0))]
            for way in ways:
                if way.length > thick:
                    limb = shapes.mesh_object(
                        bone.name,
                        shapes.capsule(way.length, thick, 0.8 * thick),
                        red if bone.name in self.names else grey,
                    )
                    shapes.hang(limb, self.rig, bone.name, way.to_track_quat("Y", "Z").to_matrix().to_4x4())

    @cache  # noqa: B019 there is one robot in a run
    def _paints(self) -> tuple:
        """Of the chain, and of the rest."""
        return shapes.material("Red Paint", RED, roughness=0.3), shapes.material(
            "Grey Paint", GREY, roughness=0.45
        )

    def _stand_on_the_floor(self) -> None:
        """What is lowest of the robot stands on the floor."""
        bpy.context.view_layer.update()
        self.rig.location.z -= min(corner.z for corner in self._corners())
        bpy.context.view_layer.update()

    def _corners(self) -> list[Vector]:
        """The corners of all that is to be seen of the robot as it is posed, in the world."""
        mesh_corners = corners(self.rig.children_recursive)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        bones = self.rig.evaluated_get(depsgraph).pose.bones
        return mesh_corners or [
            self.rig.matrix_world @ bone_end for bone in bones for bone_end in (bone.head, bone.tail)
        ]

    def _set_servos(self) -> None:
        """Servos that go through their joints' ranges."""
        for number, joint in enumerate(self.chain.joints):
            joint.servo = number
            joint.us_per_radian = PULSES / (joint.upper - joint.lower)
            joint.zero_us = 1500 - joint.us_per_radian * (joint.lower + joint.upper) / 2

    def _choose_look(self) -> None:
        """A head looks from its face; which way, New Chain has found."""
        if branches.is_head(self.chain.end):
            self.chain.eye = FACE

    def _base(self) -> Matrix:
        return self.rig.matrix_world @ self.rig.data.bones[self.chain.root].matrix_local

    def _look(self, pose) -> tuple[np.ndarray, np.ndarray]:
        """Where the chain's joints and its eye are in a pose (k, 3), and which way it looks (3,), in the
        world.
        """
        base = np.array(self._base())
        way = installed.module("solvers.kinematics.rotations").rotate(pose.tool_rotation, (0.0, 1.0, 0.0))
        positions = np.array([*pose.positions, pose.tool_position])
        return positions @ base[:3, :3].T + base[:3, 3], base[:3, :3] @ np.array(way)

    def _store(self) -> None:
        for name, angles in self.stances.postures.items():
            self._pose(angles)
            bpy.ops.limber.store_posture(name=name)
        lamp.key_postures(self.rig, self.chain, CHANGES)

    def _pose(self, angles: np.ndarray) -> None:
        axes, channels_of_joints = (
            installed.module("rig.bones.axes"),
            installed.module("rig.chains.skeleton").ChainReader(self.rig, self.chain).joint_keys,
        )
        for (bone, axis), value in zip(channels_of_joints, angles.tolist(), strict=True):
            getattr(self.rig.pose.bones[bone], axes.channel(axis))[axes.index(axis)] = value
        bpy.context.view_layer.update()

    def _path(self) -> dict[int, Vector]:
        """Places of the ball by frame: as wide a swing as the solver can follow with its aim."""
        front, eyes = self.stances.front, self.stances.eyes
        ahead = np.array((cos(front), sin(front), 0.0))
        middle = eyes.mean(0)
        middle = middle + ahead * ((eyes @ ahead).max() - middle @ ahead + AWAY * self.reach)
        floor = 1.2 * BALL * self.reach

        def path(size: float) -> np.ndarray:
            return stances.path(middle, front, size * self.reach, FRAMES, floor)

        missed = installed.module("character.one_thread").in_one_thread()(self._missed)
        size = stances.widest(SIZES, lambda size: missed(path(size)), MET)
        return {frame: Vector(position) for frame, position in enumerate(path(size), start=1)}

    def _missed(self, ball_positions: np.ndarray) -> float:
        """The farthest [rad] that the solver's look misses a ball there, posture after posture."""
        goals = installed.module("solvers.goals")
        solver = installed.module("solvers.table").make_solver(self.chain.solver, self.skeleton)
        to_base, worst, last = np.array(self._base().inverted()), 0.0, None
        for frame in range(1, len(ball_positions) + 1):
            if frame % EVERY == 1:
                name = max(
                    (name for name, first in CHANGES.items() if first <= frame), key=CHANGES.__getitem__
                )
                position = to_base[:3, :3] @ ball_positions[frame - 1] + to_base[:3, 3]
                goal = goals.GazeGoal(goals.Point(tuple(position.tolist())), self.stances.postures[name])
                last = solver.solve(goal, last.angles if last else None, last.memory if last else None)
                worst = max(worst, last.aim_error)
        return worst

    def _paint(self) -> None:
        """What has no looks of its own is painted, the chain red and the rest grey; and there is a ray along
        which the end looks.
        """
        red, grey = self._paints()
        for obj in self.rig.children_recursive:
            if obj.type == "MESH":
                for slot in obj.material_slots:
                    if slot.material is None or obj.name.endswith(STAND_IN):
                        slot.link, slot.material = "OBJECT", red if obj.parent_bone in self.names else grey
        ray(self.rig, self.chain, self.ball, BALL * self.reach, 0.008 * self.reach)

    def _room(self) -> None:
        """Floor and wall, lights, and a camera that has all of it in view, from the side of where the robot
        looks.
        """
        points = [Vector(eye) for eye in self.stances.eyes]
        for frame in (*CHANGES.values(), *(frame for _, frames in PICTURED for frame in frames)):
            self.scene.frame_set(frame)
            points.append(self.ball.matrix_world.translation.copy())
        for posture in self.stances.postures.values():
            self._pose(posture)
            points += self._corners()
        set_stage(self.scene, points, self.stances.front)


def ray(rig, chain, ball, radius: float, thick: float) -> None:
    """A ray of that radius [m] from a chain's eye along the way it looks, up to a ball of the other
    radius.
    """
    end = rig.data.bones[chain.end]
    goal = installed.module("rig.scene.goal")
    rotation, offset = goal.tool_frame(goal.ends_of(chain)[0], end.length)
    eye = Matrix.LocRotScale(Vector(offset), Quaternion(rotation), None)
    studio.gaze_ray(rig, end.name, eye, radius + offset[1] * abs(goal.forward_axis(chain)[1]), ball, thick)


def corners(objects) -> list[Vector]:
    """The corners of all meshes among objects as they are shown, in the world."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    shown = [obj.evaluated_get(depsgraph) for obj in objects if obj.type == "MESH"]
    return [obj.matrix_world @ Vector(corner) for obj in shown for corner in obj.bound_box]


def set_stage(scene, points: list[Vector], front: float) -> None:
    """Floor and wall, lights, and a camera that has all points in view.

    Args:
        scene: The scene.
        points: What is to be seen, in the world [m].
        front: [rad] azimuth in which the robot looks.
    """
    low, high = (Vector([best(point[k] for point in points) for k in range(3)]) for best in (min, max))
    middle, size = (low + high) / 2, (high - low).length / 2
    side = front + radians(52)  # azimuth of the camera
    toward = Vector((cos(side), sin(side), 0.0))
    floor = studio.backdrop(2.2 * size, 2.6 * size)
    floor.location = (middle.x, middle.y, 0.0)
    floor.rotation_euler.z = atan2(toward.x, -toward.y)
    studio.dim_world((0.5, 0.58, 0.7), 0.6)
    sun = bpy.data.lights.new("Sun", "SUN")
    sun.energy, sun.angle = 2.6, radians(8)
    light = bpy.data.objects.new("Sun", sun)
    bpy.context.scene.collection.objects.link(light)
    light.rotation_euler = (radians(42), 0.0, side + pi / 2 + radians(-40))
    camera = studio.camera(
        *studio.view_of(points, (toward + Vector((0.0, 0.0, 0.24))).normalized(), LENS, SHAPE), LENS
    )
    camera.data.clip_start, camera.data.clip_end = 0.01 * size, 100 * ceil(size)
    studio.use_cycles(*SHAPE)
