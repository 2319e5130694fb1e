"""Scenes in plain Python: a lamp that looks at a moving target, a body with a head that looks, and a neck on
push rods.
"""

import math
from collections.abc import Callable

import numpy as np
from limber.character.attention import AttentionSettings
from limber.character.body.inputs import BodyInputs
from limber.character.body.tick import make_model as make_body
from limber.character.chain.inputs import ChainInputs, EndInputs
from limber.character.chain.tick import make_model as make_chain
from limber.character.life import Life
from limber.character.mechanism.tick import MechanismModel, MechanismMotor
from limber.motion import Limits, MotionStyle, make_filter
from limber.solvers.goals import Point
from limber.solvers.kinematics import rotations
from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z
from limber.solvers.kinematics.skeleton import Joint, Skeleton
from limber.solvers.mechanism.assembly import assemble
from limber.solvers.mechanism.goals import FrameGoal, Goals
from limber.solvers.mechanism.solver import MechanismSolver
from limber.solvers.whole_body.targets import Target

from tests.character.plain import PlainMover, View
from tests.character.replay import Mount
from tests.solvers import bodies, chains, mechanisms

DT = 1 / 24  # [s] duration of a frame
AXES = (X, Y, Z)
HERE = np.eye(4).tolist()
Path = Callable[[int], tuple]  # position [m] of a target by the frame's number


def round_path(number: int) -> tuple:
    """Position on a circle that is completed in 120 frames."""
    way = 2.0 * math.pi * number / 120
    return 0.6 * math.sin(way), -0.8, 0.5 + 0.3 * math.cos(way)


def at(place: tuple) -> list:
    """A frame (4, 4) at a position [m]."""
    return [*([*row[:3], number] for row, number in zip(HERE[:3], place, strict=True)), HERE[3]]


def looking(skeleton: Skeleton, target: list, base: list = HERE, **more) -> ChainInputs:
    """Inputs of a chain that looks at the origin of a frame in the world."""
    end = EndInputs(0, Point, target, "target", "Target")
    return ChainInputs(base, (end,), np.zeros(len(skeleton.joints)), "Chain", **more)


def chain_model(skeleton: Skeleton):
    return make_chain(skeleton, "expressive", "default", MotionStyle(), posture_jumps=False)


def lamp(path: Path = round_path, key: str = "lamp", **more) -> PlainMover:
    """A lamp that breathes, and whose attention lags behind its target."""
    skeleton = chains.lamp()
    settings = {"attention": AttentionSettings(lag=0.1), "effects": (Life(0.5, 0.2, 0.0, 3),)} | more

    def asked(view: View, number: int) -> ChainInputs:
        return looking(skeleton, at(path(number)), seconds=number * DT, **settings)

    return PlainMover(key, chain_model(skeleton), asked, looks_forward=True)


def body() -> PlainMover:
    """A manikin that follows a wave of all its joints."""
    manikin = bodies.manikin()
    model = make_body(manikin, [Target(link) for link in bodies.LINKS], "pelvis")

    def asked(view: View, number: int) -> BodyInputs:
        values = bodies.asks(manikin, bodies.pose(model.solver, number * DT), bodies.TRACKED)
        return BodyInputs(values.rotation, values.position[0], np.eye(4), np.zeros((0, 3)))

    return PlainMover("body", model, asked)


def head(of: PlainMover, path: Path = round_path) -> PlainMover:
    """The head of such a body, which looks at a target in addition to the body's motion."""
    kinematics, offset = of.model.body, np.eye(4)
    offset[:3, 3] = bodies.PARTS["head"][1]
    names = tuple(f"head {letter}" for letter in "xyz")
    mount = Mount(
        "body",
        np.eye(4),
        kinematics.links["chest"],
        offset,
        tuple(map(kinematics.names.index, names)),
        kinematics,
    )
    # With a link between the joints, equal views differ; otherwise rounding would decide between them.
    joints = [
        Joint(name, k - 1, IDENTITY, (0.0, 0.0, 0.05 * k), axis, -2.0, 2.0)
        for k, (name, axis) in enumerate(zip(names, (X, Y, Z), strict=True))
    ]
    skeleton = Skeleton(tuple(joints), IDENTITY, (0.0, 0.1, 0.0))

    def asked(view: View, number: int) -> ChainInputs:
        return mount.stood_on(view["body"].outputs, looking(skeleton, at(path(number))))

    return PlainMover("head", chain_model(skeleton), asked, ("body",), looks_forward=True)


def neck() -> PlainMover:
    """The neck on push rods, whose head rotates with its target."""
    solver = MechanismSolver(mechanisms.push_rod_neck())
    limits = Limits(-1.3, 1.3, 4.0, 40.0, 400.0)
    motors = [
        MechanismMotor(name, 0, make_filter("default", limits, MotionStyle()))
        for name in ("pan", "left servo", "right servo")
    ]
    model = MechanismModel(solver, assemble(solver).state, tuple(motors))

    def asked(view: View, number: int) -> Goals:
        way = 2.0 * math.pi * number / 100
        pan, nod = rotations.about(Z, 0.5 * math.sin(way)), rotations.about(X, 0.2 * math.sin(2.0 * way))
        return Goals((FrameGoal("head", rotation=rotations.multiply(pan, nod)),))

    return PlainMover("neck", model, asked)


def all_of_them() -> list[PlainMover]:
    """All movers, each after those on which it depends."""
    follower = body()
    return [lamp(), follower, head(follower), neck()]


PLACES = {"one": (0.0, 0.0, 0.0), "other": (0.3, -0.8, 0.1)}  # [m] positions of lamps that look at each other


def facing(key: str, other: str) -> PlainMover:
    """A lamp that looks at the shade of another lamp."""
    skeleton = chains.lamp()

    def asked(view: View, number: int) -> ChainInputs:
        angles = view[other].values if other in view else [0.0] * len(skeleton.joints)
        shade = rotations.add(skeleton.forward(list(angles)).tool_position, PLACES[other])
        return looking(skeleton, at(shade), at(PLACES[key]))

    return PlainMover(key, chain_model(skeleton), asked, (other,), looks_forward=True)
