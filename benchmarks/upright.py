"""Checks whether heads stay upright and in their positions, in a real Blender: `python -m benchmarks.upright
[--robot ROBOT ...] [--out DIR]`.

ROBOT is NAME=FILE.urdf or, if no bone is named as a head, NAME=FILE.urdf:BONE:X,Y,Z with the bone that looks
and the direction in which it faces. These robots, Rigify's human metarig, the rig generated from it and the
demo lamp look at nine positions each, live, one after another. For each position it prints the head's roll
relative to the authored pose [degrees], its displacement from the authored position in head widths, and its
aim error. If a bound is exceeded, a search from many starts shows whether any pose within the joints' limits
keeps it. A sheet of pictures of each rig is written to DIR. The exit status is 1 if a bound is exceeded that
some pose keeps.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import atan2, cos, degrees, radians, sin
from pathlib import Path
from typing import Any

import bpy
import limber
import numpy as np
from limber.character.fixed_steps import STEP
from limber.rig.authoring import chains
from limber.rig.authoring.robot_import import import_robot
from limber.rig.blender.errors import RigError
from limber.rig.live import live
from limber.rig.scene import goal
from limber.robots.errors import UrdfError
from limber.solvers.exact_aim import correct
from limber.solvers.gaze import end_errors
from limber.solvers.goals import EndGoal, Position
from mathutils import Matrix, Quaternion, Vector

from .upright_pictures import UP, picture, sheet

ROLL_BAR = 15.0  # [deg] largest roll relative to the authored one
SHIFT_BAR = 1.0  # largest displacement of the head, in head widths
# [deg] azimuths and elevations of the target's positions from the eye, relative to the authored view
ASIDE, HIGH = ((-60.0, 0.0, 60.0), (30.0, 0.0, -30.0))
AWAY = 8.0  # distance of the targets from the eye, in head widths
WIDTH = 0.7  # width of a head without a mesh, as a share of its bone's length
STARTS = 300  # number of starts of the search for a pose within the bounds
WISHES = (1.0, 0.1, 0.01)  # weights of the head's authored position relative to the aim, in this search
EXACT = 0.5  # [deg] largest aim error of a pose that the search accepts
TICKS = 2000  # largest number of ticks until everything is at rest
AXES = [sign + letter for letter in "XYZ" for sign in "+-"]
Rig = tuple[Any, list[str], Vector | None]
"""(armature object; bones of the chain that is made if head and eyes cannot be told from names; direction in
which the rig faces, None if unknown).
"""


@dataclass(frozen=True)
class Subject:
    """A rig that looks around, and its head in the authored pose."""

    rig: Any
    chain: Any  # the head's chain
    width: float  # [m] width of the head
    middle: Vector  # [m] centre of the head, in its bone's frame
    authored: Matrix  # world matrix of the head's bone in the authored pose

    @property
    def head(self) -> Matrix:
        """World matrix of the head's bone in the shown pose."""
        shown = self.rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return shown.matrix_world @ shown.pose.bones[self.chain.end].matrix

    def facing(self, matrix: Matrix) -> Matrix:
        """Matrix with the head's right, view and up directions in the world as columns, for a world matrix of
        its bone.
        """
        tool, _ = goal.tool_frame(goal.ends_of(self.chain)[0], 0.0)
        return matrix.to_3x3().normalized() @ Quaternion(tool).to_matrix()

    def eye(self, matrix: Matrix) -> Vector:
        """World position of the eye [m], for a world matrix of the head's bone."""
        return matrix @ Vector((0.0, self.chain.eye * self.rig.data.bones[self.chain.end].length, 0.0))

    def roll(self, facing: Matrix) -> float:
        """Roll [deg] about the view relative to the authored roll."""
        return (_roll(facing) - _roll(self.facing(self.authored)) + 180.0) % 360.0 - 180.0

    def shift(self, matrix: Matrix) -> float:
        """Displacement of the head's centre, in head widths."""
        return (matrix @ self.middle - self.authored @ self.middle).length / self.width


@dataclass(frozen=True)
class Seen:
    """Result for one position of the target."""

    place: str
    roll: float  # [deg] roll relative to the authored one
    shift: float  # displacement in head widths
    missed: float  # [deg] aim error
    # roll [deg] and displacement of the best pose found by the search, if a bound is exceeded; otherwise None
    least: tuple[float, float] | None = None

    @property
    def is_kept(self) -> bool:
        return abs(self.roll) <= ROLL_BAR and self.shift <= SHIFT_BAR

    @property
    def could_be_kept(self) -> bool:
        return self.least is not None and self.least[0] <= ROLL_BAR and self.least[1] <= SHIFT_BAR

    def __str__(self) -> str:
        line = (
            f"  {self.place:>8}: roll {self.roll:+6.1f} deg, shift {self.shift:5.2f} widths, aim"
            f" {self.missed:6.2f} deg"
        )
        if self.least is None:
            return line
        best = f"the best pose found rolls by {self.least[0]:.1f} and shifts by {self.least[1]:.2f}"
        return f"{line}  {'EXCEEDED' if self.could_be_kept else 'no pose keeps the bars'}: {best}"


