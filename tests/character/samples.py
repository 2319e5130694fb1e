"""A small character for tests: an arm of three joints with two postures and two targets, made without
Blender.
"""

import math

import numpy as np
from limber.character.body.feet import Foot
from limber.character.chain.inputs import EndInputs
from limber.character.chain.settings import BASES, POSTURE
from limber.character.file.bodies import BodyEntry
from limber.character.file.contents import (
    Anchor,
    ChainEntry,
    CharacterFile,
    FollowingEnd,
    Rate,
    StoredPosture,
    TargetEntry,
    ValueEntry,
)
from limber.character.file.mechanisms import GoalEntry, MechanismEntry, MotorEntry, Mounted
from limber.character.file.robots import RobotEntry, RobotJoint
from limber.character.file.tracks import ClipTrack, track
from limber.character.filtered_value import ValueFilter
from limber.character.mechanism.inputs import GoalSpec
from limber.motion import Limits, MotionStyle
from limber.solvers.expressive.options import ExpressiveOptions
from limber.solvers.goals import Point
from limber.solvers.kinematics.se3 import HERE, exponential
from limber.solvers.kinematics.skeleton import End, Skeleton
from limber.solvers.kinematics.skeleton import Joint as SkeletonJoint
from limber.solvers.mechanism.model import Joint, Mechanism, RigidBody
from limber.solvers.mechanism.solution import AssemblyState
from limber.solvers.mechanism.solver import MechanismSolver
from limber.solvers.whole_body.body import Body as WalkerBody
from limber.solvers.whole_body.body import Coupling
from limber.solvers.whole_body.targets import Target

FRAMES = 49
GLOW = ValueFilter("default", Limits(0.0, 1.0, 4.0, 40.0, 400.0), MotionStyle())


def skeleton() -> Skeleton:
    """Three links of 0.2 m that rotate about Z, X and X."""
    axes = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    joints = tuple(
        SkeletonJoint(f"Link{k} {'YXX'[k]}", k - 1, (1.0, 0.0, 0.0, 0.0), (0.0, 0.2, 0.0), axis, -2.0, 2.0)
        for k, axis in enumerate(axes)
    )
    return Skeleton(joints, tool_offset=(0.0, 0.2, 0.0))


def placed(*spots: tuple[float, float, float]) -> ClipTrack:
    """A track of matrices at these positions [m]."""
    matrices = np.tile(np.eye(4), (len(spots), 1, 1))
    matrices[:, :3, 3] = spots
    return ClipTrack(matrices)


def chain(name: str = "Arm", rig: str = "Rig", base: str = POSTURE) -> ChainEntry:
    """A chain that keeps its first posture and looks at target 'Ball'; its authored pose moves."""
    arm = skeleton()
    authored = np.linspace(0.0, 0.4, FRAMES)[:, None] * np.ones(3)
    return ChainEntry(
        name=name,
        rig=rig,
        skeleton=arm,
        solver="expressive",
        options=ExpressiveOptions(link_weights=(1.0, 0.5, 1.0)),
        filter_name="default",
        styles=(MotionStyle(sigma=0.2),) * 3,
        transition=0.0,
        ends=(FollowingEnd(EndInputs(0, Point), ("Ball", "Lamp/Shade")),),
        postures=(
            StoredPosture("Proud", np.array([0.1, 0.3, -0.2])),
            StoredPosture("So~so/la", np.array([0.0, math.nan, 0.9])),
        ),
        base=track(np.array([float(BASES.index(base))])),
        posture=track(np.array([0.0])),
        watch=track(np.array([0.0])),
        weights=track(np.array([[0.0, 0.25]])),
        settings={"keep": track(np.array([1.0])), "life_seed": track(np.array([3.0]))},
        authored=track(authored),
        base_frame=Anchor(None, placed((0.0, 0.0, 0.1))),
    )


def character(*chains: ChainEntry) -> CharacterFile:
    """A character with these chains, by default with `chain()`."""
    return CharacterFile(
        name="Sample",
        made_by="tests",
        rate=Rate(24.0, 1.0),
        first_frame=1,
        frames=FRAMES,
        chains=chains or (chain(),),
        targets=(
            TargetEntry("Ball", Anchor(None, placed((0.3, 0.5, 0.4)))),
            TargetEntry("Lamp/Shade", Anchor(None, placed((-0.5, 0.4, 0.2)))),
        ),
        values=(ValueEntry("Glow", track(np.linspace(0.0, 1.0, FRAMES)), GLOW),),
        remarks=("A remark",),
    )


