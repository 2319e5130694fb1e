"""A small character for tests: an arm of three joints with two postures and two targets, made without
Blender.
"""

import math

import numpy as np
from limber.character.chain.inputs import EndInputs
from limber.character.chain.settings import BASES, POSTURE
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
from limber.character.file.tracks import ClipTrack, track
from limber.character.mechanism.inputs import GoalSpec
from limber.motion import Limits, MotionStyle
from limber.solvers.expressive.options import Options
from limber.solvers.goals import Point
from limber.solvers.kinematics.se3 import HERE
from limber.solvers.kinematics.skeleton import Joint as SkeletonJoint
from limber.solvers.kinematics.skeleton import Skeleton
from limber.solvers.mechanism.model import Body, Joint, Mechanism
from limber.solvers.mechanism.solver import MechanismSolver, State

FRAMES = 49


def skeleton() -> Skeleton:
    """Three links of 0.2 m, which turn about Z, X and X."""
    axes = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    joints = tuple(
        SkeletonJoint(f"Link{k} {'YXX'[k]}", k - 1, (1.0, 0.0, 0.0, 0.0), (0.0, 0.2, 0.0), axis, -2.0, 2.0)
        for k, axis in enumerate(axes)
    )
    return Skeleton(joints, tool_offset=(0.0, 0.2, 0.0))


def placed(*spots: tuple[float, float, float]) -> ClipTrack:
    """A track of matrices at these places [m]."""
    matrices = np.tile(np.eye(4), (len(spots), 1, 1))
    matrices[:, :3, 3] = spots
    return ClipTrack(matrices)


def chain(name: str = "Arm", rig: str = "Rig", base: str = POSTURE) -> ChainEntry:
    """A chain that keeps its first posture, and looks at target 'Ball'; its authored pose moves."""
    arm = skeleton()
    authored = np.linspace(0.0, 0.4, FRAMES)[:, None] * np.ones(3)
    return ChainEntry(
        name=name,
        rig=rig,
        skeleton=arm,
        solver="expressive",
        options=Options(link_weights=(1.0, 0.5, 1.0)),
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
    """A character with these chains; without any with `chain()`."""
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
        values=(ValueEntry("Glow", track(np.linspace(0.0, 1.0, FRAMES))),),
        remarks=("A remark",),
    )


def mechanism() -> MechanismEntry:
    """A lever on a motor, which follows target 'Ball'."""
    built = Mechanism(
        (Body("Ground", start=HERE, grounded=True), Body("Lever", 0.1, start=HERE)),
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
        rest=State(rest.values, rest.balls),
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
