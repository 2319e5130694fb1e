"""Recipe of the Walker: a biped that nothing holds but its goals, with three pushed joints in each leg.

As many bodies, joints and motors as the walker of Schumacher et al. 2021 (table I), at tabletop size; it
faces -Y.
"""

from .recipe import Body, Goal, Joint, Motor, Point, Recipe

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
BESIDE = 0.045  # [m] of the middle: the legs
KNEE = (
    -0.045
)  # [m] along Y: bent far enough that a leg still reaches the ground when the pelvis is over the other
CRANK, RISE = (
    0.025,
    0.04,
)  # [m] length of a crank, behind its motor; height of that above the joint that it pushes
HEEL, TOE, HALF_WIDTH, SOLE = 0.045, -0.065, 0.026, 0.008  # [m] of a foot, along Y, X and Z
FEET, BALANCE = (
    10.0,
    5.0,
)  # weights of feet's positions, and of the centre of mass for each foot: both together 10 (section V.A.4)
RATES = (
    255.0,
    1800.0,
    18000.0,
)  # [degrees, per s, s2, s3] of a motor: the paper's turn at most 4.4 rad/s, here reached within .25 s
FEET_ROTATION = 100.0  # weight of feet's rotations: a tilted foot drags over the ground (as above)


def _block(name: str, origin: Point, low: Point, high: Point) -> Body:
    return Body(name, (origin, low, high), is_block=True)


def _between(first: Point, second: Point, share: float) -> Point:
    x, y, z = (a + share * (b - a) for a, b in zip(first, second, strict=True))
    return x, y, z


def _leg(side: str, x: float) -> tuple[list[Body], list[Joint], list[Motor]]:
    """Bodies, joints and motors from a hip down, at distance `x` [m] from the middle."""
    outside = x + (0.016 if x > 0.0 else -0.016)  # the plane of cranks and rods
    hip, knee, ankle = (x, 0.0, 0.235), (x, KNEE, 0.135), (x, 0.0, 0.035)
    yaw, roll, foot_roll, sole = (x, 0.0, 0.262), (x, 0.0, 0.25), (x, 0.0, 0.022), (x, 0.0, 0.0)

    def above(joint: Point) -> Point:
        return outside, joint[1], joint[2] + RISE

    def behind(joint: Point, rise: float = 0.0) -> Point:
        return outside, joint[1] + CRANK, joint[2] + rise

    def part(word: str) -> str:
        return f"{side} {word}"

    bodies = [
        Body(part("Hip"), (yaw, roll), 0.024),
        Body(part("Yoke"), (roll, hip, (outside, 0.0, 0.235), above(hip)), 0.012),
        Body(
            part("Thigh"),
            (hip, knee, (outside, *knee[1:]), above(knee), hip, (outside, *hip[1:]), behind(hip)),
            0.012,
        ),
        Body(
            part("Shin"),
            (knee, ankle, (outside, *ankle[1:]), above(ankle), knee, (outside, *knee[1:]), behind(knee)),
            0.012,
        ),
        Body(part("Ankle"), (foot_roll, ankle, (outside, *ankle[1:]), behind(ankle)), 0.01),
        Body(part("Foot"), (sole, foot_roll), 0.016),
        _block(part("Sole"), sole, (x - HALF_WIDTH, TOE, 0.0), (x + HALF_WIDTH, HEEL, SOLE)),
        Body(part("Thigh Cover"), (_between(hip, knee, 0.25), _between(hip, knee, 0.75)), 0.028),
        Body(part("Shin Cover"), (_between(knee, ankle, 0.25), _between(knee, ankle, 0.75)), 0.024),
    ]
    joints = [
        Joint(part("Hip Yaw"), "revolute", "Pelvis", part("Hip"), yaw),
        Joint(part("Hip Roll"), "revolute", part("Hip"), part("Yoke"), roll, Y),
        Joint(part("Foot Roll"), "revolute", part("Ankle"), part("Foot"), foot_roll, Y),
        Joint(part("Sole Screws"), "fixed", part("Foot"), part("Sole"), sole),
        Joint(part("Thigh Screws"), "fixed", part("Thigh"), part("Thigh Cover"), _between(hip, knee, 0.25)),
        Joint(part("Shin Screws"), "fixed", part("Shin"), part("Shin Cover"), _between(knee, ankle, 0.25)),
    ]
    motors = [
        Motor(part("Hip Yaw"), "Z", -40.0, 40.0, RATES),
        Motor(part("Hip Roll"), "Z", -35.0, 35.0, RATES),
        Motor(part("Foot Roll"), "Z", -35.0, 35.0, RATES),
    ]
    for word, at, upper, lower in (
        ("Thigh", hip, part("Yoke"), part("Thigh")),
        ("Knee", knee, part("Thigh"), part("Shin")),
        ("Ankle", ankle, part("Shin"), part("Ankle")),
    ):
        crank, rod = part(f"{word} Crank"), part(f"{word} Rod")
        bodies += [
            Body(crank, (above(at), behind(at, RISE)), 0.008),
            Body(rod, (behind(at), behind(at, RISE)), 0.004),
        ]
        joints += [
            Joint(part(f"{word} Hinge"), "revolute", upper, lower, at, X),
            Joint(part(f"{word} Motor"), "revolute", upper, crank, above(at), X),
            Joint(part(f"{word} Rod Head"), "universal", crank, rod, behind(at, RISE)),
            Joint(part(f"{word} Rod Foot"), "spherical", rod, lower, behind(at)),
        ]
        motors.append(Motor(part(f"{word} Motor"), "Z", -75.0, 75.0, RATES))
    return bodies, joints, motors


def walker() -> Recipe:
    """The Walker's description."""
    bodies = [_block("Pelvis", (0.0, 0.0, 0.28), (-0.055, -0.03, 0.262), (0.055, 0.045, 0.33))]
    joints: list[Joint] = []
    motors: list[Motor] = []
    for side, x in (("Left", BESIDE), ("Right", -BESIDE)):
        for whole, of_leg in zip((bodies, joints, motors), _leg(side, x), strict=True):
            whole += of_leg
    feet = ("Left Foot", "Right Foot")
    return Recipe(
        "Walker",
        "A biped that nothing holds but its goals: feet, pelvis, and the weight that its feet carry; key a"
        " walk",
        tuple(bodies),
        tuple(joints),
        tuple(motors),
        (
            *(Goal(foot, position=(FEET,) * 3, rotation=(FEET_ROTATION,) * 3) for foot in feet),
            Goal("Pelvis", position=(0.0, 0.0, 1.0)),
            *(Goal(foot, "CENTRE", (BALANCE, BALANCE, 0.0)) for foot in feet),
        ),
    )