def body() -> BodyEntry:
    """A body with the arm's joints on a floating base, whose last link follows a rotation and a position."""
    joints = skeleton().joints
    links = [End(-1, name="Base"), End(2, offset=(0.0, 0.2, 0.0), name="Hand")]
    turns = np.tile(np.eye(3), (FRAMES, 2, 1, 1))
    turns[:, 1] = [exponential(np.array([k / FRAMES, 0.0, 0.0])) for k in range(FRAMES)]
    count = len(joints)
    return BodyEntry(
        name="Walker",
        body=WalkerBody(
            joints, links, True, None, [math.inf, 2.0, 2.0], [Coupling("pair", {joints[1].name: 1.0})]
        ),
        targets=(Target("Base"), Target("Hand", gain=8.0), Target("Hand", "position", 0.5, level=1)),
        base="Base",
        velocities=np.array([math.inf, 2.0, 2.0]),
        acceleration=20.0,
        gain=10.0,
        posture_gain=1.0,
        feet=(Foot("Hand", (("Hand", np.zeros((1, 3))),)),),
        filter_name="default",
        limits=(Limits(-2.0, 2.0, 3.0, 15.0, 150.0),) * count,
        style=MotionStyle(),
        inputs={
            "rotation": track(turns),
            "base": track(np.zeros((1, 3))),
            "base_frame": track(np.eye(4)[None]),
            "feet": track(np.zeros((1, 1, 3))),
            "floor_up": track(np.array([[0.0, 0.0, 1.0]])),
            "floor_height": track(np.array([math.nan])),
            "base_known": track(np.array([1.0])),
            "places": track(np.full((1, 1, 3), math.nan)),
            "posture": track(np.zeros((1, count))),
        },
    )


def robot() -> RobotEntry:
    """A robot with servos on a joint, on the value, and on a joint that nothing in the file moves."""
    limits = Limits(-2.0, 2.0, 3.0, 15.0, 150.0)
    joints = (
        RobotJoint("Link1 X", "rad", limits, joint="Rig/Link1 X"),
        RobotJoint("Glow", "plain", Limits(0.0, 1.0, 4.0, 40.0, 400.0), value="Glow"),
        RobotJoint("Tail X", "rad", limits, track=track(np.linspace(0.0, 1.0, FRAMES))),
    )
    return RobotEntry("Rig", "virtual", joints, '{"format": "limber-calibration"}')


def mechanism() -> MechanismEntry:
    """A lever driven by a motor, which follows target 'Ball'."""
    built = Mechanism(
        (RigidBody("Ground", start=HERE, grounded=True), RigidBody("Lever", 0.1, start=HERE)),
        (Joint("Hinge", "revolute", "Ground", "Lever", lower=(-2.0,), upper=(2.0,), actuated=True),),
    )
    rest = MechanismSolver(built).rest()
    motor = MotorEntry(
        "Hinge Z", "Hinge", 0, "default", Limits(-2.0, 2.0, 3.0, 15.0, 150.0), MotionStyle(), False
    )
    spec = GoalSpec("ORIENTATION", "Lever", HERE, (0.0, 0.0, 1.0))
    return MechanismEntry(
        name="Lever",
        mechanism=built,
        rest=AssemblyState(rest.values, rest.balls),
        motors=(motor,),
        undetermined=frozenset(),
        is_over_actuated=False,
        is_driven_by_motors=False,
        base_frame=Mounted(Anchor(None, placed((0.0, 0.0, 0.0))), np.eye(4)),
        driven=(),
        goals=(GoalEntry(spec, "Ball", np.eye(4), track(np.ones((1, 7)))),),
        postures=(StoredPosture("Up", np.array([0.5])),),
        base=track(np.array([0.0])),
        posture=track(np.array([0.0])),
        weights=track(np.zeros((1, 1))),
        authored=track(np.zeros((1, 1))),
        regulariser=track(np.array([[0.0, 0.0, 4.0]])),
    )
