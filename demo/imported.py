"""A robot from its file (URDF, xacro or MJCF), imported as a user does it, with a chain, postures within its
limits, and a ball at which it can look.
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

FPS, FRAMES = 24, 216  # frames per second, and number of frames
CHANGES = {"High": 1, "Low": 73, "Other": 145}  # posture -> frame from which the chain keeps it
PICTURED = [("High", (30, 46, 62)), ("Low", (102, 118, 134)), ("Other", (174, 190, 206))]
PULSES = 2000.0  # [us] pulse range of a servo over its joint's whole range
# candidates for the ball's amplitude, in shares of the reach; the first that the look can follow is used
SIZES = (0.7, 0.5, 0.35, 0.2, 0.1, 0.05)
EVERY = 4  # [frames] interval of the frames for which the look is tested in advance
MET = radians(0.05)  # [rad] aim error up to which an aim is met
LENS, SHAPE = 50.0, (480, 360)  # [mm] focal length of the camera; [pixels] size of a picture
BALL = 0.035  # radius of the ball, as a share of the reach
AWAY = 0.45  # distance of the ball from the foremost eye, as a share of the reach
THICK = 0.02  # thickness of limbs as a share of the robot's size, if the file has no visuals
FACE = 0.5  # position of the eye along a head's bone, as a share
CLEARANCE = 0.02  # clearance above the floor, as a share of the reach
STAND_IN = "(placeholder)"  # name of the bars that the import shows instead of a missing mesh
RED, GREY = (0.62, 0.035, 0.02), (0.28, 0.30, 0.33)


class RobotError(Exception):
    """The robot cannot be used for the demo; the message says why, and what to do."""


class Imported:
    """An imported robot: its armature `rig` in Pose Mode, its `chain`, and the `ball` at which it looks."""

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
        """Imports the robot; returns the armature, and the import's report."""
        try:
            bring = installed.module("rig.authoring.robot_import").import_robot
            # the demo shows a chain and no mechanism
            imported = bring(bpy.context, file, root, close_loops=False)
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
        """Names of the bones that look, down to the end."""
        return branches.branch(self._links(), end)

    def _links(self) -> list[branches.Link]:
        """The robot's links, by their bones' names."""
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
        """Adds limbs to a robot whose file has no visuals: from each joint to the next ones."""
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
        """Materials of the chain and of the other links."""
        return shapes.material("Red Paint", RED, roughness=0.3), shapes.material(
            "Grey Paint", GREY, roughness=0.45
        )

    def _stand_on_the_floor(self) -> None:
        """Moves the robot so that its lowest point is on the floor."""
        bpy.context.view_layer.update()
        self.rig.location.z -= min(corner.z for corner in self._corners())
        bpy.context.view_layer.update()

    def _corners(self) -> list[Vector]:
        """World positions of the corners of the bounding boxes of the robot's meshes in its current pose;
        without meshes, of its bones' ends.
        """
        mesh_corners = corners(self.rig.children_recursive)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        bones = self.rig.evaluated_get(depsgraph).pose.bones
        return mesh_corners or [
            self.rig.matrix_world @ bone_end for bone in bones for bone_end in (bone.head, bone.tail)
        ]

    def _set_servos(self) -> None:
        """Gives each joint a servo whose pulse range corresponds to the joint's range."""
        for number, joint in enumerate(self.chain.joints):
            joint.servo = number
            joint.us_per_radian = PULSES / (joint.upper - joint.lower)
            joint.zero_us = 1500 - joint.us_per_radian * (joint.lower + joint.upper) / 2

    def _choose_look(self) -> None:
        """Puts the eye of a head into its face; New Chain has already chosen the direction."""
        if branches.is_head(self.chain.end):
            self.chain.eye = FACE

    def _base(self) -> Matrix:
        return self.rig.matrix_world @ self.rig.data.bones[self.chain.root].matrix_local

    def _look(self, pose) -> tuple[np.ndarray, np.ndarray]:
        """Positions (k, 3) [m] of the chain's joints and of its eye in a pose, and its view direction (3,),
        in the world.
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
        """Positions of the ball by frame, with the widest motion among `SIZES` that the solver's aim can
        follow.
        """
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
        """Largest aim error [rad] of the solver for a ball at these positions (t, 3) [m], with the posture of
        each frame; only frames at intervals of `EVERY` are solved.
        """
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
        """Colours placeholders and meshes without a material, red on the chain and grey elsewhere, and adds a
        ray along the end's view.
        """
        red, grey = self._paints()
        for obj in self.rig.children_recursive:
            if obj.type == "MESH":
                for slot in obj.material_slots:
                    if slot.material is None or obj.name.endswith(STAND_IN):
                        slot.link, slot.material = "OBJECT", red if obj.parent_bone in self.names else grey
        ray(self.rig, self.chain, self.ball, BALL * self.reach, 0.008 * self.reach)

    def _room(self) -> None:
        """Adds floor, wall and lights, and a camera that shows everything from the side toward which the
        robot looks.
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
    """Adds a ray of radius `thick` [m] from a chain's eye along its view, up to a ball of radius `radius`
    [m].
    """
    end = rig.data.bones[chain.end]
    goal = installed.module("rig.scene.goal")
    rotation, offset = goal.tool_frame(goal.ends_of(chain)[0], end.length)
    eye = Matrix.LocRotScale(Vector(offset), Quaternion(rotation), None)
    studio.gaze_ray(rig, end.name, eye, radius + offset[1] * abs(goal.forward_axis(chain)[1]), ball, thick)


def corners(objects) -> list[Vector]:
    """World positions of the bounding boxes' corners of all meshes among `objects`, as they are shown."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    shown = [obj.evaluated_get(depsgraph) for obj in objects if obj.type == "MESH"]
    return [obj.matrix_world @ Vector(corner) for obj in shown for corner in obj.bound_box]


def set_stage(scene, points: list[Vector], front: float) -> None:
    """Adds floor, wall and lights, and a camera that shows all points.

    Args:
        scene: The scene.
        points: World positions [m] that must be visible.
        front: Azimuth [rad] toward which the robot looks.
    """
    low, high = (Vector([best(point[k] for point in points) for k in range(3)]) for best in (min, max))
    middle, size = (low + high) / 2, (high - low).length / 2
    side = front + radians(52)  # [rad] azimuth of the camera
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
