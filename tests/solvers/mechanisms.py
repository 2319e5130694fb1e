"""Small mechanisms for tests, whose motion is easy to calculate."""

import math

from limber.solvers.kinematics.rotations import IDENTITY, X, Y, Z, about, between
from limber.solvers.kinematics.se3 import RigidTransform
from limber.solvers.mechanism.model import Joint, Mechanism, RigidBody

# The joint's z axis is along the world's -y: loops are in the xz plane, and positive angles rotate x toward
# z.
FLAT = between(Z, (0.0, -1.0, 0.0))


def flat(x: float, z: float = 0.0) -> RigidTransform:
    return RigidTransform(FLAT, (x, 0.0, z))


def four_bar(coupler: float = 0.4, is_ball: bool = False, **options) -> Mechanism:
    """Crank .1, coupler and rocker .3 m on a ground of .4 m; the crank is the motor. With ball joints the
    coupler is a rod that can spin.
    """
    kind = "spherical" if is_ball else "revolute"
    bodies = (
        RigidBody("ground", grounded=True, start=RigidTransform()),
        RigidBody("crank", 1.0, (0.05, 0.0, 0.0)),
        RigidBody("coupler", 2.0, (0.5 * coupler, 0.0, 0.0)),
        RigidBody("rocker", 1.0, (0.15, 0.0, 0.0)),
    )
    joints = (
        Joint("motor", "revolute", "ground", "crank", flat(0.0), flat(0.0), actuated=True, **options),
        Joint("knee", kind, "crank", "coupler", flat(0.1), flat(0.0)),
        Joint("pivot", "revolute", "ground", "rocker", flat(0.4), flat(0.0)),
        Joint("elbow", kind, "coupler", "rocker", flat(coupler), flat(0.3)),
    )
    return Mechanism(bodies, joints)


def stewart() -> Mechanism:
    """A platform on six legs, each with a universal joint below, a prismatic joint between and a ball joint
    above.
    """
    bodies = [
        RigidBody("base", grounded=True, start=RigidTransform()),
        RigidBody("platform", 1.0, start=RigidTransform(position=(0.0, 0.0, 0.5))),
    ]
    joints = []
    for k in range(6):
        low = math.radians(60 * (k // 2 * 2) + (10 if k % 2 else -10))
        high = math.radians(60 * ((k + 1) // 2 * 2) - 60 + (50 if k % 2 else 70))
        foot = (0.4 * math.cos(low), 0.4 * math.sin(low), 0.0)
        head = (0.25 * math.cos(high), 0.25 * math.sin(high), 0.0)
        way = (head[0] - foot[0], head[1] - foot[1], 0.5)
        length = math.hypot(*way)
        along = between(Z, tuple(part / length for part in way))
        lower, upper = (
            RigidBody(f"lower {k}", start=RigidTransform(along, foot)),
            RigidBody(f"upper {k}", start=RigidTransform(along, (head[0], head[1], 0.5))),
        )
        bodies += [lower, upper]
        joints += [
            Joint(f"foot {k}", "universal", "base", lower.name, RigidTransform(along, foot)),
            Joint(
                f"motor {k}",
                "prismatic",
                lower.name,
                upper.name,
                RigidTransform(position=(0.0, 0.0, length)),
                actuated=True,
                lower=(-0.2,),
                upper=(0.2,),
            ),
            Joint(
                f"head {k}",
                "spherical",
                upper.name,
                "platform",
                RigidTransform(),
                RigidTransform(position=head),
            ),
        ]
    return Mechanism(tuple(bodies), tuple(joints))


def push_rod_neck() -> Mechanism:
    """A head on a universal joint that two servos nod and tilt by push rods, on a turntable that pans. All
    bodies start unrotated.
    """
    spots = {"shoulders": (0.0, 0.0, 0.0), "turntable": (0.0, 0.0, 0.03), "head": (0.0, 0.0, 0.2)}

    def joint(name: str, kind: str, parent: str, child: str, place, turn=IDENTITY, **options) -> Joint:
        frames = (
            RigidTransform(turn, tuple(a - b for a, b in zip(place, spots[body], strict=True)))
            for body in (parent, child)
        )
        return Joint(name, kind, parent, child, *frames, **options)

    for side, sign in (("left", -1.0), ("right", 1.0)):
        spots[f"{side} horn"], spots[f"{side} rod"] = (0.05 * sign, 0.02, 0.06), (0.05 * sign, 0.055, 0.06)
    joints = [
        joint("pan", "revolute", "shoulders", "turntable", spots["turntable"], actuated=True),
        joint("neck", "universal", "turntable", "head", spots["head"]),
    ]
    for side, sign in (("left", -1.0), ("right", 1.0)):
        horn, rod = f"{side} horn", f"{side} rod"
        joints += [
            joint(f"{side} servo", "revolute", "turntable", horn, spots[horn], between(Z, X), actuated=True),
            joint(f"{side} horn ball", "spherical", horn, rod, spots[rod]),
            joint(f"{side} head ball", "spherical", rod, "head", (0.04 * sign, 0.05, 0.2)),
        ]
    bodies = (
        RigidBody(name, start=RigidTransform(position=place), grounded=name == "shoulders")
        for name, place in spots.items()
    )
    return Mechanism(tuple(bodies), tuple(joints))


def held_twice(kind: str) -> Mechanism:
    """A body on an actuated free joint, and on a second joint of kind `kind`, which closes a loop."""
    skew = RigidTransform(about(X, 0.4), (0.1, -0.2, 0.3))
    return Mechanism(
        (RigidBody("body", 1.0, (0.01, 0.02, 0.03)),),
        (
            Joint(
                "carrier",
                "free",
                "",
                "body",
                RigidTransform(about(Y, 0.3), (0.2, 0.1, 0.0)),
                RigidTransform(),
                actuated=True,
            ),
            Joint("holder", kind, "", "body", skew, RigidTransform(about(Z, -0.7), (0.05, 0.0, 0.1))),
        ),
    )


def all_kinds() -> Mechanism:
    """One chain with a joint of every kind that has degrees of freedom, each on the link of the last one."""
    kinds = ("revolute", "universal", "prismatic", "cylindrical", "spherical", "planar", "cartesian", "free")
    bodies = tuple(RigidBody(f"body {k}", 1.0 + k, (0.01 * k, 0.02, -0.01)) for k in range(len(kinds)))
    joints = tuple(
        Joint(
            kind,
            kind,
            bodies[k - 1].name if k else "",
            bodies[k].name,
            RigidTransform(about(X, 0.2 * k), (0.1, 0.05 * k, 0.0)),
            RigidTransform(about(Z, 0.1 * k), (0.0, 0.02, 0.1)),
            actuated=True,
        )
        for k, kind in enumerate(kinds)
    )
    return Mechanism(bodies, joints)