def metarig() -> Rig:
    bpy.ops.preferences.addon_enable(module="rigify")
    bpy.ops.object.armature_human_metarig_add()
    return bpy.context.object, [], None


def generated() -> Rig:
    metarig()
    bpy.ops.pose.rigify_generate()
    return bpy.context.object, ["head"], Vector((0.0, -1.0, 0.0))


def lamp() -> Rig:
    bpy.ops.limber.add_demo_lamp()
    return bpy.context.object, [], None


def robot(file: str, head: str, front: str) -> Rig:
    facing = Vector([float(number) for number in front.split(",")]) if front else None
    return import_robot(bpy.context, file).rig, [head] if head else [], facing


def prepared(make: Callable[[], Rig]) -> Subject:
    """A rig without animation, with its chains and its head, in a new file; `make` adds the rig."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    rig, bones, front = make()
    rig.animation_data_clear()
    if not rig.limber.chains:
        try:
            bpy.ops.limber.eyes_head_torso()
        except RuntimeError:
            _face(rig, chains.new_chain(rig, bones), front)
    named = rig.limber.chains.find("Head")
    chain = rig.limber.chains[max(named, 0)]
    for each in rig.limber.chains:
        each.dead_zone, each.base = 0.0, "RIG"
    width, middle = _size(rig, chain.end)
    return Subject(rig, chain, width, middle, rig.matrix_world @ rig.pose.bones[chain.end].matrix)


def _face(rig, chain, front: Vector) -> None:
    """Makes a chain look to the front: chooses the axes of its end nearest to the front and to up."""
    rotation = (rig.matrix_world @ rig.pose.bones[chain.end].matrix).to_3x3()
    chain.forward_axis = max(AXES, key=lambda axis: (rotation @ Vector(goal.signed_axis(axis))).dot(front))
    chain.up = max(
        (axis for axis in AXES if axis[1] != chain.forward_axis[1]),
        key=lambda axis: (rotation @ Vector(goal.signed_axis(axis))).dot(UP),
    )


def _size(rig, bone: str) -> tuple[float, Vector]:
    """(width [m], centre) of a head in the frame of its bone, by the box around its meshes, whose
    middle-sized edge counts as the width. Without meshes: by the bone, `WIDTH` times its length wide.
    """
    length, to_bone = rig.data.bones[bone].length, (rig.matrix_world @ rig.pose.bones[bone].matrix).inverted()
    meshes = [mesh for mesh in rig.children if mesh.type == "MESH" and mesh.parent_bone == bone]
    points = np.array(
        [to_bone @ mesh.matrix_world @ Vector(corner) for mesh in meshes for corner in mesh.bound_box]
    )
    if not len(points):
        return WIDTH * length, Vector((0.0, length / 2, 0.0))
    return float(np.sort(np.ptp(points, axis=0))[1]), Vector((points.min(axis=0) + points.max(axis=0)) / 2)


def _roll(facing: Matrix) -> float:
    """Roll [deg] about the view relative to upright."""
    view, up = facing.col[1], facing.col[2]
    return degrees(atan2(UP.cross(up).dot(view), UP.dot(up)))


def _settled() -> None:
    """Runs Limber's clock in simulated time until nothing moves, for `TICKS` ticks at most."""
    time, rests = 1000.0, 0
    for _ in range(TICKS):
        bpy.context.view_layer.update()
        time += STEP
        rests = (
            0
            if live.advance_clock(bpy.context.scene, bpy.context.evaluated_depsgraph_get(), time)
            else rests + 1
        )
        if rests > 1:  # one more tick, since another chain may look at the last shown pose
            return


def places(subject: Subject) -> Iterator[tuple[str, Vector]]:
    """Nine positions of the target around the authored view, with their names."""
    eye, view = subject.eye(subject.authored), subject.facing(subject.authored).col[1]
    front = Vector((view.x, view.y, 0.0))
    rise = degrees(atan2(view.z, front.length))
    for high in HIGH:
        for aside in ASIDE:
            up = radians(max(-80.0, min(80.0, rise + high)))
            level = Matrix.Rotation(radians(aside), 3, "Z") @ front.normalized()
            yield f"{aside:+.0f} {high:+.0f}", eye + AWAY * subject.width * (cos(up) * level + sin(up) * UP)


def judged(subject: Subject, drawn: list[np.ndarray]) -> Iterator[Seen]:
    """Result for each of the positions; pictures are appended to `drawn`."""
    front = subject.facing(subject.authored).col[1]
    target = bpy.data.objects.new("Looked At", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = subject.eye(subject.authored) + AWAY * subject.width * front
    for chain in subject.rig.limber.chains:
        chain.target = target
    bpy.context.view_layer.objects.active = subject.rig
    bpy.ops.limber.live_all()
    _settled()
    for name, position in places(subject):
        target.location = position
        _settled()
        head = subject.head
        facing = subject.facing(head)
        drawn.append(
            picture(subject.rig, subject.chain.end, head @ subject.middle, facing, subject.width, front)
        )
        missed = live.session(subject.rig, subject.chain).outputs.filtered_aim_error
        seen = Seen(name, subject.roll(facing), subject.shift(head), degrees(missed))
        yield seen if seen.is_kept else replace(seen, least=_least(subject))


def _least(subject: Subject) -> tuple[float, float]:
    """Roll [deg] and displacement [head widths] of the pose that keeps the bounds best, of all that a search
    from many starts finds within limits; infinite if it finds none.

    From each start the aim is met with the authored roll, first with the head's authored position as a
    secondary goal, then without it; if that is impossible, the aim alone.
    """
    session = live.session(subject.rig, subject.chain)
    skeleton, goal = session.model.skeleton, session.goal
    base = _base(subject)
    back = base.inverted()
    upright = replace(
        goal,
        aim=replace(goal.aim, up=tuple(back.to_3x3() @ subject.facing(subject.authored).col[2])),
        others=(),
    )
    free = replace(upright, aim=replace(goal.aim, up=None))
    eye_position = Position(tuple(back @ subject.eye(subject.authored)))
    lower, upper = np.array(skeleton.lower), np.array(skeleton.upper)
    dice, costs = np.random.default_rng(1), [1.0] * len(skeleton)
    starts = [
        session.outputs.solution.angles,
        goal.posture,
        *(lower + (upper - lower) * dice.random((STARTS, len(lower)))),
    ]
    best = (np.inf, np.inf)
    for start in starts:
        for weight in WISHES:
            angles = correct(
                skeleton, replace(upright, others=(EndGoal(eye_position, 0, weight),)), start, costs
            ).angles
            for variant in (upright, free):
                way = correct(skeleton, variant, angles, costs)
                if degrees(end_errors(skeleton, free, way.pose)[0].angle) <= EXACT:
                    rotation = base.to_3x3() @ Quaternion(way.pose.tool_rotation).to_matrix()
                    roll_and_shift = (
                        abs(subject.roll(rotation)),
                        subject.shift(_bone(subject, rotation, base @ Vector(way.pose.tool_position))),
                    )
                    best = min(
                        best, roll_and_shift, key=lambda pair: max(pair[0] / ROLL_BAR, pair[1] / SHIFT_BAR)
                    )
    return best


def _base(subject: Subject) -> Matrix:
    """World matrix of the chain's base, computed from the shown pose of its end and the solver's
    kinematics.
    """
    session, head = live.session(subject.rig, subject.chain), subject.head
    pose = session.model.skeleton.forward(session.outputs.angles.tolist())
    shown = subject.facing(head).to_4x4()
    shown.translation = subject.eye(head)
    return shown @ Matrix.LocRotScale(pose.tool_position, Quaternion(pose.tool_rotation), None).inverted()


def _bone(subject: Subject, facing: Matrix, eye: Vector) -> Matrix:
    """World matrix of the head's bone for a facing matrix and a position of the head's eye [m]."""
    matrix = (facing @ subject.facing(Matrix()).inverted()).to_4x4()
    length = subject.rig.matrix_world.median_scale * subject.rig.data.bones[subject.chain.end].length
    matrix.translation = eye - matrix.to_3x3() @ Vector((0.0, subject.chain.eye * length, 0.0))
    return matrix


def _told(name: str, make: Callable[[], Rig], out: Path | None) -> int:
    """Prints a rig's figures, and writes its pictures to the folder `out`; returns the number of positions at
    which it exceeds a bound although some pose keeps both. A rig that cannot be made is named, and counts 0.
    """
    try:
        subject = prepared(make)
    except (RuntimeError, RigError, UrdfError, OSError) as error:
        print(f"{name}: left out: {str(error).strip()}")
        return 0
    figures = ", ".join(
        f"{chain.root} to {chain.end} ({chain.options.body.lower()})" for chain in subject.rig.limber.chains
    )
    print(f"{name}: {figures}; head {subject.width:.3f} m wide")
    drawn: list[np.ndarray] = []
    wrong = 0
    for seen in judged(subject, drawn):
        print(seen, flush=True)
        wrong += seen.could_be_kept
    if out:
        out.mkdir(parents=True, exist_ok=True)
        sheet(drawn, out / f"{name}.png")
    return wrong


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--robot", action="append", default=[], metavar="NAME=FILE.urdf[:BONE:X,Y,Z]")
    ask.add_argument("--only", nargs="*", default=[], metavar="NAME")
    ask.add_argument("--out", type=Path, metavar="DIR")
    options = ask.parse_args()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.preferences.addons.new().module = limber.__package__
    limber.register()
    makers: dict[str, Callable[[], Rig]] = {"metarig": metarig, "generated": generated, "lamp": lamp}
    for argument in options.robot:
        name, _, rest = argument.partition("=")
        makers[name] = partial(robot, *(*rest.split(":"), "", "")[:3])
    wrong = sum(
        _told(name, make, options.out) for name, make in makers.items() if name in (options.only or makers)
    )
    print(f"bars exceeded where a pose keeps them: {wrong}")
    sys.stdout.flush()
    os._exit(1 if wrong else 0)  # Blender takes long to exit


if __name__ == "__main__":
    main()
